"""What circuits may carry: 110.4, 210.11(C), 210.18, 210.19 to 210.23, 310.15."""

from __future__ import annotations

from packs.electrical.calculations.requirements import (
    ALWAYS_CONTINUOUS,
    CONTINUOUS,
    SEVERAL_OUTLETS,
)
from packs.electrical.inspection.conductors import standard_from
from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import PASSED, Problem, Rule, Verdict
from packs.electrical.inspection.wording import amps, size, volts, wire
from packs.electrical.results import Words

MULTI_OUTLET = SEVERAL_OUTLETS | {"lighting"}
MULTI_OUTLET_RATINGS_A = (15, 20, 30, 40, 50)
SMALL_CIRCUIT_A = 20
EXACT = 1.0001
VOLTAGE_TOLERANCE = 0.1


def _own_load(facts: Facts, found: PanelCircuit) -> bool:
    """Whether Article 210 decides: not for motors, cooling and welders, nor for feeders."""
    return not facts.own_rules_protect(found) and found.circuit.load_type != "subpanel"


def _is_continuous(found: PanelCircuit) -> bool:
    """Recorded as such. Those that the code counts so have rules of their own."""
    circuit = found.circuit
    return circuit.continuous and circuit.load_type not in ALWAYS_CONTINUOUS


def _conductor_125(facts: Facts, found: PanelCircuit) -> Verdict:
    if not _own_load(facts, found) or not _is_continuous(found):
        return None
    circuit = found.circuit
    least = facts.amps(found) * CONTINUOUS
    terminal = facts.ampacity(circuit, circuit.breaker_amps).terminal_amps
    if terminal * EXACT >= least:
        return PASSED
    wires = wire(circuit)
    return Problem(
        Words(
            f"{wires.en} carries {amps(terminal)} before correction; 125 % of the continuous load "
            f"is {amps(least)}.",
            f"{wires.he} נושא {amps(terminal)} לפני תיקונים; 125% מהעומס הרציף הם {amps(least)}.",
        ),
        Words(
            f"Use conductors for at least {amps(least)}.",
            f"יש להשתמש במוליכים ל-{amps(least)} לפחות.",
        ),
        round(terminal, 1),
        round(least, 1),
        "A",
    )


def _breaker_125(facts: Facts, found: PanelCircuit) -> Verdict:
    if not _own_load(facts, found) or not _is_continuous(found):
        return None
    return breaker_at_least(facts, found, CONTINUOUS)


def breaker_at_least(facts: Facts, found: PanelCircuit, factor: float) -> Verdict:
    """Whether the breaker is no smaller than a factor times the load.

    Raises:
        Unknown: No load is recorded.
    """
    load = facts.amps(found)
    least = load * factor
    rating = found.circuit.breaker_amps
    if rating * EXACT >= least:
        return PASSED
    standard = standard_from(least)
    return Problem(
        Words(
            f"The load is {amps(load)} and counts as continuous: 125 % is {amps(least)}; the "
            f"breaker is {amps(rating)}.",
            f"העומס הוא {amps(load)} ונחשב רציף: 125% הם {amps(least)}; המפסק הוא {amps(rating)}.",
        ),
        Words(
            f"Use a breaker of {amps(standard)}, with conductors to match, or less load.",
            f"יש להתקין מפסק של {amps(standard)} עם מוליכים מתאימים, או להקטין את העומס.",
        ),
        rating,
        round(least, 1),
        "A",
    )


def _within_rating(facts: Facts, found: PanelCircuit) -> Verdict:
    if not _own_load(facts, found) or found.circuit.load_type in MULTI_OUTLET:
        return None
    if found.circuit.load_type in ALWAYS_CONTINUOUS:
        return None  # their own rules ask for more
    return _load_in_breaker(facts, found)


def _several_within_rating(facts: Facts, found: PanelCircuit) -> Verdict:
    if found.circuit.load_type not in MULTI_OUTLET:
        return None
    return _load_in_breaker(facts, found)


def _load_in_breaker(facts: Facts, found: PanelCircuit) -> Verdict:
    if _is_continuous(found):
        return None  # 210.20(A) asks for more
    load = facts.amps_of_circuit(found)
    rating = found.circuit.breaker_amps
    if load <= rating * EXACT:
        return PASSED
    return Problem(
        Words(
            f"The load is {amps(load)}; the circuit is rated {amps(rating)}.",
            f"העומס הוא {amps(load)}; המעגל מיועד ל-{amps(rating)}.",
        ),
        Words(
            "Divide the load over more circuits, or use a larger circuit.",
            "יש לחלק את העומס בין מעגלים נוספים, או להגדיל את המעגל.",
        ),
        round(load, 1),
        rating,
        "A",
    )


def _dwelling_outlets(facts: Facts, found: PanelCircuit) -> Verdict:
    if not facts.dwelling or found.circuit.load_type not in MULTI_OUTLET:
        return None
    rating = found.circuit.breaker_amps
    if rating <= SMALL_CIRCUIT_A:
        return PASSED
    return Problem(
        Words(
            f"Lighting or general receptacles of a dwelling are on a circuit of {amps(rating)}.",
            f"תאורה או שקעים כלליים בדירה מחוברים למעגל של {amps(rating)}.",
        ),
        Words(
            "Supply them from circuits of 15 or 20 A.",
            "יש להזינם ממעגלים של 15 או 20 אמפר.",
        ),
        rating,
        SMALL_CIRCUIT_A,
        "A",
    )


def _multi_outlet_rating(facts: Facts, found: PanelCircuit) -> Verdict:
    if found.circuit.load_type not in MULTI_OUTLET:
        return None
    rating = found.circuit.breaker_amps
    ratings = (10, *MULTI_OUTLET_RATINGS_A) if facts.edition >= 2023 else MULTI_OUTLET_RATINGS_A
    if rating in ratings:
        return PASSED
    known_ones = ", ".join(str(each) for each in ratings)
    return Problem(
        Words(
            f"A circuit with several outlets is rated {amps(rating)}; it may be {known_ones} A.",
            f"מעגל עם כמה נקודות מיועד ל-{amps(rating)}; מותרים {known_ones} אמפר.",
        ),
        Words("Use a breaker of one of these ratings.", "יש להתקין מפסק באחד הערכים האלה."),
        rating,
        known_ones,
        "A",
    )


def _carries_load(facts: Facts, found: PanelCircuit) -> Verdict:
    if not _own_load(facts, found):
        return None
    circuit = found.circuit
    load = facts.amps_of_circuit(found)
    carries = facts.ampacity(circuit, circuit.breaker_amps).amps
    if load <= carries * EXACT:
        return PASSED
    wires = wire(circuit)
    return Problem(
        Words(
            f"The load is {amps(load)}; {wires.en} carries {amps(carries)} as it is installed.",
            f"העומס הוא {amps(load)}; {wires.he} נושא {amps(carries)} באופן התקנתו.",
        ),
        Words(
            "Use larger conductors, fewer of them together, or less load.",
            "יש להגדיל את המוליכים, להפחית את מספרם יחד, או להקטין את העומס.",
        ),
        round(load, 1),
        round(carries, 1),
        "A",
    )


def _voltage(facts: Facts, found: PanelCircuit) -> Verdict:
    panel, circuit = found
    if circuit.voltage is None:
        return None
    has = panel.line_to_neutral if circuit.poles == 1 else panel.voltage
    if abs(circuit.voltage - has) <= VOLTAGE_TOLERANCE * has:
        return PASSED
    return Problem(
        Words(
            f"The load is for {volts(circuit.voltage)}; {circuit.poles} pole(s) of this panel give "
            f"{volts(has)}.",
            f"העומס מיועד ל-{volts(circuit.voltage)}; מספר הקטבים {circuit.poles} בלוח הזה נותן "
            f"{volts(has)}.",
        ),
        Words(
            "Correct the poles, or supply it from a panel of its voltage.",
            "יש לתקן את מספר הקטבים או להזין מלוח במתח המתאים.",
        ),
        circuit.voltage,
        round(has),
        "V",
    )


def _small_appliance_20(facts: Facts, found: PanelCircuit) -> Verdict:
    circuit = found.circuit
    laundry = circuit.load_type == "laundry" and circuit.poles == 1
    if not facts.dwelling or not (laundry or circuit.load_type == "small_appliance"):
        return None
    if circuit.breaker_amps >= SMALL_CIRCUIT_A:
        return PASSED
    return Problem(
        Words(
            f"A small-appliance or laundry circuit is {amps(circuit.breaker_amps)}; it has to be "
            f"{amps(SMALL_CIRCUIT_A)}.",
            f"מעגל מכשירי מטבח או כביסה הוא {amps(circuit.breaker_amps)}; הוא חייב להיות "
            f"{amps(SMALL_CIRCUIT_A)}.",
        ),
        Words(
            "Make it a 20 A circuit with AWG 12 copper at least.",
            f"יש להפוך אותו למעגל של 20 אמפר עם נחושת {size('12')} לפחות.",
        ),
        circuit.breaker_amps,
        SMALL_CIRCUIT_A,
        "A",
    )


RULES = (
    Rule(
        id="110.4-voltage",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="110.4",
        title=Words("Voltage of circuits", "מתח המעגל"),
        check=_voltage,
    ),
    Rule(
        id="210.11-c-20",
        kind="circuit",
        category="circuits",
        severity="warning",
        article="210.11(C)",
        title=Words("Small-appliance and laundry circuits of 20 A", "מעגלי מטבח וכביסה של 20 אמפר"),
        check=_small_appliance_20,
    ),
    Rule(
        id="210.18-rating",
        kind="circuit",
        category="circuits",
        severity="warning",
        article="210.18",
        title=Words("Ratings of circuits with several outlets", "ערכי מעגלים מרובי נקודות"),
        check=_multi_outlet_rating,
        numbers={2017: "210.3"},
    ),
    Rule(
        id="210.19-continuous",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="210.19(A)(1)",
        title=Words("Conductors at 125 % of continuous load", "מוליכים ל-125% מעומס רציף"),
        check=_conductor_125,
    ),
    Rule(
        id="210.20-continuous",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="210.20(A)",
        title=Words("Breaker at 125 % of continuous load", "מפסק ל-125% מעומס רציף"),
        check=_breaker_125,
    ),
    Rule(
        id="210.22-load",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="210.22",
        title=Words("Load of individual circuits", "עומס במעגל ייעודי"),
        check=_within_rating,
    ),
    Rule(
        id="210.23-load",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="210.23",
        title=Words("Load of circuits with several outlets", "עומס במעגל מרובה נקודות"),
        check=_several_within_rating,
    ),
    Rule(
        id="210.23-dwelling",
        kind="circuit",
        category="circuits",
        severity="warning",
        article="210.23(B)",
        title=Words(
            "General outlets of dwellings on 15 and 20 A", "נקודות כלליות בדירה: 15 ו-20 אמפר"
        ),
        check=_dwelling_outlets,
    ),
    Rule(
        id="310.15-load",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="310.15",
        table="310.16",
        title=Words("Conductors carry the load", "כושר ההעמסה והעומס"),
        check=_carries_load,
    ),
)
