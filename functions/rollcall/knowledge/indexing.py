"""Reads a document that waits, page by page, and puts what search needs in its place.

Every write goes together with the document's record and only if nobody else has written that: of
two readers one goes on, and a document that was deleted or uploaded anew gets no more parts. A
reader that dies leaves parts under its file's name; the next one begins anew and takes them away.
One that dies with its work done leaves those of the version before; the record stays due until they
are gone.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.context import Platform
from rollcall.core.errors import Unavailable
from rollcall.core.options import collection_id
from rollcall.knowledge.documents import (
    CONTENT_TYPES,
    PARTS,
    StoredDocument,
    Version,
    read,
    reference,
)
from rollcall.knowledge.parts import PartWriter
from rollcall.knowledge.queueing import OVERDUE
from rollcall.knowledge.reading import process
from rollcall.knowledge.reading.pages import CannotRead, Page, reason
from rollcall.knowledge.splitting import split
from rollcall.store.batches import try_commit
from rollcall.store.files import StoredFile, files

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

MOST_ATTEMPTS = 4
MOST_PASSAGES = 10_000
"""Of one document, twice what the longest text has; with more, one would keep all others out of a
search."""
_TELL_EVERY_S = 2.0
_DELETES_AT_ONCE = 200

log = logging.getLogger("rollcall")


class Superseded(Exception):
    """Somebody else has written the document: another reader, an upload or a deletion."""


class _Work(Struct):
    """One reader of one document."""

    db: Client
    document: StoredDocument
    time: Any
    _told_at: float = field(default_factory=time.monotonic)

    @property
    def file_id(self) -> str:
        return str(self.document.data["incoming"])

    def commit(self, batch: WriteBatch, **changes: Any) -> None:
        """Commit a batch together with changes of the record.

        Raises:
            Superseded: The record is no longer as this reader wrote it.
        """
        unchanged = self.db.write_option(last_update_time=self.time)
        changes = {"dueAt": datetime.now(UTC) + OVERDUE, **changes}
        batch.update(reference(self.db, self.document.id), changes, option=unchanged)
        written = try_commit(batch)
        if written is None:
            raise Superseded
        self.time = written[-1].update_time

    def write_part(self, name: str, data: bytes) -> None:
        """Store a part of the file that is read."""
        batch = self.db.batch()
        batch.set(self._parts().document(f"{self.file_id}~{name}"), {"data": data})
        self.commit(batch)

    def tell(self, done: int, total: int) -> None:
        """Say how many pages are read, every few seconds."""
        if time.monotonic() - self._told_at > _TELL_EVERY_S:
            self._told_at = time.monotonic()
            self.commit(self.db.batch(), progress={"done": done, "total": total})

    def clean(self) -> None:
        """Delete what readers before this one have left: all parts but those that answer.

        Raises:
            Superseded: Another reader has begun, whose parts these may be.
        """
        self._delete_all_but(_answering(self.document))

    def tidy(self, answers: str | None) -> None:
        """Delete the parts of what answers no more, or never will, and want nothing further.

        Args:
            answers: The file whose parts stay.
        Raises:
            Superseded: Somebody else has written the document, and sees to it.
        """
        from google.cloud.firestore import DELETE_FIELD

        self._delete_all_but(answers)
        self.commit(self.db.batch(), dueAt=DELETE_FIELD)

    def _delete_all_but(self, file_id: str | None) -> None:
        found = self._parts().select([]).stream()
        left = [each.reference for each in found if each.id.partition("~")[0] != file_id]
        for start in range(0, len(left), _DELETES_AT_ONCE):
            batch = self.db.batch()
            for each in left[start : start + _DELETES_AT_ONCE]:
                batch.delete(each)
            self.commit(batch)

    def _parts(self) -> Any:
        return reference(self.db, self.document.id).collection(collection_id(PARTS))


def index(platform: Platform, document_id: str) -> None:
    """Read a document that waits, to its end; nothing if none waits or somebody reads it.

    Raises:
        Unavailable: The file store did not answer; the task is worth repeating.
    """
    work = _claim(platform.db, document_id)
    if work is None:
        return
    try:
        answers = _done(platform, work)
    except Superseded:
        log.info("document %s was changed while it was read", document_id)
        return
    except Unavailable:
        _give_back(work, attempts=work.document.data["attempts"])  # the file cannot help it
        raise
    except Exception:
        _give_back(work)
        raise
    _tidy(work, answers)


def _done(platform: Platform, work: _Work) -> str | None:
    """Read the document, or note why it cannot be read; the file that answers from then on."""
    try:
        if work.document.data["attempts"] >= MOST_ATTEMPTS:
            raise CannotRead("failed")
        return _read(platform, work)
    except CannotRead as error:
        log.info("document %s cannot be read: %s", work.document.id, error.problem)
        return _fail(work, error)


def _claim(db: Client, document_id: str) -> _Work | None:
    """Become the reader of a document; None where it has one, or needs none."""
    document = read(reference(db, document_id).get())
    now = datetime.now(UTC)
    if document is None:
        return None
    if document.data["incoming"] is None:
        if "dueAt" in document.data:  # its last reader died with its work done
            _tidy(_Work(db, document, document.read_at), _answering(document))
        return None
    if document.data["status"] == "reading" and document.data["dueAt"] > now:
        return None
    work = _Work(db, document, document.read_at)
    try:
        work.commit(db.batch(), status="reading", attempts=document.data["attempts"] + 1)
    except Superseded:
        return None
    return work


def _tidy(work: _Work, answers: str | None) -> None:
    try:
        work.tidy(answers)
    except Superseded:
        log.info("document %s is in other hands", work.document.id)


def _answering(document: StoredDocument) -> str | None:
    return document.current.file if document.current else None


def _give_back(work: _Work, **changes: Any) -> None:
    """Let the next attempt begin at once, and not when this reader counts as lost."""
    try:
        work.commit(work.db.batch(), status="queued", **changes)
    except Superseded:
        log.info("document %s is in other hands", work.document.id)


def _read(platform: Platform, work: _Work) -> str:
    file = files(work.db).find(work.file_id)
    if file is None:
        raise CannotRead("gone")
    work.clean()
    writer = PartWriter(work.write_part, platform.embedder)
    pages = _Pages(work)
    kind = CONTENT_TYPES[file.content_type]
    with _on_disk(work.db, file) as path:
        for piece in split(pages.of(path, kind), markdown=kind == "markdown"):
            writer.add(piece)
            if writer.passages > MOST_PASSAGES:
                raise CannotRead("too_many_passages")
    if not writer.passages:
        raise CannotRead("no_text")
    writer.end()
    _replace(work, writer, pages.total if kind == "pdf" else None)
    return work.file_id


class _Pages(Struct):
    """Passes pages on, and tells how far it is."""

    work: _Work
    total: int = 0
    done: int = 0

    def of(self, path: Path, kind: Any) -> Iterator[Page]:
        for each in process.read(kind, path):
            if not isinstance(each, Page):
                self.total = each
                continue
            yield each
            self.done += 1
            self.work.tell(self.done, self.total)


@contextmanager
def _on_disk(db: Client, file: StoredFile) -> Iterator[Path]:
    """The file's content, where the reading process finds it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "content"
        with path.open("wb") as out:
            for part in files(db).open(file):
                out.write(part)
        yield path


def _replace(work: _Work, writer: PartWriter, pages: int | None) -> None:
    """Put the new version in the place of the old one, in one commit."""
    before = work.document.current
    is_embedded = writer.embedder is not None and writer.counts["v"] > 0
    version = Version(
        file=work.file_id,
        pages=pages,
        passages=writer.passages,
        texts=writer.counts["t"],
        words=writer.counts["w"],
        vectors=writer.counts["v"] if is_embedded else 0,
        embedder=writer.embedder.id if writer.embedder and is_embedded else None,
    )
    _end(work, status="ready", current=as_stored(version), remove=before.file if before else None)


def _fail(work: _Work, error: CannotRead) -> str | None:
    """Say why, and remove the file; what the document had before still answers."""
    _end(work, status="failed", reason=reason(error.problem), remove=work.file_id)
    return _answering(work.document)


def _end(work: _Work, *, remove: str | None, **changes: Any) -> None:
    batch = work.db.batch()
    if remove and (file := files(work.db).find(remove)):
        files(work.db).remove(batch, file)
    work.commit(batch, incoming=None, updatedAt=datetime.now(UTC), **changes)


def as_stored(version: Version) -> dict[str, Any]:
    """A version as the record has it."""
    return {name: getattr(version, name) for name in Version.__struct_fields__}
