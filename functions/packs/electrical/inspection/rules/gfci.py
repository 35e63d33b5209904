"""Protection of people from ground faults, by `gfci.json` (210.8, 422.5 and similar requirements of
other articles), and from arcing faults in dwellings (210.12).

The rules use the outlets and places of a circuit's record and description; if a kind or a place is
in neither, the circuit is not checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from packs.electrical.calculations.loads.lines import line_at, system_of
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Finding,
    Problem,
    Rule,
    Severity,
    Unknown,
)
from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.projects.labels import Outlet, outlets_of, places_of
from packs.electrical.projects.records import Area, Circuit, PanelCircuit
from packs.electrical.wording import TEXTS, amps
from rollcall.core.records import convert

TO_GROUND_V = 150
NO_OUTLETS = frozenset({"lighting", "subpanel", "alarm", "power_source"})
"""Loads that are no outlets of 210.8(F)."""
AFCI_AREAS = frozenset(
    {"kitchen", "living", "dining", "bedroom", "hallway", "corridor", "laundry", "closet", "office"}
)
"""The areas of 210.12 among those of records. An office in a dwelling is a den or the like."""
AFCI_MOST_A = 20
TO_NEUTRAL_V = (110, 130)


class Row(Struct, frozen=True):
    """A row of `gfci.json`: protected outlets and their places, with the article by edition.

    Attributes:
        outlets: Receptacles (connected by cord and plug), fixed equipment, or kinds of equipment.
        article: In each group of editions, 2017, 2020, and 2023 on; None where it has no such row.
        occupancy: Dwellings or others; None for all.
        places: None for any.
        plugged: Whether it is only about equipment connected by cord and plug.
        named: Whether it is only about circuits with a known place: equipment of such places is
            always described with its place.
        undecided: By kind, the deciding fact that no record has; "" where there is none.
    """

    id: str
    outlets: Literal["receptacle", "fixed"] | frozenset[str]
    limits: str
    article: tuple[str | None, str | None, str | None]
    occupancy: Literal["dwelling", "other"] | None = field(name="in", default=None)
    places: frozenset[Area] | None = None
    plugged: bool = False
    named: bool = False
    undecided: tuple[dict[str, str], ...] = ({}, {}, {})
    severity: Severity = "critical"
    texts: str = "gfci-outlet"


_DATA = json.loads((Path(__file__).parents[1] / "gfci.json").read_text(encoding="utf-8"))
ROWS = convert(_DATA["rows"], tuple[Row, ...])
LIMITS = convert(_DATA["limits"], dict[str, tuple[tuple[int | None, ...], ...]])


def _group(edition: Edition) -> int:
    """The index of an edition in the lists of a row."""
    return min(EDITIONS.index(edition), 2)


def _is_in(row: Row, facts: Facts, at: PanelCircuit) -> bool:
    """Whether a row applies to circuits of this occupancy, size and voltage."""
    circuit, group = at.circuit, _group(facts.edition)
    if row.article[group] is None or row.occupancy not in (
        None,
        "dwelling" if facts.dwelling else "other",
    ):
        return False
    most = LIMITS[row.limits][group][circuit.poles - 1]
    is_small = most is None or circuit.breaker_amps <= most
    return is_small and _volts_to_ground(facts, at) <= TO_GROUND_V


def _volts_to_ground(facts: Facts, at: PanelCircuit) -> float:
    """The voltage to ground of a circuit's lines, V; in a high-leg delta it depends on them."""
    if at.panel.high_leg:
        here = system_of(at.panel)
        if all(line_at(each, here) != 1 for each in at.circuit.positions):
            return at.panel.line_to_neutral
    return facts.volts_to_ground(at.panel)


def _open_fact(row: Row, outlet: Outlet, circuit: Circuit, group: int) -> str | None:
    """The missing fact that decides whether a row requires protection of an outlet: "" if it does,
    None if it does not."""
    kind, connection = outlet.kind, outlet.connection
    missing = ""
    if row.outlets == "receptacle" or row.outlets == "fixed":
        if kind in NO_OUTLETS or connection == ("fixed" if row.outlets == "receptacle" else "cord"):
            return None
        if row.outlets == "receptacle" and connection == "either":
            missing = "connection" if kind else "loadType"
    elif kind is None:
        if circuit.area not in (row.places or (circuit.area,)):
            return None
        missing = "loadType"
    elif kind not in row.outlets:
        return None
    if row.plugged and connection != "cord":
        if connection == "fixed":
            return None
        missing = missing or "connection"
    if row.places is not None:
        places = places_of(circuit)
        if not places and not row.named:
            missing = "area"
        elif not row.places.intersection(places):
            return None
    by_kind = {} if circuit.gfci else row.undecided[group]
    return missing or by_kind.get(kind or "", by_kind.get("*", ""))


def protection(rows: tuple[Row, ...]) -> Check:
    """Return the check that outlets of these rows have GFCI protection."""

    def check(facts: Facts, at: PanelCircuit) -> Finding:
        circuit, missing = at.circuit, []
        for row in (each for each in rows if _is_in(each, facts, at)):
            for outlet in facts.once(("outlets", id(circuit)), lambda: outlets_of(circuit)):
                fact = _open_fact(row, outlet, circuit, _group(facts.edition))
                if fact == "":
                    return PASSED if circuit.gfci else _unprotected(row, circuit)
                missing += [fact] if fact else []
        if missing and not circuit.gfci:
            raise Unknown(missing[0])
        return None

    return check


def _unprotected(row: Row, circuit: Circuit) -> Problem:
    if row.outlets == "receptacle" and row.places is not None:
        area = next(each for each in places_of(circuit) if each in row.places)
        values = {"area": TEXTS.text(f"inspection.gfci_areas.{area}")}
        return Problem(values=values, texts="gfci-receptacles")
    return Problem(values={"breaker": amps(circuit.breaker_amps)}, texts=row.texts)


def afci(facts: Facts, at: PanelCircuit) -> Finding:
    """Circuits of 120 V, 15 and 20 A, in living areas of a dwelling have AFCI protection."""
    panel, circuit = at.panel, at.circuit
    low, high = TO_NEUTRAL_V
    if not facts.dwelling or circuit.poles != 1 or circuit.breaker_amps > AFCI_MOST_A:
        return None
    if not low <= panel.line_to_neutral <= high:
        return None
    places = places_of(circuit)
    if not places and not circuit.afci:
        raise Unknown("area")
    if not AFCI_AREAS.intersection(places):
        return None
    return PASSED if circuit.afci else Problem()


def _rules() -> Iterator[Rule]:
    by_id: dict[str, list[Row]] = {}
    for row in ROWS:
        by_id.setdefault(row.id, []).append(row)
    for id, rows in by_id.items():
        numbers: dict[int, str] = {
            edition: number
            for edition in EDITIONS
            for row in rows
            if (number := row.article[_group(edition)]) is not None
        }
        since = next(edition for edition in EDITIONS if edition in numbers)
        article, check = numbers[EDITIONS[-1]], protection(tuple(rows))
        severity = rows[0].severity
        yield Rule(id, "circuit", "circuits", severity, article, check, None, since, numbers)


RULES = (
    *_rules(),
    Rule("210.12-afci", "circuit", "circuits", "critical", "210.12(B)", afci,
         numbers={2017: "210.12(A)", 2020: "210.12(A)"}),
)  # fmt: skip
