"""What is said of an arc-flash study."""

from __future__ import annotations

from dataclasses import replace

from packs.electrical.calculations.arc_flash.ppe import Ppe
from packs.electrical.calculations.arc_flash.study import Study, study
from packs.electrical.faults.arc_case import LONGEST_S, Case
from packs.electrical.projects.records import Panel
from packs.electrical.results import Words, inches, number, panel_words
from rollcall.core.wording import isolated


def told(panel: Panel, found: Study, ppe: Ppe) -> Words:
    """The result in one sentence."""
    name = panel_words(panel.name)
    energy = isolated(f"{number(found.energy_cal_cm2)} cal/cm²")
    distance, boundary = inches(found.arc.distance_mm), inches(found.boundary_mm)
    category = {
        "none": Words("no arc-rated PPE is needed", "לא נדרש ביגוד עמיד בקשת"),
        "category": Words(f"PPE category {ppe.category}", f"ציוד מגן בקטגוריה {ppe.category}"),
        "do_not_work_energized": Words("do not work on it energized", "אין לעבוד תחת מתח"),
    }[ppe.requirement]
    return Words(
        f"{energy} at {distance} from an arc in {name.en}; the arc-flash boundary is {boundary}; "
        f"{category.en}.",
        f"{energy} במרחק {distance} מקשת ב{name.he}; גבול הקשת {boundary}; {category.he}.",
    )


def warnings_of(case: Case, found: Study, ppe: Ppe) -> list[Words]:
    """What to mind with this result."""
    warnings: list[Words] = []
    if ppe.requirement == "do_not_work_energized":
        warnings += ppe.items
    if ppe.requirement == "category":
        warnings.append(_NOT_BOTH)
    if case.given.clearing_time_s > LONGEST_S:
        warnings.append(_LONG)
    if case.given.voltage_v <= 240 and case.given.bolted_ka < 2:
        warnings.append(_UNLIKELY)
    if case.is_assumed("electrodeConfiguration"):
        facing = study(replace(case.given, electrodes="HCB")).energy_cal_cm2
        energy = isolated(f"{number(facing)} cal/cm²")
        warnings.append(
            Words(
                f"With conductors that point at the worker (HCB) it would be {energy}: look at the "
                "equipment",
                f"עם מוליכים הפונים אל העובד ({isolated('HCB')}) האנרגיה תהיה {energy}: יש לבדוק "
                "בציוד",
            )
        )
    return warnings


_NOT_BOTH = Words(
    "The category is that whose rating covers the energy, for orientation: a label states the "
    "energy or the category, not both (NFPA 70E 130.5(H))",
    "הקטגוריה היא זו שהדירוג שלה מכסה את האנרגיה, להתמצאות: בשילוט רושמים אנרגיה או קטגוריה, לא את "
    f"שתיהן ({isolated('NFPA 70E 130.5(H)')})",
)
_LONG = Words(
    "The clearing time is above 2 s: somebody with a way out is thought to have left by then",
    "זמן הניתוק עולה על 2 שניות: מניחים שמי שיש לו דרך מוצא כבר התרחק עד אז",
)
_UNLIKELY = Words(
    "At 240 V or less and below 2 kA an arc is less likely to last; the figures hold if it does",
    f"ב-{isolated('240 V')} או פחות ומתחת ל-{isolated('2 kA')} קשת נוטה פחות להתמיד; המספרים תקפים "
    "אם היא מתמידה",
)
