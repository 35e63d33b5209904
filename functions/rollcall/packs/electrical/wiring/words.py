"""Sizes, currents and names as they stand in sentences of either language."""

from __future__ import annotations

from rollcall.core.wording import isolated
from rollcall.packs.electrical.nec.sizes import Material, Size, area_mm2, label
from rollcall.packs.electrical.projects.selecting import Found
from rollcall.packs.electrical.results import Words, number

MATERIALS: dict[Material, Words] = {
    "copper": Words("copper", "נחושת"),
    "aluminum": Words("aluminum", "אלומיניום"),
}


def size_text(size: Size, sets: int = 1) -> str:
    """`AWG 12 (3.31 mm²)`; in parallel `2 × AWG 1/0 (53.5 mm²)`."""
    area = area_mm2(size)
    text = f"{label(size)} ({number(area, digits=2 if area < 10 else 1)} mm²)"
    return isolated(f"{sets} × {text}" if sets > 1 else text)


def amps(value: float, digits: int = 1) -> str:
    """`16.7 A`."""
    return isolated(f"{number(value, digits=digits)} A")


def volts(value: float, digits: int = 2) -> str:
    """`7.2 V`."""
    return isolated(f"{number(value, digits=digits)} V")


def percent(value: float) -> str:
    """`2.8 %`."""
    return isolated(f"{number(value)} %")


def circuit_words(found: Found) -> Words:
    """A circuit with its place."""
    number_, panel = found.circuit.circuit_number, isolated(found.panel.name)
    name = isolated(found.circuit.description)
    return Words(
        en=f"circuit {number_} of {panel} ({name})",
        he=f"מעגל {number_} בלוח {panel} ({name})",
    )
