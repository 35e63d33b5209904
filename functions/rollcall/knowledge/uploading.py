"""Uploading a document: announced, sent in parts or at once, finished, and then read."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from rollcall.core.context import Platform, User
from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.core.wire import Wire
from rollcall.knowledge.about import About, about
from rollcall.knowledge.documents import ALLOWANCE, MOST_BYTES, PURPOSE
from rollcall.knowledge.queueing import queue
from rollcall.knowledge.uploaders import check_may_upload
from rollcall.store.file_records import PART_BYTES, NewFile, StoredFile
from rollcall.store.files import files

_PART_CHARS = 4 * -(-PART_BYTES // 3)
NAME_CHARS = 200


class BeginUpload(Wire):
    """The data of `begin_upload`. With `content` (a file of one part) it is all there is to do."""

    name: str = Field(min_length=1, max_length=NAME_CHARS)
    content_type: Literal["application/pdf", "text/plain", "text/markdown"]
    bytes: int = Field(ge=1, le=MOST_BYTES)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    scope: Literal["user", "team"] = "user"
    content: str | None = Field(default=None, max_length=_PART_CHARS)


class UploadPart(Wire):
    """The data of `upload_part`: a part by its number from 0, as base64."""

    file_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    part: int = Field(ge=0, le=MOST_BYTES // PART_BYTES)
    content: str = Field(max_length=_PART_CHARS)


class FinishUpload(Wire):
    """The data of `finish_upload`."""

    file_id: str = Field(pattern=r"^[0-9a-f]{32}$")


class Upload(Wire):
    """How far an upload is: the parts still to be sent, each but the last of `partBytes` bytes;
    and the document, once it is whole."""

    file_id: str
    part_bytes: int = PART_BYTES
    missing: list[int] = Field(default_factory=list)
    document: About | None = None


def begin(
    platform: Platform,
    user: User,
    claims: Mapping[str, Any],
    request: BeginUpload,
    *,
    now: datetime,
) -> Upload:
    """Begin an upload, or go on with the same one begun before.

    Raises:
        PermissionDenied: The user may not upload into this scope.
        ResourceExhausted: The user keeps as much as is allowed.
    """
    check_may_upload(user, claims, request.scope)
    content = None if request.content is None else _decoded(request.content)
    new = NewFile(
        uid=user.uid,
        name=_clean_name(request.name),
        content_type=request.content_type,
        bytes=request.bytes,
        sha256=request.sha256,
        purpose=PURPOSE,
        details={
            "scope": request.scope,
            "tenant": user.tenant if request.scope == "team" else None,
        },
    )
    file = files(platform.db).begin(new, ALLOWANCE, now=now)
    if content is not None:
        files(platform.db).add_part(user.uid, file.id, 0, content)
    if content is not None or file.is_ready:
        return finish(platform, user, claims, FinishUpload(file_id=file.id), now=now)
    return _state(file)


def add_part(platform: Platform, user: User, request: UploadPart) -> None:
    """Store a part of one's own upload; the same part again replaces it."""
    content = _decoded(request.content)
    files(platform.db).add_part(user.uid, request.file_id, request.part, content)


def finish(
    platform: Platform,
    user: User,
    claims: Mapping[str, Any],
    request: FinishUpload,
    *,
    now: datetime,
) -> Upload:
    """Check that the file is whole, and have it read; again for the same file changes nothing.

    Raises:
        NotFound: The user has no such upload.
        InvalidArgument: Parts are missing, or its digest is another.
        PermissionDenied: The user may not upload into its scope any more.
    """
    file = files(platform.db).finish(user.uid, request.file_id)
    _check_still_may(user, claims, file)
    document = queue(platform, file, now=now)
    return Upload(file_id=file.id, document=about(document, user))


def _check_still_may(user: User, claims: Mapping[str, Any], file: StoredFile) -> None:
    """An upload may have been begun a day ago, for a team that the user has left since."""
    scope = file.details["scope"]
    check_may_upload(user, claims, scope)
    if scope == "team" and file.details["tenant"] != user.tenant:
        raise PermissionDenied(
            "this upload was begun for a team that you are no longer of", field="fileId"
        )


def _state(file: StoredFile) -> Upload:
    return Upload(file_id=file.id, missing=list(file.missing))


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except ValueError as error:  # `binascii.Error` is one; other letters than ASCII's are another
        raise InvalidArgument("content is not base64", field="content") from error


def _clean_name(name: str) -> str:
    """A file's name without folders and unseen characters."""
    seen = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in name)
    clean = " ".join(seen.replace("\\", "/").rpartition("/")[2].split())
    if not clean:
        raise InvalidArgument("the file has no name", field="name")
    return clean
