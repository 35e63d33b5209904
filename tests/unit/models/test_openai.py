import json
import time

import pytest

from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.messages import (
    Message,
    UserMessage,
)
from rollcall.models import openai
from rollcall.models.base import BrokenOff, ModelRequest, QuotaExhausted, ToolSpec
from tests.support.fake_providers import OPENAI_KEY, FakeProviders, WholeReply, gather, vector_of
from tests.support.provider_replies import (
    Json,
    Reply,
    plain,
    response_of,
    responses,
    responses_text,
    sse,
    status,
)

HELLO = UserMessage.of("hello")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)
OSLO = '{"city": "Oslo"}'


def say(*messages: Message, model: str = "gpt-5.5", deadline: float | None = None) -> WholeReply:
    request = ModelRequest("Be brief.", messages or (HELLO,), (WEATHER,), deadline=deadline)
    return gather(openai.Model(model).stream(request), "openai")


def failed(code: str, message: str = "") -> Reply:
    event = {"type": "error", "code": code, "message": message}
    return sse({"type": "response.created", "response": response_of([])}, event)


SORRY = {"code": "server_error", "message": "Sorry."}


@pytest.mark.parametrize(
    ("reply", "kind", "retry_after_s"),
    [
        (status(400), InvalidArgument, None),
        (status(401), FailedPrecondition, None),
        (status(403), FailedPrecondition, None),
        (status(404), FailedPrecondition, None),
        (status(422), InvalidArgument, None),
        (status(429, headers={"retry-after": "7"}), ResourceExhausted, 7.0),
        (status(429, headers={"retry-after-ms": "1500"}), ResourceExhausted, 1.5),
        (status(429, {"error": {"message": "Try again in 20ms."}}), ResourceExhausted, 0.02),
        (status(429, {"error": {"code": "insufficient_quota"}}), QuotaExhausted, None),
        (status(402), QuotaExhausted, None),
        (status(500), Unavailable, None),
        (status(503, headers={"retry-after": "2"}), Unavailable, 2.0),
        (failed("rate_limit_exceeded"), ResourceExhausted, None),
        (failed("invalid_prompt"), InvalidArgument, None),
        (failed("server_is_overloaded"), Unavailable, None),
        (responses(ends="failed", error=SORRY), Unavailable, None),
        (
            plain({"error": {"type": "invalid_request_error", "message": "No."}}),
            InvalidArgument,
            None,
        ),
        (responses_text("Hello").broken(after=3), Unavailable, None),
        (responses_text("Hello").ending(after=3), Unavailable, None),
        (Reply((b"data: {not json}\n\n",)), Unavailable, None),
        (Reply((b'{"object": "respon',)), Unavailable, None),
        (Reply((b"<html>Welcome</html>",)), Unavailable, None),
        (Reply(()), Unavailable, None),
    ],
)
def test_every_failure_has_its_error(
    fake: FakeProviders, reply: Reply, kind: type[AgentError], retry_after_s: float | None
) -> None:
    fake.openai(reply)
    with pytest.raises(AgentError) as caught:
        say()
    assert type(caught.value) in (kind, BrokenOff if kind is Unavailable else kind)
    assert caught.value.retry_after_s == retry_after_s
    assert len(fake.requests) == 1, "retries are the loop's business"


@pytest.mark.parametrize(
    "reply",
    [
        responses_text("Hello, world").dripping(after=4),
        responses_text("Hello, world").stalling(after=4),
        responses_text("Hello, world").stalling(after=0),
    ],
)
def test_deadline_holds_however_the_answer_drags(fake: FakeProviders, reply: Reply) -> None:
    fake.openai(reply)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        say(deadline=began + 0.3)
    assert time.monotonic() - began < 30


def test_a_tools_json_is_written_once_and_sent_as_it_is(fake: FakeProviders) -> None:
    spec = ToolSpec("get_weather", "מזג האוויר", {"type": "object", "properties": {"עיר": {}}})
    told = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    assert spec.json_text is spec.json_text
    assert json.loads(spec.json_text) == told
    fake.openai(responses_text("Cold."))
    gather(openai.Model("gpt-5.5").stream(ModelRequest("", (HELLO,), (spec, WEATHER))))
    assert fake.requests[0].json["tools"][0] == {"type": "function", "strict": False, **told}


def test_client_is_usable_after_a_cut(fake: FakeProviders) -> None:
    fake.openai(responses_text("one two").stalling(after=4), responses_text("one two"))
    while not fake.requests:  # a busy machine may send nothing in that time
        with pytest.raises(DeadlineExceeded):
            say(deadline=time.monotonic() + 0.2)
    assert say(deadline=time.monotonic() + 60).message.text == "one two"


def test_key_is_needed_by_openai_and_never_repeated(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    body = {"error": {"message": f"Wrong key: {OPENAI_KEY}, not sk-other-0123", "code": "x"}}
    fake.openai(*(status(code, body) for code in (400, 401, 429, 503)))
    for _ in range(4):
        with pytest.raises(AgentError) as caught:
            say()
        assert "sk-" not in f"{caught.value.message} {caught.value.details} {caplog.text}"
        assert caught.value.__cause__ is None
    monkeypatch.delenv("OPENAI_API_KEY")
    fake.openai(responses_text("ok"))
    assert say().message.text == "ok", "other servers need none"
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(FailedPrecondition, match="no key"):
        say()


@pytest.mark.parametrize(
    ("base_url", "overrule", "api"),
    [
        ("", "", "responses"),
        ("https://eu.api.openai.com/v1", "", "responses"),
        ("http://127.0.0.1:11434/v1", "", "chat"),
        ("https://openai.com.example/v1", "", "chat"),
        ("http://127.0.0.1:8000/v1", "responses", "responses"),
        ("", "chat", "chat"),
    ],
)
def test_the_server_decides_which_api_is_spoken(
    monkeypatch: pytest.MonkeyPatch, base_url: str, overrule: str, api: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    monkeypatch.setenv("OPENAI_API", overrule)
    assert openai._server().api == api


def test_embeddings_come_one_for_each_text(fake: FakeProviders) -> None:
    vectors = openai.Embedder("text-embedding-3-small").embed(["a", "", "b"], task="query")
    assert [len(vector) for vector in vectors] == [768] * 3
    sent = fake.requests[0].json
    assert (sent["dimensions"], sent["input"]) == (768, ["a", " ", "b"])


def test_longer_embeddings_than_are_kept_are_refused(fake: FakeProviders) -> None:
    with pytest.raises(FailedPrecondition, match="1536 numbers, not of 768 at most"):
        openai.Embedder("another-model").embed(["a"], task="query")


def test_a_smaller_models_embeddings_are_filled_up_and_keep_their_angles(
    fake: FakeProviders,
) -> None:
    fake.embedding_size = 384
    vectors = openai.Embedder("all-minilm").embed(["a", "b"], task="document")
    assert [len(vector) for vector in vectors] == [768] * 2
    assert vectors[0][:384] == pytest.approx(vector_of("a", 384), abs=1e-6)
    assert vectors[0][384:] == [0.0] * 384


def test_a_long_text_is_cut_to_what_the_server_takes(fake: FakeProviders) -> None:
    vectors = openai.Embedder("text-embedding-3-small").embed(["שלום " * 5_000], task="document")
    [sent] = fake.requests[0].json["input"]
    assert len(vectors) == 1
    assert openai.EMBED_BYTES - 4 <= len(sent.encode()) <= openai.EMBED_BYTES
    assert "\ufffd" not in sent


def test_many_long_texts_go_in_several_requests_in_their_order(fake: FakeProviders) -> None:
    texts = [f"{n} " + "א" * 9_000 for n in range(80)]
    vectors = openai.Embedder("text-embedding-3-small").embed(texts, task="document")
    sent = [request.json["input"] for request in fake.requests]
    assert [text.split()[0] for some in sent for text in some] == [f"{n}" for n in range(80)]
    assert len(vectors) == 80
    sizes = [sum(len(text.encode()) for text in some) for some in sent]
    assert len(sizes) == 3 and max(sizes) <= openai.EMBED_BATCH_BYTES


def test_many_short_texts_go_in_requests_of_a_bounded_number(fake: FakeProviders) -> None:
    openai.Embedder("text-embedding-3-small").embed(["a"] * 300, task="document")
    assert [len(request.json["input"]) for request in fake.requests] == [256, 44]


def test_a_text_that_is_no_unicode_is_embedded_all_the_same(fake: FakeProviders) -> None:
    assert len(openai.Embedder("text-embedding-3-small").embed(["a\ud800"], task="query")) == 1
    assert openai.Embedder("text-embedding-3-small").embed([], task="query") == []
