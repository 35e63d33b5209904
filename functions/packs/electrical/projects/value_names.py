"""What the values of records are called by people, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from packs.electrical.nec.conductors import Material
from packs.electrical.projects.records import Area, ConduitType, LoadType
from packs.electrical.results import Words

LOAD_TYPES: dict[LoadType, Words] = {
    "lighting": Words("lighting", "תאורה"),
    "receptacle": Words("receptacles", "בתי תקע"),
    "small_appliance": Words("small appliances", "מכשירים קטנים"),
    "laundry": Words("laundry", "כביסה"),
    "appliance": Words("appliance", "מכשיר ביתי"),
    "range": Words("range", "תנור וכיריים"),
    "cooktop": Words("cooktop", "כיריים"),
    "oven": Words("oven", "תנור אפייה"),
    "dryer": Words("clothes dryer", "מייבש כביסה"),
    "water_heater": Words("water heater", "דוד מים חמים"),
    "space_heating": Words("space heating", "חימום"),
    "air_conditioning": Words("air conditioning", "מיזוג אוויר"),
    "heat_pump": Words("heat pump", "משאבת חום"),
    "motor": Words("motor", "מנוע"),
    "ev_charger": Words("EV charger", "מטען לרכב חשמלי"),
    "equipment": Words("equipment", "ציוד"),
    "welder": Words("welder", "רתכת"),
    "subpanel": Words("subpanel", "לוח משנה"),
    "other": Words("other", "אחר"),
    "spare": Words("spare", "שמור"),
}
AREAS: dict[Area, Words] = {
    "kitchen": Words("kitchen", "מטבח"),
    "bathroom": Words("bathroom", "חדר אמבטיה"),
    "bedroom": Words("bedroom", "חדר שינה"),
    "living": Words("living room", "סלון"),
    "dining": Words("dining room", "פינת אוכל"),
    "laundry": Words("laundry room", "חדר כביסה"),
    "garage": Words("garage", "מוסך או חניה"),
    "basement": Words("basement", "מרתף"),
    "crawl_space": Words("crawl space", "חלל זחילה"),
    "outdoor": Words("outdoors", "חוץ"),
    "rooftop": Words("rooftop", "גג"),
    "pool": Words("pool", "בריכה"),
    "hallway": Words("hallway", "מבואה"),
    "office": Words("office", "משרד"),
    "corridor": Words("corridor", "מסדרון"),
    "restroom": Words("restroom", "שירותים"),
    "mechanical": Words("mechanical room", "חדר מכונות"),
    "shop": Words("workshop", "סדנה"),
    "closet": Words("closet", "ארון בגדים"),
    "stairway": Words("stairway", "חדר מדרגות"),
    "other": Words("other", "אחר"),
}
CONDUITS: dict[ConduitType, Words] = {
    "emt": Words("EMT", "צינור פלדה דק-דופן (EMT)"),
    "imc": Words("IMC", "צינור פלדה בעובי בינוני (IMC)"),
    "rmc": Words("RMC", "צינור פלדה קשיח (RMC)"),
    "fmc": Words("FMC", "צינור מתכת גמיש (FMC)"),
    "lfmc": Words("LFMC", "צינור מתכת גמיש אטום (LFMC)"),
    "pvc": Words("PVC conduit", "צינור PVC"),
    "rtrc": Words("RTRC", "צינור פיברגלס (RTRC)"),
    "aluminum": Words("aluminum conduit", "צינור אלומיניום"),
    "nm_cable": Words("NM cable", "כבל NM"),
    "mc_cable": Words("MC cable", "כבל MC"),
    "ser_cable": Words("SER cable", "כבל SER"),
    "direct_burial": Words("direct burial", "הטמנה ישירה בקרקע"),
    "wireway": Words("wireway", "תעלה"),
}
MATERIALS: dict[Material, Words] = {
    "copper": Words("copper", "נחושת"),
    "aluminum": Words("aluminum", "אלומיניום"),
}

_BY_FIELD: dict[str, Mapping[Any, Words]] = {
    "load_type": LOAD_TYPES,
    "area": AREAS,
    "conduit_type": CONDUITS,
    "conductor_material": MATERIALS,
    "egc_material": MATERIALS,
}


def value_name(field: str, value: Any) -> Words | None:
    """What a value of this field of a circuit is called; None where it is its own name."""
    return _BY_FIELD.get(field, {}).get(value)
