"""The parts of an arc-flash result, and how a study is written as them."""

from __future__ import annotations

from datetime import date
from typing import Literal

from packs.electrical.calculations.arc_flash.enclosure import MM_PER_IN, SizeCorrection
from packs.electrical.calculations.arc_flash.study import Case, Study
from packs.electrical.projects.records import Panel
from rollcall.core.shapes import Wire


class FittedValue(Wire):
    """Intermediate values at one of the voltages that the model is fitted at."""

    voltage_kv: float
    arcing_current_ka: float
    incident_energy_j_cm2: float
    boundary_mm: float


class ArcCase(Wire):
    """The arc at its full, or at its reduced current."""

    arcing_current_ka: float
    clearing_time_s: float
    incident_energy_cal_cm2: float
    incident_energy_j_cm2: float
    boundary_mm: float
    fitted: list[FittedValue]


class EnclosureCorrection(Wire):
    """The enclosure's correction: `factor` divides the energy. The equivalent sizes in inches."""

    kind: Literal["typical", "shallow"] | None
    equivalent_height_in: float | None
    equivalent_width_in: float | None
    equivalent_size_in: float | None
    factor: float


class ArcFlashLabel(Wire):
    """What a label says (NFPA 70E, 130.5(H)): the energy with its distance, not the category."""

    nominal_voltage_volts: float
    arc_flash_boundary_in: float
    incident_energy_cal_cm2: float
    working_distance_in: float
    date: str


def arc_case(arc: Case) -> ArcCase:
    """One case with its intermediate values."""
    exposure = arc.exposure
    return ArcCase(
        arcing_current_ka=round(arc.current.final_ka, 3),
        clearing_time_s=arc.clearing_time_s,
        incident_energy_cal_cm2=round(arc.energy_cal_cm2, 3),
        incident_energy_j_cm2=round(exposure.energy_j_cm2, 3),
        boundary_mm=round(exposure.boundary_mm, 1),
        fitted=[
            FittedValue(
                voltage_kv=kv,
                arcing_current_ka=round(amps, 3),
                incident_energy_j_cm2=round(exposure.fitted_energy[kv], 3),
                boundary_mm=round(exposure.fitted_boundary[kv], 1),
            )
            for kv, amps in arc.current.fitted.items()
        ],
    )


def label_of(panel: Panel, found: Study, day: date) -> ArcFlashLabel:
    """The label's figures, as of a day."""
    return ArcFlashLabel(
        nominal_voltage_volts=panel.voltage,
        arc_flash_boundary_in=round(found.boundary_mm / MM_PER_IN, 1),
        incident_energy_cal_cm2=round(found.energy_cal_cm2, 2),
        working_distance_in=round(found.arc.distance_mm / MM_PER_IN, 1),
        date=day.isoformat(),
    )


def enclosure_of(correction: SizeCorrection) -> EnclosureCorrection:
    """An enclosure's correction."""
    return EnclosureCorrection(
        kind=correction.kind,
        equivalent_height_in=_rounded(correction.height_in),
        equivalent_width_in=_rounded(correction.width_in),
        equivalent_size_in=_rounded(correction.equivalent_in),
        factor=round(correction.factor, 4),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
