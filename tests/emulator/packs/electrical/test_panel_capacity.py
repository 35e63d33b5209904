"""check_panel_capacity on stored projects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.cloud.firestore import Client

from packs.electrical.panel_capacity import check_panel_capacity
from packs.electrical.projects.documents import write_project
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from seed.electrical.sample import projects

AtWork = Callable[..., ToolContext]


@pytest.fixture(scope="module")
def db(module_db: Client) -> Client:
    """One for all tests, which only read."""
    return module_db


@pytest.fixture
def house(sample_projects: Client, at_work: AtWork) -> ToolContext:
    return at_work(project="house")


def test_a_panel_is_told_with_its_steps_lines_limits_and_sources(house: ToolContext) -> None:
    found = check_panel_capacity(house, panel_name="Main Panel")
    assert (found.panel_name, found.bus_rating, found.method) == ("Main Panel", 200, "optional")
    assert found.current_load_watts == found.projected_load_watts
    assert [each.phase for each in found.phases] == ["L1", "L2"]
    assert found.can_accommodate and found.recommendation is None
    counted = sum(step.demand_va or 0 for step in found.steps)
    assert counted == pytest.approx(found.current_load_watts, abs=1)
    assert [citation.article for citation in house.citations] == ["220.82", "220.82(C)"]
    assert house.display is not None and house.display.chart is not None
    assert house.display.rows is not None and len(house.display.rows) == len(found.steps)


def test_the_optional_load_of_the_sample_house_is_that_of_220_82(house: ToolContext) -> None:
    # 7200 + 3000 + 1500 + 12000 + 5400 + 4500 + 4900 + 11520 = 50020 VA of general loads; the heat
    # pump of 4800 W at a power factor of 0.9, and its auxiliary heat of 9600 W at 65 %.
    found = check_panel_capacity(house, panel_name="Main Panel")
    expected = 10_000 + 0.4 * 40_020 + 4_800 / 0.9 + 0.65 * 9_600
    assert found.current_load_watts == pytest.approx(expected, abs=0.1)
    assert found.current_utilization == pytest.approx(100 * expected / 240 / 200, abs=0.1)
    assert found.available_capacity_watts == pytest.approx(48_000 - expected, abs=0.1)


def test_a_load_that_is_too_much_is_refused_with_what_would_carry_it(house: ToolContext) -> None:
    found = check_panel_capacity(
        house,
        panel_name="Garage Subpanel",
        additional_load_watts=9_600,
        additional_load_description="second EV charger",
    )
    assert not found.can_accommodate
    assert found.recommendation is not None and "150 A" in found.recommendation
    assert found.additional_load_watts == 9_600
    assert found.additional_demand_va == 12_000  # continuous: 125 %
    assert [each.panel_name for each in found.upstream] == ["Main Panel"]


def test_an_answer_of_2026_names_the_articles_of_2026(db: Client, at_work: AtWork) -> None:
    house = next(each.project for each in projects() if each.project.id == "house")
    newer = house.model_copy(update={"id": "house-2026", "edition": 2026})
    write_project(db, newer, {"demo": "owner"})
    found = check_panel_capacity(at_work(project="house-2026"), panel_name="Main Panel")
    assert found.answer is not None and "by 120.82" in found.answer
    assert "220.8" not in found.answer


def test_a_new_load_without_its_size_is_asked_for(house: ToolContext) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_panel_capacity(house, additional_load_description="EV charger", panel_name="main")
    assert caught.value.field == "additionalLoadWatts"


def test_a_kind_that_nobody_gave_is_taken_from_the_description_and_said(
    house: ToolContext,
) -> None:
    found = check_panel_capacity(
        house,
        panel_name="Main Panel",
        additional_load_watts=7_200,
        additional_load_description="מטען לרכב חשמלי",
    )
    assumed = {each.name: each for each in found.assumptions}
    assert assumed["load_type"].value == "ev_charger" and assumed["load_type"].is_default


def test_the_answer_is_in_the_users_language(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work(project="dira", locale="he")
    found = check_panel_capacity(ctx, panel_name="לוח דירה", additional_load_watts=40_000)
    assert not found.can_accommodate
    assert found.recommendation is not None and "חורג" in found.recommendation
    assert ctx.display is not None and ctx.display.title == "עומס הפאזות"


def test_a_transformer_upstream_can_be_what_refuses(
    sample_projects: Client, at_work: AtWork
) -> None:
    found = check_panel_capacity(
        at_work(project="office"), panel_name="LP2", additional_load_watts=25_000
    )
    upstream = {each.panel_name: each for each in found.upstream}
    assert set(upstream) == {"MDP", "DP1"}
    assert upstream["DP1"].limiting_element == "transformer" and not upstream["DP1"].fits
    assert found.recommendation is not None and "T1" in found.recommendation


def test_a_method_that_does_not_apply_is_refused_with_the_reason(
    sample_projects: Client, at_work: AtWork
) -> None:
    with pytest.raises(FailedPrecondition, match="dwellings"):
        check_panel_capacity(at_work(project="office"), panel_name="LP1", method="optional")
    with pytest.raises(FailedPrecondition, match="measured maximum demand"):
        check_panel_capacity(at_work(project="office"), panel_name="LP1", method="measured")


def test_what_is_not_there_or_not_ones_own_is_refused(
    sample_projects: Client, at_work: AtWork, house: ToolContext
) -> None:
    with pytest.raises(NotFound, match="Main Panel"):
        check_panel_capacity(house, panel_name="Attic")
    with pytest.raises(InvalidArgument, match="which panel"):
        check_panel_capacity(house)
    with pytest.raises(InvalidArgument, match="1 or 2 poles"):
        check_panel_capacity(house, panel_name="Main Panel", additional_load_watts=1, poles=3)
    with pytest.raises(PermissionDenied):
        check_panel_capacity(at_work("stranger"), project_id="house", panel_name="Main Panel")
