"""Proposals for a new circuit, and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical import circuit_updates
from packs.electrical.calculations.conductors import circuit_sizing
from packs.electrical.calculations.loads.lines import line_at, system_of
from packs.electrical.calculations.loads.panel import panel_demand
from packs.electrical.circuit_changes import arguments_of, fields_of
from packs.electrical.circuit_design import Plan, area_in, plan, possible_starts
from packs.electrical.projects.records import Circuit, Panel, PanelCircuit, Poles, Project
from packs.electrical.projects.selection import panel_named
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from seed.electrical.sample import projects

SAMPLES = {sample.project.id: sample.project for sample in projects()}
HOUSE, OFFICE, WORKSHOP = SAMPLES["house"], SAMPLES["office"], SAMPLES["workshop"]


def propose(project: Project, panel: str, watts: float, name: str = "thing", **more: Any) -> Plan:
    given = {"description": name, "load_watts": watts, **more}
    return plan(project, panel_named(project, panel), fields_of(given))


def proposed_circuit(
    project: Project, panel: str, watts: float, name: str = "thing", **more: Any
) -> Any:
    return propose(project, panel, watts, name, **more).circuit


def without_circuits(panel: Panel, **changes: Any) -> Panel:
    return panel.model_copy(update={"circuits": (), **changes})


def with_panel(project: Project, panel: Panel) -> Project:
    panels = tuple(panel if each.id == panel.id else each for each in project.panels)
    return project.model_copy(update={"panels": panels})


# ---- Place ----


def test_the_next_free_position_is_taken() -> None:
    panel = panel_named(HOUSE, "Main Panel")
    taken = {position for each in panel.circuits for position in each.positions}
    first = min(set(range(1, panel.spaces + 1)) - taken)
    assert proposed_circuit(HOUSE, "Main Panel", 500).circuit_number == first


def test_several_poles_stand_one_below_the_other_on_successive_lines() -> None:
    circuit = proposed_circuit(OFFICE, "LP1", 9_000, poles=3)
    panel = panel_named(OFFICE, "LP1")
    first = circuit.circuit_number
    assert circuit.positions == (first, first + 2, first + 4)
    assert len({line_at(each, system_of(panel)) for each in circuit.positions}) == 3
    others = {position for each in panel.circuits for position in each.positions}
    assert not others & set(circuit.positions)


@given(st.sets(st.integers(1, 42)), st.sampled_from([1, 2, 3]))
def test_a_place_is_free_and_inside_the_panel_whatever_stands_there(
    taken: set[int], poles: Poles
) -> None:
    circuits = tuple(
        Circuit(id=f"c{each}", circuit_number=each, description="x", breaker_amps=20)
        for each in sorted(taken)
    )
    panel = panel_named(OFFICE, "LP1").model_copy(update={"circuits": circuits, "spaces": 42})
    free = set(range(1, 43)) - taken
    found = list(possible_starts(panel, poles))
    for first in found:
        assert {first + 2 * each for each in range(poles)} <= free
    fits = [first for first in sorted(free) if {first + 2 * each for each in range(poles)} <= free]
    assert found[:1] == fits[:1]


def test_a_panel_without_room_is_refused_and_says_what_is_free() -> None:
    panel = panel_named(HOUSE, "Garage Subpanel")
    full = with_panel(HOUSE, panel.model_copy(update={"spaces": 8}))
    with pytest.raises(FailedPrecondition, match="no room for 2 poles") as caught:
        propose(full, "Garage Subpanel", 4_800)
    assert caught.value.field == "circuitNumber"


@pytest.mark.parametrize("number", [1, 39, 41])
def test_a_position_that_is_taken_or_not_there_is_refused(number: int) -> None:
    with pytest.raises(FailedPrecondition, match=r"taken by circuit 1|has 40") as caught:
        propose(HOUSE, "Main Panel", 4_800, circuit_number=number)
    assert caught.value.field == "circuitNumber"


def test_nothing_to_neutral_stands_on_a_high_leg() -> None:
    delta = without_circuits(panel_named(WORKSHOP, "Shop Floor"), voltage=240, high_leg=True)
    assert list(possible_starts(delta, 1)) == [1, 5]  # not 3, on line B
    assert list(possible_starts(delta, 2)) == [1, 3, 5]


def high_leg_delta() -> tuple[Project, Panel]:
    delta = without_circuits(panel_named(WORKSHOP, "Shop Floor"), voltage=240, high_leg=True)
    return with_panel(WORKSHOP.model_copy(update={"motors": ()}), delta), delta


@pytest.mark.parametrize("place", [3, 9])
def test_a_place_on_the_high_leg_is_refused_and_not_offered(place: int) -> None:
    project, delta = high_leg_delta()
    refused = propose(project, "Shop Floor", 1_200, circuit_number=place)
    ((field, text), *_) = refused.problems
    assert field == "circuitNumber" and "240.85" in text.say("en")
    assert "1, 2, 5, 6, 7, 8, 11, 12" in text.say("en")
    built = propose(project, "Shop Floor", 1_200, circuit_number=place, pole="2")
    assert not any("240.85" in text.say("en") for _, text in built.problems)
    taken = with_panel(project, delta.model_copy(update={"circuits": (refused.circuit,)}))
    with pytest.raises(FailedPrecondition) as caught:
        propose(taken, "Shop Floor", 1_200, circuit_number=place)
    assert caught.value.message.endswith("free for 1 pole: 1, 2, 5, 6, 7, 8, 11, 12")


def test_a_circuit_is_not_moved_to_the_high_leg() -> None:
    project, delta = high_leg_delta()
    plain = propose(project, "Shop Floor", 1_200, circuit_number=1)
    (panel,) = [each for each in plain.after.panels if each.id == delta.id]
    for changed in ({"circuit_number": 9}, {"circuit_number": 3}):
        after = plain.circuit.model_copy(update=changed)
        at = PanelCircuit(panel, plain.circuit)
        change = circuit_updates.work_out(plain.after, at, after, ("circuit_number",))
        with pytest.raises(FailedPrecondition, match="high leg") as caught:
            circuit_updates.check_change(change)
        assert caught.value.field == "newCircuitNumber"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"area": "bathroom"}, ["GFCI protection is required"]),
        ({"area": None, "description": "receptacles"}, ["area is not given"]),
        ({"area": "bathroom", "gfci": True}, []),
        ({"conductor_size": "10"}, []),
    ],
)
def test_a_change_says_which_protection_is_missing_where_it_is_about_it(
    changed: dict[str, Any], said: list[str]
) -> None:
    added = propose(HOUSE, "Main Panel", 1_440, "Attic receptacles", load_type="receptacle")
    panel = panel_named(added.after, "Main Panel")
    after = added.circuit.model_copy(update=changed)
    found = PanelCircuit(panel, added.circuit)
    change = circuit_updates.work_out(added.after, found, after, tuple(changed))
    gfci = [text.say("en") for text in change.cautions if "GFCI" in text.say("en")]
    assert len(gfci) == len(said)
    assert all(part in text for part, text in zip(said, gfci, strict=True))


def test_receptacles_beside_the_high_leg_need_gfci() -> None:
    project, _ = high_leg_delta()
    found = propose(project, "Shop Floor", 1_200, "Restroom receptacles")
    assert found.circuit.gfci


# ---- Poles and voltage ----


@pytest.mark.parametrize(
    ("project", "panel", "watts", "poles"),
    [
        (HOUSE, "Main Panel", 1_800, 1),
        (HOUSE, "Main Panel", 4_800, 2),
        (OFFICE, "LP1", 1_800, 1),
        (OFFICE, "LP1", 6_000, 2),
        (OFFICE, "DP1", 12_000, 3),
        (OFFICE, "HP1", 4_000, 1),
    ],
)
def test_poles_follow_the_load_and_the_panel(
    project: Project, panel: str, watts: float, poles: int
) -> None:
    assert proposed_circuit(project, panel, watts).poles == poles


def test_a_voltage_says_how_many_poles() -> None:
    assert proposed_circuit(HOUSE, "Main Panel", 1_000, voltage=240).poles == 2
    assert proposed_circuit(HOUSE, "Main Panel", 1_000, voltage=120).poles == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"voltage": 480}, "voltage"),
        ({"voltage": 240, "poles": 1}, "pole"),
        ({"poles": 3}, "pole"),
        ({"breaker_amps": 33}, "breakerAmps"),
    ],
)
def test_what_the_panel_does_not_have_is_refused_by_name(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        propose(HOUSE, "Main Panel", 1_000, **given)
    assert caught.value.field == field


def test_a_panel_without_a_neutral_takes_no_single_pole() -> None:
    bare = without_circuits(panel_named(OFFICE, "HP1"), wires=3)
    project = with_panel(OFFICE, bare)
    assert proposed_circuit(project, "HP1", 500).poles == 2
    with pytest.raises(InvalidArgument, match="no neutral"):
        propose(project, "HP1", 500, poles=1)


# ---- Breaker, conductors, protection ----


def test_an_ev_charger_takes_125_percent() -> None:
    circuit = proposed_circuit(HOUSE, "Main Panel", 9_600, "EV charger")
    assert (circuit.load_type, circuit.continuous) == ("ev_charger", True)
    assert circuit.breaker_amps == 50  # 40 A x 1.25
    assert circuit.poles == 2


def test_the_next_standard_breaker_is_taken_and_15_amps_is_the_smallest() -> None:
    assert proposed_circuit(HOUSE, "Main Panel", 6_500).breaker_amps == 30  # 27.1 A
    assert proposed_circuit(HOUSE, "Main Panel", 100).breaker_amps == 15


def test_ten_amperes_are_a_standard_rating_since_2023_and_seventeen_never() -> None:
    lamps = {"load_type": "lighting", "breaker_amps": 10}
    assert proposed_circuit(HOUSE, "Main Panel", 500, **lamps).breaker_amps == 10
    earlier = HOUSE.model_copy(update={"edition": 2020})
    for project, rating in ((earlier, 10), (HOUSE, 17)):
        with pytest.raises(InvalidArgument, match=f"{rating} A is no standard rating"):
            propose(project, "Main Panel", 500, load_type="lighting", breaker_amps=rating)


@pytest.mark.parametrize(
    ("kind", "area"), [("small_appliance", "kitchen"), ("laundry", "laundry"),
                       ("receptacle", "bathroom"), ("receptacle", "garage")],
)  # fmt: skip
def test_required_receptacle_circuits_of_a_dwelling_have_20_amps(kind: str, area: str) -> None:
    assert proposed_circuit(HOUSE, "Main Panel", 500, load_type=kind, area=area).breaker_amps == 20


@given(st.floats(50, 9_000), st.booleans(), st.sampled_from(["Main Panel", "Garage Subpanel"]))
def test_what_is_proposed_complies(watts: float, continuous: bool, panel: str) -> None:
    try:
        found = propose(HOUSE, panel, watts, continuous=continuous)
    except AgentError:  # no room, or no conductor
        return
    circuit = found.circuit
    assert circuit.conductor_size is not None
    there = panel_named(found.after, panel)
    case = circuit_sizing(found.after, PanelCircuit(there, circuit))
    done = case.size_conductors()
    assert done is not None
    assert done.checked.problems == ()


def test_the_areas_protection_is_proposed_with_its_article() -> None:
    garage = propose(HOUSE, "Main Panel", 1_440, "receptacles", area="garage",
                     load_type="receptacle")  # fmt: skip
    assert (garage.circuit.gfci, garage.circuit.afci) == (True, False)
    bedroom = propose(HOUSE, "Main Panel", 1_440, "Bedroom 4 receptacles")
    assert (bedroom.circuit.area, bedroom.circuit.afci) == ("bedroom", True)
    assert [each.article for each in garage.protection.rules] == ["210.8(A)(2)"]


def test_what_depends_on_an_unknown_area_is_said() -> None:
    found = propose(HOUSE, "Main Panel", 1_440, "receptacles", load_type="receptacle")
    assert any("area is not given" in words.say("en") for words in found.protection.undecided)


def test_an_area_is_read_from_a_description_that_names_one() -> None:
    assert area_in("Bedroom 4 receptacles") == "bedroom"
    assert area_in("living room lights") == "living"
    assert area_in("שקעי מטבח") == "kitchen"
    assert area_in("kitchen and dining") is None
    assert area_in("EV charger") is None


def test_a_breaker_or_conductor_that_is_too_small_is_a_problem_of_its_argument() -> None:
    breaker = propose(HOUSE, "Main Panel", 7_200, breaker_amps=20)
    assert [field for field, _ in breaker.problems] == ["breakerAmps"]
    wire = propose(HOUSE, "Main Panel", 7_200, conductor_size="14")
    assert "conductorSize" in {field for field, _ in wire.problems}


def test_a_spare_carries_nothing_and_has_no_conductors() -> None:
    circuit = proposed_circuit(HOUSE, "Main Panel", 0, "spare", load_type="spare")
    assert (circuit.conductor_size, circuit.breaker_amps) == (None, 20)


# ---- Capacity ----


def test_a_load_above_the_panels_capacity_is_a_problem() -> None:
    found = propose(HOUSE, "Main Panel", 60_000)
    assert ("loadWatts", "Main Panel") in {
        (field, words.say("en").split("\u2068")[1].split("\u2069")[0])
        for field, words in found.problems
    }


def test_a_subpanels_load_counts_in_the_panels_before_it() -> None:
    found = propose(HOUSE, "Garage Subpanel", 1_500)
    assert [each.panel.name for each in found.panel_loads] == ["Garage Subpanel", "Main Panel"]
    for each in found.panel_loads:
        before = panel_demand(HOUSE, panel_named(HOUSE, each.panel.name))
        assert each.after.demand_va >= before.demand_va


def test_a_circuit_is_the_same_out_of_its_own_arguments() -> None:
    circuit = proposed_circuit(HOUSE, "Main Panel", 9_600, "EV charger", length_m=30.0)
    wire = arguments_of(circuit)
    assert (wire["circuitId"], wire["pole"]) == (circuit.id, "2")
    wire["id"], wire["poles"] = wire.pop("circuitId"), int(wire.pop("pole"))
    assert Circuit.model_validate(wire) == circuit
