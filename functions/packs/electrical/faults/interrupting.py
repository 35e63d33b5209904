"""A panel's interrupting rating against the fault current at it (NEC 110.9)."""

from __future__ import annotations

from dataclasses import dataclass

from packs.electrical.calculations.short_circuit.asymmetry import (
    breaker_xr_ratio,
    duty_factor,
)
from packs.electrical.calculations.short_circuit.at_panel import Fault
from packs.electrical.calculations.short_circuit.ratings import smallest_standard
from packs.electrical.projects.records import Panel, Project
from packs.electrical.results import Words, number, panel_words
from rollcall.core.wording import isolated

MOTOR_SHARE = 0.01
"""By 240.86(C), the most of motors' full-load current for a series rating, of the interrupting
rating of the lower-rated breaker."""


@dataclass(frozen=True, slots=True)
class Check:
    """What the comparison says.

    Attributes:
        required: The smallest standard rating that suffices, A; None above 200 kA.
        compliant: None where the panel's rating is not known.
        duty_amps: The current as it counts against a breaker tested at a lower X/R.
        tested_xr: X/R of that test; both None without a rating.
    """

    required: int | None
    compliant: bool | None
    duty_amps: float | None
    tested_xr: float | None
    warnings: tuple[Words, ...]


def check(project: Project, panel: Panel, fault: Fault, rating: float | None) -> Check:
    """Compare the current with a rating, A."""
    required = smallest_standard(fault.amps)
    if rating is None:
        return Check(required, None, None, None, (_unknown(panel, fault, required),))
    compliant = fault.amps <= rating
    duty = fault.amps * duty_factor(fault.xr_ratio, rating)
    tested = breaker_xr_ratio(rating)
    warnings = []
    if not compliant:
        warnings.append(_too_low(panel, fault, rating, required))
    elif round(duty) > rating:  # less is told as the rating itself
        warnings.append(_asymmetric(fault, rating, duty, tested))
    if panel.series_rated:
        warnings += _series(panel, fault, rating)
    if panel.is_service_equipment and project.building.occupancy != "dwelling":
        warnings.append(_marking(fault))
    return Check(required, compliant, duty, tested, tuple(warnings))


def told_of(panel: Panel, fault: Fault, found: Check, rating: float | None) -> Words:
    """The result in one or two sentences."""
    name, amps = panel_words(panel.name), _amps(fault.amps)
    first = Words(
        f"{amps} are available at {name.en} (X/R {fault.xr_ratio:.1f}).",
        f"זרם הקצר הזמין ב{name.he}: {amps} ({isolated(f'X/R {fault.xr_ratio:.1f}')}).",
    )
    if found.compliant is None or rating is None:
        return first
    rated = _amps(rating)
    if found.compliant:
        return Words(
            f"{first.en} Its interrupting rating of {rated} suffices.",
            f"{first.he} כושר הניתוק {rated} מספיק.",
        )
    return Words(
        f"{first.en} Its interrupting rating of {rated} does not suffice.",
        f"{first.he} כושר הניתוק {rated} אינו מספיק.",
    )


def _amps(value: float) -> str:
    return isolated(f"{number(value, digits=0)} A")


def _too_low(panel: Panel, fault: Fault, rating: float, required: int | None) -> Words:
    available, rated = _amps(fault.amps), _amps(rating)
    name = panel_words(panel.name)
    en = f"{name.en} is rated to interrupt {rated}, and {available} are available"
    he = f"כושר הניתוק של {name.he} הוא {rated}, וזרם הקצר הזמין {available}"
    if required is None:
        return Words(
            f"{en}: no standard rating suffices, it needs current limitation upstream",
            f"{he}: אין כושר ניתוק תקני מספיק, נדרשת הגבלת זרם במעלה ההזנה",
        )
    need = _amps(required)
    return Words(f"{en}: it needs at least {need}", f"{he}: נדרשים לפחות {need}")


def _unknown(panel: Panel, fault: Fault, required: int | None) -> Words:
    name, need = panel_words(panel.name), _amps(required or fault.amps)
    return Words(
        f"The interrupting rating of {name.en} is not known, so it is not checked: {need} or more "
        "is needed",
        f"כושר הניתוק של {name.he} אינו ידוע ולכן לא נבדק: נדרשים {need} או יותר",
    )


def _asymmetric(fault: Fault, rating: float, duty: float, tested: float) -> Words:
    xr, at_test = isolated(f"X/R {fault.xr_ratio:.1f}"), isolated(f"X/R {tested:.1f}")
    counts, rated = _amps(duty), _amps(rating)
    return Words(
        f"At {xr} the current is more asymmetric than in the breaker's test ({at_test}) and counts "
        f"as {counts}, above the rating of {rated}",
        f"ב-{xr} הזרם אסימטרי יותר מאשר בבדיקת המפסק ({at_test}) ונחשב {counts}, מעל כושר הניתוק "
        f"{rated}",
    )


def _series(panel: Panel, fault: Fault, rating: float) -> list[Words]:
    name = isolated(panel.name)
    place, marking = isolated("240.86"), isolated("110.22")
    notes = [
        Words(
            f"{name} is series rated: the rating holds only with the tested combination of devices "
            f"({place}) and its marking ({marking})",
            f"{name} בדירוג טורי: כושר הניתוק תקף רק עם צירוף ההתקנים שנבדק ({place}) ועם השילוט "
            f"({marking})",
        )
    ]
    motors = fault.motors.full_load_amps
    if motors > MOTOR_SHARE * rating:
        total, most = _amps(motors), _amps(MOTOR_SHARE * rating)
        notes.append(
            Words(
                f"Motors of {total} are connected below; a series rating allows 1 % of the "
                f"interrupting rating, {most} (240.86(C))",
                f"מחוברים מנועים של {total}; דירוג טורי מתיר {isolated('1%')} מכושר הניתוק, {most} "
                f"({isolated('240.86(C)')})",
            )
        )
    return notes


def _marking(fault: Fault) -> Words:
    amps = _amps(fault.points[-1].amps)
    return Words(
        f"Mark the service equipment with the available fault current, {amps} without motors, and "
        "the date (110.24(A))",
        f"יש לסמן על ציוד החיבור את זרם הקצר הזמין, {amps} ללא מנועים, ואת התאריך "
        f"({isolated('110.24(A)')})",
    )
