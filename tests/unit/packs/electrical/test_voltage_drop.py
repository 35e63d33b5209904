"""Voltage drop of the sample projects' circuits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.projects.records import Circuit, Project
from packs.electrical.projects.selection import find_circuit
from packs.electrical.voltage_drop import (
    VoltageDrop,
    calculate_voltage_drop,
    circuit_drop,
    selected_drop,
)
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from seed.electrical.sample import projects

SAMPLES = {sample.project.id: sample.project for sample in projects()}
HOUSE, OFFICE, WORKSHOP = SAMPLES["house"], SAMPLES["office"], SAMPLES["workshop"]


def ask(project: Project, name: str, *, locale: str = "en", **given: Any) -> VoltageDrop:
    found = find_circuit(project, circuit_description=name)
    return circuit_drop(ToolContext(User("u"), locale=locale), project, found, given, "exact")


def select(project: Project, selector: Any, panel: str | None = None) -> VoltageDrop:
    return selected_drop(ToolContext(User("u")), project, {}, "exact", selector, panel)


def changed(project: Project, circuit_id: str, **values: Any) -> Project:
    """The project with one circuit otherwise."""
    panels = tuple(
        panel.model_copy(
            update={
                "circuits": tuple(
                    each.model_copy(update=values) if each.id == circuit_id else each
                    for each in panel.circuits
                )
            }
        )
        for panel in project.panels
    )
    return project.model_copy(update={"panels": panels})


def circuit(project: Project, name: str) -> Circuit:
    return find_circuit(project, circuit_description=name).circuit


def test_the_result_has_the_figures_by_which_it_can_be_checked() -> None:
    found = ask(HOUSE, "EV charger", length_ft=150, conductor_size="8", load_amps=40)
    assert (found.voltage, found.phases, found.load_amps) == (240, 1, 40)
    leg = found.legs[-1]
    assert leg.resistance_ohm_per_kft is not None
    assert leg.reactance_ohm_per_kft is not None
    sine = (1 - (leg.power_factor or 0) ** 2) ** 0.5
    z = leg.resistance_ohm_per_kft * (leg.power_factor or 0) + leg.reactance_ohm_per_kft * sine
    assert found.voltage_drop_volts == pytest.approx(2 * 40 * z * 150 / 1000, abs=0.001)
    assert found.receiving_end_voltage == pytest.approx(240 - found.voltage_drop_volts, abs=0.01)
    assert not found.compliant
    assert found.recommendation
    assert {each.method for each in found.by_method} == {"exact", "approximate"}


def test_what_is_asked_counts_before_what_is_recorded_and_says_so() -> None:
    plain, longer = ask(HOUSE, "EV charger"), ask(HOUSE, "EV charger", length_ft=500)
    assert longer.voltage_drop_percent > plain.voltage_drop_percent
    sources = {each.name: each.source for each in longer.inputs}
    assert (sources["lengthFt"], sources["conductorSize"]) == ("argument", "project")
    assert longer.length_m == pytest.approx(152.4)


def test_a_continuous_load_is_not_multiplied() -> None:
    ev = circuit(HOUSE, "EV charger")
    assert ask(HOUSE, "EV charger").load_amps == pytest.approx(ev.load_watts / 240)


def test_a_stated_power_factor_makes_amps_of_watts() -> None:
    found = ask(HOUSE, "EV charger", load_watts=9600, power_factor=0.8)
    assert found.load_amps == pytest.approx(50)
    assert "powerFactor" not in {each.name for each in found.assumptions}


def test_every_default_is_stated() -> None:
    project = changed(HOUSE, circuit(HOUSE, "Range").id, conduit_type=None)
    stated = {each.name: each.value for each in ask(project, "Range").assumptions}
    assert stated["conduitType"] == "emt"
    assert stated["powerFactor"] == 1  # a heating element
    assert stated["loadWatts"] == "volt-amperes"


def test_feeders_add_to_the_total_each_as_a_leg() -> None:
    found = select(OFFICE, "worst")
    assert [leg.kind for leg in found.legs] == ["feeder"] * (len(found.legs) - 1) + ["branch"]
    assert len(found.legs) == 4  # MDP to T1, T1 to DP1, DP1 to the panel, and the circuit
    assert found.total_voltage_drop_percent == pytest.approx(
        sum(leg.voltage_drop_percent or 0 for leg in found.legs), abs=0.005
    )
    assert any("transformer" in warning for warning in found.warnings)


@pytest.mark.parametrize("field", ["length_ft", "conductor_size"])
def test_a_feeder_of_unknown_length_or_size_leaves_the_total_open(field: str) -> None:
    feeders = (OFFICE.feeders[0].model_copy(update={field: None}), *OFFICE.feeders[1:])
    found = select(OFFICE.model_copy(update={"feeders": feeders}), "worst", "LP2")
    assert found.total_voltage_drop_percent is None
    assert found.total_compliant is None
    assert any(OFFICE.feeders[0].name in warning for warning in found.warnings)
    assert found.voltage_drop_percent > 0


def test_a_panel_that_nothing_feeds_leaves_the_total_open() -> None:
    loose = OFFICE.model_copy(update={"feeders": ()})
    found = select(loose, "worst", "LP2")
    assert found.total_voltage_drop_percent is None
    assert any("no feeder leads" in warning for warning in found.warnings)


def test_selectors_find_what_they_say() -> None:
    longest, heaviest, worst = (
        select(WORKSHOP, each) for each in ("longest", "highest_load", "worst")
    )
    assert longest.length_ft == max(row.length_ft for row in longest.ranking)
    assert heaviest.circuit_name == "CNC lathe"
    assert worst.voltage_drop_percent == max(row.voltage_drop_percent for row in worst.ranking)
    assert worst.circuit_name == "Yard lighting"
    assert worst.compared == len(worst.ranking)


def test_a_panel_narrows_a_selector() -> None:
    assert {row.panel_name for row in select(HOUSE, "worst", "Garage Subpanel").ranking} == {
        "Garage Subpanel"
    }


def test_what_cannot_be_compared_is_counted_and_named() -> None:
    project = changed(HOUSE, circuit(HOUSE, "Range").id, length_ft=None)
    found = select(project, "worst")
    (left_out,) = found.not_compared
    assert "Range" in left_out
    assert any("1 of" in warning for warning in found.warnings)


def test_a_project_where_nothing_can_be_compared_says_why() -> None:
    bare = HOUSE
    for panel in HOUSE.panels:
        for each in panel.circuits:
            bare = changed(bare, each.id, length_ft=None)
    with pytest.raises(FailedPrecondition, match="no length recorded"):
        select(bare, "worst")


@given(st.randoms())
def test_a_selector_does_not_depend_on_the_order_of_what_is_stored(shuffled: Any) -> None:
    panels = []
    for panel in WORKSHOP.panels:
        circuits = list(panel.circuits)
        shuffled.shuffle(circuits)
        panels.append(panel.model_copy(update={"circuits": tuple(circuits)}))
    shuffled.shuffle(panels)
    other = WORKSHOP.model_copy(update={"panels": tuple(panels)})
    assert select(other, "worst").ranking == select(WORKSHOP, "worst").ranking


def test_larger_conductors_ask_for_a_larger_equipment_ground() -> None:
    found = select(WORKSHOP, "worst")
    assert found.equipment_grounding_conductor is not None
    assert any("250.122(B)" in warning for warning in found.warnings)
    assert "250.122(B)" in {each.article for each in found.citations}


def test_the_chart_ends_at_the_load() -> None:
    ctx = ToolContext(User("u"))
    found = find_circuit(OFFICE, circuit_number=8, panel_name="LP2")
    result = circuit_drop(ctx, OFFICE, found, {}, "exact")
    assert ctx.display is not None
    assert ctx.display.chart is not None
    points = ctx.display.chart["data"]["values"]
    assert len(points) == len(result.legs) + 1
    total = result.total_voltage_drop_percent or 0
    assert points[-1]["volts"] == pytest.approx(120.09 * (1 - total / 100), abs=0.02)
    assert [point["volts"] for point in points] == sorted(
        (point["volts"] for point in points), reverse=True
    )


def test_hebrew_is_answered_in_hebrew() -> None:
    ctx = ToolContext(User("u"), locale="he")
    dira = SAMPLES["dira"]
    selected_drop(ctx, dira, {}, "exact", "worst", None)
    assert ctx.display is not None
    assert ctx.display.title == "מפל מתח"
    assert "מפל המתח של" in (ctx.display.text or "")


# ---- Without a circuit, and refusals ----


def test_a_run_is_calculated_without_a_project() -> None:
    found = calculate_voltage_drop(
        ToolContext(User("u")), voltage=120, length_m=30.48, conductor_size="12", load_amps=16,
        power_factor=1, conduit_type="pvc",
    )  # fmt: skip
    assert found.voltage_drop_volts == pytest.approx(6.4)
    assert found.total_voltage_drop_percent is None
    assert {each.source for each in found.inputs} == {"argument"}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "circuitNumber"),
        ({"length_ft": 100, "conductor_size": "12", "load_amps": 16}, "voltage"),
        ({"length_ft": 100, "conductor_size": "12", "voltage": 120}, "loadAmps"),
        ({"length_ft": 100, "length_m": 30}, "lengthM"),
        ({"load_amps": 10, "load_watts": 1200}, "loadWatts"),
    ],
)
def test_what_is_missing_or_said_twice_is_named(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        calculate_voltage_drop(ToolContext(User("u")), **given)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("unknown", "field"), [("length_ft", "lengthFt"), ("conductor_size", "conductorSize")]
)
def test_an_unknown_length_or_size_is_refused_with_the_circuits_name(
    unknown: str, field: str
) -> None:
    project = changed(HOUSE, circuit(HOUSE, "Range").id, **{unknown: None})
    with pytest.raises(InvalidArgument, match="Range") as caught:
        ask(project, "Range")
    assert caught.value.field == field
    assert ask(project, "Range", length_ft=40, conductor_size="6").compliant


def test_a_circuit_without_a_load_is_refused_with_its_name() -> None:
    project = changed(HOUSE, circuit(HOUSE, "Range").id, load_watts=0)
    with pytest.raises(InvalidArgument, match="Range"):
        ask(project, "Range")


def test_a_larger_wire_that_is_asked_about_brings_its_larger_ground() -> None:
    recorded = circuit(HOUSE, "EV charger").conductor_size
    assert ask(HOUSE, "EV charger", conductor_size=recorded).equipment_grounding_conductor is None
    larger = ask(HOUSE, "EV charger", conductor_size="1/0")
    assert larger.equipment_grounding_conductor is not None
    assert any("250.122(B)" in warning for warning in larger.warnings)


RUN = {"voltage": 240, "load_amps": 16, "length_ft": 100, "conductor_size": "12"}


def calculate(**given: Any) -> VoltageDrop:
    return calculate_voltage_drop(ToolContext(User("u")), **{**RUN, **given})


def test_a_load_above_the_conductors_ampacity_is_said_though_the_drop_is_small() -> None:
    found = calculate(load_amps=100, length_ft=10, conductor_size="14")
    assert found.compliant
    assert any("310.16" in text for text in found.warnings)
    assert calculate(load_amps=20, length_ft=10, conductor_size="14").warnings == ()
    assert calculate(load_amps=300, conductor_size="1/0", conductor_sets=2).warnings == ()
