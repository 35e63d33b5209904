"""Figures as issues name them, in both languages: each is a piece of its own direction."""

from __future__ import annotations

from rollcall.core.wording import isolated, short
from rollcall.packs.electrical.inspection.rule import known
from rollcall.packs.electrical.nec.sizes import Material, Size, label
from rollcall.packs.electrical.projects.records import Wiring
from rollcall.packs.electrical.results import Words, inches, number

_MATERIALS = {"copper": Words("copper", "נחושת"), "aluminum": Words("aluminum", "אלומיניום")}
_MM_PER_IN = 25.4


def amps(value: float) -> str:
    """`47.5 A`."""
    return isolated(f"{number(value, digits=1)} A")


def volts(value: float) -> str:
    """`208 V`."""
    return isolated(f"{number(value, digits=1)} V")


def watts(value: float) -> str:
    """`4,500 W`."""
    return isolated(f"{number(value, digits=0)} W")


def percent(value: float) -> str:
    """`3.42 %`."""
    return isolated(f"{number(value)} %")


def inch(value: float) -> str:
    """`36 in (914 mm)`."""
    return inches(value * _MM_PER_IN)


def kiloamps(value: float) -> str:
    """`22.3 kA`, from amperes."""
    return isolated(f"{number(value / 1000, digits=2)} kA")


def size(value: Size) -> str:
    """`AWG 12`."""
    return isolated(label(value))


def conductor(value: Size, material: Material, sets: int = 1) -> Words:
    """`AWG 12 copper`, `2 × 250 kcmil aluminum`."""
    metal = _MATERIALS[material]
    text = isolated(f"{sets} × {label(value)}") if sets > 1 else size(value)
    return Words(f"{text} {metal.en}", f"{text} {metal.he}")


def wire(wiring: Wiring) -> Words:
    """The conductors of a record; their size is known."""
    found = known(wiring.conductor_size, "conductorSize")
    return conductor(found, wiring.conductor_material, wiring.conductor_sets)


def named(text: str) -> str:
    """Somebody else's words: a description, a name."""
    return short(text, most=80)
