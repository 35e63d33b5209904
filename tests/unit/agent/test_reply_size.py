"""A reply that never ends is cut off where it could not be stored any more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rollcall.agent.intake import NAME_CHARS, REPLY_CHARS
from rollcall.agent.purse import Free
from rollcall.agent.replies import stream_reply
from rollcall.core.messages import UserMessage
from rollcall.models.base import (
    ArgumentsDelta,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
)


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


def reply_of(model: Endless):  # type: ignore[no-untyped-def]
    request = ModelRequest("Help.", (UserMessage.of("Hello"),))
    asked = stream_reply((model,), request, message_id="m", purse=Free(), is_stopped=lambda: False)
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
