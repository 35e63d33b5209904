"""A local server that answers as Google's REST interfaces do, as far as the doctor reads them.

    with FakeGoogle() as google:
        google.answer("cloudfunctions", "v2/…/functions", {"functions": [...]})
        check_functions(google.client, ...)

What has no answer is a 404 in Google's words. Shapes are those of the services' reference pages;
the real services were not asked.
"""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import requests

from rollcall.commands.doctor.findings import Google

from .https_server import Handler, HttpsServer

Json = dict[str, Any]
_NAMES = {403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}


def refusal(code: int, status: str, message: str) -> Json:
    """An error as every one of Google's services words it."""
    return {"error": {"code": code, "message": message, "status": status}}


class FakeGoogle:
    """A server on 127.0.0.1, and a client that knows no other."""

    def __init__(self, project: str = "shop") -> None:
        self._project = project
        self._answers: dict[tuple[str, str], tuple[int, Json]] = {}
        self._otherwise = (404, refusal(404, "NOT_FOUND", "Requested entity was not found."))
        self.asked: list[str] = []

    def __enter__(self) -> FakeGoogle:
        self._server = HttpsServer(None, "", self._reply)
        self.address = f"127.0.0.1:{self._server.port}"
        root = f"http://{self.address}"
        self.client = Google(requests.Session(), self._project, root=f"{root}/{{service}}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()

    def answer(
        self, service: str, path: str, body: Json, *, status: int = 200, token: str = ""
    ) -> None:
        """Answer a path, or its page `token`, from now on."""
        self._answers[f"/{service}/{path}", token] = (status, body)

    def refuse(self, service: str, path: str, status: int, message: str) -> None:
        """Refuse a path."""
        self.answer(service, path, refusal(status, _NAMES[status], message), status=status)

    def refuse_all(self, status: int, message: str) -> None:
        """Refuse whatever has no answer."""
        self._otherwise = (status, refusal(status, _NAMES[status], message))

    def _reply(self, handler: Handler) -> None:
        url = urlsplit(handler.path)
        query = parse_qs(url.query)
        self.asked.append(unquote(handler.path))
        key = (unquote(url.path), query.get("pageToken", [""])[0])
        status, body = self._answers.get(key, self._otherwise)
        handler.reply(status, json.dumps(body).encode(), connection="close")
