"""Reads a queued document page by page and writes its index.

Every write also writes the document's record, and fails if another process has written that: of two
readers only one goes on, and a deleted or replaced document gets no more parts. A reader that dies
leaves parts under its file's name; the next one deletes them and starts over. A reader that dies
after its last part leaves those of the previous version; the record stays due until they are
deleted.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import asdict

from rollcall.core.context import Platform
from rollcall.core.errors import Unavailable
from rollcall.knowledge import documents, reader
from rollcall.knowledge.documents import CONTENT_TYPES, OVERDUE, StoredDocument, Version
from rollcall.knowledge.index import PartWriter
from rollcall.knowledge.pages import CannotRead, Page
from rollcall.knowledge.passages import split
from rollcall.store.batches import try_commit
from rollcall.store.files import FileStore

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

MAX_ATTEMPTS = 4
MAX_PASSAGES = 10_000
"""The most passages of one document, twice as many as the longest text has; a document with more
would exclude all others from a search."""
_PROGRESS_EVERY_S = 2.0
_DELETES_AT_ONCE = 200

log = logging.getLogger("rollcall")


class Superseded(Exception):
    """The document was written by another reader, an upload or a deletion."""


class _Claim(Struct):
    """A reader's claim on a document, valid until another process writes the record.

    Attributes:
        time: When the record was last written, by Firestore's clock.
    """

    db: Client
    document: StoredDocument
    time: Any
    _reported_at: float = field(default_factory=time.monotonic)

    @property
    def file_id(self) -> str:
        """The id of the file that is being read."""
        return str(self.document.data["incoming"])

    def commit(self, batch: WriteBatch, **changes: Any) -> None:
        """Commit a batch together with changes of the record.

        Raises:
            Superseded: The record has changed since this reader wrote it.
        """
        unchanged = self.db.write_option(last_update_time=self.time)
        changes = {"dueAt": datetime.now(UTC) + OVERDUE, **changes}
        batch.update(documents.reference(self.db, self.document.id), changes, option=unchanged)
        written = try_commit(batch)
        if written is None:
            raise Superseded
        self.time = written[-1].update_time

    def write_part(self, name: str, data: bytes) -> None:
        """Store a part of the index."""
        batch = self.db.batch()
        part = documents.parts(self.db, self.document.id).document(f"{self.file_id}~{name}")
        batch.set(part, {"data": data})
        self.commit(batch)

    def report_progress(self, done: int, total: int) -> None:
        """Write the number of pages read, every few seconds."""
        if time.monotonic() - self._reported_at > _PROGRESS_EVERY_S:
            self._reported_at = time.monotonic()
            self.commit(self.db.batch(), progress={"done": done, "total": total})

    def delete_parts_but(self, file_id: str | None) -> None:
        """Delete all parts except those of one file.

        Raises:
            Superseded: Another reader has begun, and these may be its parts.
        """
        stored = documents.parts(self.db, self.document.id).select([]).stream()
        obsolete = [each.reference for each in stored if each.id.partition("~")[0] != file_id]
        for start in range(0, len(obsolete), _DELETES_AT_ONCE):
            batch = self.db.batch()
            for each in obsolete[start : start + _DELETES_AT_ONCE]:
                batch.delete(each)
            self.commit(batch)

    def end(self, current_file: str | None) -> None:
        """Delete the parts of other files than the searched one, and mark the document as not
        due."""
        from google.cloud.firestore import DELETE_FIELD

        try:
            self.delete_parts_but(current_file)
            self.commit(self.db.batch(), dueAt=DELETE_FIELD)
        except Superseded:
            log.info("document %s has another reader or version", self.document.id)

    def give_back(self, **changes: Any) -> None:
        """Release the claim, so that the next attempt need not wait for it to expire."""
        try:
            self.commit(self.db.batch(), status="queued", **changes)
        except Superseded:
            log.info("document %s has another reader or version", self.document.id)


def index(platform: Platform, document_id: str) -> None:
    """Read and index a queued document. Does nothing if it is not queued or has another reader.

    Raises:
        Unavailable: The file store did not answer; the task is worth repeating.
    """
    claim = _claim(platform.db, document_id)
    if claim is None:
        return
    try:
        try:
            if claim.document.data["attempts"] >= MAX_ATTEMPTS:
                raise CannotRead("failed")
            current_file: str | None = _read(platform, claim)
        except CannotRead as error:
            log.info("document %s cannot be read: %s", document_id, error.problem)
            # The previous version is still searched.
            _replace_file(claim, claim.file_id, status="failed", reason=error.reason())
            current_file = claim.document.current_file
    except Superseded:
        log.info("document %s was changed while it was read", document_id)
        return
    except Unavailable:
        claim.give_back(attempts=claim.document.data["attempts"])  # not the file's fault
        raise
    except Exception:
        claim.give_back()
        raise
    claim.end(current_file)


def _claim(db: Client, document_id: str) -> _Claim | None:
    """Claim a document for reading; return None if it has a reader, or needs none."""
    document = documents.read(documents.reference(db, document_id).get())
    if document is None:
        return None
    claim = _Claim(db, document, document.read_at)
    if document.data["incoming"] is None:
        if "dueAt" in document.data:  # its last reader died after its last part
            claim.end(document.current_file)
        return None
    if document.data["status"] == "reading" and document.data["dueAt"] > datetime.now(UTC):
        return None
    try:
        claim.commit(db.batch(), status="reading", attempts=document.data["attempts"] + 1)
    except Superseded:
        return None
    return claim


def _read(platform: Platform, claim: _Claim) -> str:
    """Read a document's file into passages, and replace the one before it; return the file's id.

    Raises:
        CannotRead: The file is gone, has no text, or has too many passages.
        Superseded: Another process has taken the document over.
    """
    file = FileStore(claim.db).find(claim.file_id)
    if file is None:
        raise CannotRead("gone")
    claim.delete_parts_but(claim.document.current_file)  # parts left by earlier readers
    writer = PartWriter(claim.write_part, platform.embedder)
    kind: Any = CONTENT_TYPES[file.content_type]
    total = 0

    def pages(path: Path) -> Iterator[Page]:
        nonlocal total
        done = 0
        for page in reader.read(kind, path):
            if not isinstance(page, Page):
                total = page
                continue
            yield page
            done += 1
            claim.report_progress(done, total)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "content"  # for the reading process
        with path.open("wb") as out:
            for part in FileStore(claim.db).open(file):
                out.write(part)
        for piece in split(pages(path), markdown=kind == "markdown"):
            writer.add(piece)
            if writer.passages > MAX_PASSAGES:
                raise CannotRead("too_many_passages")
    if not writer.passages:
        raise CannotRead("no_text")
    writer.end()
    embedder = writer.embedder if writer.counts["v"] else None
    version = Version(
        file=claim.file_id,
        pages=total if kind == "pdf" else None,
        passages=writer.passages,
        texts=writer.counts["t"],
        words=writer.counts["w"],
        vectors=writer.counts["v"] if embedder else 0,
        embedder=embedder.id if embedder else None,
    )
    _replace_file(claim, claim.document.current_file, status="ready", current=asdict(version))
    return claim.file_id


def _replace_file(claim: _Claim, remove: str | None, **changes: Any) -> None:
    """Write the record of a document after reading, and remove a file, in one commit."""
    batch = claim.db.batch()
    if remove and (file := FileStore(claim.db).find(remove)):
        FileStore(claim.db).remove(batch, file)
    claim.commit(batch, incoming=None, updatedAt=datetime.now(UTC), **changes)
