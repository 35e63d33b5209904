"""Argument types that several capabilities share, and conversion of lengths and temperatures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from packs.electrical.projects.records import ConduitType, lower
from packs.electrical.wording import FT_PER_M, invalid

Conduit = Annotated[ConduitType, BeforeValidator(lower)]
LoadAmps = Annotated[float, Field(gt=0, le=6_000)]
LoadWatts = Annotated[float, Field(gt=0, le=2_000_000)]
LengthFt = Annotated[float, Field(ge=0.01, le=10_000)]
LengthM = Annotated[float, Field(ge=0.01, le=3_048)]
PowerFactor = Annotated[float, Field(ge=0.2, le=1)]
Volts = Annotated[float, Field(ge=100, le=1_000)]
BreakerAmps = Annotated[int, Field(ge=1, le=6_000)]
Insulation = Annotated[str, Field(min_length=1, max_length=20)]
AmbientC = Annotated[float, Field(ge=-40, le=85)]
AmbientF = Annotated[float, Field(ge=-40, le=185)]
CurrentCarrying = Annotated[int, Field(ge=1, le=60)]
TerminalRating = Literal[60, 75, 90]
Sets = Annotated[int, Field(ge=1, le=12)]
VoltAmperes = Annotated[float, Field(gt=0, le=10_000_000)]


def check_one(first: float | None, second: float | None, field: str, key: str) -> None:
    """Refuse a figure that is given in two units, or in two arguments.

    Args:
        field: The second argument's name.
        key: Of the error's text.

    Raises:
        InvalidArgument: Both are given.
    """
    if first is not None and second is not None:
        raise invalid(field, key)


def length_in_feet(length_ft: float | None, length_m: float | None) -> float | None:
    """Return a length in feet, from feet or metres.

    Raises:
        InvalidArgument: Both are given.
    """
    check_one(length_ft, length_m, "lengthM", "one_length")
    return length_m * FT_PER_M if length_m is not None else length_ft


def ambient_in_celsius(ambient_c: float | None, ambient_f: float | None) -> float | None:
    """Return a temperature in °C, from °C or °F.

    Raises:
        InvalidArgument: Both are given.
    """
    check_one(ambient_c, ambient_f, "ambientF", "one_ambient")
    return (ambient_f - 32) / 1.8 if ambient_f is not None else ambient_c
