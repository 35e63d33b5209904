"""Appliances, heating, cooling and vehicle chargers: 422.11, 422.13, 424.4, 440.22, 440.32,
625.41; and the means that disconnect them."""

from __future__ import annotations

from packs.electrical.calculations.requirements import CONTINUOUS, COOLING, COOLING_MOST
from packs.electrical.inspection.conductors import standard_from
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
from packs.electrical.inspection.rules.loads import EXACT, breaker_at_least
from packs.electrical.inspection.wording import amps, wire
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Words

HEATING_APPLIANCES = frozenset({"water_heater", "oven", "cooktop", "range"})
SMALL_APPLIANCE_A = 13.3
SMALL_MOST_A = 20
APPLIANCE_SHARE = 1.5
LEAST_DEVICE_A = 15
EV_DISCONNECT_A = 60
EV_TO_GROUND_V = 150


def _continuous(kind: LoadType) -> Check:
    def check(facts: Facts, found: PanelCircuit) -> Verdict:
        if found.circuit.load_type != kind:
            return None
        verdict = breaker_at_least(facts, found, CONTINUOUS)
        return _conductor_125(facts, found) if verdict is PASSED else verdict

    return check


def _conductor_125(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    least = facts.amps(found) * CONTINUOUS
    carries = facts.ampacity(circuit, circuit.breaker_amps).terminal_amps
    if carries * EXACT >= least:
        return PASSED
    wires = wire(circuit)
    return Problem(
        Words(
            f"{wires.en} carries {amps(carries)}; 125 % of the load is {amps(least)}.",
            f"{wires.he} נושא {amps(carries)}; 125% מהעומס הם {amps(least)}.",
        ),
        Words(
            f"Use conductors for at least {amps(least)}.",
            f"יש להשתמש במוליכים ל-{amps(least)} לפחות.",
        ),
        round(carries, 1),
        round(least, 1),
        "A",
    )


def _appliance_most(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    if circuit.load_type not in HEATING_APPLIANCES:
        return None
    load = facts.amps(found)
    most = SMALL_MOST_A if load <= SMALL_APPLIANCE_A else standard_from(load * APPLIANCE_SHARE)
    if circuit.breaker_amps <= most:
        return PASSED
    return Problem(
        Words(
            f"An appliance of {amps(load)} is behind a breaker of {amps(circuit.breaker_amps)}; "
            f"{amps(most)} is the most.",
            f"מכשיר של {amps(load)} מוגן במפסק של {amps(circuit.breaker_amps)}; המרב הוא "
            f"{amps(most)}.",
        ),
        Words(
            f"Use a breaker of at most {amps(most)}, if the appliance is marked with no other.",
            f"יש להתקין מפסק של {amps(most)} לכל היותר, אם על המכשיר לא רשום אחרת.",
        ),
        circuit.breaker_amps,
        most,
        "A",
    )


def _cooling_conductor(facts: Facts, found: PanelCircuit) -> Verdict:
    if found.circuit.load_type not in COOLING:
        return None
    return _conductor_125(facts, found)


def _cooling_breaker(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    if circuit.load_type not in COOLING:
        return None
    load = facts.amps(found)
    most = max(load * COOLING_MOST, LEAST_DEVICE_A)
    if circuit.breaker_amps <= most * EXACT:
        return PASSED
    return Problem(
        Words(
            f"Cooling equipment of {amps(load)} is behind {amps(circuit.breaker_amps)}; 225 % is "
            f"{amps(most)}.",
            f"ציוד קירור של {amps(load)} מוגן במפסק של {amps(circuit.breaker_amps)}; 225% הם "
            f"{amps(most)}.",
        ),
        Words(
            "Use the maximum device that its nameplate states.",
            "יש להתקין לכל היותר את המפסק הרשום על שלט הציוד.",
        ),
        circuit.breaker_amps,
        round(most, 1),
        "A",
    )


def _in_sight(*kinds: LoadType) -> Check:
    def check(facts: Facts, found: PanelCircuit) -> Verdict:
        if found.circuit.load_type not in kinds:
            return None
        return _disconnect(found)

    return check


def _disconnect(found: PanelCircuit) -> Verdict:
    if known(found.circuit.disconnect_in_sight, "disconnectInSight"):
        return PASSED
    return Problem(
        Words(
            "No disconnecting means is within sight of the equipment.",
            "אין אמצעי ניתוק בטווח ראייה מהציוד.",
        ),
        Words(
            "Put one within sight, or make the breaker lockable where the article allows it.",
            "יש להתקין אמצעי ניתוק בטווח ראייה, או מפסק ניתן לנעילה היכן שהסעיף מתיר.",
        ),
    )


def _ev_disconnect(facts: Facts, found: PanelCircuit) -> Verdict:
    if found.circuit.load_type != "ev_charger":
        return None
    if facts.volts_to_ground(found.panel) <= EV_TO_GROUND_V:
        if found.circuit.load_watts <= 0:
            raise Unknown("loadWatts")
        if facts.amps(found) <= EV_DISCONNECT_A:
            return None
    return _disconnect(found)


def _ev_own_circuit(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    if circuit.load_type != "ev_charger":
        return None
    motors = facts.motors.get((found.panel.id, circuit.circuit_number), [])
    if not motors:
        return PASSED
    return Problem(
        Words(
            f"The charger's circuit also supplies {len(motors)} motor(s).",
            f"מעגל המטען מזין גם מנועים ({len(motors)}).",
        ),
        Words("Give the charger a circuit of its own.", "יש להקצות למטען מעגל משלו."),
        len(motors),
        0,
    )


def _rule(
    id: str,
    article: str,
    title: Words,
    check: Check,
    *,
    critical: bool = True,
    numbers: dict[int, str] | None = None,
) -> Rule:
    return Rule(
        id=id,
        kind="circuit",
        category="circuits",
        severity="critical" if critical else "warning",
        article=article,
        title=title,
        check=check,
        numbers=numbers or {},
    )


RULES = (
    _rule(
        "422.11-most",
        "422.11(E)",
        Words("Largest breaker of heating appliances", "מפסק מרבי למכשירי חימום"),
        _appliance_most,
        critical=False,
    ),
    _rule(
        "422.13-water-heater",
        "422.13",
        Words("Water heaters at 125 %", "דודי מים ב-125%"),
        _continuous("water_heater"),
    ),
    _rule(
        "422.31-disconnect",
        "422.31(B)",
        Words("Disconnect of water heaters", "ניתוק דודי מים"),
        _in_sight("water_heater"),
        critical=False,
    ),
    _rule(
        "424.4-heating",
        "424.4(B)",
        Words("Space heating at 125 %", "חימום חללים ב-125%"),
        _continuous("space_heating"),
        numbers={2017: "424.3(B)"},
    ),
    _rule(
        "424.19-disconnect",
        "424.19",
        Words("Disconnect of space heating", "ניתוק ציוד חימום"),
        _in_sight("space_heating"),
        critical=False,
    ),
    _rule(
        "440.14-disconnect",
        "440.14",
        Words("Disconnect of cooling equipment", "ניתוק ציוד קירור"),
        _in_sight("air_conditioning", "heat_pump"),
        critical=False,
    ),
    _rule(
        "440.22-breaker",
        "440.22(A)",
        Words("Largest breaker of cooling equipment", "מפסק מרבי לציוד קירור"),
        _cooling_breaker,
    ),
    _rule(
        "440.32-conductor",
        "440.32",
        Words("Conductors of cooling equipment at 125 %", "מוליכי ציוד קירור ב-125%"),
        _cooling_conductor,
    ),
    _rule(
        "625.40-own",
        "625.40",
        Words("A circuit for each vehicle charger", "מעגל נפרד לכל מטען רכב"),
        _ev_own_circuit,
    ),
    _rule(
        "625.41-ev",
        "625.41",
        Words("Vehicle chargers at 125 %", "מטעני רכב ב-125%"),
        _continuous("ev_charger"),
    ),
    _rule(
        "625.43-disconnect",
        "625.43",
        Words("Disconnect of large vehicle chargers", "ניתוק מטעני רכב גדולים"),
        _ev_disconnect,
        critical=False,
    ),
)
