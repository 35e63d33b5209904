"""Models and embeddings of Google's Gemini API, `gemini:<model>`.

The key comes from `GOOGLE_API_KEY` or `GEMINI_API_KEY`, another address from
`GOOGLE_GEMINI_BASE_URL`. Prompts are not stored by Google (`store=False`), tools are never run
by the SDK, and nothing is retried here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.redaction import redacted
from rollcall.models._failures import failures_as_ours
from rollcall.models._gemini_wire import PROVIDER, Reply, body_of
from rollcall.models._json_stream import json_events, mapping, timely
from rollcall.models._sharing import shared
from rollcall.models.base import Clock, Delta, ModelRequest

if TYPE_CHECKING:
    import httpx2
    from google import genai
    from google.genai.models import Models

SDK = "google.genai"
CALL_LIMIT_S = 300.0
EMBED_LIMIT_S = 60.0
EMBED_BATCH = 100


class Model:
    """A Gemini model that streams text and calls tools."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER}:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once; see `rollcall.models.base`."""
        clock = Clock(request.deadline)
        key = _key()
        with failures_as_ours(self.id, clock, key):
            left_s = clock.left_s(at_most=CALL_LIMIT_S)
            models = _client(key, _base_url()).models
            with closing(_answer(models, self.name, request, left_s)) as response:
                reply = Reply()
                for chunk in json_events(timely(response.iter_bytes(), clock, CALL_LIMIT_S)):
                    _raise_failure(chunk, response)
                    yield from reply.read(chunk)
                yield from reply.finish()


class Embedder:
    """A Gemini embedding model, cut to 768 dimensions and to length 1."""

    dimensions = 768

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER}:{name}"

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        """Turn texts into vectors, in the order of the texts.

        Raises:
            AgentError: As for a model's `stream`.
        """
        key = _key()
        texts = [redacted(text) for text in texts]
        vectors: list[list[float]] = []
        for start in range(0, len(texts), EMBED_BATCH):
            with failures_as_ours(self.id, Clock(None), key):
                client = _client(key, _base_url())
                vectors += self._embed(client, texts[start : start + EMBED_BATCH], task)
        return vectors

    def _embed(
        self, client: genai.Client, texts: list[str], task: Literal["query", "document"]
    ) -> list[list[float]]:
        from google.genai import types

        config = types.EmbedContentConfig(
            output_dimensionality=self.dimensions,
            http_options=types.HttpOptions(timeout=int(EMBED_LIMIT_S * 1000)),
        )
        if "embedding-001" in self.name:
            config.task_type = f"RETRIEVAL_{task.upper()}"
        else:
            # Later models read the task from the text.
            lead = "task: search result | query: " if task == "query" else "title: none | text: "
            texts = [lead + text for text in texts]
        # Plain strings would be merged into one vector by gemini-embedding-2.
        contents: Any = [types.Content(parts=[types.Part(text=text)]) for text in texts]
        reply = client.models.embed_content(model=self.name, contents=contents, config=config)
        vectors = [_unit(each.values or []) for each in reply.embeddings or []]
        if [len(vector) for vector in vectors] != [self.dimensions] * len(texts):
            raise Unavailable("Gemini did not send one vector of 768 numbers for each text")
        return vectors


def connect() -> None:
    """Make the client of all calls: the SDK's, and certificates are read.

    Raises:
        FailedPrecondition: There is no key.
    """
    _client(_key(), _base_url())


def _answer(models: Models, name: str, request: ModelRequest, limit_s: float) -> httpx2.Response:
    """Ask through the SDK, and get the answer as it is."""
    from google.genai import types

    from rollcall.models._gemini_http import kept_answer

    # Made without being checked: building what checks these takes a process's first call 30 ms.
    config = types.GenerateContentConfig.model_construct(
        automatic_continuation=False,
        automatic_function_calling=types.AutomaticFunctionCallingConfig.model_construct(
            disable=True
        ),
        http_options=types.HttpOptions.model_construct(
            timeout=max(int(limit_s * 1000), 1),
            # As raw JSON: the SDK would check and convert each schema again for each request, and
            # would not send back a reply's parts as they came.
            extra_body=body_of(request, name),
        ),
    )
    empty = types.Content.model_construct()  # the SDK wants some; the real ones are in the body
    if request.streamed:
        stream = models.generate_content_stream
        return kept_answer(lambda: list(stream(model=name, contents=empty, config=config)))
    plain = models.generate_content
    return kept_answer(lambda: plain(model=name, contents=empty, config=config))


def _raise_failure(chunk: dict[str, Any], response: httpx2.Response) -> None:
    """Raise what a provider reports in an answer that began well, as the SDK does."""
    if "error" in chunk:
        from google.genai.errors import APIError

        APIError.raise_error(mapping(chunk["error"]).get("code") or 503, chunk, response)


def _unit(vector: list[float]) -> list[float]:
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector] if length else vector


def _key() -> str:
    names = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    key = next((key for name in names if (key := os.environ.get(name, "").strip())), "")
    if not key:
        raise FailedPrecondition("no key for Gemini is configured", hint="set GEMINI_API_KEY")
    return key


def _base_url() -> str | None:
    return os.environ.get("GOOGLE_GEMINI_BASE_URL", "").strip() or None


@shared
def _client(key: str, base_url: str | None) -> genai.Client:
    import httpx2
    from google import genai
    from google.genai import types

    from rollcall.models._gemini_http import KeepingClient

    # The SDK would make two more, for clients that nobody uses; each reads all certificates.
    trust = httpx2.create_ssl_context()
    options = types.HttpOptions(
        api_version="v1beta",
        base_url=base_url,
        httpx_client=KeepingClient(verify=trust),
        client_args={"verify": trust},
        async_client_args={"verify": trust, "ssl": trust},
    )
    return genai.Client(api_key=key, enterprise=False, http_options=options)
