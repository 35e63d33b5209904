"""What a dwelling needs: arc-fault protection (210.12) and its required circuits (210.11(C))."""

from __future__ import annotations

from collections.abc import Callable

from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.projects.records import Circuit, Project
from packs.electrical.results import Words
from rollcall.core.wording import isolated

AFCI_AREAS = frozenset(
    {"kitchen", "living", "dining", "bedroom", "hallway", "corridor", "laundry", "closet", "office"}
)
"""Areas of 210.12 that a record can name. An office in a dwelling is a den or the like."""
AFCI_MOST_A = 20
TO_NEUTRAL_V = (110, 130)
LEAST_SMALL_APPLIANCE = 2
CIRCUIT_A = 20
RECEPTACLES = frozenset({"receptacle", "small_appliance", "laundry"})


def _afci(facts: Facts, found: PanelCircuit) -> Verdict:
    panel, circuit = found
    low, high = TO_NEUTRAL_V
    if not facts.dwelling or circuit.poles != 1 or circuit.breaker_amps > AFCI_MOST_A:
        return None
    if not low <= panel.line_to_neutral <= high:
        return None
    if circuit.afci and circuit.area is None:
        return None  # protected wherever it is
    if known(circuit.area, "area") not in AFCI_AREAS:
        return None
    if circuit.afci:
        return PASSED
    return Problem(
        Words(
            "The circuit supplies a living area and has no AFCI protection.",
            f"המעגל מזין אזור מגורים ואין לו הגנת קשת ({isolated('AFCI')}).",
        ),
        Words(
            "Use a combination-type AFCI breaker (dual-function where GFCI is needed too).",
            f"יש להתקין מפסק {isolated('AFCI')} משולב (דו-תכליתי היכן שנדרשת גם הגנת פחת).",
        ),
    )


def _twenty(circuit: Circuit) -> bool:
    return circuit.breaker_amps >= CIRCUIT_A and circuit.poles == 1


def _small_appliance(facts: Facts, project: Project) -> Verdict:
    if not facts.dwelling:
        return None
    found = sum(
        _twenty(circuit) and circuit.load_type == "small_appliance"
        for circuit in facts.all_circuits
    )
    found = max(found, project.building.small_appliance_circuits or 0)
    least = LEAST_SMALL_APPLIANCE * project.building.dwelling_units
    if found >= least:
        return PASSED
    _complete(facts)
    return _too_few(
        found, least, Words("small-appliance circuits of 20 A", "מעגלי מכשירי מטבח של 20 אמפר")
    )


def _laundry(facts: Facts, project: Project) -> Verdict:
    if not facts.dwelling:
        return None
    found = sum(
        _twenty(circuit) and (circuit.load_type == "laundry" or _in(circuit, "laundry"))
        for circuit in facts.all_circuits
    )
    found = max(found, project.building.laundry_circuits or 0)
    return _at_least_one(facts, found, Words("laundry circuit of 20 A", "מעגל כביסה של 20 אמפר"))


def _bathroom(facts: Facts, project: Project) -> Verdict:
    if not facts.dwelling:
        return None
    found = sum(_twenty(each) and _in(each, "bathroom") for each in facts.all_circuits)
    return _at_least_one(
        facts,
        found,
        Words("bathroom receptacle circuit of 20 A", "מעגל בתי תקע לאמבטיה של 20 אמפר"),
    )


def _garage(facts: Facts, project: Project) -> Verdict:
    if not facts.dwelling or all(each.area != "garage" for each in facts.all_circuits):
        return None  # no garage with power is recorded
    found = sum(_twenty(each) and _in(each, "garage") for each in facts.all_circuits)
    return _at_least_one(
        facts, found, Words("garage receptacle circuit of 20 A", "מעגל בתי תקע לחניה של 20 אמפר")
    )


def _in(circuit: Circuit, area: str) -> bool:
    return circuit.area == area and circuit.load_type in RECEPTACLES


def _at_least_one(facts: Facts, found: int, what: Words) -> Verdict:
    if found:
        return PASSED
    _complete(facts)
    return _too_few(found, 1, what)


def _complete(facts: Facts) -> None:
    """Nothing is missing only if it is known where all receptacles are.

    Raises:
        Unknown: There are no circuits, or a receptacle circuit of 20 A has no area.
    """
    if not facts.all_circuits:
        raise Unknown("circuits")
    loose = (_twenty(each) and each.load_type == "receptacle" for each in facts.all_circuits)
    areas = (each.area for each in facts.all_circuits)
    if any(is_loose and area is None for is_loose, area in zip(loose, areas, strict=True)):
        raise Unknown("area")


def _too_few(found: int, least: int, what: Words) -> Problem:
    return Problem(
        Words(
            f"{found} of {least} required: {what.en}.", f"{found} מתוך {least} נדרשים: {what.he}."
        ),
        Words(
            f"Add what is missing: {what.en}; add_circuit proposes one.",
            f"יש להוסיף את החסר: {what.he}; הוספת מעגל מציעה כזה.",
        ),
        found,
        least,
    )


def _rule(id: str, article: str, title: Words, check: Callable[[Facts, Project], Verdict]) -> Rule:
    return Rule(
        id=id,
        kind="project",
        category="circuits",
        severity="warning",
        article=article,
        title=title,
        check=check,
    )


RULES = (
    Rule(
        id="210.12-afci",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="210.12(B)",
        title=Words("AFCI in dwellings", "הגנת קשת בדירות"),
        check=_afci,
        numbers={2017: "210.12(A)", 2020: "210.12(A)"},
    ),
    _rule(
        "210.11-c1",
        "210.11(C)(1)",
        Words("Two small-appliance circuits", "שני מעגלי מכשירי מטבח"),
        _small_appliance,
    ),
    _rule("210.11-c2", "210.11(C)(2)", Words("A laundry circuit", "מעגל כביסה"), _laundry),
    _rule("210.11-c3", "210.11(C)(3)", Words("A bathroom circuit", "מעגל לחדר רחצה"), _bathroom),
    _rule("210.11-c4", "210.11(C)(4)", Words("A garage circuit", "מעגל לחניה"), _garage),
)
