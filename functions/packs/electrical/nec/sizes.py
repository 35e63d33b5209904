"""Conductor sizes: AWG up to 4/0, then kcmil. Areas: NEC Chapter 9 Table 8."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from packs.electrical.nec import stored
from packs.electrical.wording import number
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated

Size = str
"""A size as `SIZES` writes it: "12", "2/0", "250"."""

Material = Literal["copper", "aluminum"]

SIZES: tuple[Size, ...] = (
    *("18", "16", "14", "12", "10", "8", "6", "4", "3", "2", "1", "1/0", "2/0", "3/0", "4/0"),
    *("250", "300", "350", "400", "500", "600", "700", "750", "800", "900", "1000"),
    *("1250", "1500", "1750", "2000"),
)
"""Ascending."""

SMALLEST_KCMIL = 250
MM2_PER_CMIL = 5.067e-4

_COPPER = frozenset({"copper", "cu", "נחושת"})
_ALUMINUM = frozenset({"aluminum", "aluminium", "al", "cca", "copper-clad aluminum", "אלומיניום"})
_METRIC = re.compile(r"(\d+(?:\.\d+)?)\s*(?:mm2|mm²|mm\^2|sq\.? ?mm|ממ\"ר|מ\"מ רבוע)")
_WRITTEN = re.compile(
    r"(?:(?:(?P<before>kcmil|mcm)|awg|no\.?|size|#)\s*)*(?P<size>\d+(?:/0)?)"
    r"\s*-?\s*(?P<unit>awg|kcmil|mcm|ga(?:uge)?)?"
)
_ZEROS = {"0": "1/0", "00": "2/0", "000": "3/0", "0000": "4/0"}
_SAME_AREA = 0.01
"""A metric area names an AWG size where they differ by less: 3.31 mm² is 12 AWG, 4 mm² is none."""


def parse_size(text: str) -> Size:
    """The size of a text: "#12", "12 AWG", "AWG 2/0", "0000", "250 MCM", "kcmil 500",
    "3.31 mm²".

    A metric area is taken where it is that of an AWG or kcmil size. The metric series (2.5, 4,
    6 mm²) is not: its nearest AWG size is another conductor.

    Raises:
        InvalidArgument: It names no size of Table 8.
    """
    plain = " ".join(str(text).lower().replace("\u2044", "/").split())
    if metric := _METRIC.fullmatch(plain):
        return _of_area(float(metric[1]), text)
    written = _WRITTEN.fullmatch(plain)
    if written is not None:
        size = _ZEROS.get(written["size"], written["size"])
        units = (written["before"], written["unit"])
        if size in SIZES and all(_unit_fits(size, unit) for unit in units):
            return size
    raise InvalidArgument(
        f"{text!r} is no conductor size; known: AWG {SIZES[0]} to {SIZES[14]} "
        f"({', '.join(SIZES[:15])}) and kcmil {', '.join(SIZES[15:])}",
        field="conductorSize",
    )


def parse_material(text: str) -> Material:
    """ "copper" or "aluminum", of "Cu", "Al", "aluminium" or the Hebrew words.

    Raises:
        InvalidArgument: It is neither.
    """
    plain = str(text).strip().lower()
    if plain in _COPPER:
        return "copper"
    if plain in _ALUMINUM:
        return "aluminum"
    raise InvalidArgument(
        f"{text!r} is no conductor material; known: copper (Cu), aluminum (Al)",
        field="conductorMaterial",
    )


def rank(size: Size) -> int:
    """The place of a size in `SIZES`; of a kcmil size between two of them, the larger one's."""
    if size in SIZES:
        return SIZES.index(size)
    area = circular_mils(size)
    return next(place for place, known in enumerate(SIZES) if circular_mils(known) >= area)


def circular_mils(size: Size) -> int:
    """The area of a size, in circular mils (Chapter 9 Table 8)."""
    if size in SIZES:
        return _areas()[size]
    if size.isdecimal() and SMALLEST_KCMIL <= int(size) <= int(SIZES[-1]):
        return int(size) * 1000  # such as 1200 kcmil, which Table 250.122 had until 2017
    raise InvalidArgument(
        f"{size!r} is no conductor size from {SIZES[0]} AWG to {SIZES[-1]} kcmil",
        field="conductorSize",
    )


def area_mm2(size: Size) -> float:
    """The area of a size, in mm²."""
    return circular_mils(size) * MM2_PER_CMIL


def next_larger(size: Size) -> Size | None:
    """The next size up; None after the largest."""
    place = rank(size) + (size in SIZES)
    return SIZES[place] if place < len(SIZES) else None


def smallest_of(area_cmil: float) -> Size:
    """The smallest size whose area is not below `area_cmil`, in circular mils.

    Raises:
        InvalidArgument: None is that large.
    """
    for size in SIZES:
        if _areas()[size] >= area_cmil:
            return size
    raise InvalidArgument(
        f"no single conductor has {area_cmil:,.0f} circular mils; "
        f"the largest is {SIZES[-1]} kcmil: use conductors in parallel",
        field="conductorSize",
    )


def label(size: Size) -> str:
    """`AWG 12`, `AWG 2/0`, `250 kcmil`."""
    return f"{size} kcmil" if _is_kcmil(size) else f"AWG {size}"


def size_text(size: Size, sets: int = 1) -> str:
    """`AWG 12 (3.31 mm²)`; in parallel `2 × AWG 1/0 (53.5 mm²)`; isolated."""
    area = area_mm2(size)
    text = f"{label(size)} ({number(area, digits=2 if area < 10 else 1)} mm²)"
    return isolated(f"{sets} × {text}" if sets > 1 else text)


def _is_kcmil(size: Size) -> bool:
    return "/" not in size and int(size) >= SMALLEST_KCMIL


def _unit_fits(size: Size, unit: str | None) -> bool:
    return unit is None or _is_kcmil(size) == (unit in ("kcmil", "mcm"))


def _of_area(area: float, text: str) -> Size:
    for size in SIZES:
        if abs(area_mm2(size) - area) <= area * _SAME_AREA:
            return size
    around = [size for size in SIZES if area_mm2(size) < area][-1:]
    around += [size for size in SIZES if area_mm2(size) > area][:1]
    near = " and ".join(f"{label(size)} ({area_mm2(size):.3g} mm²)" for size in around)
    raise InvalidArgument(
        f"{text!r} is the area of no AWG or kcmil size; nearest: {near}", field="conductorSize"
    )


@cache
def _areas() -> dict[Size, int]:
    return {row[0]: row[1] for row in stored.cells("chapter_9_table_8")}
