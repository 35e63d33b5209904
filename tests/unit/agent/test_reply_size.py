"""A reply that never ends is cut off where it could not be stored any more."""

from __future__ import annotations

from collections.abc import Iterator

from rollcall.agent.intake import PARTS_CHARS, REPLY_CHARS, storable
from rollcall.agent.purse import Free
from rollcall.agent.replies import stream_reply
from rollcall.core.messages import UserMessage
from rollcall.models.base import (
    ArgumentsDelta,
    CallStart,
    Delta,
    FinishReason,
    ModelRequest,
    TextDelta,
)


class Endless:
    """Says one thing for ever, after a beginning."""

    id = "test:endless"

    def __init__(self, again: Delta, *beginning: Delta) -> None:
        self._again, self._beginning = again, beginning

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        yield from self._beginning
        while True:
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


def test_parts_that_no_document_could_hold_are_left_out() -> None:
    assert storable(({"text": "x"},), of="test:m") == ({"text": "x"},)
    assert storable(({"text": "x" * PARTS_CHARS},), of="test:m") == ()
