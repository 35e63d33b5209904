"""What the optional methods for dwellings share: loads at their rating, listed, and a row that
counts the first of them in full and the rest at 40 %."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.loads.general import General, general_loads
from packs.electrical.calculations.loads.phases import Currents, scaled, total
from packs.electrical.calculations.loads.premises import Notes, Premises, evse_va
from packs.electrical.calculations.loads.steps import (
    Calculation,
    Load,
    Method,
    Step,
    listed,
    of_kinds,
    together,
    va_of,
)
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Assumed, Words, number

REST = 0.4
"""Of what is above the first part (220.82(B), 220.83)."""

FEWEST_SEPARATE = 4
"""So many separately controlled heaters count less than central heating (220.82(C), 220.83(B))."""

SEASONAL: tuple[LoadType, ...] = ("space_heating", "air_conditioning", "heat_pump")


def finished(
    method: Method, premises: Premises, steps: Sequence[Step], notes: Notes
) -> Calculation:
    """The calculation with everything that was noted on the way."""
    return Calculation(
        method,
        premises.system,
        tuple(steps),
        tuple(notes.assumed),
        tuple(notes.warnings),
        tuple(notes.references),
    )


def in_tiers(
    loads: Sequence[Load],
    premises: Premises,
    notes: Notes,
    rows: Sequence[Step],
    first: float,
    article: str,
) -> list[Step]:
    """Everything listed, and a row that counts it: the first part in full, the rest at 40 %."""
    general = general_loads(loads, premises, notes)
    va, drawn = sum_of(general, rows, premises)
    demand = min(va, first) + REST * max(va - first, 0)
    what = Words(
        en=f"The first {number(first)} VA at 100 %, the rest at 40 %",
        he=f"{number(first)} VA ראשונים ב-100%, היתר ב-40%",
    )
    row = together(what, va, demand, drawn, premises.at(article))
    return [*general.steps, *rows, row]


def sum_of(general: General, rows: Sequence[Step], premises: Premises) -> tuple[float, Currents]:
    """What general loads and rows come to, VA and A."""
    va = general.va + sum(row.connected_va for row in rows)
    return va, total(premises.system, [general.drawn, *(row.drawn for row in rows)])


def rated_rows(loads: Sequence[Load], premises: Premises, article: str) -> list[Step]:
    """Appliances, motors and all other loads at their rating, a row for each kind."""
    rows = []
    for what, kinds in _RATED:
        found = [load for load in of_kinds(loads, *kinds) if load.va]
        if found:
            rows.append(as_row(what, found, premises, article))
    return rows


def as_row(what: Words, loads: Sequence[Load], premises: Premises, article: str) -> Step:
    """Loads of one kind, listed at what each counts."""
    of = premises.system
    counted = [_counted(load, premises) for load in loads]
    drawn = [scaled(each.drawn, va / each.va) for each, va in zip(loads, counted, strict=True)]
    return listed(what, sum(counted), of, premises.at(article), total(of, drawn))


def larger_season(loads: Sequence[Load]) -> tuple[list[Load], list[Load]]:
    """The season that needs more at its rating, and what then stands idle (220.60)."""
    seasonal = [load for load in of_kinds(loads, *SEASONAL) if load.va]
    winter = [load for load in seasonal if load.kind != "air_conditioning"]
    summer = [load for load in seasonal if load.kind != "space_heating"]
    if va_of(winter) >= va_of(summer):
        return winter, of_kinds(seasonal, "air_conditioning")
    return summer, of_kinds(seasonal, "space_heating")


def separate_units(heaters: Sequence[Load]) -> Assumed:
    """What decides whether heating counts as separately controlled, as it is taken here."""
    return Assumed("separately_controlled_heaters", len(heaters), None, _UNIT_FOR_EACH)


def _counted(load: Load, premises: Premises) -> float:
    return evse_va(load.va, premises) if load.kind == "ev_charger" else load.va


_RATED: tuple[tuple[Words, tuple[LoadType, ...]], ...] = (
    (Words(en="Cooking appliances", he="מכשירי בישול"), ("range", "cooktop", "oven")),
    (Words(en="Clothes dryers", he="מייבשי כביסה"), ("dryer",)),
    (Words(en="Water heaters", he="דודי מים חמים"), ("water_heater",)),
    (Words(en="Other appliances", he="מכשירים אחרים"), ("appliance",)),
    (Words(en="Motors", he="מנועים"), ("motor",)),
    (Words(en="Electric vehicle chargers", he="מטעני רכב חשמלי"), ("ev_charger",)),
    (Words(en="Other equipment", he="ציוד אחר"), ("equipment", "welder", "subpanel", "other")),
)
SEASON = Words(en="Heating or cooling, the larger", he="חימום או מיזוג, הגדול מביניהם")
NOT_AT_ONCE = Words(
    en="The other season's equipment, not at the same time",
    he="ציוד העונה האחרת, שאינו פועל באותו זמן",
)
UNVERIFIED_2026 = Words(
    en="The optional calculation of 2026 is known from secondary sources alone; check it against "
    "the adopted edition.",
    he="החישוב החלופי של מהדורת 2026 ידוע ממקורות משניים בלבד; יש לבדוק מול המהדורה שאומצה.",
)
_UNIT_FOR_EACH = Words(
    en="each space-heating circuit counts as one separately controlled unit; heaters that share a "
    "control are fewer",
    he="כל מעגל חימום נספר כיחידה אחת בבקרה נפרדת; גופי חימום בבקרה משותפת הם פחות יחידות",
)
CONTINUOUS_ONCE = Assumed(
    "continuous_loads",
    100,
    "%",
    Words(
        en="continuous loads count once in the optional methods for dwellings; their branch "
        "circuits are sized at 125 %",
        he="בשיטות החלופיות לדירות עומסים רציפים נספרים פעם אחת; המעגלים שלהם מחושבים לפי 125%",
    ),
    is_default=False,
)
