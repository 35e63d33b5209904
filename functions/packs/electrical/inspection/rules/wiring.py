"""Installation of conductors: in parallel and buried (310.10), and the voltage drop that 210.19 and
215.2 recommend."""

from __future__ import annotations

from functools import partial

from packs.electrical.calculations.circuit_load import (
    DEFAULT_POWER_FACTOR,
    phases_of,
    usual_power_factor,
    volts_of,
)
from packs.electrical.calculations.conductors import SMALLEST_IN_PARALLEL
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    Run,
    drop,
    smallest_size,
    within,
)
from packs.electrical.inspection.facts import Facts, in_table
from packs.electrical.inspection.rule import (
    PASSED,
    Finding,
    Problem,
    Rule,
    known,
    size_label,
    wiring_text,
)
from packs.electrical.nec.conductors import rank
from packs.electrical.nec.impedance import conduit_of
from packs.electrical.projects.records import Feeder, PanelCircuit, Phases, Project, Wiring
from packs.electrical.wording import TEXTS, feet, percent
from rollcall.core.texts import Text, isolated

FOR_BURIAL = frozenset({"UF", "UF-B", "USE", "USE-2"})


def wiring_of(record: PanelCircuit | Feeder | Project) -> Wiring:
    """Return the conductors of a circuit, a feeder, or a project's service."""
    if isinstance(record, PanelCircuit):
        return record.circuit
    return record.service if isinstance(record, Project) else record


def parallel(facts: Facts, record: PanelCircuit | Feeder | Project) -> Finding:
    """Conductors in parallel are 1/0 AWG or larger."""
    wiring = wiring_of(record)
    if wiring.conductor_sets < 2:
        return None
    size = known(wiring.conductor_size, "conductorSize")
    if rank(size) >= rank(SMALLEST_IN_PARALLEL):
        return PASSED
    values = {
        "sets": wiring.conductor_sets,
        "size": size_label(size),
        "least": size_label(SMALLEST_IN_PARALLEL),
    }
    return Problem(size, SMALLEST_IN_PARALLEL, values=values, texts="parallel")


def buried(facts: Facts, record: PanelCircuit | Feeder) -> Finding:
    """Conductors that are buried without a raceway are listed for it."""
    wiring = wiring_of(record)
    if wiring.conduit_type != "direct_burial":
        return None
    insulation = known(wiring.insulation, "insulation")
    if FOR_BURIAL.intersection(insulation.upper().replace(",", "/").split("/")):
        return PASSED
    values = {"insulation": isolated(insulation), "suitable": isolated("UF, USE-2")}
    return Problem(insulation, "UF, USE, USE-2", values=values, texts="buried")


def circuit_drop(facts: Facts, at: PanelCircuit) -> Finding:
    """The voltage drop of a circuit is within 3 % at the actual current: for a motor, the nameplate
    current where it is recorded."""
    circuit = at.circuit
    if circuit.load_type == "subpanel":
        return None  # its feeder is inspected
    factor = circuit.power_factor or usual_power_factor(circuit.load_type)
    if motors := facts.motors_on(at):
        amps = sum(each.nameplate_amps or facts.motor_amps(each) for each in motors)
    else:
        amps = facts.load_amps(at)
    return _drop(circuit, amps, volts_of(at.panel, at.circuit), phases_of(circuit.poles), factor)


def feeder_drop(facts: Facts, feeder: Feeder) -> Finding:
    """The voltage drop of a feeder is within 3 % at the calculated load of the panel."""
    panel = facts.target_panel(feeder)
    if panel is None:
        return None
    amps = facts.demand_amps(panel)
    return _drop(feeder, amps, panel.voltage, panel.phases, DEFAULT_POWER_FACTOR)


def _drop(wiring: Wiring, amps: float, volts: float, phases: Phases, factor: float) -> Finding:
    length = known(wiring.length_ft, "lengthFt")
    size = known(wiring.conductor_size, "conductorSize")
    run = Run(
        amps=amps,
        volts=volts,
        phases=phases,
        length_ft=length,
        size=size,
        material=wiring.conductor_material,
        conduit=conduit_of(known(wiring.conduit_type, "conduitType")),
        sets=wiring.conductor_sets,
        power_factor=factor,
    )
    lost = in_table(lambda: drop(run).percent, "conductorSize")
    if within(lost, BRANCH_LIMIT_PERCENT):
        return PASSED
    values = {"length": feet(length), "wires": wiring_text(wiring), "lost": percent(lost)}
    larger = partial(_larger, run)
    return Problem(round(lost, 2), BRANCH_LIMIT_PERCENT, "%", values, "voltage-drop", fix=larger)


def _larger(run: Run) -> Text:
    enough = smallest_size(run, BRANCH_LIMIT_PERCENT)
    if enough is None:
        return TEXTS.text("inspection.rules.voltage-drop.fix_parallel")
    return TEXTS.text("inspection.rules.voltage-drop.fix", size=size_label(enough))


RULES = (
    Rule("210.19-drop", "circuit", "circuits", "info", "210.19", circuit_drop),
    Rule("215.2-drop", "feeder", "feeders", "info", "215.2", feeder_drop),
    Rule("310.10-buried", "circuit", "circuits", "critical", "310.10(E)", buried),
    Rule("310.10-buried-feeder", "feeder", "feeders", "critical", "310.10(E)", buried),
    Rule("310.10-circuit", "circuit", "circuits", "critical", "310.10(G)", parallel),
    Rule("310.10-feeder", "feeder", "feeders", "critical", "310.10(G)", parallel),
    Rule("310.10-service", "project", "feeders", "critical", "310.10(G)", parallel),
)  # fmt: skip
