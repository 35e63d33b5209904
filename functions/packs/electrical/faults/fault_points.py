"""The points of a fault current's way, as a result shows them."""

from __future__ import annotations

from typing import Literal

from packs.electrical.calculations.short_circuit.at_panel import Fault
from packs.electrical.faults.path_chart import point_name
from rollcall.core.shapes import Wire


class FaultPoint(Wire):
    """One point of the way from the service to the panel.

    Attributes:
        kind: What lies before it: the source itself, conductors, or a transformer.
        fault_current_amps: Bolted fault of all lines, symmetrical RMS, A, without motors.
        line_to_neutral_amps: To the neutral, where the supply is single-phase.
        f: Of the point-to-point method, for what lies before the point; `multiplier` is its M.
        xr_ratio: X/R of all before the point.
    """

    name: str
    kind: Literal["source", "conductors", "transformer"]
    voltage_volts: float
    phases: Literal[1, 3]
    length_ft: float | None
    f: float | None
    multiplier: float | None
    fault_current_amps: int
    line_to_neutral_amps: int | None
    xr_ratio: float


def path_of(fault: Fault, locale: str) -> list[FaultPoint]:
    """Each point from the service to the panel, in order."""
    return [
        FaultPoint(
            name=point_name(point.name, locale),
            kind=point.kind,
            voltage_volts=point.voltage_v,
            phases=point.phases,
            length_ft=feet,
            f=None if point.f is None else round(point.f, 4),
            multiplier=None if point.m is None else round(point.m, 4),
            fault_current_amps=round(point.line_amps),
            line_to_neutral_amps=None if point.neutral_amps is None else round(point.neutral_amps),
            xr_ratio=round(point.xr_ratio, 2),
        )
        for point, feet in zip(fault.points, fault.lengths_ft, strict=True)
    ]
