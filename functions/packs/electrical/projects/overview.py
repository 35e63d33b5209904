"""Overviews of a project's panels and circuits: figures, sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from packs.electrical.nec.conductors import label
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.projects.topology import downstream
from packs.electrical.projects.wording import counts, counts_in_words, service_in_words
from packs.electrical.wording import TEXTS, number
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated


class CircuitOverview(Wire):
    """The main figures of a circuit."""

    circuit_id: str
    circuit_number: int
    poles: int
    description: str
    load_watts: float
    load_type: str
    breaker_amps: int
    conductor_size: str | None
    conductor_material: str
    length_ft: float | None


class PanelOverview(Wire):
    """The main figures of a panel.

    Attributes:
        fed_from: The id of the panel or transformer that supplies it; None for the service.
        spaces_used: How many of its `spaces` circuits take, with spares.
        load_watts: The connected load of its circuits, without demand factors.
        load_with_subpanels_watts: The same, with all panels that it supplies.
    """

    panel_id: str
    name: str
    voltage: float
    phases: int
    bus_rating: float
    main_breaker_amps: float | None
    fed_from: str | None
    spaces: int
    spaces_used: int
    circuits: int
    load_watts: float
    load_with_subpanels_watts: float


def panel_overview(project: Project, panel: Panel) -> PanelOverview:
    """Return the overview of a panel, with its supply and its load."""
    source = [feeder.source_id for feeder in project.feeders if feeder.target_id == panel.id]
    return PanelOverview(
        panel_id=panel.id,
        name=panel.name,
        voltage=panel.voltage,
        phases=panel.phases,
        bus_rating=panel.bus_rating,
        main_breaker_amps=panel.main_breaker_amps,
        fed_from=source[0] if source else None,
        spaces=panel.spaces,
        spaces_used=sum(circuit.poles for circuit in panel.circuits),
        circuits=len(panel.circuits),
        load_watts=load_of(panel),
        load_with_subpanels_watts=sum(load_of(each) for each in downstream(project, panel)),
    )


def load_of(panel: Panel) -> float:
    """Return the connected load of a panel's own circuits, W."""
    return sum(circuit.load_watts for circuit in panel.circuits)


def circuit_overview(circuit: Circuit) -> CircuitOverview:
    """Return the main figures of a circuit."""
    return CircuitOverview(
        circuit_id=circuit.id,
        circuit_number=circuit.circuit_number,
        poles=circuit.poles,
        description=circuit.description,
        load_watts=circuit.load_watts,
        load_type=circuit.load_type,
        breaker_amps=circuit.breaker_amps,
        conductor_size=circuit.conductor_size,
        conductor_material=circuit.conductor_material,
        length_ft=circuit.length_ft,
    )


def in_order(panel: Panel) -> list[Circuit]:
    """Return a panel's circuits, sorted by number."""
    return sorted(panel.circuits, key=lambda circuit: circuit.circuit_number)


def project_in_words(locale: str, project: Project) -> str:
    """Return a text about a project's service and its panels."""
    name, service = isolated(project.name), service_in_words(locale, project)
    lines = [f"{name}: {service}; {counts_in_words(locale, counts(project))}."]
    for panel in project.panels:
        supplied = downstream(project, panel)
        load = isolated(f"{number(sum(load_of(each) for each in supplied))} W")
        held = counts_in_words(locale, {"circuits": len(panel.circuits)})
        if len(supplied) > 1:
            load = TEXTS.say(locale, "projects.with_subpanels", load=load)
        figures = ", ".join(part for part in (held, load) if part)
        lines.append(f"- {isolated(panel.name)}: {figures}")
    return "\n".join(lines)


def panel_in_words(locale: str, panel: Panel) -> str:
    """Return a text about a panel's circuits, one per line."""
    lines = [f"{isolated(panel.name)}:"]
    for each in in_order(panel):
        figures = f"{number(each.load_watts)} W, {each.breaker_amps} A"
        lines.append(f"- {_place(each)} {isolated(each.description)}: {isolated(figures)}")
    return "\n".join(lines)


def panel_table(locale: str, project: Project, panels: Sequence[PanelOverview]) -> Display:
    """Return a table with a row for each panel."""
    columns = columns_named(locale, "panel", "circuits", "spaces", "load")
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
    """Return a table with a row for each circuit of a panel."""
    columns = columns_named(locale, "number", "description", "load", "breaker", "conductor")
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
    """Return a circuit's positions, such as `1-3`."""
    return isolated("-".join(str(place) for place in circuit.positions))


def columns_named(locale: str, *names: str) -> list[str]:
    """Return the names of columns in the locale's language."""
    return [TEXTS.say(locale, f"projects.columns.{name}") for name in names]
