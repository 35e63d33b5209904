"""What to wear: PPE categories by arc rating, and what each is made of, in our own words.

Source: NFPA 70E-2018, 2021 and 2024, Table 130.7(C)(15)(c) for the arc ratings of the categories,
130.5(G) for what is worn. By 130.5(F) equipment is assessed by incident energy or by the category
tables, not by both: the category here is the one whose rating covers the energy, for orientation,
and a label carries the energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from packs.electrical.results import Words

BURN_CAL_CM2 = 1.2
RATINGS_CAL_CM2: dict[int, float] = {1: 4, 2: 8, 3: 25, 4: 40}
"""The lowest arc rating of each category."""

Requirement = Literal["none", "category", "do_not_work_energized"]


@dataclass(frozen=True, slots=True)
class Ppe:
    """What an energy asks for.

    Attributes:
        category: 1 to 4; None if no arc-rated clothing is needed, and above 40 cal/cm2, where none
            is enough. `requirement` tells which.
    """

    requirement: Requirement
    category: int | None
    items: tuple[Words, ...]


_UNDER_EVERYTHING = (
    Words("Hard hat", "קסדת מגן"),
    Words("Safety glasses or goggles", "משקפי מגן"),
    Words("Hearing protection (ear canal inserts)", "אטמי אוזניים"),
)
_GLOVES = Words(
    "Heavy-duty leather gloves, or rubber insulating gloves with leather protectors",
    "כפפות עור עבות, או כפפות גומי מבודדות עם כפפות עור מעליהן",
)
_SUIT_GLOVES = Words(
    "Arc-rated gloves, or rubber insulating gloves with leather protectors",
    "כפפות עמידות בקשת, או כפפות גומי מבודדות עם כפפות עור מעליהן",
)
_SHOES = Words("Leather footwear", "נעלי עור")
_SHIELD = Words(
    "Arc-rated face shield with wrap-around protection, or an arc flash suit hood",
    "מגן פנים עמיד בקשת שעוטף את הצדדים, או ברדס של חליפת קשת",
)
_SHIELD_AND_BALACLAVA = Words(
    "Arc-rated face shield with an arc-rated balaclava, or an arc flash suit hood",
    "מגן פנים עמיד בקשת עם כובע גרב עמיד בקשת, או ברדס של חליפת קשת",
)
_NONE = (
    Words(
        "No arc-rated clothing at this energy; clothes that do not melt, protection from shock",
        "לא נדרש ביגוד עמיד בקשת באנרגיה כזאת; בגדים שאינם נמסים והגנה מפני התחשמלות",
    ),
    Words("Safety glasses or goggles", "משקפי מגן"),
)
_NO_WORK = (
    Words(
        "Do not work on it energized: above 40 cal/cm² no category is enough. De-energize it first",
        "אין לעבוד תחת מתח: מעל 40 cal/cm² אין קטגוריה מספקת. יש לנתק את המתח לפני העבודה",
    ),
)


def ppe_for(energy_cal_cm2: float) -> Ppe:
    """The PPE for an incident energy at the working distance, cal/cm2."""
    if energy_cal_cm2 <= BURN_CAL_CM2:
        return Ppe("none", None, _NONE)
    for category, rating in RATINGS_CAL_CM2.items():
        if energy_cal_cm2 <= rating:
            return Ppe("category", category, _items(category, rating))
    return Ppe("do_not_work_energized", None, _NO_WORK)


def _items(category: int, rating: float) -> tuple[Words, ...]:
    rated_en = f"rated at least {rating:g} cal/cm²"
    rated_he = f"בדירוג {rating:g} cal/cm² לפחות"
    if category <= 2:
        clothes = Words(
            f"Arc-rated shirt and trousers, or coverall, {rated_en}",
            f"חולצה ומכנסיים או סרבל עמידים בקשת, {rated_he}",
        )
        face = _SHIELD if category == 1 else _SHIELD_AND_BALACLAVA
        return (clothes, face, *_UNDER_EVERYTHING, _GLOVES, _SHOES)
    suit = Words(
        f"Arc flash suit jacket and trousers, the whole system {rated_en}",
        f"מעיל ומכנסיים של חליפת קשת, המערכת כולה {rated_he}",
    )
    hood = Words(
        f"Arc flash suit hood {rated_en}",
        f"ברדס של חליפת קשת {rated_he}",
    )
    return (suit, hood, *_UNDER_EVERYTHING, _SUIT_GLOVES, _SHOES)
