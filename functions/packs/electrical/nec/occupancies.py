"""Occupancies by the words that people use for them."""

from __future__ import annotations

import re
from functools import cache

from rollcall.core.errors import InvalidArgument

_WORDS: dict[str, str] = {
    "armory": "armories|auditorium|נשקייה",
    "assembly_hall": "assembly halls|אולם|אולם התכנסות|אודיטוריום",
    "automotive": "automotive facility|מוסך|מוסכים",
    "bank": "banks|בנק|בנקים",
    "barber_shop": "barber shops|beauty parlor|מספרה|מספרות|מכון יופי",
    "church": "churches|religious facility|place of worship|synagogue|בית כנסת|בית תפילה|כנסייה",
    "clinic": "health care clinic|מרפאה|מרפאות",
    "club": "clubs|מועדון|מועדונים",
    "convention_center": "מרכז כנסים",
    "corridor": "corridors|hall|stairway|closet|מסדרון|מסדרונות|חדר מדרגות",
    "courtroom": "courtrooms|court|courthouse|בית משפט|בתי משפט",
    "dormitory": "dormitories|מעונות",
    "dwelling": "dwelling unit|dwelling units|dwellings|house|home|apartment|residence|residential|"
    "דירה|דירות|בית|בית פרטי|מגורים|דירת מגורים",
    "exercise_center": "fitness center|חדר כושר|מכון כושר",
    "fire_station": "תחנת כיבוי אש",
    "garage": "garages|parking garage|חניון|חניונים",
    "gymnasium": "gym|אולם ספורט",
    "hospital": "hospitals|בית חולים|בתי חולים",
    "hotel": "hotels|motel|motels|מלון|מלונות|בית מלון|בתי מלון",
    "industrial": "industrial building|manufacturing|factory|plant|loft|תעשייה|מפעל|מפעלים",
    "library": "libraries|ספרייה",
    "lodge_room": "lodge rooms|lodge",
    "museum": "museums|מוזיאון",
    "office": "offices|office building|office buildings|משרד|משרדים|בניין משרדים",
    "other": "all others|others|אחר|כל השאר",
    "penitentiary": "prison|בית סוהר",
    "performing_arts": "performing arts theater|אולם מופעים|תיאטרון",
    "police_station": "תחנת משטרה",
    "post_office": "סניף דואר",
    "restaurant": "restaurants|מסעדה|מסעדות",
    "school": "schools|university|בית ספר|בתי ספר|אוניברסיטה",
    "sports_arena": "stadium|היכל ספורט|אצטדיון",
    "storage": "storage space|storage spaces|שטח אחסון|אחסנה",
    "store": "stores|shop|retail|חנות|חנויות",
    "theater": "motion picture theater|cinema|בית קולנוע|קולנוע",
    "town_hall": "עירייה|בניין עירייה",
    "transportation": "תחבורה",
    "warehouse": "warehouses|מחסן|מחסנים",
    "workshop": "workshops|סדנה|סדנאות|בית מלאכה|בתי מלאכה",
}
"""By key: words for it beside the key itself."""


def parse_occupancy(text: str) -> str:
    """The key of an occupancy, such as "dwelling" or "office", of a word for it in either language.

    Raises:
        InvalidArgument: It is not known.
    """
    plain = " ".join(text.lower().replace("_", " ").split())
    for key, names in _names():
        if plain in names:
            return key
    raise InvalidArgument(
        f"{text!r} is no known occupancy; known: {', '.join(sorted(_WORDS))}", field="occupancy"
    )


def find_occupancy(text: str) -> str | None:
    """The occupancy that a sentence names; the longest name wins, and None names none."""
    words = re.findall(r"[^\W_]+", text.lower())
    plain = f" {' '.join(words)} "
    found = [
        (len(name), key) for key, names in _names() for name in names if _is_named(name, plain)
    ]
    return max(found)[1] if found else None


def _is_named(name: str, plain: str) -> bool:
    # Hebrew glues its little words to the front: "למשרד" is "to an office".
    before = r"[ והבלמשכ]{1,3}" if "א" <= name[0] <= "ת" else " "
    return re.search(rf"{before}{re.escape(name)} ", plain) is not None


@cache
def _names() -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(
        (key, frozenset({key.replace("_", " "), *words.split("|")}))
        for key, words in _WORDS.items()
    )
