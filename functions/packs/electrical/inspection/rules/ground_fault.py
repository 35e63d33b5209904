"""Ground-fault protection of people: 210.8, 680.21, 680.22, by area and edition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import amps
from packs.electrical.nec.editions import Edition
from packs.electrical.projects.records import Circuit
from packs.electrical.results import Words

RECEPTACLES = frozenset({"receptacle", "small_appliance", "laundry"})
PLUGGED_240 = frozenset({"dryer", "range"})
"""Connected through receptacles, as a rule; 210.8(A) reaches these since 2020 (125 to 250 V)."""
APPLIANCES = frozenset({"range", "oven", "cooktop", "dryer"})
TO_GROUND_V = 150
OTHERS_MOST_A = {1: 50, 3: 100}
APPLIANCE_MOST_A = 60
OUTDOOR_MOST_A = 50
COOLING = frozenset({"air_conditioning", "heat_pump"})
FULL_KITCHEN_SINCE = 2023
ALL_BASEMENTS_SINCE = 2020
UP_TO_250_V_SINCE = 2020


@dataclass(frozen=True, slots=True)
class _Place:
    """An area of 210.8 with its item.

    Attributes:
        item: Of the 2023 list; `numbers` has those of other editions.
        since: The first edition that lists it.
    """

    area: str
    name: Words
    item: str
    numbers: Mapping[int, str] = field(default_factory=dict)
    since: Edition = 2017


_BATHROOM = Words("in bathrooms", "חדרי רחצה")
_GARAGE = Words("in garages", "מוסכים וחניות")
_OUTDOOR = Words("outdoors", "חוץ")
_CRAWL = Words("in crawl spaces", "חללים שמתחת לרצפה")
_BASEMENT = Words("in basements", "מרתפים")
_KITCHEN = Words("in kitchens", "מטבחים")
_LAUNDRY = Words("in laundry areas", "אזורי כביסה")
_ROOF = Words("on rooftops", "גגות")

DWELLING = (
    _Place("bathroom", _BATHROOM, "(1)"),
    _Place("garage", _GARAGE, "(2)"),
    _Place("outdoor", _OUTDOOR, "(3)"),
    _Place("crawl_space", _CRAWL, "(4)"),
    _Place("basement", _BASEMENT, "(5)"),
    _Place("kitchen", _KITCHEN, "(6)"),
    _Place("laundry", _LAUNDRY, "(11)", {2017: "(10)", 2020: "(10)"}),
)
OTHERS = (
    _Place("restroom", _BATHROOM, "(1)"),
    _Place("kitchen", _KITCHEN, "(2)"),
    _Place("rooftop", _ROOF, "(5)", {2017: "(3)", 2020: "(3)"}),
    _Place("outdoor", _OUTDOOR, "(6)", {2017: "(4)", 2020: "(4)"}),
    _Place("garage", _GARAGE, "(10)", {2017: "(8)", 2020: "(8)"}),
    _Place("crawl_space", _CRAWL, "(11)", {2017: "(9)", 2020: "(9)"}),
    _Place("basement", _BASEMENT, "(12)", {2017: "(10)", 2020: "(10)"}),
    _Place("laundry", _LAUNDRY, "(14)", {2020: "(11)"}, since=2020),
)
ALIKE = {"restroom": ("restroom", "bathroom"), "bathroom": ("bathroom", "restroom")}
"""A bathroom is any area with a basin and a toilet or shower (Article 100)."""


def _in_dwelling(place: _Place) -> Check:
    def check(facts: Facts, found: PanelCircuit) -> Verdict:
        circuit = found.circuit
        if not facts.dwelling or not _dwelling_receptacle(facts, found):
            return None
        if not _is_in(circuit, place):
            return None
        if circuit.gfci:
            return PASSED
        if place.area == "basement" and facts.edition < ALL_BASEMENTS_SINCE:
            raise Unknown("basementFinished")  # only unfinished ones, in 2017
        if place.area == "kitchen" and facts.edition < FULL_KITCHEN_SINCE:
            if circuit.load_type == "receptacle":
                raise Unknown("servesCountertop")  # only countertops, until 2020
            if circuit.load_type != "small_appliance":
                return None
        return _unprotected(place.name)

    return check


def _is_in(circuit: Circuit, place: _Place) -> bool:
    if circuit.gfci and circuit.area is None:
        return False  # protected wherever it is
    return known(circuit.area, "area") in ALIKE.get(place.area, (place.area,))


def _dwelling_receptacle(facts: Facts, found: PanelCircuit) -> bool:
    circuit = found.circuit
    if not _low_to_ground(facts, found):
        return False
    if facts.edition < UP_TO_250_V_SINCE:
        return (
            circuit.load_type in RECEPTACLES and circuit.poles == 1 and circuit.breaker_amps <= 20
        )
    return circuit.load_type in RECEPTACLES | PLUGGED_240 and circuit.poles < 3


def _low_to_ground(facts: Facts, found: PanelCircuit) -> bool:
    return facts.volts_to_ground(found.panel) <= TO_GROUND_V


def _elsewhere(place: _Place) -> Check:
    def check(facts: Facts, found: PanelCircuit) -> Verdict:
        circuit = found.circuit
        if facts.dwelling or circuit.load_type not in RECEPTACLES:
            return None
        phases = 3 if circuit.poles == 3 else 1
        if not _low_to_ground(facts, found) or circuit.breaker_amps > OTHERS_MOST_A[phases]:
            return None
        if not _is_in(circuit, place):
            return None
        if circuit.gfci:
            return PASSED
        if place.area == "basement":
            raise Unknown("basementFinished")  # only unfinished areas
        return _unprotected(place.name)

    return check


def _unprotected(place: Words) -> Problem:
    return Problem(
        Words(
            f"Receptacles {place.en} have no GFCI protection.",
            f"לבתי תקע באזור {place.he} אין הגנת פחת לאדם.",
        ),
        Words(
            "Protect the circuit with a GFCI breaker, or its receptacles with GFCI devices.",
            "יש להגן על המעגל במפסק פחת לאדם, או להתקין בתי תקע עם הגנה כזו.",
        ),
    )


def _appliance(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    if circuit.load_type not in APPLIANCES or circuit.breaker_amps > APPLIANCE_MOST_A:
        return None
    if not _low_to_ground(facts, found):
        return None
    if circuit.gfci:
        return PASSED
    return Problem(
        Words(
            f"The appliance's circuit of {amps(circuit.breaker_amps)} has no GFCI protection.",
            f"למעגל המכשיר, {amps(circuit.breaker_amps)}, אין הגנת פחת לאדם.",
        ),
        Words("Use a GFCI breaker for it.", "יש להתקין לו מפסק פחת לאדם."),
    )


def _outdoor_outlet(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    if not facts.dwelling or circuit.load_type in RECEPTACLES | {"lighting", "subpanel"}:
        return None
    if circuit.breaker_amps > OUTDOOR_MOST_A or circuit.poles == 3:
        return None
    if not _low_to_ground(facts, found) or (circuit.gfci and circuit.area is None):
        return None
    if known(circuit.area, "area") != "outdoor":
        return None
    if circuit.gfci:
        return PASSED
    if circuit.load_type in COOLING:
        raise Unknown("listingOfCoolingEquipment")  # an exception has left it out until 2026
    return Problem(
        Words(
            f"An outdoor outlet on {amps(circuit.breaker_amps)} has no GFCI protection.",
            f"לנקודת חוץ במעגל של {amps(circuit.breaker_amps)} אין הגנת פחת לאדם.",
        ),
        Words("Use a GFCI breaker for it.", "יש להתקין לה מפסק פחת לאדם."),
    )


def _pool_motor(facts: Facts, found: PanelCircuit) -> Verdict:
    return _pool(facts, found, frozenset({"motor", "equipment"}))


def _pool_receptacle(facts: Facts, found: PanelCircuit) -> Verdict:
    return _pool(facts, found, RECEPTACLES)


def _pool(facts: Facts, found: PanelCircuit, kinds: frozenset[str]) -> Verdict:
    circuit = found.circuit
    if circuit.area != "pool" or circuit.load_type not in kinds or circuit.poles == 3:
        return None
    if not _low_to_ground(facts, found):
        return None
    if circuit.gfci:
        return PASSED
    return Problem(
        Words(
            "A circuit at the pool has no GFCI protection.",
            "למעגל באזור הבריכה אין הגנת פחת לאדם.",
        ),
        Words("Use a GFCI breaker for it.", "יש להתקין לו מפסק פחת לאדם."),
    )


def _rule(letter: str, place: _Place, check: Check, group: Words) -> Rule:
    return Rule(
        id=f"210.8-{letter}-{place.area.replace('_', '-')}",
        kind="circuit",
        category="circuits",
        severity="critical",
        article=f"210.8({letter.upper()}){place.item}",
        title=Words(f"GFCI {place.name.en}: {group.en}", f"הגנת פחת, {place.name.he}: {group.he}"),
        check=check,
        since=place.since,
        numbers={year: f"210.8({letter.upper()}){item}" for year, item in place.numbers.items()},
    )


_HOMES = Words("dwellings", "דירות")
_OTHER = Words("other occupancies", "מבנים אחרים")

RULES = (
    *(_rule("a", place, _in_dwelling(place), _HOMES) for place in DWELLING),
    *(_rule("b", place, _elsewhere(place), _OTHER) for place in OTHERS),
    Rule(
        id="210.8-d-appliances",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="210.8(D)",
        title=Words("GFCI for ranges, ovens and dryers", "הגנת פחת לתנורים ולמייבשים"),
        check=_appliance,
        since=2023,
    ),
    Rule(
        id="210.8-f-outdoor",
        kind="circuit",
        category="circuits",
        severity="warning",
        article="210.8(F)",
        title=Words("GFCI for outdoor outlets of dwellings", "הגנת פחת לנקודות חוץ בדירות"),
        check=_outdoor_outlet,
        since=2020,
    ),
    Rule(
        id="680.21-motor",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="680.21(C)",
        title=Words("GFCI for pool pumps", "הגנת פחת למשאבות בריכה"),
        check=_pool_motor,
    ),
    Rule(
        id="680.22-receptacle",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="680.22(A)(4)",
        title=Words("GFCI for receptacles at pools", "הגנת פחת לבתי תקע ליד בריכה"),
        check=_pool_receptacle,
    ),
)
