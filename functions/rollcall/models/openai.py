"""Models and embeddings of OpenAI and of every compatible server, `openai:<model>`.

`OPENAI_BASE_URL` names another server (Ollama, vLLM, llama.cpp, OpenRouter, Azure); a key is then
optional. OpenAI itself is called through its Responses API, all others through Chat Completions,
which they all support; `OPENAI_API`, "responses" or "chat", overrides that. A server without tool
support gets the tools in the prompt (see `rollcall.models.prompted`). OpenAI is told to store
nothing (`store=False`), and nothing is retried here.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.messages import Json, ModelMessage
from rollcall.core.redaction import redacted
from rollcall.models import openai_chat, openai_responses
from rollcall.models.base import Clock, Delta, ModelRequest, ToolsUnsupported, load_model
from rollcall.models.failures import agent_errors, translate_failures
from rollcall.models.json_stream import count, mapping, sequence, text
from rollcall.models.provider import provider
from rollcall.models.transport import post

if TYPE_CHECKING:
    from openai import OpenAI

PROVIDER = provider("openai")
EMBED_LIMIT_S = 60.0
LIST_LIMIT_S = 3.0
LIST_AGAIN_S = 300.0
"""How long to wait before a server that did not list its models is asked again; without this,
every turn would wait for it."""
EMBED_BATCH = 256
EMBED_BYTES, EMBED_BATCH_BYTES = 8_000, 280_000
"""OpenAI accepts 8,192 tokens a text and 300,000 a request, and refuses a request if one text is
too long. A token has at least one byte, so no tokens need to be counted."""

_AZURE = re.compile(r"\.(openai\.azure|services\.ai\.azure|cognitiveservices\.azure)\.com$")
_WINDOW_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""The names of a model's window at vLLM, OpenRouter and Together, Groq, and Mistral."""
_WITHOUT_TOOLS: set[tuple[str, str]] = set()
"""Servers and models that reported no tool support, so that later calls do not try again."""
_UNLISTED: dict[_Server, float] = {}
"""When servers that did not list their models may be asked again, in `time.monotonic()` seconds."""

log = logging.getLogger("rollcall")


class Model:
    """A model behind the Responses or the Chat Completions API."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER.id}:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once, or twice if the server turns out not to support tools; see
        `rollcall.models.base`."""
        server = _server()
        place = (server.base_url, self.name)
        if not request.tools or place not in _WITHOUT_TOOLS:
            clock = Clock(request.deadline)
            deltas = self._stream(request, server, clock)
            try:
                yield from translate_failures(deltas, self.id, clock)
                return
            except ToolsUnsupported as error:
                if not request.tools:
                    raise
                log.warning("%s is given its tools by words: %s", self.id, error.message)
            _WITHOUT_TOOLS.add(place)
        yield from load_model(f"prompted:{self.id}").stream(request)

    def _stream(self, request: ModelRequest, server: _Server, clock: Clock) -> Iterator[Delta]:
        if server.api == "responses":
            url = server.url("/responses")
            body = openai_responses.body_of(request, self.name)
        else:
            url = server.url("/chat/completions")
            body = openai_chat.body_of(
                request,
                self.name,
                is_openai=server.is_openai,
                bound="max_completion_tokens"
                if server.is_openai or server.is_azure
                else "max_tokens",
            )
        with post(url, body, server.headers, clock) as response:
            if server.api == "responses":
                yield from openai_responses.read(response.events(), self.name)
            else:
                offered = {tool.name for tool in request.tools}
                yield from openai_chat.read(response.events(), self.name, offered)
            response.drain()


class Embedder:
    """An embedding model with vectors of 768 numbers. Shorter vectors are padded with zeros, which
    changes no angle between them."""

    dimensions = 768

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER.id}:{name}"

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        """Turn texts into vectors, in the order of the texts; the task makes no difference. Long
        texts are cut.

        Raises:
            AgentError: As for a model's `stream`.
        """
        server = _server()
        options: dict[str, Any] = {"dimensions": self.dimensions} if "-3-" in self.name else {}
        vectors: list[list[float]] = []
        for some in _batches(map(redacted, texts)):
            with agent_errors(self.id, Clock(None)):
                reply = _client(server.key, server.base_url).embeddings.create(
                    model=self.name, input=some, timeout=EMBED_LIMIT_S, **options
                )
                batch = [each.embedding for each in sorted(reply.data, key=lambda e: e.index)]
                if len(batch) != len(some):
                    raise Unavailable("the server did not send one vector for each text")
                vectors += batch
        sizes = {len(vector) for vector in vectors}
        if vectors and (len(sizes) != 1 or not 0 < max(sizes) <= self.dimensions):
            found = " and ".join(map(str, sorted(sizes)))
            raise FailedPrecondition(
                f"{self.id} makes vectors of {found} numbers, not of {self.dimensions} at most",
                hint="use text-embedding-3-small, or a model of 768 dimensions or fewer",
            )
        return [[*vector, *[0.0] * (self.dimensions - len(vector))] for vector in vectors]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield batches of texts, both within the server's limits; longer texts are cut."""
    batch: list[str] = []
    room = EMBED_BATCH_BYTES
    for each in texts:
        data = each.encode(errors="replace")[:EMBED_BYTES]
        if batch and (len(data) > room or len(batch) == EMBED_BATCH):
            yield batch
            batch, room = [], EMBED_BATCH_BYTES
        batch.append(data.decode(errors="ignore") or " ")  # an empty text is refused
        room -= len(data)
    if batch:
        yield batch


def parts_fit(parts: Sequence[dict[str, Json]], reply: ModelMessage) -> bool:
    """Whether provider parts hold a reply's calls; see `rollcall.models.base.parts_fit`."""
    return all(
        openai_responses.items_fit(part.get("items"), reply)
        if part.get("api") == openai_responses.API
        else isinstance(part.get("extras", []), list | dict)
        for part in parts
    )


def served_window(name: str) -> int | None:
    """Return the tokens of a model's context window from its server's list of models; None if that
    does not have it, as OpenAI's own."""
    server = _server()
    if server.is_openai:
        return None
    if time.monotonic() < _UNLISTED.get(server, 0.0):
        return None
    try:
        return _windows(server).get(name)
    except Exception as error:  # the window is optional, so no failure here may fail the call
        _UNLISTED[server] = time.monotonic() + LIST_AGAIN_S
        log.info("%s does not list its models: %r", server.host, error)
        return None


@cache  # exceptions are not cached
def _windows(server: _Server) -> dict[str, int]:
    clock = Clock(time.monotonic() + LIST_LIMIT_S)
    with post(server.url("/models"), b"", server.headers, clock, method="GET") as response:
        listed = [each for event in response.events() for each in sequence(event.get("data"))]
    windows: dict[str, int] = {}
    for row in map(mapping, listed):
        if window := max(count(row.get(key)) for key in _WINDOW_KEYS):
            windows[text(row.get("id"))] = window
    return windows


class _Server(Struct, frozen=True):
    """The server to call: its URL, its key and which of the two APIs it uses."""

    base_url: str
    key: str
    api: str
    is_openai: bool

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_azure(self) -> bool:
        return bool(_AZURE.search(self.host))

    @property
    def headers(self) -> dict[str, str]:
        if not self.key:
            return {}
        return {"api-key": self.key} if self.is_azure else {"authorization": f"Bearer {self.key}"}

    def url(self, path: str) -> str:
        """Return the URL of a method; a query in the base URL, such as an API version, stays at the
        end."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def _server() -> _Server:
    base_url, is_own = PROVIDER.base_url(), PROVIDER.is_own()
    key = PROVIDER.needed_key() if is_own else PROVIDER.key()
    api = os.environ.get("OPENAI_API", "").strip().lower()
    if api not in ("", "responses", "chat"):
        raise FailedPrecondition(f"OPENAI_API is responses or chat, not {api!r}")
    return _Server(base_url, key, api or ("responses" if is_own else "chat"), is_own)


@cache
def _client(key: str, base_url: str) -> OpenAI:
    from openai import OpenAI

    return OpenAI(api_key=key or "none", base_url=base_url, max_retries=0)  # the SDK requires a key
