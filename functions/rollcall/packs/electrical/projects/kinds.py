"""Words for kinds of loads and for areas, in English and Hebrew, by which circuits are found whose
description is written otherwise."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "lighting": "lighting lights lamps תאורה אורות מנורות",
    "receptacle": "receptacle receptacles outlet outlets socket plug שקע שקעים",
    "small_appliance": "small appliance kitchen counter מכשירים קטנים שיש",
    "laundry": "laundry washer washing machine כביסה מכונת כביסה",
    "appliance": "appliance מכשיר",
    "range": "range stove cooker תנור כיריים בישול",
    "cooktop": "cooktop hob כיריים",
    "oven": "oven תנור אפייה",
    "dryer": "dryer clothes מייבש",
    "water_heater": "water heater boiler דוד מים חמים",
    "space_heating": "heating heater heat חימום הסקה תנור חימום",
    "air_conditioning": "air conditioning conditioner cooling ac מזגן מיזוג קירור",
    "heat_pump": "heat pump משאבת חום",
    "motor": "motor מנוע",
    "ev_charger": "ev charger electric vehicle car evse charging מטען רכב חשמלי טעינה עמדת",
    "equipment": "equipment ציוד",
    "welder": "welder welding רתכת ריתוך",
    "subpanel": "subpanel sub feeder לוח משנה",
    "spare": "spare שמור רזרבה",
    "kitchen": "kitchen מטבח",
    "bathroom": "bathroom bath אמבטיה מקלחת",
    "bedroom": "bedroom חדר שינה",
    "living": "living room סלון",
    "dining": "dining room פינת אוכל",
    "garage": "garage חניה מוסך",
    "basement": "basement מרתף",
    "crawl_space": "crawl space",
    "outdoor": "outdoor outside exterior חוץ חצר גינה",
    "rooftop": "roof rooftop גג",
    "pool": "pool בריכה",
    "hallway": "hallway hall מסדרון",
    "office": "office משרד",
    "corridor": "corridor מסדרון",
    "restroom": "restroom toilet שירותים",
    "mechanical": "mechanical room חדר מכונות",
    "shop": "shop workshop סדנה בית מלאכה",
}
"""By the values of `records.LoadType` and `records.Area`."""
