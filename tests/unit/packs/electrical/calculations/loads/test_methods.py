"""Which load calculation applies, and why another does not."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.calculations.loads.panel import panel_demand, panel_loads
from packs.electrical.projects.records import Project
from rollcall.core.errors import FailedPrecondition

from .samples import circuit, office, panel, project, three_phase


def _refusal(found: Project, method: Any) -> str:
    with pytest.raises(FailedPrecondition) as refused:
        panel_loads(found, found.panels[0]).method(method)
    assert refused.value.field
    return refused.value.message


def test_a_whole_house_goes_by_the_optional_method_and_may_go_by_others() -> None:
    house = project(panel())
    assert panel_demand(house, house.panels[0]).calculation.method == "optional"
    loads = panel_loads(house, house.panels[0])
    assert loads.methods() == ["standard", "optional", "existing"]
    assert panel_loads(house, house.panels[0], 1_000).methods()[-1] == "measured"


def test_an_office_goes_by_the_standard_method_alone() -> None:
    found = office(three_phase())
    assert panel_demand(found, found.panels[0]).calculation.method == "standard"
    assert "it is for dwellings; standard would do" in _refusal(found, "optional")
    assert "it is for dwellings" in _refusal(found, "existing")


def test_without_a_floor_area_a_method_that_is_asked_for_is_refused_by_name() -> None:
    house = project(
        panel(circuits=[circuit(1, "lighting", 900)]), building={"occupancy": "dwelling"}
    )
    for method in ("standard", "optional", "existing"):
        assert "floor area" in _refusal(house, method)
    by_default = panel_demand(house, house.panels[0]).calculation
    assert by_default.method == "standard"
    assert "general_lighting" in {each.name for each in by_default.basis.assumptions}


def test_a_measured_method_needs_the_measurement() -> None:
    assert "measured maximum demand" in _refusal(project(panel()), "measured")


@pytest.mark.parametrize("language", ["en", "he"])
def test_a_refusal_names_the_section_of_the_projects_edition(language: str) -> None:
    service = {"serviceVoltage": 240, "phases": 1, "serviceAmps": 60}
    small = project(panel(busRating=60), service=service, edition=2026)
    flats = {"occupancy": "dwelling", "floorAreaFt2": 3000, "dwellingUnits": 2}
    two = project(panel(), building=flats, edition=2026)
    for built, method, section in (
        (small, "optional", "120.82"),
        (small, "measured", "120.87"),
        (two, "optional", "120.85"),
        (two, "existing", "120.83"),
    ):
        with pytest.raises(FailedPrecondition) as refused:
            panel_loads(built, built.panels[0]).method(method)
        words = refused.value.text.say(language)
        assert section in words and "220." not in words


def test_a_small_service_is_not_for_the_optional_method() -> None:
    service = {"serviceVoltage": 240, "phases": 1, "serviceAmps": 60}
    assert "100 A" in _refusal(project(panel(busRating=60), service=service), "optional")


def test_a_three_phase_dwelling_is_not_for_the_optional_method() -> None:
    service = {"serviceVoltage": 208, "phases": 3, "serviceAmps": 200}
    assert "three phases" in _refusal(project(three_phase(), service=service), "optional")


def test_a_part_of_a_dwelling_is_for_the_standard_method() -> None:
    house = project(
        panel("garage", [circuit(1, "ev_charger", 7_200, poles=2)]),
        panel("main", [circuit(1, "lighting", 900)]),
        feeders=[{"id": "f", "name": "f", "sourceId": "main", "targetId": "garage"}],
    )
    assert "a part of the dwelling" in _refusal(house, "optional")
    assert panel_demand(house, house.panels[0]).calculation.method == "standard"


def test_a_panel_behind_the_meter_s_that_feeds_all_rooms_serves_the_whole_dwelling() -> None:
    house = project(
        panel("inside", [circuit(1, "lighting", 900)]),
        panel("meter", [circuit(1, "subpanel", poles=2)]),
        feeders=[{"id": "f", "name": "f", "sourceId": "meter", "targetId": "inside"}],
    )
    assert panel_demand(house, house.panels[0]).calculation.method == "optional"


def _apartments(units: int, kinds: tuple[str, ...]) -> Project:
    circuits = [
        circuit(2 * place + 1, kind, 6_000, id=f"{kind}{unit}")
        for place, (unit, kind) in enumerate(
            (unit, kind) for unit in range(units) for kind in kinds
        )
    ]
    building = {"occupancy": "dwelling", "floorAreaFt2": 900 * units, "dwellingUnits": units}
    return project(panel(circuits=circuits, spaces=84), building=building)


def test_apartments_with_cooking_and_heating_go_by_220_84() -> None:
    found = _apartments(4, ("range", "space_heating"))
    calculation = panel_demand(found, found.panels[0]).calculation
    assert calculation.basis.citations[0].article == "220.84"
    assert "one dwelling unit" in _refusal(found, "existing")


def test_apartments_that_220_84_is_not_for_are_refused_with_the_reason() -> None:
    assert "220.85" in _refusal(_apartments(2, ("range", "space_heating")), "optional")
    assert "cooking" in _refusal(_apartments(3, ("space_heating",)), "optional")
    assert "heating or cooling" in _refusal(_apartments(3, ("range",)), "optional")
