"""Loads by floor area and demand factors: lighting (220.12, 220.42), receptacles (220.44),
household dryers (220.54) and cooking appliances (220.55).

Numbers are those of 2017; `editions.article` says what they are in another edition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache

from packs.electrical.nec import tables
from packs.electrical.nec.editions import DEFAULT, Edition, article
from packs.electrical.nec.tables import Figure, row_note
from packs.electrical.wording import TEXTS, invalid


def lighting_va_per_ft2(occupancy: str, edition: Edition = DEFAULT) -> Figure:
    """Return the general lighting load of an occupancy, VA for each square foot of floor (Table
    220.12).

    From 2020 on, the figures of occupancies other than dwellings differ, and include the 125 % for
    continuous loads (note 1 of the table). They are not verified for 2026.

    Raises:
        InvalidArgument: The table has no such occupancy.
    """
    key = parse_occupancy(occupancy)
    for row in tables.rows("220_12"):
        if row.cells[0] == key and edition in row.editions:
            return Figure(float(row.cells[3]), row_note("220_12", row, edition))
    known = [cells[0] for cells in tables.cells("220_12", edition)]
    raise invalid(
        "occupancy",
        "no_lighting_row",
        table=article("220.12", edition),
        occupancy=occupancy,
        edition=edition,
        known=", ".join(known),
    )


def lighting_demand_va(va: float, occupancy: str, edition: Edition = DEFAULT) -> Figure:
    """Return the demand of a general lighting load, VA (Table 220.42; 220.45 from 2023 on).

    The figures of hospitals and hotels are verified for 2017 alone. An occupancy without rows of
    its own counts 100 %, as one of "all others".

    Raises:
        InvalidArgument: The load is negative or the occupancy unknown.
    """
    key = parse_occupancy(occupancy)
    rows = [row for row in tables.rows("220_42") if edition in row.editions]
    own = [row for row in rows if row.cells[0] == key]
    own = own or [row for row in rows if row.cells[0] == "other"]
    demand = _in_steps(va, (row.cells[3:] for row in own))
    return Figure(demand, row_note("220_42", own[0], edition))


def receptacle_demand_va(va: float) -> float:
    """Return the demand of receptacle loads of other than dwellings, VA: 100 % of the first 10 kVA,
    50 % of the rest (Table 220.44; 220.47 from 2023 on).

    Raises:
        InvalidArgument: The load is negative.
    """
    return _in_steps(va, tables.cells("220_44"))


def _in_steps(va: float, steps: Iterable[tuple[float, float | None, float]]) -> float:
    """Apply demand factors to a load: each step is a range, VA, and its percent."""
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
_PERCENT_PER_KW = 5


def range_demand_w(nameplate_watts: Sequence[float]) -> float:
    """Return the demand load of household ranges, ovens and counter-mounted units on one feeder or
    service, W (Table 220.55).

    Column C is for any of them; notes 1 and 2 raise it by 5 % for each kW, or major part of one,
    that the average is above 12 kW, with 12 for each below 12. Note 3 permits columns A and B for
    those up to 8.75 kW. Where both ways are open, the smaller demand is taken.

    Args:
        nameplate_watts: Of each appliance, W, above 1750 and up to 27,000, in any order.

    Raises:
        InvalidArgument: A rating is outside the table.
    """
    for watts in nameplate_watts:
        if not SMALLEST_W < watts <= LARGEST_W:
            raise invalid(
                "nameplateWatts",
                "cooking_out_of_table",
                smallest=SMALLEST_W,
                largest=LARGEST_W,
                watts=watts,
            )
    ratings = sorted(nameplate_watts)
    small = [watts for watts in ratings if watts <= COLUMN_B_TO_W]
    return min(_by_column_c(ratings), _by_note_3(small) + _by_column_c(ratings[len(small) :]))


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

    By the table of 2017 to 2023; that of 2026, another one, was not checked.

    Raises:
        InvalidArgument: A rating is not above 0.
    """
    if not nameplate_watts:
        return 0.0
    for watts in nameplate_watts:
        if not math.isfinite(watts) or watts <= 0:
            raise invalid("nameplateWatts", "no_rating", watts=watts)
    counted = math.fsum(max(watts, DRYER_LEAST_W) for watts in nameplate_watts)
    return counted * dryer_demand_percent(len(nameplate_watts)) / 100


def _by_column_c(ratings: Sequence[float]) -> float:
    if not ratings:
        return 0.0
    *_, kw, base_kw, per_kw = _row(len(ratings))
    demand_w = 1000 * (kw if kw is not None else base_kw + per_kw * len(ratings))
    average = math.fsum(max(watts, COLUMN_C_TO_W) for watts in ratings) / len(ratings)
    # A major part of a kilowatt is half of one or more.
    above_kw = math.floor((average - COLUMN_C_TO_W) / 1000 + 0.5)
    return demand_w * (100 + _PERCENT_PER_KW * above_kw) / 100


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


def parse_occupancy(text: str) -> str:
    """Return the key of an occupancy, such as "dwelling" or "office", from a word of any language.

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
