"""A proxy that cuts connections after a number of bytes of the answer."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

_CHUNK = 4096


class CuttingProxy:
    """Listens on 127.0.0.1 for one server.

    Attributes:
        cut_after: For each connection to come, in their order, how many bytes of the answer pass;
            None, and whatever comes behind the list, lets all pass.
        cuts: How many connections were cut.
        sizes: How many bytes of each answer passed, in the order in which they ended.
    """

    def __init__(self, server: str) -> None:
        host, _, port = server.rpartition(":")
        self._server = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.cut_after: list[int | None] = []
        self.cuts = 0
        self.sizes: list[int] = []

    def serve(self) -> None:
        """Take connections until `close`."""
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                most = self.cut_after.pop(0) if self.cut_after else None
                threading.Thread(target=self._pass_on, args=(client, most), daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def on_data(self, data: bytes) -> None:
        """Called with each chunk before the client gets it."""

    def _pass_on(self, client: socket.socket, most: int | None) -> None:
        with client, socket.create_connection(self._server) as server:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            asking = threading.Thread(target=_copy, args=(client, server), daemon=True)
            asking.start()
            passed = 0
            with contextlib.suppress(OSError):  # either end is gone
                while data := server.recv(_CHUNK):
                    if most is not None and passed + len(data) >= most:
                        client.sendall(data[: most - passed])
                        self.cuts += 1
                        break
                    self.on_data(data)
                    client.sendall(data)
                    passed += len(data)
            self.sizes.append(passed)
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)  # closing alone would wait for who reads


@contextlib.contextmanager
def cutting_proxy(server: str) -> Iterator[CuttingProxy]:
    """A proxy of `server`, `host:port`, until the block ends."""
    proxy = CuttingProxy(server)
    with serve(proxy):
        yield proxy


@contextlib.contextmanager
def serve(proxy: CuttingProxy) -> Iterator[None]:
    """Serve until the block ends."""
    threading.Thread(target=proxy.serve, daemon=True).start()
    try:
        yield
    finally:
        proxy.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
