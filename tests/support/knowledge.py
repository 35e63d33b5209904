"""Uploads and reads documents in tests, as an app and the queue do."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import Call, ToolContext, User
from rollcall.core.wire import Role
from rollcall.endpoints.knowledge import begin_upload, finish_upload, indexdocument, upload_part
from rollcall.knowledge.search import Scope, SearchResult, search
from rollcall.store.files import PART_BYTES
from tests.support.local_functions import LocalPlatform

ANN = User("ann", role=Role.TEACHER, tenant="north")
BEN = User("ben", tenant="north")
EVE = User("eve", tenant="south")


class Library:
    """The documents of a project, seen by its users."""

    def __init__(self, db: Client) -> None:
        self.db = db
        self.platform = LocalPlatform(db)

    def upload_request(self, content: bytes, name: str, /, **changes: Any) -> dict[str, Any]:
        """The data of `begin_upload`."""
        kinds = {"pdf": "application/pdf", "md": "text/markdown", "txt": "text/plain"}
        return {
            "name": name,
            "contentType": kinds[name.rpartition(".")[2]],
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            **changes,
        }

    def begin(self, user: User, content: bytes, name: str, /, **changes: Any) -> dict[str, Any]:
        return self.call(begin_upload, user, self.upload_request(content, name, **changes))

    def send(self, user: User, file_id: str, content: bytes, part: int) -> dict[str, Any]:
        piece = content[part * PART_BYTES : (part + 1) * PART_BYTES]
        data = {"fileId": file_id, "part": part, "content": base64_text(piece)}
        return self.call(upload_part, user, data)

    def finish(self, user: User, file_id: str) -> dict[str, Any]:
        return self.call(finish_upload, user, {"fileId": file_id})

    def upload(self, user: User, content: bytes, name: str, *, scope: str = "user") -> str:
        """Upload a file in parts; the id of its document."""
        begun = self.begin(user, content, name, scope=scope)
        for part in begun["missing"]:
            self.send(user, begun["fileId"], content, part)
        done = begun if "document" in begun else self.finish(user, begun["fileId"])
        return str(done["document"]["documentId"])

    def add(self, user: User, content: bytes | str, name: str, *, scope: str = "user") -> str:
        """Upload a file and have it read; the id of its document."""
        data = content.encode() if isinstance(content, str) else content
        id = self.upload(user, data, name, scope=scope)
        self.run_queue()
        return id

    def run_queue(self) -> None:
        """Do what is in the queue."""
        while self.platform.queue:
            queue, data = self.platform.queue.pop(0)
            assert queue == "indexdocument"
            indexdocument(self.platform, data)

    def record(self, id: str) -> dict[str, Any]:
        return self.db.document(f"documents/{id}").get().to_dict() or {}

    def search(
        self, user: User, query: str, *, scope: Scope = "all", document_id: str | None = None
    ) -> SearchResult:
        return search(self.ctx(user), query, scope=scope, document_id=document_id)

    def titles(self, user: User, query: str, *, scope: Scope = "all") -> set[str]:
        return {each.title for each in self.search(user, query, scope=scope).passages}

    def ctx(self, user: User) -> ToolContext:
        return ToolContext(user=user, platform=self.platform)

    def call(
        self, function: Any, user: User, data: Any, *, claims: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Call a callable's handler; what it answers is JSON."""
        answer = function(self.platform, Call(user=user, data=data, claims=claims or {}))
        json.dumps(answer)
        return dict(answer)


@pytest.fixture
def library(db: Client) -> Library:
    return Library(db)


def base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode()
