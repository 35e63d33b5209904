"""Loads and premises of the examples."""

from __future__ import annotations

from typing import Any

from rollcall.packs.electrical.calculations.loads.phases import currents, spread, system
from rollcall.packs.electrical.calculations.loads.premises import Premises
from rollcall.packs.electrical.calculations.loads.steps import Load
from rollcall.packs.electrical.projects.records import LoadType

HOUSE = system(240, 1)


def load(kind: LoadType, va: float, *, line: int | None = None, **more: Any) -> Load:
    """A 240 V load, or a 120 V one on a line."""
    drawn = spread(HOUSE, va) if line is None else currents(HOUSE, (line,), va)
    return Load(f"{kind}-{va}-{line}", kind, kind, va, drawn, **more)


def dwelling(area_ft2: float = 1500, **more: Any) -> Premises:
    """A dwelling with two small-appliance circuits and a laundry circuit."""
    given: dict[str, Any] = {
        "edition": 2017,
        "occupancy": "dwelling",
        "system": HOUSE,
        "floor_area_ft2": area_ft2,
        "small_appliance_circuits": 2,
        "service_amps": 200,
    }
    return Premises(**{**given, **more})


def building(occupancy: Any, **more: Any) -> Premises:
    """A building that is no dwelling, on 120/240 V."""
    given: dict[str, Any] = {"edition": 2017, "occupancy": occupancy, "system": HOUSE}
    return Premises(**{**given, **more})
