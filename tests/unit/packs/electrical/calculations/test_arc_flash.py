"""Typical equipment (IEEE Std 1584-2018, Tables 8 to 10)."""

from typing import Any

import pytest

from packs.electrical.arc_flash import answer_text, arc_warnings, energy_chart
from packs.electrical.calculations.arc_flash import (
    ArcParameters,
    panel_arc,
    ppe_for,
    study,
    typical_of,
)
from packs.electrical.projects.records import Panel
from packs.electrical.results import Basis
from rollcall.core.errors import FailedPrecondition
from rollcall.core.text import language
from seed.electrical.sample import projects
from tests.support.for_every import for_every

CLASSES = [
    ("panelboard", 208),
    ("panelboard", 600),
    ("mcc", 480),
    ("switchboard", 480),
    ("switchgear", 480),
    ("switchgear", 4_160),
    ("mcc", 2_300),
    ("switchgear", 13_800),
    ("mcc", 13_800),
]


@pytest.mark.parametrize(("kind", "volts"), CLASSES)
def test_every_class_lies_inside_the_range_of_the_model(kind: Any, volts: float) -> None:
    typical = typical_of(kind, volts)
    arc = ArcParameters(
        voltage_v=volts,
        bolted_ka=20,
        electrodes="VCB",
        gap_mm=typical.gap_mm,
        working_distance_mm=typical.working_distance_mm,
        enclosure=typical.enclosure,
        clearing_time_s=0.1,
    )
    assert study(arc).correction.kind == "typical"


def test_gaps_and_distances_are_those_of_the_tables() -> None:
    # Tables 8 and 10: 25 mm and 18 in, 32 mm and 24 in, 104 mm and 36 in, 152 mm and 36 in.
    expected = [(25, 18)] * 3 + [(32, 24)] * 2 + [(104, 36)] * 2 + [(152, 36)] * 2
    classes = [typical_of(kind, volts) for kind, volts in CLASSES]  # type: ignore[arg-type]
    assert [(each.gap_mm, round(each.working_distance_mm / 25.4, 9)) for each in classes] == (
        expected
    )


def test_enclosures_are_those_of_table_9() -> None:
    # 14 x 12 in and deeper than 8 in, 20, 36 and 26 in each way, 45 x 30 x 30 in.
    enclosures = [typical_of(kind, volts).enclosure.text for kind, volts in CLASSES]  # type: ignore[arg-type]
    assert enclosures == [
        *["355.6 x 304.8 x 204"] * 3,
        *["508 x 508 x 508"] * 2,
        "914.4 x 914.4 x 914.4",
        "660.4 x 660.4 x 660.4",
        "1143 x 762 x 762",
        "914.4 x 914.4 x 914.4",
    ]


# ---- PPE by incident energy (NFPA 70E-2018 to 2024, Table 130.7(C)(15)(c)) ----


@for_every(
    ("energy", "requirement", "category"),
    [
        (0.2, "none", None),
        (1.2, "none", None),
        (1.21, "category", 1),
        (4, "category", 1),
        (4.01, "category", 2),
        (8, "category", 2),
        (8.01, "category", 3),
        (25, "category", 3),
        (25.01, "category", 4),
        (40, "category", 4),
        (40.01, "do_not_work_energized", None),
    ],
)
def test_the_category_is_the_lowest_that_covers_the_energy(
    energy: float, requirement: str, category: int | None
) -> None:
    found = ppe_for(energy)
    assert (found.requirement, found.category) == (requirement, category)


def test_above_40_the_only_thing_to_put_on_is_a_lock() -> None:
    (only,) = ppe_for(55).items
    assert "De-energize" in only.say("en")
    assert "לנתק" in only.say("he")


@pytest.mark.parametrize("energy", [1, 3, 7, 20, 35, 60])
def test_what_is_worn_is_said_in_both_languages(energy: float) -> None:
    for item in ppe_for(energy).items:
        assert (language(item.say("en")), language(item.say("he"))) == ("en", "he")


def test_from_category_3_on_a_suit_with_a_hood_is_worn() -> None:
    assert not any("jacket" in item.say("en") for item in ppe_for(7.9).items)
    worn = [item.say("en") for item in ppe_for(8.1).items]
    assert any("hood rated at least 25" in item for item in worn)


# ---- Where an arc's figures come from: the question, the project, or what is typical ----


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


def arc(overrides: dict[str, Any] | None = None, **changes: Any) -> ArcParameters:
    return panel_arc(OFFICE, panel(**changes), Basis(), **(overrides or {}))


def basis_of(overrides: dict[str, Any] | None = None, **changes: Any) -> Basis:
    basis = Basis()
    panel_arc(OFFICE, panel(**changes), basis, **(overrides or {}))
    return basis


def test_what_is_recorded_counts_before_what_is_typical() -> None:
    given = arc(conductor_gap_mm=30)
    assert (given.gap_mm, given.electrodes, given.clearing_time_s) == (30, "VCB", 0.03)
    assert given.enclosure is not None
    assert given.enclosure.depth_mm == 152


def test_what_is_asked_counts_before_what_is_recorded() -> None:
    overrides = {
        "working_distance_mm": 914.4,
        "clearing_time_s": 0.2,
        "reduced_clearing_time_s": 0.5,
        "bolted_fault_ka": 18,
        "electrodes": "HCB",
        "gap_mm": 40,
    }
    given = arc(overrides)
    assert (given.working_distance_mm, given.clearing_time_s) == (914.4, 0.2)
    assert (given.reduced_clearing_time_s, given.bolted_ka) == (0.5, 18)
    assert (given.electrodes, given.gap_mm) == ("HCB", 40)
    sources = {each.name: each.source for each in basis_of(overrides).inputs}
    assert {"boltedFaultKa", "gapMm", "clearingTimeS"} <= sources.keys()
    assert sources["gapMm"] == "argument"
    assert "reducedClearingTimeS" not in {each.name for each in basis_of(overrides).assumptions}


def test_typical_figures_are_assumptions_with_a_reason() -> None:
    found = basis_of(**UNKNOWN)
    reasons = {each.name: each.reason for each in found.assumptions}
    assert "Table 8" in reasons["gapMm"].say("en")
    assert "Table 9" in reasons["enclosure"].say("en")
    assert "Table 10" in reasons["workingDistanceMm"].say("en")
    assert arc(**UNKNOWN).clearing_time_s == 2
    for reason in reasons.values():
        assert (language(reason.say("en")), language(reason.say("he"))) == ("en", "he")


def test_an_unknown_depth_is_not_taken_for_shallow() -> None:
    found = study(arc(**UNKNOWN))
    assert found.correction.kind == "typical"
    assert study(arc()).correction.kind == "shallow"


def test_open_air_has_no_enclosure() -> None:
    assert arc({"electrodes": "HOA"}).enclosure is None


def test_a_single_phase_panel_is_refused() -> None:
    house = SAMPLES["house"]
    with pytest.raises(FailedPrecondition, match="single-phase") as refused:
        panel_arc(house, house.panels[0], Basis(), bolted_fault_ka=10)
    assert "130.7(C)(15)(a)" in (refused.value.hint or "")
    assert language(refused.value.translate("he").hint or "") == "he"


def test_a_fault_current_that_cannot_be_calculated_can_be_given() -> None:
    service = OFFICE.service.model_copy(update={"utility_transformer_kva": None})
    unknown = OFFICE.model_copy(update={"service": service})
    with pytest.raises(FailedPrecondition) as refused:
        panel_arc(unknown, panel(), Basis())
    assert refused.value.field == "service.availableFaultCurrentAmps"
    assert "give boltedFaultKa" in (refused.value.hint or "")
    assert panel_arc(unknown, panel(), Basis(), bolted_fault_ka=12).bolted_ka == 12


@pytest.mark.parametrize(
    ("overrides", "changes", "said"),
    [
        ({"clearing_time_s": 3}, {}, "above 2 s"),
        ({"bolted_fault_ka": 1.5}, {"voltage": 208}, "less likely to last"),
        ({"clearing_time_s": 0.4}, {}, "not both"),
        ({"clearing_time_s": 0.4}, UNKNOWN, "(HCB)"),
    ],
)
def test_what_to_mind_is_said(
    overrides: dict[str, Any], changes: dict[str, Any], said: str
) -> None:
    found = arc(overrides, **changes)
    result = study(found)
    warnings = list(
        arc_warnings(found, ppe_for(result.energy_cal_cm2), basis_of(overrides, **changes))
    )
    assert any(said in warning.say("en") for warning in warnings)
    for warning in warnings:
        assert (language(warning.say("en")), language(warning.say("he"))) == ("en", "he")


@pytest.mark.parametrize("seconds", [0.01, 0.3, 2])
def test_the_result_is_one_sentence_in_either_language(seconds: float) -> None:
    found = study(arc({"clearing_time_s": seconds}))
    text = answer_text(panel(), found, ppe_for(found.energy_cal_cm2))
    assert "cal/cm²" in text.say("en") and "cal/cm²" in text.say("he")
    assert (language(text.say("en")), language(text.say("he"))) == ("en", "he")


def test_the_chart_crosses_1_2_at_the_boundary() -> None:
    found = study(arc({"clearing_time_s": 0.4}))
    rows = [row for row in energy_chart(found, "en")["data"]["values"] if row["time"] == 0.4]
    inside = [row for row in rows if row["distance"] * 25.4 < found.boundary_mm - 5]
    outside = [row for row in rows if row["distance"] * 25.4 > found.boundary_mm + 5]
    assert inside and outside
    assert min(row["energy"] for row in inside) > 1.2 > max(row["energy"] for row in outside)
