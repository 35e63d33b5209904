"""A project as large as projects are: 50 panels with 2,000 circuits, with some of every fault."""

from __future__ import annotations

from typing import Any

from packs.electrical.projects.records import Project

PANELS = 50
CIRCUITS = 40
_KINDS = (
    ("receptacle", "office"),
    ("lighting", "corridor"),
    ("receptacle", "restroom"),
    ("equipment", "office"),
    ("space_heating", "office"),
    ("water_heater", "mechanical"),
    ("air_conditioning", "rooftop"),
    ("motor", "mechanical"),
)


def tower(panels: int = PANELS, circuits: int = CIRCUITS) -> Project:
    """A main panel that feeds floor panels, and each of these four more; a motor in every one."""
    ids = [f"p{number}" for number in range(panels)]
    return Project.model_validate(
        {
            "id": "tower",
            "name": "Tower",
            "building": {"occupancy": "office", "floorAreaFt2": 100_000},
            "service": {
                "serviceVoltage": 208,
                "phases": 3,
                "serviceAmps": 4000,
                "panelId": "p0",
                "availableFaultCurrentAmps": 60_000,
                "conductorSize": "600",
                "conductorSets": 11,
            },
            "panels": [_panel(id, number, circuits) for number, id in enumerate(ids)],
            "feeders": [_feeder(ids, number) for number in range(1, panels)],
            "motors": [_motor(id, number) for number, id in enumerate(ids)],
        }
    )


def _panel(id: str, number: int, circuits: int) -> dict[str, Any]:
    return {
        "id": id,
        "name": f"Panel {number}",
        "voltage": 208,
        "phases": 3,
        "wires": 4,
        "busRating": 4000 if number == 0 else 400,
        "mainBreakerAmps": 4000 if number == 0 else 225,
        "aicRating": 10_000 + 5_000 * (number % 8),
        "spaces": 84,
        "isServiceEquipment": number == 0,
        "neutralBonded": number % 9 == 0,
        "workingSpaceDepthIn": 30 + number % 12,
        "circuits": [_circuit(id, 2 * place + 1 + place % 2, place) for place in range(circuits)]
        if circuits <= 28
        else [_circuit(id, place + 1, place) for place in range(circuits)],
    }


def _circuit(panel: str, number: int, place: int) -> dict[str, Any]:
    kind, area = _KINDS[place % len(_KINDS)]
    return {
        "id": f"{panel}-c{place}",
        "circuitNumber": number,
        "description": f"{kind} {place}",
        "loadType": kind,
        "area": None if place % 11 == 0 else area,
        "loadWatts": 300 + 150 * (place % 13),
        "continuous": place % 3 == 0,
        "breakerAmps": (15, 20, 20, 25, 30)[place % 5],
        "conductorSize": ("14", "12", "12", "10")[place % 4],
        "egcSize": None if place % 7 == 0 else "12",
        "insulation": "THHN" if place % 2 else None,
        "conduitType": "emt",
        "lengthFt": 20 + 7 * place,
        "gfci": place % 4 == 0,
    }


def _feeder(ids: list[str], number: int) -> dict[str, Any]:
    above = ids[0] if number <= 9 else ids[(number - 10) // 4 + 1]
    return {
        "id": f"f{number}",
        "name": f"Feeder {number}",
        "sourceId": above if number <= 49 else ids[0],
        "targetId": ids[number],
        "breakerAmps": 225,
        "conductorSize": "4/0",
        "egcSize": "4",
        "insulation": "THHN",
        "conduitType": "emt",
        "lengthFt": 50 + number,
    }


def _motor(panel: str, number: int) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "name": f"Motor {number}",
        "hp": "1",
        "voltage": 115,
        "phases": 1,
        "panelId": panel,
        "circuitNumber": 8,
        "kind": "single_phase",
        "nameplateAmps": 15,
        "overloadAmps": 20,
    }
