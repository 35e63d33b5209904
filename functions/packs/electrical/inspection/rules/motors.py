"""Motors: 430.22, 430.24, 430.32, 430.52, 430.102."""

from __future__ import annotations

from packs.electrical.calculations.requirements import kind_of
from packs.electrical.inspection.facts import Facts, PanelCircuit, looked_up
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.rules.loads import EXACT
from packs.electrical.inspection.wording import amps, volts, wire
from packs.electrical.nec.motors import largest_protection
from packs.electrical.nec.overcurrent import STANDARD_RATINGS
from packs.electrical.projects.records import Feeder, Motor
from packs.electrical.results import Words

LARGEST = 1.25
OVERLOAD_HIGH = 1.25
OVERLOAD_LOW = 1.15
COOL_RISE_C = 40
SERVICE_FACTOR = 1.15
VOLTAGE_TOLERANCE = 0.1


def _on(facts: Facts, found: PanelCircuit) -> list[Motor]:
    """The motors of a circuit, the largest first; none if it is no motor circuit.

    Raises:
        Unknown: It is one, and no motor is recorded.
    """
    motors = facts.motors.get((found.panel.id, found.circuit.circuit_number), [])
    if not motors and found.circuit.load_type == "motor":
        raise Unknown("motors")
    return sorted(motors, key=facts.motor_amps, reverse=True)


def _conductor(facts: Facts, found: PanelCircuit) -> Verdict:
    motors = _on(facts, found)
    if not motors:
        return None
    currents = [facts.motor_amps(motor) for motor in motors]
    least = currents[0] * LARGEST + sum(currents[1:])
    circuit = found.circuit
    carries = facts.ampacity(circuit, circuit.breaker_amps).amps
    if carries * EXACT >= least:
        return PASSED
    wires = wire(circuit)
    return Problem(
        Words(
            f"{wires.en} carries {amps(carries)}; the motor's table current is "
            f"{amps(currents[0])}, with its quarter and other motors {amps(least)}.",
            f"{wires.he} נושא {amps(carries)}; זרם המנוע לפי הטבלה {amps(currents[0])}, בתוספת רבע "
            f"ומנועים נוספים {amps(least)}.",
        ),
        Words(
            f"Use conductors for at least {amps(least)}.",
            f"יש להשתמש במוליכים ל-{amps(least)} לפחות.",
        ),
        round(carries, 1),
        round(least, 1),
        "A",
    )


def _breaker(facts: Facts, found: PanelCircuit) -> Verdict:
    motors = _on(facts, found)
    if not motors:
        return None
    largest, currents = motors[0], [facts.motor_amps(motor) for motor in motors]
    most = float(
        looked_up(
            lambda: largest_protection(currents[0], kind_of(largest), largest.device), "motors.kind"
        )
    )
    if others := sum(currents[1:]):
        most = max(rating for rating in STANDARD_RATINGS if rating <= most + others)
    rating = found.circuit.breaker_amps
    if rating <= most:
        return PASSED
    return Problem(
        Words(
            f"The breaker is {amps(rating)}; for a motor of {amps(currents[0])} it may be "
            f"{amps(most)}.",
            f"המפסק הוא {amps(rating)}; למנוע של {amps(currents[0])} מותר {amps(most)}.",
        ),
        Words(
            f"Use a device of at most {amps(most)}.",
            f"יש להתקין מפסק של {amps(most)} לכל היותר.",
        ),
        rating,
        most,
        "A",
    )


def _overload(facts: Facts, motor: Motor) -> Verdict:
    nameplate = known(motor.nameplate_amps, "motors.nameplateAmps")
    overload = known(motor.overload_amps, "motors.overloadAmps")
    share = overload / nameplate
    if share <= OVERLOAD_LOW * EXACT:
        return PASSED
    most = OVERLOAD_HIGH
    if share <= OVERLOAD_HIGH * EXACT:
        if _may_be_high(motor):
            return PASSED
        most = OVERLOAD_LOW
    return Problem(
        Words(
            f"The overload device is set at {amps(overload)}; {most:.0%} of the nameplate's "
            f"{amps(nameplate)} is {amps(nameplate * most)}.",
            f"הגנת עומס היתר מכוונת ל-{amps(overload)}; {most:.0%} מזרם השלט {amps(nameplate)} הם "
            f"{amps(nameplate * most)}.",
        ),
        Words(
            f"Set it at {amps(nameplate * most)} at most.",
            f"יש לכוונה ל-{amps(nameplate * most)} לכל היותר.",
        ),
        overload,
        round(nameplate * most, 1),
        "A",
    )


def _may_be_high(motor: Motor) -> bool:
    """Whether 125 % is allowed: a service factor of 1.15 or a rise of 40 °C at most.

    Raises:
        Unknown: Neither is recorded in a way that decides it.
    """
    if (motor.service_factor or 0) >= SERVICE_FACTOR:
        return True
    if motor.temperature_rise_c is not None and motor.temperature_rise_c <= COOL_RISE_C:
        return True
    known(motor.service_factor, "motors.serviceFactor")
    known(motor.temperature_rise_c, "motors.temperatureRiseC")
    return False


def _disconnect(facts: Facts, motor: Motor) -> Verdict:
    if known(motor.disconnect_in_sight, "motors.disconnectInSight"):
        return PASSED
    return Problem(
        Words(
            "No disconnecting means is within sight of the motor.",
            "אין אמצעי ניתוק בטווח ראייה מהמנוע.",
        ),
        Words(
            "Put a motor disconnect within sight of the motor and its driven machine.",
            "יש להתקין מפסק ניתוק בטווח ראייה מהמנוע ומהמכונה שהוא מניע.",
        ),
    )


def _voltage(facts: Facts, motor: Motor) -> Verdict:
    panel, circuit = facts.circuit_of(motor)
    has = panel.line_to_neutral if circuit.poles == 1 else panel.voltage
    if abs(motor.voltage - has) <= VOLTAGE_TOLERANCE * has:
        return PASSED
    return Problem(
        Words(
            f"The motor is for {volts(motor.voltage)}; its circuit gives {volts(has)}.",
            f"המנוע מיועד ל-{volts(motor.voltage)}; המעגל שלו נותן {volts(has)}.",
        ),
        Words(
            "Reconnect the motor or supply it at its voltage.",
            "יש לחבר את המנוע מחדש או להזינו במתח המתאים.",
        ),
        motor.voltage,
        round(has),
        "V",
    )


def _feeder(facts: Facts, feeder: Feeder) -> Verdict:
    motors = facts.motors_below(feeder.target_id)
    if not motors:
        return None
    currents = sorted((facts.motor_amps(motor) for motor in motors), reverse=True)
    least = currents[0] * LARGEST + sum(currents[1:])
    device = facts.protected_at(feeder) or least
    carries = facts.ampacity(feeder, device).amps
    if carries * EXACT >= least:
        return PASSED
    wires = wire(feeder)
    return Problem(
        Words(
            f"{wires.en} carries {amps(carries)}; the motors on it alone need {amps(least)}.",
            f"{wires.he} נושא {amps(carries)}; המנועים שעליו לבדם צורכים {amps(least)}.",
        ),
        Words(
            f"Use feeder conductors for at least {amps(least)}.",
            f"יש להשתמש במוליכי הזנה ל-{amps(least)} לפחות.",
        ),
        round(carries, 1),
        round(least, 1),
        "A",
    )


RULES = (
    Rule(
        id="430.22-conductor",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="430.22",
        title=Words("Motor conductors at 125 %", "מוליכי מנוע ב-125%"),
        check=_conductor,
    ),
    Rule(
        id="430.52-breaker",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="430.52",
        table="430.52",
        title=Words("Short-circuit protection of motors", "הגנת קצר למנועים"),
        check=_breaker,
    ),
    Rule(
        id="430.32-overload",
        kind="motor",
        category="circuits",
        severity="critical",
        article="430.32(A)(1)",
        title=Words("Overload protection of motors", "הגנת עומס יתר למנועים"),
        check=_overload,
    ),
    Rule(
        id="430.102-disconnect",
        kind="motor",
        category="circuits",
        severity="critical",
        article="430.102(B)",
        title=Words("Disconnect in sight of motors", "ניתוק בטווח ראייה מהמנוע"),
        check=_disconnect,
    ),
    Rule(
        id="110.4-motor",
        kind="motor",
        category="circuits",
        severity="critical",
        article="110.4",
        title=Words("Voltage of motors", "מתח המנוע"),
        check=_voltage,
    ),
    Rule(
        id="430.24-feeder",
        kind="feeder",
        category="feeders",
        severity="critical",
        article="430.24",
        title=Words("Feeders of motors", "קווי הזנה למנועים"),
        check=_feeder,
    ),
)
