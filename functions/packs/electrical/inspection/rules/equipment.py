"""Equipment: appliances (422), heating (424), cooling (440), motors (430), vehicle chargers (625),
transformers (450), and the means that disconnect them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from packs.electrical.calculations.fault_current import transformer_amps
from packs.electrical.calculations.requirements import (
    COOLING,
    COOLING_MOST,
    Requirement,
    requirement_of_motors,
)
from packs.electrical.inspection.facts import Facts, in_table, standard_device
from packs.electrical.inspection.rule import (
    PASSED,
    TOLERANCE,
    Check,
    Condition,
    FieldCheck,
    Finding,
    Limit,
    Problem,
    Rule,
    Unknown,
    at_most,
    known,
    wiring_text,
)
from packs.electrical.inspection.rules.branch_circuits import (
    BREAKER_125,
    CONDUCTOR_125,
    same_voltage,
)
from packs.electrical.nec.motors import (
    OVERLOAD_HIGH,
    OVERLOAD_LOW,
    allows_high_overload,
)
from packs.electrical.projects.records import Feeder, LoadType, Motor, PanelCircuit, Transformer
from packs.electrical.wording import amps

HEATING_APPLIANCES: tuple[LoadType, ...] = ("water_heater", "oven", "cooktop", "range")
SMALL_APPLIANCE_A = 13.3
SMALL_MOST_A = 20
APPLIANCE_SHARE = 1.5
"""422.11(E): up to 13.3 A a breaker of 20 A, above it 150 % of the rated current."""
MIN_COOLING_DEVICE_A = 15
EV_DISCONNECT_A = 60
EV_TO_GROUND_V = 150


LOW_VOLTAGE_V = 1000
NINE_A, TWO_A = 9.0, 2.0
PRIMARY_WITH_SECONDARY = 2.5


# Appliances, heating, cooling and vehicle chargers


def is_load(*kinds: str) -> Condition:
    """Return the condition that a circuit's load is of one of these kinds."""
    return lambda facts, at: at.circuit.load_type in kinds


def continuous(kind: LoadType) -> Check:
    """Return the check that an always continuous load has a breaker and conductors for 125 % of it;
    the breaker is checked first."""

    def check(facts: Facts, at: PanelCircuit) -> Finding:
        if at.circuit.load_type != kind:
            return None
        finding = BREAKER_125(facts, at)
        return CONDUCTOR_125(facts, at) if finding is PASSED else finding

    return check


def load(facts: Facts, at: PanelCircuit) -> dict[str, Any]:
    return {"load": amps(facts.load_amps(at))}


def appliance_most(facts: Facts, at: PanelCircuit) -> float:
    """The largest breaker of a heating appliance that is marked with no other (422.11(E)), A."""
    current = facts.load_amps(at)
    small = current <= SMALL_APPLIANCE_A
    return SMALL_MOST_A if small else standard_device(current * APPLIANCE_SHARE)


def cooling_most(facts: Facts, at: PanelCircuit) -> float:
    """The largest breaker of cooling equipment (440.22(A)), A."""
    return max(facts.load_amps(at) * COOLING_MOST, MIN_COOLING_DEVICE_A)


def is_large_charger(facts: Facts, at: PanelCircuit) -> bool:
    """Whether 625.43 requires a disconnect: above 60 A or above 150 V to ground."""
    if at.circuit.load_type != "ev_charger":
        return False
    if facts.volts_to_ground(at.panel) > EV_TO_GROUND_V:
        return True
    return facts.load_amps(at) > EV_DISCONNECT_A


def charger_circuit(facts: Facts, at: PanelCircuit) -> Finding:
    """A vehicle charger has a circuit of its own."""
    if at.circuit.load_type != "ev_charger":
        return None
    return at_most(len(facts.motors_on(at)), 0)


# Motors


def circuit_motors(facts: Facts, at: PanelCircuit) -> list[Motor]:
    """Return the motors of a circuit, the largest first; none if it is no motor circuit.

    Raises:
        Unknown: It is one, and no motor is recorded.
    """
    motors = facts.motors_on(at)
    if not motors and at.circuit.load_type == "motor":
        raise Unknown("motors")
    return sorted(motors, key=facts.motor_amps, reverse=True)


def has_motors(facts: Facts, at: PanelCircuit) -> bool:
    return bool(circuit_motors(facts, at))


def motor_need(facts: Facts, motors: list[Motor]) -> Requirement:
    """Return the requirement for motors together (430.22, 430.24, 430.52)."""
    for motor in motors:
        facts.motor_amps(motor)  # names the field of a motor that the tables do not have
    return in_table(lambda: requirement_of_motors(motors), "motors.kind")


def motor_values(facts: Facts, at: PanelCircuit) -> dict[str, Any]:
    current = facts.motor_amps(circuit_motors(facts, at)[0])
    return {"wires": wiring_text(at.circuit), "current": amps(current)}


def motor_breaker(facts: Facts, at: PanelCircuit) -> Finding:
    """The breaker is within Table 430.52 for the largest motor, plus the others' currents."""
    motors = circuit_motors(facts, at)
    if not motors:
        return None
    most = float(motor_need(facts, motors).largest_breaker_amps or 0)
    current = amps(facts.motor_amps(motors[0]))
    return at_most(at.circuit.breaker_amps, most, "A", current=current)


def overload(facts: Facts, motor: Motor) -> Finding:
    """The overload device is set at 115 % of the nameplate current, or 125 % for cool motors."""
    nameplate = known(motor.nameplate_amps, "motors.nameplateAmps")
    setting = known(motor.overload_amps, "motors.overloadAmps")
    share, most = setting / nameplate, OVERLOAD_HIGH
    if share <= OVERLOAD_LOW * TOLERANCE:
        return PASSED
    if share <= OVERLOAD_HIGH * TOLERANCE:
        if allows_high_overload(motor.service_factor, motor.temperature_rise_c):
            return PASSED
        known(motor.service_factor, "motors.serviceFactor")
        known(motor.temperature_rise_c, "motors.temperatureRiseC")
        most = OVERLOAD_LOW
    values = {"share": f"{most:.0%}", "nameplate": amps(nameplate)}
    return Problem(setting, round(nameplate * most, 1), "A", values)


def motor_voltage(facts: Facts, motor: Motor) -> Finding:
    """A motor is rated for the voltage of its circuit."""
    return same_voltage(motor.voltage, facts.circuit_of(motor))


def motor_feeder(facts: Facts, feeder: Feeder) -> Finding:
    """Feeder conductors carry the motors that they supply."""
    motors = facts.motors_downstream(feeder.target_id)
    if not motors:
        return None
    least = motor_need(facts, motors).required_amps
    carries = facts.ampacity(feeder, facts.source_device(feeder) or least).amps
    if carries * TOLERANCE >= least:
        return PASSED
    return Problem(round(carries, 1), round(least, 1), "A", {"wires": wiring_text(feeder)})


# Transformers


def primary_device(facts: Facts, transformer: Transformer) -> float | None:
    """Return the smallest device before a transformer, A; None if none is recorded."""
    feeder = facts.feeder_to.get(transformer.id)
    devices = (transformer.primary_breaker_amps, facts.source_device(feeder) if feeder else None)
    return min((rating for rating in devices if rating is not None), default=None)


def secondary_device(facts: Facts, transformer: Transformer) -> float | None:
    """Return the device that protects the whole secondary, A; None if there is none."""
    if transformer.secondary_breaker_amps is not None:
        return transformer.secondary_breaker_amps
    devices = []
    for feeder in facts.feeders_from.get(transformer.id, []):
        panel = facts.target_panel(feeder)
        devices.append(facts.source_device(feeder) or (panel.main_breaker_amps if panel else None))
    ratings = [each for each in devices if each is not None]
    return sum(ratings) if ratings and len(ratings) == len(devices) else None


def transformer_most(rated: float, *, small: float) -> float:
    """Return the largest device of Table 450.3(B), A: 125 %, up to the next standard rating; 167 %
    below 9 A, and the share `small` below 2 A."""
    if rated >= NINE_A:
        return standard_device(1.25 * rated)
    return (small if rated < TWO_A else 1.67) * rated


def transformer_protection(facts: Facts, transformer: Transformer) -> Finding:
    """The primary device is within Table 450.3(B), alone or with one on the secondary side."""
    if max(transformer.primary_voltage, transformer.secondary_voltage) > LOW_VOLTAGE_V:
        return None
    device = known(primary_device(facts, transformer), "primaryBreakerAmps")
    rated = transformer_amps(transformer.kva, transformer.primary_voltage, transformer.phases)
    most, with_secondary = transformer_most(rated, small=3.0), rated * PRIMARY_WITH_SECONDARY
    if device <= most:
        return PASSED
    if device <= with_secondary:
        secondary = secondary_device(facts, transformer)
        voltage = transformer.secondary_voltage
        secondary_rated = transformer_amps(transformer.kva, voltage, transformer.phases)
        if secondary is not None and secondary <= transformer_most(secondary_rated, small=1.67):
            return PASSED
    values = {"rated": amps(rated), "with_secondary": amps(with_secondary)}
    return Problem(device, round(most, 1), "A", values)


RULES = (
    Rule("110.4-motor", "motor", "circuits", "critical", "110.4", motor_voltage),
    Rule("422.11-most", "circuit", "circuits", "warning", "422.11(E)",
         Limit("breaker_amps", "<=", appliance_most, "A", applies=is_load(*HEATING_APPLIANCES),
               values=load)),
    Rule("422.13-water-heater", "circuit", "circuits", "critical", "422.13",
         continuous("water_heater")),
    Rule("422.31-disconnect", "circuit", "circuits", "warning", "422.31(B)",
         FieldCheck("disconnect_in_sight", applies=is_load("water_heater"), texts="disconnect")),
    Rule("424.4-heating", "circuit", "circuits", "critical", "424.4(B)",
         continuous("space_heating")),
    Rule("424.19-disconnect", "circuit", "circuits", "warning", "424.19",
         FieldCheck("disconnect_in_sight", applies=is_load("space_heating"), texts="disconnect")),
    Rule("430.22-conductor", "circuit", "circuits", "critical", "430.22",
         Limit(Facts.circuit_ampacity, ">=",
               lambda facts, at: motor_need(facts, facts.motors_on(at)).required_amps, "A",
               applies=has_motors, values=motor_values)),
    Rule("430.24-feeder", "feeder", "feeders", "critical", "430.24", motor_feeder),
    Rule("430.32-overload", "motor", "circuits", "critical", "430.32(A)(1)", overload),
    Rule("430.52-breaker", "circuit", "circuits", "critical", "430.52", motor_breaker,
         table="430.52"),
    Rule("430.102-disconnect", "motor", "circuits", "critical", "430.102(B)",
         FieldCheck("disconnect_in_sight")),
    Rule("440.14-disconnect", "circuit", "circuits", "warning", "440.14",
         FieldCheck("disconnect_in_sight", applies=is_load("air_conditioning", "heat_pump"),
                  texts="disconnect")),
    Rule("440.22-breaker", "circuit", "circuits", "critical", "440.22(A)",
         Limit("breaker_amps", "<=", cooling_most, "A", applies=is_load(*COOLING), values=load)),
    Rule("440.32-conductor", "circuit", "circuits", "critical", "440.32",
         replace(CONDUCTOR_125, applies=is_load(*COOLING))),
    Rule("450.3-primary", "transformer", "feeders", "critical", "450.3(B)",
         transformer_protection, table="450.3(B)"),
    Rule("625.40-own", "circuit", "circuits", "critical", "625.40", charger_circuit),
    Rule("625.41-ev", "circuit", "circuits", "critical", "625.41", continuous("ev_charger")),
    Rule("625.43-disconnect", "circuit", "circuits", "warning", "625.43",
         FieldCheck("disconnect_in_sight", applies=is_large_charger, texts="disconnect")),
)  # fmt: skip
