"""Overviews for people: sentences and tables in their language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from packs.electrical.nec.conductors import label
from packs.electrical.projects.overview import PanelOverview, in_order, load_of
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.projects.topology import downstream
from packs.electrical.projects.transfer import counts
from packs.electrical.projects.wording import counts_in_words, service_in_words
from packs.electrical.results import Words, number
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated, say

_PANEL = Words("Panel", "לוח")
_CIRCUITS = Words("Circuits", "מעגלים")
_SPACES = Words("Spaces used", "מקומות תפוסים")
_LOAD = Words("Connected load, W", "עומס מחובר, W")
_NUMBER = Words("No.", "מס'")
_DESCRIPTION = Words("Description", "תיאור")
_BREAKER = Words("Breaker, A", "מפסק, A")
_CONDUCTOR = Words("Conductor", "מוליך")


def project_in_words(locale: str, project: Project) -> str:
    """What it is supplied by, and its panels with what they feed."""
    name, service = isolated(project.name), service_in_words(locale, project)
    lines = [f"{name}: {service}; {counts_in_words(locale, counts(project))}."]
    for panel in project.panels:
        supplied = downstream(project, panel)
        load = isolated(f"{number(sum(load_of(each) for each in supplied))} W")
        held = counts_in_words(locale, {"circuits": len(panel.circuits)})
        with_them = say(locale, en=" with subpanels", he=" כולל לוחות משנה")
        more = with_them if len(supplied) > 1 else ""
        figures = ", ".join(part for part in (held, f"{load}{more}") if part)
        lines.append(f"- {isolated(panel.name)}: {figures}")
    return "\n".join(lines)


def panel_in_words(locale: str, panel: Panel) -> str:
    """Its circuits, a line each."""
    lines = [f"{isolated(panel.name)}:"]
    for each in in_order(panel):
        figures = f"{number(each.load_watts)} W, {each.breaker_amps} A"
        lines.append(f"- {_place(each)} {isolated(each.description)}: {isolated(figures)}")
    return "\n".join(lines)


def panel_table(locale: str, project: Project, panels: Sequence[PanelOverview]) -> Display:
    """A row for each panel."""
    columns = [words.say(locale) for words in (_PANEL, _CIRCUITS, _SPACES, _LOAD)]
    rows: list[dict[str, Any]] = [
        dict(
            zip(
                columns,
                (
                    isolated(each.name),
                    each.circuits,
                    isolated(f"{each.spaces_used} / {each.spaces}"),
                    number(each.load_with_subpanels_watts, digits=0),
                ),
                strict=True,
            )
        )
        for each in panels
    ]
    title = f"{isolated(project.name)}: {service_in_words(locale, project)}"
    return Display(type="table", title=title, columns=columns, rows=rows)


def circuit_table(locale: str, panel: Panel) -> Display:
    """A row for each circuit of a panel."""
    columns = [words.say(locale) for words in (_NUMBER, _DESCRIPTION, _LOAD, _BREAKER, _CONDUCTOR)]
    rows: list[dict[str, Any]] = [
        dict(
            zip(
                columns,
                (
                    _place(each),
                    isolated(each.description),
                    number(each.load_watts, digits=0),
                    each.breaker_amps,
                    isolated(label(each.conductor_size)) if each.conductor_size else None,
                ),
                strict=True,
            )
        )
        for each in in_order(panel)
    ]
    return Display(type="table", title=isolated(panel.name), columns=columns, rows=rows)


def _place(circuit: Circuit) -> str:
    """`1-3`: its positions."""
    return isolated("-".join(str(place) for place in circuit.positions))
