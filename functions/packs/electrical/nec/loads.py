"""Loads by floor area and demand factors: lighting (220.12, 220.42), receptacles (220.44),
household dryers (220.54) and cooking appliances (220.55).

Numbers are those of 2017; `editions.article` says what they are in another edition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from packs.electrical.nec import tables
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.tables import Figure, row_standing
from packs.electrical.wording import TEXTS, invalid


def lighting_va_per_ft2(occupancy: str, edition: Edition = DEFAULT) -> Figure:
    """Return the general lighting load of an occupancy, VA for each square foot of floor (Table
    220.12).

    From 2020 on the figures of other occupancies than dwellings are others, and already include
    125 % for continuous loads (note 1 of the table). Not verified for 2026.

    Raises:
        InvalidArgument: The table has no such occupancy.
    """
    key = parse_occupancy(occupancy)
    for row in tables.rows("220_12"):
        if row.cells[0] == key and edition in row.editions:
            return Figure(float(row.cells[3]), *row_standing("220_12", row, edition))
    known = [cells[0] for cells in tables.cells("220_12", edition)]
    raise invalid(
        "occupancy", "no_lighting_row", occupancy=occupancy, edition=edition, known=", ".join(known)
    )


def lighting_demand_va(va: float, occupancy: str, edition: Edition = DEFAULT) -> Figure:
    """Return the demand of a general lighting load, VA (Table 220.42; 220.45 from 2023 on).

    Verified for hospitals and hotels in 2017 alone. Any occupancy without rows of its own is one of
    "all others": 100 %.

    Raises:
        InvalidArgument: The load is negative or the occupancy unknown.
    """
    key = parse_occupancy(occupancy)
    rows = [row for row in tables.rows("220_42") if edition in row.editions]
    own = [row for row in rows if row.cells[0] == key]
    own = own or [row for row in rows if row.cells[0] == "other"]
    demand = _in_steps(va, (row.cells[3:] for row in own))
    return Figure(demand, *row_standing("220_42", own[0], edition))


def receptacle_demand_va(va: float) -> float:
    """Return the demand of receptacle loads of other than dwellings, VA: 100 % of the first 10 kVA,
    50 % of the rest (Table 220.44; 220.47 from 2023 on).

    Raises:
        InvalidArgument: The load is negative.
    """
    return _in_steps(va, tables.cells("220_44"))


def _in_steps(va: float, steps: Iterable[tuple[float, float | None, float]]) -> float:
    if not math.isfinite(va) or va < 0:
        raise invalid("va", "negative_load", va=va)
    demand = 0.0
    for low, high, percent in steps:
        part = (va if high is None else min(va, high)) - low
        demand += max(part, 0.0) * percent / 100
    return demand


SMALLEST_W = 1_750.0
"""Table 220.55 is for appliances above this rating; smaller ones count their nameplate."""

COLUMN_B_FROM_W = 3_500.0
COLUMN_B_TO_W = 8_750.0
COLUMN_C_TO_W = 12_000.0
LARGEST_W = 27_000.0
DRYER_LEAST_W = 5_000.0
_MOST_OVENS = 2
_PERCENT_PER_KW = 5


@dataclass(frozen=True, slots=True)
class CookingDemand:
    """What Table 220.55 asks of a group of cooking appliances.

    Attributes:
        demand_w: The demand load, W.
        method: `column_c`: all of them by column C; `columns_a_b`: all by note 3; `mixed`: the
            small ones by note 3 and the others by column C.
        column_c_increase_percent: What notes 1 and 2 add to column C.
    """

    demand_w: float
    method: Literal["none", "column_c", "columns_a_b", "mixed"]
    column_c_increase_percent: int


def range_demand_w(nameplate_watts: Sequence[float]) -> float:
    """Return the demand load of household cooking appliances on one feeder or service, W; see
    `range_demand`."""
    return range_demand(nameplate_watts).demand_w


def range_demand(nameplate_watts: Sequence[float]) -> CookingDemand:
    """Return the demand load of household ranges, ovens and counter-mounted units (Table 220.55).

    Column C is for any of them; notes 1 and 2 raise it by 5 % for each kW, or major part of one,
    that the average is above 12 kW, with 12 for each below 12. Note 3 permits columns A and B for
    those up to 8.75 kW. Where both ways are open, the smaller demand is taken.

    Args:
        nameplate_watts: Of each appliance, W, above 1750 and up to 27,000, in any order.

    Raises:
        InvalidArgument: A rating is outside the table.
    """
    ratings = sorted(_checked(watts) for watts in nameplate_watts)
    if not ratings:
        return CookingDemand(0.0, "none", 0)
    small = [watts for watts in ratings if watts <= COLUMN_B_TO_W]
    large = ratings[len(small) :]
    ways = [_by_column_c(ratings)]
    if small:
        rest = _by_column_c(large)
        ways.append(
            CookingDemand(
                _by_note_3(small) + rest.demand_w,
                "mixed" if large else "columns_a_b",
                rest.column_c_increase_percent,
            )
        )
    return min(ways, key=lambda way: way.demand_w)


def cooking_branch_circuit_w(
    *, range_w: float | None = None, cooktop_w: float | None = None, ovens_w: Sequence[float] = ()
) -> float:
    """Return the load of one branch circuit for cooking, W (note 4 of Table 220.55).

    One range goes by the table; one wall oven or one counter-mounted unit by its nameplate; a
    counter-mounted unit with one or two wall ovens in the same room counts as a range of their sum.

    Raises:
        InvalidArgument: Another combination: note 4 has none.
    """
    if range_w is not None and cooktop_w is None and not ovens_w:
        return range_demand_w([range_w])
    if range_w is None and cooktop_w is not None and 1 <= len(ovens_w) <= _MOST_OVENS:
        return range_demand_w([cooktop_w + math.fsum(ovens_w)])
    single = [*([] if cooktop_w is None else [cooktop_w]), *ovens_w]
    if range_w is None and len(single) == 1:
        return _positive(single[0])
    raise invalid("ovensWatts", "cooking_branch")


def dryer_demand_percent(dryers: int) -> float:
    """Return the demand factor of Table 220.54 for a number of dryers, percent.

    Raises:
        InvalidArgument: It is below 1.
    """
    for low, high, percent, less, above in tables.cells("220_54"):
        if dryers >= low and (high is None or dryers <= high):
            return float(percent - (less * (dryers - above) if less else 0))
    raise invalid("dryers", "no_dryers", dryers=dryers)


def dryer_demand_w(nameplate_watts: Sequence[float]) -> float:
    """Return the demand load of household dryers, W: each counts 5000 W at least (220.54).

    By the table of 2017 to 2023; 2026 has another (`figures.standing("220_54", 2026)`).

    Raises:
        InvalidArgument: A rating is not above 0.
    """
    if not nameplate_watts:
        return 0.0
    counted = math.fsum(max(_positive(watts), DRYER_LEAST_W) for watts in nameplate_watts)
    return counted * dryer_demand_percent(len(nameplate_watts)) / 100


def _by_column_c(ratings: Sequence[float]) -> CookingDemand:
    if not ratings:
        return CookingDemand(0.0, "column_c", 0)
    *_, kw, base_kw, per_kw = _row(len(ratings))
    demand_w = 1000 * (kw if kw is not None else base_kw + per_kw * len(ratings))
    average = math.fsum(max(watts, COLUMN_C_TO_W) for watts in ratings) / len(ratings)
    # A major part of a kilowatt is half of one or more.
    above_kw = math.floor((average - COLUMN_C_TO_W) / 1000 + 0.5)
    increase = _PERCENT_PER_KW * above_kw
    return CookingDemand(demand_w * (100 + increase) / 100, "column_c", increase)


def _by_note_3(ratings: Sequence[float]) -> float:
    column_a = [watts for watts in ratings if watts < COLUMN_B_FROM_W]
    column_b = ratings[len(column_a) :]
    demand = 0.0
    for group, column in ((column_a, 2), (column_b, 3)):
        if group:
            demand += math.fsum(group) * _row(len(group))[column] / 100
    return demand


def _row(appliances: int) -> tuple[float, ...]:
    return next(
        row
        for row in tables.cells("220_55")
        if row[0] <= appliances and (row[1] is None or appliances <= row[1])
    )


def _checked(watts: float) -> float:
    if not SMALLEST_W < watts <= LARGEST_W:
        raise invalid(
            "nameplateWatts",
            "cooking_out_of_table",
            smallest=SMALLEST_W,
            largest=LARGEST_W,
            watts=watts,
        )
    return watts


def _positive(watts: float) -> float:
    if not math.isfinite(watts) or watts <= 0:
        raise invalid("nameplateWatts", "no_rating", watts=watts)
    return watts


def parse_occupancy(text: str) -> str:
    """Return the key of an occupancy, such as "dwelling" or "office", of a word for it in any
    language.

    Raises:
        InvalidArgument: It is not known.
    """
    plain = " ".join(text.lower().replace("_", " ").split())
    for _, key, name in _occupancies():
        if plain == name:
            return key
    known = sorted({key for _, key, _ in _occupancies()})
    raise invalid("occupancy", "not_an_occupancy", text=text, known=", ".join(known))


def find_occupancy(text: str) -> str | None:
    """Return the occupancy that a sentence names, the longest name first; None if it names none."""
    words = re.findall(r"[^\W_]+", text.lower())
    plain = f" {' '.join(words)} "
    named = [
        (len(name), key)
        for before, key, name in _occupancies()
        if re.search(rf"{before}{re.escape(name)} ", plain)
    ]
    return max(named)[1] if named else None


@cache
def _occupancies() -> tuple[tuple[str, str, str], ...]:
    """Every name of an occupancy: what may stand before it in a sentence, its key and the name."""
    return tuple(
        (TEXTS.data(language, "nec.cues.before_word"), key, name)
        for language in TEXTS.languages
        for key, names in TEXTS.data(language, "nec.words.occupancies").items()
        for name in names
    )
