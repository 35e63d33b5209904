"""The demand of a panel, and properties of any panel."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.loads.calculation import va_of
from packs.electrical.calculations.loads.panel import (
    Demand,
    feeder_circuits,
    loads_behind,
    panel_demand,
    panel_loads,
)
from packs.electrical.projects.records import Circuit, Project

from .samples import circuit, office, panel, project, three_phase

KINDS = (
    *("lighting", "receptacle", "small_appliance", "laundry", "appliance", "range", "cooktop"),
    *("oven", "dryer", "water_heater", "space_heating", "air_conditioning", "heat_pump", "motor"),
    *("ev_charger", "equipment", "welder", "other", "spare"),
)
UNLIMITED = ("equipment", "other", "ev_charger", "water_heater", "lighting", "receptacle", "motor")
"""Kinds for which no factor of the code changes with a load's size."""
loads = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 15_000), st.booleans()), max_size=20
)
wired = st.sampled_from((1, 3))


def _project(given_loads: list[tuple[str, int, bool]], phases: int, occupancy: str) -> Project:
    circuits = [
        circuit(place, kind, watts, continuous=continuous)
        for place, (kind, watts, continuous) in enumerate(given_loads, 1)
    ]
    building = {"occupancy": occupancy, "floorAreaFt2": 2_000}
    if phases == 1:
        return project(panel(circuits=circuits), building=building)
    return office(three_phase("main", circuits), building=building)


def _extra(kind: str, watts: float, number: int = 41, id: str = "new") -> Circuit:
    return Circuit.model_validate(circuit(number, kind, watts, id=id))


def _demand(found: Project, *extra: Circuit, method: Any = None) -> Demand:
    loads = panel_loads(found, found.panels[0])
    if extra:
        loads = loads.with_new(found, found.panels[0], extra)
    return loads.demand(loads.method(method))


@given(
    loads,
    wired,
    st.sampled_from(("dwelling", "office")),
    st.sampled_from(KINDS),
    st.integers(0, 20_000),
)
def test_one_more_circuit_never_lowers_the_demand_nor_raises_what_is_left(
    given_loads: list[tuple[str, int, bool]], phases: int, occupancy: str, kind: str, watts: int
) -> None:
    found = _project(given_loads, phases, occupancy)
    before, after = _demand(found), _demand(found, _extra(kind, watts))
    assert after.demand_va >= before.demand_va >= 0
    assert after.available_va <= before.available_va
    assert after.heaviest_amps >= before.heaviest_amps
    assert after.fits <= before.fits


@given(
    loads,
    wired,
    st.sampled_from(("dwelling", "office")),
    st.sampled_from(UNLIMITED),
    st.integers(500, 9_000),
    st.integers(0, 9_000),
)
def test_a_larger_load_never_needs_less_than_a_smaller_one(
    given_loads: list[tuple[str, int, bool]],
    phases: int,
    occupancy: str,
    kind: str,
    watts: int,
    more: int,
) -> None:
    found = _project(given_loads, phases, occupancy)
    small, large = _demand(found, _extra(kind, watts)), _demand(found, _extra(kind, watts + more))
    assert large.demand_va >= small.demand_va - 1e-6
    assert large.available_va <= small.available_va + 1e-6


@given(loads, wired, st.sampled_from(("dwelling", "office")), st.randoms(use_true_random=False))
def test_the_order_of_circuits_does_not_matter(
    given_loads: list[tuple[str, int, bool]],
    phases: int,
    occupancy: str,
    shuffle: random.Random,
) -> None:
    found = _project(given_loads, phases, occupancy)
    circuits = list(found.panels[0].circuits)
    shuffle.shuffle(circuits)
    other = found.panels[0].model_copy(update={"circuits": tuple(circuits)})
    before, after = _demand(found), _demand(found.model_copy(update={"panels": (other,)}))
    assert after.demand_va == pytest.approx(before.demand_va)
    assert after.line_amps == pytest.approx(before.line_amps)


@given(loads, wired, st.sampled_from(("dwelling", "office")))
def test_the_rows_add_up_and_stand_on_the_lines(
    given_loads: list[tuple[str, int, bool]], phases: int, occupancy: str
) -> None:
    demand = _demand(_project(given_loads, phases, occupancy))
    rows = demand.calculation.steps
    assert sum(row.demand_va or 0 for row in rows) == pytest.approx(demand.demand_va)
    # One-pole circuits alone: what stands on the lines is what counts, line by line.
    volts = abs(demand.calculation.system.to_neutral[0])
    assert sum(demand.line_amps) * volts == pytest.approx(demand.demand_va)
    assert demand.heaviest_amps >= demand.demand_amps * (1 - 1e-9)


def test_a_fourth_appliance_makes_no_room_though_220_53_would() -> None:
    appliances = [circuit(place, "appliance", 5_000) for place in (1, 2, 3)]
    found = project(panel(circuits=appliances))
    before = _demand(found, method="standard")
    after = _demand(found, _extra("appliance", 600), method="standard")
    assert after.demand_va == before.demand_va == pytest.approx(15_000 + 3_000 + 0.35 * 7_500)


def test_the_smallest_rating_limits() -> None:
    found = office(three_phase("lp", mainBreakerAmps=150, busRating=225))
    demand = _demand(found)
    assert (demand.limit.element, demand.rating_amps) == ("main_breaker", 150)
    assert demand.available_va == pytest.approx(150 * 208 * 3**0.5)  # nothing is connected


def test_one_overloaded_line_does_not_fit_though_the_whole_would() -> None:
    on_line_a = [circuit(place, "equipment", 6_500) for place in (1, 2, 7)]
    found = office(three_phase("lp", on_line_a, mainBreakerAmps=150))
    demand = _demand(found)
    assert demand.demand_amps < 150 < demand.line_amps[0] == pytest.approx(162.5, rel=1e-3)
    assert not demand.fits


def test_a_panel_counts_what_is_behind_its_feeders_once() -> None:
    charger = circuit(1, "ev_charger", 9_600, poles=2)
    found = office(
        three_phase("main", [circuit(1, "subpanel", poles=3), circuit(2, "receptacle", 8_000)]),
        three_phase("sub", [charger, circuit(2, "receptacle", 8_000)]),
        feeders=[{"id": "f", "name": "f", "sourceId": "main", "targetId": "sub"}],
    )
    # 16 kVA of receptacles count 13 kVA together, and 8 kVA in each of the two by themselves.
    assert _demand(found).demand_va == pytest.approx(13_000 + 1.25 * 9_600)
    sub = panel_demand(found, found.panels[1])
    assert sub.demand_va == pytest.approx(8_000 + 1.25 * 9_600)


def _two_wires(id: str, circuits: list[dict[str, Any]]) -> dict[str, Any]:
    return panel(id, circuits, voltage=230, wires=2)


def test_a_panel_of_two_wires_has_one_line_with_all_of_its_load() -> None:
    circuits = [circuit(1, "water_heater", 4_600), circuit(3, "appliance", 4_577, poles=2)]
    found = _demand(project(_two_wires("main", circuits)), method="standard")
    assert found.calculation.system.names == ("L1",)
    assert found.line_amps == pytest.approx((found.demand_va / 230,))
    assert found.line_amps[0] == pytest.approx(found.demand_amps)


@given(loads, st.randoms(use_true_random=False))
def test_neither_order_nor_panel_changes_the_line_of_two_wires(
    given_loads: list[tuple[str, int, bool]], shuffled: random.Random
) -> None:
    circuits = [
        circuit(place, kind, watts, continuous=continuous)
        for place, (kind, watts, continuous) in enumerate(given_loads, 1)
    ]
    here = _demand(project(_two_wires("main", circuits)))
    shuffled.shuffle(circuits)
    feeder = {"id": "f", "name": "f", "sourceId": "main", "targetId": "below"}
    below = project(
        _two_wires("main", []),
        _two_wires("below", circuits),
        feeders=[feeder],
        service={"serviceVoltage": 230, "phases": 1, "serviceAmps": 200, "panelId": "main"},
    )
    assert _demand(below).line_amps == pytest.approx(here.line_amps)
    assert here.line_amps == pytest.approx((here.demand_va / 230,))


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
    assert found.basis.assumptions[0].value == 35


@pytest.mark.parametrize(("nameplate", "va"), [(28, 28 * 208 * math.sqrt(3)), (None, 8_000)])
def test_a_synchronous_motor_counts_its_nameplate_or_its_circuits_watts(
    nameplate: float | None, va: float
) -> None:
    motor = {
        "id": "m",
        "name": "press",
        "hp": "10",
        "kind": "synchronous",
        "voltage": 208,
        "phases": 3,
        "panelId": "lp",
        "circuitNumber": 1,
        "nameplateAmps": nameplate,
    }
    shop = office(three_phase("lp", [circuit(1, "motor", 8_000, poles=3)]), motors=[motor])
    found = loads_behind(shop, shop.panels[0])
    assert va_of(found.loads) == pytest.approx(va)
    assert ("motor_m" in {each.name for each in found.basis.assumptions}) == bool(nameplate)


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
    assert va_of(found.loads) == pytest.approx(1_000) and not found.basis.assumptions
    silent = office(three_phase("lp", [circuit(1, "equipment", 900)]))
    assert loads_behind(silent, silent.panels[0]).basis.assumptions[0].is_default
