import time

import pytest
from google.auth.exceptions import DefaultCredentialsError

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
from rollcall.models import gemini
from rollcall.models.base import (
    BrokenOff,
    ContextExceeded,
    FinishReason,
    ModelRequest,
    QuotaExhausted,
    ToolSpec,
)
from tests.support.fake_providers import GEMINI_KEY, FakeProviders, WholeReply, gather
from tests.support.provider_replies import (
    Json,
    Reply,
    gemini_error,
    gemini_parts,
    gemini_text,
    plain,
    sse,
    status,
)

HELLO = UserMessage.of("hello")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)


def say(
    *messages: Message, model: str = "gemini-3.8-flash", deadline: float | None = None
) -> WholeReply:
    request = ModelRequest("Be brief.", messages or (HELLO,), (WEATHER,), deadline=deadline)
    return gather(gemini.Model(model).stream(request), "gemini")


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}
PER_DAY = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}
NO_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("reply", "kind", "retry_after_s"),
    [
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", RETRY), ResourceExhausted, 34.4),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Please retry in 1m2s."), ResourceExhausted, 62.0),
        (status(429, headers={"retry-after": "7"}), ResourceExhausted, 7.0),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", PER_DAY, RETRY), QuotaExhausted, None),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "metric: x, limit: 0"), QuotaExhausted, None),
        (
            gemini_error(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum"),
            ContextExceeded,
            None,
        ),
        (gemini_error(400, "INVALID_ARGUMENT", "Not valid.", NO_KEY), FailedPrecondition, None),
        (gemini_error(400, "FAILED_PRECONDITION", "Wrong country."), FailedPrecondition, None),
        (gemini_error(400, "INVALID_ARGUMENT", "Too long."), InvalidArgument, None),
        (gemini_error(401, "UNAUTHENTICATED"), FailedPrecondition, None),
        (gemini_error(403, "PERMISSION_DENIED"), FailedPrecondition, None),
        (gemini_error(404, "NOT_FOUND"), FailedPrecondition, None),
        (gemini_error(500, "INTERNAL"), Unavailable, None),
        (gemini_error(503, "UNAVAILABLE"), Unavailable, None),
        (Reply((b"<html>Bad gateway",), 502, content_type="text/html"), Unavailable, None),
        (sse({"error": {"code": 503, "status": "UNAVAILABLE", "message": ""}}), Unavailable, None),
        (gemini_text("Hel", "lo").broken(after=1), Unavailable, None),
        (gemini_text("Hel", "lo").ending(after=1), Unavailable, None),
        (gemini_text("Hello").broken(after=0), Unavailable, None),
        (Reply((b'data: {"candidates": [{"cont\r\n\r\n',)), Unavailable, None),
        (plain({"totalTokens": 3}), Unavailable, None),
    ],
)
def test_every_failure_has_its_error(
    fake: FakeProviders, reply: Reply, kind: type[AgentError], retry_after_s: float | None
) -> None:
    fake.gemini(reply)
    with pytest.raises(AgentError) as caught:
        say()
    assert type(caught.value) in (kind, BrokenOff if kind is Unavailable else kind)
    assert caught.value.retry_after_s == retry_after_s
    assert len(fake.requests) == 1, "retries are the loop's business"


@pytest.mark.parametrize(
    "reply",
    [
        gemini_text("one", "two").dripping(after=1),
        gemini_text("one", "two").stalling(after=1),
        gemini_text("one", "two").stalling(after=0),
    ],
)
def test_deadline_holds_however_the_answer_drags(fake: FakeProviders, reply: Reply) -> None:
    fake.gemini(reply)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        say(deadline=began + 0.3)
    assert time.monotonic() - began < 30


def test_past_deadline_sends_nothing(fake: FakeProviders) -> None:
    with pytest.raises(DeadlineExceeded):
        say(deadline=time.monotonic() - 1)
    assert fake.requests == []


def test_key_is_needed_and_never_repeated(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    message = f"Consumer 'key:{GEMINI_KEY}' was refused: AIzaSomebodyElsesKey"
    fake.gemini(*(gemini_error(code, "X", message) for code in (400, 403, 429, 503)))
    for _ in range(4):
        with pytest.raises(AgentError) as caught:
            say()
        assert "AIza" not in f"{caught.value.message} {caught.value.details} {caplog.text}"
        assert caught.value.__cause__ is None
    monkeypatch.delenv("GEMINI_API_KEY")
    with pytest.raises(FailedPrecondition, match="no key"):
        say()


def test_nobody_listening_is_unavailable(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    with pytest.raises(Unavailable):
        say()


def test_embeddings_come_one_for_each_text(fake: FakeProviders) -> None:
    embedder = gemini.Embedder("gemini-embedding-2")
    texts = [f"text {number}" for number in range(101)]
    vectors = embedder.embed(texts, task="query")
    assert [len(vector) for vector in vectors] == [768] * 101
    assert sum(x * x for x in vectors[0]) == pytest.approx(1)
    assert [len(seen.json["requests"]) for seen in fake.requests] == [100, 1]
    asked = fake.requests[0].json["requests"][0]
    assert asked["content"]["parts"] == [{"text": "task: search result | query: text 0"}]
    assert embedder.embed(["a"], task="document") != embedder.embed(["a"], task="query")
    assert embedder.embed([], task="query") == []


@pytest.mark.parametrize(
    "reply",
    [
        plain({"promptFeedback": {"blockReason": "MODEL_ARMOR"}}),
        gemini_error(400, "INVALID_ARGUMENT", "Blocked by Model Armor."),
        sse({"candidates": [{"finishReason": "MODEL_ARMOR"}]}),
    ],
)
def test_model_armor_blocks(fake: FakeProviders, reply: Reply) -> None:
    fake.gemini(reply)
    assert say().finish.reason is FinishReason.BLOCKED


@pytest.fixture
def vertex(fake: FakeProviders, monkeypatch: pytest.MonkeyPatch) -> FakeProviders:
    """Vertex AI, and an identity that is this function's own."""
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GEMINI_BACKEND", "vertex")
    monkeypatch.setenv("GCLOUD_PROJECT", "demo-school")
    monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "europe-west4")
    monkeypatch.setattr(gemini, "_credentials", lambda: Identity())
    return fake


class Identity:
    """Credentials whose token ran out, as google-auth gives them."""

    token, refreshed = "", 0
    quota_project_id: str | None = None

    @property
    def valid(self) -> bool:
        return bool(self.token)

    def refresh(self, request: object) -> None:
        self.token = "ya29.of-the-function"


def test_vertex_is_called_in_the_functions_project_by_its_identity(vertex: FakeProviders) -> None:
    vertex.gemini(gemini_text("Hi"))
    assert say().message.text == "Hi"
    [seen] = vertex.requests
    place = "projects/demo-school/locations/europe-west4/publishers/google/models"
    method = "gemini-3.8-flash:streamGenerateContent?alt=sse"
    assert seen.path == f"/v1beta1/{place}/{method}"
    assert seen.headers["authorization"] == "Bearer ya29.of-the-function"
    assert "x-goog-api-key" not in seen.headers


def test_vertex_is_told_the_project_that_pays_where_the_credentials_name_one(
    vertex: FakeProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    vertex.gemini(gemini_text("Hi"), gemini_text("Hi"))
    say()
    monkeypatch.setattr(Identity, "quota_project_id", "demo-office")
    say()
    paying = [seen.headers.get("x-goog-user-project") for seen in vertex.requests]
    assert paying == [None, "demo-office"]


@pytest.mark.parametrize("key", ["", "unused"])
def test_vertex_refusing_the_identity_names_its_role_and_no_key(
    vertex: FakeProviders, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", key)
    vertex.gemini(gemini_error(403, "PERMISSION_DENIED"))
    with pytest.raises(FailedPrecondition, match="refused the identity") as told:
        say()
    hint = told.value.hint or ""
    assert "Vertex AI User" in hint and "aiplatform.googleapis.com" in hint
    assert "KEY" not in f"{told.value.message} {hint}"


@pytest.mark.parametrize(
    "told",
    [
        {"name": "get_weather", "willContinue": True},
        {"name": "get_weather", "partialArgs": [{"jsonPath": "$.city", "stringValue": "Oslo"}]},
        {},
    ],
)
def test_a_call_without_its_name_or_all_of_its_arguments_breaks_the_answer_off(
    fake: FakeProviders, told: Json
) -> None:
    fake.gemini(gemini_parts([{"functionCall": told}]))
    with pytest.raises(BrokenOff, match="without all of its arguments"):
        say()


def test_vertex_has_an_address_for_each_place(
    vertex: FakeProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL")
    url, _ = gemini._place("g", streamed=False)
    assert url.startswith("https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/")
    monkeypatch.delenv("GOOGLE_CLOUD_LOCATION")
    url, _ = gemini._place("g", streamed=False)
    assert url.startswith("https://aiplatform.googleapis.com/v1beta1/projects/demo-school")
    assert "/locations/global/" in url
    monkeypatch.delenv("GCLOUD_PROJECT")
    with pytest.raises(FailedPrecondition, match="no project"):
        say()


def test_vertex_embeds_by_the_same_identity_and_without_one_fails_as_the_models_do(
    vertex: FakeProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[tuple[str, ...]] = []

    def no_client(*settings: str) -> None:
        clients.append(settings)
        raise DefaultCredentialsError("no identity")

    monkeypatch.setattr(gemini, "_client", no_client)
    with pytest.raises(AgentError):
        gemini.Embedder("gemini-embedding-2").embed(["a"], task="query")
    assert clients == [("demo-school", "europe-west4")]


def test_a_backend_that_does_not_exist_is_refused(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_BACKEND", "bedrock")
    with pytest.raises(FailedPrecondition, match="api or vertex"):
        say()
