"""Which loads stand behind a panel."""

from __future__ import annotations

import math
from typing import Any

import pytest

from packs.electrical.calculations.loads.gathering import feeder_circuits, loads_behind
from packs.electrical.calculations.loads.steps import va_of

from .samples import circuit, office, panel, project, three_phase


def _feeder(id: str, source: str, target: str, amps: float = 100) -> dict[str, Any]:
    return {"id": id, "name": id, "sourceId": source, "targetId": target, "breakerAmps": amps}


def test_loads_of_subpanels_count_once_and_their_feeders_not() -> None:
    house = project(
        panel("main", [circuit(1, "range", 8_000), circuit(3, "subpanel", 5_000, poles=2)]),
        panel("garage", [circuit(1, "ev_charger", 7_200, poles=2), circuit(5, "spare", 900)]),
        feeders=[_feeder("f", "main", "garage")],
        service={"serviceVoltage": 240, "phases": 1, "serviceAmps": 200, "panelId": "main"},
    )
    found = loads_behind(house, house.panels[0])
    assert sorted(load.kind for load in found.loads) == ["ev_charger", "range"]
    assert va_of(found.loads) == 15_200


def test_a_subpanel_that_the_project_does_not_have_counts_what_its_circuit_says() -> None:
    house = project(panel("main", [circuit(1, "subpanel", 5_000, poles=2)]))
    assert va_of(loads_behind(house, house.panels[0]).loads) == 5_000


def test_a_feeders_circuit_is_found_by_name_then_by_rating_then_by_number() -> None:
    subs = [
        circuit(1, "subpanel", description="To the attic", breakerAmps=60),
        circuit(3, "subpanel", description="Panel garage", breakerAmps=60),
        circuit(5, "subpanel", description="Feeder", breakerAmps=100),
    ]
    house = project(
        panel("main", subs),
        panel("garage"),
        panel("roof"),
        panel("yard"),
        feeders=[
            _feeder("fy", "main", "yard", 60),
            _feeder("fr", "main", "roof", 100),
            _feeder("fg", "main", "garage", 40),
        ],
        service={"serviceVoltage": 240, "phases": 1, "serviceAmps": 200, "panelId": "main"},
    )
    found = feeder_circuits(house, house.panels[0])
    assert {id: each.circuit_number for id, each in found.items()} == {"fg": 3, "fr": 5, "fy": 1}


def test_a_proposed_circuit_is_no_feeders_circuit() -> None:
    house = project(
        panel("main", [circuit(1, "subpanel", 5_000, poles=2, id="new")]),
        panel("garage", [circuit(1, "ev_charger", 7_200)]),
        feeders=[_feeder("f", "main", "garage")],
        service={"serviceVoltage": 240, "phases": 1, "serviceAmps": 200, "panelId": "main"},
    )
    assert va_of(loads_behind(house, house.panels[0], new=["new"]).loads) == 12_200


def test_a_motor_counts_the_tables_current_and_not_its_watts() -> None:
    # Table 430.250: 10 hp at 208 V takes 30.8 A.
    motor = {
        "id": "m",
        "name": "saw",
        "hp": "10",
        "voltage": 208,
        "phases": 3,
        "panelId": "lp",
        "circuitNumber": 1,
        "nameplateAmps": 25,
    }
    shop = office(three_phase("lp", [circuit(1, "motor", 7_500, poles=3)]), motors=[motor])
    (load,) = loads_behind(shop, shop.panels[0]).loads
    assert load.va == pytest.approx(30.8 * 208 * math.sqrt(3))
    assert load.is_motor and [abs(amps) for amps in load.drawn] == pytest.approx([30.8] * 3)


def test_a_motor_that_no_table_has_counts_its_nameplate_and_says_so() -> None:
    motor = {
        "id": "m",
        "name": "press",
        "hp": "11",
        "voltage": 208,
        "phases": 3,
        "panelId": "lp",
        "circuitNumber": 1,
        "nameplateAmps": 35,
    }
    shop = office(three_phase("lp", [circuit(1, "motor", 7_500, poles=3)]), motors=[motor])
    found = loads_behind(shop, shop.panels[0])
    assert found.loads[0].va == pytest.approx(35 * 208 * math.sqrt(3))
    assert found.assumed["motor_m"].value == 35


def test_a_motor_without_any_current_counts_its_circuits_watts() -> None:
    motor = {
        "id": "m",
        "name": "press",
        "hp": "11",
        "voltage": 208,
        "phases": 3,
        "panelId": "lp",
        "circuitNumber": 1,
    }
    shop = office(
        three_phase("lp", [circuit(1, "motor", 8_000, poles=3, powerFactor=0.8)]), motors=[motor]
    )
    assert va_of(loads_behind(shop, shop.panels[0]).loads) == 10_000


def test_a_power_factor_that_is_not_stated_is_one_and_said() -> None:
    stated = office(three_phase("lp", [circuit(1, "equipment", 900, powerFactor=0.9)]))
    found = loads_behind(stated, stated.panels[0])
    assert va_of(found.loads) == pytest.approx(1_000) and not found.assumed
    silent = office(three_phase("lp", [circuit(1, "equipment", 900)]))
    assert loads_behind(silent, silent.panels[0]).assumed["power_factor"].is_default
