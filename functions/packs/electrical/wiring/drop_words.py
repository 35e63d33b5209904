"""What is said and drawn of a voltage drop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from packs.electrical.calculations.drop_study import Study
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    TOTAL_LIMIT_PERCENT,
    Method,
)
from packs.electrical.results import Words, feet
from packs.electrical.wiring.words import amps, percent, size_text, volts
from rollcall.core.wording import isolated

METHOD_NAMES: dict[Method, Words] = {
    "exact": Words(
        en="exact: effective impedance R cos + X sin of Chapter 9 Table 9",
        he=f"מדויקת: עכבה אפקטיבית {isolated('R cos + X sin')} לפי טבלה 9 בפרק 9",
    ),
    "approximate": Words(
        en="approximate: K / circular mils, from the DC resistance of Chapter 9 Table 8",
        he=f"מקורבת: {isolated('K / circular mils')}, מהתנגדות לזרם ישר בטבלה 8 בפרק 9",
    ),
    "receiving_end": Words(
        en="receiving end: Chapter 9 Table 9, solved for the voltage at the load (IEEE 141, 3.11)",
        he=f"קצה הקו: טבלה 9 בפרק 9, בפתרון המתח בעומס ({isolated('IEEE 141, 3.11')})",
    ),
}


def recommendation(study: Study) -> Words | None:
    """What would comply; None where the circuit does."""
    if study.compliant and study.total_compliant is not False:
        return None
    if study.allowed_percent <= 0:
        return Words(
            en="The feeders alone use up the recommended "
            f"{percent(TOTAL_LIMIT_PERCENT)}: enlarge the feeders first.",
            he=f"קווי ההזנה לבדם מנצלים את כל {percent(TOTAL_LIMIT_PERCENT)} המומלצים: יש להגדיל "
            "אותם תחילה.",
        )
    length, load = feet(study.greatest_length_ft), amps(study.greatest_amps)
    others = Words(
        en=f"shorten the run to {length}, or reduce the load to {load}",
        he=f"לקצר את הקו ל-{length}, או להקטין את העומס ל-{load}",
    )
    limit = percent(study.allowed_percent)
    if study.smallest_size is None:
        return Words(
            en=f"No conductor of the table keeps the drop within {limit}: run conductors in "
            f"parallel, {others.en}.",
            he=f"אין בטבלה מוליך ששומר על מפל של עד {limit}: יש להניח מוליכים במקביל, {others.he}.",
        )
    size = size_text(study.smallest_size, study.run.sets)
    return Words(
        en=f"Increase the conductors to {size} for at most {limit}, {others.en}.",
        he=f"יש להגדיל את המוליכים ל-{size} כדי להישאר בתוך {limit}, {others.he}.",
    )


def sentence(study: Study, name: Words) -> Words:
    """The result in a sentence or two."""
    lost, left = volts(study.drop.volts), volts(study.drop.receiving_volts, 1)
    share, limit = percent(study.drop.percent), percent(BRANCH_LIMIT_PERCENT)
    ok = study.compliant
    said = Words(
        en=f"The voltage drop of {name.en} is {share} ({lost}); {left} are left at the load. That "
        f"is {'within' if ok else 'above'} the recommended {limit} for a branch circuit.",
        he=f"מפל המתח של {name.he} הוא {share} ({lost}); בעומס נשארים {left}. זה "
        f"{'בתוך' if ok else 'מעל'} {limit} המומלצים למעגל סופי.",
    )
    total = total_sentence(study)
    more = recommendation(study)
    parts = [said, *([total] if total else []), *([more] if more else [])]
    return Words(" ".join(part.en for part in parts), " ".join(part.he for part in parts))


def total_sentence(study: Study) -> Words | None:
    """The total with the feeders, or that it is not known; None where there is no feeder."""
    if not study.feeders:
        return None
    if study.total_percent is None:
        return Words(
            en="The total from the service is not known.",
            he="המפל הכולל מהחיבור לרשת אינו ידוע.",
        )
    total, limit = percent(study.total_percent), percent(TOTAL_LIMIT_PERCENT)
    ok = study.total_compliant
    return Words(
        en=f"With its feeders the total is {total}, {'within' if ok else 'above'} the recommended "
        f"{limit}.",
        he=f"יחד עם קווי ההזנה המפל הכולל הוא {total}, {'בתוך' if ok else 'מעל'} {limit} המומלצים.",
    )


def unknown_legs(study: Study) -> Iterator[Words]:
    """Why a total is not known."""
    for leg in study.feeders or ():
        for missing in leg.feeder.missing:
            yield Words(
                en=f"{missing.en}, so the total from the service is not known",
                he=f"{missing.he}, לכן המפל הכולל מהחיבור לרשת אינו ידוע",
            )


def chart(study: Study, name: str, locale: str) -> dict[str, Any]:
    """The voltage along the way, on the circuit's own base: from the service where all feeders
    are known, else from the panel."""
    words = _AXES["he" if locale.startswith("he") else "en"]
    whole = study.total_percent is not None
    feeders = [leg for leg in study.feeders or () if leg.percent is not None] if whole else []
    nominal, gone, at = study.run.volts, 0.0, 0.0
    points = [{"ft": 0.0, "volts": nominal, "place": words["start"]}]
    for leg in feeders:
        at += leg.feeder.feeder.length_ft or 0.0
        gone += leg.percent or 0.0
        points.append(_point(at, nominal, gone, leg.feeder.feeder.name))
    points.append(_point(at + study.run.length_ft, nominal, gone + study.drop.percent, name))
    limit = TOTAL_LIMIT_PERCENT if feeders else BRANCH_LIMIT_PERCENT
    least = nominal * (1 - limit / 100)
    line = {
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "ft", "type": "quantitative", "title": words["x"]},
            "y": {
                "field": "volts",
                "type": "quantitative",
                "title": words["y"],
                "scale": {"zero": False},
            },
            "tooltip": [{"field": "place"}, {"field": "ft"}, {"field": "volts"}],
        },
    }
    rule = {
        "data": {"values": [{"volts": round(least, 2), "limit": f"{limit:g} %"}]},
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": "firebrick"},
        "encoding": {
            "y": {"field": "volts", "type": "quantitative"},
            "tooltip": [{"field": "limit"}, {"field": "volts"}],
        },
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": points},
        "layer": [line, rule],
    }


def _point(at: float, nominal: float, gone: float, place: str) -> dict[str, Any]:
    left = max(nominal * (1 - gone / 100), 0.0)
    return {"ft": round(at, 1), "volts": round(left, 2), "place": place}


_AXES = {
    "en": {"x": "Length, ft", "y": "Voltage, V", "start": "start"},
    "he": {"x": "אורך, רגל", "y": "מתח, וולט", "start": "התחלה"},
}
