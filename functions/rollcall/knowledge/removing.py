"""Removing a document: its record, every part, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollcall.core.context import User
from rollcall.core.errors import PermissionDenied
from rollcall.core.options import collection_id
from rollcall.core.shapes import Role
from rollcall.knowledge.documents import PARTS, StoredDocument, read, reference
from rollcall.store.files import files

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.user_data import Document


def check_may_remove(user: User, document: StoredDocument) -> None:
    """Let its uploader through, and admins of the team that it is shared with.

    Raises:
        PermissionDenied: The user may read it, and no more.
    """
    is_admin = user.role is Role.ADMIN and document.data["tenant"] == user.tenant is not None
    if document.data["uid"] != user.uid and not is_admin:
        raise PermissionDenied(
            "only who uploaded it, or an admin of the team, may delete this document",
            field="documentId",
        )


def remove(db: Client, batch: WriteBatch, document: StoredDocument) -> None:
    """Add to a batch that nothing of a document is left.

    The commit fails if the document has changed since it was read: whoever writes a part writes
    the record too, so no part can come in between.
    """
    record = reference(db, document.id)
    for part in record.collection(collection_id(PARTS)).select([]).stream():
        batch.delete(part.reference)
    current = document.current
    for file_id in (current.file if current else None, document.data["incoming"]):
        if file_id and (file := files(db).find(file_id)):
            files(db).remove(batch, file)
    batch.delete(record, option=db.write_option(last_update_time=document.read_at))


def erase_document(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Add to a batch that a user's document is removed, as `Section.erase` does."""
    if found := read(document):
        remove(db, batch, found)
