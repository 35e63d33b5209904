"""Streams as networks deliver them: cut anywhere, in pieces of any size, doubled.

A stream that is cut is an error, or the reply up to its own end; it is never a reply with less than
it had. However a whole one is cut into pieces, the same is read.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

import pytest

from rollcall.core.errors import Unavailable
from rollcall.models import anthropic, gemini, openai_chat, openai_responses
from rollcall.models.base import Delta
from rollcall.models.json_stream import json_events
from tests.support import provider_replies as wire
from tests.support.fake_providers import WholeReply, gather
from tests.support.full_form import amount
from tests.support.provider_replies import Json, Reply

ROUNDS = amount(50, full=500)
OSLO = '{"city": "אוסלו\u2028 \\"N\\""}'
ARGUMENTS = {"city": 'אוסלו\u2028 "N"'}
TEXT = "Looking…\u2028 עכשיו"


def read_gemini(events: Iterable[dict[str, Json]]) -> Iterator[Delta]:
    reply = gemini.Reply()
    for event in events:
        yield from reply.read(event)
    yield from reply.finish()


def read_anthropic(events: Iterable[dict[str, Json]]) -> Iterator[Delta]:
    reply = anthropic._Reply("m")
    yield from reply.read(events)
    yield from reply.finish()


STREAMS: dict[str, tuple[Reply, Callable[..., Iterator[Delta]]]] = {
    "chat": (
        wire.chat(
            {"reasoning_content": "Hm."},
            {"content": TEXT},
            wire.chat_call_delta("get_weather", OSLO[:7], id="a"),
            wire.chat_more_delta(OSLO[7:]),
            wire.chat_call_delta("get_weather", OSLO, id="b", index=1),
            finish="tool_calls",
        ),
        lambda events: openai_chat.read(events, "m"),
    ),
    "responses": (
        wire.responses(
            wire.message_item(TEXT),
            wire.call_item("get_weather", OSLO, call_id="a"),
            wire.call_item("get_weather", OSLO, call_id="b"),
        ),
        lambda events: openai_responses.read(events, "m"),
    ),
    "gemini": (
        wire.gemini_parts(
            [{"text": TEXT}],
            [wire.gemini_call_part("get_weather", ARGUMENTS, id="a", signature="c2ln")],
            [wire.gemini_call_part("get_weather", ARGUMENTS, id="b")],
        ),
        read_gemini,
    ),
    "anthropic": (
        wire.messages(
            wire.thinking_block("Hm.", "c2ln"),
            wire.text_block(TEXT),
            wire.tool_use_block("get_weather", ARGUMENTS, id="a"),
            wire.tool_use_block("get_weather", ARGUMENTS, id="b"),
            stop="tool_use",
        ),
        read_anthropic,
    ),
}


@pytest.fixture(params=STREAMS)
def stream(request: pytest.FixtureRequest) -> tuple[bytes, Callable[[Iterable[bytes]], WholeReply]]:
    """A stream's bytes, and what reads such."""
    reply, read = STREAMS[request.param]
    return b"".join(reply.chunks), lambda chunks: gather(read(json_events(chunks)))


def heard(said: WholeReply) -> Json:
    calls = [(call.name, call.arguments) for call in said.message.tool_calls]
    return said.message.text, calls, said.finish.reason


@pytest.mark.long
def test_a_stream_that_is_cut_is_an_error_or_whole(
    stream: tuple[bytes, Callable[[Iterable[bytes]], WholeReply]],
) -> None:
    body, read = stream
    whole = heard(read([body]))
    assert whole[:2] == (TEXT, [("get_weather", ARGUMENTS)] * 2)
    cut = 0
    ends = range(0, len(body), amount(23, full=1))
    for end in ends:
        try:
            assert heard(read([body[:end]])) == whole, f"cut after {end} bytes"
        except (Unavailable, ValueError):
            cut += 1
    assert cut > len(ends) * 0.7


@pytest.mark.long
def test_however_it_is_cut_into_pieces_the_same_is_read(
    stream: tuple[bytes, Callable[[Iterable[bytes]], WholeReply]],
) -> None:
    body, read = stream
    whole, dice = heard(read([body])), random.Random(17)
    for _ in range(ROUNDS):
        ends = sorted(dice.sample(range(1, len(body)), dice.randrange(1, 40)))
        pieces = [body[a:b] for a, b in zip([0, *ends], [*ends, len(body)], strict=True)]
        assert heard(read(pieces)) == whole
    for line_end in (b"\r\n", b"\r"):
        assert heard(read([body.replace(b"\n", line_end)])) == whole
    assert heard(read(body[n : n + 1] for n in range(len(body)))) == whole


def test_a_stream_that_is_sent_twice_is_read_once(
    stream: tuple[bytes, Callable[[Iterable[bytes]], WholeReply]], request: pytest.FixtureRequest
) -> None:
    body, read = stream
    if "gemini" in request.node.name:
        pytest.skip("Gemini's streams end with their connection: nothing in them says so")
    assert heard(read([body, body])) == heard(read([body]))


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + b"x" * 65_536] + [b"x" * 65_536] * 40,
        [b'data: {"a": \n'] + [b"data: 1\n" * 4_096] * 300,
        [b"{\n"] + [b'"a": 1,\n' * 8_192] * 200,
    ],
    ids=["one line", "one event", "one body"],
)
def test_what_never_ends_is_refused_before_it_fills_the_memory(chunks: list[bytes]) -> None:
    with pytest.raises(ValueError, match="too long"):
        list(json_events(chunks))
