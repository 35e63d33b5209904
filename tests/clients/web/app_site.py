"""The web app as Hosting serves it, for pages that call the functions of a test.

    with app_site("127.0.0.1:9999") as site:
        context = browser.new_context(base_url=site)

A file and its headers are asked of the Hosting emulator once. A browser that leads the calls of a
page to other functions stops each of its requests and caches none, which is a third of the time of
loading the page.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

_OWN_HEADERS = {"connection", "keep-alive", "date", "content-length", "transfer-encoding"}
"""Those that are said anew of each answer."""
_EMULATORS = "/__/firebase/init.js"
"""Where Hosting tells a page which emulators there are."""


def hosting() -> str:
    """The address of the Hosting emulator."""
    return f"http://{os.environ['HOSTING_EMULATOR_HOST']}"


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # a page asks for two dozen files at once


@contextmanager
def app_site(functions: str) -> Iterator[str]:
    """Serve the app until the block ends; gives its address.

    Args:
        functions: `host:port` of those that its pages call in place of the emulator's.
    """
    usual = os.environ["FUNCTIONS_EMULATOR_HOST"]
    usual_port, port = (each.rpartition(":")[2] for each in (usual, functions))

    @cache
    def answer(path: str) -> tuple[int, list[tuple[str, str]], bytes]:
        plain = {"accept-encoding": "identity"}
        found = httpx2.get(hosting() + path, headers=plain, trust_env=False, timeout=60)
        headers = [
            (name, value.replace(usual, functions))  # the policy names where pages may connect to
            for name, value in found.headers.items()
            if name not in _OWN_HEADERS
        ]
        body = found.content
        if path.startswith(_EMULATORS):
            body = re.sub(rf"\b{usual_port}\b".encode(), port.encode(), body)
        return found.status_code, headers, body

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept

        def do_GET(self) -> None:
            status, headers, body = answer(self.path)
            self.send_response(status)
            for name, value in [*headers, ("content-length", str(len(body)))]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of each request."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
