"""calculate_arc_flash on the sample's projects."""

from collections.abc import Callable
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.arc_flash import ArcFlash, calculate_arc_flash
from packs.electrical.nec.articles import find
from packs.electrical.projects.documents import write_project
from packs.electrical.projects.records import Enclosure
from packs.electrical.short_circuit import calculate_short_circuit
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.text import language
from seed.electrical.sample import projects

AtWork = Callable[..., ToolContext]


@pytest.fixture
def office(sample_projects: Client, at_work: AtWork) -> ToolContext:
    return at_work(project="office")


def at_mdp(ctx: ToolContext, **asked: Any) -> ArcFlash:
    return calculate_arc_flash(ctx, panel_name="MDP", **asked)


def test_annex_d2_comes_out_of_a_stored_panel(office: ToolContext, db: Client) -> None:
    """IEEE 1584-2018, D.2: 480 V, 45 kA, VCB, 32 mm, 610 x 610 x 254 mm."""
    _store(db, "mdp", enclosure=Enclosure(height_mm=610, width_mm=610, depth_mm=254))
    found = at_mdp(
        office,
        bolted_fault_ka=45,
        working_distance_inches=24,
        clearing_time_s=0.0613,
        reduced_clearing_time_s=0.319,
    )
    assert found.full.arcing_current_ka == 28.793
    assert found.full.incident_energy_j_cm2 == 11.585
    assert found.reduced.arcing_current_ka == 25.244
    assert (found.governing, found.incident_energy_j_cm2) == ("reduced", 53.156)
    assert found.incident_energy == pytest.approx(53.156 / 4.184, abs=1e-3)
    assert found.arc_flash_boundary_mm == 2669
    assert found.arc_flash_boundary == 105.1
    assert (found.ppe_requirement, found.ppe_category) == ("category", 3)


def test_the_fault_current_is_that_of_the_short_circuit_calculation(office: ToolContext) -> None:
    fault = calculate_short_circuit(office, panel_name="MDP")
    found = at_mdp(office)
    assert found.bolted_fault_ka == pytest.approx(fault.available_fault_current / 1000, abs=1e-3)
    told = {each.name: (each.value, each.source) for each in found.inputs}
    assert told["boltedFaultKa"] == (found.bolted_fault_ka, "calculated")
    assert told["panels.mdp.clearingTimeS"] == (0.05, "project")
    assert "transformerTolerance" in {each.name for each in found.assumptions}


def test_names_on_the_wire_are_the_seeds(office: ToolContext) -> None:
    asked = {"panelName": "MDP", "clearingTimeS": 0.3}
    found = Capability.of(calculate_arc_flash).call(office, asked)
    assert found["panelName"] == "MDP"
    assert found["incidentEnergy"] > 1.2
    assert found["arcFlashBoundary"] > 24
    assert found["ppeCategory"] in (1, 2, 3, 4)
    assert found["requiredPPE"]
    assert found["labelRequired"] is True
    assert found["label"] == {
        "nominalVoltageVolts": 480,
        "arcFlashBoundaryIn": found["arcFlashBoundary"],
        "incidentEnergyCalCm2": round(found["incidentEnergy"], 2),
        "workingDistanceIn": 24,
        "date": "2026-11-24",
    }


def test_inches_and_millimetres_are_one_distance(office: ToolContext) -> None:
    inches = at_mdp(office, working_distance_inches=36)
    metric = at_mdp(office, working_distance_mm=914.4)
    assert inches.incident_energy == metric.incident_energy
    assert inches.incident_energy < at_mdp(office).incident_energy
    assert (inches.working_distance_in, inches.working_distance_mm) == (36, 914.4)


def test_time_distance_and_gap_can_be_asked_about(office: ToolContext) -> None:
    now = at_mdp(office)
    slow = at_mdp(office, clearing_time_s=0.5)
    assert slow.incident_energy == pytest.approx(10 * now.incident_energy, rel=5e-3)
    assert slow.time_to_burn_s == pytest.approx(now.time_to_burn_s, rel=5e-3)
    assert at_mdp(office, electrode_configuration="HCB").incident_energy > now.incident_energy
    assert at_mdp(office, gap_mm=40).incident_energy != now.incident_energy
    given = {each.name: each.source for each in slow.inputs}
    assert given["clearingTimeS"] == "argument"


def test_above_40_nothing_is_worn_and_that_is_said(office: ToolContext) -> None:
    found = at_mdp(office, clearing_time_s=2, electrode_configuration="HCB")
    assert found.incident_energy > 40
    assert (found.ppe_category, found.ppe_requirement) == (None, "do_not_work_energized")
    assert [f"{each}." for each in found.required_ppe] == list(found.warnings)
    assert office.display is not None
    assert "do not work on it energized" in (office.display.text or "")


def test_little_energy_needs_no_label(office: ToolContext) -> None:
    found = calculate_arc_flash(
        office, panel_name="LP2", clearing_time_s=0.02, working_distance_inches=36
    )
    assert found.incident_energy < 1.2
    assert (found.label_required, found.label, found.ppe_category) == (False, None, None)
    assert found.ppe_requirement == "none"


def test_what_is_not_recorded_is_typical_and_said_so(office: ToolContext, db: Client) -> None:
    _store(
        db,
        "mdp",
        enclosure=None,
        clearing_time_s=None,
        conductor_gap_mm=None,
        electrode_configuration=None,
    )
    found = at_mdp(office)
    assumed = {each.name: each.value for each in found.assumptions}
    assert assumed["gapMm"] == 32
    assert assumed["enclosure"] == "508 x 508 x 508"
    assert assumed["workingDistanceMm"] == 609.6
    assert assumed["electrodeConfiguration"] == "VCBB"
    assert assumed["clearingTimeS"] == assumed["reducedClearingTimeS"] == 2
    assert any("HCB" in warning for warning in found.warnings)


def test_a_single_phase_panel_is_refused_with_what_can_be_done(
    sample_projects: Client, at_work: AtWork
) -> None:
    with pytest.raises(FailedPrecondition, match="three-phase") as refused:
        calculate_arc_flash(at_work(project="house"), panel_id="main", bolted_fault_ka=10)
    assert "130.7(C)(15)(a)" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("asked", "field", "accepted"),
    [
        ({"working_distance_inches": 11}, "workingDistanceInches", "305 mm"),
        ({"bolted_fault_ka": 107}, "boltedFaultKa", "0.5 to 106"),
        ({"bolted_fault_ka": 0.4}, "boltedFaultKa", "0.5 to 106"),
        ({"gap_mm": 80}, "gapMm", "6.35 to 76.2"),
    ],
)
def test_outside_the_range_is_refused_with_it(
    office: ToolContext, asked: dict[str, Any], field: str, accepted: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        at_mdp(office, **asked)
    assert refused.value.field == field
    assert accepted in refused.value.message
    assert "208 to 15,000 V" in (refused.value.hint or "")


@pytest.mark.parametrize("given", [{"workingDistanceInches": 11.9}, {"workingDistanceMm": 300}])
def test_too_near_is_refused_by_the_name_that_was_given(
    office: ToolContext, given: dict[str, float]
) -> None:
    (name,) = given
    with pytest.raises(InvalidArgument, match=r"12|304\.8") as refused:
        Capability.of(calculate_arc_flash).call(office, {"panelName": "MDP", **given})
    assert refused.value.field == name
    assert "208 to 15,000 V" in (refused.value.hint or "")


def test_12_inches_are_near_enough_to_calculate(office: ToolContext) -> None:
    assert at_mdp(office, working_distance_inches=12).working_distance_mm == 304.8


def test_two_distances_at_once_are_refused(office: ToolContext) -> None:
    with pytest.raises(InvalidArgument, match="not both"):
        at_mdp(office, working_distance_inches=24, working_distance_mm=610)


def test_an_enclosure_beyond_the_model_is_refused(office: ToolContext, db: Client) -> None:
    _store(db, "mdp", enclosure=Enclosure(height_mm=2_000, width_mm=800, depth_mm=600))
    with pytest.raises(InvalidArgument) as refused:
        at_mdp(office)
    assert refused.value.field == "enclosureHeightMm"
    assert at_mdp(office, electrode_configuration="VOA").electrode_configuration == "VOA"


def test_sources_and_the_chart_go_with_it(office: ToolContext) -> None:
    found = at_mdp(office)
    assert [each.code for each in office.citations] == ["IEEE 1584", "NFPA 70E", "NFPA 70E", "NEC"]
    known = find(found.citations[-1].article or "")
    assert known is not None
    assert found.citations[-1].title == known.title
    assert office.display is not None
    chart = office.display.chart
    assert chart is not None
    rows = chart["data"]["values"]
    assert {row["time"] for row in rows} == {0.03, 0.05, 0.1, 0.5, 2}
    line = [row["energy"] for row in rows if row["time"] == 0.05]
    assert line == sorted(line, reverse=True)
    assert line[0] > 1.2 > line[-1]
    here = chart["layer"][2]["data"]["values"][0]
    assert here["energy"] == pytest.approx(found.incident_energy, abs=1e-3)


def test_it_is_told_in_hebrew(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work(project="workshop", locale="he")
    found = calculate_arc_flash(ctx, panel_name="Main Panel")
    texts = [*found.required_ppe, *found.warnings, *(each.reason for each in found.assumptions)]
    assert ctx.display is not None
    assert {language(text) for text in [*texts, ctx.display.text or ""]} == {"he"}


def test_other_peoples_projects_stay_closed(sample_projects: Client, at_work: AtWork) -> None:
    with pytest.raises(PermissionDenied):
        calculate_arc_flash(at_work("rina", project="office"), panel_name="MDP")


def _store(db: Client, panel_id: str, **changes: object) -> None:
    (sample,) = [each for each in projects() if each.project.id == "office"]
    panels = tuple(
        each.model_copy(update=changes) if each.id == panel_id else each
        for each in sample.project.panels
    )
    write_project(db, sample.project.model_copy(update={"panels": panels}), sample.members)
