"""Replies that nobody watches come in one piece, and are the same replies."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rollcall.agent.reply import threaded_stream
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.messages import UserMessage
from rollcall.models.base import (
    BrokenOff,
    FinishReason,
    ModelRequest,
    TextDelta,
    ToolSpec,
    load_model,
)
from tests.support import provider_replies as wire
from tests.support.fake_providers import FakeProviders, WholeReply, gather
from tests.support.for_every import for_every
from tests.support.provider_replies import Json, Reply
from tests.support.whole_replies import in_one_piece

APIS = ("responses", "chat", "gemini", "anthropic")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)
OSLO = '{"city": "Oslo"}'
HTML = Reply((b"<html><body>Bad gateway</body></html>",), 502, content_type="text/html")
FILTERED = wire.responses(
    wire.message_item("Once"), ends="incomplete", incomplete_details={"reason": "content_filter"}
)
REFUSED = wire.status(400, {"error": {"code": "content_filter", "message": "No."}})
MALFORMED = FinishReason.MALFORMED


@pytest.fixture(scope="module", params=APIS)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, FakeProviders]]:
    """Each API, and a server that speaks it."""
    chosen = "chat" if request.param == "chat" else "responses"
    with FakeProviders(openai_api=chosen) as fake:
        yield request.param, fake


@pytest.fixture
def api(served: tuple[str, FakeProviders]) -> str:
    served[1].reset()
    return served[0]


@pytest.fixture
def fake(served: tuple[str, FakeProviders]) -> FakeProviders:
    return served[1]


def asked(*, streamed: bool, deadline: float | None = None) -> ModelRequest:
    hello = (UserMessage.of("hello"),)
    return ModelRequest("Be brief.", hello, (WEATHER,), deadline=deadline, streamed=streamed)


def model_of(api: str) -> Any:
    names = {"gemini": "gemini:gemini-3.8-flash", "anthropic": "anthropic:claude-sonnet-5-5"}
    return load_model(names.get(api, "openai:gpt-5.5"))


def provider_of(api: str) -> str:
    return api if api in ("gemini", "anthropic") else "openai"


def queue(fake: FakeProviders, api: str) -> Callable[..., None]:
    """Where an API's replies are queued."""
    found: Callable[..., None] = getattr(fake, provider_of(api))
    return found


def say(
    fake: FakeProviders,
    api: str,
    reply: Reply,
    *,
    streamed: bool = False,
    deadline: float | None = None,
) -> WholeReply:
    queue(fake, api)(reply)
    request = asked(streamed=streamed, deadline=deadline)
    return gather(model_of(api).stream(request), provider_of(api))


def text(api: str, *pieces: str) -> Reply:
    if api == "responses":
        return wire.responses_text(*pieces)
    if api == "anthropic":
        return wire.messages_text(*pieces)
    return wire.chat_text(*pieces) if api == "chat" else wire.gemini_text(*pieces)


def reply_of(api: str, pieces: list[str], calls: list[dict[str, str]]) -> Reply:
    """A streamed reply of a text in these pieces, and of calls with these arguments."""
    if api == "responses":
        items = [wire.message_item("".join(pieces))] if pieces else []
        items += [
            wire.call_item("get_weather", json.dumps(call), call_id=f"call_{place}")
            for place, call in enumerate(calls)
        ]
        return wire.responses(*items, size=3)
    if api == "chat":
        deltas: list[Json] = [{"content": piece} for piece in pieces]
        for place, call in enumerate(calls):
            whole = json.dumps(call)
            begins = wire.chat_call_delta("get_weather", whole[:4], id=f"c{place}", index=place)
            deltas += [begins, wire.chat_more_delta(whole[4:], index=place)]
        return wire.chat(*deltas, finish="tool_calls" if calls else "stop")
    if api == "anthropic":
        blocks = [wire.text_block("".join(pieces))] if pieces else []
        blocks += [
            wire.tool_use_block("get_weather", call, id=f"c{place}")
            for place, call in enumerate(calls)
        ]
        return wire.messages(*blocks, stop="tool_use" if calls else "end_turn")
    parts = [[{"text": piece}] for piece in pieces]
    parts += [
        [wire.gemini_call_part("get_weather", call, id=f"c{place}", signature="c2ln")]
        for place, call in enumerate(calls)
    ]
    return wire.gemini_parts(*(parts or [[]]))


words = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    pieces=st.lists(words, max_size=4),
    calls=st.lists(st.dictionaries(words, words, max_size=2), max_size=3),
)
def test_a_reply_is_the_same_streamed_and_in_one_piece(
    api: str, fake: FakeProviders, pieces: list[str], calls: list[dict[str, str]]
) -> None:
    reply = reply_of(api, pieces, calls)
    streamed, whole = say(fake, api, reply, streamed=True), say(fake, api, in_one_piece(reply))
    assert whole.message == streamed.message
    assert whole.finish == streamed.finish
    texts = [delta.text for delta in whole.deltas if isinstance(delta, TextDelta)]
    assert texts == (["".join(pieces)] if pieces else []), "whole, not in pieces"


def test_only_a_stream_is_asked_for_as_one(api: str, fake: FakeProviders) -> None:
    say(fake, api, text(api, "Hi"), streamed=True)
    say(fake, api, in_one_piece(text(api, "Hi")))
    streamed, plain = fake.requests
    if api == "gemini":
        assert streamed.path.endswith(":streamGenerateContent?alt=sse")
        assert plain.path.endswith(":generateContent")
        assert plain.json == streamed.json
    else:
        assert plain.path == streamed.path
        rest = {key: streamed.json[key] for key in streamed.json.keys() - plain.json.keys()}
        options = {"stream_options": {"include_usage": True}} if api == "chat" else {}
        assert rest == {"stream": True, **options}


def test_who_streams_all_the_same_is_understood(api: str, fake: FakeProviders) -> None:
    said = say(fake, api, text(api, "Hello, ", "world!"))
    assert said.message.text == "Hello, world!"


def test_models_that_are_given_tools_by_words_are_asked_alike(
    api: str, fake: FakeProviders
) -> None:
    call = f'Let me see.\n<tool_call>\n{{"name": "get_weather", "arguments": {OSLO}}}\n</tool_call>'
    said = {}
    for streamed in (True, False):
        reply = text(api, call) if streamed else in_one_piece(text(api, call))
        queue(fake, api)(reply)
        model = load_model(f"prompted:{model_of(api).id}")
        said[streamed] = gather(model.stream(asked(streamed=streamed)), "prompted")
    for each in said.values():
        assert each.message.text == "Let me see."
        assert [call.arguments for call in each.message.tool_calls] == [{"city": "Oslo"}]
    streams = [
        b'"stream":true' in request.body or ":stream" in request.path for request in fake.requests
    ]
    assert streams == [True, False]


def test_the_planner_says_the_same_at_once() -> None:
    told = {}
    for streamed in (True, False):
        request = replace(asked(streamed=streamed), messages=(UserMessage.of("What can you do?"),))
        told[streamed] = gather(load_model("offline:planner").stream(request))
    assert told[False].message == told[True].message
    assert told[False].finish == told[True].finish
    assert sum(isinstance(delta, TextDelta) for delta in told[False].deltas) == 1


@pytest.mark.parametrize("streamed", [True, False])
def test_one_connection_serves_one_request_after_another(
    api: str, fake: FakeProviders, streamed: bool
) -> None:
    for _ in range(3):
        reply = text(api, "Hello, ", "world!")
        say(fake, api, reply if streamed else in_one_piece(reply), streamed=streamed)
    assert len({request.port for request in fake.requests}) == 1


@pytest.mark.parametrize("spoken", ["responses", "chat"])
def test_an_end_that_is_said_and_not_made_is_not_waited_for(spoken: str) -> None:
    reply = text(spoken, "Hello, ", "world!")
    with FakeProviders(openai_api=spoken) as fake:
        endless = reply.stalling(after=len(reply.chunks))
        said = say(fake, spoken, endless, streamed=True, deadline=time.monotonic() + 30)
        assert said.message.text == "Hello, world!"
        assert fake.hung_up.wait(60), "its connection is not kept"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidArgument),
        (401, FailedPrecondition),
        (404, FailedPrecondition),
        (429, ResourceExhausted),
        (500, Unavailable),
        (503, Unavailable),
    ],
)
def test_every_status_has_its_error(
    api: str, fake: FakeProviders, status: int, kind: type[AgentError]
) -> None:
    with pytest.raises(AgentError) as caught:
        say(fake, api, wire.status(status, headers={"retry-after": "7"}))
    assert type(caught.value) in (kind, BrokenOff if kind is Unavailable else kind)
    if kind in (ResourceExhausted, Unavailable):
        assert caught.value.retry_after_s == 7
    assert len(fake.requests) == 1, "retries are the loop's business"


@pytest.mark.parametrize("what", ["html", "cut", "short", "empty", "nothing", "not json", "failed"])
def test_an_answer_that_is_none_is_unavailable(api: str, fake: FakeProviders, what: str) -> None:
    whole = in_one_piece(text(api, "Hello, world!"))
    replies = {
        "html": HTML,
        "cut": whole.broken(after=1),
        "short": whole.ending(after=1),
        "empty": Reply((), content_type="application/json"),
        "nothing": wire.plain({}),
        "not json": Reply((b"{not json}",), content_type="application/json"),
        "failed": wire.plain({"error": {"code": 503, "message": "Sorry.", "status": "X"}}),
    }
    with pytest.raises(Unavailable):
        say(fake, api, replies[what])


@for_every(
    ("ending", "reply", "kind"),
    [
        ("responses", wire.responses(ends="failed", error={"code": "server_error"}), Unavailable),
        ("responses", wire.responses(ends="cancelled"), Unavailable),
        ("responses", FILTERED, FinishReason.BLOCKED),
        ("responses", REFUSED, FinishReason.BLOCKED),
        ("chat", wire.chat_text("On and", finish="length"), FinishReason.LENGTH),
        ("chat", wire.chat_text("Once", finish="content_filter"), FinishReason.BLOCKED),
        ("chat", wire.chat({"refusal": "No."}), FinishReason.BLOCKED),
        ("gemini", wire.gemini_blocked(), FinishReason.BLOCKED),
        ("gemini", wire.gemini_text("On and", finish="MAX_TOKENS"), FinishReason.LENGTH),
        ("gemini", wire.gemini_parts([], finish="MISSING_THOUGHT_SIGNATURE"), MALFORMED),
        ("gemini", wire.gemini_parts([{"functionCall": {}}]), Unavailable),
    ],
)
def test_every_ending_is_as_in_a_stream(ending: str, reply: Reply, kind: Any) -> None:
    with FakeProviders(openai_api=ending.replace("gemini", "responses")) as fake:
        for streamed in (True, False):
            sent = reply if streamed else in_one_piece(reply)
            if isinstance(kind, FinishReason):
                assert say(fake, ending, sent, streamed=streamed).finish.reason is kind
            else:
                with pytest.raises(kind):
                    say(fake, ending, sent, streamed=streamed)


@pytest.mark.parametrize("drags", ["drips", "stalls", "is mute"])
def test_the_deadline_holds_however_the_answer_drags(
    api: str, fake: FakeProviders, drags: str
) -> None:
    whole = in_one_piece(text(api, "one two"))
    replies = {
        "drips": whole.dripping(after=1),
        "stalls": whole.stalling(after=1),
        "is mute": Reply((), is_mute=True),
    }
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        say(fake, api, replies[drags], deadline=began + 0.3)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("reply", [Reply((), is_mute=True), None])
def test_nobody_waits_for_an_answer_that_is_not_wanted_any_more(
    api: str, fake: FakeProviders, reply: Reply | None
) -> None:
    stalling = reply or in_one_piece(text(api, "one two")).stalling(after=1)
    queue(fake, api)(stalling)
    deltas = threaded_stream(model_of(api), asked(streamed=False), wait_s=lambda: 0.05)
    assert next(deltas) is None, "who waits may look up meanwhile"
    while not fake.requests:
        next(deltas)
    deltas.close()
    assert fake.hung_up.wait(60), "the connection is cut"
