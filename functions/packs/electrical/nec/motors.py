"""Motors: full-load currents (Tables 430.248, 430.250) and their protection (430.52).

430.6(A)(1): conductors and short-circuit protection go by these currents; overload protection goes
by the nameplate.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from typing import Literal

from packs.electrical.nec import tables
from packs.electrical.nec.overcurrent import fuse_ratings, next_standard
from packs.electrical.wording import invalid, pattern

MotorKind = Literal[
    "single_phase", "polyphase", "squirrel_cage", "design_b", "synchronous", "wound_rotor", "dc"
]
"""The rows of Table 430.52; design_b: energy-efficient and premium-efficiency ones."""

ProtectiveDevice = Literal[
    "nontime_delay_fuse", "dual_element_fuse", "instantaneous_breaker", "inverse_time_breaker"
]

_DEVICE_COLUMN = {
    "nontime_delay_fuse": 3,
    "dual_element_fuse": 4,
    "instantaneous_breaker": 5,
    "inverse_time_breaker": 6,
}
_SYSTEMS = (
    (110, 120, 115),
    (200, 200, 200),
    (208, 208, 208),
    (220, 240, 230),
    (440, 480, 460),
    (550, 1000, 575),
    (2300, 2300, 2300),
)
"""System voltages from, to, and the rated motor voltage whose column they use."""

_TABLES = {1: "430.248", 3: "430.250"}
_WRITTEN = re.compile(
    r"(?:(?P<whole>\d+)[ -]+)?(?P<part>\d+/\d+)|(?P<plain>\d+(?:\.\d+)?)(?P<vulgar>[¼½¾])?"
)
_VULGAR = {"¼": Fraction(1, 4), "½": Fraction(1, 2), "¾": Fraction(3, 4)}


OVERLOAD_LOW, OVERLOAD_HIGH = 1.15, 1.25
"""Settings of overload protection over the nameplate current (430.32(A)(1))."""


def allows_high_overload(service_factor: float | None, temperature_rise_c: float | None) -> bool:
    """Return whether a motor may have the higher overload setting: with a service factor of 1.15 or
    more, or a temperature rise of at most 40 °C (430.32(A)(1))."""
    is_cool = temperature_rise_c is not None and temperature_rise_c <= 40
    return is_cool or (service_factor or 0) >= 1.15


def full_load_amps(hp: str | float, voltage: float, phases: Literal[1, 3]) -> float:
    """Return the full-load current of a motor, A: Table 430.248 (one phase) or 430.250 (three).

    Args:
        hp: Horsepower as a number or as printed: 7.5, "7-1/2", "1/2".
        voltage: Of the system, V: 110 to 120, 200, 208, 220 to 240, and with three phases also 440
            to 480, 550 to 1000 and 2300.

    Raises:
        InvalidArgument: The table has no such motor.
    """
    table, columns = _table(phases)
    rated = rated_voltage(voltage, columns)
    power = parse_hp(hp)
    if power not in table:
        raise invalid(
            "horsepower",
            "no_motor",
            table=_TABLES[phases],
            hp=hp,
            known=", ".join(str(row[0]) for row in tables.cells(tables.FILES[_TABLES[phases]])),
        )
    amps = table[power][columns.index(rated)]
    if amps is None:
        raise invalid(
            "voltage",
            "no_motor_current",
            table=_TABLES[phases],
            hp=hp,
            rated=rated,
            known=", ".join(
                (f"{volts} V" for volts, amps in zip(columns, table[power], strict=True) if amps)
            ),
        )
    return amps


def parse_hp(hp: str | float) -> Fraction:
    """Return the horsepower of a number or of a text such as "7-1/2", "1 1/2", "1.5 hp", "¾".

    Raises:
        InvalidArgument: It is no positive number.
    """
    text = re.sub(rf"\s*(?:{pattern('nec.cues.horsepower')})$", "", str(hp).strip().lower())
    if text in _VULGAR:
        return _VULGAR[text]
    match = _WRITTEN.fullmatch(text)
    power = Fraction(0)
    if match and match["part"] and not match["part"].endswith("/0"):
        power = Fraction(match["whole"] or 0) + Fraction(match["part"])
    elif match and match["plain"]:
        power = Fraction(match["plain"]) + _VULGAR.get(match["vulgar"] or "", 0)
    if power <= 0:
        raise invalid("horsepower", "not_horsepower", hp=hp)
    return power


def hp_text(hp: str) -> str:
    """Return a horsepower as the tables write it: "7-1/2" for "7.5".

    Raises:
        InvalidArgument: It is no positive number.
    """
    whole, part = divmod(parse_hp(hp), 1)
    return "-".join(str(each) for each in (whole, part) if each)


def protection_percent(kind: MotorKind, device: ProtectiveDevice) -> int:
    """Return the percent of full-load current of Table 430.52."""
    row = next(cells for cells in tables.cells("430_52") if cells[0] == kind)
    return int(row[_DEVICE_COLUMN[device]])


def largest_protection(
    full_load_a: float,
    kind: MotorKind,
    device: ProtectiveDevice,
) -> int:
    """Return the largest rating or setting of a motor circuit's short-circuit protection, A.

    The percentage of Table 430.52, rounded up to a standard rating (exception 1). An instantaneous
    trip is a setting and needs no standard rating.

    Args:
        full_load_a: The table's current (`full_load_amps`), A, above 0.

    Raises:
        InvalidArgument: The current is not above 0 A, or no standard rating is that large.
    """
    if not math.isfinite(full_load_a) or full_load_a <= 0:
        raise invalid("amps", "no_motor_amps", full_load_a=full_load_a)
    # Rounded to a nanoampere, so that 250 % of 28 A is 70 A and not the next size.
    amps = round(full_load_a * protection_percent(kind, device) / 100, 9)
    if device == "instantaneous_breaker":
        return math.floor(amps)
    return (
        next_standard(amps)
        if device == "inverse_time_breaker"
        else next_standard(amps, fuse_ratings())
    )


def rated_voltage(voltage: float, columns: tuple[int, ...]) -> int:
    """Return the rated motor voltage, of those that a table has, whose column a system voltage
    uses.

    Raises:
        InvalidArgument: There is none.
    """
    for low, high, rated in _SYSTEMS:
        if low <= voltage <= high and rated in columns:
            return rated
    known = ", ".join(
        f"{low} V" if low == high else f"{low}–{high} V"
        for low, high, rated in _SYSTEMS
        if rated in columns
    )
    raise invalid("voltage", "no_motor_voltage", voltage=voltage, known=known)


@cache
def _table(
    phases: Literal[1, 3],
) -> tuple[dict[Fraction, tuple[float | None, ...]], tuple[int, ...]]:
    """The currents by horsepower, and the rated voltages of the columns."""
    name = tables.FILES[_TABLES[phases]]
    columns = tuple(int(column["key"][1:]) for column in tables.load(name)["columns"][1:])
    return {parse_hp(hp): tuple(values) for hp, *values in tables.cells(name)}, columns
