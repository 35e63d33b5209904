"""What panels can stand: fault current, load, the device before them: 110.9, 240.85, 408.30,
408.36; and how full and how even they are."""

from __future__ import annotations

from packs.electrical.calculations.loads.phases import (
    currents,
    imbalance_percent,
    line_at,
    lines_of,
    magnitudes,
    system_of,
    total,
)
from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import amps, kiloamps, percent, volts
from packs.electrical.projects.records import Panel
from packs.electrical.results import Words
from rollcall.core.wording import isolated

SPARE_SHARE = 0.1
UNEVEN_PERCENT = 25.0
EXACT = 1.0001
"""A current that is calculated has rounding in it."""


def _interrupting(facts: Facts, panel: Panel) -> Verdict:
    rating = known(panel.aic_rating, "aicRating")
    available = facts.fault_current(panel)
    if available <= rating:
        return PASSED
    return Problem(
        Words(
            f"{kiloamps(available)} can flow in a fault; the panel is rated to interrupt "
            f"{kiloamps(rating)}.",
            f"זרם הקצר הצפוי הוא {kiloamps(available)}; כושר הניתוק של הלוח הוא "
            f"{kiloamps(rating)}.",
        ),
        Words(
            f"Use devices and a panel rated for at least {kiloamps(available)}, a tested series "
            f"combination (240.86), or current-limiting fuses before it.",
            f"יש להשתמש בציוד בעל כושר ניתוק של {kiloamps(available)} לפחות, בצירוף טורי מאושר "
            "(240.86) או בנתיכים מגבילי זרם לפניו.",
        ),
        round(available),
        rating,
        "A",
    )


def _capacity(facts: Facts, panel: Panel) -> Verdict:
    demand = facts.demand_amps(panel)
    if demand <= panel.bus_rating * EXACT:
        return PASSED
    return Problem(
        Words(
            f"The calculated load is {amps(demand)}; the busbars are rated "
            f"{amps(panel.bus_rating)}.",
            f"העומס המחושב הוא {amps(demand)}; פסי הצבירה מיועדים ל-{amps(panel.bus_rating)}.",
        ),
        Words(
            "Move circuits to another panel, or use a panel with a larger bus.",
            "יש להעביר מעגלים ללוח אחר או להתקין לוח בעל פסי צבירה גדולים יותר.",
        ),
        round(demand, 1),
        panel.bus_rating,
        "A",
    )


def _main_breaker(facts: Facts, panel: Panel) -> Verdict:
    if panel.main_breaker_amps is None:
        return None
    demand = facts.demand_amps(panel)
    if demand <= panel.main_breaker_amps * EXACT:
        return PASSED
    return Problem(
        Words(
            f"The calculated load is {amps(demand)}; the main breaker is "
            f"{amps(panel.main_breaker_amps)}.",
            f"העומס המחושב הוא {amps(demand)}; המפסק הראשי הוא {amps(panel.main_breaker_amps)}.",
        ),
        Words(
            "Move circuits to another panel, or enlarge the supply (check_service_upgrade).",
            "יש להעביר מעגלים ללוח אחר או להגדיל את ההזנה; בדיקת הגדלת החיבור אומרת כיצד.",
        ),
        round(demand, 1),
        panel.main_breaker_amps,
        "A",
    )


def _protected(facts: Facts, panel: Panel) -> Verdict:
    device = _device_before(facts, panel)
    if device is None:
        return None
    if device <= panel.bus_rating:
        return PASSED
    return Problem(
        Words(
            f"The device that protects the panel is {amps(device)}; its busbars are rated "
            f"{amps(panel.bus_rating)}.",
            f"המפסק המגן על הלוח הוא {amps(device)}; פסי הצבירה שלו מיועדים ל-"
            f"{amps(panel.bus_rating)}.",
        ),
        Words(
            f"Protect it with at most {amps(panel.bus_rating)}, or use a larger bus.",
            f"יש להגן עליו במפסק של {amps(panel.bus_rating)} לכל היותר, או להגדיל את הפסים.",
        ),
        device,
        panel.bus_rating,
        "A",
    )


def _device_before(facts: Facts, panel: Panel) -> float | None:
    """The smallest device in the panel or before it, A; None where none is needed."""
    feeder = facts.into.get(panel.id)
    upstream = facts.protected_at(feeder) if feeder else None
    devices = [each for each in (panel.main_breaker_amps, upstream) if each is not None]
    if devices:
        return min(devices)
    if facts.is_service(panel):
        return None  # 408.36 exception 1: service equipment with several disconnecting means
    raise Unknown("mainBreakerAmps")


def _behind_transformer(facts: Facts, panel: Panel) -> Verdict:
    transformer = facts.source_transformer(panel)
    if transformer is None:
        return None
    feeder = facts.into[panel.id]
    if panel.main_breaker_amps is not None or facts.protected_at(feeder) is not None:
        return PASSED
    if transformer.phases == 1 and panel.wires == 2:
        return None  # the primary device protects a secondary of two wires
    return Problem(
        Words(
            "It is supplied through a transformer, and no device protects it on the secondary "
            "side; one on the primary side does not count.",
            "הלוח מוזן דרך שנאי ואין מפסק המגן עליו בצד המשני; מפסק בצד הראשוני אינו נחשב.",
        ),
        Words(
            f"Put a main breaker of at most {amps(panel.bus_rating)} into the panel.",
            f"יש להתקין בלוח מפסק ראשי של {amps(panel.bus_rating)} לכל היותר.",
        ),
    )


def _high_leg(facts: Facts, found: PanelCircuit) -> Verdict:
    panel, circuit = found
    if not panel.high_leg or circuit.poles != 1:
        return None
    if line_at(circuit.circuit_number, system_of(panel)) != 1:
        return PASSED
    to_ground = facts.volts_to_ground(panel)
    return Problem(
        Words(
            f"A single-pole circuit stands on the high leg: {volts(to_ground)} to the neutral.",
            f"מעגל חד-קוטבי מחובר לפאזה הגבוהה: {volts(to_ground)} לאפס.",
        ),
        Words(
            "Move it to a position of line A or C.",
            f"יש להעבירו למקום של פאזה {isolated('A')} או {isolated('C')}.",
        ),
        round(to_ground),
        round(panel.line_to_neutral),
        "V",
    )


def _spare_room(facts: Facts, panel: Panel) -> Verdict:
    taken = sum(circuit.poles for circuit in panel.circuits if not circuit.is_spare)
    free = panel.spaces - taken
    least = SPARE_SHARE * panel.spaces
    if free >= least:
        return PASSED
    return Problem(
        Words(
            f"{free} of {panel.spaces} spaces are free; a tenth is a common reserve.",
            f"{free} מתוך {panel.spaces} מקומות פנויים; מקובל לשמור עשירית.",
        ),
        Words(
            "Plan for a larger panel or another one before more circuits are added.",
            "יש לתכנן לוח גדול יותר או לוח נוסף לפני הוספת מעגלים.",
        ),
        free,
        least,
        None,
    )


def _balance(facts: Facts, panel: Panel) -> Verdict:
    loads = [each for each in panel.circuits if each.load_watts > 0 and not each.is_spare]
    if len(loads) < 3 or any(each.poles > panel.phases + (panel.phases == 1) for each in loads):
        return None
    of = system_of(panel)
    drawn = (currents(of, lines_of(each, of), each.load_watts) for each in loads)
    lines = magnitudes(total(of, drawn))
    uneven = imbalance_percent(lines)
    if uneven <= UNEVEN_PERCENT:
        return PASSED
    listed = ", ".join(f"{name} {amps(value)}" for name, value in zip(of.names, lines, strict=True))
    return Problem(
        Words(
            f"The connected loads are uneven by {percent(uneven)}: {listed}.",
            f"העומסים המחוברים אינם מאוזנים, סטייה של {percent(uneven)}: {listed}.",
        ),
        Words(
            "Move single-pole circuits from the most to the least loaded line.",
            "יש להעביר מעגלים חד-קוטביים מהפאזה העמוסה לפאזה הפנויה.",
        ),
        round(uneven, 1),
        UNEVEN_PERCENT,
        "%",
    )


RULES = (
    Rule(
        id="110.9-interrupting",
        kind="panel",
        category="panels",
        severity="critical",
        article="110.9",
        title=Words("Interrupting rating", "כושר ניתוק"),
        check=_interrupting,
    ),
    Rule(
        id="408.30-capacity",
        kind="panel",
        category="panels",
        severity="critical",
        article="408.30",
        title=Words("Bus carries the calculated load", "פסי הצבירה והעומס המחושב"),
        check=_capacity,
    ),
    Rule(
        id="220.40-main",
        kind="panel",
        category="panels",
        severity="critical",
        article="220.40",
        title=Words("Main breaker carries the calculated load", "המפסק הראשי והעומס המחושב"),
        check=_main_breaker,
    ),
    Rule(
        id="408.36-protection",
        kind="panel",
        category="panels",
        severity="critical",
        article="408.36",
        title=Words("Protection of the panelboard", "הגנה על הלוח"),
        check=_protected,
    ),
    Rule(
        id="408.36-transformer",
        kind="panel",
        category="panels",
        severity="critical",
        article="408.36(B)",
        title=Words("Panel behind a transformer", "לוח מאחורי שנאי"),
        check=_behind_transformer,
    ),
    Rule(
        id="240.85-high-leg",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="240.85",
        title=Words("Single-pole circuits off the high leg", "מעגל חד-קוטבי לא על הפאזה הגבוהה"),
        check=_high_leg,
    ),
    Rule(
        id="90.8-spare",
        kind="panel",
        category="panels",
        severity="info",
        article="90.8(A)",
        title=Words("Room for more circuits", "מקום למעגלים נוספים"),
        check=_spare_room,
        numbers={2026: "90.8"},
    ),
    Rule(
        id="220.61-balance",
        kind="panel",
        category="panels",
        severity="info",
        article="220.61",
        title=Words("Lines loaded evenly", "איזון בין הפאזות"),
        check=_balance,
    ),
)
