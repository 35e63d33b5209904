"""The limits of a panel."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.calculations.loads.limits import (
    Limit,
    conductor_amps,
    limits_of,
)
from packs.electrical.calculations.loads.panel import panel_demand
from packs.electrical.projects.records import Feeder, Project

from .samples import circuit, office, panel, project, three_phase


def _of(found: Project, id: str, **more: Any) -> dict[str, float]:
    there = found.panel(id)
    assert there is not None
    return {each.element: round(each.amps, 1) for each in limits_of(found, there, **more)}


def test_the_service_its_conductors_the_main_breaker_and_the_bus() -> None:
    service = {
        "serviceVoltage": 208,
        "phases": 3,
        "serviceAmps": 400,
        "conductorSize": "500",
        "conductorMaterial": "copper",
    }
    found = office(three_phase("lp", mainBreakerAmps=350, busRating=400), service=service)
    expected = {"service": 400, "service_conductors": 380, "main_breaker": 350, "bus": 400}
    assert _of(found, "lp") == expected


def test_a_dwelling_s_conductors_of_83_percent_bound_nothing() -> None:
    # 310.12: 4/0 aluminum, 180 A, for 200 A; 3/0 is too small for it.
    service = {
        "serviceVoltage": 240,
        "phases": 1,
        "serviceAmps": 200,
        "conductorSize": "4/0",
        "conductorMaterial": "aluminum",
    }
    found = project(panel(), service=service)
    assert "service_conductors" not in _of(found, "main", whole_dwelling=True)
    assert _of(found, "main")["service_conductors"] == 180
    small = project(panel(), service={**service, "conductorSize": "3/0"})
    assert _of(small, "main", whole_dwelling=True)["service_conductors"] == 155
    assert panel_demand(small, small.panels[0]).limit == Limit("service_conductors", 155, "AWG 3/0")


def test_conductors_in_nm_cable_limit_a_panel_at_60_degrees() -> None:
    # 334.80: 6 AWG copper has 55 A, whatever terminals and insulation are marked.
    marked = {"conductorSize": "6", "conduitType": "nm_cable", "terminalRatingC": 75}
    for insulation in (None, "NM-B", "THHN"):
        service = {"serviceVoltage": 240, "phases": 1, "serviceAmps": 60, **marked,
                   "insulation": insulation}  # fmt: skip
        assert _of(project(panel(), service=service), "main")["service_conductors"] == 55


def test_buried_conductors_are_wet() -> None:
    # 310.4: XHHW has 75 °C in wet places; at 40 °C 0.88 of the 100 A of 3 AWG, not 0.91 of 115 A.
    buried = {"conductorSize": "3", "conduitType": "direct_burial", "insulation": "XHHW"}
    service = {"serviceVoltage": 240, "phases": 1, "serviceAmps": 200, "ambientC": 40, **buried}
    assert _of(project(panel(), service=service), "main")["service_conductors"] == 88


@pytest.mark.parametrize(
    "building",
    [
        {"occupancy": "dwelling", "dwellingUnits": 2, "floorAreaFt2": 3_000},
        {"occupancy": "office"},
    ],
)
def test_83_percent_is_for_one_dwelling_alone(building: dict[str, Any]) -> None:
    wired = {"conductorSize": "4/0", "conductorMaterial": "aluminum"}
    service = {"serviceVoltage": 240, "phases": 1, "serviceAmps": 200, **wired}
    found = project(panel(), service=service, building=building)
    assert panel_demand(found, found.panels[0]).rating_amps == 180
    house = project(panel(), service=service)
    assert panel_demand(house, house.panels[0]).rating_amps == 200


def test_83_percent_is_not_for_three_phases() -> None:
    wired = {"conductorSize": "4/0", "conductorMaterial": "aluminum"}
    service = {"serviceVoltage": 208, "phases": 3, "serviceAmps": 200, **wired}
    found = project(three_phase(), service=service)
    assert panel_demand(found, found.panels[0]).rating_amps == 180


def test_a_feeder_bounds_by_breaker_and_conductors() -> None:
    feeder = {"id": "f", "name": "F1", "sourceId": "main", "targetId": "sub", "breakerAmps": 100}
    found = office(
        three_phase("main", [circuit(1, "lighting", 100)]),
        three_phase("sub", busRating=125),
        feeders=[{**feeder, "conductorSize": "3"}],
    )
    # AWG 3 at terminals of 60 °C, as 110.14(C)(1) has it up to 100 A.
    assert _of(found, "sub") == {"feeder_breaker": 100, "feeder_conductors": 85, "bus": 125}


@pytest.mark.parametrize(
    ("more", "amps"),
    [
        ({}, 85),
        ({"terminalRatingC": 75, "insulation": "THHN"}, 100),
        ({"terminalRatingC": 75, "insulation": "THHN", "ambientC": 50}, 94.3),
        ({"terminalRatingC": 75, "insulation": "THHN", "currentCarryingConductors": 8}, 80.5),
        ({"terminalRatingC": 75, "conductorSets": 2}, 200),
        ({"terminalRatingC": 75, "insulation": "of my own"}, 100),
    ],
)
def test_conductors_carry_what_their_installation_allows(more: dict[str, Any], amps: float) -> None:
    feeder = {"id": "f", "name": "f", "sourceId": "a", "targetId": "b", "conductorSize": "3"}
    found = conductor_amps(Feeder.model_validate({**feeder, **more}), 100)
    assert found == pytest.approx(amps)


@pytest.mark.parametrize(
    "more",
    [{}, {"ambientC": 60, "insulation": "TW"}, {"conductorSize": "14", "conductorMaterial": "AL"}],
)
def test_conductors_without_an_ampacity_bound_nothing(more: dict[str, Any]) -> None:
    feeder = {"id": "f", "name": "f", "sourceId": "a", "targetId": "b"}
    size = {"conductorSize": "3"} if more else {}
    assert conductor_amps(Feeder.model_validate({**feeder, **size, **more}), 100) is None


def test_a_transformer_and_what_feeds_it_bound_the_panel_behind_it() -> None:
    found = office(
        three_phase("hv", [circuit(1, "subpanel", poles=3)], voltage=480),
        three_phase("lv", busRating=400),
        service={"serviceVoltage": 480, "phases": 3, "serviceAmps": 400},
        transformers=[
            {
                "id": "t",
                "name": "T1",
                "kva": 75,
                "phases": 3,
                "primaryVoltage": 480,
                "secondaryVoltage": 208,
                "primaryBreakerAmps": 70,
            }
        ],
        feeders=[
            {"id": "f1", "name": "F1", "sourceId": "hv", "targetId": "t"},
            {"id": "f2", "name": "F2", "sourceId": "t", "targetId": "lv", "breakerAmps": 250},
        ],
    )
    there = found.panel("lv")
    assert there is not None
    limits = [(each.element, round(each.amps, 1)) for each in limits_of(found, there)]
    assert ("transformer", 208.2) in limits
    assert ("feeder_breaker", round(70 * 480 / 208, 1)) in limits
