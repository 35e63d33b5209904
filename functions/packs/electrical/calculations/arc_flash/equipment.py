"""Typical conductor gaps, enclosures and working distances by class of equipment.

Source: IEEE Std 1584-2018, Tables 8 (gaps), 9 (enclosures) and 10 (working distances).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from packs.electrical.calculations.arc_flash.enclosure import Enclosure

EquipmentClass = Literal[
    "lv_panelboard",
    "lv_panelboard_shallow",
    "lv_mcc",
    "lv_mcc_shallow",
    "lv_switchgear",
    "cable_junction_box",
    "5kv_switchgear",
    "5kv_mcc",
    "15kv_switchgear",
    "15kv_mcc",
]


@dataclass(frozen=True, slots=True)
class Typical:
    """What is typical of a class, mm. Where the standard has a depth "above 203.2 mm", it stands
    here as 204: how much deeper makes no difference to the model."""

    gap_mm: float
    enclosure: Enclosure
    working_distance_mm: float


_SMALL_SHALLOW = Enclosure(355.6, 304.8, 203.2)
_SMALL_DEEP = Enclosure(355.6, 304.8, 204)
_WIDE = Enclosure(914.4, 914.4, 914.4)
_TALL = Enclosure(1143, 762, 762)

TYPICAL: dict[EquipmentClass, Typical] = {
    "lv_panelboard": Typical(25, _SMALL_DEEP, 457.2),
    "lv_panelboard_shallow": Typical(25, _SMALL_SHALLOW, 457.2),
    "lv_mcc": Typical(25, _SMALL_DEEP, 457.2),
    "lv_mcc_shallow": Typical(25, _SMALL_SHALLOW, 457.2),
    "lv_switchgear": Typical(32, Enclosure(508, 508, 508), 609.6),
    "cable_junction_box": Typical(13, _SMALL_DEEP, 457.2),
    "5kv_switchgear": Typical(104, _WIDE, 914.4),
    "5kv_mcc": Typical(104, Enclosure(660.4, 660.4, 660.4), 914.4),
    "15kv_switchgear": Typical(152, _TALL, 914.4),
    "15kv_mcc": Typical(152, _WIDE, 914.4),
}


def class_of(
    kind: Literal["panelboard", "switchboard", "switchgear", "mcc"], voltage_v: float
) -> EquipmentClass:
    """The class of a panel. Up to 600 V a panelboard or a motor control centre is taken as a deep
    one, which gives the higher energy, until its depth is known."""
    if voltage_v <= 600:
        if kind == "mcc":
            return "lv_mcc"
        return "lv_panelboard" if kind == "panelboard" else "lv_switchgear"
    if voltage_v <= 5_000:
        return "5kv_mcc" if kind == "mcc" else "5kv_switchgear"
    return "15kv_mcc" if kind == "mcc" else "15kv_switchgear"
