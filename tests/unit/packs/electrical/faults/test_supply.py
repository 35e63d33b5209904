"""What a question changes of a supply, in a copy."""

import pytest

from packs.electrical.faults.supply import Asked, told, with_asked
from packs.electrical.projects.records import Panel, Project
from packs.electrical.results import Input
from rollcall.core.errors import InvalidArgument
from seed.electrical.sample import projects

OFFICE = next(each.project for each in projects() if each.project.id == "office")


def panel(id: str) -> Panel:
    found = OFFICE.panel(id)
    assert found is not None
    return found


def feeder_length(project: Project, id: str) -> float | None:
    return next(each.length_ft for each in project.feeders if each.id == id)


def test_nothing_asked_changes_nothing() -> None:
    assert with_asked(OFFICE, panel("lp1"), Asked()) == (OFFICE, frozenset())


def test_conductors_asked_are_those_that_supply_the_panel() -> None:
    asked = Asked(length_ft=10, conductor_size="4/0", conductor_sets=2)
    changed = with_asked(OFFICE, panel("lp1"), asked)
    assert feeder_length(changed.project, "dp1-lp1") == 10
    assert feeder_length(changed.project, "t1-dp1") == feeder_length(OFFICE, "t1-dp1")
    assert feeder_length(OFFICE, "dp1-lp1") == 60
    assert changed.names == {
        "feeders.dp1-lp1.lengthFt",
        "feeders.dp1-lp1.conductorSize",
        "feeders.dp1-lp1.conductorSets",
    }


def test_at_the_service_panel_they_are_the_service_conductors() -> None:
    changed = with_asked(OFFICE, panel("mdp"), Asked(length_ft=5))
    assert changed.project.service.length_ft == 5
    assert changed.names == {"service.lengthFt"}


def test_a_transformer_asked_about_stands_in_place_of_a_recorded_current() -> None:
    known = with_asked(OFFICE, panel("mdp"), Asked(available_fault_current_amps=9_000)).project
    assert known.service.available_fault_current_amps == 9_000
    changed = with_asked(known, panel("mdp"), Asked(transformer_kva=750)).project
    assert changed.service.available_fault_current_amps is None
    assert changed.service.utility_transformer_kva == 750


def test_current_and_transformer_at_once_are_refused() -> None:
    for other in (Asked(9_000, 500), Asked(9_000, None, 5.75)):
        with pytest.raises(InvalidArgument, match="not both"):
            with_asked(OFFICE, panel("mdp"), other)


def test_what_was_asked_is_marked_so() -> None:
    inputs = [Input(name="service.lengthFt", value=5), Input(name="service.phases", value=3)]
    marked = told(inputs, frozenset({"service.lengthFt"}))
    assert [each.source for each in marked] == ["argument", "project"]
