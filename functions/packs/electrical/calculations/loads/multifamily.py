"""220.84: three dwelling units or more, with electric cooking and heating or cooling."""

from __future__ import annotations

from collections.abc import Sequence

from packs.electrical.calculations.loads.general import general_loads
from packs.electrical.calculations.loads.premises import Notes, Premises
from packs.electrical.calculations.loads.steps import Calculation, Load, step, together
from packs.electrical.calculations.loads.tiers import (
    CONTINUOUS_ONCE,
    NOT_AT_ONCE,
    SEASON,
    as_row,
    finished,
    larger_season,
    rated_rows,
    sum_of,
)
from packs.electrical.results import Assumed, Words

UNITS_LEAST = 3

UNITS_PERCENT: tuple[tuple[int, int], ...] = (
    (5, 45), (7, 44), (10, 43), (11, 42), (13, 41), (15, 40), (17, 39), (20, 38), (21, 37),
    (23, 36), (25, 35), (27, 34), (30, 33), (31, 32), (33, 31), (36, 30), (38, 29), (42, 28),
    (45, 27), (50, 26), (55, 25), (61, 24),
)  # fmt: skip
"""Table 220.84: up to so many dwelling units, percent; 23 above. Sources: NFPA 70 Annex D, Example
D4(b) for 20 and 40 units; public copies of the table that agree."""

UNITS_PERCENT_MORE = 23


def multifamily(loads: Sequence[Load], premises: Premises) -> Calculation:
    """The load of three or more dwelling units by 220.84: everything connected, the larger of
    heating and cooling, times the factor of Table 220.84."""
    notes = Notes()
    notes.assumed += [CONTINUOUS_ONCE, _NO_HOUSE_LOADS]
    article = premises.at("220.84")
    general = general_loads(loads, premises, notes)
    chosen, idle = larger_season(loads)
    rows = rated_rows(loads, premises, "220.84(C)")
    if chosen:
        rows.append(as_row(SEASON, chosen, premises, "220.84(C)"))
    va, drawn = sum_of(general, rows, premises)
    percent = units_percent(premises.dwelling_units)
    steps = [*general.steps, *rows]
    factor = Words(
        en=f"{percent} % for {premises.dwelling_units} dwelling units",
        he=f"{percent}% ל-{premises.dwelling_units} יחידות דיור",
    )
    steps.append(together(factor, va, va * percent / 100, drawn, article, table=article))
    if idle:
        season = premises.at("220.84(C)")
        steps.append(step(NOT_AT_ONCE, idle, premises.system, season, demand_va=0.0))
    notes.references.append(
        premises.cite("220.84", "Multifamily dwelling, optional calculation", table="220.84")
    )
    return finished("optional", premises, steps, notes)


def units_percent(units: int) -> int:
    """The demand factor of Table 220.84 for three dwelling units or more, percent."""
    return next((percent for most, percent in UNITS_PERCENT if units <= most), UNITS_PERCENT_MORE)


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
