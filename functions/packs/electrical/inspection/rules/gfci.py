"""Protection of people from ground faults and arcing faults: GFCI by area and edition (210.8,
680.21, 680.22) and AFCI in dwellings (210.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Finding,
    Problem,
    Rule,
    Unknown,
    known,
)
from packs.electrical.inspection.rules.branch_circuits import RECEPTACLES
from packs.electrical.nec.editions import Edition
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.wording import TEXTS, amps

PLUGGED_240 = frozenset({"dryer", "range"})
"""Connected through receptacles, as a rule; 210.8(A) reaches these since 2020 (125 to 250 V)."""
APPLIANCES = frozenset({"range", "oven", "cooktop", "dryer"})
COOLING = frozenset({"air_conditioning", "heat_pump"})
TO_GROUND_V = 150
OTHERS_MOST_A = {1: 50, 3: 100}
"""The largest circuits of 210.8(B), by phases."""
APPLIANCE_MOST_A = 60
OUTDOOR_MOST_A = 50
FULL_KITCHEN_SINCE = 2023
ALL_BASEMENTS_SINCE = 2020
UP_TO_250_V_SINCE = 2020

AFCI_AREAS = frozenset(
    {"kitchen", "living", "dining", "bedroom", "hallway", "corridor", "laundry", "closet", "office"}
)
"""Areas of 210.12 that a record can name. An office in a dwelling is a den or the like."""
AFCI_MOST_A = 20
TO_NEUTRAL_V = (110, 130)


class AreaItem(NamedTuple):
    """An area in the list of 210.8(A) or (B).

    Attributes:
        item: Its number in the list of 2023.
        older: Its number in the lists of 2017 and 2020, where it is another one.
        since: The first edition that lists it.
    """

    area: str
    item: str
    older: str | None = None
    since: Edition = 2017


DWELLING_AREAS = (
    AreaItem("bathroom", "(1)"),
    AreaItem("garage", "(2)"),
    AreaItem("outdoor", "(3)"),
    AreaItem("crawl_space", "(4)"),
    AreaItem("basement", "(5)"),
    AreaItem("kitchen", "(6)"),
    AreaItem("laundry", "(11)", "(10)"),
)
OTHER_AREAS = (
    AreaItem("restroom", "(1)"),
    AreaItem("kitchen", "(2)"),
    AreaItem("rooftop", "(5)", "(3)"),
    AreaItem("outdoor", "(6)", "(4)"),
    AreaItem("garage", "(10)", "(8)"),
    AreaItem("crawl_space", "(11)", "(9)"),
    AreaItem("basement", "(12)", "(10)"),
    AreaItem("laundry", "(14)", "(11)", since=2020),
)
SAME_AREAS = {"restroom": ("restroom", "bathroom"), "bathroom": ("bathroom", "restroom")}
"""A bathroom is any area with a basin and a toilet or shower (Article 100)."""


def is_150_to_ground(facts: Facts, at: PanelCircuit) -> bool:
    return facts.volts_to_ground(at.panel) <= TO_GROUND_V


def is_in_area(at: PanelCircuit, *areas: str) -> bool:
    """Return whether a circuit is in one of these areas; False if it is protected anyway.

    Raises:
        Unknown: Its area is not recorded.
    """
    if at.circuit.gfci and at.circuit.area is None:
        return False  # protected wherever it is
    return known(at.circuit.area, "area") in areas


def dwelling_receptacles(place: AreaItem) -> Check:
    """Make the check that receptacles in an area of 210.8(A) have GFCI protection."""

    def check(facts: Facts, at: PanelCircuit) -> Finding:
        circuit, area = at.circuit, place.area
        if not facts.dwelling or not _is_dwelling_receptacle(facts, at):
            return None
        if not is_in_area(at, *SAME_AREAS.get(area, (area,))):
            return None
        if circuit.gfci:
            return PASSED
        if area == "basement" and facts.edition < ALL_BASEMENTS_SINCE:
            raise Unknown("basementFinished")  # only unfinished ones, in 2017
        if area == "kitchen" and facts.edition < FULL_KITCHEN_SINCE:
            if circuit.load_type == "receptacle":
                raise Unknown("servesCountertop")  # only countertops, until 2020
            if circuit.load_type != "small_appliance":
                return None
        return _unprotected_receptacles(area)

    return check


def _is_dwelling_receptacle(facts: Facts, at: PanelCircuit) -> bool:
    circuit = at.circuit
    if not is_150_to_ground(facts, at):
        return False
    if facts.edition < UP_TO_250_V_SINCE:
        is_small = circuit.poles == 1 and circuit.breaker_amps <= 20
        return circuit.load_type in RECEPTACLES and is_small
    return circuit.load_type in RECEPTACLES | PLUGGED_240 and circuit.poles < 3


def other_receptacles(place: AreaItem) -> Check:
    """Make the check that receptacles in an area of 210.8(B) have GFCI protection."""

    def check(facts: Facts, at: PanelCircuit) -> Finding:
        circuit, area = at.circuit, place.area
        if facts.dwelling or circuit.load_type not in RECEPTACLES:
            return None
        most = OTHERS_MOST_A[3 if circuit.poles == 3 else 1]
        if not is_150_to_ground(facts, at) or circuit.breaker_amps > most:
            return None
        if not is_in_area(at, *SAME_AREAS.get(area, (area,))):
            return None
        if circuit.gfci:
            return PASSED
        if area == "basement":
            raise Unknown("basementFinished")  # only unfinished areas
        return _unprotected_receptacles(area)

    return check


def _unprotected_receptacles(area: str) -> Problem:
    values = {"area": TEXTS.text(f"inspection.gfci_areas.{area}")}
    return Problem(values=values, texts="gfci-receptacles")


def appliance(facts: Facts, at: PanelCircuit) -> Finding:
    """Ranges, ovens, cooktops and dryers up to 60 A have GFCI protection."""
    circuit = at.circuit
    if circuit.load_type not in APPLIANCES or circuit.breaker_amps > APPLIANCE_MOST_A:
        return None
    if not is_150_to_ground(facts, at):
        return None
    return PASSED if circuit.gfci else Problem(values={"breaker": amps(circuit.breaker_amps)})


def outdoor_outlet(facts: Facts, at: PanelCircuit) -> Finding:
    """Outdoor outlets of dwellings up to 50 A have GFCI protection."""
    circuit = at.circuit
    if not facts.dwelling or circuit.load_type in RECEPTACLES | {"lighting", "subpanel"}:
        return None
    if circuit.breaker_amps > OUTDOOR_MOST_A or circuit.poles == 3:
        return None
    if not is_150_to_ground(facts, at) or not is_in_area(at, "outdoor"):
        return None
    if circuit.gfci:
        return PASSED
    if circuit.load_type in COOLING:
        raise Unknown("listingOfCoolingEquipment")  # an exception has left it out until 2026
    return Problem(values={"breaker": amps(circuit.breaker_amps)})


def pool(*kinds: str) -> Check:
    """Make the check that circuits of these loads at a pool have GFCI protection."""

    def check(facts: Facts, at: PanelCircuit) -> Finding:
        circuit = at.circuit
        if circuit.area != "pool" or circuit.load_type not in kinds or circuit.poles == 3:
            return None
        if not is_150_to_ground(facts, at):
            return None
        return PASSED if circuit.gfci else Problem(texts="gfci-pool")

    return check


def afci(facts: Facts, at: PanelCircuit) -> Finding:
    """Circuits of 120 V, 15 and 20 A, in living areas of a dwelling have AFCI protection."""
    panel, circuit = at
    low, high = TO_NEUTRAL_V
    if not facts.dwelling or circuit.poles != 1 or circuit.breaker_amps > AFCI_MOST_A:
        return None
    if not low <= panel.line_to_neutral <= high:
        return None
    if circuit.afci and circuit.area is None:
        return None  # protected wherever it is
    if known(circuit.area, "area") not in AFCI_AREAS:
        return None
    return PASSED if circuit.afci else Problem()


def area_rules(
    letter: str, areas: tuple[AreaItem, ...], check: Callable[[AreaItem], Check]
) -> Iterator[Rule]:
    """Make the rules of the areas of 210.8(A) or (B)."""
    section = f"210.8({letter.upper()})"
    for place in areas:
        older = f"{section}{place.older or place.item}"
        yield Rule(
            f"210.8-{letter}-{place.area.replace('_', '-')}",
            "circuit",
            "circuits",
            "critical",
            f"{section}{place.item}",
            check(place),
            since=place.since,
            numbers={2017: older, 2020: older},
        )


RULES = (
    *area_rules("a", DWELLING_AREAS, dwelling_receptacles),
    *area_rules("b", OTHER_AREAS, other_receptacles),
    Rule("210.8-d-appliances", "circuit", "circuits", "critical", "210.8(D)", appliance,
         since=2023),
    Rule("210.8-f-outdoor", "circuit", "circuits", "warning", "210.8(F)", outdoor_outlet,
         since=2020),
    Rule("680.21-motor", "circuit", "circuits", "critical", "680.21(C)",
         pool("motor", "equipment")),
    Rule("680.22-receptacle", "circuit", "circuits", "critical", "680.22(A)(4)",
         pool(*RECEPTACLES)),
    Rule("210.12-afci", "circuit", "circuits", "critical", "210.12(B)", afci,
         numbers={2017: "210.12(A)", 2020: "210.12(A)"}),
)  # fmt: skip
