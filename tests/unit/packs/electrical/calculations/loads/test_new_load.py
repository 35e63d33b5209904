"""A new load as a circuit."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.calculations.loads.new_load import (
    NewLoad,
    best_start,
    check_is_load,
    free_positions,
    new_circuit,
    starts,
)
from packs.electrical.projects.records import Panel
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every


def _panel(phases: int = 1, spaces: int = 12, taken: tuple[int, ...] = (), **more: Any) -> Panel:
    circuits = [
        {"id": f"c{n}", "circuitNumber": n, "description": "lights", "breakerAmps": 20}
        for n in taken
    ]
    given = {"id": "a", "name": "A", "busRating": 200, "voltage": 240 if phases == 1 else 208}
    return Panel.model_validate(
        {**given, "phases": phases, "spaces": spaces, "circuits": circuits, **more}
    )


@for_every(
    ("words", "source"),
    [
        ("Solar inverter", True),
        ("Roof PV array", True),
        ("Home battery storage", True),
        ("Standby generator", True),
        ("פאנלים סולאריים", True),
        ("סוללת גיבוי לבית", True),
        ("גנרטור", True),
        ("Inverter AC", False),
        ("Solar attic fan", False),
        ("Steam shower generator", False),
        ("Generator block heater", False),
        ("Golf cart battery charger", False),
        ("מזגן אינוורטר", False),
    ],
)
def test_a_source_of_power_is_no_load_unless_its_kind_of_load_is_stated(
    words: str, source: bool
) -> None:
    if not source:
        check_is_load("x", NewLoad(5_000, words))
        return
    with pytest.raises(InvalidArgument, match="705") as refused:
        check_is_load("proposedLoads.0.description", NewLoad(5_000, words))
    assert refused.value.field == "proposedLoads.0.description"
    check_is_load("x", NewLoad(5_000, words, kind="equipment"))


@for_every(
    ("words", "kind"),
    [
        ("EV charger", "ev_charger"),
        ("a Tesla electric vehicle charging station", "ev_charger"),
        ("מטען לרכב חשמלי", "ev_charger"),
        ("air conditioner", "air_conditioning"),
        ("מזגן", "air_conditioning"),
        ("heat pump", "heat_pump"),
        ("tankless water heater", "water_heater"),
        ("דוד מים חמים", "water_heater"),
        ("electric range", "range"),
        ("clothes dryer", "dryer"),
        ("baseboard heating", "space_heating"),
        ("LED lighting", "lighting"),
        ("pool pump", "motor"),
        ("air compressor", "motor"),
        ("hot tub", "other"),
        (None, "other"),
    ],
)
def test_the_description_says_the_kind(words: str | None, kind: str) -> None:
    found = new_circuit(_panel(), NewLoad(5_000, words), (0, 0))
    assert found.circuit.load_type == kind
    assert next(each for each in found.assumed if each.name == "load_type").value == kind


def test_a_kind_that_is_given_is_no_assumption() -> None:
    found = new_circuit(_panel(), NewLoad(5_000, "EV charger", "equipment", poles=2), (0, 0))
    assert found.circuit.load_type == "equipment" and not found.circuit.continuous
    assert [each.name for each in found.assumed] == ["new_load_power_factor"]


def test_a_load_counts_though_its_circuit_is_called_a_spare() -> None:
    assert new_circuit(_panel(), NewLoad(5_000, kind="spare"), (0, 0)).circuit.load_type == "other"


def test_charging_is_continuous_whatever_is_said() -> None:
    load = NewLoad(7_200, "EV charger", continuous=False)
    assert new_circuit(_panel(), load, (0, 0)).circuit.continuous


@pytest.mark.parametrize(
    ("phases", "watts", "poles"),
    [(1, 1_900, 1), (1, 2_000, 2), (1, 30_000, 2), (3, 1_900, 1), (3, 9_000, 2), (3, 11_000, 3)],
)
def test_poles_follow_from_the_size(phases: int, watts: float, poles: int) -> None:
    found = new_circuit(_panel(phases), NewLoad(watts), (0,) * (2 if phases == 1 else 3))
    assert found.circuit.poles == poles


def test_more_poles_than_lines_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="1 or 2 poles") as refused:
        new_circuit(_panel(), NewLoad(5_000, poles=3), (0, 0))
    assert refused.value.field == "poles"


def test_it_stands_where_the_lines_carry_least() -> None:
    panel = _panel(3, taken=(1, 2))
    assert new_circuit(panel, NewLoad(1_000), (50, 10, 30)).number == 3
    assert new_circuit(panel, NewLoad(9_000), (50, 30, 10)).number == 3  # B and C
    assert new_circuit(_panel(3), NewLoad(9_000), (10, 50, 30)).number == 5  # C and A


def test_of_equal_lines_it_takes_the_first_whatever_the_order_their_loads_were_added_in() -> None:
    noisy = (0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.3 + 0.1 + 0.2)
    assert len(set(noisy)) > 1
    assert new_circuit(_panel(3), NewLoad(1_000), noisy).number == 1
    assert new_circuit(_panel(3), NewLoad(9_000), noisy).number == 1


def test_without_room_it_counts_all_the_same_and_has_no_number() -> None:
    panel = _panel(spaces=4, taken=(1, 4))
    assert (free_positions(panel), starts(panel, 1), starts(panel, 2)) == ([2, 3], [2, 3], [])
    found = new_circuit(panel, NewLoad(9_000), (5, 5))
    assert found.number is None and found.circuit.circuit_number > panel.spaces
    assert best_start(panel, 1, (5, 1)) == 3
