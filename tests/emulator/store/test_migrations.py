"""A thread that an older version stored is read and continued."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.messages import ModelMessage, ToolMessage, UserMessage
from rollcall.store import migrations, paths
from rollcall.store.open_run import OpenRun
from rollcall.store.run_opening import Opening, open_run
from tests.emulator.store.test_run_opening import history_of
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
