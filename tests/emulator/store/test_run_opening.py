"""Opening threads and runs on the emulator: one run an id, one run at a time, nothing lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.errors import Aborted, AgentError, AlreadyExists, NotFound, PermissionDenied
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.store import paths
from rollcall.store.message_log import TurnUsage, read_history
from rollcall.store.open_run import OpenRun
from rollcall.store.run_opening import Opening, open_run
from rollcall.store.runs import FinishedRun, UnfinishedRun, thread_id_for
from tests.support.run_times import end_lease

RESULT: dict[str, Any] = {
    "message": "Done.",
    "outcome": {"type": "success"},
    "usage": [],
    "toolCalls": [],
}
REQUEST: dict[str, Any] = {
    "locale": "en",
    "context": None,
    "offered": [],
    "clientId": None,
    "clientTools": [],
}


def opening(run_id: str = "r1", *, text: str = "Hello", **changes: Any) -> Opening:
    fields: dict[str, Any] = {
        "user": User("ann"),
        "agent": "messaging",
        "thread_id": thread_id_for("ann", "r1"),
        "is_new": True,
        "run_id": run_id,
        "request_digest": f"digest of {text}",
        "message": UserMessage.of(text),
        "context": None,
        "request": lambda documents, thread_id, context: REQUEST,
    }
    return Opening(**{**fields, **changes})


def opened(db: Client, start: Opening) -> OpenRun:
    run = open_run(db, start)
    assert isinstance(run, OpenRun)
    return run


def history_of(run: OpenRun) -> list[Message]:
    return read_history(run.documents, leaves_last_open=True)


def answer(run: OpenRun, text: str) -> None:
    said = {**RESULT, "message": text}
    run.finish(step=1, answer=ModelMessage(text), spent=TurnUsage(), result=said)


def test_a_first_message_makes_thread_log_and_run_in_one_batch(db: Client) -> None:
    run = opened(db, opening(text="Hello there"))
    thread = paths.thread(db, run.thread_id).get().to_dict() or {}
    assert (thread["uid"], thread["title"], thread["nextMessage"]) == ("ann", "Hello there", 1)
    assert thread["lease"]["runId"] == "r1"
    assert history_of(run) == [UserMessage.of("Hello there")]


def test_the_next_message_sees_what_was_said(db: Client) -> None:
    answer(opened(db, opening()), "Hi.")
    run = opened(db, opening("r2", text="And now?", is_new=False))
    assert [type(message).__name__ for message in history_of(run)] == [
        "UserMessage",
        "ModelMessage",
        "UserMessage",
    ]


def test_a_run_is_asked_for_by_what_was_said_in_its_thread(db: Client) -> None:
    seen: list[list[str]] = []

    def request(
        documents: Sequence[dict[str, Any]], thread_id: str, context: dict[str, Any] | None
    ) -> dict[str, Any]:
        seen.append([document["role"] for document in documents])
        return {**REQUEST, "locale": f"after {len(documents)}"}

    answer(opened(db, opening(request=request)), "Hi.")
    run = opened(db, opening("r2", is_new=False, request=request))
    assert seen == [[], ["user", "model"]]
    stored = paths.run(db, run.thread_id, "r2").get().to_dict() or {}
    assert run.request == json.loads(stored["request"]) == {**REQUEST, "locale": "after 2"}


def test_calls_and_results_come_back_as_they_were(db: Client) -> None:
    run = opened(db, opening())
    call = ToolCall("c1", "search", {"grid": [[1, 2], [3]], "query": "תקציב"}, "ignored")
    parts = ({"thought": [[1], [2]]},)
    run.save_reply(1, ModelMessage("", (call,), "gemini", parts), TurnUsage())
    run.save_results({0: (ToolResult("c1", "search", '{"output": []}'), {})})
    answer(run, "Nothing.")
    history = history_of(opened(db, opening("r2", is_new=False)))
    reply, results = history[1], history[2]
    assert isinstance(reply, ModelMessage)
    assert reply.tool_calls[0].arguments == call.arguments
    assert reply.provider_parts == parts
    assert results == ToolMessage((ToolResult("c1", "search", '{"output": []}'),))


def test_the_same_run_id_again_returns_the_first_outcome(db: Client) -> None:
    answer(opened(db, opening()), "Hi.")
    again = open_run(db, opening())
    assert isinstance(again, FinishedRun)
    assert again.result is not None
    assert again.result["message"] == "Hi."


def test_the_same_run_id_with_other_data_is_refused(db: Client) -> None:
    answer(opened(db, opening()), "Hi.")
    with pytest.raises(AlreadyExists) as caught:
        open_run(db, opening(text="Something else"))
    assert caught.value.field == "runId"


def test_a_run_that_goes_on_is_not_begun_twice(db: Client) -> None:
    first = opened(db, opening())
    assert open_run(db, opening()) == UnfinishedRun(first.thread_id, "r1")


def test_a_second_message_is_refused_with_who_holds_the_thread(db: Client) -> None:
    opened(db, opening())
    with pytest.raises(Aborted, match="run r1 is still answering") as caught:
        open_run(db, opening("r2", is_new=False))
    assert caught.value.retry_after_s


def test_of_many_at_once_exactly_one_opens(db: Client) -> None:
    answer(opened(db, opening()), "Hi.")

    def attempt(number: int) -> object:
        try:
            return open_run(db, opening(f"n{number}", is_new=False))
        except AgentError as error:
            return error

    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(attempt, range(12)))
    assert sum(isinstance(outcome, OpenRun) for outcome in outcomes) == 1
    assert all(isinstance(outcome, OpenRun | Aborted) for outcome in outcomes)


def test_the_same_first_message_many_times_at_once_is_one_run(db: Client) -> None:
    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(lambda _: open_run(db, opening()), range(12)))
    assert sum(isinstance(outcome, OpenRun) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, UnfinishedRun) for outcome in outcomes) == 11
    log = list(paths.thread(db, opening().thread_id).collection("messages").stream())
    assert len(log) == 1


def test_who_takes_a_thread_over_ends_the_run_that_held_it(db: Client) -> None:
    first = opened(db, opening())
    second = opened(db, opening("r2", is_new=False, supersede=True))
    with pytest.raises(Aborted, match="taken this thread over"):
        first.save_reply(1, ModelMessage("too late"), TurnUsage())
    answer(second, "In time.")
    log = paths.thread(db, first.thread_id).collection("messages").stream()
    assert [item.to_dict().get("text") for item in log] == [None, None, "In time."]


def test_a_thread_whose_run_died_half_way_goes_on_with_valid_history(db: Client) -> None:
    dead = opened(db, opening())
    dead.save_reply(1, ModelMessage("", (ToolCall("c1", "search", {}),)), TurnUsage())
    end_lease(db, dead.thread_id, "r1")
    run = opened(db, opening("r2", is_new=False))
    results = history_of(run)[2]
    assert isinstance(results, ToolMessage)
    assert results.results[0].is_error
    assert run.next_message == 3


def test_a_window_view_that_is_out_of_date_is_rebuilt_from_the_log(db: Client) -> None:
    run = opened(db, opening())
    answer(run, "Hi.")
    paths.window(db, run.thread_id).delete()
    assert len(history_of(opened(db, opening("r2", is_new=False)))) == 3


def test_another_users_thread_is_refused(db: Client) -> None:
    answer(opened(db, opening()), "Hi.")
    for start in (opening("r2", is_new=False), opening()):
        with pytest.raises(PermissionDenied) as caught:
            open_run(db, replace(start, user=User("eve")))
        assert caught.value.field == "threadId"


def test_a_thread_that_does_not_exist_is_refused_and_nothing_is_written(db: Client) -> None:
    with pytest.raises(NotFound):
        open_run(db, opening(thread_id="nowhere", is_new=False))
    assert list(db.collection("threads").stream()) == []


def test_a_thread_stays_with_its_agent(db: Client) -> None:
    answer(opened(db, opening()), "Hi.")
    with pytest.raises(AlreadyExists) as caught:
        open_run(db, opening("r2", is_new=False, agent="electrical"))
    assert caught.value.field == "agent"
