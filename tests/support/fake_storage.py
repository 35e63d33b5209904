"""A local server that speaks Cloud Storage's JSON API, as far as the file store uses it.

    with FakeStorage() as fake:
        ...                    # google-cloud-storage finds it by STORAGE_EMULATOR_HOST
        fake.objects           # {(bucket, name): (content type, bytes)}

There is one bucket, `BUCKET`; any other is 404. Uploads are "multipart", as the client sends what
is small, and "resumable".
"""

from __future__ import annotations

import email
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, unquote, urlsplit

from rollcall.store import files

BUCKET = "demo-files"


class FakeStorage:
    """The server, and what it holds. `fails` answers every request with that status."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.fails: int | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._env = mock.patch.dict(
            "os.environ",
            {
                "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{self._server.server_port}",
                "ROLLCALL_FILES_BUCKET": BUCKET,
            },
        )

    def __enter__(self) -> FakeStorage:
        self._env.start()
        files._storage.cache_clear()
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        files._storage()._http.close()
        files._storage.cache_clear()
        self._env.stop()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                fake._get(self)

            def do_POST(self) -> None:
                fake._post(self)

            def do_DELETE(self) -> None:
                fake._delete(self)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler

    def _get(self, request: Any) -> None:
        path, query = _target(request)
        if self._refuses(request, path):
            return
        if path[-1] == "o":
            prefix = query.get("prefix", [""])[0]
            items = [_item(*each) for each in sorted(self.objects) if each[1].startswith(prefix)]
            _answer(request, 200, {"kind": "storage#objects", "items": items})
            return
        found = self.objects.get((_bucket(path), path[-1]))
        if found is None:
            _answer(request, 404, {"error": {"code": 404, "message": "No such object"}})
        else:
            _answer(request, 200, found[1])

    def _post(self, request: Any) -> None:
        path, query = _target(request)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if self._refuses(request, path):
            return
        assert query["uploadType"] == ["multipart"], query
        head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
        about, content = email.message_from_bytes(head + body).get_payload()
        key = (_bucket(path), json.loads(about.get_payload())["name"])
        self.objects[key] = (content.get_content_type(), _raw(body))
        _answer(request, 200, _item(*key))

    def _delete(self, request: Any) -> None:
        path, _ = _target(request)
        if self._refuses(request, path):
            return
        gone = self.objects.pop((_bucket(path), path[-1]), None)
        _answer(request, 404 if gone is None else 204, b"")

    def _refuses(self, request: Any, path: list[str]) -> bool:
        status = self.fails or (404 if _bucket(path) != BUCKET else None)
        if status:
            _answer(request, status, {"error": {"code": status, "message": "refused"}})
        return status is not None


def _target(request: Any) -> tuple[list[str], dict[str, list[str]]]:
    """The path's segments, decoded, and the query."""
    parts = urlsplit(request.path)
    return [unquote(each) for each in parts.path.split("/")], parse_qs(parts.query)


def _bucket(path: list[str]) -> str:
    return path[path.index("b") + 1]


def _raw(body: bytes) -> bytes:
    """The second part of a multipart body, byte by byte."""
    boundary = body.split(b"\r\n", 1)[0]
    part = body.split(boundary + b"\r\n")[2]
    return part.split(b"\r\n\r\n", 1)[1].rsplit(b"\r\n" + boundary + b"--", 1)[0]


def _item(bucket: str, name: str) -> dict[str, str]:
    return {"kind": "storage#object", "bucket": bucket, "name": name}


def _answer(request: Any, status: int, body: bytes | dict[str, Any]) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    if status != 204:
        request.wfile.write(data)
