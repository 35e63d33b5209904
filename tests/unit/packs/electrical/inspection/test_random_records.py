"""Random records of all shapes: an inspection ends, and decides or says what it lacks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import inspect
from packs.electrical.inspection.rules import RULES
from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.projects.records import Project
from tests.support.full_form import IS_FULL, cases
from tests.unit.packs.electrical.inspection.buildings import HOME, SHOP, Patch, building

SIZES = [None, "18", "14", "12", "4/0", "250", "2000"]
WIRING: dict[str, list[Any]] = {
    "conductorSize": SIZES,
    "conductorMaterial": ["copper", "aluminum"],
    "conductorSets": [1, 2, 12],
    "insulation": [None, "NM-B", "THHN", "UF", "home-made"],
    "conduitType": [None, "emt", "nm_cable", "direct_burial", "wireway"],
    "lengthFt": [None, 0.1, 10_000],
    "egcSize": SIZES,
    "egcMaterial": ["copper", "aluminum"],
    "ambientC": [None, -40, 30, 60, 85],
    "currentCarryingConductors": [None, 1, 60],
    "terminalRatingC": [None, 60, 90],
}
CIRCUIT: dict[str, list[Any]] = {
    **WIRING,
    "loadWatts": [0, 1, 2_000_000],
    "powerFactor": [None, 0.01],
    "voltage": [None, 100, 15_000],
    "loadType": [
        "lighting",
        "motor",
        "ev_charger",
        "range",
        "water_heater",
        "heat_pump",
        "subpanel",
    ],
    "continuous": [True, False],
    "area": [None, "outdoor", "kitchen", "pool"],
    "breakerAmps": [1, 17, 6000],
}
PANEL: dict[str, list[Any]] = {
    "voltage": [100, 240, 600, 15_000],
    "wires": [None, 2, 3, 4],
    "busRating": [1, 6000],
    "mainBreakerAmps": [None, 1, 6000],
    "aicRating": [None, 1, 300_000],
    "isServiceEquipment": [True, False],
    "neutralBonded": [None, True],
    "workingSpaceDepthIn": [None, 0, 40],
}
SERVICE: dict[str, list[Any]] = {
    **WIRING,
    "serviceVoltage": [100, 480, 15_000],
    "serviceAmps": [1, 100, 6000],
    "panelId": [None],
    "availableFaultCurrentAmps": [None, 1, 300_000],
    "disconnects": [1, 50],
}
FEEDER: dict[str, list[Any]] = {**WIRING, "breakerAmps": [None, 1, 6000]}
TRANSFORMER: dict[str, list[Any]] = {
    "kva": [0.001, 50_000],
    "primaryVoltage": [100, 600, 15_000],
    "secondaryVoltage": [100, 480, 15_000],
    "primaryBreakerAmps": [None, 1, 6000],
    "gecSize": SIZES,
    "gecMaterial": ["copper", "aluminum"],
}
MOTOR: dict[str, list[Any]] = {
    "hp": ["1/6", "7-1/2", "999"],
    "voltage": [100, 208, 15_000],
    "phases": [1, 3],
    "kind": ["single_phase", "wound_rotor", "design_b"],
    "device": ["instantaneous_breaker", "nontime_delay_fuse"],
    "nameplateAmps": [None, 0.1, 6000],
    "serviceFactor": [None, 1],
    "overloadAmps": [None, 6000],
}
GROUNDING: dict[str, list[Any]] = {
    "electrodes": [[], [{"kind": "concrete_encased"}], [{"kind": "rod"}] * 20],
    "gecSize": SIZES,
    "gecMaterial": ["copper", "aluminum"],
    "mainBondingJumperSize": SIZES,
}
RECORDS = {
    "home": [
        *(("service", SERVICE), ("grounding", GROUNDING), ("panel:main", PANEL)),
        *(("panel:sub", PANEL), ("feeder:f-sub", FEEDER), ("circuit:main/ev", CIRCUIT)),
        *(("circuit:main/kiln", CIRCUIT), ("circuit:sub/saw", CIRCUIT)),
    ],
    "shop": [
        *(("service", SERVICE), ("panel:lp", PANEL), ("feeder:f-lp", FEEDER)),
        *(("transformer:t1", TRANSFORMER), ("motor:m-fan", MOTOR), ("circuit:mdp/fan", CIRCUIT)),
        *(("feeder:f-t1", FEEDER), ("circuit:lp/yard", CIRCUIT), ("motor:m-lathe", MOTOR)),
    ],
}


def _changes(name: str) -> st.SearchStrategy[tuple[str, str, Any]]:
    choices = [
        (record, field, value)
        for record, fields in RECORDS[name]
        for field, values in fields.items()
        for value in values
    ]
    return st.sampled_from(choices)


@pytest.mark.parametrize(("name", "base"), [("home", HOME), ("shop", SHOP)])
@given(data=st.data())
def test_no_record_is_too_odd(name: str, base: dict[str, Any], data: st.DataObject) -> None:
    patches: list[Patch] = [
        {record: {field: value}}
        for record, field, value in data.draw(st.lists(_changes(name), max_size=8))
    ]
    edition: Patch = {"project": {"edition": data.draw(st.sampled_from([2017, 2023, 2026]))}}
    try:
        project = building(base, edition, *patches)
    except ValidationError:
        return
    report = inspect(Facts(project), RULES)
    assert 0 <= report.score <= 100
    assert all(issue.message.say("en") and issue.fix.say("he") for issue in report.issues)


@pytest.mark.long
@pytest.mark.parametrize("base", [HOME, SHOP], ids=["home", "shop"])
@pytest.mark.parametrize("value", cases(["least", "most"], 1))
def test_every_field_may_be_extreme_by_itself(base: dict[str, Any], value: str) -> None:
    """`make test` tries the most of each field, in the last record of each kind."""
    records = RECORDS[base["id"]]
    last = {id(fields): (record, fields) for record, fields in records}
    for record, fields in records if IS_FULL else last.values():
        for field, values in fields.items():
            try:
                project = building(base, {record: {field: values[-1 if value == "most" else 0]}})
            except ValidationError:
                continue
            assert 0 <= inspect(Facts(project), RULES).score <= 100


def test_an_empty_project_is_inspected() -> None:
    bare = {
        "id": "bare",
        "name": "Bare",
        "building": {"occupancy": "dwelling"},
        "service": {"serviceVoltage": 240, "phases": 1, "serviceAmps": 200},
    }
    report = inspect(Facts(Project.model_validate(bare)), RULES)
    assert {gap.field for gap in report.gaps} >= {"service.panelId", "grounding.electrodes"}


@pytest.mark.parametrize("edition", EDITIONS)
def test_conductors_too_hot_for_their_insulation_carry_nothing(edition: Edition) -> None:
    hot: Patch = {"service": {"insulation": "UF", "ambientC": 60, "conductorMaterial": "copper"}}
    report = inspect(Facts(building(HOME, {"project": {"edition": edition}}, hot)), RULES)
    found = {issue.rule.id: issue for issue in report.issues}
    protection = found["230.90-protection"]
    assert (protection.problem.measured, protection.problem.required) == (200, 0)
    assert "too hot for their insulation" in protection.message.say("en")
    for rule in ("230.42-load", "230.90-protection"):
        assert "insulation is rated" in found[rule].fix.say("en")
