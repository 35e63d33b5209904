"""The client's two bounds, over TLS as in production: time for the whole answer, and a cut."""

from __future__ import annotations

import gzip
import io
import socket
import threading
import time
import tracemalloc
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

import pytest
import urllib3

from rollcall.core.errors import Aborted, DeadlineExceeded
from rollcall.models import transport
from rollcall.models.base import CURRENT, Cancellation, Clock
from rollcall.models.transport import ProviderError, TransportError
from tests.support.https_server import Authority

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n"
CHUNK, END = b"1\r\nx\r\n", b"0\r\n\r\n"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


@contextmanager
def server(
    authority: Authority, *sent: bytes, every_s: float = 0.0
) -> Iterator[tuple[int, threading.Event, threading.Event]]:
    """Answers its only client with these bytes: its port, "it has answered", "it was left"."""
    answered, hung_up = threading.Event(), threading.Event()
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            tls = None
            try:
                tls = authority.context("localhost").wrap_socket(connection, server_side=True)
            except OSError:
                connection.close()  # it does not believe us
                return
            taken.append(tls)
            with tls:
                tls.recv(65_536)
                try:
                    for piece in sent:
                        tls.sendall(piece)
                        hung_up.wait(every_s)
                except OSError:
                    pass  # left half-way
                answered.set()
                try:
                    while tls.recv(1):
                        pass
                except OSError:
                    pass  # cut without a goodbye, as it should be
                hung_up.set()

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1], answered, hung_up
        for tls in taken:
            with suppress(OSError):  # it was left already
                socket.socket.shutdown(tls, socket.SHUT_RDWR)
        thread.join(60)


@pytest.fixture(autouse=True)
def trusting(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The authority is believed, and nothing is kept of other tests."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    transport.close_connections()
    transport.trust.cache_clear()
    yield
    transport.close_connections()
    transport.trust.cache_clear()


def read(port: int, limit_s: float = 30) -> bytes:
    clock = Clock(time.monotonic() + limit_s)
    with transport.post(f"https://localhost:{port}", b"{}", {}, clock) as response:
        return b"".join(response.chunks(1_000))


@pytest.mark.parametrize("sent", [(), (HEAD,), (HEAD, CHUNK)], ids=["mute", "head", "half"])
def test_cancelling_ends_what_waits_and_nothing_waits_after_it(
    authority: Authority, sent: tuple[bytes, ...]
) -> None:
    cancellation, errors = Cancellation(), []

    def read_twice(port: int) -> None:
        CURRENT.set(cancellation)
        for _ in range(2):
            try:
                read(port)
            except Exception as error:
                errors.append(error)

    with server(authority, *sent) as (port, answered, hung_up):
        reader = threading.Thread(target=read_twice, args=(port,))
        reader.start()
        assert answered.wait(60)
        cancellation.cancel()
        assert hung_up.wait(60)
        reader.join(60)
    assert isinstance(errors[0], TransportError | Aborted)
    assert isinstance(errors[1], Aborted)


def test_cancelling_leaves_a_connection_alone_that_was_given_back(authority: Authority) -> None:
    cancellation = Cancellation()
    token = CURRENT.set(cancellation)
    with server(authority, HEAD, CHUNK, END) as (port, _, hung_up):
        assert read(port) == b"x"
        cancellation.cancel()
        assert not hung_up.wait(0.2), "it may serve another request by now"
        transport.close_connections()
    CURRENT.reset(token)


def test_the_time_is_that_of_the_whole_answer(authority: Authority) -> None:
    with (
        server(authority, HEAD, CHUNK) as (port, _, hung_up),
        pytest.raises(TransportError, match="ReadTimeoutError"),
    ):
        read(port, limit_s=2)
    assert hung_up.wait(60)


def test_a_server_that_drips_for_ever_is_late(authority: Authority) -> None:
    drops = [CHUNK] * 400
    with (
        server(authority, HEAD, *drops, every_s=0.01) as (port, _, _),
        pytest.raises((DeadlineExceeded, TransportError)),
    ):
        read(port, limit_s=2)


def test_silence_ends_an_answer_long_before_the_deadline(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "SILENCE_S", 0.2)
    with (
        server(authority, HEAD, CHUNK) as (port, _, _),
        pytest.raises(TransportError, match="ReadTimeoutError"),
    ):
        read(port)


def test_an_answer_has_a_greatest_length(authority: Authority) -> None:
    with (
        server(authority, HEAD, b"7d0\r\n" + b"x" * 2_000 + b"\r\n", END) as (port, _, _),
        pytest.raises(TransportError, match="more than 1000 bytes"),
    ):
        read(port)


def test_an_authority_that_is_not_known_is_not_believed(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with (
        server(authority, HEAD, CHUNK, END) as (port, _, _),
        pytest.raises(TransportError, match="SSLError") as told,
    ):
        read(port)
    assert not told.value.is_sent, "the key was not shown to it"


def test_an_answer_that_nobody_cancels_is_read_whole(authority: Authority) -> None:
    with server(authority, HEAD, CHUNK, END) as (port, _, _):
        assert read(port) == b"x"


def test_the_environments_proxy_is_used_but_where_it_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "localhost,.internal.example")
    proxies = {
        place: transport._route(f"{scheme}://{place}")[0].proxy
        for scheme, place in (
            ("https", "api.example"),
            ("http", "plain.example"),
            ("https", "localhost:1"),
            ("https", "llm.internal.example"),
        )
    }
    assert str(proxies.pop("api.example")) == "http://proxy.example:3128"
    assert set(proxies.values()) == {None}


class Plain:
    """A server without TLS: answers each request on a connection with the next of its answers, and
    keeps what it was sent."""

    def __init__(self, *answers: bytes, closes: bool = False) -> None:
        self.answers, self.closes = list(answers), closes
        self.heads: list[str] = []
        self.connections = 0
        self.closed = threading.Semaphore(0)
        """Released for each connection that it has closed."""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        transport.close_connections()
        self.thread.join(60)
        self.listener.close()

    def serve(self) -> None:
        while self.answers:
            connection, _ = self.listener.accept()
            self.connections += 1
            with connection, connection.makefile("rb") as sent:
                while self.answers and (line := sent.readline()):
                    head = [line, *iter(sent.readline, b"\r\n")]
                    self.heads.append(b"".join(head).decode())
                    sizes = [each[16:] for each in head if each.startswith(b"Content-Length: ")]
                    sent.read(sum(map(int, sizes)))
                    connection.sendall(self.answers.pop(0))
                    if self.closes:
                        break
            self.closed.release()


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    size = f"content-length: {len(body) if length is None else length}"
    return "\r\n".join([f"HTTP/1.1 {status}", size, *headers, "", ""]).encode() + body


def ask(url: str) -> bytes:
    clock = Clock(time.monotonic() + 30)
    with transport.post(url, b"{}", {"x-key": "k"}, clock) as response:
        return b"".join(response.chunks(1_000_000))


def test_a_connection_serves_the_next_request_unless_its_server_has_closed_it() -> None:
    with Plain(answer(b"one"), answer(b"two"), answer(b"three")) as server:
        said = [ask(f"http://127.0.0.1:{server.port}/v1/x?y=1") for _ in range(3)]
        assert (said, server.connections) == ([b"one", b"two", b"three"], 1)
        assert {head.splitlines()[0] for head in server.heads} == {"POST /v1/x?y=1 HTTP/1.1"}
    with Plain(answer(b"one"), answer(b"two"), closes=True) as server:
        assert ask(f"http://127.0.0.1:{server.port}/") == b"one"
        assert server.closed.acquire(timeout=60)
        assert ask(f"http://127.0.0.1:{server.port}/") == b"two"
        assert server.connections == 2


@pytest.mark.parametrize(
    "sent",
    [
        answer(b"half", length=9),
        HEAD + b"9\r\nhalf",
        HEAD + CHUNK,
        HEAD + CHUNK + b"no size\r\n",
        b"nonsense\r\n\r\n",
        b"",
    ],
)
def test_an_answer_that_breaks_off_is_an_error(sent: bytes) -> None:
    with Plain(sent, closes=True) as server:
        with pytest.raises(TransportError) as told:
            ask(f"http://127.0.0.1:{server.port}/")
        assert told.value.is_sent


def test_a_head_that_comes_as_the_call_is_cancelled_leaves_no_connection_open() -> None:
    raw = urllib3.HTTPResponse(io.BytesIO(b"x"), preload_content=False)
    cancelled = Cancellation()
    cancelled.cancel()
    before = CURRENT.set(cancelled)
    try:
        with pytest.raises(Aborted):
            transport.Response(raw, Clock(None))
    finally:
        CURRENT.reset(before)
    assert raw.closed


def test_a_refusal_is_told_with_its_body_and_headers_and_its_connection_is_kept() -> None:
    refused = answer(b'{"error": "slow"}', "Retry-After: 7", status="429 Too Many")
    with Plain(refused, answer(b"ok")) as server:
        with pytest.raises(ProviderError) as told:
            ask(f"http://127.0.0.1:{server.port}/")
        assert (told.value.status, told.value.body["message"]) == (429, "slow")
        assert told.value.headers["retry-after"] == "7"
        assert ask(f"http://127.0.0.1:{server.port}/") == b"ok"
        assert server.connections == 1


def test_what_is_compressed_unasked_is_read_within_the_same_bounds() -> None:
    kind = "Content-Encoding: gzip"
    bomb = gzip.compress(b"x" * 50_000_000)
    with Plain(answer(gzip.compress(b"x" * 200_000), kind), answer(bomb, kind)) as server:
        assert ask(f"http://127.0.0.1:{server.port}/") == b"x" * 200_000
        tracemalloc.start()
        with pytest.raises(TransportError, match="more than 1000000 bytes"):
            ask(f"http://127.0.0.1:{server.port}/")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
        tracemalloc.stop()
    with Plain(answer(b"no gzip", kind)) as server, pytest.raises(TransportError):
        ask(f"http://127.0.0.1:{server.port}/")


def test_a_proxy_is_told_the_whole_address_and_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    with Plain(answer(b"ok")) as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:p%40ss@127.0.0.1:{proxy.port}")
        assert ask("http://llm.example:8080/v1/x?y=1") == b"ok"
    head = proxy.heads[0].lower()
    assert head.startswith("post http://llm.example:8080/v1/x?y=1 http/1.1\r\n")
    assert "\r\nhost: llm.example:8080\r\n" in head
    assert f"proxy-authorization: basic {b64encode(b'me:p@ss').decode()}".lower() in head


def test_through_a_proxy_tls_has_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    with Plain(answer(b"", status="407 Who are you?")) as proxy:
        monkeypatch.setenv("https_proxy", f"http://me:pass@127.0.0.1:{proxy.port}")
        with pytest.raises(TransportError) as told:
            ask("https://llm.example/v1/x")
    assert not told.value.is_sent, "the key was not shown to it"
    assert proxy.heads[0].startswith("CONNECT llm.example:443 HTTP/1.")
    assert "proxy-authorization: basic" in proxy.heads[0].lower()
    assert "x-key" not in proxy.heads[0]


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("ftp://x/", ""),
        ("x", ""),
        ("http://", ""),
        ("http://[::1/", ""),
        ("http://x:port/", ""),
        ("http://a..b/", ""),
        ("http://x/", "socks5://proxy.example"),
    ],
)
def test_what_is_no_address_is_told_as_one(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str
) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(TransportError) as told:
        ask(url)
    assert (told.value.is_address, told.value.is_sent) == (True, False)


def test_letters_that_an_address_cannot_hold_are_written_as_it_can() -> None:
    with Plain(answer(b"ok")) as server:
        assert ask(f"http://127.0.0.1:{server.port}/models/מודל x%20y:run?a=b&c=d#e") == b"ok"
    line = server.heads[0].splitlines()[0]
    assert line == "POST /models/%D7%9E%D7%95%D7%93%D7%9C%20x%20y:run?a=b&c=d HTTP/1.1"
