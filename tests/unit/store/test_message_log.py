"""The documents of a log and the history they make, whatever a model or a tool wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    Text,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.store.message_log import (
    RECORD_BYTES,
    TurnUsage,
    read_history,
    read_record,
    read_usage,
    result_fields,
    step_document,
    unanswered_places,
    user_document,
    without_media,
)

STAMP = {"n": 0}
IMAGE = Media("image", "image/png", "AAAA", "plan.png")
CALL = ToolCall("call.1/x", "look_up", {"grid": [[1, [2]]], "": "א\u2028"})


def step(
    *calls: ToolCall, text: str = "", results: dict[int, ToolResult] | None = None
) -> dict[str, Any]:
    document = step_document(
        STAMP,
        step=1,
        reply=ModelMessage(text, calls, "gemini", ({"thought": [[1]]},)),
        spent=TurnUsage(1, 2, 3),
    )
    kept = {
        str(place): result_fields(result, record={"status": "done", "ms": 5}, run_id="r1")
        for place, result in (results or {}).items()
    }
    return round_trip({**document, "results": kept})


def round_trip(document: dict[str, Any]) -> dict[str, Any]:
    """As a database gives it back; one that refuses lists inside lists must take it."""
    assert not _has_nested_list(document)
    copy: dict[str, Any] = json.loads(json.dumps(document))
    return copy


def _has_nested_list(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    nested = isinstance(value, list) and any(isinstance(each, list) for each in value)
    return nested or any(map(_has_nested_list, inner))


def test_what_was_said_comes_back_as_it_was() -> None:
    said = UserMessage((Text("Look: "), IMAGE))
    result = ToolResult(CALL.id, "look_up", '{"output": [[1]]}')
    documents = [round_trip(user_document(STAMP, said)), step(CALL, results={0: result})]
    user, reply, results = read_history(documents)
    assert user == said
    assert isinstance(reply, ModelMessage)
    assert reply.tool_calls[0].arguments == CALL.arguments
    assert (reply.provider, reply.provider_parts) == ("gemini", ({"thought": [[1]]},))
    assert results == ToolMessage((result,))


def test_arguments_that_were_no_json_come_back_as_their_text() -> None:
    broken = ToolCall("c1", "look_up", None, '{"word": ')
    (reply, _) = read_history([step(broken)])
    assert isinstance(reply, ModelMessage)
    assert (reply.tool_calls[0].arguments, reply.tool_calls[0].arguments_text) == (
        None,
        '{"word": ',
    )


def test_a_call_that_was_cut_off_is_answered_as_such() -> None:
    done = ToolResult("c2", "look_up", "{}")
    document = step(CALL, ToolCall("c2", "look_up", {}), results={1: done})
    assert unanswered_places(document) == [0]
    _, results = read_history([document])
    assert isinstance(results, ToolMessage)
    assert [result.is_error for result in results.results] == [True, False]
    assert [result.call_id for result in results.results] == [CALL.id, "c2"]


def test_the_last_steps_calls_are_left_open_for_the_run_that_answers_them() -> None:
    document = step(CALL)
    assert [type(each) for each in _open(document)] == [ModelMessage]
    assert [type(each) for each in _open(document, document)] == [
        ModelMessage,
        ToolMessage,
        ModelMessage,
    ]
    whole = step(CALL, results={0: ToolResult(CALL.id, "look_up", "{}")})
    assert [type(each) for each in _open(whole)] == [ModelMessage, ToolMessage]
    assert [type(each) for each in _open(step(text="Hi."))] == [ModelMessage]


def _open(*documents: dict[str, Any]) -> list[Message]:
    return read_history(documents, leaves_last_open=True)


def test_results_are_found_by_place_though_two_calls_have_one_id() -> None:
    twins = (ToolCall("c", "look_up", {"n": 1}), ToolCall("c", "look_up", {"n": 2}))
    results = {place: ToolResult("c", "look_up", f'{{"output": {place}}}') for place in (0, 1)}
    _, answered = read_history([step(*twins, results=results)])
    assert isinstance(answered, ToolMessage)
    assert [result.content for result in answered.results] == ['{"output": 0}', '{"output": 1}']


@pytest.mark.parametrize(
    ("content", "is_error", "key", "value"),
    [
        ('{"output": {"a": [[1]]}}', False, "result", {"a": [[1]]}),
        ('{"error": {"code": "not-found"}}', True, "error", {"code": "not-found"}),
        ("no json", False, "result", "no json"),
        ("[1]", False, "result", [1]),
    ],
)
def test_a_calls_record_is_put_together_again(
    content: str, is_error: bool, key: str, value: Any
) -> None:
    result = ToolResult(CALL.id, "look_up", content, is_error)
    record = {"status": "done", "ms": 7, "result": "not kept twice", "error": None}
    kept = result_fields(result, record=record, run_id="r9")
    assert kept["runId"] == "r9"
    found = read_record(CALL, kept, step=2)
    assert (found.id, found.tool, found.ms, found.step) == (CALL.id, "look_up", 7, 2)
    assert getattr(found, key) == value


@pytest.mark.parametrize(("is_error", "status"), [(False, "done"), (True, "failed")])
def test_a_result_that_has_no_record_says_itself_what_became_of_its_call(
    is_error: bool, status: str
) -> None:
    stored = {"name": "look_up", "content": "null", "isError": is_error, "record": ""}
    found = read_record(CALL, stored, step=3)
    assert (found.status, found.arguments, found.step) == (status, CALL.arguments, 3)


def test_a_record_that_is_too_long_is_kept_without_its_display() -> None:
    result = ToolResult(CALL.id, "look_up", "{}")
    record = {"ms": 1, "display": {"text": "x" * RECORD_BYTES}}
    kept = result_fields(result, record=record, run_id="r")
    assert json.loads(kept["record"]) == {"ms": 1}


def test_the_view_keeps_media_by_name() -> None:
    document = user_document(STAMP, UserMessage((Text("Look"), IMAGE)))
    kept = without_media(document)
    assert kept["parts"][1] == {"type": "text", "text": "[image: plan.png]"}
    assert kept["mediaLeftOut"]
    plain = user_document(STAMP, UserMessage.of("Hi"))
    assert without_media(plain) is plain


@pytest.mark.parametrize("document", [{}, {"spent": None}, {"spent": {}}])
def test_what_an_older_document_does_not_say_was_not_spent(document: dict[str, Any]) -> None:
    assert read_usage(document) == TurnUsage()


def test_what_was_spent_comes_back() -> None:
    assert read_usage(step()) == TurnUsage(1, 2, 3)
