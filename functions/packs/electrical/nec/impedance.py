"""Resistance and reactance of conductors: NEC Chapter 9 Tables 8 (direct) and 9 (alternating)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from packs.electrical.nec import stored
from packs.electrical.nec.sizes import Material, Size, label
from rollcall.core.errors import InvalidArgument

Conduit = Literal["pvc", "aluminum", "steel"]

TABLE_TEMPERATURE_C = 75.0
TEMPERATURE_COEFFICIENT: dict[Material, float] = {"copper": 0.00323, "aluminum": 0.00330}
"""Per °C from 75 °C, of Table 8's note."""

_NONMETALLIC = ("pvc", "ent", "hdpe", "rtrc", "lfnc", "nonmetallic", "nm", "nm-b", "nm cable")
_CABLES = ("uf", "uf-b", "ser", "seu", "ser cable", "direct burial", "cable")
_STEEL = ("steel", "emt", "rmc", "imc", "grc", "fmc", "lfmc", "rigid", "wireway", "mc", "mc cable")
_CONDUITS: dict[str, Conduit] = {
    **dict.fromkeys(_NONMETALLIC + _CABLES, "pvc"),
    **dict.fromkeys(("aluminum", "aluminium", "al", "aluminum conduit"), "aluminum"),
    **dict.fromkeys(_STEEL, "steel"),
}


@dataclass(frozen=True, slots=True)
class Impedance:
    """Of one conductor to neutral at 75 °C and 60 Hz, ohm per 1000 ft."""

    r_ohm_per_kft: float
    x_ohm_per_kft: float


def parse_conduit(text: str) -> Conduit:
    """The column of Table 9 for a raceway or cable: PVC, aluminum or steel.

    Cables without metal count as PVC. EMT, flexible conduit and MC cable are made of either metal;
    they count as steel, which has the larger reactance, unless the text says aluminum.

    Raises:
        InvalidArgument: It is not known.
    """
    found = _CONDUITS.get(" ".join(text.lower().replace("_", " ").split()))
    if found is None:
        raise InvalidArgument(
            f"{text!r} is no raceway with a known material; known: {', '.join(sorted(_CONDUITS))}",
            field="conduit",
        )
    return found


def ac_impedance(size: Size, material: Material, conduit: Conduit) -> Impedance:
    """Alternating-current resistance and reactance of Table 9, at 75 °C.

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
        raise InvalidArgument(
            f"Chapter 9 Table 9 has no {size} {material}; it has {label(sizes[0])} to "
            f"{label(sizes[-1])}: {', '.join(sizes)}",
            field="conductorSize",
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
    """Direct-current resistance of Table 8, ohm per 1000 ft, at a conductor temperature in °C.

    Args:
        stranded: Table 8 has solid conductors up to 8 AWG.
        coated: Copper under a coat of tin.
        temperature_c: Between -50 and 250 °C, by the table's linear correction.

    Raises:
        InvalidArgument: The table has no such conductor.
    """
    if coated and material == "aluminum":
        raise InvalidArgument("Chapter 9 Table 8 has coated copper, not aluminum", field="coated")
    if not -50 <= temperature_c <= 250:
        raise InvalidArgument(
            f"a conductor temperature is from -50 to 250 °C, not {temperature_c}",
            field="temperatureC",
        )
    row = _table_8().get((size, stranded))
    if row is None:
        kind = "stranded" if stranded else "solid"
        sizes = [each for each, strands in _table_8() if strands == stranded]
        raise InvalidArgument(
            f"Chapter 9 Table 8 has no {kind} {size}; it has {label(sizes[0])} to "
            f"{label(sizes[-1])}",
            field="conductorSize",
        )
    at_75 = row[_ALUMINUM if material == "aluminum" else _COATED if coated else _UNCOATED]
    rise = temperature_c - TABLE_TEMPERATURE_C
    return float(at_75 * (1 + TEMPERATURE_COEFFICIENT[material] * rise))


_UNCOATED, _COATED, _ALUMINUM = 0, 1, 2
_X_NONMAGNETIC, _X_STEEL = 0, 1
_R_COLUMN: dict[Material, int] = {"copper": 2, "aluminum": 5}


@cache
def _table_8() -> dict[tuple[Size, bool], tuple[float, ...]]:
    """By size and whether stranded: uncoated copper, coated copper, aluminum."""
    rows = stored.cells("chapter_9_table_8")
    return {(size, strands > 1): tuple(values) for size, _, strands, *values in rows}


@cache
def _table_9() -> dict[Size, tuple[float, ...]]:
    """By size: two reactances, then resistances by material and conduit."""
    return {size: tuple(values) for size, *values in stored.cells("chapter_9_table_9")}
