"""Branch circuits: their loads (110.4, 210.18 to 210.23, 310.15) and those that a dwelling needs
(210.11(C))."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from packs.electrical.calculations.requirements import ALWAYS_CONTINUOUS, SEVERAL_OUTLETS
from packs.electrical.inspection.facts import Facts, standard_device
from packs.electrical.inspection.rule import (
    PASSED,
    TOLERANCE,
    Finding,
    Limit,
    Problem,
    Rule,
    Unknown,
    at_least,
    wiring_text,
)
from packs.electrical.projects.records import Circuit, PanelCircuit, Project
from packs.electrical.wording import amps, volts

MULTI_OUTLET = SEVERAL_OUTLETS | {"lighting"}
MULTI_OUTLET_RATINGS_A = (15, 20, 30, 40, 50)
VOLTAGE_TOLERANCE = 0.1
SMALL_CIRCUIT_A = 20
SMALL_APPLIANCE_CIRCUITS = 2
"""For each dwelling unit."""


# Loads


def is_in_article_210(facts: Facts, at: PanelCircuit) -> bool:
    """Whether Article 210 applies: not to motors, cooling and welders, nor to feeders."""
    return not facts.has_own_protection(at) and at.circuit.load_type != "subpanel"


def is_continuous(at: PanelCircuit) -> bool:
    """Whether the load is recorded as continuous; kinds that always are have their own rules."""
    return at.circuit.continuous and at.circuit.load_type not in ALWAYS_CONTINUOUS


def has_continuous_load(facts: Facts, at: PanelCircuit) -> bool:
    return is_in_article_210(facts, at) and is_continuous(at)


def has_individual_load(facts: Facts, at: PanelCircuit) -> bool:
    """Whether 210.22 applies and no other rule requires 125 % of the load."""
    if at.circuit.load_type in MULTI_OUTLET or at.circuit.load_type in ALWAYS_CONTINUOUS:
        return False
    return is_in_article_210(facts, at) and not is_continuous(at)


def has_several_outlets(facts: Facts, at: PanelCircuit) -> bool:
    return at.circuit.load_type in MULTI_OUTLET


def has_several_loads(facts: Facts, at: PanelCircuit) -> bool:
    """Whether 210.23 applies and 210.20(A) does not require 125 % of the load."""
    return has_several_outlets(facts, at) and not is_continuous(at)


def has_general_outlets(facts: Facts, at: PanelCircuit) -> bool:
    return facts.dwelling and has_several_outlets(facts, at)


def is_small_appliance_circuit(facts: Facts, at: PanelCircuit) -> bool:
    circuit = at.circuit
    is_laundry = circuit.load_type == "laundry" and circuit.poles == 1
    return facts.dwelling and (is_laundry or circuit.load_type == "small_appliance")


def wires(facts: Facts, at: PanelCircuit) -> dict[str, Any]:
    return {"wires": wiring_text(at.circuit)}


def load_and_breaker(facts: Facts, at: PanelCircuit) -> dict[str, Any]:
    standard = standard_device(facts.load_amps_125(at))
    return {"load": amps(facts.load_amps(at)), "standard": amps(standard)}


BREAKER_125 = Limit(
    "breaker_amps", ">=", Facts.load_amps_125, "A", values=load_and_breaker, texts="breaker-125"
)
"""The breaker is not below 125 % of the load."""

CONDUCTOR_125 = Limit(
    Facts.terminal_ampacity, ">=", Facts.load_amps_125, "A", values=wires, texts="conductor-125"
)
"""The conductors carry 125 % of the load before correction."""

LOAD_IN_BREAKER = Limit(Facts.circuit_amps, "<=", "breaker_amps", "A", texts="load-in-breaker")
"""The load is not above the rating of the circuit."""


def conductors_carry_load(facts: Facts, at: PanelCircuit) -> Finding:
    """The conductors, as installed, carry the load."""
    if not is_in_article_210(facts, at):
        return None
    load, carries = facts.circuit_amps(at), facts.circuit_ampacity(at)
    if load <= carries * TOLERANCE:
        return PASSED
    return Problem(round(load, 1), round(carries, 1), "A", wires(facts, at))


def rating_of_several_outlets(facts: Facts, at: PanelCircuit) -> Finding:
    """A circuit with several outlets is rated 15, 20, 30, 40 or 50 A, since 2023 also 10 A."""
    if not has_several_outlets(facts, at):
        return None
    ratings = (10, *MULTI_OUTLET_RATINGS_A) if facts.edition >= 2023 else MULTI_OUTLET_RATINGS_A
    if at.circuit.breaker_amps in ratings:
        return PASSED
    listed = ", ".join(str(each) for each in ratings)
    return Problem(at.circuit.breaker_amps, listed, "A", {"ratings": listed})


def load_voltage(facts: Facts, at: PanelCircuit) -> Finding:
    """The load of a circuit is rated for the voltage of its poles."""
    return None if at.circuit.voltage is None else same_voltage(at.circuit.voltage, at)


def same_voltage(rated: float, at: PanelCircuit) -> Finding:
    """Check that a load's rated voltage is within 10 % of its circuit's (110.4)."""
    panel, circuit = at.panel, at.circuit
    supplied = panel.line_to_neutral if circuit.poles == 1 else panel.voltage
    if abs(rated - supplied) <= VOLTAGE_TOLERANCE * supplied:
        return PASSED
    values = {"rated": volts(rated, 1), "supplied": volts(supplied, 1), "poles": circuit.poles}
    return Problem(rated, round(supplied), "V", values)


# Circuits that a dwelling needs


def small_appliance_circuits(facts: Facts, project: Project) -> Finding:
    building = project.building
    return required_circuits(
        facts,
        lambda circuit: circuit.load_type == "small_appliance",
        recorded=building.small_appliance_circuits,
        least=SMALL_APPLIANCE_CIRCUITS * building.dwelling_units,
    )


def laundry_circuit(facts: Facts, project: Project) -> Finding:
    return required_circuits(
        facts,
        lambda circuit: circuit.load_type == "laundry" or has_receptacles_in(circuit, "laundry"),
        recorded=project.building.laundry_circuits,
    )


def bathroom_circuit(facts: Facts, project: Project) -> Finding:
    return required_circuits(facts, lambda circuit: has_receptacles_in(circuit, "bathroom"))


def garage_circuit(facts: Facts, project: Project) -> Finding:
    if all(each.area != "garage" for each in facts.all_circuits):
        return None  # no garage with power is recorded
    return required_circuits(facts, lambda circuit: has_receptacles_in(circuit, "garage"))


def has_receptacles_in(circuit: Circuit, area: str) -> bool:
    return circuit.area == area and circuit.load_type in SEVERAL_OUTLETS


def required_circuits(
    facts: Facts, serves: Callable[[Circuit], bool], *, recorded: int | None = 0, least: int = 1
) -> Finding:
    """Check that a dwelling has enough 20 A circuits that pass `serves`.

    Args:
        recorded: The number in the building's record.

    Raises:
        Unknown: There are too few, but no circuit is recorded, or a circuit of receptacles of
            20 A has no area.
    """
    if not facts.dwelling:
        return None
    of_20_a = [
        circuit
        for circuit in facts.all_circuits
        if circuit.breaker_amps >= SMALL_CIRCUIT_A and circuit.poles == 1
    ]
    count = max(sum(serves(circuit) for circuit in of_20_a), recorded or 0)
    if count < least and not facts.all_circuits:
        raise Unknown("circuits")
    if count < least and any(
        circuit.load_type == "receptacle" and circuit.area is None for circuit in of_20_a
    ):
        raise Unknown("area")
    return at_least(count, least)


RULES = (
    Rule("110.4-voltage", "circuit", "circuits", "critical", "110.4", load_voltage),
    Rule("210.11-c-20", "circuit", "circuits", "warning", "210.11(C)",
         Limit("breaker_amps", ">=", SMALL_CIRCUIT_A, "A", applies=is_small_appliance_circuit)),
    Rule("210.11-c1", "project", "circuits", "warning", "210.11(C)(1)", small_appliance_circuits),
    Rule("210.11-c2", "project", "circuits", "warning", "210.11(C)(2)", laundry_circuit),
    Rule("210.11-c3", "project", "circuits", "warning", "210.11(C)(3)", bathroom_circuit),
    Rule("210.11-c4", "project", "circuits", "warning", "210.11(C)(4)", garage_circuit),
    Rule("210.18-rating", "circuit", "circuits", "warning", "210.18", rating_of_several_outlets,
         numbers={2017: "210.3"}),
    Rule("210.19-continuous", "circuit", "circuits", "critical", "210.19(A)(1)",
         Limit(Facts.terminal_ampacity, ">=", Facts.load_amps_125, "A",
               applies=has_continuous_load, values=wires)),
    Rule("210.20-continuous", "circuit", "circuits", "critical", "210.20(A)",
         replace(BREAKER_125, applies=has_continuous_load)),
    Rule("210.22-load", "circuit", "circuits", "critical", "210.22",
         replace(LOAD_IN_BREAKER, applies=has_individual_load)),
    Rule("210.23-dwelling", "circuit", "circuits", "warning", "210.23(B)",
         Limit("breaker_amps", "<=", SMALL_CIRCUIT_A, "A", applies=has_general_outlets)),
    Rule("210.23-load", "circuit", "circuits", "critical", "210.23",
         replace(LOAD_IN_BREAKER, applies=has_several_loads)),
    Rule("310.15-load", "circuit", "circuits", "critical", "310.15", conductors_carry_load,
         table="310.16"),
)  # fmt: skip
