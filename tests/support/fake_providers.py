"""A local server that speaks the wire formats of Gemini, OpenAI and Anthropic.

    with FakeProviders() as fake:
        fake.gemini(gemini_call("get_weather", {"city": "Oslo"}), gemini_text("Cold."))
        ...                       # the adapters find the server through the environment
        fake.requests[0].json     # what it was sent

Replies are queued and served in order, one queue a provider; a request beyond the last reply
gets HTTP 418. `fake.hung_up` is set when a client hangs up on a reply that is not done.
Embeddings are answered without a queue, in `fake.embedding_size` numbers where a request names no
other length, by `fake.embeds`. Inside the block the providers' environment variables
point here; afterwards they are as they were.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from unittest import mock

from rollcall.core.messages import ModelMessage, ToolCall
from rollcall.models import gemini, openai, transport
from rollcall.models.base import ArgumentsDelta, CallEnd, CallStart, Delta, Finish, TextDelta

from .provider_replies import Json, Reply, plain, status

GEMINI_KEY = "AIzaPlanted-gemini-key-0123456789"
OPENAI_KEY = "sk-planted-openai-key-0123456789"
ANTHROPIC_KEY = "sk-ant-planted-anthropic-key-0123456789"


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes
    port: int = 0
    """The client's: requests that came on one connection have the same."""

    @property
    def json(self) -> Json:
        return json.loads(self.body)


class FakeProviders:
    """A scriptable server on 127.0.0.1.

    Args:
        openai_api: Which of OpenAI's APIs the adapter is to use: "responses" or "chat".
        is_for_others: Whether it is for other processes alone, and this one's environment stays.
    """

    def __init__(self, *, openai_api: str = "responses", is_for_others: bool = False) -> None:
        self.requests: list[Request] = []
        self.embedding_size = 1536
        self.embeds: Callable[[str, int], list[float]] = vector_of
        self.models: list[Json] | None = None
        self.closing = threading.Event()
        self.hung_up = threading.Event()
        self._queues: dict[str, deque[Reply]] = {
            name: deque() for name in ("gemini", "openai", "anthropic")
        }
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._env = mock.patch.dict(os.environ, {} if is_for_others else self.env(openai_api))

    def env(self, openai_api: str = "responses") -> dict[str, str]:
        """The environment that leads the adapters here, for other processes too."""
        return {
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GOOGLE_API_KEY": "",
            "GEMINI_API_KEY": GEMINI_KEY,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": OPENAI_KEY,
            "OPENAI_API": openai_api,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": ANTHROPIC_KEY,
        }

    def __enter__(self) -> FakeProviders:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self._env.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._env.stop()
        transport.close_connections()
        for client in (gemini._client, openai._client):  # another server may get the same port
            client.cache_clear()
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def gemini(self, *replies: Reply) -> None:
        """Queue replies for Gemini's generateContent calls."""
        self._queues["gemini"].extend(replies)

    def openai(self, *replies: Reply) -> None:
        """Queue replies for OpenAI's Responses and Chat Completions calls."""
        self._queues["openai"].extend(replies)

    def anthropic(self, *replies: Reply) -> None:
        """Queue replies for Anthropic's Messages calls."""
        self._queues["anthropic"].extend(replies)

    def reset(self) -> None:
        """Forget requests and queued replies, so that tests can share a server."""
        self.requests.clear()
        self.hung_up.clear()
        for queue in self._queues.values():
            queue.clear()

    def answer(self, request: Request) -> Reply:
        """Choose the reply to a request, and note the request."""
        path = request.path.partition("?")[0]
        if path.endswith("/models") and self.models is None:  # asked beside a turn, for its window
            return status(404, {"error": {"message": "no list of models"}})
        self.requests.append(request)
        if path.endswith("/models") and self.models is not None:
            return plain({"object": "list", "data": self.models})
        if path.endswith(("mbedContent", "mbedContents")):
            asked = request.json.get("requests", [request.json])
            return plain(
                {"embeddings": [{"values": _gemini_vector(each, self.embeds)} for each in asked]}
            )
        if path.endswith("/embeddings"):
            return plain(_openai_embeddings(request.json, self.embedding_size, self.embeds))
        known = path.endswith(("enerateContent", "/responses", "/chat/completions", "/messages"))
        provider = "gemini" if "enerateContent" in path else "openai"
        queue = self._queues["anthropic" if path.endswith("/messages") else provider]
        if not known or not queue:
            return status(418, {"error": {"message": f"no reply is queued for {path}"}})
        return queue.popleft()


@dataclass(frozen=True)
class WholeReply:
    """A whole reply of a model."""

    message: ModelMessage
    finish: Finish
    deltas: tuple[Delta, ...]


def gather(deltas: Iterable[Delta], provider: str | None = None) -> WholeReply:
    """Put a model's deltas together, and insist that they keep to the protocol."""
    seen = tuple(deltas)
    texts: dict[str, str] = {}
    names: dict[str, str] = {}
    ended: list[str] = []
    for delta in seen:
        if isinstance(delta, CallStart):
            assert delta.id not in names, "a call starts once"
            names[delta.id], texts[delta.id] = delta.name, ""
        elif isinstance(delta, ArgumentsDelta):
            assert delta.id not in ended, "nothing comes after a call's end"
            texts[delta.id] += delta.text
        elif isinstance(delta, CallEnd):
            ended.append(delta.id)
    assert sorted(ended) == sorted(names), "each call ends once"
    finish = seen[-1]
    assert isinstance(finish, Finish), "a reply ends with one Finish"
    assert sum(isinstance(delta, Finish) for delta in seen) == 1, "a reply ends with one Finish"
    json.dumps(finish.provider_parts)
    calls = tuple(ToolCall.parse(id=id, name=names[id], text=texts[id]) for id in names)
    text = "".join(delta.text for delta in seen if isinstance(delta, TextDelta))
    message = ModelMessage(text, calls, provider, finish.provider_parts)
    return WholeReply(message, finish, seen)


def vector_of(text: str, size: int) -> list[float]:
    """A vector that only the text decides."""
    seed = hashlib.sha256(text.encode()).digest()
    return [(seed[i % len(seed)] - 127.5) / 127.5 for i in range(size)]


def _gemini_vector(asked: Json, embeds: Callable[[str, int], list[float]]) -> list[float]:
    text = "".join(part["text"] for part in asked["content"]["parts"])
    return embeds(text, asked.get("outputDimensionality", 3072))


def _openai_embeddings(asked: Json, usual: int, embeds: Callable[[str, int], list[float]]) -> Json:
    size = asked.get("dimensions", usual)
    data = [
        {"object": "embedding", "index": index, "embedding": embeds(text, size)}
        for index, text in enumerate(asked["input"])
    ]
    return {"object": "list", "model": asked["model"], "data": data}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that the adapter cut, as some tests want it to."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler(fake: FakeProviders) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each reply would wait for an acknowledgement

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = fake.answer(Request(self.path, headers, body, self.client_address[1]))
            try:
                self._send(reply)
            except ConnectionError:
                fake.hung_up.set()
                raise

        do_GET = do_POST  # noqa: N815

        def _send(self, reply: Reply) -> None:
            if reply.is_mute:
                self._wait(60)
                self.close_connection = True
                return
            self.send_response(reply.status)
            if reply.content_type:
                self.send_header("content-type", reply.content_type)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            place, until = reply.holds or (None, fake.closing)
            for number, chunk in enumerate(reply.chunks):
                if number == place:
                    until.wait(60)
                self._chunk(chunk)
            while reply.drips_every_s is not None and self._wait(reply.drips_every_s):
                self._chunk(b"\n")
            if reply.stalls:
                self._wait(60)
            if reply.breaks or reply.stalls or reply.drips_every_s is not None:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def _wait(self, limit_s: float) -> bool:
            """Whether the client still listens after that time."""
            ends = time.monotonic() + limit_s
            while not fake.closing.is_set():
                left_s = ends - time.monotonic()
                if left_s <= 0:
                    return True
                if select.select([self.connection], [], [], min(left_s, 0.05))[0]:
                    fake.hung_up.set()  # it has nothing more to say, so this is its end
                    return False
            return False

        def _chunk(self, data: bytes) -> None:
            if data:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
