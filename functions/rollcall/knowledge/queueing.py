"""A file that is whole becomes a document that waits to be read."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rollcall.core.context import Platform
from rollcall.core.errors import Aborted, AgentError
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.knowledge.documents import StoredDocument, document_id, read, reference
from rollcall.store.batches import try_commit
from rollcall.store.files import StoredFile, files

if TYPE_CHECKING:
    from google.cloud.firestore import Client

QUEUE = "indexdocument"
OVERDUE = timedelta(minutes=5)
"""How long a document may wait, or its reader be silent, before the sweep hands it on again."""
_ATTEMPTS = 5
_AT_ONCE = 100

log = logging.getLogger("rollcall")


def queue(platform: Platform, file: StoredFile, *, now: datetime) -> StoredDocument:
    """Have a file read that is whole; again for the same file changes nothing.

    What the document was made of before answers until this file is ready.

    Raises:
        Aborted: Several uploads of this name ended at the same time.
    """
    scope, tenant = file.details["scope"], file.details["tenant"]
    id = document_id(file.uid, scope, tenant, file.name)
    for _ in range(_ATTEMPTS):
        before = read(reference(platform.db, id).get())
        if before and file.id in (before.data["incoming"], _current_file(before)):
            return before
        if _write(platform.db, id, before, file, now):
            enqueue(platform, id)
            return _now(platform.db, id)
    raise Aborted("another upload of this name ended at the same time; send this again")


def enqueue(platform: Platform, id: str) -> None:
    """Hand a document to the queue; one that it does not take, the sweep finds."""
    try:
        platform.enqueue(QUEUE, {"documentId": id})
    except AgentError as error:
        log.warning("document %s waits for the sweep: %s", id, error.message)


def overdue(db: Client, *, now: datetime) -> list[str]:
    """Documents whose reader was lost, or that no queue took."""
    from google.cloud.firestore import FieldFilter

    late = db.collection(collection_id("documents")).where(filter=FieldFilter("dueAt", "<=", now))
    return [each.id for each in late.select([]).limit(_AT_ONCE).stream()]


def _write(
    db: Client, id: str, before: StoredDocument | None, file: StoredFile, now: datetime
) -> bool:
    """Note the file as the document's next; False if somebody else was faster."""
    batch = db.batch()
    files(db).keep(batch, file)
    fields = _fields(file, now)
    if before is None:
        made = {**fields, "current": None, "createdAt": now, "schemaVersion": SCHEMA_VERSION}
        batch.create(reference(db, id), made)
    else:
        unchanged = db.write_option(last_update_time=before.read_at)
        batch.update(reference(db, id), fields, option=unchanged)
        if before.data["incoming"] and (left := files(db).find(before.data["incoming"])):
            files(db).remove(batch, left)
    return try_commit(batch) is not None


def _fields(file: StoredFile, now: datetime) -> dict[str, Any]:
    return {
        "uid": file.uid,
        "scope": file.details["scope"],
        "tenant": file.details["tenant"],
        "name": file.name,
        "title": PurePath(file.name).stem or file.name,
        "contentType": file.content_type,
        "bytes": file.bytes,
        "sha256": file.sha256,
        "status": "queued",
        "reason": None,
        "progress": {"done": 0, "total": 0},
        "incoming": file.id,
        "attempts": 0,
        "updatedAt": now,
        "dueAt": now + OVERDUE,
    }


def _current_file(document: StoredDocument) -> str | None:
    return document.current.file if document.current else None


def _now(db: Client, id: str) -> StoredDocument:
    document = read(reference(db, id).get())
    if document is None:
        raise Aborted("the document was deleted in this very moment; upload it again")
    return document
