"""The material that run_qa_tests checks: the teacher's own, by default the newest."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from packs.education.blocks import choices, item
from packs.education.generation.qa import run_qa_tests
from rollcall.core.errors import NotFound, PermissionDenied
from tests.support.packs.education.classroom import add_content, context

BAD = [item("choice", "?", options=choices(["1/2", "0.5"]), key={"correct": ["a"], "check": "1/2"})]


def test_with_nothing_named_it_checks_what_was_made_last(school: Client) -> None:
    from datetime import UTC, datetime

    add_content(school, "newest", "ada", BAD)
    school.document("contents/newest").update({"createdAt": datetime(2030, 1, 1, tzinfo=UTC)})
    ctx = context(school)
    found = run_qa_tests(ctx)
    assert [each.content_id for each in found.contents] == ["newest"]
    assert [(each.code, each.severity) for each in found.findings] == [("two_right", "error")]
    assert len(found.not_checked) == 1 and "long_sentence" not in found.checks
    assert ctx.display is not None and "newest" in found.answer
    assert len(run_qa_tests(ctx, include_all=True).contents) == 3


def test_a_course_is_its_published_material(school: Client) -> None:
    found = run_qa_tests(context(school), course_id="math4")
    assert [each.content_id for each in found.contents] == ["fractions"]
    add_content(school, "unit", "ada", BAD, unitId="u1")
    found = run_qa_tests(context(school), unit_id="u1", include_all=True)
    assert [each.content_id for each in found.contents] == ["unit"]


def test_nothing_of_anothers_is_checked(school: Client) -> None:
    with pytest.raises(PermissionDenied):
        run_qa_tests(context(school, "ben"), content_id="draft")
    with pytest.raises(PermissionDenied):
        run_qa_tests(context(school, "ben"), course_id="math4")
    with pytest.raises(NotFound):
        run_qa_tests(context(school, "ben"))
