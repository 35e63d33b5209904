"""Models and embeddings of OpenAI and of every server that speaks its protocol, `openai:<model>`.

`OPENAI_BASE_URL` names another server (Ollama, vLLM, llama.cpp); a key is then optional.
OpenAI itself is called through its Responses API, all others through Chat Completions, which
they all know; `OPENAI_API` set to "responses" or "chat" overrules that. OpenAI stores nothing
(`store=False`), and nothing is retried here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.redaction import redacted
from rollcall.models import _openai_chat, _openai_responses
from rollcall.models._failures import code_of, failures_as_ours
from rollcall.models._json_stream import json_events, timely
from rollcall.models._openai_content import PROVIDER
from rollcall.models._sharing import shared
from rollcall.models.base import Clock, Delta, Finish, FinishReason, ModelRequest

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

SDK = "openai"
CALL_LIMIT_S = 300.0
EMBED_LIMIT_S = 60.0
EMBED_BATCH = 256
EMBED_BYTES, EMBED_BATCH_BYTES = 8_000, 280_000
"""OpenAI takes 8,192 tokens a text and 300,000 a request, and refuses all of them where one is too
long. A token is a byte at least, so that nothing needs be counted."""

_OWN_URL = "https://api.openai.com/v1"
_CONTENT_CODES = {"content_filter", "content_policy_violation"}


class Model:
    """A model behind the Responses or the Chat Completions API."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER}:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once; see `rollcall.models.base`."""
        clock = Clock(request.deadline)
        server = _server()
        with failures_as_ours(self.id, clock, server.key):
            try:
                yield from self._stream(request, server, clock)
            except Exception as error:
                if code_of(error) not in _CONTENT_CODES:
                    raise
                yield Finish(FinishReason.BLOCKED, detail=code_of(error))

    def _stream(self, request: ModelRequest, server: _Server, clock: Clock) -> Iterator[Delta]:
        left_s = clock.left_s(at_most=CALL_LIMIT_S)
        client = _client(server.key, server.base_url)
        if server.api == "responses":
            path, read = "/responses", _openai_responses.read
            body = _openai_responses.body_of(request, self.name)
        else:
            path, read = "/chat/completions", _openai_chat.read
            body = _openai_chat.body_of(request, self.name, is_openai=server.is_openai)
        with closing(_post(client, path, body, left_s)) as response:
            chunks = timely(response.iter_bytes(), clock, CALL_LIMIT_S)
            yield from read(json_events(chunks), self.name)
            _read_out(response, chunks)


class Embedder:
    """An embedding model with vectors of 768 numbers. Those of a smaller one are filled up with
    zeros, by which no angle between two of them changes."""

    dimensions = 768

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER}:{name}"

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        """Turn texts into vectors, in the order of the texts; the task makes no difference. Of a
        long text the beginning counts.

        Raises:
            AgentError: As for a model's `stream`.
        """
        server = _server()
        vectors: list[list[float]] = []
        for some in _batches(redacted(text) for text in texts):
            with failures_as_ours(self.id, Clock(None), server.key):
                vectors += self._embed(_client(server.key, server.base_url), some)
        return vectors

    def _embed(self, client: OpenAI, texts: list[str]) -> list[list[float]]:
        cut: dict[str, Any] = {"dimensions": self.dimensions} if "-3-" in self.name else {}
        reply = client.embeddings.create(
            model=self.name,
            input=texts,
            timeout=EMBED_LIMIT_S,
            **cut,
        )
        vectors = [each.embedding for each in sorted(reply.data, key=lambda each: each.index)]
        if len(vectors) != len(texts):
            raise Unavailable("the server did not send one vector for each text")
        sizes = {len(vector) for vector in vectors}
        if len(sizes) != 1 or not 0 < max(sizes) <= self.dimensions:
            told = " and ".join(map(str, sorted(sizes)))
            raise FailedPrecondition(
                f"{self.id} makes vectors of {told} numbers, not of {self.dimensions} at most",
                hint="use text-embedding-3-small, or a model of 768 dimensions or fewer",
            )
        return [[*vector, *[0.0] * (self.dimensions - len(vector))] for vector in vectors]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts, cut to what a server takes, in batches that it takes."""
    batch: list[str] = []
    room = EMBED_BATCH_BYTES
    for text in texts:
        data = text.encode(errors="replace")[:EMBED_BYTES]
        if batch and (len(data) > room or len(batch) == EMBED_BATCH):
            yield batch
            batch, room = [], EMBED_BATCH_BYTES
        batch.append(data.decode(errors="ignore") or " ")  # an empty text is refused
        room -= len(data)
    if batch:
        yield batch


def connect() -> None:
    """Make the client of all calls: the SDK's, and certificates are read.

    Raises:
        FailedPrecondition: There is no key, or `OPENAI_API` is neither of its two.
    """
    server = _server()
    _client(server.key, server.base_url)


class _Server(Struct, frozen=True):
    """Where to call, with which key, and in which of the two dialects."""

    base_url: str
    key: str
    api: str

    @property
    def is_openai(self) -> bool:
        host = urlsplit(self.base_url).hostname or ""
        return host == "openai.com" or host.endswith(".openai.com")


def _server() -> _Server:
    base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or _OWN_URL
    server = _Server(base_url, os.environ.get("OPENAI_API_KEY", "").strip(), "")
    if not server.key and server.is_openai:
        raise FailedPrecondition("no key for OpenAI is configured", hint="set OPENAI_API_KEY")
    api = os.environ.get("OPENAI_API", "").strip().lower()
    if api not in ("", "responses", "chat"):
        raise FailedPrecondition(f"OPENAI_API is responses or chat, not {api!r}")
    api = api or ("responses" if server.is_openai else "chat")
    return _Server(base_url, server.key or "none", api)  # the SDK refuses an empty key


def _post(client: OpenAI, path: str, body: bytes, limit_s: float) -> httpx2.Response:
    """Post a body through the SDK, which signs it and raises its errors, and leave the answer
    unread: the SDK's own types cost more than all else that a call does."""
    import httpx2
    from openai import Stream

    answer: Any = client.post(
        path,
        content=body,
        cast_to=httpx2.Response,
        options={"timeout": limit_s},
        stream=True,  # of the connection, whatever the body asks for
        stream_cls=Stream[Any],
    )
    response: httpx2.Response = answer
    return response


def _read_out(response: httpx2.Response, chunks: Iterator[bytes]) -> None:
    from rollcall.models._bounded_http import read_out

    read_out(response, chunks)


@shared
def _client(key: str, base_url: str) -> OpenAI:
    from openai import OpenAI

    from rollcall.models._bounded_http import BoundedClient

    return OpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=BoundedClient())
