"""Fault current along a supply by the point-to-point method: each point from the one before it.

Currents are in A, voltages in V between lines, lengths in ft one way. Each point also has the
resistance and reactance of the supply up to it, for X/R: conductors by NEC Chapter 9 Table 9,
transformers and the source by their own X/R. With one phase they are those of the loop.

Source: Bussmann (Eaton), Selecting Protective Devices, "Short-circuit current calculations". The
method adds impedances by their size alone, as if all had one angle.
"""

from __future__ import annotations

from bisect import bisect_left
from math import exp, pi, sqrt
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.nec.conductors import Material, Size
from packs.electrical.nec.impedance import Conduit, ac_impedance, c_figure
from packs.electrical.projects.records import Phases, is_network
from packs.electrical.wording import TEXTS
from rollcall.core.errors import FailedPrecondition
from rollcall.core.texts import Text

UL_TOLERANCE = 0.9
"""Listed transformers of 25 kVA and more may have 10 % less impedance than on their plate."""

NEUTRAL_FACTOR = 1.5
"""Fault current to the neutral over that between lines, at the terminals of a single-phase
transformer tapped in the middle. An approximation: it lies between 1.33 and 1.67."""

LINE_TO_LINE = sqrt(3) / 2
"""Fault current between two lines of a three-phase system over that of all three."""

VOLTAGE_MISMATCH = 0.1
"""The largest difference of two nominal voltages of one point: 480 and 440, not 240 and 208."""

_TEST_POWER_FACTORS = ((10_000, 0.50), (20_000, 0.30), (float("inf"), 0.20))
"""Up to a rating in A, the highest power factor of UL 489 tests of molded-case breakers."""

INTERRUPTING_RATINGS_A: tuple[int, ...] = (
    10_000, 14_000, 18_000, 22_000, 25_000, 30_000, 35_000, 42_000, 50_000, 65_000, 100_000,
    125_000, 150_000, 200_000,
)  # fmt: skip
"""The standard interrupting ratings of panels and breakers, A."""

_TRANSFORMER_KVA = (45, 75, 112.5, 150, 225, 300, 500, 750, 1000, 1500, 2000, 2500)
_TRANSFORMER_XR = (1.2, 1.6, 1.9, 2.2, 2.6, 2.9, 4.0, 4.9, 5.5, 6.5, 7.3, 7.9)
"""X/R of transformers by kVA. Source: typical values of three-phase distribution transformers with
a low-voltage secondary, as short-circuit programs carry them; no standard's. Only asymmetry and
peak depend on X/R, the symmetrical current and its check against a rating do not."""


def transformer_amps(kva: float, voltage_v: float, phases: Phases) -> float:
    """The rated current of a transformer at one of its voltages, A."""
    return kva * 1000 / (voltage_v * _line_factor(phases))


def at_terminals(kva: float, voltage_v: float, impedance_percent: float, phases: Phases) -> float:
    """Fault current at a transformer's secondary terminals with an infinite bus before it, A.

    Args:
        impedance_percent: The effective one: times `UL_TOLERANCE` for the worst case.
    """
    return transformer_amps(kva, voltage_v, phases) * 100 / impedance_percent


def conductor_f(
    amps: float,
    voltage_v: float,
    phases: Phases,
    *,
    length_ft: float,
    c_value: float,
    sets: int = 1,
) -> float:
    """The factor f of a run of conductors: their impedance over that of the supply before them.

    Args:
        voltage_v: Between lines; for a fault to the neutral, to the neutral.
        phases: 1 counts both conductors of the loop.
        c_value: The C value of one conductor; that of `sets` in parallel is as many times larger.
    """
    ways = sqrt(3) if phases == 3 else 2
    return ways * length_ft * amps / (c_value * sets * voltage_v)


def transformer_f(
    primary_amps: float,
    primary_v: float,
    phases: Phases,
    *,
    kva: float,
    impedance_percent: float,
) -> float:
    """The factor f of a transformer whose primary fault current is known."""
    return primary_amps * primary_v * _line_factor(phases) * impedance_percent / (100_000 * kva)


def multiplier(f: float) -> float:
    """M, the current at a point as a share of that at the point before."""
    return 1 / (1 + f)


def _line_factor(phases: Phases) -> float:
    return sqrt(3) if phases == 3 else 1.0


# ---- Points of a supply ----


class Point(Struct, frozen=True):
    """A point of a supply and the fault current there.

    Attributes:
        voltage_v: Between lines.
        line_amps: The current of a bolted fault of all lines: three, or the two of one phase.
        neutral_amps: The current of a fault to the neutral of a single-phase supply; else None.
        neutral_v: The voltage to the neutral, with `neutral_amps`.
        f: The point-to-point factor from the point before; None at the first.
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
        """The point-to-point multiplier from the point before."""
        return None if self.f is None else multiplier(self.f)


class Conductors(Struct, frozen=True):
    """A run of conductors; `length_ft` is one way."""

    size: Size
    material: Material
    conduit: Conduit
    length_ft: float
    sets: int = 1


class Windings(Struct, frozen=True):
    """A transformer; `impedance_percent` is that of its plate."""

    kva: float
    phases: Phases
    secondary_v: float
    impedance_percent: float
    xr_ratio: float
    primary_v: float | None = None
    """None for the utility's, with an infinite bus before it."""


def from_utility(name: str, amps: float, voltage_v: float, phases: Phases, xr: float) -> Point:
    """Return the service terminals, with the fault current that the utility states.

    With one phase the figure counts for faults to the neutral too, since it is the highest.
    """
    ohms = voltage_v / (amps * (sqrt(3) if phases == 3 else 1))
    r_ohm, x_ohm = _parts(ohms, xr)
    neutral_v = voltage_v / (sqrt(3) if is_network(voltage_v) else 2)
    to_neutral = (amps, neutral_v) if phases == 1 else (None, None)
    return Point(name, "source", voltage_v, phases, amps, r_ohm, x_ohm, *to_neutral)


def from_infinite_bus(name: str, windings: Windings) -> Point:
    """Return the secondary terminals of the utility's transformer on an infinite bus."""
    volts, phases = windings.secondary_v, windings.phases
    percent = windings.impedance_percent * UL_TOLERANCE
    amps = at_terminals(windings.kva, volts, percent, phases)
    r_ohm, x_ohm = _parts(_winding_ohms(windings), windings.xr_ratio)
    to_neutral = (amps * NEUTRAL_FACTOR, volts / 2) if phases == 1 else (None, None)
    return Point(name, "source", volts, phases, amps, r_ohm, x_ohm, *to_neutral)


def through_conductors(
    before: Point, name: str, run: Conductors, phases: Phases | None = None
) -> Point:
    """Return the far end of a run; `phases` is 1 for two lines of a three-phase supply."""
    start = before if (phases or before.phases) == before.phases else _two_lines(before, name)
    c = c_figure(run.size, run.material, run.conduit).value
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
    """Return the secondary terminals of a transformer of the project.

    Raises:
        FailedPrecondition: Its primary does not fit the supply.
    """
    primary_v = windings.primary_v or before.voltage_v
    check_voltage(before, primary_v, TEXTS.text("errors.primary", name=name))
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


def check_voltage(point: Point, voltage_v: float, what: Text) -> None:
    """Refuse equipment whose voltage is not that of its supply.

    Raises:
        FailedPrecondition: They differ by more than `VOLTAGE_MISMATCH`.
    """
    if abs(voltage_v - point.voltage_v) > VOLTAGE_MISMATCH * point.voltage_v:
        raise FailedPrecondition(
            TEXTS.text(
                "errors.other_voltage",
                what=what,
                volts=voltage_v,
                before=point.name,
                volts_before=point.voltage_v,
            )
        )


def _two_lines(before: Point, name: str) -> Point:
    """Two lines of a three-phase supply. The current of a fault to the neutral is taken as that of
    three phases, which it reaches near a transformer."""
    if before.phases == 1:
        raise FailedPrecondition(
            TEXTS.text("errors.three_phases_after_one", name=name, before=before.name)
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


def _winding_ohms(windings: Windings) -> float:
    """The impedance of a transformer seen from its secondary, ohm; of the loop with one phase."""
    share = windings.impedance_percent * UL_TOLERANCE / 100
    return share * windings.secondary_v**2 / (windings.kva * 1000)


def _parts(ohms: float, xr_ratio: float) -> tuple[float, float]:
    """Resistance and reactance of an impedance."""
    r_ohm = ohms / sqrt(1 + xr_ratio**2)
    return r_ohm, r_ohm * xr_ratio


# ---- Asymmetry and ratings ----


def peak_factor(xr_ratio: float) -> float:
    """The highest instantaneous current of the first half cycle over the symmetrical RMS one."""
    return sqrt(2) * (1 + exp(-pi / xr_ratio)) if xr_ratio > 0 else sqrt(2)


def breaker_xr_ratio(rating_a: float) -> float:
    """The X/R at which a molded-case breaker of this interrupting rating is tested (UL 489)."""
    power_factor = next(pf for most, pf in _TEST_POWER_FACTORS if rating_a <= most)
    return sqrt(1 - power_factor**2) / power_factor


def duty_factor(xr_ratio: float, rating_a: float) -> float:
    """The factor on a symmetrical current that is compared with a rating: above 1 where X/R is
    above that of the breaker's test, since the first peak is higher; never below 1."""
    return max(1.0, peak_factor(xr_ratio) / peak_factor(breaker_xr_ratio(rating_a)))


def transformer_xr(kva: float) -> float:
    """The typical X/R of a transformer: that of the next size up, for the higher asymmetry."""
    return _TRANSFORMER_XR[min(bisect_left(_TRANSFORMER_KVA, kva), len(_TRANSFORMER_XR) - 1)]


def smallest_interrupting_rating(amps: float) -> int | None:
    """Find the smallest standard interrupting rating for a current, A.

    None above 200 kA, where current-limiting devices must bring the current down first.
    """
    return next((rating for rating in INTERRUPTING_RATINGS_A if rating >= amps), None)
