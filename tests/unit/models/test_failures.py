"""No exception of an SDK or of its transport gets past the adapters."""

import inspect
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import openai as openai_sdk
import pytest
from google.genai import errors as gemini_errors

from rollcall.core.errors import AgentError, DeadlineExceeded, Unavailable
from rollcall.models.base import Clock
from rollcall.models.failures import agent_errors, as_agent_error, kind_of, shown
from rollcall.models.provider import provider_of
from rollcall.models.transport import ProviderError
from tests.support.for_every import for_every

REQUEST = httpx2.Request("POST", "https://provider.example/?key=sk-planted-0123")
WORDS = "Wrong key sk-planted-0123"
BODY = {"error": {"message": WORDS, "code": "x", "status": "Y"}}


def classes_below(base: type[Exception]) -> list[type[Exception]]:
    found = [base]
    for each in base.__subclasses__():
        found += classes_below(each)
    return found


def instances_of(kind: type[Exception]) -> Iterator[Exception]:
    """The exception as its library makes it, once for each HTTP status."""
    for status in (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503, 504):
        response = httpx2.Response(status, request=REQUEST, json=BODY)
        known = {"response": response, "request": REQUEST, "body": BODY, "response_json": BODY}
        known |= {"code": status, "completion": SimpleNamespace(usage=None)}
        plain: Any = (Exception.__init__, ValueError.__init__)
        written = kind.__init__ not in plain
        places = inspect.signature(kind).parameters.values() if written else ()
        yield kind(
            *(known.get(p.name, WORDS) for p in places if p.kind is p.POSITIONAL_OR_KEYWORD),
            **{p.name: known.get(p.name, WORDS) for p in places if p.kind is p.KEYWORD_ONLY},
        )


BASES = [
    openai_sdk.OpenAIError,
    gemini_errors.APIError,
    gemini_errors.UnsupportedFunctionError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    httpx2.CookieConflict,
]
KINDS = {kind for base in BASES for kind in classes_below(base)}


@for_every("kind", KINDS)
@pytest.mark.parametrize("model_id", ["gemini:g", "openai:o"])
def test_every_exception_of_the_sdks_becomes_ours(kind: type[Exception], model_id: str) -> None:
    for error in instances_of(kind):
        ours = as_agent_error(error, model_id, Clock(None))
        assert isinstance(ours, AgentError)
        assert ours.code != "internal"
        assert "planted" not in f"{ours.message} {ours.details}"


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), MemoryError(), OSError()])
def test_whatever_an_sdk_trips_over_is_unavailable(error: Exception) -> None:
    with pytest.raises(Unavailable), agent_errors("openai:o", Clock(None)):
        raise error


@pytest.mark.parametrize(
    ("model_id", "status", "words", "kind"),
    [
        ("openai:o", 429, "Too many tokens, please wait before trying again.", "rate"),
        ("openai:o", 429, "Request too large for o on tokens per min", "quota"),
        ("openai:o", 400, "Too many tokens: 9 of 8", "window"),
        ("openai:o", 500, "the request exceeds the context size", "window"),
        ("openai:o", 400, "Invalid schema for function 'list_flagged': x", "request"),
        ("openai:o", 400, "'flagged' is not valid in function parameters", "request"),
        ("openai:o", 400, "Your prompt was flagged", "blocked"),
        ("anthropic:a", 400, "Content refused by moderation", "blocked"),
        ("anthropic:a", 400, "input length and `max_tokens` exceed context limit: 9 > 8", "window"),
        ("gemini:g", 400, "API key expired. Please renew the API key.", "key"),
        ("openai:o", 400, "API key expired. Please renew the API key.", "key"),
        ("gemini:g", 429, "Quota exceeded for limit 'Pro Requests per day per user'", "quota"),
        ("gemini:g", 429, "Quota exceeded for limit 'Requests per minute'", "rate"),
    ],
)
def test_words_decide_only_where_the_status_leaves_it_open(
    model_id: str, status: int, words: str, kind: str
) -> None:
    error = ProviderError(status, {"message": words})
    assert kind_of(error, provider_of(model_id)) == kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [({"quota_limit_value": "0"}, "quota"), ({"quota_limit_value": "60"}, "rate")],
)
def test_a_quota_of_nothing_is_not_waited_for(value: dict[str, str], kind: str) -> None:
    limit = {"quota_limit": "GenerateContentRequestsPerMinutePerProjectPerRegion", **value}
    details = [{"reason": "RATE_LIMIT_EXCEEDED", "metadata": limit}]
    body = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota.", "details": details}
    assert kind_of(ProviderError(429, body), provider_of("gemini:g")) == kind


def test_failures_after_the_deadline_are_the_deadline() -> None:
    over = Clock(time.monotonic() - 1)
    for error in (httpx2.ReadTimeout(""), Unavailable("dropped")):
        with pytest.raises(DeadlineExceeded), agent_errors("gemini:g", over):
            raise error


def test_keys_of_many_makes_are_taken_out() -> None:
    keys = ["sk-proj-0123", "AIzaSyA0123", "ya29.a0AB", "gsk_0123abcd", "f" * 32]
    for key in keys:
        assert key not in shown(f"the key {key}, twice: {key}")
    assert "secret" not in shown("Bearer secret and ?key=secret&x=1")


def test_the_key_in_use_is_taken_out_and_a_local_servers_placeholder_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "my own key")
    assert shown("not my own key") == "not [hidden]"
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert shown("the context is exceeded") == "the context is exceeded"
