"""Voltage drop along conductors, by three methods.

Sources: NEC Chapter 9 Table 9 with its note 2 (effective impedance R cos + X sin), Table 8 (direct-
current resistance), IEEE 141-1993, 3.11 (the formula with the sending voltage). The limits of 3 %
and 5 % are those of the informational notes of NEC 210.19 and 215.2: recommended, not required.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from packs.electrical.nec.impedance import (
    TABLE_TEMPERATURE_C,
    TEMPERATURE_COEFFICIENT,
    Conduit,
    Impedance,
    ac_impedance,
    dc_resistance,
)
from packs.electrical.nec.sizes import SIZES, Material, Size
from packs.electrical.projects.records import Phases
from rollcall.core.errors import InvalidArgument

Method = Literal["exact", "approximate", "receiving_end"]
"""exact: R cos + X sin of Table 9. approximate: K / circular mils, that is Table 8's resistance
alone. receiving_end: Table 9 again, solved for the voltage that is left at the load."""

BRANCH_LIMIT_PERCENT = 3.0
TOTAL_LIMIT_PERCENT = 5.0
SMALLEST = "14"


@dataclass(frozen=True, slots=True)
class Run:
    """Conductors from one point to another, and what they carry.

    Attributes:
        amps: Of the load, in all parallel sets together.
        volts: At the sending end: between lines, or to neutral for a load that is connected so.
        length_ft: One way.
        sets: Conductors in parallel for each line.
        power_factor: Of the load, lagging.
        temperature_c: Of the conductor; the tables are for 75 °C.

    Raises:
        InvalidArgument: A figure is not above zero, or the power factor above 1.
    """

    amps: float
    volts: float
    phases: Phases
    length_ft: float
    size: Size
    material: Material
    conduit: Conduit = "steel"
    sets: int = 1
    power_factor: float = 0.9
    temperature_c: float = TABLE_TEMPERATURE_C

    def __post_init__(self) -> None:
        fields = {
            "loadAmps": self.amps,
            "voltage": self.volts,
            "lengthFt": self.length_ft,
            "powerFactor": self.power_factor,
        }
        for field, value in fields.items():
            if not math.isfinite(value) or value <= 0:
                raise InvalidArgument(f"{field} must be above 0, not {value}", field=field)
        if self.power_factor > 1:
            raise InvalidArgument(
                f"a power factor is at most 1, not {self.power_factor}", field="powerFactor"
            )


@dataclass(frozen=True, slots=True)
class Drop:
    """What is lost on the way.

    Attributes:
        volts: In the run's own measure: between lines where `Run.volts` is.
        percent: Of the voltage at the sending end.
        receiving_volts: What is left; 0 where more would be lost than there is.
        impedance: Of one conductor of one set, ohm per 1000 ft.
    """

    volts: float
    percent: float
    receiving_volts: float
    impedance: Impedance


def drop(run: Run, method: Method = "exact") -> Drop:
    """The voltage drop of a run.

    Raises:
        InvalidArgument: The method's table has no such conductor.
    """
    impedance = impedance_of(run, method)
    along, across = _volts_per_side(run, impedance, method)
    lost = along
    if method == "receiving_end":
        lost = run.volts + along - math.sqrt(max(run.volts**2 - across**2, 0.0))
    percent = 100 * lost / run.volts
    return Drop(lost, percent, max(run.volts - lost, 0.0), impedance)


def within(percent: float, limit: float) -> bool:
    """Whether a drop is within a limit, but for the last digits of arithmetic."""
    return percent <= limit + 1e-9


def impedance_of(run: Run, method: Method) -> Impedance:
    """Resistance and reactance that a method counts with, at the run's temperature.

    Raises:
        InvalidArgument: The method's table has no such conductor.
    """
    if method == "approximate":
        resistance = dc_resistance(run.size, run.material, temperature_c=run.temperature_c)
        return Impedance(resistance, 0.0)
    found = ac_impedance(run.size, run.material, run.conduit)
    rise = run.temperature_c - TABLE_TEMPERATURE_C
    factor = 1 + TEMPERATURE_COEFFICIENT[run.material] * rise
    return Impedance(found.r_ohm_per_kft * factor, found.x_ohm_per_kft)


def k_constant(run: Run) -> float:
    """K of the approximate formula 2 K I L / cmil: ohm circular mils per foot."""
    from packs.electrical.nec.sizes import circular_mils

    return impedance_of(run, "approximate").r_ohm_per_kft * circular_mils(run.size) / 1000


def smallest_size(run: Run, limit_percent: float, method: Method = "exact") -> Size | None:
    """The smallest size that keeps the drop within a limit, as many in parallel as there are.

    None if no size of the method's table does.
    """
    for size in sizes_of(run.material, method):
        if within(drop(replace(run, size=size), method).percent, limit_percent):
            return size
    return None


def headroom(run: Run, limit_percent: float, method: Method = "exact") -> float:
    """By how much the run may grow, in length or in current, until its drop is at a limit.

    0.5 says: half the length, or half the current.
    """
    if limit_percent <= 0:
        return 0.0
    along, across = _volts_per_side(run, impedance_of(run, method), method)
    allowed = run.volts * limit_percent / 100
    if method != "receiving_end":
        return allowed / along
    # (V + s along - allowed)² = V² - (s across)²: a quadratic in s with one positive root.
    rest = run.volts - allowed
    a, b, c = along**2 + across**2, 2 * rest * along, rest**2 - run.volts**2
    return (-b + math.sqrt(b**2 - 4 * a * c)) / (2 * a)


@cache
def sizes_of(material: Material, method: Method) -> tuple[Size, ...]:
    """The sizes that a method's table has for a material, from 14 AWG, ascending."""
    return tuple(size for size in SIZES[SIZES.index(SMALLEST) :] if _has(size, material, method))


def _has(size: Size, material: Material, method: Method) -> bool:
    try:
        if method == "approximate":
            dc_resistance(size, material)
        else:
            ac_impedance(size, material, "steel")
    except InvalidArgument:
        return False
    return True


def _volts_per_side(run: Run, impedance: Impedance, method: Method) -> tuple[float, float]:
    """The drop in phase with the voltage, and across it: there and back with one phase, between
    lines with three."""
    ways = 2.0 if run.phases == 1 else math.sqrt(3)
    amperes = ways * run.amps / run.sets * run.length_ft / 1000
    if method == "approximate":  # resistance alone, whatever the power factor
        return amperes * impedance.r_ohm_per_kft, 0.0
    cosine, sine = run.power_factor, math.sqrt(1 - run.power_factor**2)
    r, x = impedance.r_ohm_per_kft, impedance.x_ohm_per_kft
    return amperes * (r * cosine + x * sine), amperes * (x * cosine - r * sine)
