"""The client's two bounds, over TLS as in production: time for the whole answer, and a cut."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from rollcall.core.errors import Aborted, DeadlineExceeded
from rollcall.models import transport
from rollcall.models.base import CURRENT, Cancellation, Clock
from rollcall.models.transport import TransportError
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
        assert answered.wait(10)
        cancellation.cancel()
        assert hung_up.wait(10)
        reader.join(10)
    assert isinstance(errors[0], TransportError | Aborted)
    assert isinstance(errors[1], Aborted)


def test_cancelling_leaves_a_connection_alone_that_was_given_back(authority: Authority) -> None:
    with server(authority, HEAD, CHUNK, END) as (port, _, hung_up):
        clock = Clock(time.monotonic() + 30)
        with transport.post(f"https://localhost:{port}", b"{}", {}, clock) as response:
            wire = response._connection.wire
            assert b"".join(response.chunks(1_000)) == b"x"
            response._cut(wire)
            assert not hung_up.wait(0.2), "it may serve another request by now"
        transport.close_connections()


def test_a_connection_through_two_tls_layers_is_no_socket_and_cancelling_says_nothing() -> None:
    transport._shut_down(object())  # type: ignore[arg-type]


def test_the_time_is_that_of_the_whole_answer(authority: Authority) -> None:
    with (
        server(authority, HEAD, CHUNK) as (port, _, hung_up),
        pytest.raises(TransportError, match="ReadTimeoutError"),
    ):
        read(port, limit_s=0.3)
    assert hung_up.wait(10)


def test_a_server_that_drips_for_ever_is_late(authority: Authority) -> None:
    drops = [CHUNK] * 400
    with (
        server(authority, HEAD, *drops, every_s=0.01) as (port, _, _),
        pytest.raises((DeadlineExceeded, TransportError)),
    ):
        read(port, limit_s=0.3)


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
    assert transport._proxy_of("https", "api.example") == "http://proxy.example:3128"
    assert transport._proxy_of("http", "api.example") is None
    assert transport._proxy_of("https", "localhost:1") is None
    assert transport._proxy_of("https", "llm.internal.example") is None
