"""The record of a file: `files/{id}`, as it is written and read.

files/{id}   uid, name, contentType, bytes, sha256, purpose, details, place, status, createdAt,
             openUntil while nothing needs it yet, parts: how many were sent, repeats counted
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, field

from rollcall.core.shapes import SCHEMA_VERSION

FILES = "files"
PART_BYTES = 900_000
"""Bytes of each part but the last: below a document's limit, and as base64 below a request's."""
OPEN_FOR = timedelta(hours=24)
OPEN, READY, REMOVED = "open", "ready", "removed"


class NewFile(Struct, frozen=True, kw_only=True):
    """A file as its owner announces it.

    Attributes:
        sha256: Of the whole content, in lower-case hexadecimal digits.
        purpose: What it is for, such as "knowledge"; allowances are counted by it.
        details: What else its purpose needs to know when it is whole.
    """

    uid: str
    name: str
    content_type: str
    bytes: int
    sha256: str
    purpose: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> int:
        """How many parts it has; at least one."""
        return max(1, -(-self.bytes // PART_BYTES))

    def part_bytes(self, number: int) -> int:
        """How long a part is."""
        return PART_BYTES if number < self.parts - 1 else self.bytes - number * PART_BYTES


class StoredFile(NewFile, frozen=True, kw_only=True):
    """A file that is kept. `missing` lists the parts that are not there yet, where that was
    looked up."""

    id: str
    place: str
    is_ready: bool
    missing: tuple[int, ...] = ()


class Allowance(Struct, frozen=True):
    """What one user may keep for one purpose."""

    files: int
    bytes: int


def key_of(file: NewFile) -> tuple[Any, ...]:
    """What makes two announcements the same."""
    return (file.name, file.content_type, file.bytes, file.sha256, dict(file.details))


def new_record(new: NewFile, place: str, now: datetime) -> dict[str, Any]:
    """What is stored of a file that is begun."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": new.uid,
        "name": new.name,
        "contentType": new.content_type,
        "bytes": new.bytes,
        "sha256": new.sha256,
        "purpose": new.purpose,
        "details": dict(new.details),
        "place": place,
        "status": OPEN,
        "createdAt": now,
        "openUntil": now + OPEN_FOR,
    }


def read_record(snapshot: Any) -> StoredFile | None:
    """The file of a record; None where there is none, or it is being removed."""
    data = snapshot.to_dict()
    if data is None or data["status"] == REMOVED:
        return None
    return StoredFile(
        id=snapshot.id,
        uid=data["uid"],
        name=data["name"],
        content_type=data["contentType"],
        bytes=data["bytes"],
        sha256=data["sha256"],
        purpose=data["purpose"],
        details=data["details"],
        place=data["place"],
        is_ready=data["status"] == READY,
    )


def stored_as(
    id: str, new: NewFile, place: str, *, is_ready: bool = False, missing: tuple[int, ...] = ()
) -> StoredFile:
    """A file that is kept under an id at a place."""
    about = {name: getattr(new, name) for name in NewFile.__struct_fields__}
    return StoredFile(**about, id=id, place=place, is_ready=is_ready, missing=missing)
