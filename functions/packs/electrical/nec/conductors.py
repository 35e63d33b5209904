"""Conductors: sizes (AWG up to 4/0, then kcmil), materials, insulation types, and ampacity.

Source: NEC Chapter 9 Table 8 (areas), Tables 310.4(1) (insulation; 310.104(A) in 2017), 310.16,
310.15(B)(1)(1) and 310.15(C)(1) (ampacity and its correction), 240.4(D), 334.80 and 340.80.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, get_args

from packs.electrical.nec.tables import cells
from packs.electrical.wording import TEXTS, invalid, number, pattern
from rollcall.core.texts import Text, isolated

# Sizes and materials

Size = str
"""A size as `SIZES` writes it: "12", "2/0", "250"."""

Material = Literal["copper", "aluminum"]
MATERIALS: tuple[Material, ...] = get_args(Material)

SIZES: tuple[Size, ...] = (
    *("18", "16", "14", "12", "10", "8", "6", "4", "3", "2", "1", "1/0", "2/0", "3/0", "4/0"),
    *("250", "300", "350", "400", "500", "600", "700", "750", "800", "900", "1000"),
    *("1250", "1500", "1750", "2000"),
)
"""Ascending."""

SMALLEST_KCMIL = 250
MM2_PER_CMIL = 5.067e-4

_WRITTEN = re.compile(
    r"(?:(?:(?P<before>kcmil|mcm)|awg|no\.?|size|#)\s*)*(?P<size>\d+(?:/0)?)"
    r"\s*-?\s*(?P<unit>awg|kcmil|mcm|ga(?:uge)?)?"
)
_ZEROS = {"0": "1/0", "00": "2/0", "000": "3/0", "0000": "4/0"}
_SAME_AREA = 0.01
"""A metric area names an AWG size where they differ by less: 3.31 mm² is 12 AWG, 4 mm² is none."""


def parse_size(text: str) -> Size:
    """Return the size that a text says: "#12", "12 AWG", "AWG 2/0", "0000", "250 MCM", "kcmil 500",
    "3.31 mm²".

    A metric area is accepted where it is that of an AWG or kcmil size. The metric series (2.5, 4,
    6 mm²) is refused: its nearest AWG size is another conductor.

    Raises:
        InvalidArgument: It names no size of Table 8.
    """
    plain = " ".join(str(text).lower().replace("\u2044", "/").split())
    if plain in SIZES:
        return plain
    if metric := re.fullmatch(rf"(\d+(?:\.\d+)?)\s*(?:{pattern('nec.cues.mm2')})", plain):
        return _of_area(float(metric[1]), text)
    written = _WRITTEN.fullmatch(plain)
    if written is not None:
        size = _ZEROS.get(written["size"], written["size"])
        units = {written["before"], written["unit"]} - {None}
        if size in SIZES and all((unit in ("kcmil", "mcm")) == _is_kcmil(size) for unit in units):
            return size
    raise invalid(
        "conductorSize",
        "not_a_size",
        text=text,
        first=SIZES[0],
        last=SIZES[14],
        awg=", ".join(SIZES[:15]),
        kcmil=", ".join(SIZES[15:]),
    )


def parse_material(text: str) -> Material:
    """Return the material that a text says: "Cu", "Al", "aluminium", or a word of any language.

    Raises:
        InvalidArgument: It is neither.
    """
    material = _materials().get(str(text).strip().lower())
    if material is None:
        raise invalid("conductorMaterial", "not_a_material", text=text)
    return material


@cache
def _materials() -> dict[str, Material]:
    """Materials by the words for them."""
    return {
        word: material for material in MATERIALS for word in TEXTS.phrases(f"nec.words.{material}")
    }


def rank(size: Size) -> int:
    """Return the index of a size in `SIZES`; for a size between two of them, that of the larger."""
    if size in SIZES:
        return SIZES.index(size)
    area = circular_mils(size)
    return next(place for place, known in enumerate(SIZES) if circular_mils(known) >= area)


def circular_mils(size: Size) -> int:
    """Return the area of a size, in circular mils (Chapter 9 Table 8)."""
    if size in SIZES:
        return _areas()[size]
    if size.isdecimal() and SMALLEST_KCMIL <= int(size) <= int(SIZES[-1]):
        return int(size) * 1000  # such as 1200 kcmil, which Table 250.122 had until 2017
    raise invalid("conductorSize", "size_out_of_range", size=size, first=SIZES[0], last=SIZES[-1])


def area_mm2(size: Size) -> float:
    """Return the area of a size, in mm²."""
    return circular_mils(size) * MM2_PER_CMIL


def smallest_of(area_cmil: float) -> Size:
    """Return the smallest size whose area is not below `area_cmil`, in circular mils.

    Raises:
        InvalidArgument: None is that large.
    """
    for size in SIZES:
        if _areas()[size] >= area_cmil:
            return size
    raise invalid("conductorSize", "area_too_large", area_cmil=area_cmil, largest=SIZES[-1])


def size_range(sizes: Sequence[Size]) -> Text:
    """Return the range of a table, from the first of its sizes to the last, in words."""
    return TEXTS.text("names.size_range", first=label(sizes[0]), last=label(sizes[-1]))


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


def _of_area(area: float, text: str) -> Size:
    for size in SIZES:
        if abs(area_mm2(size) - area) <= area * _SAME_AREA:
            return size
    around = [size for size in SIZES if area_mm2(size) < area][-1:]
    around += [size for size in SIZES if area_mm2(size) > area][:1]
    near = ", ".join(f"{label(size)} ({area_mm2(size):.3g} mm²)" for size in around)
    raise invalid("conductorSize", "not_an_area", text=text, near=near)


@cache
def _areas() -> dict[Size, int]:
    return {row[0]: row[1] for row in cells("chapter_9_table_8")}


# Insulation

Rating = Literal[60, 75, 90]
"""Temperature rating of an insulation or a termination, °C."""

RATINGS: tuple[Rating, ...] = get_args(Rating)

_DRY: dict[str, Rating] = {
    **dict.fromkeys(("TW", "UF", "UF-B", "NM", "NM-B", "NMC", "NMC-B"), 60),
    **dict.fromkeys(("RHW", "THW", "THWN", "USE", "XHWN", "ZW-75"), 75),
    **dict.fromkeys(
        ("FEP", "FEPB", "RHH", "RHW-2", "SA", "SIS", "TBS", "THHN", "THHW", "THW-2", "THWN-2"), 90
    ),
    **dict.fromkeys(("USE-2", "XHH", "XHHN", "XHHW", "XHHW-2", "XHWN-2", "ZW", "ZW-2"), 90),
}
_WET: dict[str, Rating] = {
    **dict.fromkeys(("TW", "UF", "UF-B"), 60),
    **dict.fromkeys(("RHW", "THHW", "THW", "THWN", "USE", "XHHW", "XHWN", "ZW"), 75),
    **dict.fromkeys(("RHW-2", "THW-2", "THWN-2", "USE-2", "XHHW-2", "XHWN-2", "ZW-2"), 90),
}


def insulation_rating(insulation: str, *, wet: bool = False) -> Rating:
    """Return the temperature rating of an insulation, °C, in a dry or damp place or in a wet one.

    A conductor with two marks ("THHN/THWN-2") has the higher rating of those for the place. NM
    cable is 60 °C: its ampacity is that of the 60 °C column (334.80), though corrected from 90 °C.

    Raises:
        InvalidArgument: The type is not known, or not for wet places.
    """
    marks = [mark for mark in re.split(r"[/, ]+", insulation.strip().upper()) if mark]
    ratings = _WET if wet else _DRY
    fitting = [ratings[mark] for mark in marks if mark in ratings]
    if fitting:
        return max(fitting)
    if wet and any(mark in _DRY for mark in marks):
        raise invalid(
            "insulation", "not_for_wet", insulation=insulation, known=", ".join(sorted(_WET))
        )
    raise invalid(
        "insulation", "not_an_insulation", insulation=insulation, known=", ".join(sorted(_DRY))
    )


# Ampacity


def ampacity(size: Size, material: Material, rating: Rating) -> float:
    """Return the ampacity of Table 310.16, A, before correction and adjustment.

    Raises:
        InvalidArgument: The table has no such size, material and rating, such as 14 AWG aluminum.
    """
    amps = _ampacities().get((size, material, rating))
    if amps is None:
        sizes = [
            each for each, metal, degrees in _ampacities() if (metal, degrees) == (material, rating)
        ]
        raise invalid(
            "conductorSize",
            "no_ampacity",
            size=size,
            material=TEXTS.text(f"names.{material}"),
            rating=rating,
            range=size_range(sizes),
        )
    return amps


def temperature_factor(ambient_c: float, rating: Rating) -> float:
    """Return the factor of Table 310.15(B)(1)(1) for an ambient temperature in °C.

    Raises:
        InvalidArgument: It is too hot for the insulation.
    """
    column = RATINGS.index(rating) + 1
    allowed = [row for row in cells("310_15_b_1_1") if row[column] is not None]
    for row in allowed:
        if ambient_c <= row[0]:
            return float(row[column])
    raise invalid(
        "ambientC", "ambient_too_hot", rating=rating, ambient_c=ambient_c, most=allowed[-1][0]
    )


def adjustment_factor(current_carrying: int) -> float:
    """Return the factor of Table 310.15(C)(1) for the number of current-carrying conductors
    together.

    Raises:
        InvalidArgument: It is below 1.
    """
    if current_carrying < 1:
        raise invalid(
            "currentCarryingConductors", "no_current_carrying", current_carrying=current_carrying
        )
    last = None
    for low, _, factor in cells("310_15_c_1"):
        if current_carrying >= low:
            last = factor
    assert last is not None
    return float(last)


def small_conductor_limit(size: Size, material: Material) -> int | None:
    """Return the largest overcurrent device of 240.4(D) for a small conductor, A; None for larger
    ones."""
    for known, metal, amps in cells("240_4_d"):
        if (known, metal) == (size, material):
            return int(amps)
    return None


@cache
def _ampacities() -> dict[tuple[Size, Material, Rating], float]:
    ampacities: dict[tuple[Size, Material, Rating], float] = {}
    for size, *values in cells("310_16"):
        columns = ((metal, degrees) for metal in MATERIALS for degrees in RATINGS)
        for (metal, degrees), amps in zip(columns, values, strict=True):
            if amps is not None:
                ampacities[size, metal, degrees] = float(amps)
    return ampacities
