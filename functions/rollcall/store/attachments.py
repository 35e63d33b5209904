"""Attachments: files of a user's message, which live as long as its thread.

An attachment is uploaded like any file, and kept from the moment its message is accepted: the batch
that opens the run assigns it to the thread. It belongs to that thread alone and is deleted with it.
An attachment that is never sent is swept after a day.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from rollcall.core.errors import InvalidArgument
from rollcall.core.messages import Media, UserMessage
from rollcall.core.options import collection_id
from rollcall.core.texts import TEXTS, Text
from rollcall.store.batches import update_unchanged
from rollcall.store.files import FILES, Allowance, StoredFile, read_record

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

PURPOSE = "attachment"
"""The purpose of attachments in the file store."""
MAX_BYTES = 10_000_000
"""The largest file, and the most that all files of one message have together."""
ALLOWANCE = Allowance(files=300, bytes=500_000_000)
"""What one user may store."""

Kind = Literal["image", "document"]
KINDS: dict[str, Kind] = {
    "image/png": "image",
    "image/jpeg": "image",
    "image/webp": "image",
    "image/gif": "image",
    "application/pdf": "document",
    "text/plain": "document",
    "text/markdown": "document",
    "text/csv": "document",
    "application/json": "document",
}
"""The media types that are accepted."""

NO_THREAD: dict[str, Any] = {"threadId": None}
"""The details of an attachment that has not been sent yet."""

_PDF_START = 1024
"""How many bytes may precede a PDF's header."""
_CONTROL = frozenset(range(0x20)) - set(b"\t\n\r\f\x1b")


def check_content(file: StoredFile, start: bytes) -> None:
    """Check that the content of an attachment has the announced type. Files of other purposes are
    checked when they are read.

    Raises:
        InvalidArgument: The content has another type.
    """
    if file.purpose == PURPOSE and (what := _mismatch(file.content_type, start)) is not None:
        raise InvalidArgument(
            TEXTS.text("errors.other_content", content_type=file.content_type, what=what),
            field="contentType",
        )


def check_inline(part: Media, field: str) -> None:
    """Check a file that is in the message itself as an uploaded one is checked.

    Raises:
        InvalidArgument: Its type is not accepted, is of the other kind, or not that of its data.
    """
    kind = KINDS.get(part.media_type)
    if kind is None:
        raise InvalidArgument(
            TEXTS.text("errors.not_attachable", type=part.media_type, known=", ".join(KINDS)),
            field=f"{field}.mediaType",
        )
    _check_kind(part.type, part.media_type, f"{field}.type")
    try:
        content = inline_content(part)
    except InvalidArgument as error:
        raise InvalidArgument(error.text, field=f"{field}.data") from error
    if (what := _mismatch(part.media_type, content)) is not None:
        raise InvalidArgument(
            TEXTS.text("errors.other_data", content_type=part.media_type, what=what),
            field=f"{field}.data",
        )


def inline_content(part: Media) -> bytes:
    """Return the content of a file that is in the message itself.

    Raises:
        InvalidArgument: Its data is not base64.
    """
    try:
        return b64decode(part.data, validate=True)
    except binascii.Error as error:
        raise InvalidArgument("the data of a file must be base64") from error


def _check_kind(kind: str, content_type: str, field: str) -> None:
    if kind != KINDS[content_type]:
        raise InvalidArgument(
            f"a file of type {content_type} is sent as {KINDS[content_type]!r}, not as {kind!r}",
            field=field,
        )


def _mismatch(content_type: str, content: bytes) -> Text | None:
    """Return how a content differs from its announced type; None if it does not."""
    found = _type_of(content)
    is_text = found is None and not content_type.startswith("image/")
    fits = found == content_type or (is_text and content_type != "application/pdf")
    is_utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")  # where every other byte may be 0
    if not fits:
        return TEXTS.text("errors.content_is" if found else "errors.content_is_not", type=found)
    if is_text and not is_utf16 and any(byte in _CONTROL for byte in content):
        return TEXTS.text("errors.content_is_no_text")
    return None


def _type_of(start: bytes) -> str | None:
    """Return the media type that a file's first bytes show; None for text and unknown types."""
    if start.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if start.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if start[:6] in (b"GIF87a", b"GIF89a"):
        return "image/gif"
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    return "application/pdf" if b"%PDF-" in start[:_PDF_START] else None


def file_records(db: Client, message: UserMessage) -> list[DocumentReference]:
    """Return the records of the files that a message names, each once."""
    ids = dict.fromkeys(part.file_id for part in message.files)
    return [db.document(f"{collection_id(FILES)}/{id}") for id in ids]


def with_attachments(
    message: UserMessage, records: Sequence[DocumentSnapshot], *, uid: str, thread_id: str
) -> tuple[UserMessage, list[DocumentSnapshot]]:
    """Check that a message may include its attachments.

    Args:
        records: Snapshots of `file_records`.
    Returns:
        The message, its parts completed from the records, and the records of the files that do not
        belong to the thread yet.
    Raises:
        InvalidArgument: A file is missing, another user's, not fully uploaded, not an attachment,
            or of another thread (the error names the part); or all files together are too large.
    """
    files = {record.id: file for record in records if (file := read_record(record))}
    parts = []
    for number, part in enumerate(message.parts):
        if isinstance(part, Media) and part.file_id is not None:
            field = f"message.{number}.fileId"
            file = _check_file(files.get(part.file_id), uid, thread_id, field)
            _check_kind(part.type, file.content_type, f"message.{number}.type")
            name = part.name or file.name  # it keeps its own name
            part = replace(part, media_type=file.content_type, name=name, bytes=file.bytes)
        parts.append(part)
    size = sum(file.bytes for file in files.values())
    if size > MAX_BYTES:
        raise InvalidArgument(
            TEXTS.text("errors.files_too_large", size=size, most=MAX_BYTES),
            field="message",
        )
    new = [each for each in records if files[each.id].details["threadId"] is None]
    return replace(message, parts=tuple(parts)), new


def _check_file(file: StoredFile | None, uid: str, thread_id: str, field: str) -> StoredFile:
    """Return the file, if it can be attached to a message of this user in this thread.

    Raises:
        InvalidArgument: It cannot; the error says why.
    """
    if file is None or file.uid != uid:
        raise InvalidArgument(
            TEXTS.text("errors.no_file"),
            field=field,
            hint="upload it with begin_upload",
        )
    if file.purpose != PURPOSE:
        raise InvalidArgument(
            TEXTS.text("errors.not_an_attachment"),
            field=field,
            hint='upload it with purpose "attachment"',
        )
    if not file.is_ready:
        raise InvalidArgument(
            TEXTS.text("errors.upload_not_finished"), field=field, hint="call finish_upload"
        )
    if file.details["threadId"] not in (None, thread_id):
        raise InvalidArgument(
            TEXTS.text("errors.file_of_other_thread"),
            field=field,
            hint=TEXTS.text("hints.upload_again"),
        )
    return file


def take_files(batch: WriteBatch, records: Sequence[DocumentSnapshot], thread_id: str) -> None:
    """Assign files to a thread, in the batch that accepts their message. The batch fails if one of
    them was swept, removed or sent elsewhere in the meantime."""
    from google.cloud.firestore import DELETE_FIELD

    for record in records:
        fields = {"openUntil": DELETE_FIELD, "details": {"threadId": thread_id}}
        update_unchanged(batch, record, fields)
