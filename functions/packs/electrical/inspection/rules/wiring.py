"""What is buried (310.10), and the voltage drop that 210.19 and 215.2 recommend."""

from __future__ import annotations

from functools import partial

from packs.electrical.calculations.circuit_load import phases_of, usual_power_factor
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    Run,
    drop,
    smallest_size,
    within,
)
from packs.electrical.inspection.facts import Facts, PanelCircuit, looked_up
from packs.electrical.inspection.rule import PASSED, Problem, Rule, Verdict, known
from packs.electrical.inspection.wording import percent, size, wire
from packs.electrical.nec.impedance import parse_conduit
from packs.electrical.projects.records import Feeder, Wiring
from packs.electrical.results import Words, feet
from rollcall.core.wording import isolated

FOR_BURIAL = frozenset({"UF", "UF-B", "USE", "USE-2"})
FEEDER_LIMIT_PERCENT = BRANCH_LIMIT_PERCENT


def _buried(facts: Facts, wired: PanelCircuit | Feeder) -> Verdict:
    wiring = wired.circuit if isinstance(wired, PanelCircuit) else wired
    if wiring.conduit_type != "direct_burial":
        return None
    insulation = known(wiring.insulation, "insulation")
    marks = set(insulation.upper().replace(",", "/").split("/"))
    if marks & FOR_BURIAL:
        return PASSED
    there, good = isolated(insulation), isolated("UF, USE-2")
    return Problem(
        Words(
            f"{there} is buried without a raceway; it is not made for that.",
            f"{there} טמון באדמה ללא צינור ואינו מיועד לכך.",
        ),
        Words(
            f"Use {good}, or a raceway with conductors for wet locations.",
            f"יש להשתמש ב-{good}, או בצינור עם מוליכים למקום רטוב.",
        ),
        insulation,
        "UF, USE, USE-2",
    )


def _branch_drop(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    if circuit.load_type == "subpanel":
        return None  # its feeder is looked at
    amps, factor = _current(facts, found)
    run = _run(circuit, amps, facts.voltage(found), phases_of(circuit.poles), factor)
    return _within(circuit, run, BRANCH_LIMIT_PERCENT)


def _current(facts: Facts, found: PanelCircuit) -> tuple[float, float]:
    """Current and power factor of a circuit: what really flows, so a motor's own where recorded."""
    circuit = found.circuit
    factor = circuit.power_factor or usual_power_factor(circuit.load_type)
    motors = facts.motors.get((found.panel.id, circuit.circuit_number), [])
    if motors:
        return sum(each.nameplate_amps or facts.motor_amps(each) for each in motors), factor
    return facts.amps(found), factor


def _feeder_drop(facts: Facts, feeder: Feeder) -> Verdict:
    panel = facts.panel_fed(feeder)
    if panel is None:
        return None
    run = _run(feeder, facts.demand_amps(panel), panel.voltage, panel.phases, 0.9)
    return _within(feeder, run, FEEDER_LIMIT_PERCENT)


def _run(wiring: Wiring, amps: float, volts: float, phases: int, factor: float) -> Run:
    length = known(wiring.length_ft, "lengthFt")
    there = known(wiring.conductor_size, "conductorSize")
    kind = known(wiring.conduit_type, "conduitType")
    return Run(
        amps=amps,
        volts=volts,
        phases=3 if phases == 3 else 1,
        length_ft=length,
        size=there,
        material=wiring.conductor_material,
        conduit=parse_conduit(kind),
        sets=wiring.conductor_sets,
        power_factor=factor,
    )


def _within(wiring: Wiring, run: Run, limit: float) -> Verdict:
    lost = looked_up(lambda: drop(run).percent, "conductorSize")
    if within(lost, limit):
        return PASSED
    wires = wire(wiring)
    return Problem(
        Words(
            f"The voltage drop over {feet(run.length_ft)} of {wires.en} is {percent(lost)}; "
            f"{percent(limit)} is recommended.",
            f"מפל המתח לאורך {feet(run.length_ft)} של {wires.he} הוא {percent(lost)}; מומלץ "
            f"{percent(limit)}.",
        ),
        partial(_larger, run, limit),
        round(lost, 2),
        limit,
        "%",
    )


def _larger(run: Run, limit: float) -> Words:
    enough = smallest_size(run, limit)
    if enough is None:
        return Words("Use larger conductors in parallel.", "יש להשתמש במוליכים גדולים במקביל.")
    return Words(f"Use {size(enough)} at least.", f"יש להשתמש ב-{size(enough)} לפחות.")


RULES = (
    Rule(
        id="310.10-buried",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="310.10(E)",
        title=Words("Buried circuits", "מעגלים טמונים באדמה"),
        check=_buried,
        numbers={2017: "310.10(F)"},
    ),
    Rule(
        id="310.10-buried-feeder",
        kind="feeder",
        category="feeders",
        severity="critical",
        article="310.10(E)",
        title=Words("Buried feeders", "קווי הזנה טמונים באדמה"),
        check=_buried,
        numbers={2017: "310.10(F)"},
    ),
    Rule(
        id="210.19-drop",
        kind="circuit",
        category="circuits",
        severity="info",
        article="210.19",
        title=Words("Voltage drop of circuits", "מפל מתח במעגלים"),
        check=_branch_drop,
    ),
    Rule(
        id="215.2-drop",
        kind="feeder",
        category="feeders",
        severity="info",
        article="215.2",
        title=Words("Voltage drop of feeders", "מפל מתח בקווי הזנה"),
        check=_feeder_drop,
    ),
)
