"""The stream reader gathers small deltas into few events, in linear time and without delay."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from rollcall.agent import paid_calls
from rollcall.agent import reply as module
from rollcall.agent.budget import Budget
from rollcall.agent.model_calls import RetryPolicy, stream_reply
from rollcall.agent.reply import (
    MAX_S,
    MIN_S,
    NAME_CHARS,
    REPLY_CHARS,
    Reply,
    ReplyBuilder,
)
from rollcall.core.messages import UserMessage
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
)

pytestmark = pytest.mark.usefixtures("no_thread_is_left")

GREETING = ModelRequest("Be brief.", (UserMessage.of("hello"),))


@dataclass
class Stream:
    """A builder with a clock that stands still between two deltas, and what came out of it."""

    now: float = 100.0
    events: list[dict[str, Any]] = field(default_factory=list)
    reply: Reply = field(default_factory=lambda: Reply("scripted:model"))

    def __post_init__(self) -> None:
        self.builder = ReplyBuilder(
            self.reply, request=GREETING, message_id="m", clock=lambda: self.now
        )

    def take(self, *deltas: Delta, each_s: float = 0.0) -> Stream:
        for delta in deltas:
            self.events += self.builder.take(delta)
            self.now += each_s
        return self

    def said(self, kind: str = "TOOL_CALL_ARGS") -> list[str]:
        return [each["delta"] for each in self.events if each["type"] == kind]


def pieces(text: str, id: str = "c", size: int = 4) -> list[Delta]:
    return [ArgumentsDelta(id, text[at : at + size]) for at in range(0, len(text), size)]


def test_the_first_piece_goes_on_at_once_and_the_rest_together() -> None:
    stream = Stream().take(CallStart("c", "write_file"), *pieces('{"path": "a.py"}'))
    assert stream.said() == ['{"pa']
    stream.take(CallEnd("c"), Finish(FinishReason.TOOL_CALLS))
    assert stream.said() == ['{"pa', 'th": "a.py"}']
    assert [each["type"] for each in stream.events][-1] == "TOOL_CALL_END"
    assert list(stream.builder.close()) == []
    assert stream.reply.calls == {"c": ("write_file", '{"path": "a.py"}')}


def test_what_is_held_back_goes_on_with_the_first_delta_after_its_moment() -> None:
    stream = Stream().take(CallStart("c", "write_file"), *pieces("x" * 400), each_s=0.01)
    longest = max(map(len, stream.said()))
    assert len(stream.said()[0]) == 4
    assert 12 <= longest <= 24  # what comes in 30 ms, or little more


def test_nothing_waits_longer_than_its_moment_which_grows_a_little() -> None:
    stream = Stream().take(CallStart("c", "write_file"), *pieces("x" * 8))
    assert stream.builder.wait_s(at_most=1.0) == pytest.approx(MIN_S, abs=0.001)
    stream.take(*pieces("x" * 20_000))
    assert stream.builder.wait_s(at_most=1.0) == pytest.approx(MAX_S)
    assert stream.builder.wait_s(at_most=0.01) == 0.01
    stream.now += MAX_S
    assert stream.builder.wait_s(at_most=1.0) == 0.0
    (due,) = stream.builder.due()
    assert len(due["delta"]) == 20_004
    assert stream.builder.wait_s(at_most=1.0) == 1.0


def test_texts_are_gathered_too_and_stand_before_the_calls_that_follow() -> None:
    stream = Stream().take(*(TextDelta(word) for word in ("I ", "will ", "write ", "it.")))
    stream.take(CallStart("c", "write_file"), CallEnd("c"))
    stream.events += stream.builder.close()
    assert [each["type"] for each in stream.events] == [
        *("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT"),
        *("TOOL_CALL_START", "TOOL_CALL_END", "TEXT_MESSAGE_END"),
    ]
    assert stream.said("TEXT_MESSAGE_CONTENT") == ["I ", "will write it."]
    assert stream.reply.text == "I will write it."


def test_calls_side_by_side_keep_their_own() -> None:
    stream = Stream().take(CallStart("a", "x"), CallStart("b", "y"))
    one, other = pieces("1" * 40, "a"), pieces("2" * 40, "b")
    stream.take(*(each for pair in zip(one, other, strict=True) for each in pair))
    stream.events += stream.builder.close()
    assert stream.reply.calls == {"a": ("x", "1" * 40), "b": ("y", "2" * 40)}
    for id in ("a", "b"):
        own = [each for each in stream.events if each.get("toolCallId") == id]
        assert "".join(each.get("delta", "") for each in own) == stream.reply.calls[id][1]


def test_a_character_in_two_halves_is_whole_in_its_event() -> None:
    stream = Stream().take(CallStart("c", "x"), ArgumentsDelta("c", "\ud83d"))
    assert stream.said() == []
    stream.take(ArgumentsDelta("c", "\ude00"))
    assert stream.said() == ["😀"]


def test_many_small_deltas_take_work_in_proportion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REPLY_CHARS", 3_000_000)
    monkeypatch.setattr(paid_calls, "CUT_BYTES_PER_TOKEN", 3_000_000)
    half, whole = (_count_calls(_deltas(chars)) for chars in (20_000, 40_000))
    assert whole / half == pytest.approx(2, rel=0.02)


def test_many_small_deltas_take_time_in_proportion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REPLY_CHARS", 3_000_000)
    monkeypatch.setattr(paid_calls, "CUT_BYTES_PER_TOKEN", 3_000_000)
    # In pieces so large that copying would take most of the time.
    one, eight = (_deltas(chars, size=40) for chars in (200_000, 1_600_000))
    short, long = (min(_time_s(deltas) for _ in range(2)) for deltas in (one, eight))
    assert long / short < 8 * 4  # one that is copied with each delta takes 64 times as long


def _deltas(chars: int, *, size: int = 4) -> list[Delta]:
    text = json.dumps({"path": "a.py", "content": "x" * chars})
    return [CallStart("c", "write_file"), *pieces(text, size=size), CallEnd("c")]


def _read_deltas(deltas: list[Delta]) -> None:
    stream = Stream().take(*deltas, each_s=0.001)
    stream.events += stream.builder.close()
    assert "".join(stream.said()) == stream.reply.calls["c"][1]


def _time_s(deltas: list[Delta]) -> float:
    began = time.process_time()
    _read_deltas(deltas)
    return time.process_time() - began


def _count_calls(deltas: list[Delta]) -> int:
    called = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        _read_deltas(deltas)
    finally:
        sys.setprofile(None)
    return called


def test_a_call_that_is_too_long_is_cut_and_cannot_be_read_as_a_whole_one() -> None:
    text = json.dumps({"path": "a.py", "content": "x" * (REPLY_CHARS + 50_000)})
    stream = Stream().take(CallStart("c", "write_file"), *pieces(text, size=1_000))
    stream.events += stream.builder.close()
    assert stream.builder.is_full
    (call,) = stream.reply.message.tool_calls
    assert call.arguments is None and len(call.arguments_text) < REPLY_CHARS


class Pausing:
    """A model that says a little and then nothing."""

    id = "scripted:pausing"

    def __init__(self) -> None:
        self.goes_on = threading.Event()

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        yield CallStart("c", "write_file")
        yield from pieces('{"path": "a.py", "content": "def')
        self.goes_on.wait(60)
        yield CallEnd("c")
        yield Finish(FinishReason.TOOL_CALLS)


def test_what_is_held_back_comes_while_the_model_pauses() -> None:
    model, came, began = Pausing(), "", time.monotonic()
    reply = stream_reply(
        (model,),
        GREETING,
        message_id="m",
        budget=Budget(),
        is_stopped=lambda: False,
        retries=RetryPolicy(idle_s=10.0),
    )
    for event in reply:
        if event and event["type"] == "TOOL_CALL_ARGS":
            came += event["delta"]
            if came.endswith("def"):
                break
    assert time.monotonic() - began < 30
    model.goes_on.set()
    reply.close()


class Endless:
    """Says one thing for ever, after a beginning; what ends a reply, once."""

    id = "test:endless"

    def __init__(self, again: Delta, *beginning: Delta) -> None:
        self._again, self._beginning = again, beginning

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        yield from self._beginning
        yield self._again
        while not isinstance(self._again, Finish):
            yield self._again


def reply_of(model: Endless, max_output_tokens: int = 200_000):  # type: ignore[no-untyped-def]
    request = ModelRequest("Help.", (UserMessage.of("Hello"),), max_output_tokens=max_output_tokens)
    asked = stream_reply(
        (model,), request, message_id="m", budget=Budget(), is_stopped=lambda: False
    )
    while True:
        try:
            next(asked)
        except StopIteration as end:
            return end.value


def test_an_endless_text_ends_as_one_that_was_too_long() -> None:
    reply = reply_of(Endless(TextDelta("ab" * 10_000)))
    assert (len(reply.text), reply.reason) == (REPLY_CHARS, FinishReason.LENGTH)


def test_endless_arguments_become_a_call_that_cannot_be_read() -> None:
    reply = reply_of(Endless(ArgumentsDelta("c", " " * 10_000), CallStart("c", "look_up")))
    assert reply.reason is FinishReason.LENGTH
    assert len(reply.message.tool_calls[0].arguments_text) <= REPLY_CHARS


@pytest.mark.parametrize("letter", ["x", "ש", "漢", "😀"])
def test_a_reply_is_cut_near_the_tokens_that_it_may_have(letter: str) -> None:
    reply = reply_of(Endless(TextDelta(letter * 7)), max_output_tokens=1_000)
    assert reply.reason is FinishReason.LENGTH
    assert len(reply.text.encode()) == pytest.approx(10_000, abs=3)
    assert set(reply.text) == {letter}


@pytest.mark.parametrize("letter", ["ש", "漢", "😀"])
def test_an_endless_text_is_as_long_in_any_letters(letter: str) -> None:
    reply = reply_of(Endless(TextDelta(letter * 7_000)))
    assert (len(reply.text), reply.reason) == (REPLY_CHARS, FinishReason.LENGTH)


def test_a_tools_name_without_end_is_cut() -> None:
    finish = Finish(FinishReason.TOOL_CALLS)
    (call,) = reply_of(Endless(finish, CallStart("c", "x" * 150_000))).message.tool_calls
    assert call.name == "x" * NAME_CHARS


@pytest.mark.parametrize(("number", "are_kept"), [(1_000, True), (500_000, False)])
def test_parts_that_no_document_could_hold_are_left_out(number: int, are_kept: bool) -> None:
    text = "ש" * 100_000
    parts = ({"text": text}, {"signature": "x" * number})
    finish = Finish(FinishReason.STOP, provider_parts=parts)
    reply = reply_of(Endless(finish, TextDelta(text)))
    assert reply.message.provider_parts == (parts if are_kept else ())
