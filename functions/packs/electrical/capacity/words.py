"""What is said of loads and capacity, in both languages."""

from __future__ import annotations

from packs.electrical.calculations.loads.calculation import Method
from packs.electrical.calculations.loads.limits import Element, Limit
from packs.electrical.calculations.loads.panel import Demand
from packs.electrical.projects.records import Panel
from packs.electrical.results import Words, number, panel_words
from rollcall.core.wording import isolated

ELEMENTS: dict[Element, Words] = {
    "bus": Words(en="the bus", he="פסי הצבירה"),
    "main_breaker": Words(en="the main breaker", he="המפסק הראשי"),
    "service": Words(en="the service", he="החיבור לרשת"),
    "service_conductors": Words(en="the service conductors", he="מוליכי החיבור לרשת"),
    "feeder_breaker": Words(en="the feeder's breaker", he="מפסק קו ההזנה"),
    "feeder_conductors": Words(en="the feeder's conductors", he="מוליכי קו ההזנה"),
    "transformer": Words(en="the transformer", he="השנאי"),
}

METHODS: dict[Method, Words] = {
    "standard": Words(en="standard method", he="השיטה הרגילה"),
    "optional": Words(en="optional method", he="השיטה החלופית"),
    "existing": Words(en="method for existing dwellings", he="השיטה לדירה קיימת"),
    "measured": Words(en="measured demand", he="ביקוש שנמדד"),
}


def limit_words(limit: Limit) -> Words:
    """`the bus (200 A)`, with the name of a feeder or transformer."""
    element = ELEMENTS[limit.element]
    amps = f"{number(limit.amps, digits=0)} A"
    named = f"{limit.name}, {amps}" if limit.name else amps
    return Words(en=f"{element.en} ({named})", he=f"{element.he} ({isolated(named)})")


def carried(panel: Panel, now: Demand) -> Words:
    """What a panel carries, and of how much."""
    amps, percent = _amps(now.demand_amps), number(now.utilization_percent, digits=0)
    limit = limit_words(now.limit)
    method = METHODS[now.calculation.method]
    return Words(
        en=f"{panel.name} carries a calculated load of {_va(now.demand_va)} ({amps}) by the "
        f"{method.en}: {percent} % of {limit.en}.",
        he=f"העומס המחושב ב{panel_words(panel.name).he} הוא {isolated(_va(now.demand_va))} "
        f"({isolated(amps)}) לפי {method.he}: {percent}% מ{limit.he}.",
    )


def with_more(then: Demand) -> Words:
    """What it would carry."""
    amps, percent = _amps(then.demand_amps), number(then.utilization_percent, digits=0)
    return Words(
        en=f"With the new load: {_va(then.demand_va)} ({amps}), {percent} %.",
        he=f"עם העומס החדש: {isolated(_va(then.demand_va))} ({isolated(amps)}), {percent}%.",
    )


def takes_it() -> Words:
    """The load fits, its breaker and what feeds the panel included."""
    return Words(en="The panel can take it.", he="הלוח יכול לשאת את העומס הנוסף.")


def over_limit(then: Demand, next_rating: int | None) -> Words:
    """The load is too much, and what would carry it."""
    need, limit = _amps(then.heaviest_amps), limit_words(then.limit)
    if next_rating is None:
        return Words(
            en=f"{need} is above the rating of {limit.en}; move loads to another panel.",
            he=f"{isolated(need)} חורג מהערך הנקוב של {limit.he}; יש להעביר עומסים ללוח אחר.",
        )
    size = f"{next_rating} A"
    return Words(
        en=f"{need} is above the rating of {limit.en}: {size} is the next standard size.",
        he=f"{isolated(need)} חורג מהערך הנקוב של {limit.he}: "
        f"הגודל התקני הבא הוא {isolated(size)}.",
    )


def over_line(then: Demand) -> Words:
    """The whole fits, and one line does not."""
    line, amps = _heaviest(then)
    limit = limit_words(then.limit)
    return Words(
        en=f"Line {line} would carry {amps}, above the rating of {limit.en}, though the whole "
        f"would fit if it were balanced: move circuits to other lines.",
        he=f"פאזה {isolated(line)} תישא {isolated(amps)}, מעל הערך הנקוב של {limit.he}, אף "
        f"שבעומס מאוזן הכול היה נכנס: יש להעביר מעגלים לפאזות אחרות.",
    )


def no_space(panel: Panel, poles: int) -> Words:
    """The load would fit, and its breaker not."""
    return Words(
        en=f"{panel.name} has no {poles} free spaces one below the other: the load needs a "
        f"subpanel, or a panel with more spaces.",
        he=f"ב{panel_words(panel.name).he} אין {poles} מקומות פנויים זה מתחת לזה: "
        f"נדרש לוח משנה, או לוח עם יותר מקומות.",
    )


def over_upstream(name: str, then: Demand) -> Words:
    """What feeds the panel would be above its rating."""
    line, amps = _heaviest(then)
    limit = limit_words(then.limit)
    if then.demand_amps > then.rating_amps:
        amps = _amps(then.demand_amps)
        return Words(
            en=f"Upstream, {name} would carry {amps}, above the rating of {limit.en}.",
            he=f"במעלה ההזנה, {isolated(name)} יישא {isolated(amps)}, "
            f"מעל הערך הנקוב של {limit.he}.",
        )
    return Words(
        en=f"Upstream, line {line} of {name} would carry {amps}, above the rating of {limit.en}.",
        he=f"במעלה ההזנה, פאזה {isolated(line)} של {isolated(name)} תישא {isolated(amps)}, "
        f"מעל הערך הנקוב של {limit.he}.",
    )


def unbalanced(then: Demand) -> Words:
    """The lines are loaded unlike."""
    percent = number(then.imbalance_percent, digits=0)
    return Words(
        en=f"The lines are loaded unevenly: one departs {percent} % from their mean.",
        he=f"הפאזות אינן מאוזנות: סטייה של {percent}% מהממוצע.",
    )


def would_fit_by(method: Method) -> Words:
    """Another method allows it."""
    return Words(
        en=f"By the {METHODS[method].en}, which applies here too, it would fit.",
        he=f"לפי {METHODS[method].he}, שחלה גם כאן, העומס היה נכנס.",
    )


def _heaviest(then: Demand) -> tuple[str, str]:
    amps = dict(zip(then.calculation.system.names, then.line_amps, strict=True))
    line = max(amps, key=lambda name: amps[name])
    return line, _amps(amps[line])


def _va(va: float) -> str:
    return f"{number(va, digits=0)} VA"


def _amps(amps: float) -> str:
    return f"{number(amps, digits=1)} A"
