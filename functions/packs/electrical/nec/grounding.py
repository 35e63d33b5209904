"""Grounding and bonding conductors: Tables 250.122, 250.66 and 250.102(C)(1)."""

from __future__ import annotations

import math

from packs.electrical.nec import tables
from packs.electrical.nec.conductors import Material, Size, circular_mils, label, rank, smallest_of
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.wording import TEXTS, invalid

_ELECTRODE_LIMITS: dict[str, dict[Material, Size]] = {
    "rod": {"copper": "6", "aluminum": "4"},
    "plate": {"copper": "6", "aluminum": "4"},
    "concrete_encased": {"copper": "4"},
}
"""The largest conductor that 250.66(A) and (B) require to an electrode. A ground ring's own
conductor (250.66(C)) is not recorded, so that the table counts for it."""

_SHARE = 0.125
_LARGEST_OF_TABLE_CMIL: dict[Material, int] = {"copper": 1_100_000, "aluminum": 1_750_000}


def equipment_grounding_conductor(
    ocpd_amps: float, material: Material, edition: Edition = DEFAULT
) -> Size:
    """Return the smallest equipment grounding conductor for an overcurrent device (Table 250.122).

    It need not be larger than the circuit's conductors (250.122(A)): the caller compares them.
    Aluminum at 5000 and 6000 A is 1200 kcmil in 2017 and 1250 kcmil since.

    Raises:
        InvalidArgument: The device is not above 0 A, or above 6000 A.
    """
    column = 1 if material == "copper" else 2
    rows = list(tables.cells("250_122", edition))
    if math.isfinite(ocpd_amps) and ocpd_amps > 0:
        for row in rows:
            if ocpd_amps <= row[0]:
                return str(row[column])
    raise invalid("ocpdAmps", "no_grounding_row", most=rows[-1][0], ocpd_amps=ocpd_amps)


def enlarged_grounding_conductor(base: Size, *, needed: Size, installed: Size) -> Size:
    """Return the equipment grounding conductor where ungrounded conductors are larger than needed:
    it grows with the ratio of their circular mils (250.122(B)), up to their own size (250.122(A)).

    Args:
        base: What Table 250.122 gives.
        needed: The smallest ungrounded conductor with enough ampacity.
        installed: The one that is installed.
    """
    area = circular_mils(installed)
    ratio = area / circular_mils(needed)
    if ratio <= 1:
        return base
    return max(base, smallest_of(min(circular_mils(base) * ratio, area)), key=rank)


def grounding_electrode_conductor(
    service_size: Size,
    service_material: Material,
    material: Material,
    *,
    sets: int = 1,
    electrode: str | None = None,
) -> Size:
    """Return the smallest grounding electrode conductor (Table 250.66).

    Args:
        service_size: The largest ungrounded service conductor, of each set.
        sets: How many are in parallel for each phase; their circular mils are added.
        electrode: The only electrode that the conductor leads to, by its kind in a project's
            records; its limit counts where it has one.

    Raises:
        InvalidArgument: `sets` is below 1, or aluminum leads to a concrete-encased electrode.
    """
    size = _of_table(_service_cmil(service_size, sets), service_material, material)
    if electrode == "concrete_encased" and material == "aluminum":
        raise invalid("material", "electrode_of_copper", size=label("4"))
    limits = _ELECTRODE_LIMITS.get(electrode or "", {})
    return min(size, limits.get(material, size), key=rank)


def bonding_jumper(
    service_size: Size, service_material: Material, material: Material, *, sets: int = 1
) -> Size:
    """Return the smallest main or system bonding jumper, supply-side jumper or grounded conductor.

    As Table 250.102(C)(1): the sizes of Table 250.66 up to 1100 kcmil copper or 1750 kcmil
    aluminum, above that 12.5 % of the ungrounded conductors' area.

    Raises:
        InvalidArgument: The area is above the table and the materials differ; the note then asks
            for the area of equivalent conductors of the jumper's material.
    """
    area = _service_cmil(service_size, sets)
    if area <= _LARGEST_OF_TABLE_CMIL[service_material]:
        return _of_table(area, service_material, material)
    if service_material != material:
        raise invalid(
            "material",
            "jumper_of_its_material",
            most=_LARGEST_OF_TABLE_CMIL[service_material] // 1000,
            material=TEXTS.text(f"names.{material}"),
        )
    return smallest_of(area * _SHARE)


def _of_table(area_cmil: int, service_material: Material, material: Material) -> Size:
    most, answer = (0, 2) if service_material == "copper" else (1, 2)
    answer += material == "aluminum"
    rows = list(tables.cells("250_66"))
    for row in rows:
        if row[most] is not None and area_cmil <= circular_mils(row[most]):
            return str(row[answer])
    return str(rows[-1][answer])


def _service_cmil(size: Size, sets: int) -> int:
    if sets < 1:
        raise invalid("sets", "no_sets", sets=sets)
    return circular_mils(size) * sets
