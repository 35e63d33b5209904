"""Uploads: in parts, in any order, by their owner alone, within limits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rollcall.core.context import User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
)
from rollcall.core.wire import Role
from rollcall.endpoints.knowledge import begin_upload, sweep_files, upload_part
from rollcall.knowledge import uploads
from rollcall.store import files as files_module
from rollcall.store.files import PART_BYTES, Allowance, FileStore
from tests.support.knowledge import ANN, BEN, EVE, Library, base64_text
from tests.support.user_data import all_paths

TEXT = b"The grounding electrode conductor is sized by Table 250.66.\n"
LONG = TEXT * (2 * PART_BYTES // len(TEXT) + 1)


def test_a_file_is_sent_in_parts_in_any_order_and_any_number_of_times(library: Library) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    assert (begun["missing"], begun["partBytes"]) == ([0, 1, 2], PART_BYTES)
    for part in (2, 0, 2, 1):
        library.send(ANN, begun["fileId"], LONG, part)
    done = library.finish(ANN, begun["fileId"])
    assert done["document"]["status"] == "queued"
    file = FileStore(library.db).find(begun["fileId"])
    assert file is not None
    assert b"".join(FileStore(library.db).open(file)) == LONG
    assert library.finish(ANN, begun["fileId"]) == done


def test_an_upload_that_broke_off_is_gone_on_with(library: Library) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    library.send(ANN, begun["fileId"], LONG, 1)
    again = library.begin(ANN, LONG, "long.txt")
    assert again == {**begun, "missing": [0, 2]}


def test_a_small_file_takes_one_call(library: Library) -> None:
    done = library.begin(ANN, TEXT, "small.txt", content=base64_text(TEXT))
    assert done["document"]["title"] == "small"
    assert library.platform.queue == [
        ("indexdocument", {"documentId": done["document"]["documentId"]})
    ]


def test_the_same_file_again_is_there_already(library: Library) -> None:
    first = library.add(ANN, TEXT, "same.txt")
    before = all_paths(library.db)
    again = library.begin(ANN, TEXT, "same.txt")
    assert again["document"]["documentId"] == first
    assert again["document"]["status"] == "ready"
    assert (library.platform.queue, all_paths(library.db)) == ([], before)


def test_another_digest_is_refused_and_nothing_stays(library: Library) -> None:
    other = LONG[:-1] + b"!"
    begun = library.begin(ANN, LONG, "long.txt")
    for part in begun["missing"]:
        library.send(ANN, begun["fileId"], other, part)
    with pytest.raises(InvalidArgument) as refused:
        library.finish(ANN, begun["fileId"])
    assert refused.value.field == "sha256"
    assert all_paths(library.db) == []


def test_parts_that_are_missing_are_named(library: Library) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    library.send(ANN, begun["fileId"], LONG, 1)
    with pytest.raises(InvalidArgument, match="parts 0, 2 of 3"):
        library.finish(ANN, begun["fileId"])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"part": 3}, "part"),
        ({"part": 9_999}, "part"),
        ({"content": base64_text(TEXT)}, "content"),
        ({"content": "%%%"}, "content"),
        ({"fileId": "../ann"}, "fileId"),
        ({"fileId": "0" * 32}, "fileId"),
    ],
)
def test_a_part_that_does_not_fit_is_refused(
    library: Library, changes: dict[str, Any], field: str
) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    data = {
        "fileId": begun["fileId"],
        "part": 0,
        "content": base64_text(LONG[:PART_BYTES]),
        **changes,
    }
    with pytest.raises(AgentError) as refused:
        library.call(upload_part, ANN, data)
    assert refused.value.field == field


@pytest.mark.parametrize("user", [BEN, EVE], ids=["a colleague", "a stranger"])
def test_nobody_goes_on_with_anothers_upload(library: Library, user: Any) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    before = all_paths(library.db)
    with pytest.raises(NotFound):
        library.send(user, begun["fileId"], LONG, 0)
    with pytest.raises(NotFound):
        library.finish(user, begun["fileId"])
    assert all_paths(library.db) == before
    assert library.begin(user, LONG, "long.txt")["fileId"] != begun["fileId"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"bytes": 0}, "bytes"),
        ({"bytes": 20_000_001}, "bytes"),
        ({"sha256": "abc"}, "sha256"),
        ({"contentType": "application/zip"}, "contentType"),
        ({"scope": "world"}, "scope"),
        ({"name": ""}, "name"),
        ({"name": "\u202e \u200b"}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"uid": "eve"}, "uid"),
    ],
)
def test_what_cannot_be_uploaded_is_refused_by_its_field(
    library: Library, changes: dict[str, Any], field: str
) -> None:
    data = library.upload_request(TEXT, "small.txt") | changes
    with pytest.raises(InvalidArgument) as refused:
        library.call(begin_upload, ANN, data)
    assert refused.value.field == field
    assert all_paths(library.db) == []


def test_a_name_is_kept_without_folders_and_unseen_characters(library: Library) -> None:
    id = library.add(ANN, TEXT, "C:\\files\\../my\u202e  manual.v2.txt")
    assert library.record(id)["name"] == "my manual.v2.txt"
    assert library.record(id)["title"] == "my manual.v2"


def test_a_users_allowance_counts_files_and_bytes(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "ALLOWANCE", Allowance(files=2, bytes=len(TEXT) + 50))
    library.add(ANN, TEXT, "one.txt")
    with pytest.raises(ResourceExhausted, match="at most 110 are allowed in total"):
        library.begin(ANN, TEXT, "two.txt")
    library.add(ANN, b"short", "three.txt")
    with pytest.raises(ResourceExhausted, match="at most 2 are allowed"):
        library.begin(ANN, b"tiny", "four.txt")
    library.add(EVE, TEXT, "one.txt")  # hers is counted apart


def test_uploads_that_nobody_finished_are_swept(library: Library) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    library.send(ANN, begun["fileId"], LONG, 0)
    sweep_files(library.platform)
    assert len(all_paths(library.db)) == 2
    later = datetime.now(UTC) + timedelta(hours=25)
    assert FileStore(library.db).sweep(now=later) == 1
    assert all_paths(library.db) == []
    with pytest.raises(NotFound):
        library.send(ANN, begun["fileId"], LONG, 1)


def test_a_file_that_became_no_document_is_swept_and_one_that_did_is_kept(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(ANN, TEXT, "kept.txt")
    before = all_paths(library.db)
    with monkeypatch.context() as patched:
        patched.setattr(uploads, "_queue", lambda *a, **b: (_ for _ in ()).throw(RuntimeError))
        with pytest.raises(RuntimeError):
            library.upload(ANN, TEXT * 2, "lost.txt")
    later = datetime.now(UTC) + timedelta(hours=25)
    assert FileStore(library.db).sweep(now=later) == 1
    assert all_paths(library.db) == before


def test_a_part_that_comes_while_its_upload_is_removed_leaves_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = library.begin(ANN, LONG, "long.txt")
    write = files_module.contents_at(library.db, "firestore").write

    class Slow:
        """Contents in which the record is removed while a part is written."""

        def write(self, file_id: str, number: int, data: bytes) -> None:
            library.db.document(f"files/{file_id}").delete()
            write(file_id, number, data)

        delete = files_module.contents_at(library.db, "firestore").delete

    monkeypatch.setattr(files_module, "contents_at", lambda db, place: Slow())
    with pytest.raises(NotFound):
        library.send(ANN, begun["fileId"], LONG, 0)
    assert all_paths(library.db) == []


@pytest.mark.parametrize("content", ["a", "YW Jj", "=", "קובץ", "\u202eYWJj"])
def test_content_that_is_not_base64_is_refused(library: Library, content: str) -> None:
    data = library.upload_request(b"abc", "small.txt", content=content)
    with pytest.raises(InvalidArgument, match="base64") as refused:
        library.call(begin_upload, ANN, data)
    assert refused.value.field == "content"
    assert all_paths(library.db) == []


@pytest.mark.parametrize(
    "now",
    [User("ann", role=Role.TEACHER, tenant="south"), User("ann", role=Role.USER, tenant="north")],
    ids=["another team", "no teacher"],
)
def test_an_upload_for_a_team_is_finished_only_by_who_may_still_upload(
    library: Library, now: User
) -> None:
    begun = library.begin(ANN, LONG, "long.txt", scope="team")
    for part in begun["missing"]:
        library.send(now, begun["fileId"], LONG, part)
    with pytest.raises(PermissionDenied):
        library.finish(now, begun["fileId"])
    assert library.titles(BEN, "long") == set()
    assert library.platform.queue == []
    assert library.finish(ANN, begun["fileId"])["document"]["scope"] == "team"


def test_uploading_for_a_team_takes_a_team_and_a_teacher(library: Library) -> None:
    library.add(ANN, TEXT, "shared.txt", scope="team")
    with pytest.raises(PermissionDenied):
        library.begin(BEN, TEXT, "shared.txt", scope="team")
    nobody = type(ANN)("nobody", role=ANN.role)
    with pytest.raises(FailedPrecondition, match="belong to no team"):
        library.begin(nobody, TEXT, "shared.txt", scope="team")


@pytest.mark.parametrize(
    ("variable", "claims", "may"),
    [
        ("admin", {}, False),
        ("teacher", {}, True),
        ("admin, claim:plan=premium", {"plan": "premium"}, True),
        ("claim:plan=premium", {"plan": "free"}, False),
        ("claim:paid=true", {"paid": True}, True),
        ("claim:paid=true", {"paid": ["true"]}, False),
    ],
)
def test_an_app_says_by_role_or_claim_who_uploads(
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    claims: dict[str, Any],
    may: bool,
) -> None:
    monkeypatch.setenv("ROLLCALL_UPLOADS", variable)
    data = library.upload_request(TEXT, "small.txt")
    if may:
        assert library.call(begin_upload, ANN, data, claims=claims)["missing"] == [0]
    else:
        with pytest.raises(PermissionDenied):
            library.call(begin_upload, ANN, data, claims=claims)
        assert all_paths(library.db) == []


def test_a_variable_that_cannot_be_read_lets_nobody_through(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_UPLOADS", "everyone")
    with pytest.raises(FailedPrecondition, match="ROLLCALL_UPLOADS"):
        library.begin(ANN, TEXT, "small.txt")
