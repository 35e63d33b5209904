"""The client's two bounds, over TLS as in production: time for the whole answer, and a cut."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from rollcall.core.errors import Aborted
from rollcall.models._bounded_http import BoundedClient
from rollcall.models.cutting import CURRENT, Cut
from tests.support.https_server import Authority

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n"
CHUNK, END = b"1\r\nx\r\n", b"0\r\n\r\n"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


@contextmanager
def server(
    authority: Authority, *sent: bytes
) -> Iterator[tuple[int, threading.Event, threading.Event]]:
    """Answers its only client with these bytes: its port, "it has answered", "it was left"."""
    answered, hung_up = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with authority.context("localhost").wrap_socket(connection, server_side=True) as tls:
                tls.recv(65_536)
                for piece in sent:
                    tls.sendall(piece)
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
        thread.join(5)


def client(authority: Authority) -> BoundedClient:
    return BoundedClient(verify=ssl.create_default_context(cafile=str(authority.file)))


@pytest.mark.parametrize("sent", [(), (HEAD,), (HEAD, CHUNK)], ids=["mute", "head", "half"])
def test_a_cut_ends_what_waits_and_nothing_waits_after_it(
    authority: Authority, sent: tuple[bytes, ...]
) -> None:
    cut, errors = Cut(), []

    def read(port: int, http: BoundedClient) -> None:
        CURRENT.set(cut)
        for _ in range(2):
            try:
                http.get(f"https://localhost:{port}", timeout=30)
            except Exception as error:
                errors.append(error)

    with server(authority, *sent) as (port, answered, hung_up), client(authority) as http:
        reader = threading.Thread(target=read, args=(port, http))
        reader.start()
        assert answered.wait(10)
        cut.make()
        assert hung_up.wait(10)
        reader.join(10)
    assert isinstance(errors[0], httpx2.TransportError | Aborted)
    assert isinstance(errors[1], Aborted)


def test_the_time_is_that_of_the_whole_answer(authority: Authority) -> None:
    with (
        server(authority, HEAD, CHUNK) as (port, _, hung_up),
        client(authority) as http,
        pytest.raises(httpx2.ReadTimeout),
    ):
        http.get(f"https://localhost:{port}", timeout=0.3)
    assert hung_up.wait(10)


def test_without_a_cut_it_is_a_client_like_any_other(authority: Authority) -> None:
    with server(authority, HEAD, CHUNK, END) as (port, _, _), client(authority) as http:
        assert http.get(f"https://localhost:{port}", timeout=30).text == "x"
