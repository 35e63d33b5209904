"""run_inspection on the sample's projects, and on one as large as they get."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from google.cloud.firestore import Client

from packs.electrical.code_inspection import run_inspection
from packs.electrical.projects.documents import write_project
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, NotFound, PermissionDenied
from rollcall.core.hidden import without_hidden
from rollcall.core.text import language
from tests.support.firestore_operations import count_operations
from tests.support.packs.electrical.tower import tower

AtWork = Callable[..., ToolContext]


@pytest.fixture
def workshop(sample_projects: Client, at_work: AtWork) -> ToolContext:
    return at_work(project="workshop")


def test_names_on_the_wire_are_the_seeds(workshop: ToolContext) -> None:
    found = Capability.of(run_inspection).call(workshop, {"category": "all"})
    assert found["totalIssues"] == found["critical"] + found["warnings"] + found["info"]
    assert found["critical"] >= 15
    assert len(found["issues"]) == 10
    assert found["moreIssues"] == found["totalIssues"] - 10
    assert 0 < found["overallScore"] < 80
    first = found["issues"][0]
    assert first["severity"] == "critical"
    assert {"id", "ruleId", "article", "where", "message", "fix"} <= set(first)


def test_a_caller_that_is_no_model_gets_all_issues(workshop: ToolContext) -> None:
    found = run_inspection(workshop)
    assert len(found.all_issues) == found.total_issues
    assert found.issues == found.all_issues[:10]
    told = without_hidden(found.dump(), found, Capability.of(run_inspection).returns)
    assert "allIssues" not in told
    assert len(json.dumps(told)) < 24_000


def test_a_category_looks_at_its_own_rules_only(workshop: ToolContext) -> None:
    whole = run_inspection(workshop)
    parts = [
        run_inspection(workshop, category=category)
        for category in ("panels", "circuits", "grounding", "feeders")
    ]
    for part in parts:
        assert {issue.category for issue in part.all_issues} == {part.category}
    assert sum(part.total_issues for part in parts) == whole.total_issues
    assert sum(part.rules_checked for part in parts) == whole.rules_checked > 100


def test_a_panel_is_named_as_people_name_it(workshop: ToolContext) -> None:
    found = run_inspection(workshop, panel_name="yard")
    assert found.panel_name is not None
    assert found.total_issues > 0
    for issue in found.all_issues:
        assert issue.where.panel_id == "yard" or issue.where.feeder_id == "mp-yard"
    with pytest.raises(NotFound) as refused:
        run_inspection(workshop, panel_name="attic")
    assert refused.value.field == "panelName"


def test_less_grave_issues_can_be_left_out_of_the_list(workshop: ToolContext) -> None:
    whole = run_inspection(workshop)
    found = run_inspection(workshop, severity="critical")
    assert {issue.severity for issue in found.all_issues} == {"critical"}
    assert len(found.all_issues) == found.critical
    assert (found.total_issues, found.warnings) == (whole.total_issues, whole.warnings)


def test_issues_are_shown_as_a_table_and_their_articles_cited(workshop: ToolContext) -> None:
    found = run_inspection(workshop)
    assert workshop.display is not None
    assert workshop.display.type == "table"
    assert workshop.display.rows is not None
    assert len(workshop.display.rows) == found.total_issues
    assert workshop.display.rows[0]["Severity"] == "critical"
    assert {citation.code for citation in workshop.citations} == {"NEC"}
    assert "110.9" in {citation.article for citation in workshop.citations}


def test_a_sound_house_says_what_it_could_not_decide(
    sample_projects: Client, at_work: AtWork
) -> None:
    ctx = at_work(project="house")
    found = run_inspection(ctx)
    assert (found.total_issues, found.overall_score) == (0, 100)
    assert found.checks_not_decided == sum(gap.places for gap in found.not_checked) > 0
    assert all(gap.missing_field and gap.where for gap in found.not_checked)
    assert found.assumptions
    assert ctx.display is not None
    assert ctx.display.type == "text"


def test_it_speaks_hebrew(sample_projects: Client, at_work: AtWork) -> None:
    found = run_inspection(at_work(project="workshop", locale="he"))
    assert language(found.answer) == "he"
    for issue in found.all_issues:
        assert language(issue.title) == "he"
        assert any("א" <= letter <= "ת" for letter in issue.message)
        assert any("א" <= letter <= "ת" for letter in issue.fix)


def test_nobody_inspects_a_project_of_others(sample_projects: Client, at_work: AtWork) -> None:
    stranger = at_work("mallory", project="workshop")
    for ask in (
        lambda: run_inspection(stranger),
        lambda: run_inspection(stranger, project_id="house"),
        lambda: run_inspection(at_work("mallory"), project_id="nowhere"),
    ):
        with pytest.raises(PermissionDenied):
            ask()
    with pytest.raises(InvalidArgument):
        run_inspection(at_work("mallory"))


def test_fifty_panels_with_2000_circuits_are_51_reads(db: Client, at_work: AtWork) -> None:
    project = tower()
    assert sum(len(panel.circuits) for panel in project.panels) == 2000
    write_project(db, project, {"demo": "owner"})
    ctx = at_work(project="tower")
    with count_operations() as operations:
        found = run_inspection(ctx)
    assert operations.reads == 51
    assert operations.writes == 0
    assert found.total_issues > 200
    assert len(found.all_issues) == 200
    assert any("200" in note for note in found.notes)
    assert ctx.display is not None
    assert ctx.display.rows is not None
    assert len(ctx.display.rows) == 50
