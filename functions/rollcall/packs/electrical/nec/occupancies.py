"""Occupancies by the words that people use for them."""

from __future__ import annotations

from rollcall.core.errors import InvalidArgument

_WORDS: dict[str, str] = {
    "dwelling": "dwelling|dwelling unit|dwelling units|house|home|apartment|residence|residential|"
    "דירה|דירות|בית|בית פרטי|מגורים|דירת מגורים",
    "office": "office|offices|office building|office buildings|משרד|משרדים|בניין משרדים",
    "store": "store|stores|shop|retail|חנות|חנויות",
    "warehouse": "warehouse|warehouses|מחסן|מחסנים",
    "school": "school|schools|university|בית ספר|בתי ספר",
    "restaurant": "restaurant|restaurants|מסעדה|מסעדות",
    "hotel": "hotel|hotels|motel|motels|מלון|מלונות|בית מלון|בתי מלון",
    "hospital": "hospital|hospitals|בית חולים|בתי חולים",
    "industrial": "industrial|industrial building|workshop|factory|loft|תעשייה|מפעל|סדנה|בית מלאכה",
    "bank": "bank|banks|בנק|בנקים",
    "church": "church|churches|place of worship|synagogue|בית כנסת|בית תפילה|כנסייה",
    "club": "club|clubs|מועדון|מועדונים",
    "courtroom": "courtroom|courtrooms|court|בית משפט|בתי משפט",
    "garage": "garage|garages|parking garage|חניון|חניונים",
    "barber_shop": "barber shop|beauty parlor|barber shops|מספרה|מספרות|מכון יופי",
    "lodge_room": "lodge room|lodge rooms|lodge",
    "armory": "armory|armories|auditorium|נשקייה",
    "assembly_hall": "assembly hall|assembly halls|אולם|אולם התכנסות|אודיטוריום",
    "corridor": "corridor|corridors|hall|stairway|closet|מסדרון|מסדרונות|חדר מדרגות",
    "storage": "storage|storage space|storage spaces|שטח אחסון|אחסנה",
    "other": "other|all others|others|אחר|כל השאר",
}


def parse_occupancy(text: str) -> str:
    """The key of an occupancy, such as "dwelling" or "office", of a word for it in either language.

    Raises:
        InvalidArgument: It is not known.
    """
    plain = " ".join(text.lower().replace("_", " ").split())
    for key, words in _WORDS.items():
        if plain == key.replace("_", " ") or plain in words.split("|"):
            return key
    raise InvalidArgument(
        f"{text!r} is no known occupancy; known: {', '.join(sorted(_WORDS))}", field="occupancy"
    )
