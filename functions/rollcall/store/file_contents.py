"""Where the content of files rests, in numbered parts: Firestore, or a bucket of Cloud Storage.

Cloud Storage is meant for production. Firestore is what the emulators have, and serves small
amounts anywhere. A file's record says where its content is, so that one can be changed for the
other without moving anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.options import collection_id

if TYPE_CHECKING:
    from google.cloud.firestore import Client

BUCKET = "ROLLCALL_FILES_BUCKET"
NO_BUCKET = "none"
"""Its value where content is to stay in Firestore although the project has a bucket."""
IN_FIRESTORE = "firestore"
_PREFIX = "rollcall-files"
_TIMEOUT_S = 60.0


class Contents(Protocol):
    """Parts of files, numbered from 0. Writing a part again replaces it."""

    def write(self, file_id: str, number: int, data: bytes) -> None: ...

    def read(self, file_id: str, number: int) -> bytes | None:
        """The part; None where there is none."""

    def numbers(self, file_id: str) -> set[int]:
        """Which parts there are."""

    def delete(self, file_id: str) -> None:
        """Delete every part there is."""


class FirestoreContents:
    """Parts as documents `files/{id}/chunks/{number}`, each well below Firestore's 1 MiB."""

    def __init__(self, db: Client) -> None:
        self._db = db

    def write(self, file_id: str, number: int, data: bytes) -> None:
        self._chunk(file_id, number).set({"content": data})

    def read(self, file_id: str, number: int) -> bytes | None:
        found = self._chunk(file_id, number).get().to_dict()
        return None if found is None else bytes(found["content"])

    def numbers(self, file_id: str) -> set[int]:
        return {int(each.id) for each in self._chunks(file_id).select([]).stream()}

    def delete(self, file_id: str) -> None:
        for each in self._chunks(file_id).select([]).stream():
            each.reference.delete()

    def _chunks(self, file_id: str) -> Any:
        return self._db.collection(f"{collection_id('files')}/{file_id}/{collection_id('chunks')}")

    def _chunk(self, file_id: str, number: int) -> Any:
        return self._chunks(file_id).document(f"{number:04d}")


class BucketContents:
    """Parts as objects `rollcall-files/{id}/{number}` of a bucket.

    They are stored as plain bytes, whatever the file says it is, so that no browser shows one.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, file_id: str, number: int, data: bytes) -> None:
        with self._asked() as bucket:
            blob = bucket.blob(_path(file_id, number))
            blob.upload_from_string(data, "application/octet-stream", timeout=_TIMEOUT_S)

    def read(self, file_id: str, number: int) -> bytes | None:
        from google.cloud.exceptions import NotFound

        with self._asked() as bucket:
            try:
                content: bytes = bucket.blob(_path(file_id, number)).download_as_bytes(
                    timeout=_TIMEOUT_S
                )
            except NotFound:
                return None
            return content

    def numbers(self, file_id: str) -> set[int]:
        with self._asked() as bucket:
            found = list(bucket.list_blobs(prefix=_path(file_id), timeout=_TIMEOUT_S))
            return {int(blob.name.rpartition("/")[2]) for blob in found}

    def delete(self, file_id: str) -> None:
        from google.cloud.exceptions import NotFound

        with self._asked() as bucket:
            for blob in list(bucket.list_blobs(prefix=_path(file_id), timeout=_TIMEOUT_S)):
                try:
                    blob.delete(timeout=_TIMEOUT_S)
                except NotFound:
                    continue  # somebody else deletes it too

    @contextmanager
    def _asked(self) -> Iterator[Any]:
        """The bucket; what goes wrong with it in our words.

        Raises:
            FailedPrecondition: There is no such bucket, or the functions may not use it.
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
                "the files' bucket is not there, or functions may not use it",
                hint=f"set {BUCKET} to a bucket that the functions' service account may write, "
                f"or to {NO_BUCKET!r}",
            ) from error
        except (GoogleAPICallError, RetryError, GoogleAuthError, RequestException) as error:
            raise Unavailable(f"Cloud Storage did not answer: {type(error).__name__}") from error


def place_for_new(env: dict[str, str] | None = None) -> str:
    """Where new content goes: "firestore", or a bucket's name.

    `ROLLCALL_FILES_BUCKET` names the bucket, or says "none". Without it the project's own bucket
    serves, as `FIREBASE_CONFIG` names it; on the emulators only where they have one.
    """
    env = dict(os.environ) if env is None else env
    if named := env.get(BUCKET):
        return IN_FIRESTORE if named == NO_BUCKET else named
    if "FIRESTORE_EMULATOR_HOST" in env and "STORAGE_EMULATOR_HOST" not in env:
        return IN_FIRESTORE
    return _own_bucket(env.get("FIREBASE_CONFIG", "")) or IN_FIRESTORE


def contents_at(db: Client, place: str) -> Contents:
    """The contents that rest at a place that `place_for_new` named."""
    return FirestoreContents(db) if place == IN_FIRESTORE else BucketContents(place)


def _own_bucket(config: str) -> str | None:
    try:
        found = json.loads(config).get("storageBucket")
    except (ValueError, AttributeError):  # the name of a file, or nothing
        return None
    return found if isinstance(found, str) and found else None


def _path(file_id: str, number: int | None = None) -> str:
    return f"{_PREFIX}/{file_id}/" + ("" if number is None else f"{number:04d}")


@cache
def _storage() -> Any:
    """The client of this process; without credentials where an emulator is named."""
    from google.cloud.storage import Client  # type: ignore[import-untyped]

    from rollcall.store.client import project_id

    if "STORAGE_EMULATOR_HOST" in os.environ:
        from google.auth.credentials import AnonymousCredentials

        return Client(project=project_id(), credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    return Client(project=project_id())
