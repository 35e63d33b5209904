"""Files that the education pack makes: kept for their teacher, and for nobody else."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.contents import open_content
from packs.education.generation.activity import generate_interactive_activity
from packs.education.generation.static_content import generate_static_content
from packs.education.infographic import generate_infographic
from packs.education.results_export import export_data
from rollcall.core.capability import plain
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.store.files import files
from tests.support.exchange_formats import gift_parsed, qti_problems
from tests.support.packs.education.classroom import add_attempt, context, preview, write


def data_of(db: Client, uid: str, made: dict[str, Any]) -> dict[str, bytes]:
    """The content of a result's files as their owner reads them, by the ending of their names."""
    found = {}
    for each in made["files"]:
        store = files(db)
        parts = store.open(store.find_own(uid, each["fileId"]))
        found[each["name"].rpartition(".")[2]] = b"".join(parts)
    return found


def test_a_worksheet_has_a_pdf_and_a_word_document_and_an_activity_qti_and_gift(
    school: Client,
) -> None:
    ctx = context(school, "ada", writes=True, key="w", locale="he")
    made = write(ctx, generate_static_content, content_type="worksheet", topic="שברים", grade="ד")
    found = data_of(school, "ada", made)
    assert found["pdf"][:5] == b"%PDF-" and found["docx"][:2] == b"PK"
    stored = open_content(context(school, "ada"), made["contentId"]).content.files
    assert [each.dump() for each in stored] == made["files"]
    ctx = context(school, "ada", writes=True, key="a", locale="he")
    made = write(
        ctx, generate_interactive_activity, product_type="activity", topic="שברים", grade="ד"
    )
    found = data_of(school, "ada", made)
    assert qti_problems(found["zip"]) == []
    assert len(gift_parsed([found["txt"].decode()])[0]) == len(made["blocks"])


def test_an_infographic_shows_the_teachers_figures_and_none_without_any(school: Client) -> None:
    ctx = context(school, "ada", writes=True, locale="he")
    points = ["71% מכדור הארץ מכוסה מים", "3% מהמים מתוקים"]
    made = write(ctx, generate_infographic, topic="מים", grade_level="ד", data_points=points)
    found = data_of(school, "ada", made)
    assert found["png"][:4] == b"\x89PNG" and "<title" in found["svg"].decode()
    assert (made["figures"], made["sources"]) == (points, [])
    assert open_content(context(school, "ada"), made["contentId"]).content.kind == "infographic"
    with pytest.raises(FailedPrecondition, match="dataPoints"):
        write(
            context(school, "ada", writes=True), generate_infographic, topic="ים", grade_level="ד"
        )


def test_results_of_an_own_course_are_exported_with_names_in_the_file_alone(
    school: Client,
) -> None:
    add_attempt(school, "math4-1", answers={"a": ("apply", 1), "b": ("remember", 0.5)})
    add_attempt(school, "other-1", course_id="other", answers={"a": ("apply", 1)})
    ctx = context(school, "ada", writes=True)
    made = plain(export_data(ctx, course_id="math4"))
    assert (made["students"], made["attempts"], made["countedAll"]) == (6, 1, True)
    assert "Zipora" not in str(made)
    with zipfile.ZipFile(io.BytesIO(data_of(school, "ada", made)["xlsx"])) as file:
        assert "Zipora1 Levi" in file.read("xl/sharedStrings.xml").decode()
    made = plain(export_data(ctx, course_id="math4", format="csv", include_bloom=False))
    lines = data_of(school, "ada", made)["csv"].decode("utf-8-sig").splitlines()
    assert lines[1] == "Zipora1 Levi,1,1,2,15.0,20,75"
    assert "6" in preview(ctx, export_data, course_id="math4").display.text


def test_no_other_teachers_course_is_exported(school: Client) -> None:
    for uid, course in (("ben", "math4"), ("ada", "other"), ("ada", "nowhere")):
        with pytest.raises(PermissionDenied):
            export_data(context(school, uid, writes=True), course_id=course)
    with pytest.raises(InvalidArgument):
        export_data(context(school, "ada", writes=True), course_id="a/b")
