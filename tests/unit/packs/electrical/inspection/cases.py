"""For every rule: a violation, its compliant twin, and the fact without which it is undecided.

The buildings are compliant as they are: `good` only sets the scene where the building has none.
Where no fact that the rule needs can be missing from a record, `unknown` is None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.unit.packs.electrical.inspection.buildings import HOME, SHOP, Patch

NOTHING: Patch = {}


class Case(NamedTuple):
    """One rule, tried on one building.

    Attributes:
        bad: What makes it a violation, on top of `good`.
        at: The key of the place where it is found.
        unknown: What takes the fact away, on top of `good`, and the field that is then named.
    """

    rule: str
    base: dict[str, Any]
    bad: Patch
    at: str
    unknown: tuple[Patch, str] | None
    good: Patch = NOTHING


def _no(record: str, field: str, named: str | None = None) -> tuple[Patch, str]:
    return {record: {field: None}}, named or field


NOWHERE = {"area": None, "description": "Receptacles", "loadType": "receptacle"}
"""A circuit of which nothing says where it is."""


def _at(rule: str, base: dict[str, Any], at: str, **fields: Any) -> Case:
    """A rule for what is protected wherever it is; `fields` make a circuit such a one."""
    circuit = f"circuit:{at}"
    good: Patch = {circuit: {"gfci": True, "area": "shop", "loadType": "equipment", **fields}}
    return Case(rule, base, {circuit: {"gfci": False}}, at, None, good)


def _gfci(rule: str, base: dict[str, Any], at: str, year: int = 2023) -> Case:
    circuit = f"circuit:{at}"
    return Case(
        rule,
        base,
        {circuit: {"gfci": False}},
        at,
        ({circuit: {**NOWHERE, "gfci": False}}, "area"),
        {"project": {"edition": year}},
    )


_HOT = {"ambientC": 50, "currentCarryingConductors": 12}
_BIG_SERVICE: Patch = {
    "service": {"serviceAmps": 1200, "conductorSets": 4},
}

CASES = (
    Case(
        "110.4-voltage", HOME, {"circuit:main/ev": {"voltage": 120}}, "main/ev", None,
        {"circuit:main/ev": {"voltage": 240}},
    ),
    Case("110.4-motor", SHOP, {"motor:m-fan": {"voltage": 230}}, "motor/m-fan", None),
    Case("110.4-feeder", HOME, {"panel:sub": {"voltage": 480}}, "feeder/f-sub", None),
    Case(
        "110.9-interrupting", SHOP, {"panel:mdp": {"aicRating": 10000}}, "mdp",
        _no("panel:mdp", "aicRating"),
    ),
    Case(
        "110.14-c", HOME, {"circuit:main/kiln": {"terminalRatingC": 60}},
        "main/kiln", _no("circuit:main/kiln", "conductorSize"),
        {"circuit:main/kiln": {"breakerAmps": 70, "conductorSize": "6"}},
    ),
    Case(
        "110.16-label", SHOP, {"panel:mdp": {"arcFlashLabel": False}}, "mdp",
        _no("panel:mdp", "arcFlashLabel"),
    ),
    Case(
        "110.24-label", SHOP, {"panel:mdp": {"faultCurrentLabel": False}}, "mdp",
        _no("panel:mdp", "faultCurrentLabel"),
    ),
    Case(
        "110.26-depth", SHOP, {"panel:mdp": {"workingSpaceDepthIn": 30}}, "mdp",
        ({"panel:mdp": {"workingSpaceDepthIn": 42}}, "workingSpaceCondition"),
    ),
    Case(
        "110.26-width", SHOP, {"panel:mdp": {"workingSpaceWidthIn": 24}}, "mdp",
        _no("panel:mdp", "workingSpaceWidthIn"),
    ),
    Case(
        "110.26-height", SHOP, {"panel:mdp": {"workingSpaceHeightIn": 72}}, "mdp",
        _no("panel:mdp", "workingSpaceHeightIn"),
    ),
    *(
        _gfci(f"210.8-a-{area}", HOME, f"main/{id}")
        for area, id in (
            ("bathroom", "bath"), ("garage", "garage"), ("outdoor", "outside"),
            ("crawl-space", "crawl"), ("basement", "cellar"), ("kitchen", "counter1"),
            ("laundry", "washer"),
        )
    ),
    *(
        _gfci(f"210.8-b-{area}", SHOP, f"lp/{id}")
        for area, id in (
            ("restroom", "restroom"), ("kitchen", "kitchenette"), ("rooftop", "roof"),
            ("outdoor", "yard"), ("garage", "bay"), ("crawl-space", "underfloor"),
            ("laundry", "laundry"),
        )
    ),
    Case(
        "210.8-b-basement", SHOP, {}, "",
        ({"circuit:lp/cellar": {"gfci": False}}, "basementFinished"),
    ),
    *(
        _at(f"210.8-a-{rule}", HOME, "main/bath", loadType="receptacle", area=area)
        for rule, area in (
            ("food", "food_preparation"), ("sink", "sink"), ("boathouse", "boathouse"),
            ("shower", "shower"), ("wet", "wet_location"),
        )
    ),
    *(
        _at(f"210.8-b-{rule}", SHOP, "lp/bay", loadType="receptacle", area=area)
        for rule, area in (
            ("food", "food_preparation"), ("buffet", "buffet"), ("sink", "sink"),
            ("wet", "wet_location"), ("locker", "locker_room"), ("shower", "shower"),
        )
    ),
    _at("210.8-b-aquarium", SHOP, "lp/bay", description="Aquarium"),
    _at("210.8-c-crawl-space", HOME, "main/bath", loadType="lighting", area="crawl_space",
        description="Lights"),
    _at("210.8-e-service", SHOP, "lp/bay", description="HVAC service receptacle"),
    _at("422.5-appliances", SHOP, "lp/bay", description="Vending machine"),
    _at("422.5-washer", SHOP, "lp/bay", description="Pressure washer, cord"),
    _at("424.44-floor", HOME, "main/bath", description="Heated floor", area="bathroom"),
    _at("555.9-hoist", HOME, "main/bath", description="Boat lift"),
    _at("625.54-receptacle", HOME, "main/bath", description="EV outlet", loadType="ev_charger",
        disconnectInSight=True),
    Case(
        "680.23-lighting", HOME, {}, "",
        ({"circuit:main/bath": {"gfci": False}}, "luminaireVoltage"),
        {"circuit:main/bath": {"description": "Light", "loadType": "lighting", "area": "pool"}},
    ),
    _at("680.44-spa", HOME, "main/bath", description="Hot tub", area="outdoor"),
    _at("680.51-fountain", HOME, "main/bath", description="Fountain pump", area="outdoor"),
    _at("680.71-tub", HOME, "main/bath", description="Whirlpool tub", area="bathroom"),
    Case(
        "210.8-d-appliances", HOME, {"circuit:main/range": {"gfci": False}}, "main/range", None,
    ),
    Case(
        "210.8-f-outdoor", HOME, {"circuit:main/gate": {"gfci": False}}, "main/gate",
        ({"circuit:main/ac": {"gfci": False}}, "listingOfCoolingEquipment"),
    ),
    Case(
        "210.11-c-20", HOME, {"circuit:main/washer": {"breakerAmps": 15}}, "main/washer", None,
    ),
    Case(
        "210.11-c1", HOME, {"circuit:main/counter1": {"loadType": "appliance"}}, "service",
        (
            {
                "circuit:main/counter1": {"loadType": "appliance"},
                "circuit:main/living": {"area": None},
            },
            "area",
        ),
    ),
    Case(
        "210.11-c2", HOME, {"circuit:main/washer": {"loadType": "appliance"}}, "service",
        (
            {
                "circuit:main/washer": {"loadType": "appliance"},
                "circuit:main/living": {"area": None},
            },
            "area",
        ),
    ),
    Case(
        "210.11-c3", HOME, {"circuit:main/bath": {"breakerAmps": 15}}, "service",
        ({"circuit:main/bath": {"area": None}}, "area"),
    ),
    Case(
        "210.11-c4", HOME, {"circuit:main/garage": {"breakerAmps": 15}}, "service",
        (
            {"circuit:main/garage": {"breakerAmps": 15}, "circuit:main/living": {"area": None}},
            "area",
        ),
    ),
    Case(
        "210.12-afci", HOME, {"circuit:main/bedroom": {"afci": False}}, "main/bedroom",
        ({"circuit:main/bedroom": {"area": None, "description": "Lights", "afci": False}}, "area"),
    ),
    Case(
        "210.18-rating", SHOP, {"circuit:lp/bay": {"breakerAmps": 25}}, "lp/bay", None,
    ),
    Case(
        "210.19-continuous", HOME,
        {"circuit:main/kiln": {"conductorSize": "14", "loadWatts": 2300}}, "main/kiln",
        _no("circuit:main/kiln", "conductorSize"),
    ),
    Case(
        "210.19-drop", HOME, {"circuit:main/kiln": {"lengthFt": 200}}, "main/kiln",
        _no("circuit:main/kiln", "lengthFt"),
    ),
    Case(
        "210.20-continuous", HOME, {"circuit:main/kiln": {"loadWatts": 2000}}, "main/kiln",
        ({"circuit:main/kiln": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "210.22-load", HOME, {"circuit:sub/saw": {"loadWatts": 2600}}, "sub/saw",
        ({"circuit:sub/saw": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "210.23-load", SHOP, {"circuit:lp/bay": {"loadWatts": 2600}}, "lp/bay",
        ({"circuit:lp/bay": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "210.23-dwelling", HOME, {"circuit:main/living": {"breakerAmps": 30}}, "main/living", None,
    ),
    Case(
        "215.2-conductor", HOME, {"circuit:sub/saw": {"loadWatts": 15000}}, "feeder/f-sub",
        _no("feeder:f-sub", "conductorSize"),
    ),
    Case(
        "215.2-drop", HOME, {"feeder:f-sub": {"lengthFt": 2500}}, "feeder/f-sub",
        _no("feeder:f-sub", "conduitType"),
    ),
    Case(
        "215.3-breaker", HOME, {"circuit:sub/saw": {"loadWatts": 15000}}, "feeder/f-sub",
        ({"circuit:sub/saw": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "220.40-main", HOME, {"circuit:sub/saw": {"loadWatts": 15000}}, "sub",
        ({"circuit:sub/saw": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "230.42-load", SHOP,
        {"service": {"conductorSize": "1/0", "conductorSets": 1, "serviceAmps": 150},
         "circuit:mdp/welder": {"loadWatts": 150000}},
        "service", _no("service", "conductorSize"),
    ),
    Case(
        "230.67-surge", HOME, {"service": {"surgeProtection": False}}, "service",
        _no("service", "surgeProtection", "service.surgeProtection"),
    ),
    Case(
        "230.70-bathroom", HOME, {"panel:main": {"location": "bathroom"}}, "main",
        _no("panel:main", "location"),
    ),
    Case("230.71-six", HOME, {"service": {"disconnects": 7}}, "service", None),
    Case("230.79-rating", HOME, {"service": {"serviceAmps": 60}}, "service", None),
    Case(
        "230.85-emergency", HOME, {"service": {"emergencyDisconnect": False}}, "service",
        _no("service", "emergencyDisconnect", "service.emergencyDisconnect"),
    ),
    Case(
        "230.90-protection", SHOP, {"service": {"conductorSets": 1, "conductorSize": "350"}},
        "service", _no("service", "conductorSize"),
    ),
    Case(
        "230.95-ground-fault", SHOP, {"service": {"groundFaultProtection": False}}, "service",
        _no("service", "groundFaultProtection", "service.groundFaultProtection"), _BIG_SERVICE,
    ),
    Case(
        "240.4-circuit", HOME, {"circuit:main/range": _HOT}, "main/range",
        ({"circuit:main/range": {**_HOT, "insulation": None}}, "insulation"),
    ),
    Case(
        "240.4-d", HOME, {"circuit:sub/saw": {"conductorSize": "14"}}, "sub/saw",
        _no("circuit:sub/saw", "insulation"),
        {"circuit:sub/saw": {"ambientC": 30}},
    ),
    Case(
        "240.4-feeder", HOME, {"feeder:f-sub": {"conductorSize": "6"}}, "feeder/f-sub",
        _no("feeder:f-sub", "breakerAmps"),
    ),
    Case("240.6-circuit", HOME, {"circuit:sub/saw": {"breakerAmps": 17}}, "sub/saw", None),
    Case(
        "240.6-feeder", HOME, {"feeder:f-sub": {"breakerAmps": 95}}, "feeder/f-sub",
        _no("feeder:f-sub", "breakerAmps"),
    ),
    Case(
        "240.21-length", SHOP, {"feeder:f-lp": {"lengthFt": 60}}, "feeder/f-lp",
        _no("feeder:f-lp", "lengthFt"),
    ),
    Case(
        "240.21-ampacity", SHOP, {"feeder:f-lp": {"conductorSize": "3/0"}}, "feeder/f-lp",
        _no("panel:lp", "mainBreakerAmps"),
    ),
    Case(
        "240.24-bathroom", HOME, {"panel:sub": {"location": "bathroom"}}, "sub",
        _no("panel:sub", "location"),
    ),
    Case(
        "240.24-closet", HOME, {"panel:sub": {"location": "closet"}}, "sub",
        _no("panel:sub", "location"),
    ),
    Case(
        "240.24-stairs", HOME, {"panel:sub": {"location": "stairway"}}, "sub",
        _no("panel:sub", "location"),
    ),
    Case(
        "240.85-high-leg", SHOP, {"circuit:lp/roof": {"circuitNumber": 3}}, "lp/roof", None,
        {
            "panel:lp": {"voltage": 240, "highLeg": True},
            "circuit:lp/roof": {"circuitNumber": 13},
            "circuit:lp/yard": {"circuitNumber": 14},
            "circuit:lp/laundry": {"circuitNumber": 17},
        },
    ),
    Case(
        "250.28-jumper", HOME, {"grounding": {"mainBondingJumper": False}}, "service",
        (
            {"grounding": {"mainBondingJumper": None}, "panel:main": {"neutralBonded": None}},
            "grounding.mainBondingJumper",
        ),
    ),
    Case(
        "250.28-size", HOME, {"grounding": {"mainBondingJumperSize": "6"}}, "service",
        _no("grounding", "mainBondingJumperSize", "grounding.mainBondingJumperSize"),
    ),
    Case(
        "250.30-grounded", SHOP, {"transformer:t1": {"secondaryGrounded": False}}, "transformer/t1",
        _no("transformer:t1", "secondaryGrounded"),
    ),
    Case(
        "250.30-gec", SHOP, {"transformer:t1": {"gecSize": "6"}}, "transformer/t1",
        _no("transformer:t1", "gecSize"),
    ),
    Case(
        "250.53-rod", HOME, {"grounding": {"electrodes": [{"kind": "rod", "resistanceOhms": 40}]}},
        "service",
        ({"grounding": {"electrodes": [{"kind": "rod"}]}}, "grounding.electrodes.resistanceOhms"),
        {"grounding": {"electrodes": [{"kind": "rod", "resistanceOhms": 20}]}},
    ),
    Case(
        "250.53-spacing", HOME,
        {"grounding": {"electrodes": [{"kind": "rod", "spacingFt": 4}, {"kind": "rod"}]}},
        "service",
        (
            {"grounding": {"electrodes": [{"kind": "rod"}, {"kind": "rod"}]}},
            "grounding.electrodes.spacingFt",
        ),
        {"grounding": {"electrodes": [{"kind": "rod", "spacingFt": 6}, {"kind": "rod"}]}},
    ),
    Case(
        "250.53-water", HOME, {"grounding": {"electrodes": [{"kind": "water_pipe"}]}}, "service",
        ({"grounding": {"electrodes": []}}, "grounding.electrodes"),
    ),
    Case(
        "250.66-gec", HOME, {"grounding": {"gecSize": "6"}}, "service",
        _no("grounding", "gecSize", "grounding.gecSize"),
    ),
    Case(
        "250.94-intersystem", HOME, {"grounding": {"intersystemBonding": False}}, "service",
        _no("grounding", "intersystemBonding", "grounding.intersystemBonding"),
    ),
    Case(
        "250.104-water", HOME, {"grounding": {"waterPipeBonded": False}}, "service",
        _no("grounding", "waterPipeBonded", "grounding.waterPipeBonded"),
    ),
    Case(
        "250.104-gas", HOME, {"grounding": {"gasPipeBonded": False}}, "service",
        _no("grounding", "gasPipeBonded", "grounding.gasPipeBonded"),
    ),
    Case(
        "250.122-circuit", HOME, {"circuit:main/dryer": {"egcSize": "12"}}, "main/dryer",
        _no("circuit:main/dryer", "egcSize"),
    ),
    Case(
        "250.122-b-circuit", HOME, {"circuit:main/dryer": {"egcSize": "10"}}, "main/dryer",
        _no("circuit:main/dryer", "conductorSize"),
        {"circuit:main/dryer": {"conductorSize": "8", "egcSize": "8"}},
    ),
    Case(
        "250.122-feeder", HOME, {"feeder:f-sub": {"egcSize": "10"}}, "feeder/f-sub",
        _no("feeder:f-sub", "egcSize"),
    ),
    Case(
        "250.122-b-feeder", HOME, {"feeder:f-sub": {"egcSize": "8"}}, "feeder/f-sub",
        _no("feeder:f-sub", "egcSize"),
        {"feeder:f-sub": {"conductorSize": "1/0", "egcSize": "4"}},
    ),
    Case(
        "250.142-neutral", HOME, {"panel:sub": {"neutralBonded": True}}, "sub",
        _no("panel:sub", "neutralBonded"),
    ),
    Case(
        "310.10-buried", HOME, {"circuit:main/gate": {"insulation": "THWN"}}, "main/gate",
        _no("circuit:main/gate", "insulation"),
        {"circuit:main/gate": {"conduitType": "direct_burial", "insulation": "UF-B"}},
    ),
    Case(
        "310.10-buried-feeder", HOME, {"feeder:f-sub": {"insulation": "THHN"}}, "feeder/f-sub",
        _no("feeder:f-sub", "insulation"),
        {"feeder:f-sub": {"conduitType": "direct_burial", "insulation": "USE-2"}},
    ),
    Case(
        "310.10-circuit", HOME, {"circuit:main/ev": {"conductorSize": "8"}}, "main/ev",
        _no("circuit:main/ev", "conductorSize"),
        {"circuit:main/ev": {"conductorSets": 2, "conductorSize": "1/0"}},
    ),
    Case(
        "310.10-feeder", HOME, {"feeder:f-sub": {"conductorSize": "3"}}, "feeder/f-sub",
        _no("feeder:f-sub", "conductorSize"),
        {"feeder:f-sub": {"conductorSets": 2, "conductorSize": "1/0"}},
    ),
    Case(
        "310.10-service", SHOP, {"service": {"conductorSize": "1"}}, "service",
        _no("service", "conductorSize"),
    ),
    Case(
        "310.15-load", SHOP, {"circuit:mdp/welder": {"loadWatts": 25000}}, "mdp/welder",
        _no("circuit:mdp/welder", "conductorSize"),
    ),
    Case(
        "334.80-nm", HOME, {"circuit:main/range": {"conductorSize": "8"}},
        "main/range", _no("circuit:main/range", "conductorSize"),
        {"circuit:main/range": {
            "conduitType": "nm_cable", "insulation": "NM-B", "conductorSize": "6",
        }},
    ),
    Case(
        "408.4-described", HOME, {"circuit:main/kiln": {"description": "Circuit"}}, "main/kiln",
        None,
    ),
    Case(
        "408.4-directory", HOME, {"panel:main": {"directoryComplete": False}}, "main",
        _no("panel:main", "directoryComplete"),
    ),
    Case(
        "408.4-distinct", HOME, {"circuit:main/kiln": {"description": "  gate "}}, "main", None,
    ),
    Case(
        "408.6-label", SHOP, {"panel:sp": {"faultCurrentLabel": False}}, "sp",
        _no("panel:sp", "faultCurrentLabel"),
    ),
    Case(
        "408.30-capacity", HOME, {"circuit:sub/saw": {"loadWatts": 18000}}, "sub",
        ({"circuit:sub/saw": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "408.36-protection", HOME, {"panel:sub": {"busRating": 60}}, "sub",
        ({"panel:sub": {"mainBreakerAmps": None}, "feeder:f-sub": {"breakerAmps": None}},
         "mainBreakerAmps"),
    ),
    Case(
        "408.36-transformer", SHOP, {"panel:lp": {"mainBreakerAmps": None}}, "lp", None,
    ),
    Case(
        "422.11-most", HOME, {"circuit:main/boiler": {"breakerAmps": 50}}, "main/boiler",
        ({"circuit:main/boiler": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "422.13-water-heater", HOME, {"circuit:main/boiler": {"breakerAmps": 20}}, "main/boiler",
        ({"circuit:main/boiler": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "422.31-disconnect", HOME, {"circuit:main/boiler": {"disconnectInSight": False}},
        "main/boiler", _no("circuit:main/boiler", "disconnectInSight"),
    ),
    Case(
        "424.4-heating", HOME, {"circuit:main/heater": {"loadWatts": 4500}}, "main/heater",
        ({"circuit:main/heater": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "424.19-disconnect", HOME, {"circuit:main/heater": {"disconnectInSight": False}},
        "main/heater", _no("circuit:main/heater", "disconnectInSight"),
    ),
    Case(
        "430.22-conductor", SHOP,
        {"circuit:mdp/fan": {"conductorSize": "14", "terminalRatingC": 60}}, "mdp/fan",
        _no("circuit:mdp/fan", "conductorSize"),
    ),
    Case(
        "430.24-feeder", SHOP, {"feeder:f-sp": {"conductorSize": "14", "terminalRatingC": 60}},
        "feeder/f-sp",
        _no("feeder:f-sp", "conductorSize"),
    ),
    Case(
        "430.32-overload", SHOP, {"motor:m-fan": {"overloadAmps": 18}}, "motor/m-fan",
        _no("motor:m-fan", "nameplateAmps", "motors.nameplateAmps"),
    ),
    Case(
        "430.52-breaker", SHOP, {"circuit:mdp/fan": {"breakerAmps": 50}}, "mdp/fan",
        ({"circuit:mdp/welder": {"loadType": "motor"}}, "motors"),
    ),
    Case(
        "430.102-disconnect", SHOP, {"motor:m-fan": {"disconnectInSight": False}}, "motor/m-fan",
        _no("motor:m-fan", "disconnectInSight", "motors.disconnectInSight"),
    ),
    Case(
        "440.14-disconnect", HOME, {"circuit:main/ac": {"disconnectInSight": False}}, "main/ac",
        _no("circuit:main/ac", "disconnectInSight"),
    ),
    Case(
        "440.22-breaker", HOME, {"circuit:main/ac": {"breakerAmps": 50}}, "main/ac",
        ({"circuit:main/ac": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "440.32-conductor", HOME, {"circuit:main/ac": {"conductorSize": "14"}}, "main/ac",
        _no("circuit:main/ac", "conductorSize"),
    ),
    Case(
        "450.3-primary", SHOP, {"feeder:f-t1": {"breakerAmps": 250}}, "transformer/t1",
        _no("feeder:f-t1", "breakerAmps", "primaryBreakerAmps"),
    ),
    Case(
        "625.40-own", SHOP, {"circuit:mdp/fan": {"loadType": "ev_charger"}}, "mdp/fan", None,
        {"circuit:mdp/welder": {"loadType": "ev_charger"}},
    ),
    Case(
        "625.41-ev", HOME, {"circuit:main/ev": {"loadWatts": 9600}}, "main/ev",
        ({"circuit:main/ev": {"loadWatts": 0}}, "loadWatts"),
    ),
    Case(
        "625.43-disconnect", HOME, {"circuit:main/ev": {"disconnectInSight": False}}, "main/ev",
        _no("circuit:main/ev", "disconnectInSight"),
        {"circuit:main/ev": {"loadWatts": 19200, "breakerAmps": 100}},
    ),
    Case(
        "680.21-motor", HOME, {"circuit:main/pump": {"gfci": False}}, "main/pump", None,
    ),
    Case(
        "680.22-receptacle", HOME, {"circuit:main/poolside": {"gfci": False}}, "main/poolside",
        None,
    ),
)  # fmt: skip
