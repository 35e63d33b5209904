"""Two buildings without a violation, and ways to change their records."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from packs.electrical.projects.records import Project

Patch = dict[str, dict[str, Any]]
"""Fields to change by record: "service", "building", "grounding", "project", "panel:main",
"circuit:main/ev", "feeder:f1", "transformer:t1", "motor:m1"."""

_WIRED = {
    "insulation": "THHN/THWN-2",
    "conduitType": "pvc",
    "terminalRatingC": 75,
    "lengthFt": 20,
}
_TWENTY = {"breakerAmps": 20, "conductorSize": "12", "egcSize": "12", **_WIRED}


def _circuit(id: str, number: int, named: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "circuitNumber": number,
        "description": named,
        "loadWatts": 1000,
        "powerFactor": 1,
        **_TWENTY,
        **fields,
    }


def _outlets(id: str, number: int, area: str, **fields: Any) -> dict[str, Any]:
    kind = {"loadType": "receptacle", "area": area, "gfci": True, "afci": True}
    return _circuit(id, number, f"Receptacles of the {area}", **{**kind, **fields})


_GOOD_PANEL = {
    "directoryComplete": True,
    "arcFlashLabel": True,
    "faultCurrentLabel": True,
    "workingSpaceDepthIn": 48,
    "workingSpaceWidthIn": 36,
    "workingSpaceHeightIn": 84,
    "location": "hallway",
}
_GROUNDING = {
    "electrodes": [{"kind": "water_pipe"}, {"kind": "rod", "spacingFt": 8}],
    "gecSize": "2",
    "mainBondingJumper": True,
    "mainBondingJumperSize": "2",
    "waterPipeBonded": True,
    "gasPipeBonded": True,
    "intersystemBonding": True,
}

HOME: dict[str, Any] = {
    "id": "home",
    "name": "Home",
    "building": {"occupancy": "dwelling", "floorAreaFt2": 2000},
    "service": {
        **_WIRED,
        "serviceVoltage": 240,
        "phases": 1,
        "serviceAmps": 200,
        "panelId": "main",
        "availableFaultCurrentAmps": 8000,
        "conductorSize": "4/0",
        "conductorMaterial": "aluminum",
        "surgeProtection": True,
        "emergencyDisconnect": True,
    },
    "grounding": _GROUNDING,
    "panels": [
        {
            **_GOOD_PANEL,
            "id": "main",
            "name": "Main",
            "voltage": 240,
            "phases": 1,
            "wires": 3,
            "busRating": 200,
            "mainBreakerAmps": 200,
            "aicRating": 22000,
            "spaces": 42,
            "isServiceEquipment": True,
            "neutralBonded": True,
            "circuits": [
                _circuit(
                    "range", 1, "Range", poles=2, loadType="range", loadWatts=8000, breakerAmps=50,
                    conductorSize="8", egcSize="10", area="kitchen", gfci=True,
                ),
                _circuit(
                    "dryer", 2, "Dryer", poles=2, loadType="dryer", loadWatts=5000, breakerAmps=30,
                    conductorSize="10", egcSize="10", area="laundry", gfci=True,
                ),
                _outlets("counter1", 5, "kitchen", loadType="small_appliance", description="Left"),
                _outlets("counter2", 6, "kitchen", loadType="small_appliance", description="Right"),
                _outlets("washer", 7, "laundry", loadType="laundry"),
                _outlets("bath", 8, "bathroom"),
                _circuit(
                    "bedroom", 9, "Bedroom lights", loadType="lighting", area="bedroom", afci=True,
                    breakerAmps=15, conductorSize="14", egcSize="14", conduitType="nm_cable",
                    insulation="NM-B",
                ),
                _outlets("garage", 10, "garage"),
                _outlets("outside", 11, "outdoor"),
                _outlets("crawl", 12, "crawl_space"),
                _outlets("cellar", 13, "basement"),
                _circuit(
                    "boiler", 14, "Water heater", poles=2, loadType="water_heater", loadWatts=4500,
                    breakerAmps=30, conductorSize="10", egcSize="10", area="basement",
                    disconnectInSight=True,
                ),
                _circuit(
                    "ev", 15, "Vehicle charger", poles=2, loadType="ev_charger", loadWatts=7680,
                    breakerAmps=40, conductorSize="8", egcSize="10", area="garage", gfci=True,
                    disconnectInSight=True,
                ),
                _circuit(
                    "ac", 18, "Air conditioner", poles=2, loadType="air_conditioning",
                    loadWatts=4800, breakerAmps=40, conductorSize="10", egcSize="10",
                    area="outdoor", gfci=True, disconnectInSight=True,
                ),
                _circuit(
                    "heater", 19, "Baseboard heat", poles=2, loadType="space_heating",
                    loadWatts=3600, area="living", disconnectInSight=True,
                ),
                _circuit("pump", 22, "Pool pump", loadType="equipment", area="pool", gfci=True),
                _outlets("poolside", 23, "pool"),
                _circuit("gate", 24, "Gate", loadType="equipment", area="outdoor", gfci=True),
                _circuit(
                    "kiln", 25, "Kiln", loadType="equipment", loadWatts=1800, continuous=True,
                    area="other",
                ),
                _outlets("living", 26, "living"),
            ],
        },
        {
            **_GOOD_PANEL,
            "id": "sub",
            "name": "Sub",
            "voltage": 240,
            "phases": 1,
            "wires": 3,
            "busRating": 125,
            "mainBreakerAmps": 100,
            "aicRating": 22000,
            "spaces": 12,
            "neutralBonded": False,
            "circuits": [_circuit("saw", 1, "Saw", loadType="equipment", area="other")],
        },
    ],
    "feeders": [
        {
            **_WIRED,
            "id": "f-sub",
            "name": "To Sub",
            "sourceId": "main",
            "targetId": "sub",
            "breakerAmps": 100,
            "conductorSize": "3",
            "egcSize": "8",
            "lengthFt": 40,
        }
    ],
}  # fmt: skip

SHOP: dict[str, Any] = {
    "id": "shop",
    "name": "Shop",
    "building": {"occupancy": "workshop", "floorAreaFt2": 5000},
    "service": {
        **_WIRED,
        "serviceVoltage": 480,
        "phases": 3,
        "serviceAmps": 400,
        "panelId": "mdp",
        "availableFaultCurrentAmps": 20000,
        "conductorSize": "500",
        "conductorSets": 2,
        "groundFaultProtection": True,
    },
    "grounding": {**_GROUNDING, "gecSize": "2/0", "mainBondingJumperSize": "2/0"},
    "panels": [
        {
            **_GOOD_PANEL,
            "id": "mdp",
            "name": "MDP",
            "voltage": 480,
            "phases": 3,
            "wires": 4,
            "busRating": 400,
            "mainBreakerAmps": 400,
            "aicRating": 35000,
            "spaces": 30,
            "isServiceEquipment": True,
            "neutralBonded": True,
            "circuits": [
                _circuit(
                    "fan", 1, "Fan", poles=3, loadType="motor", loadWatts=9000, breakerAmps=35,
                    conductorSize="10", egcSize="10", disconnectInSight=True, area="shop",
                ),
                _circuit("welder", 2, "Furnace", poles=3, loadType="equipment", area="shop"),
            ],
        },
        {
            **_GOOD_PANEL,
            "id": "sp",
            "name": "SP",
            "voltage": 480,
            "phases": 3,
            "wires": 4,
            "busRating": 125,
            "mainBreakerAmps": 100,
            "aicRating": 35000,
            "spaces": 12,
            "neutralBonded": False,
            "circuits": [
                _circuit(
                    "lathe", 1, "Lathe", poles=3, loadType="motor", loadWatts=9000, breakerAmps=35,
                    conductorSize="10", egcSize="10", disconnectInSight=True, area="shop",
                ),
            ],
        },
        {
            **_GOOD_PANEL,
            "id": "lp",
            "name": "LP",
            "voltage": 208,
            "phases": 3,
            "wires": 4,
            "busRating": 225,
            "mainBreakerAmps": 225,
            "aicRating": 22000,
            "spaces": 30,
            "neutralBonded": True,
            "circuits": [
                _outlets("restroom", 1, "restroom"),
                _outlets("kitchenette", 2, "kitchen"),
                _outlets("roof", 3, "rooftop"),
                _outlets("yard", 4, "outdoor"),
                _outlets("bay", 5, "garage"),
                _outlets("underfloor", 6, "crawl_space"),
                _outlets("cellar", 7, "basement"),
                _outlets("laundry", 9, "laundry"),
                _circuit(
                    "lights", 11, "Lights", loadType="lighting", area="shop", continuous=True
                ),
            ],
        },
    ],
    "transformers": [
        {
            "id": "t1",
            "name": "T1",
            "kva": 75,
            "phases": 3,
            "primaryVoltage": 480,
            "secondaryVoltage": 208,
            "impedancePercent": 4,
            "secondaryGrounded": True,
            "gecSize": "2",
        }
    ],
    "feeders": [
        {
            **_WIRED,
            "id": "f-sp",
            "name": "To SP",
            "sourceId": "mdp",
            "targetId": "sp",
            "breakerAmps": 100,
            "conductorSize": "3",
            "egcSize": "8",
        },
        {
            **_WIRED,
            "id": "f-t1",
            "name": "To T1",
            "sourceId": "mdp",
            "targetId": "t1",
            "breakerAmps": 125,
            "conductorSize": "1",
            "egcSize": "6",
        },
        {
            **_WIRED,
            "id": "f-lp",
            "name": "To LP",
            "sourceId": "t1",
            "targetId": "lp",
            "conductorSize": "4/0",
        },
    ],
    "motors": [
        {
            "id": id,
            "name": name,
            "hp": "10",
            "voltage": 460,
            "phases": 3,
            "panelId": panel,
            "circuitNumber": 1,
            "nameplateAmps": 13,
            "serviceFactor": 1.15,
            "temperatureRiseC": 40,
            "overloadAmps": 16,
            "disconnectInSight": True,
        }
        for id, name, panel in (("m-fan", "Fan", "mdp"), ("m-lathe", "Lathe", "sp"))
    ],
}  # fmt: skip


def building(base: dict[str, Any], *patches: Patch) -> Project:
    """A project made of a base with some records changed; `None` makes a field unknown."""
    data = deepcopy(base)
    for patch in patches:
        for name, fields in patch.items():
            _record(data, name).update(deepcopy(fields))
    return Project.model_validate(data)


def _record(data: dict[str, Any], name: str) -> dict[str, Any]:
    kind, _, id = name.partition(":")
    if kind == "project":
        return data
    if not id:
        found: dict[str, Any] = data.setdefault(kind, {})
        return found
    if kind == "circuit":
        panel, _, circuit = id.partition("/")
        return _by_id(_by_id(data["panels"], panel)["circuits"], circuit)
    return _by_id(data[f"{kind}s"], id)


def _by_id(records: list[dict[str, Any]], id: str) -> dict[str, Any]:
    return next(record for record in records if record["id"] == id)
