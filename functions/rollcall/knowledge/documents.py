"""Documents as they rest in Firestore, and which of them a user may read.

documents/{id}              uid, scope, tenant, name, title, contentType, bytes, sha256, status,
                            reason, progress, incoming, current, attempts, createdAt, updatedAt,
                            dueAt while it waits, is read or has parts of before
documents/{id}/parts/{p}    what search reads, named by the file it was made of: `<file>~t0` texts,
                            `~w0` words, `~v0` vectors

`current` is the file whose passages answer, with what there is of them; `incoming` the one that is
being read to take its place. So one commit puts a new version where the old one was. `status` is of
the newest upload: a document may have failed and still answer with what it had before.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from rollcall.core.context import User
from rollcall.core.errors import NotFound
from rollcall.core.options import collection_id
from rollcall.knowledge.found import Scope
from rollcall.store.files import Allowance

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

DOCUMENTS = "documents"
PARTS = "parts"
MOST_BYTES = 20_000_000
"""Of one file."""
ALLOWANCE = Allowance(files=100, bytes=200_000_000)
"""What one user may keep."""
MOST_DOCUMENTS = 300
"""Of one search or list; a team may have more than that."""
CONTENT_TYPES = {"application/pdf": "pdf", "text/plain": "text", "text/markdown": "markdown"}

_ID = re.compile("[0-9a-f]{32}")

OwnScope = Literal["user", "team"]
"""Whether a document is its uploader's alone, or readable by the uploader's team."""

Status = Literal["queued", "reading", "ready", "failed"]


class Version(Struct, frozen=True):
    """What there is of a document that can be searched.

    Attributes:
        file: Its id in the file store.
        pages: None in files without pages.
        embedder: Whose vectors there are; None without any.
    """

    file: str
    pages: int | None
    passages: int
    texts: int
    words: int
    vectors: int
    embedder: str | None


class StoredDocument(Struct, frozen=True):
    """A document's record, read."""

    id: str
    data: dict[str, Any]
    read_at: Any
    """When it changed last, by Firestore's clock."""

    @property
    def title(self) -> str:
        return str(self.data["title"])

    @property
    def updated_at(self) -> datetime:
        found: datetime = self.data["updatedAt"]
        return found

    @property
    def current(self) -> Version | None:
        """What answers; None until the first upload is ready."""
        stored = self.data["current"]
        return None if stored is None else Version(**stored)


def document_id(uid: str, scope: OwnScope, tenant: str | None, name: str) -> str:
    """The id of a user's document of this name: the same name is the same document."""
    text = "\0".join([scope, uid, tenant or "", name])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def reference(db: Client, id: str) -> DocumentReference:
    return db.document(f"{collection_id(DOCUMENTS)}/{id}")


def read(snapshot: Any) -> StoredDocument | None:
    """The document of a snapshot; None where there is none."""
    data = snapshot.to_dict()
    return None if data is None else StoredDocument(snapshot.id, data, snapshot.update_time)


def may_read(user: User, data: dict[str, Any]) -> bool:
    """Whether a document is the user's own, or the team's that the user is of at this moment."""
    is_team = user.tenant is not None and data["tenant"] == user.tenant
    return data["uid"] == user.uid or is_team


def readable(db: Client, user: User, scope: Scope) -> tuple[list[StoredDocument], bool]:
    """The documents that a user may read, newest first, and whether these are all."""
    from google.cloud.firestore import FieldFilter

    wanted = []
    if scope in ("mine", "all"):
        wanted.append(FieldFilter("uid", "==", user.uid))
    if scope in ("team", "all") and user.tenant is not None:
        wanted.append(FieldFilter("tenant", "==", user.tenant))
    found: dict[str, StoredDocument] = {}
    is_all = True
    for test in wanted:
        query = db.collection(collection_id(DOCUMENTS)).where(filter=test).limit(MOST_DOCUMENTS + 1)
        some = [document for each in query.stream() if (document := read(each))]
        is_all = is_all and len(some) <= MOST_DOCUMENTS
        found |= {each.id: each for each in some[:MOST_DOCUMENTS] if may_read(user, each.data)}
    return sorted(found.values(), key=lambda each: each.updated_at, reverse=True), is_all


def one_readable(db: Client, user: User, id: str, *, field: str = "documentId") -> StoredDocument:
    """One document that the user may read.

    Raises:
        NotFound: There is none of this id, or it is not the user's to read.
    """
    document = read(reference(db, id).get()) if _ID.fullmatch(id) else None
    if document is None or not may_read(user, document.data):
        raise NotFound("you have no such document", field=field)
    return document
