"""File store: a record of each user's file, and its content in numbered parts.

    files/{id}              uid, name, contentType, bytes, sha256, purpose, details, place, status,
                            createdAt; openUntil while nothing needs the file; parts: how many were
                            sent, repeats counted
    files/{id}/chunks/{n}   a part of the content, unless the content is in a bucket

An upload begins with the file's size and digest. Its parts arrive in any order and any number of
times, and the file becomes `ready` when the content matches the announcement. Whatever uses the
file then keeps it; a file that nothing keeps within a day is swept. Content is read part by part,
so a large file takes no more memory than a small one.

The content is stored in Firestore or in a Cloud Storage bucket, which is meant for production.
Firestore works on the emulators, and anywhere for small amounts. A file's record says where its
content is, so that the storage can be switched without moving anything.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import unicodedata
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from rollcall.core.errors import (
    Aborted,
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.options import collection_id
from rollcall.core.records import convert
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.texts import TEXTS
from rollcall.core.user_data import Section, of_user
from rollcall.store.batches import try_commit, update_unchanged, where
from rollcall.store.client import project_id

if TYPE_CHECKING:
    from google.cloud.firestore import (
        Client,
        CollectionReference,
        DocumentReference,
        DocumentSnapshot,
        WriteBatch,
    )

    from rollcall.core.user_data import Document


FILES = "files"
PART_BYTES = 900_000
"""Bytes of each part but the last: below a document's limit, and as base64 below a request's."""
OPEN_FOR = timedelta(hours=24)
OPEN, READY, REMOVED = "open", "ready", "removed"


NAME_CHARS = 200


class NewFile(Struct, frozen=True, kw_only=True, rename="camel"):
    """A file as its owner announces it.

    Attributes:
        sha256: The digest of the content, in lower-case hexadecimal digits.
        purpose: What the file is for, such as "knowledge"; allowances apply for each purpose.
        details: Data that the purpose needs once the file is complete.
    """

    uid: str
    name: str
    content_type: str
    bytes: int
    sha256: str
    purpose: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """The fields by which a repeated announcement is recognized."""
        return (self.name, self.content_type, self.bytes, self.sha256, dict(self.details))

    @property
    def parts(self) -> int:
        """The number of parts, at least one."""
        return max(1, -(-self.bytes // PART_BYTES))

    def part_bytes(self, number: int) -> int:
        """Return the length of a part."""
        return PART_BYTES if number < self.parts - 1 else self.bytes - number * PART_BYTES


class StoredFile(NewFile, frozen=True, kw_only=True, rename="camel"):
    """A stored file.

    Attributes:
        place: Where the content is, as `place_for_new` returned it.
        missing: The numbers of missing parts, if they were looked up.
    """

    id: str
    place: str
    status: str
    missing: tuple[int, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether the file is complete."""
        return self.status == READY


class Allowance(Struct, frozen=True):
    """How much one user may store for one purpose."""

    files: int
    bytes: int


def read_record(snapshot: Any) -> StoredFile | None:
    """Return the file of a record; None if it does not exist or is being removed."""
    data = snapshot.to_dict()
    if data is None or data["status"] == REMOVED:
        return None
    return convert({**data, "id": snapshot.id}, StoredFile)


BUCKET = "ROLLCALL_FILES_BUCKET"
NO_BUCKET = "none"
"""The value that stores content in Firestore although the project has a bucket."""
IN_FIRESTORE = "firestore"
_PREFIX = "rollcall-files"
_TIMEOUT_S = 60.0


class FirestoreContents:
    """Parts as documents `files/{id}/chunks/{number}`, each well below Firestore's 1 MiB.

    Parts are numbered from 0; writing one again replaces it.
    """

    def __init__(self, db: Client) -> None:
        self._db = db

    def write(self, file_id: str, number: int, data: bytes) -> None:
        self.chunk(file_id, number).set({"content": data})

    def read(self, file_id: str, number: int) -> bytes | None:
        """Return the part; None if it does not exist."""
        chunk = self.chunk(file_id, number).get().to_dict()
        return None if chunk is None else bytes(chunk["content"])

    def numbers(self, file_id: str) -> set[int]:
        """Return the numbers of the stored parts."""
        return {int(each.id) for each in self._chunks(file_id).select([]).stream()}

    def delete(self, file_id: str) -> None:
        """Delete all parts."""
        for each in self._chunks(file_id).select([]).stream():
            each.reference.delete()

    def _chunks(self, file_id: str) -> Any:
        return self._db.collection(f"{collection_id(FILES)}/{file_id}/{collection_id('chunks')}")

    def chunk(self, file_id: str, number: int) -> Any:
        """Return the path of a part."""
        return self._chunks(file_id).document(f"{number:04d}")


class BucketContents:
    """Parts as objects `rollcall-files/{id}/{number}` of a bucket, with the methods of
    `FirestoreContents`.

    They are stored as plain bytes, whatever the file's type, so that no browser displays them.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, file_id: str, number: int, data: bytes) -> None:
        with self._bucket() as bucket:
            blob = bucket.blob(_path(file_id, number))
            blob.upload_from_string(data, "application/octet-stream", timeout=_TIMEOUT_S)

    def read(self, file_id: str, number: int) -> bytes | None:
        from google.cloud.exceptions import NotFound

        with self._bucket() as bucket:
            try:
                content: bytes = bucket.blob(_path(file_id, number)).download_as_bytes(
                    timeout=_TIMEOUT_S
                )
            except NotFound:
                return None
            return content

    def numbers(self, file_id: str) -> set[int]:
        with self._bucket() as bucket:
            blobs = list(bucket.list_blobs(prefix=_path(file_id), timeout=_TIMEOUT_S))
            return {int(blob.name.rpartition("/")[2]) for blob in blobs}

    def delete(self, file_id: str) -> None:
        from google.cloud.exceptions import NotFound

        with self._bucket() as bucket:
            for blob in list(bucket.list_blobs(prefix=_path(file_id), timeout=_TIMEOUT_S)):
                try:
                    blob.delete(timeout=_TIMEOUT_S)
                except NotFound:
                    continue  # another process deleted it

    @contextmanager
    def _bucket(self) -> Iterator[Any]:
        """Yield the bucket; translate its errors.

        Raises:
            FailedPrecondition: The bucket does not exist, or the functions may not use it.
            Unavailable: Cloud Storage did not answer.
        """
        from google.api_core.exceptions import GoogleAPICallError, RetryError
        from google.auth.exceptions import GoogleAuthError
        from google.cloud.exceptions import Forbidden, NotFound
        from requests.exceptions import RequestException

        try:
            yield _storage().bucket(self._name)
        except (NotFound, Forbidden) as error:
            raise FailedPrecondition(
                "the bucket for files does not exist, or the functions may not use it",
                hint=f"set {BUCKET} to a bucket that the functions' service account may write, "
                f"or to {NO_BUCKET!r}",
            ) from error
        except (GoogleAPICallError, RetryError, GoogleAuthError, RequestException) as error:
            raise Unavailable(f"Cloud Storage did not answer: {type(error).__name__}") from error


def place_for_new(env: dict[str, str] | None = None) -> str:
    """Return where new content is stored: "firestore", or a bucket's name.

    `ROLLCALL_FILES_BUCKET` names the bucket, or is "none". The default is the project's bucket, as
    `FIREBASE_CONFIG` names it; on the emulators only if the Storage emulator runs.
    """
    env = dict(os.environ) if env is None else env
    if named := env.get(BUCKET):
        return IN_FIRESTORE if named == NO_BUCKET else named
    if "FIRESTORE_EMULATOR_HOST" in env and "STORAGE_EMULATOR_HOST" not in env:
        return IN_FIRESTORE
    try:
        bucket = json.loads(env.get("FIREBASE_CONFIG", "")).get("storageBucket")
    except (ValueError, AttributeError):  # the name of a file, or nothing
        return IN_FIRESTORE
    return bucket if isinstance(bucket, str) and bucket else IN_FIRESTORE


def contents_at(db: Client, place: str) -> FirestoreContents | BucketContents:
    """Return the storage at a place that `place_for_new` returned."""
    return FirestoreContents(db) if place == IN_FIRESTORE else BucketContents(place)


def _path(file_id: str, number: int | None = None) -> str:
    return f"{_PREFIX}/{file_id}/" + ("" if number is None else f"{number:04d}")


@cache
def _storage() -> Any:
    """Return the Cloud Storage client of this process; it has no credentials on an emulator."""
    from google.cloud.storage import Client  # type: ignore[import-untyped]

    if "STORAGE_EMULATOR_HOST" in os.environ:
        from google.auth.credentials import AnonymousCredentials

        return Client(project=project_id(), credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    return Client(project=project_id())


log = logging.getLogger(__name__)

_AT_ONCE = 100


class FileStore:
    """The files of a project. New content is stored where `place_for_new` says."""

    def __init__(self, db: Client) -> None:
        self._db = db

    def begin(self, new: NewFile, allowance: Allowance, *, now: datetime) -> StoredFile:
        """Begin an upload; the same announcement again continues it.

        Raises:
            ResourceExhausted: The file exceeds the user's allowance.
        """
        kept = [file for _, file in self._of_user(new.uid, new.purpose)]
        for file in kept:
            if file.key == new.key:
                return self._with_missing(file)
        check_allowance([file.bytes for file in kept], new.bytes, allowance)
        file = self._create(new, now)
        return replace(file, missing=tuple(range(file.parts)))

    def _create(self, new: NewFile, now: datetime) -> StoredFile:
        """Create the record of a new file."""
        id = uuid.uuid4().hex
        record = {
            "schemaVersion": SCHEMA_VERSION,
            **to_builtins(new, builtin_types=(datetime,)),
            "place": place_for_new(),
            "status": OPEN,
            "createdAt": now,
            "openUntil": now + OPEN_FOR,
        }
        self._record(id).create(record)
        return convert({**record, "id": id}, StoredFile)

    def add_part(self, uid: str, file_id: str, number: int, data: bytes) -> None:
        """Store a part of an open file; the same part again replaces it.

        Raises:
            NotFound: The user has no such upload.
            InvalidArgument: The file has no such part, or the part has another length.
        """
        from google.api_core.exceptions import NotFound as Gone
        from google.cloud.firestore import Increment

        file, _ = self._own(uid, file_id)
        if file.is_ready:
            return
        if not 0 <= number < file.parts:
            raise _no_part(file, number)
        if len(data) != file.part_bytes(number):
            raise InvalidArgument(
                f"part {number} has {file.part_bytes(number):,} bytes, not {len(data):,}",
                field="content",
            )
        contents = contents_at(self._db, file.place)
        contents.write(file_id, number, data)
        try:
            # An increment changes the record each time, so that `finish` notices repeated parts.
            self._record(file_id).update({"parts": Increment(1)})
        except Gone:  # the file was removed in the meantime: leave nothing behind
            contents.delete(file_id)
            raise _no_upload() from None

    def finish(
        self,
        uid: str,
        file_id: str,
        *,
        check: Callable[[StoredFile, bytes], None] = lambda file, start: None,
    ) -> StoredFile:
        """Check the content against the announcement and mark the file ready, unless it is already.

        Args:
            check: Checks the file and its first part; raises InvalidArgument if the content is not
                of the announced type.
        Raises:
            NotFound: The user has no such upload.
            InvalidArgument: Parts are missing. Or the content has another digest, or is refused by
                `check`; then the upload is removed.
            Aborted: A part was sent again during the check.
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
        try:
            for number, part in enumerate(self.open(file)):
                if number == 0:
                    check(file, part)
                digest.update(part)
            if digest.hexdigest() != file.sha256:
                raise InvalidArgument(
                    TEXTS.text("errors.upload_damaged"),
                    field="sha256",
                    hint=TEXTS.text("hints.begin_again"),
                )
        except InvalidArgument:
            batch = self._db.batch()
            self.remove(batch, file)
            batch.commit()
            raise
        batch = self._db.batch()
        unchanged = self._db.write_option(last_update_time=read_at)
        batch.update(self._record(file_id), {"status": READY}, option=unchanged)
        if try_commit(batch) is None:
            raise Aborted(TEXTS.text("errors.upload_changed"))
        return replace(file, status=READY)

    def keep(self, batch: WriteBatch, file: StoredFile) -> None:
        """Mark a file as in use in a batch, so that no sweep removes it."""
        from google.cloud.firestore import DELETE_FIELD

        batch.update(self._record(file.id), {"openUntil": DELETE_FIELD})

    def find_own(self, uid: str, file_id: str) -> StoredFile:
        """Return a user's complete file.

        Raises:
            NotFound: The user has no such file, or its upload is not finished.
        """
        file, _ = self._own(uid, file_id)
        if not file.is_ready:
            raise NotFound(TEXTS.text("errors.this_upload_not_finished"), field="fileId")
        return file

    def read_part(self, file: StoredFile, number: int) -> bytes:
        """Return a part of a file's content.

        Raises:
            InvalidArgument: The file has no such part.
            NotFound: The part does not exist any more.
            Unavailable: The storage did not answer.
        """
        if not 0 <= number < file.parts:
            raise _no_part(file, number)
        part = contents_at(self._db, file.place).read(file.id, number)
        if part is None:
            raise NotFound(TEXTS.text("errors.part_not_there", number=number), field="fileId")
        return part

    def find(self, file_id: str) -> StoredFile | None:
        """Return a file of any user; None if it does not exist."""
        return read_record(self._record(file_id).get())

    def open(self, file: StoredFile) -> Iterator[bytes]:
        """Yield the content of a file, part by part.

        Raises:
            NotFound: A part does not exist, or not any more.
            Unavailable: The storage did not answer.
        """
        contents = contents_at(self._db, file.place)
        for number in range(file.parts):
            part = contents.read(file.id, number)
            if part is None:
                raise NotFound(TEXTS.text("errors.part_not_there", number=number))
            yield part

    def remove(self, batch: WriteBatch, file: StoredFile) -> None:
        """Remove a file in a batch.

        Content in Firestore is deleted by the batch. Content in a bucket is deleted by the next
        sweep; until then the record only says where it is.
        """
        record = self._record(file.id)
        if file.place == IN_FIRESTORE:
            batch.delete(record)
            for number in range(file.parts):
                batch.delete(FirestoreContents(self._db).chunk(file.id, number))
        else:
            left = {"schemaVersion": SCHEMA_VERSION, "status": REMOVED, "place": file.place}
            batch.set(record, left)

    def sweep(self, *, now: datetime) -> int:
        """Remove unused files, and delete the content of removed ones; return how many.

        If content cannot be deleted, for example because its bucket is gone, its record stays for
        the next sweep.
        """
        late = self._records().where(filter=where("openUntil", "<=", now))
        count = sum([self._try_remove(each) for each in late.limit(_AT_ONCE).stream()])
        removed = self._records().where(filter=where("status", "==", REMOVED))
        for record in removed.limit(_AT_ONCE).stream():
            try:
                contents_at(self._db, (record.to_dict() or {})["place"]).delete(record.id)
            except AgentError as error:
                id = record.id
                log.warning("the content of file %s stays until the next sweep: %s", id, error)
                continue
            record.reference.delete()
            count += 1
        return count

    def _try_remove(self, record: DocumentSnapshot[Any]) -> bool:
        """Remove a file, unless its record has changed since it was read; return whether it did."""
        file = read_record(record)
        if file is None:
            return False
        batch = self._db.batch()
        update_unchanged(batch, record, {"status": REMOVED})
        self.remove(batch, file)
        return try_commit(batch) is not None

    def _of_user(self, uid: str, purpose: str) -> list[tuple[DocumentSnapshot[Any], StoredFile]]:
        """Return a user's files of one purpose, with their records."""
        query = self._records().where(filter=where("uid", "==", uid))
        records = query.where(filter=where("purpose", "==", purpose)).stream()
        return [(each, file) for each in records if (file := read_record(each))]

    def _own(self, uid: str, file_id: str) -> tuple[StoredFile, Any]:
        """Return the user's file and the update time of its record."""
        snapshot = self._record(file_id).get()
        file = read_record(snapshot)
        if file is None or file.uid != uid:
            raise _no_upload()
        return file, snapshot.update_time

    def _with_missing(self, file: StoredFile) -> StoredFile:
        if file.is_ready:
            return file
        stored = contents_at(self._db, file.place).numbers(file.id)
        missing = tuple(number for number in range(file.parts) if number not in stored)
        return replace(file, missing=missing)

    def _record(self, file_id: str) -> DocumentReference:
        return self._records().document(file_id)

    def _records(self) -> CollectionReference:
        return self._db.collection(collection_id(FILES))


def clean_name(name: str) -> str:
    """Return a file's name without folders and invisible characters, cut before its extension.

    Raises:
        InvalidArgument: No name is left.
    """
    visible = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in name)
    clean = " ".join(visible.replace("\\", "/").rpartition("/")[2].split())
    if not clean:
        raise InvalidArgument(TEXTS.text("errors.no_file_name"), field="name")
    if len(clean) <= NAME_CHARS:
        return clean
    stem, dot, ending = clean.rpartition(".")
    if not dot or len(ending) > 10:
        return clean[:NAME_CHARS].strip()
    return f"{stem[: NAME_CHARS - len(ending) - 1].strip()}.{ending}"


def _show_file(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """Return a file's fields for an export. Its content is too large for a page: `get_file` returns
    it in parts."""
    shown = {key: value for key, value in data.items() if key not in ("place", "parts")}
    return {**shown, "content": "get_file"}


def _erase_file(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Remove a user's file in a batch."""
    if file := read_record(document):
        FileStore(db).remove(batch, file)


FILE_SECTION = Section(
    kind="files",
    find=of_user(FILES, platform=True),
    show=_show_file,
    erase=_erase_file,
    reads=tuple(set(StoredFile.__struct_encode_fields__) - {"id", "missing"}),
    page=10,
)
"""The files of a user, for export and erasure."""


def check_allowance(kept: list[int], new: int, allowance: Allowance) -> None:
    """Check that a new file is within a user's allowance.

    Args:
        kept: The sizes of the user's files, in bytes.
        new: The size of the new file, in bytes.
    Raises:
        ResourceExhausted: The new file exceeds the allowance.
    """
    if len(kept) >= allowance.files:
        raise ResourceExhausted(
            TEXTS.text("errors.too_many_files", number=len(kept), most=allowance.files),
            hint=TEXTS.text("hints.delete_one"),
        )
    if sum(kept) + new > allowance.bytes:
        raise ResourceExhausted(
            TEXTS.text("errors.no_room", kept=sum(kept), new=new, most=allowance.bytes),
            hint=TEXTS.text("hints.delete_a_file"),
        )


def _no_part(file: StoredFile, number: int) -> InvalidArgument:
    return InvalidArgument(
        f"the file has parts 0 to {file.parts - 1}, and no part {number}", field="part"
    )


def _no_upload() -> NotFound:
    return NotFound(TEXTS.text("errors.no_upload"), field="fileId")
