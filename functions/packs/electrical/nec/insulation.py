"""Insulation types by their marking: the temperature rating for dry, damp and wet places.

Source: NEC Table 310.4(1) (310.104(A) in 2017); NM: 334.80; UF: 340.80.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from rollcall.core.errors import InvalidArgument

Rating = Literal[60, 75, 90]
"""Temperature rating of an insulation or a termination, °C."""

RATINGS: tuple[Rating, ...] = get_args(Rating)

_DRY: dict[str, Rating] = {
    **dict.fromkeys(("TW", "UF", "UF-B", "NM", "NM-B", "NMC", "NMC-B"), 60),
    **dict.fromkeys(("RHW", "THW", "THWN", "USE", "XHWN", "ZW-75"), 75),
    **dict.fromkeys(
        ("FEP", "FEPB", "RHH", "RHW-2", "SA", "SIS", "TBS", "THHN", "THHW", "THW-2", "THWN-2"), 90
    ),
    **dict.fromkeys(("USE-2", "XHH", "XHHN", "XHHW", "XHHW-2", "XHWN-2", "ZW", "ZW-2"), 90),
}
_WET: dict[str, Rating] = {
    **dict.fromkeys(("TW", "UF", "UF-B"), 60),
    **dict.fromkeys(("RHW", "THHW", "THW", "THWN", "USE", "XHHW", "XHWN", "ZW"), 75),
    **dict.fromkeys(("RHW-2", "THW-2", "THWN-2", "USE-2", "XHHW-2", "XHWN-2", "ZW-2"), 90),
}


def insulation_rating(insulation: str, *, wet: bool = False) -> Rating:
    """The temperature rating of an insulation, °C, in a dry or damp place or in a wet one.

    A conductor with two marks ("THHN/THWN-2") has the better of those that fit the place. NM cable
    counts 60 °C: its ampacity is that of the 60 °C column (334.80), though it may be corrected from
    90 °C.

    Raises:
        InvalidArgument: The type is not known, or not for wet places.
    """
    marks = [mark for mark in re.split(r"[/, ]+", insulation.strip().upper()) if mark]
    ratings = _WET if wet else _DRY
    fitting = [ratings[mark] for mark in marks if mark in ratings]
    if fitting:
        return max(fitting)
    if wet and any(mark in _DRY for mark in marks):
        raise InvalidArgument(
            f"{insulation} is not for wet places; name one that is: {', '.join(sorted(_WET))}",
            field="insulation",
        )
    raise InvalidArgument(
        f"{insulation!r} is no insulation type with a known rating; "
        f"known: {', '.join(sorted(_DRY))}",
        field="insulation",
    )
