"""Records of documents in Firestore, and who may read them.

documents/{id}              uid, scope, tenant, group, labels, name, title, contentType, bytes,
                            sha256, status, reason, progress, incoming, current, attempts,
                            createdAt, updatedAt; dueAt while it is queued, is read or has parts of
                            an older version
documents/{id}/parts/{p}    the index that search reads, named by its file: `<file>~t0` texts,
                            `~w0` words, `~v0` vectors

`current` is the searched version: its file, and the numbers of its passages and parts. `incoming`
is the file that is being read to replace it, so one commit replaces the version. `status` is that
of the newest upload: after a failure the document still answers from its previous version.

`labels` are the uploader's own words, by which searches filter. `group` names others who may search
the document, as "<kind>:<id>". The engine does not know a group's members: a search reads the
documents of the groups that a pack's code names in that call, right after it has checked that
`ctx.user` is a member. Clients and models cannot name a group, since no function has an argument
for it, and memberships are not stored. So a former member finds nothing from the next search on.
The file itself is only its owner's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from pydantic import Field

from rollcall.core.context import User
from rollcall.core.errors import NotFound, PermissionDenied
from rollcall.core.options import collection_id
from rollcall.core.shapes import Role, Wire
from rollcall.core.texts import TEXTS
from rollcall.core.user_data import Section, UserData, of_user
from rollcall.store.batches import where
from rollcall.store.files import FILE_SECTION, Allowance, FileStore

if TYPE_CHECKING:
    from google.cloud.firestore import Client, CollectionReference, DocumentReference, WriteBatch

    from rollcall.core.user_data import Document

DOCUMENTS = "documents"
PARTS = "parts"
MAX_BYTES = 20_000_000
"""The largest file."""
ALLOWANCE = Allowance(files=100, bytes=200_000_000)
"""The most that one user may store."""
MAX_DOCUMENTS = 300
"""The most documents that one search or list reads; a team may have more."""
CONTENT_TYPES = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "text/plain": "text",
    "text/markdown": "markdown",
}
OVERDUE = timedelta(minutes=5)
"""How long a document may be queued, or its reader silent, before the sweep queues it again."""

_ID = re.compile("[0-9a-f]{32}")

OwnScope = Literal["user", "team"]
"""Who may read a document: only its uploader, or the uploader's team."""
Scope = Literal["mine", "team", "all"]
"""Which documents: the user's own, those shared with the user's team, or both."""
Status = Literal["queued", "reading", "ready", "failed"]
PartKind = Literal["t", "w", "v"]


class Version(Struct, frozen=True):
    """The searchable version of a document.

    Attributes:
        file: The id of its file in the file store.
        pages: None for files without pages.
        texts, words, vectors: The number of parts of each kind.
        embedder: The embedder that made the vectors; None without vectors.
    """

    file: str
    pages: int | None
    passages: int
    texts: int
    words: int
    vectors: int
    embedder: str | None


class StoredDocument(Struct, frozen=True):
    """A document's record.

    Attributes:
        read_at: Its last update by Firestore's clock, a precondition for writes.
    """

    id: str
    data: dict[str, Any]
    read_at: Any

    @property
    def title(self) -> str:
        return str(self.data["title"])

    @property
    def updated_at(self) -> datetime:
        found: datetime = self.data["updatedAt"]
        return found

    @property
    def current(self) -> Version | None:
        """The searched version; None until the first upload is ready."""
        stored = self.data["current"]
        return None if stored is None else Version(**stored)

    @property
    def version(self) -> Version:
        """The searched version of a document that has one."""
        assert self.current is not None
        return self.current

    def part_path(self, kind: PartKind, number: int) -> str:
        """Return the path of a part of the searched version."""
        record = f"{collection_id(DOCUMENTS)}/{self.id}"
        return f"{record}/{collection_id(PARTS)}/{self.version.file}~{kind}{number}"

    @property
    def current_file(self) -> str | None:
        """The file whose passages are searched."""
        return self.current.file if self.current else None


class Progress(Wire):
    """Pages read, of all pages; both 0 before reading begins."""

    done: int
    total: int


class Reason(Wire):
    """Why a document could not be read: a code, and a sentence in each language."""

    code: str
    en: str
    he: str


class DocumentInfo(Wire):
    """A document's information for its readers.

    Attributes:
        status: The status of the newest upload; a failed one has a `reason`.
        is_searchable: Whether it has passages to search: of the newest upload or, until that is
            ready, of the previous one.
        pages: The pages of the searched version; None for files without pages.
        is_mine: Whether the user uploaded it, and so may delete it.
    """

    document_id: str
    title: str
    name: str
    scope: OwnScope
    content_type: str
    bytes: int
    status: Status
    progress: Progress
    reason: Reason | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    group: str | None = None
    is_searchable: bool
    pages: int | None = None
    passages: int = 0
    is_mine: bool
    updated_at: str


def document_info(document: StoredDocument, user: User) -> DocumentInfo:
    """Return a document's information for a user."""
    data, current = document.data, document.current
    return DocumentInfo(
        document_id=document.id,
        title=document.title,
        name=data["name"],
        scope=data["scope"],
        content_type=data["contentType"],
        bytes=data["bytes"],
        status=data["status"],
        progress=Progress(**data["progress"]),
        reason=Reason(**data["reason"]) if data["reason"] else None,
        labels=data.get("labels") or {},
        group=data.get("group"),
        is_searchable=current is not None,
        pages=current.pages if current else None,
        passages=current.passages if current else 0,
        is_mine=data["uid"] == user.uid,
        updated_at=document.updated_at.isoformat(),
    )


def document_id(
    uid: str, scope: OwnScope, tenant: str | None, name: str, group: str | None = None
) -> str:
    """Return the id of a user's document with this name. The same name is the same document, but
    another one in each group."""
    text = "\0".join([scope, uid, tenant or "", name, *([group] if group else [])])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def reference(db: Client, id: str) -> DocumentReference:
    return db.document(f"{collection_id(DOCUMENTS)}/{id}")


def parts(db: Client, id: str) -> CollectionReference:
    return db.collection(f"{collection_id(DOCUMENTS)}/{id}/{collection_id(PARTS)}")


def read(snapshot: Any) -> StoredDocument | None:
    """Return the document in a snapshot; None if it does not exist."""
    data = snapshot.to_dict()
    return None if data is None else StoredDocument(snapshot.id, data, snapshot.update_time)


def may_read(user: User, data: dict[str, Any], groups: Sequence[str] = ()) -> bool:
    """Tell whether a document belongs to the user, to the user's current team or to one of these
    groups."""
    is_team = user.tenant is not None and data["tenant"] == user.tenant
    return data["uid"] == user.uid or is_team or data.get("group") in groups


def readable(
    db: Client, user: User, scope: Scope, *, groups: Sequence[str] = ()
) -> tuple[list[StoredDocument], bool]:
    """Return the documents that a user may read, newest first, and whether these are all.

    Args:
        groups: Groups whose documents the user may read too; the caller has just checked that the
            user is a member.
    """
    wanted = [where("group", "==", group) for group in dict.fromkeys(groups)]
    if scope in ("mine", "all"):
        wanted.append(where("uid", "==", user.uid))
    if scope in ("team", "all") and user.tenant is not None:
        wanted.append(where("tenant", "==", user.tenant))
    by_id: dict[str, StoredDocument] = {}
    is_all = True
    for test in wanted:
        query = db.collection(collection_id(DOCUMENTS)).where(filter=test).limit(MAX_DOCUMENTS + 1)
        some = [document for each in query.stream() if (document := read(each))]
        is_all = is_all and len(some) <= MAX_DOCUMENTS
        by_id |= {
            each.id: each for each in some[:MAX_DOCUMENTS] if may_read(user, each.data, groups)
        }
    return sorted(by_id.values(), key=lambda each: each.updated_at, reverse=True), is_all


def one_readable(db: Client, user: User, id: str, *, groups: Sequence[str] = ()) -> StoredDocument:
    """Return one document that the user may read.

    Args:
        groups: As for `readable`.
    Raises:
        NotFound: There is none with this id, or the user may not read it.
    """
    document = read(reference(db, id).get()) if _ID.fullmatch(id) else None
    if document is None or not may_read(user, document.data, groups):
        raise NotFound(TEXTS.text("errors.no_document"), field="documentId")
    return document


def check_may_remove(user: User, document: StoredDocument) -> None:
    """Check that the user is the uploader, or an admin of the team.

    Raises:
        PermissionDenied: The user may only read it.
    """
    is_admin = user.role is Role.ADMIN and document.data["tenant"] == user.tenant is not None
    if document.data["uid"] != user.uid and not is_admin:
        raise PermissionDenied(TEXTS.text("errors.only_uploader"), field="documentId")


def remove(db: Client, batch: WriteBatch, document: StoredDocument) -> None:
    """Add to a batch the deletion of a document's record, parts and files.

    The commit fails if the document has changed since it was read. Every write of a part also
    writes the record, so no part can be added in between.
    """
    for part in parts(db, document.id).select([]).stream():
        batch.delete(part.reference)
    for file_id in (document.current_file, document.data["incoming"]):
        if file_id and (file := FileStore(db).find(file_id)):
            FileStore(db).remove(batch, file)
    unchanged = db.write_option(last_update_time=document.read_at)
    batch.delete(reference(db, document.id), option=unchanged)


def erase_document(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Add to a batch the removal of a user's document, as `Section.erase` does."""
    if found := read(document):
        remove(db, batch, found)


_INTERNAL = {"incoming", "current", "attempts", "dueAt"}


def _document(data: dict[str, Any], uid: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in _INTERNAL}


UPLOADS = UserData(
    (
        # Documents first: without its record, a document that is being read writes nothing more.
        Section(
            kind="documents",
            find=of_user(DOCUMENTS, platform=True),
            show=_document,
            erase=erase_document,
            reads=("current", "incoming"),
            page=2,  # each may have two hundred parts, and a commit takes 500 writes
        ),
        FILE_SECTION,
    )
)
