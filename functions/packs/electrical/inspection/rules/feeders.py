"""Feeders and what runs in parallel: 110.4, 215.2, 215.3, 310.10."""

from __future__ import annotations

from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Problem,
    Rule,
    Verdict,
    known,
)
from packs.electrical.inspection.rules.loads import EXACT
from packs.electrical.inspection.wording import amps, size, volts, wire
from packs.electrical.nec.sizes import rank
from packs.electrical.projects.records import Feeder, Project, Transformer, Wiring
from packs.electrical.results import Words
from rollcall.core.wording import isolated

LEAST_PARALLEL = "1/0"
VOLTAGE_TOLERANCE = 0.1


def _conductor(facts: Facts, feeder: Feeder) -> Verdict:
    panel = facts.panel_fed(feeder)
    if panel is None:
        return None  # 450.3 protects a transformer, and 240.4 what leads to it
    demand = facts.demand_amps(panel)
    device = facts.protected_at(feeder) or panel.main_breaker_amps or demand
    carries = facts.ampacity(feeder, device).amps
    if carries * EXACT >= demand or facts.allowed_by_310_12(panel, device, carries):
        return PASSED
    wires, name = wire(feeder), isolated(panel.name)
    return Problem(
        Words(
            f"{wires.en} carries {amps(carries)}; the calculated load of {name} is {amps(demand)}.",
            f"{wires.he} נושא {amps(carries)}; העומס המחושב של {name} הוא {amps(demand)}.",
        ),
        Words(
            f"Use feeder conductors for at least {amps(demand)}, or move load away.",
            f"יש להשתמש במוליכי הזנה ל-{amps(demand)} לפחות, או להעביר עומסים.",
        ),
        round(carries, 1),
        round(demand, 1),
        "A",
    )


def _breaker(facts: Facts, feeder: Feeder) -> Verdict:
    panel = facts.panel_fed(feeder)
    if panel is None:
        return None
    device = facts.protected_at(feeder)
    if device is None and facts.from_transformer(feeder):
        return None
    rating = known(device, "breakerAmps")
    demand = facts.demand_amps(panel)
    if rating * EXACT >= demand:
        return PASSED
    name = isolated(panel.name)
    return Problem(
        Words(
            f"The feeder's breaker is {amps(rating)}; the calculated load of {name} is "
            f"{amps(demand)}.",
            f"מפסק ההזנה הוא {amps(rating)}; העומס המחושב של {name} הוא {amps(demand)}.",
        ),
        Words(
            "Enlarge the feeder and its breaker, or move load away.",
            "יש להגדיל את קו ההזנה ואת מפסקו, או להעביר עומסים.",
        ),
        rating,
        round(demand, 1),
        "A",
    )


def _voltage(facts: Facts, feeder: Feeder) -> Verdict:
    source, target = facts.nodes[feeder.source_id], facts.nodes[feeder.target_id]
    gives = source.secondary_voltage if isinstance(source, Transformer) else source.voltage
    takes = target.primary_voltage if isinstance(target, Transformer) else target.voltage
    if abs(gives - takes) <= VOLTAGE_TOLERANCE * takes:
        return PASSED
    here, there = isolated(source.name), isolated(target.name)
    return Problem(
        Words(
            f"It joins {volts(gives)} at {here} to {volts(takes)} at {there}.",
            f"הקו מחבר {volts(gives)} ב-{here} אל {volts(takes)} ב-{there}.",
        ),
        Words(
            "Correct the record, or put a transformer between them.",
            "יש לתקן את הרישום או להתקין שנאי ביניהם.",
        ),
        gives,
        takes,
        "V",
    )


def _parallel(wiring: Wiring) -> Verdict:
    if wiring.conductor_sets < 2:
        return None
    there = known(wiring.conductor_size, "conductorSize")
    if rank(there) >= rank(LEAST_PARALLEL):
        return PASSED
    return Problem(
        Words(
            f"{wiring.conductor_sets} conductors of {size(there)} run in parallel; "
            f"{size(LEAST_PARALLEL)} is the smallest that may.",
            f"{wiring.conductor_sets} מוליכים של {size(there)} במקביל; החתך המזערי לכך הוא "
            f"{size(LEAST_PARALLEL)}.",
        ),
        Words(
            f"Use one larger conductor, or {size(LEAST_PARALLEL)} and up in parallel.",
            f"יש להשתמש במוליך אחד גדול יותר, או ב-{size(LEAST_PARALLEL)} ומעלה במקביל.",
        ),
        there,
        LEAST_PARALLEL,
    )


def _parallel_circuit(facts: Facts, found: PanelCircuit) -> Verdict:
    return _parallel(found.circuit)


def _parallel_feeder(facts: Facts, feeder: Feeder) -> Verdict:
    return _parallel(feeder)


def _parallel_service(facts: Facts, project: Project) -> Verdict:
    return _parallel(project.service)


def _rule(id: str, article: str, title: Words, check: Check) -> Rule:
    return Rule(
        id=id,
        kind="feeder",
        category="feeders",
        severity="critical",
        article=article,
        title=title,
        check=check,
    )


_IN_PARALLEL = Words("Conductors in parallel", "מוליכים במקביל")
_PARALLEL_NUMBERS = {2017: "310.10(H)"}

RULES = (
    _rule(
        "215.2-conductor",
        "215.2(A)(1)",
        Words("Feeder conductors carry the load", "קו ההזנה והעומס"),
        _conductor,
    ),
    _rule(
        "215.3-breaker",
        "215.3",
        Words("Feeder breaker carries the load", "מפסק ההזנה והעומס"),
        _breaker,
    ),
    _rule("110.4-feeder", "110.4", Words("Voltage of feeders", "מתח קו ההזנה"), _voltage),
    Rule(
        id="310.10-circuit",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="310.10(G)",
        title=_IN_PARALLEL,
        check=_parallel_circuit,
        numbers=_PARALLEL_NUMBERS,
    ),
    Rule(
        id="310.10-feeder",
        kind="feeder",
        category="feeders",
        severity="critical",
        article="310.10(G)",
        title=_IN_PARALLEL,
        check=_parallel_feeder,
        numbers=_PARALLEL_NUMBERS,
    ),
    Rule(
        id="310.10-service",
        kind="project",
        category="feeders",
        severity="critical",
        article="310.10(G)",
        title=_IN_PARALLEL,
        check=_parallel_service,
        numbers=_PARALLEL_NUMBERS,
    ),
)
