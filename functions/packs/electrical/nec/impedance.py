"""Resistance and reactance of conductors (NEC Chapter 9 Tables 8 and 9), and the C values of the
point-to-point method for fault currents: 1 / (ohm per ft) of three single conductors, 600 V.

Source of the C values: Bussmann (Eaton), Selecting Protective Devices. PVC and aluminum conduit are
nonmagnetic.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

from msgspec import Struct

from packs.electrical.nec import tables
from packs.electrical.nec.conductors import Material, Size, size_range
from packs.electrical.nec.tables import Figure
from packs.electrical.wording import TEXTS, invalid

Conduit = Literal["pvc", "aluminum", "steel"]

TABLE_TEMPERATURE_C = 75.0
TEMPERATURE_COEFFICIENT: dict[Material, float] = {"copper": 0.00323, "aluminum": 0.00330}
"""Per °C from 75 °C, of Table 8's note."""

_WITHOUT_METAL = frozenset({"pvc", "rtrc", "nm_cable", "ser_cable", "direct_burial"})


class Impedance(Struct, frozen=True):
    """The impedance of one conductor to neutral at 75 °C and 60 Hz, ohm per 1000 ft."""

    r_ohm_per_kft: float
    x_ohm_per_kft: float


def conduit_of(raceway: str) -> Conduit:
    """Return the column of Table 9 for a kind of raceway or cable in a project's records.

    Cables without metal count as PVC. EMT, flexible conduit, wireways and MC cable are made of
    either metal; they count as steel, which has the larger reactance.
    """
    if raceway == "aluminum":
        return "aluminum"
    return "pvc" if raceway in _WITHOUT_METAL else "steel"


def ac_impedance(size: Size, material: Material, conduit: Conduit) -> Impedance:
    """Return the alternating-current resistance and reactance of Table 9, at 75 °C.

    Raises:
        InvalidArgument: The table has no such row: it starts at 14 AWG copper and 12 AWG aluminum,
            and leaves out 700, 800 and 900 kcmil and all above 1000.
    """
    row = _table_9().get(size)
    resistance = (
        None if row is None else row[_R_COLUMN[material] + get_args(Conduit).index(conduit)]
    )
    if row is None or resistance is None:
        sizes = [
            each for each, cells in _table_9().items() if cells[_R_COLUMN[material]] is not None
        ]
        raise invalid(
            "conductorSize",
            "no_ac_impedance",
            size=size,
            material=TEXTS.text(f"names.{material}"),
            range=size_range(sizes),
            sizes=", ".join(sizes),
        )
    return Impedance(resistance, row[_X_STEEL if conduit == "steel" else _X_NONMAGNETIC])


def dc_resistance(
    size: Size,
    material: Material,
    *,
    stranded: bool = True,
    coated: bool = False,
    temperature_c: float = TABLE_TEMPERATURE_C,
) -> float:
    """Return the direct-current resistance of Table 8, ohm per 1000 ft, at a conductor temperature
    in °C.

    Args:
        stranded: Table 8 has solid conductors up to 8 AWG.
        coated: Copper that is coated (tinned).
        temperature_c: Between -50 and 250 °C, by the table's linear correction.

    Raises:
        InvalidArgument: The table has no such conductor.
    """
    if not -50 <= temperature_c <= 250:
        raise invalid("temperatureC", "conductor_temperature", temperature_c=temperature_c)
    row = _table_8().get((size, stranded))
    if row is None:
        kind = "stranded" if stranded else "solid"
        sizes = [each for each, strands in _table_8() if strands == stranded]
        raise invalid(
            "conductorSize", "no_dc_resistance", kind=kind, size=size, range=size_range(sizes)
        )
    copper = _COATED_COPPER if coated else _UNCOATED_COPPER
    at_75 = row[_ALUMINUM if material == "aluminum" else copper]
    rise = temperature_c - TABLE_TEMPERATURE_C
    return float(at_75 * (1 + TEMPERATURE_COEFFICIENT[material] * rise))


_UNCOATED_COPPER, _COATED_COPPER, _ALUMINUM = 0, 1, 2
_X_NONMAGNETIC, _X_STEEL = 0, 1
_R_COLUMN: dict[Material, int] = {"copper": 2, "aluminum": 5}


@cache
def _table_8() -> dict[tuple[Size, bool], tuple[float, ...]]:
    """By size and whether stranded: uncoated copper, coated copper, aluminum."""
    rows = tables.cells("chapter_9_table_8")
    return {(size, strands > 1): tuple(values) for size, _, strands, *values in rows}


@cache
def _table_9() -> dict[Size, tuple[float, ...]]:
    """By size: two reactances, then resistances by material and conduit."""
    return {size: tuple(values) for size, *values in tables.cells("chapter_9_table_9")}


def c_figure(size: Size, material: Material, conduit: Conduit) -> Figure:
    """Return C of one conductor per phase, and whether it was checked: three values of large
    aluminum sizes could not be. n conductors in parallel have n times it.

    Raises:
        InvalidArgument: The table has no such size.
    """
    rows = {row.cells[0]: row for row in tables.rows("c_values")}
    row = rows.get(size)
    if row is None:
        sizes = list(rows)
        raise invalid(
            "conductorSize",
            "no_c_value",
            size=size,
            range=size_range(sizes),
            sizes=", ".join(sizes),
        )
    key = material + ("Steel" if conduit == "steel" else "Nonmagnetic")
    columns = [column["key"] for column in tables.load("c_values")["columns"]]
    value = float(row.cells[columns.index(key)])
    return Figure(value, tables.unverified_note("c_values") if key in row.uncertain else None)
