"""Files that users bring: a record of each, and its content in parts.

files/{id}   uid, name, contentType, bytes, sha256, purpose, details, place, status, createdAt,
             openUntil while nothing needs it yet

A file is begun with its size and digest, its parts arrive in any order and any number of times,
and it becomes `ready` when the whole is what was promised. What is then made of it keeps it; a file
that nothing keeps within a day is swept. Content is read part by part, so a large file takes no
more memory than a small one.
"""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted, InvalidArgument, NotFound, ResourceExhausted
from rollcall.core.wire import SCHEMA_VERSION
from rollcall.store.batches import committed
from rollcall.store.file_contents import IN_FIRESTORE, contents_at, place_for_new

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.core.user_data import Document

FILES = "files"
PART_BYTES = 900_000
"""Bytes of each part but the last: below a document's limit, and as base64 below a request's."""
OPEN_FOR = timedelta(hours=24)
_AT_ONCE = 100
_OPEN, _READY, _REMOVED = "open", "ready", "removed"

log = logging.getLogger("rollcall")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile(NewFile):
    """A file that is kept. `missing` lists the parts that are not there yet, where that was
    looked up."""

    id: str
    place: str
    is_ready: bool
    missing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one user may keep for one purpose."""

    files: int
    bytes: int


class FileStore:
    """The files of a project."""

    def __init__(self, db: Client) -> None:
        self._db = db

    def begin(self, new: NewFile, allowance: Allowance, *, now: datetime) -> StoredFile:
        """Announce a file; the very same announced before is gone on with, or there already.

        Raises:
            ResourceExhausted: The user keeps as much as is allowed.
        """
        kept = self._of_user(new.uid, new.purpose)
        for file in kept:
            if _key(file) == _key(new):
                return self._with_missing(file)
        _check_allowance([file.bytes for file in kept], new.bytes, allowance)
        id, place = uuid.uuid4().hex, place_for_new()
        self._record(id).create(_document(new, place, now))
        return _stored(id, new, place, missing=tuple(range(new.parts)))

    def add_part(self, uid: str, file_id: str, number: int, data: bytes) -> None:
        """Store a part of a file that is open; the same part again replaces it.

        Raises:
            NotFound: The user has no such upload.
            InvalidArgument: The file has no such part, or it has another length.
        """
        from google.api_core.exceptions import NotFound as Gone

        file, _ = self._own(uid, file_id)
        if file.is_ready:
            return
        _check_part(file, number, data)
        contents = contents_at(self._db, file.place)
        contents.write(file_id, number, data)
        try:
            self._record(file_id).update({"parts": file.parts})
        except Gone:  # removed in this very moment: leave nothing behind
            contents.delete(file_id)
            raise _no_upload() from None

    def finish(self, uid: str, file_id: str) -> StoredFile:
        """Check that the whole is what was announced; a file that is ready stays so.

        Raises:
            NotFound: The user has no such upload.
            InvalidArgument: Parts are missing; or the content has another digest, and the upload
                is dropped.
            Aborted: A part was sent once more while the whole was looked at.
        """
        file, read_at = self._own(uid, file_id)
        if file.is_ready:
            return file
        if missing := self._with_missing(file).missing:
            raise InvalidArgument(
                f"parts {', '.join(map(str, missing[:10]))} of {file.parts} have not been sent",
                field="fileId",
            )
        digest = hashlib.sha256()
        for part in self.open(file):
            digest.update(part)
        if digest.hexdigest() != file.sha256:
            batch = self._db.batch()
            self.remove(batch, file)
            batch.commit()
            raise InvalidArgument(
                "what was sent has another SHA-256 than was announced; the upload is dropped",
                field="sha256",
                hint="begin again",
            )
        batch = self._db.batch()
        unchanged = self._db.write_option(last_update_time=read_at)
        batch.update(self._record(file_id), {"status": _READY}, option=unchanged)
        if committed(batch) is None:
            raise Aborted("the upload changed while it was looked at; send this again")
        return _stored(file_id, file, file.place, is_ready=True)

    def keep(self, batch: WriteBatch, file: StoredFile) -> None:
        """Add to a batch that something is made of a file, so that no sweep removes it."""
        from google.cloud.firestore import DELETE_FIELD

        batch.update(self._record(file.id), {"openUntil": DELETE_FIELD})

    def find(self, file_id: str) -> StoredFile | None:
        """A file, whoever's it is; None where there is none."""
        return _read(self._record(file_id).get())

    def open(self, file: StoredFile) -> Iterator[bytes]:
        """The content of a file, part by part.

        Raises:
            NotFound: A part is not there, or not any more.
            Unavailable: The storage did not answer.
        """
        contents = contents_at(self._db, file.place)
        for number in range(file.parts):
            part = contents.read(file.id, number)
            if part is None:
                raise NotFound(f"part {number} of the file is not there")
            yield part

    def remove(self, batch: WriteBatch, file: StoredFile) -> None:
        """Add a file's removal to a batch.

        What is in Firestore goes with the batch. What is in a bucket goes with the next sweep;
        until then the record holds nothing but where it is.
        """
        record = self._record(file.id)
        if file.place == IN_FIRESTORE:
            batch.delete(record)
            for number in range(file.parts):
                batch.delete(record.collection("chunks").document(f"{number:04d}"))
            return
        batch.set(
            record,
            {"schemaVersion": SCHEMA_VERSION, "status": _REMOVED, "place": file.place},
        )

    def sweep(self, *, now: datetime) -> int:
        """Remove files that nothing keeps, and the content of removed ones; how many."""
        late = self._db.collection(FILES).where(filter=_where("openUntil", "<=", now))
        left = [file for each in late.limit(_AT_ONCE).stream() if (file := _read(each))]
        for file in left:
            batch = self._db.batch()
            self.remove(batch, file)
            batch.commit()
        removed = self._db.collection(FILES).where(filter=_where("status", "==", _REMOVED))
        gone = list(removed.limit(_AT_ONCE).stream())
        for each in gone:
            contents_at(self._db, (each.to_dict() or {})["place"]).delete(each.id)
            each.reference.delete()
        return len(left) + len(gone)

    def _of_user(self, uid: str, purpose: str) -> list[StoredFile]:
        query = self._db.collection(FILES).where(filter=_where("uid", "==", uid))
        found = query.where(filter=_where("purpose", "==", purpose)).stream()
        return [file for each in found if (file := _read(each))]

    def _own(self, uid: str, file_id: str) -> tuple[StoredFile, Any]:
        """The user's file, and when its record changed last."""
        snapshot = self._record(file_id).get()
        file = _read(snapshot)
        if file is None or file.uid != uid:
            raise _no_upload()
        return file, snapshot.update_time

    def _with_missing(self, file: StoredFile) -> StoredFile:
        if file.is_ready:
            return file
        there = contents_at(self._db, file.place).numbers(file.id)
        missing = tuple(number for number in range(file.parts) if number not in there)
        return _stored(file.id, file, file.place, missing=missing)

    def _record(self, file_id: str) -> DocumentReference:
        return self._db.document(f"{FILES}/{file_id}")


def files(db: Client) -> FileStore:
    """The file store of a project; new content goes where `place_for_new` says."""
    return FileStore(db)


def erase_file(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Add to a batch that a user's file is removed, as `Section.erase` does."""
    if file := _read(document):
        FileStore(db).remove(batch, file)


def _key(file: NewFile) -> tuple[Any, ...]:
    """What makes two announcements the same."""
    return (file.name, file.content_type, file.bytes, file.sha256, dict(file.details))


def _check_allowance(kept: list[int], new: int, allowance: Allowance) -> None:
    if len(kept) >= allowance.files:
        raise ResourceExhausted(
            f"you keep {len(kept)} files; at most {allowance.files} are allowed",
            hint="delete one first",
        )
    if sum(kept) + new > allowance.bytes:
        raise ResourceExhausted(
            f"you keep {sum(kept):,} bytes, and this file has {new:,}; at most "
            f"{allowance.bytes:,} are allowed together",
            hint="delete a file first",
        )


def _check_part(file: StoredFile, number: int, data: bytes) -> None:
    if not 0 <= number < file.parts:
        raise InvalidArgument(
            f"the file has parts 0 to {file.parts - 1}, and no part {number}", field="part"
        )
    if len(data) != file.part_bytes(number):
        raise InvalidArgument(
            f"part {number} has {file.part_bytes(number):,} bytes, not {len(data):,}",
            field="content",
        )


def _no_upload() -> NotFound:
    return NotFound("you have no such upload; it may have been dropped", field="fileId")


def _document(new: NewFile, place: str, now: datetime) -> dict[str, Any]:
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
        "status": _OPEN,
        "createdAt": now,
        "openUntil": now + OPEN_FOR,
    }


def _read(snapshot: Any) -> StoredFile | None:
    """The file of a record; None where there is none, or it is being removed."""
    data = snapshot.to_dict()
    if data is None or data["status"] == _REMOVED:
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
        is_ready=data["status"] == _READY,
    )


def _stored(
    id: str, new: NewFile, place: str, *, is_ready: bool = False, missing: tuple[int, ...] = ()
) -> StoredFile:
    about = {name: getattr(new, name) for name in NewFile.__dataclass_fields__}
    return StoredFile(**about, id=id, place=place, is_ready=is_ready, missing=missing)


def _where(name: str, operator: str, value: Any) -> Any:
    from google.cloud.firestore import FieldFilter

    return FieldFilter(name, operator, value)
