"""A panel with a new load, and a service with several."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.calculations.loads.new_load import NewLoad, of_amps
from packs.electrical.calculations.loads.panel import panel_demand
from packs.electrical.load_results import lines_chart, service_chart
from packs.electrical.panel_capacity import Capacity, advice, capacity_of
from packs.electrical.projects.records import Poles, Project
from packs.electrical.service_upgrade import upgrade_of


def _project(circuits: Any = (), **more: Any) -> Project:
    given: dict[str, Any] = {
        "id": "p",
        "name": "p",
        "building": {"occupancy": "office"},
        "service": {"serviceVoltage": 208, "phases": 3, "serviceAmps": 100},
        "panels": [
            {
                "id": "a",
                "name": "A",
                "voltage": 208,
                "phases": 3,
                "busRating": 100,
                "spaces": 12,
                "circuits": list(circuits),
            }
        ],
    }
    return Project.model_validate({**given, **more})


def _circuit(number: int, watts: float, kind: str = "equipment", poles: int = 1) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "circuitNumber": number,
        "description": kind,
        "breakerAmps": 20,
        "loadWatts": watts,
        "loadType": kind,
        "poles": poles,
    }


def _check(found: Project, watts: float, **more: Any) -> Capacity:
    return capacity_of(found, found.panels[0], NewLoad(watts, **more))


def test_what_fits_needs_no_advice() -> None:
    found = _check(_project(), 10_000)
    assert found.fits and list(advice(found)) == []
    assert found.upstream == ()


@pytest.mark.parametrize(
    ("poles", "watts"), [(None, 10_400.0), (1, 6_004.4), (2, 10_400.0), (3, 18_013.3)]
)
def test_a_current_is_a_load_at_the_voltage_of_its_poles(poles: Poles | None, watts: float) -> None:
    panel = _project().panels[0]
    load, assumed = of_amps(panel, NewLoad(0.0, "EV charger", poles=poles), 50)
    assert (load.watts, load.poles) == (pytest.approx(watts, abs=0.1), poles or 2)
    assert assumed.value == load.watts
    assert "50 A" in assumed.reason.say("en") and f"{watts:,.0f} VA" in assumed.reason.say("he")


def test_what_is_too_much_is_told_with_the_next_standard_size() -> None:
    found = _check(_project(), 40_000)
    (text,) = advice(found)
    assert not found.fits
    assert (
        "111 A" in text.say("en")
        and "125 A" in text.say("en")
        and "the service (100 A)" in text.say("en")
    )
    assert "125 A" in text.say("he") and "החיבור" in text.say("he")


def test_a_line_that_is_too_much_is_told_by_its_name() -> None:
    found = _check(_project([_circuit(3, 11_000), _circuit(4, 700)]), 5_000, poles=3)
    (text,) = advice(found)
    assert "Line B" in text.say("en") and "balanced" in text.say("en")


def test_no_room_for_the_breaker_is_told() -> None:
    full = _project([_circuit(number, 100) for number in range(1, 13) if number != 6])
    found = _check(full, 5_000, poles=2)
    assert found.then.fits and not found.fits
    assert "no 2 free spaces" in next(advice(found)).say("en")


def test_the_charts_hold_their_data_and_the_rating() -> None:
    found = _check(_project([_circuit(1, 1_000)]), 9_000)
    chart = lines_chart(found.now, found.then, "he")
    assert len(chart["data"]["values"]) == 6  # three lines, now and then
    assert chart["layer"][1]["data"]["values"] == [{"amps": 100, "name": "ערך נקוב"}]
    alone = lines_chart(found.now, found.now, "en")
    assert {row["when"] for row in alone["data"]["values"]} == {"now"}
    service = service_chart(found.now, found.then, 100, "en")
    assert [row["when"] for row in service["data"]["values"]] == ["now", "with the new load"]


def test_a_service_counts_every_proposed_load_on_the_lightest_lines() -> None:
    found = upgrade_of(_project(), [NewLoad(4_000), NewLoad(4_000), NewLoad(4_000)])
    assert len(found.new) == 3 and not found.is_needed
    assert found.then.demand_va == pytest.approx(12_000)
    assert found.then.imbalance_percent < 1  # one on each pair of lines


def test_the_next_common_service_is_recommended() -> None:
    needed = upgrade_of(_project([_circuit(1, 20_000, poles=3)]), [NewLoad(19_200, "EV charger")])
    assert needed.is_needed and needed.recommended == 125


def test_a_panel_alone_and_its_service_agree() -> None:
    found = _project([_circuit(1, 20_000, poles=3)])
    panel = panel_demand(found, found.panels[0])
    assert upgrade_of(found, []).now.demand_va == panel.demand_va
