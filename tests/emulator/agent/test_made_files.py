"""Files that tools make: stored for the caller, named to models, readable by their owner alone."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.capability import Capability, capability
from rollcall.core.context import MAX_FILES, Call, ToolContext, User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
)
from rollcall.core.policy import ApprovalPolicy
from rollcall.endpoints.knowledge import finish_upload, get_file
from rollcall.endpoints.my_data import delete_my_data, export_my_data
from rollcall.store import made_files
from rollcall.store.files import PART_BYTES, Allowance, FileStore, NewFile
from rollcall.store.made_files import MADE_BYTES, MADE_FOR, MadeFiles, keeper
from rollcall.testing import calls, context
from tests.support.local_functions import Callables, Functions, LocalPlatform
from tests.support.office import Office

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
ANN = User("ann")


@capability(name={"en": "Print a list"}, category="office")
def print_list(ctx: ToolContext, *, text: str = "a") -> dict[str, Any]:
    """Print a list as a file."""
    ctx.keep_file("list.csv", "text/csv", text.encode())
    return {"lines": 1}


@capability(
    name={"en": "Make a badge"},
    category="office",
    effect="write",
    atomic=True,
    approval=ApprovalPolicy(ask="never"),
)
def make_badge(ctx: ToolContext, *, who: str) -> dict[str, Any]:
    """Make a badge for somebody."""
    ctx.keep_file(f"{who}.svg", "image/svg+xml", f"<svg>{who}</svg>".encode())
    ctx.batch.set(ctx.db.document(f"badges/{who}"), {"made": ctx.effect_key})
    return {"who": who}


@pytest.fixture
def office(db: Client, monkeypatch: pytest.MonkeyPatch) -> Office:
    return Office(db, monkeypatch)


def content(db: Client, file_id: str, *, user: User = ANN) -> bytes:
    """A file as `get_file` returns it, all of its parts."""
    first = get_file(LocalPlatform(db), Call(user, {"fileId": file_id}))
    parts = [first, *(_part(db, user, file_id, n) for n in range(1, first["parts"]))]
    return b"".join(base64.b64decode(each["content"]) for each in parts)


def _part(db: Client, user: User, file_id: str, number: int) -> dict[str, Any]:
    return get_file(LocalPlatform(db), Call(user, {"fileId": file_id, "part": number}))


def test_a_file_is_on_the_record_and_the_model_is_told_its_name_and_size(office: Office) -> None:
    office.redeclare(Capability.of(print_list))
    ran = office.ask(calls(("print_list", {"text": "milk"})))
    [record] = ran.done["toolCalls"]
    [file] = record["files"]
    assert (file["name"], file["contentType"], file["bytes"]) == ("list.csv", "text/csv", 4)
    assert content(office.db, file["fileId"]) == b"milk"
    [told] = office.model.tool_results()
    assert told["output"] == {"lines": 1, "files": [{"name": "list.csv", "bytes": 4}]}
    assert not any(file["fileId"] in str(request) for request in office.model.requests)
    shown = [each for each in ran.events if each.get("activityType") == "FILES"]
    assert [each["content"]["files"] for each in shown] == [[file]]


def test_a_write_that_is_repeated_returns_the_same_file(office: Office) -> None:
    office.redeclare(Capability.of(make_badge))
    data = {"arguments": {"who": "dan"}, "callKey": "k1"}
    functions = Functions(Callables({"make_badge": make_badge}, lambda: office.platform))
    first = functions.post("make_badge", data).get_json()["result"]
    again = functions.post("make_badge", data).get_json()["result"]
    assert first == again and content(office.db, first["files"][0]["fileId"]) == b"<svg>dan</svg>"
    assert len(list(office.db.collection("files").stream())) == 1


def test_nobody_else_reads_or_finishes_a_made_file(db: Client) -> None:
    file = keeper(lambda: db, "ann", now=NOW)("list.csv", "text/csv", b"milk")
    with pytest.raises(NotFound):
        content(db, file.file_id, user=User("eve"))
    retain(db, "ann", keeper(lambda: db, "ann", now=NOW)("b.csv", "text/csv", b"tea").file_id)
    kept = [each.id for each in db.collection("files").stream()]
    for uid, id in product(("ann", "eve"), kept):
        with pytest.raises(NotFound):
            finish_upload(LocalPlatform(db), Call(User(uid), {"fileId": id}))


def test_a_file_of_several_parts_is_whole_and_swept_after_its_time(db: Client) -> None:
    data = bytes(range(256)) * (PART_BYTES // 100)
    file = keeper(lambda: db, "ann", now=NOW)("big.bin", "application/octet-stream", data)
    assert content(db, file.file_id) == data
    assert FileStore(db).sweep(now=NOW + MADE_FOR - timedelta(minutes=1)) == 0
    again = keeper(lambda: db, "ann", now=NOW + timedelta(days=20))(
        "big.bin", "application/octet-stream", data
    )
    assert again == file
    assert FileStore(db).sweep(now=NOW + MADE_FOR) == 0  # it was asked for again
    assert FileStore(db).sweep(now=NOW + timedelta(days=20) + MADE_FOR) == 1
    with pytest.raises(NotFound):
        content(db, file.file_id)
    assert not list(db.collection_group("chunks").stream())


def names(db: Client, uid: str) -> list[str]:
    own = [each for each in db.collection("files").stream() if each.get("uid") == uid]
    return sorted(each.get("name") for each in own)


def test_the_oldest_files_make_room(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_files, "MADE_ALLOWANCE", Allowance(files=3, bytes=100))
    for number in range(5):
        at = NOW + timedelta(seconds=number)
        keeper(lambda: db, "ann", now=at)(f"{number}.txt", "text/plain", bytes([65 + number]) * 30)
    keeper(lambda: db, "eve", now=NOW)("0.txt", "text/plain", b"hers")
    assert names(db, "ann") == ["2.txt", "3.txt", "4.txt"]
    keeper(lambda: db, "ann", now=NOW + timedelta(days=1))("5.txt", "text/plain", b"x" * 90)
    assert names(db, "ann") == ["5.txt"] and names(db, "eve") == ["0.txt"]


def retain(db: Client, uid: str, *file_ids: str, of: str = "books/a") -> set[str]:
    batch = db.batch()
    there = MadeFiles(db).retain(batch, uid, file_ids, of=of)
    batch.commit()
    return there


def release(db: Client, uid: str, *file_ids: str, of: str = "books/a") -> None:
    batch = db.batch()
    MadeFiles(db).release(batch, uid, file_ids, of=of)
    batch.commit()


def test_a_file_lasts_while_something_needs_it(db: Client) -> None:
    file = keeper(lambda: db, "ann", now=NOW)("a.txt", "text/plain", b"x").file_id
    assert retain(db, "ann", file, "no such file") == {file}
    assert retain(db, "ann", file, of="books/b") == {file}
    release(db, "ann", file, of="books/b")
    release(db, "ann", file, of="books/c")
    assert FileStore(db).sweep(now=NOW + 2 * MADE_FOR) == 0 and content(db, file) == b"x"
    release(db, "ann", file)
    assert names(db, "ann") == [] and not list(db.collection_group("chunks").stream())


def test_a_file_of_another_purpose_is_there_and_stays_as_it_is(db: Client) -> None:
    new = NewFile(
        uid="ann", name="a.png", content_type="image/png", bytes=1, sha256="0", purpose="attachment"
    )
    file = MadeFiles(db).make(new, b"x", Allowance(files=1, bytes=1), now=NOW).id
    assert retain(db, "ann", file) == {file}
    release(db, "ann", file)
    stored = db.document(f"files/{file}").get()
    assert (stored.get("purpose"), stored.get("details")) == ("attachment", {})


def test_nobody_retains_or_releases_anothers_file(db: Client) -> None:
    file = keeper(lambda: db, "ann", now=NOW)("a.txt", "text/plain", b"x", of="books/a").file_id
    assert retain(db, "eve", file) == set()
    release(db, "eve", file)
    assert content(db, file) == b"x"
    assert FileStore(db).sweep(now=NOW + MADE_FOR) == 1


def test_a_user_retains_only_so_much(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_files, "RETAINED_ALLOWANCE", Allowance(files=2, bytes=100))
    keep = keeper(lambda: db, "ann", now=NOW)
    small = [keep(f"{n}.txt", "text/plain", b"x").file_id for n in range(3)]
    with pytest.raises(ResourceExhausted, match="at most 2 are allowed"):
        retain(db, "ann", *small)
    assert retain(db, "ann", small[0]) == {small[0]}
    large = keep("large.txt", "text/plain", b"x" * 100).file_id
    with pytest.raises(ResourceExhausted, match="at most 100"):
        retain(db, "ann", large)
    assert FileStore(db).sweep(now=NOW + MADE_FOR) == 3  # what was refused is retained by nothing


def test_made_files_are_exported_and_erased(office: Office) -> None:
    file = keeper(lambda: office.db, "ann", now=NOW)("list.csv", "text/csv", b"milk")
    page = export_my_data(office.platform, Call(ANN, {}))
    [listed] = [each for each in page["items"] if each["kind"] == "files"]
    assert listed["data"]["name"] == "list.csv" and listed["data"]["purpose"] == "made"
    delete_my_data(office.platform, Call(ANN, {"confirm": True}))
    assert not list(office.db.collection("files").stream())
    assert not list(office.db.collection_group("chunks").stream())
    with pytest.raises(NotFound):
        content(office.db, file.file_id)


@pytest.mark.parametrize(
    ("name", "content_type", "data", "error", "words"),
    [
        ("\u202e\x00", "text/csv", b"", InvalidArgument, "no name"),
        ("a.csv", "csv", b"", InvalidArgument, "such as text/csv"),
        ("a.csv", "text/html; charset=x", b"", InvalidArgument, "no content type"),
        ("a.csv", "text/csv", bytes(MADE_BYTES + 1), FailedPrecondition, "at most 10,000,000"),
    ],
)
def test_what_is_no_file_is_refused(
    db: Client, name: str, content_type: str, data: bytes, error: type[AgentError], words: str
) -> None:
    with pytest.raises(error, match=words):
        context(db=db).keep_file(name, content_type, data)


def test_a_name_is_without_folders_and_a_call_keeps_so_many(db: Client) -> None:
    ctx = context(db=db)
    assert ctx.keep_file("../../etc/דף\u202e.pdf", "application/pdf", b"").name == "דף .pdf"
    long = ctx.keep_file("x" * 300 + ".docx", "application/pdf", b"").name
    assert len(long) == 200 and long.endswith(".docx")
    for number in range(MAX_FILES - 2):
        ctx.keep_file(f"{number}", "text/plain", b"")
    with pytest.raises(ResourceExhausted, match="at most 10 files"):
        ctx.keep_file("one more", "text/plain", b"")
