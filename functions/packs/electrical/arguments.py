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


def length_in_feet(length_ft: float | None, length_m: float | None) -> float | None:
    """Return a length in feet, from feet or metres.

    Raises:
        InvalidArgument: Both are given.
    """
    if length_ft is not None and length_m is not None:
        raise invalid("lengthM", "one_length")
    return length_m * FT_PER_M if length_m is not None else length_ft


def check_load(load_amps: float | None, load_watts: float | None) -> None:
    """Refuse a load in amperes and in watts.

    Raises:
        InvalidArgument: Both are given.
    """
    if load_amps is not None and load_watts is not None:
        raise invalid("loadWatts", "one_load")


def ambient_in_celsius(ambient_c: float | None, ambient_f: float | None) -> float | None:
    """Return a temperature in °C, from °C or °F.

    Raises:
        InvalidArgument: Both are given.
    """
    if ambient_c is not None and ambient_f is not None:
        raise invalid("ambientF", "one_ambient")
    return (ambient_f - 32) / 1.8 if ambient_f is not None else ambient_c
