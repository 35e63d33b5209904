"""Loads by floor area and demand factors of lighting and receptacles: 220.12, 220.42, 220.44.

Numbers are those of 2017; `editions.article` says where they stand in another edition. Cooking and
drying appliances are in `appliances`, and offered here too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from packs.electrical.nec import stored
from packs.electrical.nec.appliances import (
    CookingDemand,
    cooking_branch_circuit_w,
    dryer_demand_percent,
    dryer_demand_w,
    range_demand,
    range_demand_w,
)
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.figures import Figure, row_standing
from packs.electrical.nec.occupancies import parse_occupancy
from rollcall.core.errors import InvalidArgument

__all__ = [
    "CookingDemand",
    "cooking_branch_circuit_w",
    "dryer_demand_percent",
    "dryer_demand_w",
    "lighting_demand_va",
    "lighting_va_per_ft2",
    "range_demand",
    "range_demand_w",
    "receptacle_demand_va",
]


def lighting_va_per_ft2(occupancy: str, edition: Edition = DEFAULT) -> Figure:
    """The general lighting load of an occupancy, VA for each square foot of floor (Table 220.12).

    From 2020 on the figures of other occupancies than dwellings are others, and already include
    125 % for continuous loads (note 1 of the table). Not verified for 2026.

    Raises:
        InvalidArgument: The table has no such occupancy.
    """
    key = parse_occupancy(occupancy)
    for row in stored.rows("220_12"):
        if row.cells[0] == key and edition in row.editions:
            return Figure(float(row.cells[3]), *row_standing("220_12", row, edition))
    known = [cells[0] for cells in stored.cells("220_12", edition)]
    raise InvalidArgument(
        f"Table 220.12 has no {occupancy!r} in {edition}; it has {', '.join(known)}",
        field="occupancy",
    )


def lighting_demand_va(va: float, occupancy: str, edition: Edition = DEFAULT) -> Figure:
    """The demand of a general lighting load, VA (Table 220.42; 220.45 from 2023 on).

    Verified for hospitals and hotels in 2017 alone. Any occupancy without rows of its own is one of
    "all others": 100 %.

    Raises:
        InvalidArgument: The load is negative or the occupancy unknown.
    """
    key = parse_occupancy(occupancy)
    rows = [row for row in stored.rows("220_42") if edition in row.editions]
    own = [row for row in rows if row.cells[0] == key]
    own = own or [row for row in rows if row.cells[0] == "other"]
    demand = _in_steps(va, (row.cells[3:] for row in own))
    return Figure(demand, *row_standing("220_42", own[0], edition))


def receptacle_demand_va(va: float) -> float:
    """The demand of receptacle loads of other than dwellings, VA: 100 % of the first 10 kVA, 50 %
    of the rest (Table 220.44; 220.47 from 2023 on).

    Raises:
        InvalidArgument: The load is negative.
    """
    return _in_steps(va, stored.cells("220_44"))


def _in_steps(va: float, steps: Iterable[tuple[float, float | None, float]]) -> float:
    if not math.isfinite(va) or va < 0:
        raise InvalidArgument(f"a load is 0 VA or more, not {va}", field="va")
    demand = 0.0
    for low, high, percent in steps:
        part = (va if high is None else min(va, high)) - low
        demand += max(part, 0.0) * percent / 100
    return demand
