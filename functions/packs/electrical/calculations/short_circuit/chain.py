"""Fault current along a supply, point by point: each is calculated from the one before it.

Beside the current, by the point-to-point method, go resistance and reactance of all before the
point, for X/R: conductors by NEC Chapter 9 Table 9, transformers and the source by their own X/R.
With one phase they are those of the loop, there and back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from packs.electrical.calculations.short_circuit.formulas import (
    LINE_TO_LINE,
    NEUTRAL_FACTOR,
    UL_TOLERANCE,
    Phases,
    at_terminals,
    conductor_f,
    multiplier,
    transformer_f,
)
from packs.electrical.nec.c_values import c_value
from packs.electrical.nec.impedance import Conduit, ac_impedance
from packs.electrical.nec.sizes import Material, Size
from packs.electrical.projects.records import NETWORK_V
from rollcall.core.errors import FailedPrecondition

VOLTAGE_MISMATCH = 0.1
"""By how much two nominal voltages of one point may differ: 480 and 440, not 240 and 208."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the way and the fault current there.

    Attributes:
        voltage_v: Between lines.
        line_amps: Of a bolted fault of all lines: of three phases, or of the two of one phase.
        neutral_amps: To the neutral, for a single-phase supply; None otherwise.
        neutral_v: To the neutral, with `neutral_amps`.
        f: Of what lies between this point and the one before; None at the first.
    """

    name: str
    kind: Literal["source", "conductors", "transformer"]
    voltage_v: float
    phases: Phases
    line_amps: float
    r_ohm: float
    x_ohm: float
    neutral_amps: float | None = None
    neutral_v: float | None = None
    f: float | None = None

    @property
    def amps(self) -> float:
        """The highest bolted fault current, A."""
        return max(self.line_amps, self.neutral_amps or 0)

    @property
    def xr_ratio(self) -> float:
        return self.x_ohm / self.r_ohm

    @property
    def m(self) -> float | None:
        """The multiplier of what lies before this point."""
        return None if self.f is None else multiplier(self.f)


@dataclass(frozen=True, slots=True)
class Conductors:
    """A run of conductors; `length_ft` is one way."""

    size: Size
    material: Material
    conduit: Conduit
    length_ft: float
    sets: int = 1


@dataclass(frozen=True, slots=True)
class Windings:
    """A transformer; `impedance_percent` is that of its plate."""

    kva: float
    phases: Phases
    secondary_v: float
    impedance_percent: float
    xr_ratio: float
    primary_v: float | None = None
    """None for the utility's, with an infinite bus before it."""


def from_utility(name: str, amps: float, voltage_v: float, phases: Phases, xr: float) -> Point:
    """The service terminals, where the utility says what is available. With one phase its figure
    is taken for faults to the neutral too: it names the highest."""
    ohms = voltage_v / (amps * (sqrt(3) if phases == 3 else 1))
    r_ohm, x_ohm = _parts(ohms, xr)
    to_neutral = (amps, _to_neutral(voltage_v)) if phases == 1 else (None, None)
    return Point(name, "source", voltage_v, phases, amps, r_ohm, x_ohm, *to_neutral)


def from_infinite_bus(name: str, windings: Windings) -> Point:
    """The secondary terminals of the utility's transformer."""
    volts, phases = windings.secondary_v, windings.phases
    percent = windings.impedance_percent * UL_TOLERANCE
    amps = at_terminals(windings.kva, volts, percent, phases)
    r_ohm, x_ohm = _parts(_winding_ohms(windings), windings.xr_ratio)
    to_neutral = (amps * NEUTRAL_FACTOR, volts / 2) if phases == 1 else (None, None)
    return Point(name, "source", volts, phases, amps, r_ohm, x_ohm, *to_neutral)


def through_conductors(
    before: Point, name: str, run: Conductors, phases: Phases | None = None
) -> Point:
    """The far end of a run. `phases` is 1 where two lines of a three-phase supply are taken on."""
    start = before if (phases or before.phases) == before.phases else _two_lines(before, name)
    c = c_value(run.size, run.material, run.conduit)
    f = conductor_f(
        start.line_amps,
        start.voltage_v,
        start.phases,
        length_ft=run.length_ft,
        c_value=c,
        sets=run.sets,
    )
    ohms = ac_impedance(run.size, run.material, run.conduit)
    kft = run.length_ft / 1000 / run.sets * (2 if start.phases == 1 else 1)
    end = replace(
        start,
        name=name,
        kind="conductors",
        line_amps=start.line_amps * multiplier(f),
        r_ohm=start.r_ohm + ohms.r_ohm_per_kft * kft,
        x_ohm=start.x_ohm + ohms.x_ohm_per_kft * kft,
        f=f,
    )
    if start.neutral_amps is None or start.neutral_v is None:
        return end
    neutral_f = conductor_f(
        start.neutral_amps, start.neutral_v, 1, length_ft=run.length_ft, c_value=c, sets=run.sets
    )
    return replace(end, neutral_amps=start.neutral_amps * multiplier(neutral_f))


def through_transformer(before: Point, name: str, windings: Windings) -> Point:
    """The secondary terminals of a transformer of the project's own.

    Raises:
        FailedPrecondition: Its primary does not fit the supply.
    """
    primary_v = windings.primary_v or before.voltage_v
    check_voltage(before, primary_v, f"the primary of {name!r}")
    start = before if windings.phases == before.phases else _two_lines(before, name)
    f = transformer_f(
        start.line_amps,
        primary_v,
        windings.phases,
        kva=windings.kva,
        impedance_percent=windings.impedance_percent * UL_TOLERANCE,
    )
    ratio = windings.secondary_v / primary_v
    amps = start.line_amps * multiplier(f) / ratio
    r_ohm, x_ohm = _parts(_winding_ohms(windings), windings.xr_ratio)
    single = windings.phases == 1
    return Point(
        name,
        "transformer",
        windings.secondary_v,
        windings.phases,
        amps,
        start.r_ohm * ratio**2 + r_ohm,
        start.x_ohm * ratio**2 + x_ohm,
        neutral_amps=amps * NEUTRAL_FACTOR if single else None,
        neutral_v=windings.secondary_v / 2 if single else None,
        f=f,
    )


def check_voltage(point: Point, voltage_v: float, what: str) -> None:
    """Refuse equipment whose voltage is not that of its supply.

    Raises:
        FailedPrecondition: They differ by more than `VOLTAGE_MISMATCH`.
    """
    if abs(voltage_v - point.voltage_v) > VOLTAGE_MISMATCH * point.voltage_v:
        raise FailedPrecondition(
            f"{what} is at {voltage_v:g} V, but {point.name!r} before it is at "
            f"{point.voltage_v:g} V: correct one of them, or add the transformer between them"
        )


def _two_lines(before: Point, name: str) -> Point:
    """Two lines of a three-phase supply. A fault to the neutral counts as one of three phases,
    which it reaches near a transformer."""
    if before.phases == 1:
        raise FailedPrecondition(
            f"{name!r} has three phases, but {before.name!r} before it has one"
        )
    delta = round(before.voltage_v) == 240  # a wye of 240 V is not made; its neutral is half way
    return replace(
        before,
        phases=1,
        line_amps=before.line_amps * LINE_TO_LINE,
        r_ohm=before.r_ohm * 2,
        x_ohm=before.x_ohm * 2,
        neutral_amps=before.line_amps,
        neutral_v=before.voltage_v / (2 if delta else sqrt(3)),
    )


def _to_neutral(voltage_v: float) -> float:
    """Volts to the neutral of a single-phase supply: half, but for two lines of 208Y/120 V."""
    low, high = NETWORK_V
    return voltage_v / (sqrt(3) if low <= voltage_v <= high else 2)


def _winding_ohms(windings: Windings) -> float:
    """The impedance of a transformer seen from its secondary, ohm; of the loop with one phase."""
    share = windings.impedance_percent * UL_TOLERANCE / 100
    return share * windings.secondary_v**2 / (windings.kva * 1000)


def _parts(ohms: float, xr_ratio: float) -> tuple[float, float]:
    """Resistance and reactance of an impedance."""
    r_ohm = ohms / sqrt(1 + xr_ratio**2)
    return r_ohm, r_ohm * xr_ratio
