"""The list of projects, and the overview of one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.cloud.firestore import Client

from packs.electrical.project_overview import get_project, list_projects
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied

AtWork = Callable[..., ToolContext]


def test_a_user_sees_the_projects_that_they_are_in_and_no_other(
    sample_projects: Client, at_work: AtWork
) -> None:
    mine = {each.project_id: each.role for each in list_projects(at_work()).projects}
    assert mine == {"house": "owner", "office": "member", "workshop": "owner", "dira": "owner"}
    dans = {each.project_id: each.role for each in list_projects(at_work("dan")).projects}
    assert dans == {"house": "viewer", "workshop": "member"}
    assert list_projects(at_work("eve")).projects == []


def test_a_list_says_how_much_there_is(sample_projects: Client, at_work: AtWork) -> None:
    [office] = [each for each in list_projects(at_work()).projects if each.project_id == "office"]
    assert (office.panels, office.feeders, office.transformers, office.motors) == (6, 6, 1, 1)
    assert (office.service_amps, office.service_voltage, office.phases) == (400, 480, 3)
    assert office.updated_at and office.is_readable


def test_a_damaged_project_is_listed_and_marked(sample_projects: Client, at_work: AtWork) -> None:
    sample_projects.document("projects/house").update({"service": "none"})
    [house] = [each for each in list_projects(at_work()).projects if each.project_id == "house"]
    assert (house.name, house.is_readable) == ("Maple Street house", False)
    with pytest.raises(FailedPrecondition, match="'house' is not valid at service"):
        get_project(at_work(), project_id="house")


def test_what_is_wrong_in_a_stored_project_is_said_in_the_readers_language(
    sample_projects: Client, at_work: AtWork
) -> None:
    service = {"serviceVoltage": 240, "phases": 1, "serviceAmps": 200, "panelId": "attic"}
    sample_projects.document("projects/house").update({"service": service})
    with pytest.raises(FailedPrecondition) as caught:
        get_project(at_work(), project_id="house")
    assert "names the panel 'attic', which is not there" in caught.value.message
    assert "Value error" not in caught.value.message
    assert "שאינו קיים" in caught.value.say("he")


def test_a_listed_id_without_a_role_is_no_membership(
    sample_projects: Client, at_work: AtWork
) -> None:
    sample_projects.document("projects/house").update({"memberIds": ["demo", "eve"]})
    assert list_projects(at_work("eve")).projects == []
    with pytest.raises(PermissionDenied):
        get_project(at_work("eve"), project_id="house")


def test_an_overview_tells_service_panels_and_loads(
    sample_projects: Client, at_work: AtWork
) -> None:
    found = get_project(at_work(), project_id="office")
    assert found.service_panel_id == "mdp"
    panels = {panel.panel_id: panel for panel in found.panels}
    assert panels.keys() == {"mdp", "hp1", "dp1", "lp1", "lp2", "sr"}
    assert (panels["dp1"].fed_from, panels["lp1"].fed_from) == ("t1", "dp1")
    assert panels["mdp"].fed_from is None
    below = sum(panels[id].load_watts for id in ("dp1", "lp1", "lp2", "sr"))
    assert panels["dp1"].load_with_subpanels_watts == below == 69_500
    assert found.circuits is None


def test_an_overview_is_said_in_words_and_in_the_users_language(
    sample_projects: Client, at_work: AtWork
) -> None:
    told = get_project(at_work(), project_id="house").answer.translate({0x2068: "", 0x2069: ""})
    assert told.splitlines() == [
        "Maple Street house: 200 A, 240 V, single-phase; 2 panels, 31 circuits, 1 feeder.",
        "- Garage Subpanel: 6 circuits, 14,480 W",
        "- Main Panel: 25 circuits, 68,310 W with subpanels",
    ]
    flat = get_project(at_work(locale="he"), project_id="dira", panel_name="מחסן").answer
    assert "מטען לרכב חשמלי" in flat and flat.startswith("\u2068לוח מחסן\u2069:")
    assert "קו הזנה אחד" in get_project(at_work(locale="he"), project_id="dira").answer
    assert list_projects(at_work("eve")).answer == "There is no project yet."
    assert "בעלים" in list_projects(at_work(locale="he")).answer


def test_an_overview_of_a_panel_lists_its_circuits(
    sample_projects: Client, at_work: AtWork
) -> None:
    ctx = at_work(project="house")
    found = get_project(ctx, panel_name="garage")
    assert found.circuits is not None and found.panel_id == "garage"
    charger = found.circuits[0]
    assert (charger.description, charger.breaker_amps, charger.conductor_size) == (
        "EV charger",
        60,
        "6",
    )
    assert ctx.display is not None and ctx.display.rows is not None
    assert next(iter(ctx.display.rows[0].values())) == "\u20681-3\u2069"


def test_hebrew_is_told_in_hebrew(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work(project="dira", locale="he")
    found = get_project(ctx, panel_name="בלוח המחסן")
    assert found.panel_id == "mahsan"
    assert ctx.display is not None and ctx.display.columns is not None
    assert "תיאור" in ctx.display.columns
    list_projects(ctx)
    assert ctx.display.columns == ["פרויקט", "תפקיד", "לוחות"]
    assert any("בעלים" in row.values() for row in ctx.display.rows or [])


@pytest.mark.parametrize(
    ("uid", "project", "error", "words"),
    [
        ("eve", "house", PermissionDenied, "you are not in a project 'house'"),
        ("eve", "none", PermissionDenied, "you are not in a project 'none'"),
        ("demo", "a/b", InvalidArgument, "is no project's id"),
        ("demo", None, InvalidArgument, "which project? You have"),
        ("eve", None, InvalidArgument, "you have no project yet"),
    ],
)
def test_a_project_that_is_not_the_users_is_refused_alike(
    sample_projects: Client,
    at_work: AtWork,
    uid: str,
    project: str | None,
    error: type[Exception],
    words: str,
) -> None:
    with pytest.raises(error, match=words.replace("?", r"\?")):
        get_project(at_work(uid), project_id=project)


def test_the_only_project_needs_no_name(sample_projects: Client, at_work: AtWork) -> None:
    assert get_project(at_work("maya")).project_id == "office"


def test_an_argument_wins_over_the_project_at_hand(
    sample_projects: Client, at_work: AtWork
) -> None:
    assert get_project(at_work(project="house"), project_id="dira").project_id == "dira"
    with pytest.raises(PermissionDenied):
        get_project(at_work("eve", project="house"))


def test_a_panel_that_is_not_there_is_said(sample_projects: Client, at_work: AtWork) -> None:
    with pytest.raises(NotFound, match="no panel 'attic'"):
        get_project(at_work(), project_id="house", panel_name="attic")
