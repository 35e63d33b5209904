"""What is said of services."""

from __future__ import annotations

from packs.electrical.calculations.loads.calculation import Method
from packs.electrical.calculations.loads.panel import Demand
from packs.electrical.capacity.words import METHODS, limit_words
from packs.electrical.nec.editions import Edition, article
from packs.electrical.results import CodeReference, Words, number
from rollcall.core.wording import isolated


def service_load(amps: float, demand: Demand) -> Words:
    """The load of a service of so many amperes."""
    load, percent, size = _figures(amps, demand)
    method = METHODS[demand.calculation.method]
    return Words(
        en=f"The calculated load of the service is {load} by the {method.en}: "
        f"{percent} % of {size}.",
        he=f"העומס המחושב של החיבור הוא {isolated(load)} לפי {method.he}: "
        f"{percent}% מ-{isolated(size)}.",
    )


def service_load_with(amps: float, demand: Demand, watts: float) -> Words:
    """The same with what is proposed, whose sum it names: a load that was not understood is missed
    there."""
    load, percent, size = _figures(amps, demand)
    more = f"{number(watts, digits=0)} W"
    return Words(
        en=f"With {more} more: {load}, {percent} % of {size}.",
        he=f"עם תוספת של {isolated(more)}: {isolated(load)}, {percent}% מ-{isolated(size)}.",
    )


def _figures(amps: float, demand: Demand) -> tuple[str, str, str]:
    load = f"{number(demand.demand_va, digits=0)} VA, {number(demand.demand_amps, digits=1)} A"
    percent = number(100 * demand.demand_amps / amps, digits=0)
    return load, percent, f"{number(amps, digits=0)} A"


def suffices() -> Words:
    """No upgrade."""
    return Words(en="The service is large enough.", he="החיבור מספיק.")


def upgrade(then: Demand, size: int | None) -> Words:
    """The service is too small."""
    limit = limit_words(then.limit)
    if size is None:
        return Words(
            en=f"The load is above the rating of {limit.en} and of any common service: the supply "
            f"needs a design of its own.",
            he=f"העומס חורג מהערך הנקוב של {limit.he} ומכל חיבור מקובל: נדרש תכנון הזנה נפרד.",
        )
    return Words(
        en=f"The load is above the rating of {limit.en}: a service of {size} A is needed.",
        he=f"העומס חורג מהערך הנקוב של {limit.he}: נדרש חיבור של {isolated(f'{size} A')}.",
    )


def class_320() -> Words:
    """How a 400 A service of a dwelling is metered."""
    return Words(
        en="For a dwelling, 400 A is commonly metered by a socket of class 320 (320 A continuous).",
        he="בדירת מגורים חיבור של 400 A נמדד לרוב במונה מסוג 320 (320 A בעומס רציף).",
    )


def method_note(method: Method) -> Words | None:
    """What a method asks for beside its figures."""
    if method != "measured":
        return None
    return Words(
        en="220.87 also asks for overload protection of the service by 230.90.",
        he="סעיף 220.87 דורש גם הגנת יתר של החיבור לפי 230.90.",
    )


def managed(amps: float | None, *, charger: bool) -> Words:
    """Whether load management would spare the upgrade."""
    if amps is None:
        return Words(
            en="Load management would not avoid the upgrade: too little is left for it to share.",
            he="ניהול עומסים לא ימנע את הגדלת החיבור: לא נותר די זרם לחלוקה.",
        )
    held = f"{number(amps, digits=0)} A"
    if charger:
        return Words(
            en=f"Load management would avoid the upgrade: a system that holds the charger to "
            f"{held} when the rest of the house needs its share.",
            he=f"ניהול עומסים ימנע את הגדלת החיבור: מערכת המגבילה את המטען ל-{isolated(held)} "
            f"כששאר הבית צורך את חלקו.",
        )
    return Words(
        en=f"Load management would avoid the upgrade if the new loads may be held to {held} "
        f"together or switched off.",
        he=f"ניהול עומסים ימנע את הגדלת החיבור אם ניתן להגביל את העומסים החדשים ל-{isolated(held)} "
        f"יחד או לנתקם.",
    )


def management_references(edition: Edition, *, charger: bool) -> list[CodeReference]:
    """Where load management stands: 750.30 (130.30 in 2026), 220.70 from 2023 on, 625.42."""
    found = [
        CodeReference(
            edition=edition,
            article="130.30" if edition == 2026 else "750.30",
            title="Energy management systems: load management",
        )
    ]
    if edition >= 2023:
        section = "120.7" if edition == 2026 else article("220.70", edition)
        title = "Energy management systems in load calculations"
        found.append(CodeReference(edition=edition, article=section, title=title))
    if charger:
        title = "Electric vehicle charging: rating and load management"
        found.append(CodeReference(edition=edition, article="625.42", title=title))
    return found
