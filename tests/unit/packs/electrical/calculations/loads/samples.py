"""Loads and premises of the examples."""

from __future__ import annotations

from typing import Any

from packs.electrical.calculations.loads.calculation import Load, Premises
from packs.electrical.calculations.loads.lines import currents, spread, system
from packs.electrical.projects.records import LoadType, Project

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


def circuit(number: int, kind: str = "other", watts: float = 0, **more: Any) -> dict[str, Any]:
    """A circuit as it is stored."""
    return {
        "id": f"c{number}",
        "circuitNumber": number,
        "description": f"{kind} {number}",
        "loadWatts": watts,
        "loadType": kind,
        "breakerAmps": 20,
        **more,
    }


def panel(id: str = "main", circuits: Any = (), **more: Any) -> dict[str, Any]:
    """A panel of 240 V as it is stored."""
    given = {"id": id, "name": id, "voltage": 240, "phases": 1, "busRating": 200, "spaces": 42}
    return {**given, "circuits": list(circuits), **more}


def project(*panels: dict[str, Any], **more: Any) -> Project:
    """A project; by default a house of 2000 ft2 on 240 V, 200 A."""
    given: dict[str, Any] = {
        "id": "p",
        "name": "p",
        "building": {"occupancy": "dwelling", "floorAreaFt2": 2000},
        "service": {"serviceVoltage": 240, "phases": 1, "serviceAmps": 200},
        "panels": list(panels),
    }
    return Project.model_validate({**given, **more})


def three_phase(id: str = "lp", circuits: Any = (), **more: Any) -> dict[str, Any]:
    """A panel of 208Y/120 V as it is stored."""
    return panel(id, circuits, **{"voltage": 208, "phases": 3, **more})


def office(*panels: dict[str, Any], **more: Any) -> Project:
    """An office without a known area on 208Y/120 V, 400 A."""
    given: dict[str, Any] = {
        "building": {"occupancy": "office"},
        "service": {"serviceVoltage": 208, "phases": 3, "serviceAmps": 400},
    }
    return project(*panels, **{**given, **more})
