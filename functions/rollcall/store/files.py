"""Files that users bring: a record of each, and its content in parts.

A file is begun with its size and digest, its parts arrive in any order and any number of times,
and it becomes `ready` when the whole is what was promised. What is then made of it keeps it; a file
that nothing keeps within a day is swept. Content is read part by part, so a large file takes no
more memory than a small one.
"""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import (
    Aborted,
    AgentError,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
)
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.batches import committed
from rollcall.store.file_contents import IN_FIRESTORE, contents_at, place_for_new
from rollcall.store.file_records import (
    FILES,
    READY,
    REMOVED,
    Allowance,
    NewFile,
    StoredFile,
    key_of,
    new_record,
    read_record,
    stored_as,
)

if TYPE_CHECKING:
    from google.cloud.firestore import (
        Client,
        CollectionReference,
        DocumentReference,
        DocumentSnapshot,
        WriteBatch,
    )

    from rollcall.core.user_data import Document

log = logging.getLogger(__name__)

_AT_ONCE = 100

Check = Callable[[StoredFile, bytes], None]


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
            if key_of(file) == key_of(new):
                return self._with_missing(file)
        _check_allowance([file.bytes for file in kept], new.bytes, allowance)
        id, place = uuid.uuid4().hex, place_for_new()
        self._record(id).create(new_record(new, place, now))
        return stored_as(id, new, place, missing=tuple(range(new.parts)))

    def add_part(self, uid: str, file_id: str, number: int, data: bytes) -> None:
        """Store a part of a file that is open; the same part again replaces it.

        Raises:
            NotFound: The user has no such upload.
            InvalidArgument: The file has no such part, or it has another length.
        """
        from google.api_core.exceptions import NotFound as Gone
        from google.cloud.firestore import Increment

        file, _ = self._own(uid, file_id)
        if file.is_ready:
            return
        _check_part(file, number, data)
        contents = contents_at(self._db, file.place)
        contents.write(file_id, number, data)
        try:
            # A number that grows: the same again would not count as a change for `finish`.
            self._record(file_id).update({"parts": Increment(1)})
        except Gone:  # removed in this very moment: leave nothing behind
            contents.delete(file_id)
            raise _no_upload() from None

    def finish(
        self, uid: str, file_id: str, *, check: Check = lambda file, start: None
    ) -> StoredFile:
        """Check that the whole is what was announced; a file that is ready stays so.

        Args:
            check: Looks at the content's first part; raises InvalidArgument where it is not what
                the file says it is.
        Raises:
            NotFound: The user has no such upload.
            InvalidArgument: Parts are missing; or the content has another digest, or is refused
                by `check`, and the upload is dropped.
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
        try:
            self._check_content(file, check)
        except InvalidArgument:
            batch = self._db.batch()
            self.remove(batch, file)
            batch.commit()
            raise
        batch = self._db.batch()
        unchanged = self._db.write_option(last_update_time=read_at)
        batch.update(self._record(file_id), {"status": READY}, option=unchanged)
        if committed(batch) is None:
            raise Aborted("the upload changed while it was looked at; send this again")
        return stored_as(file_id, file, file.place, is_ready=True)

    def _check_content(self, file: StoredFile, check: Check) -> None:
        digest = hashlib.sha256()
        for number, part in enumerate(self.open(file)):
            if number == 0:
                check(file, part)
            digest.update(part)
        if digest.hexdigest() != file.sha256:
            raise InvalidArgument(
                "what was sent has another SHA-256 than was announced; the upload is dropped",
                field="sha256",
                hint="begin again",
            )

    def keep(self, batch: WriteBatch, file: StoredFile) -> None:
        """Add to a batch that something is made of a file, so that no sweep removes it."""
        from google.cloud.firestore import DELETE_FIELD

        batch.update(self._record(file.id), {"openUntil": DELETE_FIELD})

    def find_own(self, uid: str, file_id: str) -> StoredFile:
        """A user's own file that is whole.

        Raises:
            NotFound: There is none.
        """
        file, _ = self._own(uid, file_id)
        if not file.is_ready:
            raise NotFound("this upload was not finished", field="fileId")
        return file

    def read_part(self, file: StoredFile, number: int) -> bytes:
        """A part of a file's content.

        Raises:
            InvalidArgument: It has no such part.
            NotFound: It is not there any more.
            Unavailable: The storage did not answer.
        """
        if not 0 <= number < file.parts:
            raise InvalidArgument(
                f"the file has parts 0 to {file.parts - 1}, and no part {number}", field="part"
            )
        part = contents_at(self._db, file.place).read(file.id, number)
        if part is None:
            raise NotFound(f"part {number} of the file is not there", field="fileId")
        return part

    def find(self, file_id: str) -> StoredFile | None:
        """A file, whoever's it is; None where there is none."""
        return read_record(self._record(file_id).get())

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
                batch.delete(record.collection(collection_id("chunks")).document(f"{number:04d}"))
            return
        batch.set(
            record,
            {"schemaVersion": SCHEMA_VERSION, "status": REMOVED, "place": file.place},
        )

    def sweep(self, *, now: datetime) -> int:
        """Remove files that nothing keeps, and the content of removed ones; how many.

        One whose content cannot be removed, as its bucket is gone, stays for the next sweep.
        """
        late = self._records().where(filter=_where("openUntil", "<=", now))
        left = sum([self._dropped(each) for each in late.limit(_AT_ONCE).stream()])
        removed = self._records().where(filter=_where("status", "==", REMOVED))
        return left + sum([self._emptied(each) for each in removed.limit(_AT_ONCE).stream()])

    def _dropped(self, record: DocumentSnapshot[Any]) -> bool:
        """Remove a file, unless somebody keeps it, or sends more of it, in this moment."""
        file = read_record(record)
        if file is None:
            return False
        batch = self._db.batch()
        as_read = self._db.write_option(last_update_time=record.update_time)
        batch.update(record.reference, {"status": REMOVED}, option=as_read)
        self.remove(batch, file)
        return committed(batch) is not None

    def _emptied(self, record: DocumentSnapshot[Any]) -> bool:
        """Delete the content of a removed file, and then what says where it is."""
        try:
            contents_at(self._db, (record.to_dict() or {})["place"]).delete(record.id)
        except AgentError as error:
            log.warning("the content of file %s stays until the next sweep: %s", record.id, error)
            return False
        record.reference.delete()
        return True

    def _of_user(self, uid: str, purpose: str) -> list[StoredFile]:
        query = self._records().where(filter=_where("uid", "==", uid))
        found = query.where(filter=_where("purpose", "==", purpose)).stream()
        return [file for each in found if (file := read_record(each))]

    def _own(self, uid: str, file_id: str) -> tuple[StoredFile, Any]:
        """The user's file, and when its record changed last."""
        snapshot = self._record(file_id).get()
        file = read_record(snapshot)
        if file is None or file.uid != uid:
            raise _no_upload()
        return file, snapshot.update_time

    def _with_missing(self, file: StoredFile) -> StoredFile:
        if file.is_ready:
            return file
        there = contents_at(self._db, file.place).numbers(file.id)
        missing = tuple(number for number in range(file.parts) if number not in there)
        return stored_as(file.id, file, file.place, missing=missing)

    def _record(self, file_id: str) -> DocumentReference:
        return self._records().document(file_id)

    def _records(self) -> CollectionReference:
        return self._db.collection(collection_id(FILES))


def files(db: Client) -> FileStore:
    """The file store of a project; new content goes where `place_for_new` says."""
    return FileStore(db)


SECTION_READS = (
    "uid",
    "name",
    "contentType",
    "bytes",
    "sha256",
    "purpose",
    "details",
    "place",
    "status",
)
"""What `erase_file` needs to see of a record."""


def erase_file(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Add to a batch that a user's file is removed, as `Section.erase` does."""
    if file := read_record(document):
        FileStore(db).remove(batch, file)


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


def _where(name: str, operator: str, value: Any) -> Any:
    from google.cloud.firestore import FieldFilter

    return FieldFilter(name, operator, value)
