"""Conductor checks, in the sample projects and for figures of a question."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.calculations.conductors import Sizing, circuit_sizing
from packs.electrical.conductor_sizing import (
    ConductorSizing,
    check_conductor_sizing,
    sizing_result,
)
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import inspect
from packs.electrical.inspection.rules import RULES
from packs.electrical.nec.conductors import rank
from packs.electrical.projects.records import PanelCircuit, Project
from packs.electrical.projects.selection import find_circuit
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from seed.electrical.sample import projects

SAMPLES = {sample.project.id: sample.project for sample in projects()}
HOUSE, WORKSHOP = SAMPLES["house"], SAMPLES["workshop"]


def check(**given: Any) -> ConductorSizing:
    return check_conductor_sizing(ToolContext(User("u")), **given)


def ask(project: Project, name: str, **given: Any) -> ConductorSizing:
    found = find_circuit(project, circuit_description=name)
    case = circuit_sizing(project, found.with_figures(**given))
    done = case.size_conductors()
    assert done is not None
    return sizing_result("en", case, done, project.id)


def every(project: Project) -> dict[str, Sizing]:
    found = {}
    for panel in project.panels:
        for circuit in panel.circuits:
            if circuit.load_watts or circuit.load_type == "motor":
                case = circuit_sizing(project, PanelCircuit(panel, circuit))
                done = case.size_conductors()
                assert done is not None
                found[circuit.description] = done
    return found


def test_a_breaker_of_no_standard_rating_is_a_warning() -> None:
    odd = check(load_amps=12, conductor_size="12", breaker_amps=17)
    assert odd.compliant
    assert odd.warnings == (
        "17 A is no standard rating of a breaker (240.6(A)); near it are 15 and 20 A.",
    )
    for standard in (10, 15, 20):
        assert check(load_amps=8, conductor_size="12", breaker_amps=standard).warnings == ()


def test_the_house_complies_and_the_workshops_mistakes_are_found() -> None:
    assert [name for name, done in every(HOUSE).items() if not done.checked.compliant] == []
    wrong = {
        name: done.checked.problems
        for name, done in every(WORKSHOP).items()
        if not done.checked.compliant
    }
    assert wrong["Bench receptacles"] == ("protection",)  # 14 AWG at 20 A
    assert "breaker_too_small" in wrong["Space heater"]  # always continuous
    assert wrong["Dust collector"] == ("breaker_too_large",)  # above 430.52
    assert "protection" in wrong["Paint booth lighting"]  # too many in one conduit


def test_each_step_is_told_with_its_place_in_the_code() -> None:
    found = check(load_amps=28, conductor_size="10", ambient_c=40, current_carrying_conductors=6)
    steps = {step.name: step for step in found.steps}
    assert steps["tableAmpacity"].value == 40
    assert (steps["temperatureFactor"].value, steps["adjustmentFactor"].value) == (0.91, 0.8)
    assert steps["correctedAmpacity"].value == pytest.approx(29.12)
    assert steps["terminalLimit"].reference == "110.14(C)"
    assert (found.ampacity, found.compliant) == (29.12, True)
    assert "Table 310.16" in found.nec_reference


def test_a_small_conductor_with_a_large_breaker_is_against_240_4_d() -> None:
    found = check(load_amps=12, conductor_size="14", breaker_amps=20, terminal_rating_c=75)
    assert not found.compliant
    assert "240.4(D)" in found.problems[0]
    assert found.smallest_complying_size == "12"
    assert "AWG 12" in (found.recommendation or "")


def test_derating_below_the_breaker_is_against_240_4_b() -> None:
    found = check(load_amps=5, conductor_size="12", breaker_amps=20, current_carrying_conductors=24)
    assert "240.4(B)" in found.problems[0]


def test_without_a_size_the_smallest_is_found() -> None:
    found = check(load_amps=48, continuous=True, terminal_rating_c=75)
    assert (found.conductor_size, found.is_proposed, found.breaker_amps) == ("6", True, 60)
    assert found.required_amps == 60
    assert found.compliant


def test_where_no_single_conductor_is_enough_the_fewest_in_parallel_are_found() -> None:
    found = check(load_amps=900)
    assert (found.conductor_sets, found.is_proposed, found.compliant) == (3, True, True)
    assert found.ampacity >= 900


def test_what_marked_terminals_would_change_is_said_where_they_are_assumed() -> None:
    found = check(load_amps=48, continuous=True)
    assert found.conductor_size == "4"
    assert any("AWG 6" in warning for warning in found.warnings)
    assert not check(load_amps=48, continuous=True, terminal_rating_c=60).warnings


def test_conductors_in_nm_cable_are_limited_whatever_their_own_insulation_is_called() -> None:
    range_ = {"insulation": "THHN", "terminal_rating_c": 75}
    assert ask(HOUSE, "Range", **range_).ampacity == 55  # 6 AWG at 60 °C, not 65 A at 75 °C


def test_nm_cable_is_corrected_from_90_and_limited_to_60() -> None:
    found = check(
        load_amps=15, conductor_size="12", insulation="NM-B", terminal_rating_c=75, ambient_f=104
    )
    steps = {step.name: step.value for step in found.steps}
    assert (steps["tableAmpacity"], steps["terminalLimit"]) == (30, 20)
    assert steps["temperatureFactor"] == 0.91


def test_marked_terminals_do_not_help_nm_cable() -> None:
    # 334.80: 6 AWG has 55 A in NM cable also at terminals of 75 °C, where 48 A x 125 % are 60 A.
    for given in ({}, {"terminal_rating_c": 75}):
        found = check(load_amps=48, continuous=True, conductor_size="6", insulation="NM-B", **given)
        assert not any("75 °C" in each for each in found.warnings)
        assert ["334.80" in each for each in found.problems] == [True]
        assert "334.80" in {each.article for each in found.citations}
        assert found.smallest_complying_size == "4"


def test_an_ev_charger_counts_as_continuous_whatever_is_recorded() -> None:
    found = ask(HOUSE, "EV charger", load_amps=40, continuous=False)
    assert found.required_amps == 50
    assert "625.42" in found.nec_reference


def test_edition_2017_has_its_own_numbers() -> None:
    old = HOUSE.model_copy(update={"edition": 2017})
    assert ask(old, "EV charger").citations[0].table == "310.15(B)(16)"


@pytest.mark.parametrize(("edition", "section"), [(2023, "220.55"), (2026, "120.55")])
def test_steps_and_citations_name_one_section(edition: int, section: str) -> None:
    home = HOUSE.model_copy(update={"edition": edition})
    found = ask(home, "range")
    (required,) = [each for each in found.steps if each.name == "requiredAmps"]
    assert section in (required.reference or "")
    assert section in {each.article for each in found.citations}


def test_a_motor_is_held_against_article_430() -> None:
    found = ask(WORKSHOP, "Dust collector")
    assert {"430.22", "430.52"} <= {each.article for each in found.citations}
    assert next(each.source for each in found.inputs if each.name == "loadAmps") == "table"


def test_a_synchronous_motor_counts_its_nameplate_and_not_an_induction_motors_current() -> None:
    # Table 430.250 has other columns for these motors, which are not among the tables here.
    (fan,) = [each for each in WORKSHOP.motors if "Dust" in each.name]
    for nameplate in (17.0, None):
        turning = {"kind": "synchronous", "nameplate_amps": nameplate}
        shop = WORKSHOP.model_copy(update={"motors": (fan.model_copy(update=turning),)})
        if nameplate:
            found = ask(shop, "Dust collector")
            assert (found.load_amps, found.required_amps) == (17, 21.25)
            assert f"motor_{fan.id}" in {each.name for each in found.assumptions}
        else:
            with pytest.raises(InvalidArgument) as caught:
                ask(shop, "Dust collector")
            assert caught.value.field == f"motors.{fan.id}.nameplateAmps"
            gaps = {each.field for each in inspect(Facts(shop), RULES).gaps}
            assert "motors.nameplateAmps" in gaps


@pytest.mark.parametrize(
    ("given", "error", "field"),
    [
        ({}, InvalidArgument, "circuitNumber"),
        ({"conductor_size": "12"}, InvalidArgument, "loadAmps"),
        ({"load_amps": 5, "ambient_c": 30, "ambient_f": 86}, InvalidArgument, "ambientF"),
        ({"load_amps": 5, "insulation": "PAPER"}, InvalidArgument, "insulation"),
        ({"load_amps": 5, "conductor_size": "14", "conductor_material": "aluminum"},
         InvalidArgument, "conductorSize"),
        ({"load_amps": 5000}, FailedPrecondition, "loadAmps"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_refused_by_name(
    given: dict[str, Any], error: type[Exception], field: str
) -> None:
    with pytest.raises(error) as caught:
        check(**given)
    assert caught.value.field == field  # type: ignore[attr-defined]


def test_hebrew_is_answered_in_hebrew() -> None:
    ctx = ToolContext(User("u"), locale="he")
    found = check_conductor_sizing(ctx, load_amps=40, conductor_size="12")
    assert ctx.display is not None
    assert "אינו תקין" in (ctx.display.text or "")
    assert "נחושת" in (found.recommendation or "")


def with_circuit(project: Project, panel_id: str, **changed: Any) -> Project:
    """The project with the first circuit of a panel changed."""
    panel = project.panel(panel_id)
    assert panel is not None
    first = panel.circuits[0].model_copy(update=changed)
    there = panel.model_copy(update={"circuits": (first, *panel.circuits[1:])})
    panels = tuple(there if each.id == panel_id else each for each in project.panels)
    return project.model_copy(update={"panels": panels})


def test_a_household_range_of_12_kw_is_on_40_a_by_table_220_55() -> None:
    usual = {"breaker_amps": 40, "conductor_size": "8", "insulation": "NM-B"}
    found = ask(with_circuit(HOUSE, "main", **usual), "range")
    assert found.load_amps == pytest.approx(8_000 / 240, abs=0.001)
    assert (found.required_amps, found.compliant) == (40, True)
    assert "220.55" in found.nec_reference
    assert [each.value for each in found.assumptions if each.name == "rangeDemandWatts"] == [8_000]


def test_a_range_of_8_75_kw_is_not_on_less_than_40_a() -> None:
    small = {"load_watts": 8_750, "breaker_amps": 30, "conductor_size": "10"}
    found = ask(with_circuit(HOUSE, "main", **small), "range")
    assert not found.compliant
    assert (found.required_amps, found.breaker_amps) == (40, 40)
    less = ask(with_circuit(HOUSE, "main", **{**small, "load_watts": 7_000}), "range")
    assert less.compliant


def test_a_range_counts_its_nameplate_elsewhere_than_in_a_dwelling() -> None:
    cafe = HOUSE.model_copy(
        update={"building": HOUSE.building.model_copy(update={"occupancy": "restaurant"})}
    )
    assert ask(cafe, "range").load_amps == 50


def test_a_motor_of_which_only_watts_are_known_may_have_a_larger_breaker() -> None:
    # 20 A: conductors for 25 A, and up to 250 %: 240.4(D) does not hold (240.4(G)).
    fan = {"load_type": "motor", "load_watts": 4_800, "conductor_size": "10", "breaker_amps": 50}
    found = ask(with_circuit(HOUSE, "main", **fan), "range")
    assert (found.required_amps, found.largest_breaker_amps, found.compliant) == (25, 50, True)
    assert any("No motor is recorded" in text for text in found.warnings)
    above = ask(with_circuit(HOUSE, "main", **{**fan, "breaker_amps": 60}), "range")
    assert "430.52" in above.problems[0]
    assert above.breaker_amps == 25


def test_conductors_chosen_for_a_motor_of_which_only_watts_are_known_are_protected() -> None:
    # 15 A: 18.75 A are required, a 20 A breaker; 14 AWG would carry them at 75 °C.
    wired = {"insulation": "THHN", "conduit_type": "emt", "terminal_rating_c": 75}
    motor = {"load_type": "motor", "load_watts": 3_600, "conductor_size": None, **wired}
    fan = {**motor, "breaker_amps": 1}
    found = ask(with_circuit(HOUSE, "main", **fan), "range")
    assert (found.breaker_amps, found.conductor_size) == (20, "12")
    there = {**motor, "breaker_amps": 20}
    assert ask(with_circuit(HOUSE, "main", **there), "range").conductor_size == "12"
    smaller = ask(with_circuit(HOUSE, "main", **{**there, "conductor_size": "14"}), "range")
    assert smaller.compliant  # 240.4(G)


def test_a_welder_is_said_to_be_sized_by_the_general_rules() -> None:
    welder = {"load_type": "welder", "load_watts": 9_600, "conductor_size": "8"}
    shop = with_circuit(WORKSHOP, WORKSHOP.panels[0].id, **welder)
    found = ask(shop, shop.panels[0].circuits[0].description)
    assert any("Article 630" in each for each in found.warnings)


def test_a_feeders_breaker_goes_by_article_215() -> None:
    found = ask(HOUSE, "garage subpanel", load_amps=101)
    assert "215.3" in found.nec_reference
    assert "210.20(A)" not in found.nec_reference
    assert "215.3" in found.problems[-1]


def test_above_800_a_the_next_size_up_is_refused_by_240_4_c() -> None:
    found = check(load_amps=840, conductor_size="600", conductor_sets=2, breaker_amps=1_000)
    assert "240.4(C)" in found.problems[0]
    assert "240.4(C)" in found.nec_reference
    at_800 = check(load_amps=760, conductor_size="500", conductor_sets=2, breaker_amps=800)
    assert at_800.compliant
    assert "240.4(B)" in at_800.nec_reference


def test_tables_that_were_not_checked_against_an_edition_are_named() -> None:
    new = HOUSE.model_copy(update={"edition": 2026})
    (warning,) = [text for text in ask(new, "dishwasher").warnings if "2026" in text]
    for table in ("Table 310.16", "240.4(D)", "Table 240.6(A)", "Table 250.122"):
        assert table in warning
    assert not [text for text in ask(HOUSE, "dishwasher").warnings if "edition" in text]
    assert "120.55" in ask(new, "range").nec_reference


def test_figures_that_differ_are_told_apart() -> None:
    found = check(load_amps=16.01, conductor_size="12", breaker_amps=20, continuous=True)
    assert "20.01" in found.problems[0]


@pytest.mark.parametrize(
    ("kind", "section"), [("air_conditioning", "440.22(A)"), ("motor", "430.52")]
)
def test_a_breaker_below_a_motors_current_is_against_its_own_article(
    kind: str, section: str
) -> None:
    small = {"load_type": kind, "load_watts": 4_800, "conductor_size": "10", "breaker_amps": 15}
    found = ask(with_circuit(HOUSE, "main", **small), "range")
    assert len(found.problems) == 1
    assert "20 A" in found.problems[0]
    assert section in found.problems[0]
    assert "210.20(A)" not in found.nec_reference


def test_large_loads_get_common_sizes_in_parallel_and_the_answer_says_why() -> None:
    found = check(load_amps=1000, conductor_material="aluminum")
    assert found.compliant and found.conductor_sets > 2
    assert rank(found.conductor_size) <= rank("600")
    assert "are commonly run in parallel" in (found.answer or "")
    single = check(load_amps=480, conductor_size="4/0")
    assert "commonly run" in (single.recommendation or "")


def test_an_ampacity_below_what_is_required_names_the_section_that_allows_it() -> None:
    """Four 1 AWG THHN: 145 A at 90 °C and 0.8 leave 116 A; the next standard rating is 125 A."""
    given = {"load_amps": 100, "continuous": True, "breaker_amps": 125, "conductor_size": "1",
             "insulation": "THHN", "current_carrying_conductors": 4,
             "terminal_rating_c": 75}  # fmt: skip
    assert (check(**given).ampacity, check(**given).compliant) == (116, True)
    said = check(**given).answer or ""
    assert "240.4(B)" in said and "210.19(A)(1)" in said
