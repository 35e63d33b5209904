"""Made files: files that tools make for a user. They are swept after 30 days, unless a document
retains them.

They are records of the file store (`store.files`) with a purpose of their own; `details.of` lists
the paths of the documents that they belong to.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.shapes import FileRef
from rollcall.core.texts import TEXTS
from rollcall.store.batches import read_all, try_commit, update_unchanged
from rollcall.store.files import (
    PART_BYTES,
    READY,
    REMOVED,
    Allowance,
    FileStore,
    NewFile,
    StoredFile,
    check_allowance,
    clean_name,
    contents_at,
    read_record,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot, WriteBatch

    from rollcall.core.context import KeepFile

MADE = "made"
"""The purpose of files that tools make."""
RETAINED = "retained"
"""The purpose of made files that documents retain; `details.of` lists the documents."""
MADE_FOR = timedelta(days=30)
MADE_BYTES = 10_000_000
"""The largest file that a tool may make."""
MADE_ALLOWANCE = Allowance(files=100, bytes=200_000_000)
"""How many made files a user may have; the oldest are removed first."""
RETAINED_ALLOWANCE = Allowance(files=2_000, bytes=2_000_000_000)
"""How many made files a user's documents may retain."""
_CONTENT_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,80}")


class MadeFiles(FileStore):
    """The file store of a project, with operations on files that tools make."""

    def make(self, new: NewFile, data: bytes, allowance: Allowance, *, now: datetime) -> StoredFile:
        """Store a complete file for `MADE_FOR`. The same file again only renews that time. The
        user's oldest files of the same purpose are removed to make room."""
        kept = self._of_user(new.uid, new.purpose)
        until = {"openUntil": now + MADE_FOR}
        for record, file in kept:
            if file.is_ready and file.key == new.key:
                batch = self._db.batch()
                update_unchanged(batch, record, until)
                if try_commit(batch) is not None:
                    return file
        count, size = len(kept) + 1, sum(file.bytes for _, file in kept) + new.bytes
        for record, file in sorted(kept, key=lambda each: each[0].get("createdAt")):
            if count <= allowance.files and size <= allowance.bytes:
                break
            self._try_remove(record)
            count, size = count - 1, size - file.bytes
        made = self._create(new, now)
        contents = contents_at(self._db, made.place)
        for number in range(made.parts):
            contents.write(made.id, number, data[number * PART_BYTES : (number + 1) * PART_BYTES])
        self._record(made.id).update({"status": READY, **until})
        return replace(made, status=READY)

    def retain(self, batch: WriteBatch, uid: str, file_ids: Iterable[str], *, of: str) -> set[str]:
        """Retain made files in a batch until they are released. The user's other files last anyway
        and do not change.

        Args:
            of: The path of the document that needs the files.
        Returns:
            The ids of those files that exist.
        Raises:
            ResourceExhausted: The files exceed what the user may retain.
        """
        from google.cloud.firestore import DELETE_FIELD, ArrayUnion

        own = self._files_of(uid, file_ids)
        new = [file.bytes for _, file in own if file.purpose == MADE]
        kept = [file.bytes for _, file in self._of_user(uid, RETAINED)] if new else []
        for size in new:
            check_allowance(kept, size, RETAINED_ALLOWANCE)
            kept.append(size)
        fields = {"purpose": RETAINED, "details.of": ArrayUnion([of]), "openUntil": DELETE_FIELD}
        for record, file in own:
            if file.purpose in (MADE, RETAINED):
                update_unchanged(batch, record, fields)
        return {file.id for _, file in own}

    def release(self, batch: WriteBatch, uid: str, file_ids: Iterable[str], *, of: str) -> None:
        """Release a document's files in a batch; those that no other document needs are removed."""
        from google.cloud.firestore import ArrayRemove

        for record, file in self._files_of(uid, file_ids):
            needed_by = set(file.details.get("of", ()))
            if needed_by == {of}:
                update_unchanged(batch, record, {"status": REMOVED})
                self.remove(batch, file)
            elif of in needed_by:
                update_unchanged(batch, record, {"details.of": ArrayRemove([of])})

    def _files_of(
        self, uid: str, file_ids: Iterable[str]
    ) -> list[tuple[DocumentSnapshot[Any], StoredFile]]:
        """Return a user's complete files among these, with their records."""
        records = read_all(self._db, *map(self._record, dict.fromkeys(file_ids)))
        files = [(record, file) for record in records if (file := read_record(record))]
        return [(record, file) for record, file in files if file.uid == uid and file.is_ready]


def keeper(db: Callable[[], Client], uid: str, *, now: datetime) -> KeepFile:
    """Return the function by which a user's call stores the files that it makes.

    Args:
        db: Returns the Firestore client; called only if there is a file.
    """

    def keep(name: str, content_type: str, data: bytes, *, of: str | None = None) -> FileRef:
        if not _CONTENT_TYPE.fullmatch(content_type):
            raise InvalidArgument(f"{content_type[:60]!r} is no content type, such as text/csv")
        if len(data) > MADE_BYTES:
            raise FailedPrecondition(
                TEXTS.text("errors.made_file_too_large", bytes=len(data), most=MADE_BYTES)
            )
        new = NewFile(
            uid=uid,
            name=clean_name(name),
            content_type=content_type,
            bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            purpose=MADE,
            details={} if of is None else {"of": [of]},
        )
        file = MadeFiles(db()).make(new, data, MADE_ALLOWANCE, now=now)
        return FileRef(
            file_id=file.id, name=file.name, content_type=file.content_type, bytes=file.bytes
        )

    return keep
