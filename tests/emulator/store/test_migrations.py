"""A thread that an older version stored is read and continued."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition, NotFound
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.errors import Aborted
from rollcall.core.messages import ModelMessage, ToolMessage, UserMessage
from rollcall.store import migrations, paths
from rollcall.store.erasure import erase_one_thread
from rollcall.store.message_log import TurnUsage
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import recover_run
from rollcall.store.run_closing import cancel
from rollcall.store.run_opening import Opening, open_run
from rollcall.store.runs import thread_id_for
from tests.emulator.store.test_open_run import FOUND
from tests.emulator.store.test_run_opening import REQUEST, answer, history_of, opened, opening
from tests.support.firestore_operations import count_operations
from tests.support.local_functions import LocalPlatform
from tests.support.run_times import end_lease
from tests.support.user_data import NOW, write_all

RESULT = {"name": "search", "content": '{"output": []}', "isError": False}


def write_old_thread(db: Client, version: int | None) -> None:
    """A thread as the first versions stored it: results by call id, context as a map."""
    own: dict[str, Any] = {"uid": "ann", "createdAt": NOW}
    if version is not None:
        own["schemaVersion"] = version
    said = {**own, "runId": "r1", "turnId": "r1"}
    calls = [
        {"id": id, "name": "search", "arguments": '{"query": "x"}', "argumentsText": ""}
        for id in ("call-a", "call.b/c")
    ]
    step = {"role": "model", "step": 1, "text": "", "provider": "offline", "providerParts": "[]"}
    answer = {**step, "step": 2, "text": "Nothing.", "toolCalls": [], "results": {}}
    write_all(
        db,
        {
            "threads/old": {
                **own,
                "agent": "messaging",
                "title": "Old",
                "status": "active",
                "context": {"place": "office"},
                "lease": None,
                "leaseToken": 1,
                "nextMessage": 3,
                "updatedAt": NOW,
            },
            "threads/old/messages/00000000": {
                **said,
                "n": 0,
                "role": "user",
                "parts": [{"type": "text", "text": "Look"}],
            },
            "threads/old/messages/00000001": {
                **said,
                **step,
                "n": 1,
                "toolCalls": calls,
                "results": {"call-a": RESULT, "call.b/c": {**RESULT, "content": '"two"'}},
            },
            "threads/old/messages/00000002": {**said, **answer, "n": 2},
        },
    )


@pytest.mark.parametrize("version", [None, 0, 1])
def test_an_old_thread_is_read_whole_and_goes_on(db: Client, version: int | None) -> None:
    write_old_thread(db, version)
    opening = Opening(
        user=User("ann"),
        agent="messaging",
        thread_id="old",
        is_new=False,
        run_id="r2",
        request_digest="digest",
        message=UserMessage.of("And now?"),
        context=None,
        request=lambda documents, thread_id, context: {},
    )
    run = open_run(db, opening)
    assert isinstance(run, OpenRun)
    asked, reply, results, answer, new = history_of(run)
    assert isinstance(asked, UserMessage) and isinstance(answer, ModelMessage)
    assert isinstance(reply, ModelMessage) and isinstance(results, ToolMessage)
    assert [result.content for result in results.results] == ['{"output": []}', '"two"']
    assert not any(result.is_error for result in results.results)
    assert (new, run.next_message) == (opening.message, 4)


def test_an_old_threads_context_is_text(db: Client) -> None:
    write_old_thread(db, 1)
    thread = migrations.read("thread", paths.thread(db, "old").get().to_dict() or {})
    assert json.loads(thread["context"]) == {"place": "office"}


THREAD = thread_id_for("ann", "r1")
STEP = {
    "role": "model",
    "step": 1,
    "text": "",
    "toolCalls": [{"id": "c1", "name": "pay", "arguments": "{}", "argumentsText": ""}],
    "results": {},
    "provider": "gemini",
    "providerParts": "[]",
}


@pytest.fixture
def old(db: Client) -> Any:
    """A live run of version 2, after its first reply; when its process wrote it last."""
    now = datetime.now(UTC)
    own = {"schemaVersion": 2, "uid": "ann"}
    said = {**own, "runId": "r1", "turnId": "r1", "createdAt": now}
    lease = {"lease": {"runId": "r1", "token": 1}, "leaseToken": 1}
    run = {
        **own,
        "user": {"role": "user", "tenant": None, "name": None},
        "agent": "messaging",
        "turnId": "r1",
        "status": "running",
        "step": 1,
        "seq": 1,
        "attempt": 1,
        "fruitless": 0,
        "token": 1,
        "opener": "somebody",
        "firstMessage": 0,
        "requestDigest": "digest of Hello",
        "request": str(REQUEST).replace("'", '"').replace("None", "null"),
        "continues": None,
        "approvals": [],
        "answers": "{}",
        "createdAt": now,
        "updatedAt": now,
        "leaseUntil": now + timedelta(seconds=60),
    }
    event = '[{"type": "RUN_STARTED", "threadId": "t", "runId": "r1", "metadata": {"n": 0}}]'
    page = {"n": 0, "first": 0, "count": 1, "attempt": 1, "events": event}
    thread = {"agent": "messaging", "title": "Hello", "nextMessage": 1, "waiting": None}
    parts = [{"type": "text", "text": "Hello"}]
    write_all(
        db,
        {
            f"threads/{THREAD}": {**own, **thread, **lease, "createdAt": now, "updatedAt": now},
            f"threads/{THREAD}/messages/00000000": {**said, "n": 0, "role": "user", "parts": parts},
            f"threads/{THREAD}/messages/00000001": {**said, **STEP, "n": 1},
            f"threads/{THREAD}/runs/r1": run,
            f"threads/{THREAD}/runs/r1/events/000000": {**own, **page},
        },
    )
    return paths.run(db, THREAD, "r1").get().update_time


def save_as_before(db: Client, time: Any) -> None:
    """As a process of that version saves: it insists on the run's own document."""
    batch = db.batch()
    batch.set(paths.event_page(db, THREAD, "r1", 1), {"n": 1, "uid": "ann"})
    option = db.write_option(last_update_time=time)
    batch.update(paths.run(db, THREAD, "r1"), {"seq": 2}, option=option)
    batch.commit()


def test_it_is_alive_until_its_lease_ends(db: Client, old: Any) -> None:
    with pytest.raises(Aborted, match="still answering"):
        open_run(db, opening("r2", is_new=False))
    assert recover_run(db, THREAD, "r1") is None
    save_as_before(db, old)


def test_it_is_taken_up_and_ends(db: Client, old: Any) -> None:
    end_lease(db, THREAD, "r1")
    run = recover_run(db, THREAD, "r1")
    assert run is not None
    assert (run.attempt, run.fruitless, run.events.page, run.events.count) == (
        2,
        1,
        1,
        1,
    )
    with pytest.raises(FailedPrecondition):
        save_as_before(db, old)
    run.save_results({0: FOUND})
    answer(run, "Paid.")
    next_run = opened(db, opening("r2", is_new=False))
    assert isinstance(history_of(next_run)[2], ToolMessage)
    assert history_of(next_run)[2].results[0].content == '{"output": 5}'


def test_it_is_superseded(db: Client, old: Any) -> None:
    run = opened(db, opening("r2", is_new=False, supersede=True))
    with pytest.raises(FailedPrecondition):
        save_as_before(db, old)
    answer(run, "In time.")


def test_it_is_stopped(db: Client, old: Any) -> None:
    assert cancel(db, "ann", THREAD, "r1") == "cancelling"
    with pytest.raises(FailedPrecondition):  # it reads, heeds and saves again
        save_as_before(db, old)
    save_as_before(db, paths.run(db, THREAD, "r1").get().update_time)


def test_it_is_erased(db: Client, old: Any) -> None:
    end_lease(db, THREAD, "r1")
    erase_one_thread(LocalPlatform(db), "ann", THREAD, for_good=True)
    with pytest.raises((FailedPrecondition, NotFound)):
        save_as_before(db, old)


def test_a_thread_that_such_a_run_left_is_opened_from_its_view(db: Client, old: Any) -> None:
    """With the lease given back, and a view without a token."""
    documents = [
        each.to_dict() for each in paths.thread(db, THREAD).collection("messages").stream()
    ]
    view = {"schemaVersion": 2, "uid": "ann", "nextMessage": 2, "documents": documents}
    paths.window(db, THREAD).set(view)
    paths.thread(db, THREAD).update({"lease": None, "nextMessage": 2})
    paths.run(db, THREAD, "r1").update({"status": "failed", "leaseUntil": None})
    with count_operations() as found:
        run = open_run(db, opening("r2", is_new=False))
    assert isinstance(run, OpenRun)
    assert run.next_message == 3
    # The thread and its view; whether its id was used before; and what the ledger knows of the call
    # that was left open.
    assert found.reads == 4
    run.save_reply(1, ModelMessage("Hi."), TurnUsage())
