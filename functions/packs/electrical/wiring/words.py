"""Sizes, currents and names as they stand in sentences of either language."""

from __future__ import annotations

from packs.electrical.nec.sizes import Material, Size, area_mm2, label
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import Words, number
from rollcall.core.wording import isolated

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


def circuit_words(found: PanelCircuit) -> Words:
    """A circuit with its place."""
    number_, panel = found.circuit.circuit_number, panel_words(found.panel.name)
    name = isolated(found.circuit.description)
    return Words(
        en=f"circuit {number_} of {panel.en} ({name})",
        he=f"מעגל {number_} ב{panel.he} ({name})",
    )


def panel_words(name: str) -> Words:
    """A panel by its name; in Hebrew with the word for it, unless the name begins with that."""
    shown = isolated(name)
    return Words(en=shown, he=shown if name.startswith("לוח") else f"לוח {shown}")
