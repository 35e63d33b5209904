"""Ampacity and what corrects it: Tables 310.16, 310.15(B)(1)(1), 310.15(C)(1), and 240.4(D)."""

from __future__ import annotations

from functools import cache
from typing import get_args

from packs.electrical.nec import stored
from packs.electrical.nec.insulation import RATINGS, Rating, insulation_rating
from packs.electrical.nec.sizes import Material, Size, label
from rollcall.core.errors import InvalidArgument

__all__ = [
    "RATINGS",
    "Rating",
    "adjustment_factor",
    "ampacity",
    "insulation_rating",
    "small_conductor_limit",
    "temperature_factor",
]


def ampacity(size: Size, material: Material, rating: Rating) -> float:
    """The ampacity of Table 310.16, A, before correction and adjustment.

    Raises:
        InvalidArgument: The table has no such size, material and rating, such as 14 AWG aluminum.
    """
    found = _ampacities().get((size, material, rating))
    if found is None:
        sizes = [
            each for each, metal, degrees in _ampacities() if (metal, degrees) == (material, rating)
        ]
        raise InvalidArgument(
            f"Table 310.16 has no ampacity for {size} {material} at {rating} °C; "
            f"it has {label(sizes[0])} to {label(sizes[-1])}",
            field="conductorSize",
        )
    return found


def temperature_factor(ambient_c: float, rating: Rating) -> float:
    """The factor of Table 310.15(B)(1)(1) for an ambient temperature in °C.

    Raises:
        InvalidArgument: It is too hot for the insulation.
    """
    column = RATINGS.index(rating) + 1
    allowed = [row for row in stored.cells("310_15_b_1_1") if row[column] is not None]
    for row in allowed:
        if ambient_c <= row[0]:
            return float(row[column])
    raise InvalidArgument(
        f"insulation of {rating} °C may not be used at {ambient_c} °C ambient; "
        f"Table 310.15(B)(1)(1) ends at {allowed[-1][0]} °C",
        field="ambientC",
    )


def adjustment_factor(current_carrying: int) -> float:
    """The factor of Table 310.15(C)(1) for the number of current-carrying conductors together.

    Raises:
        InvalidArgument: It is below 1.
    """
    if current_carrying < 1:
        raise InvalidArgument(
            f"at least 1 conductor carries current, not {current_carrying}",
            field="currentCarryingConductors",
        )
    last = None
    for low, _, factor in stored.cells("310_15_c_1"):
        if current_carrying >= low:
            last = factor
    assert last is not None
    return float(last)


def small_conductor_limit(size: Size, material: Material) -> int | None:
    """The largest overcurrent device of 240.4(D) for a small conductor, A; None for larger ones."""
    for known, metal, amps in stored.cells("240_4_d"):
        if (known, metal) == (size, material):
            return int(amps)
    return None


@cache
def _ampacities() -> dict[tuple[Size, Material, Rating], float]:
    found: dict[tuple[Size, Material, Rating], float] = {}
    for size, *values in stored.cells("310_16"):
        columns = ((metal, degrees) for metal in get_args(Material) for degrees in RATINGS)
        for (metal, degrees), amps in zip(columns, values, strict=True):
            if amps is not None:
                found[size, metal, degrees] = float(amps)
    return found
