"""One arc-flash study: the arc at its full and at its reduced current; the worse one governs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from packs.electrical.calculations.arc_flash.coefficients import J_PER_CAL, Electrodes
from packs.electrical.calculations.arc_flash.enclosure import (
    Enclosure,
    SizeCorrection,
    size_correction,
)
from packs.electrical.calculations.arc_flash.model import (
    BOUNDARY_J_CM2,
    Arc,
    Current,
    Exposure,
    arcing_current,
    exposure,
    reduced,
    variation_factor,
)
from packs.electrical.calculations.arc_flash.validity import check_range
from rollcall.core.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Given:
    """What a study is made from.

    Attributes:
        voltage_v: Between lines, three-phase.
        bolted_ka: Bolted three-phase fault current, kA.
        enclosure: None in open air (VOA, HOA).
        clearing_time_s: Of the device upstream, at the arcing current.
        reduced_clearing_time_s: The same at the reduced arcing current; None takes the other.
    """

    voltage_v: float
    bolted_ka: float
    electrodes: Electrodes
    gap_mm: float
    working_distance_mm: float
    enclosure: Enclosure | None
    clearing_time_s: float
    reduced_clearing_time_s: float | None = None
    frequency_hz: float = 60


@dataclass(frozen=True, slots=True)
class Case:
    """The arc at one current."""

    current: Current
    clearing_time_s: float
    exposure: Exposure

    @property
    def energy_cal_cm2(self) -> float:
        return self.exposure.energy_j_cm2 / J_PER_CAL


@dataclass(frozen=True, slots=True)
class Study:
    """A study's result with every intermediate value.

    Attributes:
        variation: VarCf, the variation of the arcing current.
        governing: Which case gives the higher energy.
    """

    arc: Arc
    correction: SizeCorrection
    variation: float
    full: Case
    reduced: Case
    governing: Literal["full", "reduced"]

    @property
    def worse(self) -> Case:
        return self.full if self.governing == "full" else self.reduced

    @property
    def energy_cal_cm2(self) -> float:
        return self.worse.energy_cal_cm2

    @property
    def boundary_mm(self) -> float:
        """Where 1.2 cal/cm2 is left, by the case that reaches farther."""
        return max(self.full.exposure.boundary_mm, self.reduced.exposure.boundary_mm)

    @property
    def time_to_burn_s(self) -> float:
        """How long until 1.2 cal/cm2 at the working distance: energy grows evenly with time."""
        worse = self.worse
        return worse.clearing_time_s * BOUNDARY_J_CM2 / worse.exposure.energy_j_cm2

    def energy_at(self, distance_mm: float) -> float:
        """Incident energy at another distance, cal/cm2, of the case that is worse there: above
        600 V it may be the other one, since each fit falls with its own power of the distance."""
        elsewhere = replace(self.arc, distance_mm=distance_mm)
        found = (
            exposure(elsewhere, case.current, case.clearing_time_s * 1000)
            for case in (self.full, self.reduced)
        )
        return max(each.energy_j_cm2 for each in found) / J_PER_CAL


def study(given: Given) -> Study:
    """Incident energy and arc-flash boundary by IEEE Std 1584-2018.

    Raises:
        InvalidArgument: Something is outside the range of the model, or a time is not above 0.
    """
    check_range(
        voltage_v=given.voltage_v,
        bolted_ka=given.bolted_ka,
        gap_mm=given.gap_mm,
        working_distance_mm=given.working_distance_mm,
        electrodes=given.electrodes,
        enclosure=given.enclosure,
        frequency_hz=given.frequency_hz,
    )
    voltage_kv = given.voltage_v / 1000
    correction = size_correction(given.enclosure, given.electrodes, voltage_kv)
    arc = Arc(
        voltage_kv,
        given.electrodes,
        given.bolted_ka,
        given.gap_mm,
        given.working_distance_mm,
        correction.factor,
    )
    full = arcing_current(arc)
    lower = reduced(arc, full)
    full_s = _time("clearingTimeS", given.clearing_time_s)
    other_s = given.reduced_clearing_time_s
    lower_s = full_s if other_s is None else _time("reducedClearingTimeS", other_s)
    first = Case(full, full_s, exposure(arc, full, full_s * 1000))
    second = Case(lower, lower_s, exposure(arc, lower, lower_s * 1000))
    return Study(
        arc=arc,
        correction=correction,
        variation=variation_factor(given.electrodes, voltage_kv),
        full=first,
        reduced=second,
        governing="full" if first.energy_cal_cm2 >= second.energy_cal_cm2 else "reduced",
    )


def _time(field: str, seconds: float) -> float:
    if not 0 < seconds < float("inf"):
        raise InvalidArgument(
            f"{field} is {seconds:g}; it must be above 0 s, such as 0.05 for a breaker that trips "
            "at once",
            field=field,
        )
    return seconds
