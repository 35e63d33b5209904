"""How power reaches a panel."""

from __future__ import annotations

import pytest

from packs.electrical.projects.records import Panel, Project
from packs.electrical.projects.topology import downstream, panels_above, path_to, service_panel
from rollcall.core.errors import FailedPrecondition
from seed.electrical.sample import projects

SAMPLES = {sample.project.id: sample.project for sample in projects()}
OFFICE = SAMPLES["office"]


def panel(id: str, project: Project = OFFICE) -> Panel:
    found = project.panel(id)
    assert found is not None
    return found


def test_a_path_goes_through_panels_and_transformers_in_the_order_of_supply() -> None:
    path = path_to(OFFICE, panel("sr"))
    assert path.service_panel.id == "mdp"
    assert [leg.feeder.id for leg in path.legs] == ["mdp-t1", "t1-dp1", "dp1-sr"]
    assert [leg.target.id for leg in path.legs] == ["t1", "dp1", "sr"]


def test_the_path_to_the_service_panel_is_empty() -> None:
    assert path_to(OFFICE, panel("mdp")).legs == ()
    assert path_to(OFFICE, panel("mdp")).service_panel.id == "mdp"


def test_the_panels_above_one_come_from_the_service_on_without_transformers() -> None:
    assert [each.id for each in panels_above(OFFICE, panel("sr"))] == ["mdp", "dp1"]
    assert panels_above(OFFICE, panel("mdp")) == []
    house = SAMPLES["house"].model_copy(update={"feeders": ()})
    assert panels_above(house, panel("garage", house)) == []


def test_downstream_are_all_panels_that_go_dark_with_one() -> None:
    assert {each.id for each in downstream(OFFICE, panel("dp1"))} == {"dp1", "lp1", "lp2", "sr"}
    assert {each.id for each in downstream(OFFICE, panel("mdp"))} == {
        each.id for each in OFFICE.panels
    }
    assert downstream(OFFICE, panel("lp1")) == [panel("lp1")]


def test_the_service_panel_is_named_or_marked_or_the_only_one_without_a_feeder() -> None:
    unnamed = OFFICE.service.model_copy(update={"panel_id": None})
    by_mark = OFFICE.model_copy(update={"service": unnamed})
    assert service_panel(by_mark).id == "mdp"
    plain = tuple(each.model_copy(update={"is_service_equipment": False}) for each in OFFICE.panels)
    assert service_panel(by_mark.model_copy(update={"panels": plain})).id == "mdp"


def test_several_panels_that_could_be_the_service_are_not_guessed_among() -> None:
    house = SAMPLES["house"]
    loose = house.model_copy(
        update={
            "feeders": (),
            "service": house.service.model_copy(update={"panel_id": None}),
            "panels": tuple(
                each.model_copy(update={"is_service_equipment": False}) for each in house.panels
            ),
        }
    )
    with pytest.raises(FailedPrecondition, match="2 could be") as caught:
        service_panel(loose)
    assert caught.value.hint == "set service.panelId"


def test_a_panel_without_a_feeder_is_named() -> None:
    house = SAMPLES["house"].model_copy(update={"feeders": ()})
    with pytest.raises(FailedPrecondition, match="no feeder leads to 'Garage Subpanel'"):
        path_to(house, panel("garage", house))
