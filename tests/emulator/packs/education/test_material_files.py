"""Files that the education pack makes: stored for their teacher, and for nobody else."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.contents import open_content
from packs.education.generation.activity import generate_interactive_activity
from packs.education.generation.static_content import generate_static_content
from packs.education.infographic import generate_infographic
from packs.education.publishing import delete_content, publish_content
from packs.education.results_export import export_data
from rollcall.core.capability import plain
from rollcall.core.context import Call, User
from rollcall.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from rollcall.core.shapes import Role
from rollcall.endpoints.my_data import delete_my_data
from rollcall.store import made_files
from rollcall.store.files import Allowance, FileStore
from rollcall.store.made_files import MADE_FOR
from tests.support.local_functions import LocalPlatform
from tests.support.packs.education.classroom import (
    NOW,
    add_attempt,
    add_content,
    context,
    preview,
    write,
)
from tests.support.packs.education.exchange_formats import parse_gift, qti_problems


def data_of(db: Client, uid: str, made: dict[str, Any]) -> dict[str, bytes]:
    """The content of a result's files as their owner reads them, by the ending of their names."""
    found = {}
    for each in made["files"]:
        store = FileStore(db)
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
    assert len(parse_gift([found["txt"].decode()])[0]) == len(made["blocks"])


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


def make_infographic(db: Client, key: str = "i") -> dict[str, Any]:
    """An infographic of Ada's; two by different keys have the same pictures."""
    ctx = context(db, "ada", writes=True, key=key)
    points = ["71% of the Earth is water"]
    return write(ctx, generate_infographic, topic="Water", grade_level="ד", data_points=points)


def publish(db: Client, content_id: str) -> dict[str, Any]:
    ctx = context(db, "ada", writes=True, key="publish")
    return write(ctx, publish_content, content_id=content_id)


def test_files_of_what_is_published_outlive_the_time_of_made_files(school: Client) -> None:
    published, draft = make_infographic(school), make_infographic(school, "other")
    done = publish(school, published["contentId"])
    assert done["files"] == published["files"]
    assert FileStore(school).sweep(now=NOW + 2 * MADE_FOR) == len(draft["files"]) == 2
    assert data_of(school, "ada", published)["png"][:4] == b"\x89PNG"
    with pytest.raises(NotFound):
        data_of(school, "ada", draft)
    assert publish(school, published["contentId"])["version"] == 2
    assert FileStore(school).sweep(now=NOW + 4 * MADE_FOR) == 0


def test_files_of_what_is_published_make_no_room_for_others(
    school: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made_files, "MADE_ALLOWANCE", Allowance(files=2, bytes=10_000_000))
    published = make_infographic(school)
    publish(school, published["contentId"])
    for key in ("a", "b"):
        make_infographic(school, key)
    assert set(data_of(school, "ada", published)) == {"svg", "png"}
    assert len(list(school.collection("files").stream())) == 2 + 2


def test_files_go_with_their_content_and_no_others(school: Client) -> None:
    published, draft, like_it = (make_infographic(school, key) for key in ("p", "d", "l"))
    publish(school, published["contentId"])
    for gone in (published, draft):
        ctx = context(school, "ada", writes=True)
        write(ctx, delete_content, content_id=gone["contentId"])
        with pytest.raises(NotFound):
            data_of(school, "ada", gone)
    assert set(data_of(school, "ada", like_it)) == {"svg", "png"}
    assert len(list(school.collection("files").stream())) == 2


def test_files_of_what_is_published_go_with_their_teacher(school: Client) -> None:
    publish(school, make_infographic(school)["contentId"])
    ada = User("ada", Role.TEACHER)
    delete_my_data(LocalPlatform(school), Call(ada, {"confirm": True}))
    assert list(school.collection("files").stream()) == []
    assert list(school.collection_group("chunks").stream()) == []


def test_nothing_is_published_without_its_pictures_but_without_its_old_files(
    school: Client,
) -> None:
    made = make_infographic(school)
    ctx = context(school, "ada", writes=True, locale="he")
    sheet = write(ctx, generate_static_content, content_type="rubric", topic="דיון", grade="ד")
    add_content(school, "plain", "ada", files=sheet["files"][:1])
    FileStore(school).sweep(now=NOW + MADE_FOR + timedelta(days=1))
    with pytest.raises(FailedPrecondition, match="picture in this content no longer exists"):
        publish(school, made["contentId"])
    done = publish(school, "plain")
    assert done["files"] == [] and "left out" in done["done"]
    stored = open_content(context(school, "ada"), "plain").content
    assert (stored.status, stored.files) == ("published", [])
