"""The optional methods for dwellings: 220.82, for what exists 220.83, and 220.84 for three dwelling
units or more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rollcall.packs.electrical.calculations.loads.general import General, general_loads
from rollcall.packs.electrical.calculations.loads.phases import Currents, scaled, total
from rollcall.packs.electrical.calculations.loads.premises import Notes, Premises, evse_va
from rollcall.packs.electrical.calculations.loads.steps import (
    Calculation,
    Load,
    Method,
    Step,
    listed,
    of_kinds,
    step,
    together,
    va_of,
)
from rollcall.packs.electrical.projects.records import LoadType
from rollcall.packs.electrical.results import Assumed, CodeReference, Words, number

FIRST_VA = 10_000.0
"""220.82(B): counted in full; the rest at `REST`."""

FIRST_VA_2026 = 8_000.0
"""As secondary sources give 120.82 of 2026."""

FIRST_VA_EXISTING = 8_000.0
"""220.83."""

REST = 0.4
CENTRAL_HEATING = 0.65
SEPARATE_HEATING = 0.4
"""Of four or more separately controlled units; fewer count as central heating (220.82(C))."""

FEWEST_SEPARATE = 4
UNITS_LEAST = 3

UNITS_PERCENT: tuple[tuple[int, int], ...] = (
    (5, 45), (7, 44), (10, 43), (11, 42), (13, 41), (15, 40), (17, 39), (20, 38), (21, 37),
    (23, 36), (25, 35), (27, 34), (30, 33), (31, 32), (33, 31), (36, 30), (38, 29), (42, 28),
    (45, 27), (50, 26), (55, 25), (61, 24),
)  # fmt: skip
"""Table 220.84: up to so many dwelling units, percent; 23 above. Sources: NFPA 70 Annex D, Example
D4(b) for 20 and 40 units; public copies of the table that agree."""

UNITS_PERCENT_MORE = 23
SEASONAL: tuple[LoadType, ...] = ("space_heating", "air_conditioning", "heat_pump")


def optional(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The calculated load of one dwelling unit by 220.82: the first 10 kVA of general loads in
    full, the rest at 40 %, and the largest of the selections of heating and cooling."""
    notes = Notes()
    first = FIRST_VA_2026 if premises.edition == 2026 else FIRST_VA
    if premises.edition == 2026:
        notes.warnings.append(_UNVERIFIED_2026)
    notes.assumed.append(_CONTINUOUS)
    rows = _other_rows(loads, premises, "220.82(B)")
    steps = [
        *_tiers(loads, premises, notes, rows, first, "220.82(B)"),
        *_season(loads, premises),
    ]
    notes.references.append(premises.cite("220.82", "Dwelling unit, optional calculation"))
    if of_kinds(loads, *SEASONAL):
        notes.references.append(premises.cite("220.82(C)", "Heating and air-conditioning load"))
    return _finished("optional", premises, steps, notes)


def existing(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The load of an existing dwelling with what is added, by 220.83: the first 8 kVA in full, the
    rest at 40 %. Where heating or cooling is added, heating or cooling counts in full (B)."""
    notes, of = Notes(), premises.system
    notes.assumed.append(_CONTINUOUS)
    if premises.edition == 2026:
        notes.warnings.append(_UNVERIFIED_2026)
    seasonal = of_kinds(loads, *SEASONAL)
    heating_added = any(load.is_new for load in seasonal)
    article = "220.83(B)" if heating_added else "220.83(A)"
    chosen, idle = _larger_season(loads)
    rows = _other_rows(loads, premises, article)
    separate: list[Load] = []
    if heating_added:
        heaters = of_kinds(chosen, "space_heating")
        separate = heaters if len(heaters) >= FEWEST_SEPARATE else []
        inside = separate
    else:
        inside = chosen
        if chosen:
            notes.assumed.append(_EXISTING_SEASON)
    if inside:
        rows.append(_as_row(_SEASON, inside, premises, article))
    steps = _tiers(loads, premises, notes, rows, FIRST_VA_EXISTING, article)
    in_full = [load for load in chosen if heating_added and load not in separate]
    if in_full:
        steps.append(step(_SEASON, in_full, of, premises.at(article)))
    if idle:
        steps.append(step(_NOT_AT_ONCE, idle, of, premises.at("220.60"), demand_va=0.0))
    notes.references.append(premises.cite(article, "Existing dwelling unit"))
    return _finished("existing", premises, steps, notes)


def multifamily(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The load of three or more dwelling units by 220.84: everything connected, the larger of
    heating and cooling, times the factor of Table 220.84."""
    notes = Notes()
    notes.assumed += [_CONTINUOUS, _NO_HOUSE_LOADS]
    article = premises.at("220.84")
    general = general_loads(loads, premises, notes)
    chosen, idle = _larger_season(loads)
    rows = _other_rows(loads, premises, "220.84(C)")
    if chosen:
        rows.append(_as_row(_SEASON, chosen, premises, "220.84(C)"))
    va, drawn = _sum(general, rows, premises)
    percent = units_percent(premises.dwelling_units)
    steps = [*general.steps, *rows]
    factor = Words(
        en=f"{percent} % for {premises.dwelling_units} dwelling units",
        he=f"{percent}% ל-{premises.dwelling_units} יחידות דיור",
    )
    steps.append(together(factor, va, va * percent / 100, drawn, article, table=article))
    if idle:
        season = premises.at("220.84(C)")
        steps.append(step(_NOT_AT_ONCE, idle, premises.system, season, demand_va=0.0))
    notes.references.append(
        premises.cite("220.84", "Multifamily dwelling, optional calculation", table="220.84")
    )
    return _finished("optional", premises, steps, notes)


def units_percent(units: int) -> int:
    """The demand factor of Table 220.84 for three dwelling units or more, percent."""
    return next((percent for most, percent in UNITS_PERCENT if units <= most), UNITS_PERCENT_MORE)


def _finished(
    method: Method, premises: Premises, steps: Sequence[Step], notes: Notes
) -> Calculation:
    references: tuple[CodeReference, ...] = tuple(notes.references)
    assumed, warnings = tuple(notes.assumed), tuple(notes.warnings)
    return Calculation(method, premises.system, tuple(steps), assumed, warnings, references)


def _tiers(
    loads: Sequence[Load],
    premises: Premises,
    notes: Notes,
    rows: Sequence[Step],
    first: float,
    article: str,
) -> list[Step]:
    """Everything listed, and a row that counts it: the first part in full, the rest at 40 %."""
    general = general_loads(loads, premises, notes)
    va, drawn = _sum(general, rows, premises)
    demand = min(va, first) + REST * max(va - first, 0)
    what = Words(
        en=f"The first {number(first)} VA at 100 %, the rest at 40 %",
        he=f"{number(first)} VA ראשונים ב-100%, היתר ב-40%",
    )
    row = together(what, va, demand, drawn, premises.at(article))
    return [*general.steps, *rows, row]


def _sum(general: General, rows: Sequence[Step], premises: Premises) -> tuple[float, Currents]:
    va = general.va + sum(row.connected_va for row in rows)
    return va, total(premises.system, [general.drawn, *(row.drawn for row in rows)])


def _other_rows(loads: Sequence[Load], premises: Premises, article: str) -> list[Step]:
    """Appliances, motors and all other loads at their rating, a row for each kind."""
    rows = []
    for what, kinds in _RATED:
        found = [load for load in of_kinds(loads, *kinds) if load.va]
        if found:
            counted = _charger if kinds == ("ev_charger",) else _rated
            rows.append(_as_row(what, found, premises, article, counted))
    return rows


def _rated(load: Load, premises: Premises) -> float:
    return load.va


def _charger(load: Load, premises: Premises) -> float:
    return evse_va(load.va, premises)


def _as_row(
    what: Words,
    loads: Sequence[Load],
    premises: Premises,
    article: str,
    counted: Callable[[Load, Premises], float] = _rated,
) -> Step:
    of = premises.system
    va = sum(counted(load, premises) for load in loads)
    drawn = [scaled(load.drawn, counted(load, premises) / load.va) for load in loads]
    return listed(what, va, of, premises.at(article), total(of, drawn))


def _season(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.82(C): cooling in full; a heat pump with 65 % of its supplementary heat; central heating
    and fewer than four separate units at 65 %, four or more at 40 %. The largest counts."""
    of, article = premises.system, premises.at("220.82(C)")
    heaters = [load for load in of_kinds(loads, "space_heating") if load.va]
    pumps = [load for load in of_kinds(loads, "heat_pump") if load.va]
    cooling = [*(load for load in of_kinds(loads, "air_conditioning") if load.va), *pumps]
    separate = len(heaters) >= FEWEST_SEPARATE and not pumps
    factor = SEPARATE_HEATING if separate else CENTRAL_HEATING
    summer, winter = va_of(cooling), va_of(pumps) + factor * va_of(heaters)
    if summer >= winter:
        if cooling:
            yield step(_COOLING, cooling, of, article)
        if heaters:
            yield step(_NOT_AT_ONCE, heaters, of, premises.at("220.60"), demand_va=0.0)
        return
    if pumps:
        yield step(_HEAT_PUMP, pumps, of, article)
    what = _SUPPLEMENTARY if pumps else _SEPARATE if separate else _CENTRAL
    yield step(what, heaters, of, article, demand_va=factor * va_of(heaters))
    idle = [load for load in cooling if load not in pumps]
    if idle:
        yield step(_NOT_AT_ONCE, idle, of, premises.at("220.60"), demand_va=0.0)


def _larger_season(loads: Sequence[Load]) -> tuple[list[Load], list[Load]]:
    """The season that needs more at its rating, and what then stands idle (220.60)."""
    seasonal = [load for load in of_kinds(loads, *SEASONAL) if load.va]
    winter = [load for load in seasonal if load.kind != "air_conditioning"]
    summer = [load for load in seasonal if load.kind != "space_heating"]
    chosen = winter if va_of(winter) >= va_of(summer) else summer
    return chosen, [load for load in seasonal if load not in chosen]


_RATED: tuple[tuple[Words, tuple[LoadType, ...]], ...] = (
    (Words(en="Cooking appliances", he="מכשירי בישול"), ("range", "cooktop", "oven")),
    (Words(en="Clothes dryers", he="מייבשי כביסה"), ("dryer",)),
    (Words(en="Water heaters", he="דודי מים חמים"), ("water_heater",)),
    (Words(en="Other appliances", he="מכשירים אחרים"), ("appliance",)),
    (Words(en="Motors", he="מנועים"), ("motor",)),
    (Words(en="Electric vehicle chargers", he="מטעני רכב חשמלי"), ("ev_charger",)),
    (Words(en="Other equipment", he="ציוד אחר"), ("equipment", "welder", "subpanel", "other")),
)
_COOLING = Words(en="Cooling at 100 %", he="מיזוג אוויר ב-100%")
_HEAT_PUMP = Words(en="Heat pump at 100 %", he="משאבת חום ב-100%")
_SUPPLEMENTARY = Words(en="Supplementary heating at 65 %", he="חימום משלים ב-65%")
_CENTRAL = Words(en="Heating at 65 %", he="חימום ב-65%")
_SEPARATE = Words(
    en="Four or more separately controlled heaters at 40 %",
    he="ארבעה גופי חימום ויותר בבקרה נפרדת, ב-40%",
)
_SEASON = Words(en="Heating or cooling, the larger", he="חימום או מיזוג, הגדול מביניהם")
_NOT_AT_ONCE = Words(
    en="The other season's equipment, not at the same time",
    he="ציוד העונה האחרת, שאינו פועל באותו זמן",
)
_UNVERIFIED_2026 = Words(
    en="The optional calculation of 2026 is known from secondary sources alone; check it against "
    "the adopted edition.",
    he="החישוב החלופי של מהדורת 2026 ידוע ממקורות משניים בלבד; יש לבדוק מול המהדורה שאומצה.",
)
_CONTINUOUS = Assumed(
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
_EXISTING_SEASON = Assumed(
    "existing_heating_and_cooling",
    "included",
    None,
    Words(
        en="no heating or cooling is added; the larger of what exists counts with the other "
        "loads, which 220.83(A) leaves open",
        he="לא נוסף ציוד חימום או מיזוג; הגדול מבין הקיימים נספר עם שאר העומסים, "
        "דבר שסעיף 220.83(A) אינו קובע במפורש",
    ),
)
_NO_HOUSE_LOADS = Assumed(
    "house_loads",
    "with_the_units",
    None,
    Words(
        en="all loads count as those of the dwelling units; house loads count apart by the "
        "standard method (220.84(B)) and are more than this then",
        he="כל העומסים נספרים כעומסי הדירות; עומסים משותפים יש לחשב בנפרד בשיטה הרגילה "
        "(220.84(B)), והם יוצאים גבוהים יותר",
    ),
)
