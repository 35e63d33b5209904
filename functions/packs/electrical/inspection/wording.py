"""Figures as issues name them, in both languages: each is a piece of its own direction."""

from __future__ import annotations

from typing import Literal

from packs.electrical.inspection.rule import Severity, known
from packs.electrical.nec.sizes import Material, Size, label
from packs.electrical.projects.records import Wiring
from packs.electrical.results import Words, inches, number
from rollcall.core.wording import isolated, short

_MATERIALS = {"copper": Words("copper", "נחושת"), "aluminum": Words("aluminum", "אלומיניום")}
_MM_PER_IN = 25.4
_ONE: dict[Severity | Literal["check"], Words] = {
    "critical": Words("1 critical issue", "ליקוי חמור אחד"),
    "warning": Words("1 warning", "אזהרה אחת"),
    "info": Words("1 note", "הערה אחת"),
    "check": Words("1 check", "בדיקה אחת"),
}
_SEVERAL: dict[Severity | Literal["check"], Words] = {
    "critical": Words("critical issues", "ליקויים חמורים"),
    "warning": Words("warnings", "אזהרות"),
    "info": Words("notes", "הערות"),
    "check": Words("checks", "בדיקות"),
}


def counted(what: Severity | Literal["check"], count: int) -> Words:
    """`2 warnings`, `1 check`, and with none `no notes`."""
    if count == 1:
        return _ONE[what]
    several = _SEVERAL[what]
    return Words(
        f"{number(count)} {several.en}" if count else f"no {several.en}",
        f"{number(count)} {several.he}" if count else f"אין {several.he}",
    )


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
