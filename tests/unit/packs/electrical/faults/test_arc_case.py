"""Where an arc's figures come from: the question, the project, or what is typical."""

from typing import Any

import pytest

from packs.electrical.calculations.arc_flash.ppe import ppe_for
from packs.electrical.calculations.arc_flash.study import study
from packs.electrical.faults.arc_case import Asked, Case, case_at
from packs.electrical.faults.arc_words import told, warnings_of
from packs.electrical.faults.energy_chart import energy_chart
from packs.electrical.projects.records import Panel
from rollcall.core.errors import FailedPrecondition
from rollcall.core.text import language
from seed.electrical.sample import projects

SAMPLES = {each.project.id: each.project for each in projects()}
OFFICE = SAMPLES["office"]
UNKNOWN = {
    "enclosure": None,
    "clearing_time_s": None,
    "conductor_gap_mm": None,
    "electrode_configuration": None,
}


def panel(id: str = "hp1", **changes: Any) -> Panel:
    found = OFFICE.panel(id)
    assert found is not None
    return found.model_copy(update=changes)


def case(asked: Asked | None = None, **changes: Any) -> Case:
    return case_at(OFFICE, panel(**changes), asked or Asked())


def test_what_is_recorded_counts_before_what_is_typical() -> None:
    given = case(conductor_gap_mm=30).given
    assert (given.gap_mm, given.electrodes, given.clearing_time_s) == (30, "VCB", 0.03)
    assert given.enclosure is not None
    assert given.enclosure.depth_mm == 152


def test_what_is_asked_counts_before_what_is_recorded() -> None:
    asked = Asked(914.4, 0.2, 0.5, 18, "HCB", 40)
    given = case(asked).given
    assert (given.working_distance_mm, given.clearing_time_s) == (914.4, 0.2)
    assert (given.reduced_clearing_time_s, given.bolted_ka) == (0.5, 18)
    assert (given.electrodes, given.gap_mm) == ("HCB", 40)
    sources = {each.name: each.source for each in case(asked).inputs}
    assert {"boltedFaultKa", "gapMm", "clearingTimeS"} <= sources.keys()
    assert sources["gapMm"] == "argument"
    assert "reducedClearingTimeS" not in {each.name for each in case(asked).assumptions}


def test_typical_figures_are_assumptions_with_a_reason() -> None:
    found = case(**UNKNOWN)
    reasons = {each.name: each.reason for each in found.assumptions}
    assert "Table 8" in reasons["gapMm"].en
    assert "Table 9" in reasons["enclosure"].en
    assert "Table 10" in reasons["workingDistanceMm"].en
    assert found.given.clearing_time_s == 2
    for reason in reasons.values():
        assert (language(reason.en), language(reason.he)) == ("en", "he")


def test_an_unknown_depth_is_not_taken_for_shallow() -> None:
    found = study(case(**UNKNOWN).given)
    assert found.correction.kind == "typical"
    assert study(case().given).correction.kind == "shallow"


def test_open_air_has_no_enclosure() -> None:
    assert case(Asked(electrodes="HOA")).given.enclosure is None


def test_a_single_phase_panel_is_refused() -> None:
    house = SAMPLES["house"]
    with pytest.raises(FailedPrecondition, match="single-phase") as refused:
        case_at(house, house.panels[0], Asked(bolted_fault_ka=10))
    assert "130.7(C)(15)(a)" in (refused.value.hint or "")


def test_a_fault_current_that_cannot_be_calculated_can_be_given() -> None:
    service = OFFICE.service.model_copy(update={"utility_transformer_kva": None})
    unknown = OFFICE.model_copy(update={"service": service})
    with pytest.raises(FailedPrecondition) as refused:
        case_at(unknown, panel(), Asked())
    assert refused.value.field == "service.availableFaultCurrentAmps"
    assert "give boltedFaultKa" in (refused.value.hint or "")
    assert case_at(unknown, panel(), Asked(bolted_fault_ka=12)).given.bolted_ka == 12


@pytest.mark.parametrize(
    ("asked", "changes", "said"),
    [
        (Asked(clearing_time_s=3), {}, "above 2 s"),
        (Asked(bolted_fault_ka=1.5), {"voltage": 208}, "less likely to last"),
        (Asked(clearing_time_s=0.4), {}, "not both"),
        (Asked(clearing_time_s=0.4), UNKNOWN, "(HCB)"),
    ],
)
def test_what_to_mind_is_said(asked: Asked, changes: dict[str, Any], said: str) -> None:
    found = case(asked, **changes)
    result = study(found.given)
    warnings = warnings_of(found, result, ppe_for(result.energy_cal_cm2))
    assert any(said in warning.en for warning in warnings)
    for warning in warnings:
        assert (language(warning.en), language(warning.he)) == ("en", "he")


@pytest.mark.parametrize("seconds", [0.01, 0.3, 2])
def test_the_result_is_one_sentence_in_either_language(seconds: float) -> None:
    found = study(case(Asked(clearing_time_s=seconds)).given)
    text = told(panel(), found, ppe_for(found.energy_cal_cm2))
    assert "cal/cm²" in text.en and "cal/cm²" in text.he
    assert (language(text.en), language(text.he)) == ("en", "he")


def test_the_chart_crosses_1_2_at_the_boundary() -> None:
    found = study(case(Asked(clearing_time_s=0.4)).given)
    rows = [row for row in energy_chart(found, "en")["data"]["values"] if row["time"] == 0.4]
    inside = [row for row in rows if row["distance"] * 25.4 < found.boundary_mm - 5]
    outside = [row for row in rows if row["distance"] * 25.4 > found.boundary_mm + 5]
    assert inside and outside
    assert min(row["energy"] for row in inside) > 1.2 > max(row["energy"] for row in outside)
