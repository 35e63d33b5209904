"""Clearing, deleting and exporting a user's data: all of theirs, nobody else's, and whole even
where the process is killed."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition as Moved
from google.api_core.exceptions import NotFound as Gone
from google.cloud.firestore import Client, LastUpdateOption

from rollcall.core.context import Call, User
from rollcall.core.errors import Aborted, InvalidArgument, NotFound, PermissionDenied, Unavailable
from rollcall.core.wire import SCHEMA_VERSION
from rollcall.endpoints import my_data
from rollcall.store import departed_users, erasure, user_data
from rollcall.store.erasure import QUEUE, erase_one_thread, erase_user, resume_erasures
from rollcall.store.run_opening import check_thread
from rollcall.store.runs import new_run_id, run_key
from tests.support.full_form import cases
from tests.support.local_functions import Functions, LocalPlatform, callables, use_emulator_tokens
from tests.support.user_data import (
    all_documents,
    paths_with,
    run_marker_path,
    write_all,
    write_thread,
    write_user,
)

ROOT = Path(__file__).parents[3]
FENCED = (Moved, Gone)
"""What a write meets whose document is no longer as it was, or not there."""


def call(data: Any = None, *, uid: str = "ann") -> Call:
    return Call(User(uid), data)


def clear(db: Client, thread_id: str = "t1", *, uid: str = "ann") -> dict[str, Any]:
    return my_data.clear_thread(LocalPlatform(db), call({"threadId": thread_id}, uid=uid))


def delete(db: Client, thread_id: str = "t1", *, uid: str = "ann") -> dict[str, Any]:
    return my_data.delete_thread(LocalPlatform(db), call({"threadId": thread_id}, uid=uid))


def export(db: Client, *, uid: str = "ann") -> list[dict[str, Any]]:
    """The items of all pages, each of which is checked to be JSON of a bounded size."""
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = my_data.export_my_data(
            LocalPlatform(db), call({"cursor": cursor} if cursor else {}, uid=uid)
        )
        assert len(json.dumps(page, ensure_ascii=False).encode()) < 1_100_000
        items += page["items"]
        cursor = page["cursor"]
        if cursor is None:
            return items


def finish(platform: LocalPlatform) -> int:
    """Work the queue off; return how many tasks there were."""
    done = 0
    while platform.queue:
        name, data = platform.queue.pop(0)
        assert name == QUEUE
        my_data.continueerasure(platform, data)
        done += 1
    return done


def test_a_cleared_thread_stays_and_is_empty(db: Client) -> None:
    write_thread(db, "t1")
    receipt = clear(db)
    kept = all_documents(db)
    assert receipt["status"] == "done"
    assert receipt["removed"] == {
        "approvals": 1,
        "effects": 1,
        "events": 2,
        "messages": 3,
        "runs": 1,
        "views": 1,
    }
    assert sorted(kept) == [
        f"erasures/{receipt['receiptId']}",
        run_marker_path(),
        "threads/t1",
    ]
    thread = kept["threads/t1"]
    assert (thread["title"], thread["lease"], thread["waiting"]) == ("", None, None)
    assert (thread["nextMessage"], thread["leaseToken"]) == (3, 4)
    assert "context" not in thread and "erasing" not in thread and thread["allowed"] == {}


def test_what_a_cleared_thread_is_about_stays_known_and_nothing_else_of_its_context(
    db: Client,
) -> None:
    write_thread(db, "t1")
    context = json.dumps({"projectId": "house", "note": "secret"})
    db.document("threads/t1").update({"context": context, "place": {"projectId": "house"}})
    clear(db)
    thread = db.document("threads/t1").get().to_dict() or {}
    assert thread["place"] == json.loads(thread["context"]) == {"projectId": "house"}


def test_a_deleted_thread_leaves_its_receipt_and_which_id_its_run_had(db: Client) -> None:
    write_thread(db, "t1")
    receipt = delete(db)
    assert receipt["removed"]["threads"] == 1
    assert list(all_documents(db)) == [f"erasures/{receipt['receiptId']}", run_marker_path()]
    assert paths_with(all_documents(db), "hello") == []


def test_of_a_run_that_held_the_thread_its_id_is_left_as_well(db: Client) -> None:
    write_thread(db, "t1", live_s=-1)
    clear(db)
    own = {"schemaVersion": SCHEMA_VERSION, "uid": "ann", "threadId": "t1"}
    assert all_documents(db)[run_marker_path()] == {**own, "key": run_key("ann", "r1")}


def test_of_runs_whose_ids_were_made_here_nothing_is_left(db: Client) -> None:
    write_thread(db, "t1")
    for id in (new_run_id(), "r1~1"):
        db.document(f"threads/t1/runs/{id}").set({"uid": "ann", "status": "done"})
    assert clear(db)["removed"]["runs"] == 3
    assert [path for path in all_documents(db) if path.startswith("runs/")] == [run_marker_path()]


def test_deleting_again_gives_the_same_receipt(db: Client) -> None:
    write_thread(db, "t1")
    assert delete(db) == delete(db)


def test_clearing_again_finds_nothing_to_do(db: Client) -> None:
    write_thread(db, "t1")
    first, again = clear(db), clear(db)
    assert (again["receiptId"], again["status"], again["removed"]) == (
        first["receiptId"],
        "done",
        {},
    )


def test_a_thread_begun_anew_under_the_same_id_is_deleted_anew(db: Client) -> None:
    write_thread(db, "t1")
    delete(db)
    write_thread(db, "t1", messages=1)
    assert delete(db)["removed"]["messages"] == 1
    assert paths_with(all_documents(db), "hello") == []


def test_another_users_thread_is_refused_and_untouched(db: Client) -> None:
    write_thread(db, "t1", uid="eve")
    before = all_documents(db)
    for refused in (clear, delete):
        with pytest.raises(PermissionDenied) as caught:
            refused(db)
        assert caught.value.field == "threadId"
    assert all_documents(db) == before


def test_a_thread_that_never_was_is_not_found(db: Client) -> None:
    for refused in (clear, delete):
        with pytest.raises(NotFound):
            refused(db, "nowhere")
    assert all_documents(db) == {}


@pytest.mark.parametrize("data", [None, {}, {"threadId": "a/b"}, {"threadId": 5}, {"x": 1}])
def test_bad_input_names_the_field(db: Client, data: Any) -> None:
    for function in (my_data.clear_thread, my_data.delete_thread):
        with pytest.raises(InvalidArgument):
            function(LocalPlatform(db), call(data))


def test_other_threads_and_users_are_untouched(db: Client) -> None:
    write_thread(db, "t2", text="mine too")
    write_thread(db, "e1", uid="eve")
    write_user(db, "eve")
    before = all_documents(db)
    write_thread(db, "t1")
    receipt = delete(db)
    after = all_documents(db)
    del after[f"erasures/{receipt['receiptId']}"]
    assert after.pop(run_marker_path())["threadId"] == "t1"
    assert after == before


def test_a_thread_with_a_run_under_way_is_refused(db: Client) -> None:
    write_thread(db, "t1", live_s=60)
    before = all_documents(db)
    for refused in (clear, delete):
        with pytest.raises(Aborted, match="r1 is still answering") as caught:
            refused(db)
        assert "cancel_run" in str(caught.value.hint)
    assert all_documents(db) == before


def test_a_run_that_outlived_its_lease_can_save_nothing_more(db: Client) -> None:
    write_thread(db, "t1", live_s=-1)
    run = db.document("threads/t1/runs/r1")
    seen = run.get().update_time
    clear(db)
    batch = db.batch()
    batch.set(db.document("threads/t1/messages/00000003"), {"uid": "ann", "text": "too late"})
    batch.update(run, {"step": 2}, option=LastUpdateOption(seen))
    with pytest.raises(FENCED):
        batch.commit()
    assert paths_with(all_documents(db), "too late", "hello") == []


def test_a_run_that_opens_meanwhile_wins_or_is_kept_out(db: Client) -> None:
    write_thread(db, "t1")
    thread = db.document("threads/t1")
    seen = thread.get()
    work = erasure.begin_thread_erasure(db, "ann", "t1", "clear_thread", seconds=20)
    with pytest.raises(FENCED):
        thread.update({"lease": {"runId": "r2"}}, option=LastUpdateOption(seen.update_time))
    with pytest.raises(Aborted, match="being erased"):
        check_thread(thread.get(), uid="ann", agent="messaging", new=False)
    assert isinstance(work, erasure.Worker)
    erasure.erase_thread(work, "t1")
    erasure.release_thread(work, "t1", for_good=False)
    check_thread(thread.get(), uid="ann", agent="messaging", new=False)


def test_a_long_erasure_goes_on_in_the_queue(db: Client) -> None:
    write_thread(db, "t1", messages=900)
    platform = LocalPlatform(db)
    begun = erase_one_thread(platform, "ann", "t1", for_good=True, seconds=0)
    assert begun["status"] == "running"
    assert platform.queue == [(QUEUE, {"id": begun["receiptId"]})]
    assert finish(platform) == 1
    done = delete(db)
    assert (done["status"], done["removed"]["messages"]) == ("done", 900)
    assert paths_with(all_documents(db), "hello") == []


def test_what_is_in_hand_is_not_done_twice(db: Client) -> None:
    write_thread(db, "t1", messages=500)
    erasure.begin_thread_erasure(db, "ann", "t1", "delete_thread", seconds=20)
    platform = LocalPlatform(db)
    again = my_data.delete_thread(platform, call({"threadId": "t1"}))
    my_data.continueerasure(platform, {"id": again["receiptId"]})
    assert (again["status"], resume_erasures(platform), platform.queue) == ("running", 0, [])
    assert len(list(db.collection("threads/t1/messages").list_documents())) == 500


@pytest.mark.parametrize("kind", ["clear_thread", "delete_thread"])
def test_a_worker_that_was_taken_over_writes_nothing_more(db: Client, kind: erasure.Kind) -> None:
    write_thread(db, "t1", messages=10)
    first = erasure.begin_thread_erasure(db, "ann", "t1", kind, seconds=20)
    assert isinstance(first, erasure.Worker)
    expire_receipt(db, first.id)
    platform = LocalPlatform(db)
    resume_erasures(platform)
    assert finish(platform) == 1
    assert paths_with(all_documents(db), "hello") == []
    assert db.document("threads/t1").get().exists == (kind == "clear_thread")
    with pytest.raises(erasure.Superseded):
        first.commit(db.batch())


@pytest.mark.parametrize("what", ["thread", "user"])
def test_of_many_erasures_at_once_one_works_and_counts_once(db: Client, what: str) -> None:
    write_thread(db, "t1", messages=450)

    def attempt(_: int) -> dict[str, Any] | Aborted | NotFound:
        try:
            if what == "thread":
                return delete(db)
            return my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
        except (Aborted, NotFound) as error:
            return error

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(attempt, range(6)))
    assert all(isinstance(outcome, dict | Aborted) for outcome in outcomes)
    assert paths_with(all_documents(db), "hello") == []
    [state] = [each.to_dict() or {} for each in db.collection("erasures").stream()]
    counted = [each["removed"].get("messages", 0) for each in outcomes if isinstance(each, dict)]
    assert (state["status"], max(counted)) == ("done", 450)


def expire_receipt(db: Client, id: str) -> None:
    """As time does to the receipt of a worker that died."""
    past = datetime.now(UTC) - timedelta(seconds=1)
    db.document(f"erasures/{id}").update({"until": past})


def test_a_page_that_firestore_finds_too_large_is_cut(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from google.api_core.exceptions import InvalidArgument as TooBig

    write_thread(db, "t1", messages=30)
    original = erasure.Worker.commit

    def commit(self: Any, batch: Any, removed: Any = None, **changes: Any) -> bool:
        if len(batch) > 7:
            raise TooBig("Transaction too big. Decrease transaction size.")
        return original(self, batch, removed, **changes)

    monkeypatch.setattr(erasure.Worker, "commit", commit)
    assert delete(db)["removed"]["messages"] == 30
    assert paths_with(all_documents(db), "hello") == []


KILLED = """
import sys
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client
from tests.support.local_functions import LocalPlatform
from rollcall.endpoints.my_data import other_sections
from tests.support.catalogs import catalog
from rollcall.store import erasure
# A page at a time, each said aloud: the parent kills this process at one of them.
original = erasure.Worker.commit
def commit(self, *given, **changes):
    done = original(self, *given, **changes)
    print("page", flush=True)
    return done
erasure.Worker.commit = commit
db = Client(project=sys.argv[1], credentials=AnonymousCredentials())
if sys.argv[2] == "user":
    erasure.erase_user(LocalPlatform(db), "ann", other_sections(catalog))
else:
    erasure.erase_one_thread(LocalPlatform(db), "ann", "t1", for_good=sys.argv[2] == "delete")
"""


def kill_at_page(db: Client, what: str, page: int) -> None:
    """Run an erasure in a process of its own and kill it when `page` pages are through."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, db.project, what],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'functions'}:{ROOT}"},
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    for _ in range(page):
        assert process.stdout.readline() == b"page\n", "it ended before it could be killed"
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()


KILLS = [(what, page) for what in ("clear", "delete", "user") for page in (1, 4)]


@pytest.mark.long
@pytest.mark.parametrize(("what", "page"), cases(KILLS, 5))
def test_an_erasure_that_is_killed_half_way_is_finished(db: Client, what: str, page: int) -> None:
    write_thread(db, "e1", uid="eve")
    write_user(db, "eve")
    others = all_documents(db)
    write_thread(db, "t1", messages=1_500, live_s=60 if what == "user" else None)
    write_thread(db, "t2", messages=4, text="hello") if what == "user" else None
    if what == "user":
        write_user(db, "ann")
    kill_at_page(db, what, page)
    [receipt] = list(db.collection("erasures").stream())
    assert (receipt.get("status"), receipt.get("uid")) == ("running", "ann")
    assert paths_with(all_documents(db), "hello")
    expire_receipt(db, receipt.id)
    platform = LocalPlatform(db)
    assert (resume_erasures(platform), finish(platform)) == (1, 1)
    state = db.document(f"erasures/{receipt.id}").get().to_dict() or {}
    assert state["status"] == "done"
    assert state["counts"]["messages"] == (1_504 if what == "user" else 1_500)
    kept = all_documents(db)
    assert {path: kept[path] for path in others} == others
    mine = {path: data for path, data in kept.items() if path not in others}
    assert paths_with(mine, "hello") == []
    if what == "user":
        assert paths_with(mine, "ann") == paths_with(mine, "budgets/uann-")


def test_all_of_a_user_is_erased_and_nothing_of_another(db: Client) -> None:
    write_thread(db, "e1", uid="eve")
    write_user(db, "eve")
    others = all_documents(db)
    write_thread(db, "t1", live_s=60)
    write_thread(db, "t2", messages=0)
    write_user(db, "ann")
    run = db.document("threads/t1/runs/r1")
    seen = run.get().update_time
    receipt = my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    assert receipt["status"] == "done"
    assert (receipt["removed"]["threads"], receipt["removed"]["devices"]) == (2, 1)
    with pytest.raises(FENCED):  # the run that was under way
        run.update({"step": 1}, option=LastUpdateOption(seen))
    kept = all_documents(db)
    assert {path: kept[path] for path in others} == others
    mine = {path: data for path, data in kept.items() if path not in others}
    [spend] = paths_with(mine, "ann")  # the id; of its fields none names the user
    assert spend.startswith("budgets/uann-") and "uid" not in mine[spend]


def test_todays_spend_outlives_an_erasure_without_a_name(db: Client) -> None:
    write_user(db, "ann")
    my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    [today] = [each.to_dict() or {} for each in db.collection("budgets").stream()]
    assert today["spentMicroUsd"] == 7
    assert "uid" not in today


def test_the_audit_keeps_only_that_it_happened(db: Client) -> None:
    write_user(db, "ann")
    my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    entries = [each.to_dict() or {} for each in db.collection("audit").stream()]
    assert sorted(entry["kind"] for entry in entries) == ["data_erased", "erased"]
    assert all("uid" not in entry and "tool" not in entry for entry in entries)
    [erased] = [entry for entry in entries if entry["kind"] == "data_erased"]
    assert erased["subject"] == hashlib.sha256(b"ann").hexdigest()


def test_who_decided_for_others_is_forgotten_and_the_decision_stays(db: Client) -> None:
    decision = {"approved": True, "by": "ann", "at": datetime.now(UTC), "reason": "fine by Ann"}
    asked = {"uid": "eve", "tool": "pay", "deciderUid": None, "decision": decision}
    named = {"uid": "eve", "tool": "pay", "deciderUid": "ann", "decision": None}
    in_run = [{"tool": "pay", "by": "ann"}, {"tool": "send", "by": "eve"}]
    trail = {
        "audit/x": {"uid": "eve", "kind": "decision", "by": "ann"},
        "audit/y": {"uid": "eve", "kind": "run", "deciders": ["ann", "eve"], "approvals": in_run},
    }
    write_all(db, {"approvals/a": asked, "approvals/b": named, **trail})
    assert [item["kind"] for item in export(db)] == ["decisionsMade"]
    my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    kept = all_documents(db)
    assert paths_with(kept, "ann", "Ann") == []
    assert kept["approvals/a"]["decision"]["approved"] is True
    assert kept["audit/y"]["deciders"] == ["eve"]
    assert [each["by"] for each in kept["audit/y"]["approvals"]] == ["erased", "eve"]


@pytest.mark.parametrize(
    "data", [None, {}, {"confirm": False}, {"confirm": "true"}, {"confirm": 1}]
)
def test_nothing_is_erased_without_a_clear_yes(db: Client, data: Any) -> None:
    write_user(db, "ann")
    before = all_documents(db)
    with pytest.raises(InvalidArgument) as caught:
        my_data.delete_my_data(LocalPlatform(db), call(data))
    assert caught.value.field == "confirm"
    assert all_documents(db) == before


def test_erasing_again_ends_in_a_receipt_too(db: Client) -> None:
    write_user(db, "ann")
    first = my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    again = my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    assert (again["receiptId"], again["status"], again["removed"]) == (
        first["receiptId"],
        "done",
        {},
    )


def test_the_account_goes_last_and_only_if_asked(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[tuple[str, int]] = []

    def delete_account(uid: str) -> None:
        ended.append((uid, len(list(db.collection("threads").stream()))))

    monkeypatch.setattr(erasure, "delete_account", delete_account)
    write_thread(db, "t1")
    my_data.delete_my_data(LocalPlatform(db), call({"confirm": True}))
    assert ended == []
    my_data.delete_my_data(LocalPlatform(db), call({"confirm": True, "deleteAccount": True}))
    assert ended == [("ann", 0)]


def test_an_auth_that_does_not_answer_leaves_the_erasure_running(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(uid: str) -> None:
        raise Unavailable("no answer")

    monkeypatch.setattr(erasure, "delete_account", fails)
    platform = LocalPlatform(db)
    receipt = erase_user(platform, "ann", [], with_account=True)
    assert receipt["status"] == "running"
    expire_receipt(db, receipt["receiptId"])
    monkeypatch.setattr(erasure, "delete_account", lambda uid: None)
    assert (resume_erasures(platform), finish(platform)) == (1, 1)
    assert erase_user(platform, "ann", [])["status"] == "done"


def test_an_export_has_everything_once_over_all_its_pages(db: Client) -> None:
    for number in range(4):
        write_thread(db, f"t{number}", messages=40, text="x" * 20_000)
    write_user(db, "ann")
    expected = {
        path for path in all_documents(db) if "/events/" not in path and "/views/" not in path
    }
    write_thread(db, "e1", uid="eve", text="of eve")
    write_user(db, "eve")
    items = export(db)
    places = [(item["kind"], item.get("threadId"), item["id"]) for item in items]
    assert len(places) == len(set(places))
    collections = {"erasedRuns": "runs"}
    found = {
        f"threads/{thread}/{kind}/{id}"
        if thread and kind != "threads"
        else f"{collections.get(kind, kind)}/{id}"
        for kind, thread, id in places
    }
    assert found == expected
    assert "of eve" not in json.dumps(items)


def test_an_export_hides_how_leases_work(db: Client) -> None:
    write_thread(db, "t1", live_s=60)
    db.document("threads/t1/messages/00000001").update({"savedBy": "somebody"})
    db.document("threads/t1/runs/r1").update({"reached": 3, "fruitless": 0})
    fields = {key for item in export(db) for key in item["data"]}
    internal = {"lease", "leaseToken", "leaseUntil", "token", "savedBy", "reached", "fruitless"}
    assert fields.isdisjoint(internal)


def test_an_export_survives_what_is_written_meanwhile(db: Client) -> None:
    for number in range(4):
        write_thread(db, f"t{number}", messages=30, text="x" * 20_000)
    page = my_data.export_my_data(LocalPlatform(db), call())
    items = page["items"]
    round_ = 0
    while page["cursor"]:
        write_thread(db, f"new{round_}", messages=2)
        write_thread(db, f"a{round_}", messages=2)
        page = my_data.export_my_data(LocalPlatform(db), call({"cursor": page["cursor"]}))
        items += page["items"]
        round_ += 1
    messages = [item for item in items if item["kind"] == "messages"]
    old = [item for item in messages if item["threadId"].startswith("t")]
    assert len({(item["threadId"], item["id"]) for item in old}) == len(old) == 120


@pytest.mark.parametrize(
    "cursor",
    [
        *("x", "e30=", "W10=", "WyJ0aHJlYWRzIiwgImEvYiJd", "WyJ1c2VycyIsICJhIl0=", "é", "[]"),
        pytest.param("W1tb" * 4_000, id="lists in lists"),
    ],
)
def test_a_cursor_that_no_page_gave_out_is_refused(db: Client, cursor: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        my_data.export_my_data(LocalPlatform(db), call({"cursor": cursor}))
    assert caught.value.field == "cursor"


def test_an_export_goes_on_behind_any_name_that_a_document_can_have(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_data, "PAGE_ITEMS", 1)
    ids = ["a\u200fb\n", "שלום", "__x", "a.b`*~[]", "\x01" * 1_500, "😀" * 375, "z"]
    write_all(db, {f"devices/{id}": {"uid": "ann", "token": "t"} for id in ids})
    assert sorted(item["id"] for item in export(db)) == sorted(ids)


def test_no_input_is_answered_with_internal(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    use_emulator_tokens(monkeypatch.setenv)
    functions = Functions(callables(LocalPlatform(db)))
    write_thread(db, "t1", uid="eve")
    before = all_documents(db)
    odd: list[Any] = [None, 7, "", " ", "\ud800", "..", "a/b", "x" * 20_000, [], {}, True, "__x__"]
    odd += [base64.b64encode(json.dumps(item).encode()).decode() for item in odd]
    for name, field in (
        ("clear_thread", "threadId"),
        ("delete_thread", "threadId"),
        ("delete_my_data", "confirm"),
    ):
        for value in [each for each in odd if (name, each) != ("delete_my_data", True)]:
            for data in (value, {field: value}, {field: "t1", "extra": value}):
                status = functions.post(name, data).status_code
                assert 400 <= status < 500, (name, data, status)
    for value in odd:
        status = functions.post("export_my_data", {"cursor": value}).status_code
        assert status == (200 if value is None else 400), value
    assert (
        functions.post("delete_my_data", {"confirm": True, "deleteAccount": 1}).status_code == 400
    )
    assert all_documents(db) == before


def test_a_cursor_into_anothers_thread_shows_nothing_of_it(db: Client) -> None:
    write_thread(db, "e1", uid="eve", text="of eve", messages=3)
    for place in (("e1",), ("e1", "messages", "00000000"), ("e0",)):
        cursor = base64.urlsafe_b64encode(json.dumps(["threads", *place]).encode()).decode()
        page = my_data.export_my_data(LocalPlatform(db), call({"cursor": cursor}))
        assert page["items"] == []


def test_users_without_an_account_are_erased_and_disabled_ones_are_not(db: Client) -> None:
    for uid in ("ann", "bob", "eve"):
        write_thread(db, f"{uid}-t", uid=uid)
        write_user(db, uid)
    platform = LocalPlatform(db)
    asked: list[str] = []

    def find_gone(uids: Any) -> list[str]:
        asked.extend(uids)
        return ["bob"]

    assert departed_users.begin_erasures(platform, find_gone=find_gone) == 1
    finish(platform)
    assert sorted(set(asked)) == ["ann", "bob", "eve"]
    threads = sorted(each.id for each in db.collection("threads").stream())
    assert threads == ["ann-t", "eve-t"]


def test_nobody_is_erased_while_auth_gives_no_answer(db: Client) -> None:
    write_thread(db, "t1")

    def find_gone(uids: Any) -> list[str]:
        raise Unavailable("no answer")

    before = all_documents(db)
    with pytest.raises(Unavailable):
        departed_users.begin_erasures(LocalPlatform(db), find_gone=find_gone)
    assert all_documents(db) == before


def test_nobody_is_erased_when_half_of_all_seem_to_be_gone(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        write_user(db, f"u{number:02d}")
    before = all_documents(db)
    with pytest.raises(Exception, match="12 of 12"):
        departed_users.begin_erasures(LocalPlatform(db), find_gone=list)
    assert all_documents(db) == before
    monkeypatch.setenv("ROLLCALL_ERASE_DEPARTED", "always")
    assert departed_users.begin_erasures(LocalPlatform(db), find_gone=list) == 12


def test_departed_users_are_looked_for_a_part_at_a_time(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(departed_users, "MAX_USERS", 2)
    for uid in ("a", "b", "c"):
        write_user(db, uid)
    asked: list[list[str]] = []

    def find_gone(uids: Any) -> list[str]:
        asked.append(list(uids))
        return []

    for _ in range(3):
        departed_users.begin_erasures(LocalPlatform(db), find_gone=find_gone)
    assert asked == [["a", "b"], ["c"], ["a", "b"]]


def test_the_clock_has_nothing_to_do_where_there_is_nobody(db: Client) -> None:
    my_data.erase_departed(LocalPlatform(db))
    assert list(all_documents(db)) == ["registry/departed"]


def test_a_task_for_an_erasure_that_is_not_there_does_nothing(db: Client) -> None:
    my_data.continueerasure(LocalPlatform(db), {"id": "nothing"})
    with pytest.raises(InvalidArgument):
        my_data.continueerasure(LocalPlatform(db), {})
    assert all_documents(db) == {}


def test_a_thread_of_thousands_is_deleted(db: Client) -> None:
    write_thread(db, "t1", messages=2_500)
    started = time.monotonic()
    platform = LocalPlatform(db)
    receipt = erase_one_thread(platform, "ann", "t1", for_good=True, seconds=600)
    assert receipt["removed"]["messages"] == 2_500, time.monotonic() - started
