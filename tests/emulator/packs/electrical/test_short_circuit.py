"""calculate_short_circuit on the sample's projects."""

from collections.abc import Callable

import pytest
from google.cloud.firestore import Client
from msgspec.structs import replace

from packs.electrical.nec.articles import find
from packs.electrical.projects.documents import write_project
from packs.electrical.results import CodeReference
from packs.electrical.short_circuit import calculate_short_circuit
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.text import language
from seed.electrical.sample import projects

AtWork = Callable[..., ToolContext]


@pytest.fixture
def workshop(sample_projects: Client, at_work: AtWork) -> ToolContext:
    return at_work(project="workshop")


@pytest.fixture
def office(sample_projects: Client, at_work: AtWork) -> ToolContext:
    return at_work(project="office")


def test_the_workshops_main_panel_cannot_interrupt_what_is_available(workshop: ToolContext) -> None:
    """28,000 A through 35 ft of 500 kcmil in steel (C 22,185), and motors of the whole workshop."""
    found = calculate_short_circuit(workshop, panel_name="Main Panel")
    fed = 28_000 / (1 + 3**0.5 * 35 * 28_000 / (22_185 * 208))
    # nameplates, those behind the transformer to 480 V as seen at 208 V
    motors = 29 + 23 + 16 + 13 + (20 + 2.9) * 480 / 208
    assert found.available_fault_current == round(fed + 4 * motors)
    assert found.motor_contribution_amps == round(4 * motors)
    assert (found.panel_aic_amps, found.compliant, found.required_aic) == (10_000, False, 22_000)
    assert any("110" not in warning and "22,000 A" in warning for warning in found.warnings)


def test_names_on_the_wire_are_the_seeds(workshop: ToolContext) -> None:
    found = Capability.of(calculate_short_circuit).call(workshop, {"panelName": "Main Panel"})
    assert found["panelName"] == "Main Panel"
    assert found["requiredAIC"] == 22_000
    assert found["compliant"] is False
    assert found["availableFaultCurrent"] > 10_000
    assert 0 < found["xrRatio"] < 5


def test_every_step_of_the_way_is_shown(office: ToolContext) -> None:
    found = calculate_short_circuit(office, panel_name="LP1")
    assert [point.name for point in found.path] == [
        "Service terminals",
        "MDP",
        "T1 (primary)",
        "T1",
        "DP1",
        "LP1",
    ]
    source = 500_000 / (480 * 3**0.5) * 100 / (4.5 * 0.9)
    assert found.path[0].fault_current_amps == round(source)
    amps = [point.fault_current_amps for point in found.path if point.voltage_volts == 208]
    assert amps == sorted(amps, reverse=True)
    assert found.path[-1].fault_current_amps == found.available_fault_current
    assert found.compliant is True
    assert all(point.multiplier is None or 0 < point.multiplier < 1 for point in found.path)


def test_the_office_can_interrupt_what_is_available_everywhere(office: ToolContext) -> None:
    for name in ("MDP", "HP1", "DP1", "LP1", "LP2", "SR"):
        assert calculate_short_circuit(office, panel_name=name).compliant is True


def test_a_house_is_checked_between_lines_and_to_the_neutral(
    sample_projects: Client, at_work: AtWork
) -> None:
    found = calculate_short_circuit(at_work(project="house"), panel_id="garage")
    assert found.line_to_line_amps is not None
    assert found.line_to_neutral_amps is not None
    assert found.available_fault_current == max(found.line_to_line_amps, found.line_to_neutral_amps)
    at_main = 8_200 / (1 + 2 * 30 * 8_200 / (11_174 * 240))  # 4/0 aluminum in PVC
    at_garage = at_main / (1 + 2 * 60 * at_main / (4_811 * 240))  # 3 AWG copper in PVC
    assert found.line_to_line_amps == round(at_garage)
    assert (found.compliant, found.required_aic) == (True, 10_000)


def test_what_if_figures_stand_in_place_of_the_projects(office: ToolContext) -> None:
    now = calculate_short_circuit(office, panel_name="HP1")
    nearer = calculate_short_circuit(office, panel_name="HP1", length_ft=10)
    same = calculate_short_circuit(office, panel_name="HP1", length_m=3.048)
    stiffer = calculate_short_circuit(
        office, panel_name="HP1", length_ft=10, conductor_size="250", conductor_sets=2
    )
    assert now.available_fault_current < nearer.available_fault_current
    assert nearer.available_fault_current == same.available_fault_current
    assert nearer.available_fault_current < stiffer.available_fault_current
    told = {each.name: (each.value, each.source) for each in nearer.inputs}
    assert told["feeders.mdp-hp1.lengthFt"] == (10, "argument")
    assert told["feeders.mdp-hp1.conductorSize"] == ("3", "project")


def test_a_larger_supply_and_another_rating_can_be_asked_about(office: ToolContext) -> None:
    more = calculate_short_circuit(
        office, panel_name="MDP", available_fault_current_amps=65_000, panel_aic_amps=65_000
    )
    assert more.available_fault_current < 65_000
    assert more.compliant is True
    transformer = calculate_short_circuit(
        office, panel_name="MDP", transformer_kva=2_500, transformer_impedance_percent=5.75
    )
    assert transformer.compliant is False
    with_less = calculate_short_circuit(office, panel_name="MDP", transformer_kva=300)
    assert with_less.available_fault_current < transformer.available_fault_current


def test_motors_can_be_left_out(workshop: ToolContext) -> None:
    without = calculate_short_circuit(workshop, panel_name="Main Panel", include_motors=False)
    with_motors = calculate_short_circuit(workshop, panel_name="Main Panel")
    assert without.motor_contribution_amps == 0
    assert with_motors.available_fault_current > without.available_fault_current


def test_asymmetry_follows_x_r(office: ToolContext) -> None:
    found = calculate_short_circuit(office, panel_name="MDP")
    assert found.duty_amps is not None
    assert found.duty_amps >= found.available_fault_current


def test_a_panel_without_a_rating_is_not_called_compliant(office: ToolContext, db: Client) -> None:
    _store(db, "office", "lp1", aic_rating=None)
    found = calculate_short_circuit(office, panel_name="LP1")
    assert found.compliant is None
    assert found.required_aic == 10_000
    assert any("not known" in warning for warning in found.warnings)


def test_a_series_rating_is_noted_with_its_limit_for_motors(
    workshop: ToolContext, db: Client
) -> None:
    _store(db, "workshop", "mp", series_rated=True, aic_rating=10_000)
    found = calculate_short_circuit(workshop, panel_name="Main Panel")
    assert any("tested combination" in warning for warning in found.warnings)
    assert any("240.86(C)" in warning for warning in found.warnings)
    assert "240.86" in [each.article for each in found.citations]
    assert all(_titled(each) for each in found.citations)


def test_sources_and_the_chart_go_with_it(office: ToolContext) -> None:
    found = calculate_short_circuit(office, panel_name="MDP")
    assert [each.article for each in office.citations] == ["110.9", "110.10", "110.24"]
    assert {each.edition for each in office.citations} == {"2023"}
    assert all(_titled(each) for each in found.citations)
    assert office.display is not None
    assert office.display.type == "chart"
    chart = office.display.chart
    assert chart is not None
    assert chart["$schema"].endswith("vega-lite/v5.json")
    assert [row["point"] for row in chart["data"]["values"]] == ["Service terminals", "MDP", "MDP"]
    assert "suffices" in (office.display.text or "")


def test_it_is_told_in_hebrew(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work(project="workshop", locale="he")
    found = calculate_short_circuit(ctx, panel_name="Main Panel")
    texts = [*found.warnings, *(each.reason for each in found.assumptions)]
    assert ctx.display is not None
    assert {language(text) for text in [*texts, ctx.display.text or ""]} == {"he"}


def test_assumptions_are_told_and_marked_as_defaults(office: ToolContext) -> None:
    found = calculate_short_circuit(office, panel_name="MDP")
    told = {each.name: each.is_default for each in found.assumptions}
    assert told["service.primaryFaultCurrent"]
    assert told["transformerTolerance"]
    assert told["motorContributionFactor"]


def test_refusals_name_what_is_wrong(office: ToolContext) -> None:
    with pytest.raises(NotFound) as unknown:
        calculate_short_circuit(office, panel_name="Moon base")
    assert unknown.value.field == "panelName"
    with pytest.raises(InvalidArgument) as unnamed:
        calculate_short_circuit(office)
    assert unnamed.value.field == "panelName"
    with pytest.raises(InvalidArgument) as twice:
        calculate_short_circuit(office, panel_name="HP1", length_ft=10, length_m=3)
    assert twice.value.field == "lengthM"
    with pytest.raises(InvalidArgument) as both:
        calculate_short_circuit(
            office, panel_name="HP1", available_fault_current_amps=9_000, transformer_kva=500
        )
    assert both.value.field == "availableFaultCurrentAmps"
    with pytest.raises(InvalidArgument) as size:
        Capability.of(calculate_short_circuit).call(
            office, {"panelName": "HP1", "conductorSize": "elephant"}
        )
    assert "conductorSize" in (size.value.field or "")


def test_a_feeder_without_a_length_is_refused_unless_the_question_has_one(
    office: ToolContext, db: Client
) -> None:
    (sample,) = [each for each in projects() if each.project.id == "office"]
    feeders = tuple(
        each.model_copy(update={"length_ft": None}) if each.id == "mdp-hp1" else each
        for each in sample.project.feeders
    )
    write_project(db, sample.project.model_copy(update={"feeders": feeders}), sample.members)
    with pytest.raises(FailedPrecondition) as refused:
        calculate_short_circuit(office, panel_name="HP1")
    assert refused.value.field == "feeders.mdp-hp1.lengthFt"
    assert calculate_short_circuit(office, panel_name="HP1", length_ft=90).compliant is True


def test_other_peoples_projects_stay_closed(sample_projects: Client, at_work: AtWork) -> None:
    with pytest.raises(PermissionDenied):
        calculate_short_circuit(at_work("rina", project="office"), panel_name="MDP")
    viewer = at_work("omer", project="office")
    assert calculate_short_circuit(viewer, panel_name="MDP").compliant is True


def _titled(reference: CodeReference) -> bool:
    """Whether a section has the title that the index of articles knows it by."""
    known = find(reference.article or "")
    return known is not None and known.title == reference.title


def _store(db: Client, project_id: str, panel_id: str, **changes: object) -> None:
    (sample,) = [each for each in projects() if each.project.id == project_id]
    panels = tuple(
        each.model_copy(update=changes) if each.id == panel_id else each
        for each in sample.project.panels
    )
    write_project(db, sample.project.model_copy(update={"panels": panels}), sample.members)


def test_it_writes_nothing(workshop: ToolContext) -> None:
    assert Capability.of(calculate_short_circuit).mark.effect == "read"
    before = calculate_short_circuit(workshop, panel_name="Main Panel", length_ft=500)
    after = calculate_short_circuit(replace(workshop), panel_name="Main Panel")
    assert after.available_fault_current > before.available_fault_current
