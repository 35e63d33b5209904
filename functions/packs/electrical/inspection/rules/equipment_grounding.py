"""Equipment grounding conductors: 250.118, 250.122."""

from __future__ import annotations

from packs.electrical.inspection.facts import Facts, PanelCircuit, looked_up
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import amps, conductor, size, wire
from packs.electrical.nec.grounding import (
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
)
from packs.electrical.nec.sizes import Size, rank
from packs.electrical.projects.records import Feeder, Wiring
from packs.electrical.results import Words

METAL_RACEWAYS = frozenset({"emt", "imc", "rmc"})
"""They are equipment grounding conductors themselves (250.118)."""


def _of_circuit(facts: Facts, found: PanelCircuit) -> Verdict:
    return _large_enough(facts, found.circuit, found.circuit.breaker_amps)


def _of_feeder(facts: Facts, feeder: Feeder) -> Verdict:
    if facts.is_open_secondary(feeder):
        return None  # a supply-side bonding jumper (250.30), not a conductor of 250.122
    return _large_enough(facts, feeder, known(facts.protected_at(feeder), "breakerAmps"))


def _large_enough(facts: Facts, wiring: Wiring, device: float) -> Verdict:
    if wiring.egc_size is None and wiring.conduit_type in METAL_RACEWAYS:
        return PASSED
    there = known(wiring.egc_size, "egcSize")
    least = _least(facts, wiring, device)
    if rank(there) >= rank(least):
        return PASSED
    has = conductor(there, wiring.egc_material)
    return Problem(
        Words(
            f"The equipment grounding conductor is {has.en}; {size(least)} is required behind "
            f"{amps(device)}.",
            f"מוליך ההארקה הוא {has.he}; נדרש {size(least)} מאחורי {amps(device)}.",
        ),
        Words(f"Replace it with {size(least)}.", f"יש להחליפו ב-{size(least)}."),
        there,
        least,
    )


def _least(facts: Facts, wiring: Wiring, device: float) -> Size:
    """Of Table 250.122, but no larger than the circuit's own conductors (250.122(A))."""
    least = facts.once(
        ("egc", device, wiring.egc_material),
        lambda: looked_up(
            lambda: equipment_grounding_conductor(device, wiring.egc_material, facts.edition),
            "egcMaterial",
        ),
    )
    own = wiring.conductor_size
    same = wiring.conductor_material == wiring.egc_material
    return own if own is not None and same and rank(own) < rank(least) else least


def _circuit_grows(facts: Facts, found: PanelCircuit) -> Verdict:
    if facts.own_rules_protect(found):
        return None
    return _grows(facts, found.circuit, found.circuit.breaker_amps)


def _feeder_grows(facts: Facts, feeder: Feeder) -> Verdict:
    if facts.is_open_secondary(feeder):
        return None
    return _grows(facts, feeder, known(facts.protected_at(feeder), "breakerAmps"))


def _grows(facts: Facts, wiring: Wiring, device: float) -> Verdict:
    if wiring.egc_size is None and wiring.conduit_type in METAL_RACEWAYS:
        return None
    there = known(wiring.egc_size, "egcSize")
    own = known(wiring.conductor_size, "conductorSize")
    least = _least(facts, wiring, device)
    if rank(there) < rank(least):
        return None  # too small anyhow
    needed = _needed(facts, wiring, device)
    if rank(own) <= rank(needed):
        return None  # nothing was enlarged
    grown = looked_up(
        lambda: enlarged_grounding_conductor(least, needed=needed, installed=own), "egcSize"
    )
    grown = own if rank(grown) > rank(own) else grown
    if rank(there) >= rank(grown):
        return PASSED
    has, wires = conductor(there, wiring.egc_material), wire(wiring)
    return Problem(
        Words(
            f"The conductors were enlarged to {wires.en} ({size(needed)} would do); the equipment "
            f"grounding conductor stayed {has.en} and has to be {size(grown)}.",
            f"המוליכים הוגדלו ל-{wires.he} (די היה ב-{size(needed)}); מוליך ההארקה נשאר {has.he} "
            f"וצריך להיות {size(grown)}.",
        ),
        Words(f"Replace it with {size(grown)}.", f"יש להחליפו ב-{size(grown)}."),
        there,
        grown,
    )


def _needed(facts: Facts, wiring: Wiring, device: float) -> Size:
    """The smallest size whose ampacity is not below the device: who chose that, although 240.4(B)
    would let them go smaller, has enlarged nothing."""
    found = facts.smallest(wiring, device, rounds_up=False)
    if found is None:
        raise Unknown("conductorSize")
    return found


RULES = (
    Rule(
        id="250.122-circuit",
        kind="circuit",
        category="grounding",
        severity="critical",
        article="250.122(A)",
        table="250.122",
        title=Words("Equipment grounding conductors of circuits", "מוליכי הארקה של מעגלים"),
        check=_of_circuit,
    ),
    Rule(
        id="250.122-b-circuit",
        kind="circuit",
        category="grounding",
        severity="warning",
        article="250.122(B)",
        title=Words("Grounding conductors of enlarged circuits", "הארקה במעגלים שהוגדלו"),
        check=_circuit_grows,
    ),
    Rule(
        id="250.122-feeder",
        kind="feeder",
        category="grounding",
        severity="critical",
        article="250.122(A)",
        table="250.122",
        title=Words("Equipment grounding conductors of feeders", "מוליכי הארקה של קווי הזנה"),
        check=_of_feeder,
    ),
    Rule(
        id="250.122-b-feeder",
        kind="feeder",
        category="grounding",
        severity="warning",
        article="250.122(B)",
        title=Words("Grounding conductors of enlarged feeders", "הארקה בקווי הזנה שהוגדלו"),
        check=_feeder_grows,
    ),
)
