"""Uploading a file: announced, sent in parts or at once, and finished.

A document is then read, so that it can be searched in; an attachment waits to be sent with a
message, and is swept after a day if it is not.
"""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from rollcall.core.context import Platform, User
from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.core.shapes import Wire
from rollcall.knowledge.about import About, about
from rollcall.knowledge.documents import ALLOWANCE, CONTENT_TYPES, MOST_BYTES
from rollcall.knowledge.queueing import queue
from rollcall.knowledge.uploaders import check_may_upload
from rollcall.store import attachments
from rollcall.store.files import PART_BYTES, NewFile, StoredFile, files

_PART_CHARS = 4 * -(-PART_BYTES // 3)
NAME_CHARS = 200


class BeginUpload(Wire):
    """The data of `begin_upload`. With `content` (a file of one part) it is all there is to do.

    `scope` goes with a document. Which types are taken, and how large, follows from `purpose`.
    """

    name: str = Field(min_length=1, max_length=NAME_CHARS)
    purpose: Literal["knowledge", "attachment"] = "knowledge"
    content_type: str = Field(max_length=100)
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


class GetFile(Wire):
    """The data of `get_file`: one's own file, and a part of it by its number from 0."""

    file_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    part: int = Field(default=0, ge=0, le=MOST_BYTES // PART_BYTES)


class FilePart(Wire):
    """A part of a file, as base64, and what the whole is."""

    file_id: str
    name: str
    content_type: str
    bytes: int
    sha256: str
    parts: int
    part: int
    content: str


class Upload(Wire):
    """How far an upload is: the parts still to be sent, each but the last of `partBytes` bytes;
    and the document, once it is whole and not an attachment."""

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
        InvalidArgument: A file of this type or size is not taken.
        PermissionDenied: The user may not upload into this scope.
        ResourceExhausted: The user keeps as much as is allowed.
    """
    is_attachment = request.purpose == attachments.PURPOSE
    _check_kind(request)
    if not is_attachment:
        check_may_upload(user, claims, request.scope)
    content = None if request.content is None else _decoded(request.content)
    about_document = {
        "scope": request.scope,
        "tenant": user.tenant if request.scope == "team" else None,
    }
    new = NewFile(
        uid=user.uid,
        name=_clean_name(request.name),
        content_type=request.content_type,
        bytes=request.bytes,
        sha256=request.sha256,
        purpose=request.purpose,
        details=attachments.NO_THREAD if is_attachment else about_document,
    )
    allowance = attachments.ALLOWANCE if is_attachment else ALLOWANCE
    file = files(platform.db).begin(new, allowance, now=now)
    if content is not None:
        files(platform.db).add_part(user.uid, file.id, 0, content)
    if content is not None or file.is_ready:
        return finish(platform, user, claims, FinishUpload(file_id=file.id), now=now)
    return _state(file)


def add_part(platform: Platform, user: User, request: UploadPart) -> None:
    """Store a part of one's own upload; the same part again replaces it."""
    content = _decoded(request.content)
    files(platform.db).add_part(user.uid, request.file_id, request.part, content)


def read_part(platform: Platform, user: User, request: GetFile) -> FilePart:
    """A part of one's own file that is whole.

    Raises:
        NotFound: The user has no such file.
        InvalidArgument: It has no such part.
    """
    file = files(platform.db).find_own(user.uid, request.file_id)
    content = files(platform.db).read_part(file, request.part)
    return FilePart(
        file_id=file.id,
        name=file.name,
        content_type=file.content_type,
        bytes=file.bytes,
        sha256=file.sha256,
        parts=file.parts,
        part=request.part,
        content=base64.b64encode(content).decode(),
    )


def finish(
    platform: Platform,
    user: User,
    claims: Mapping[str, Any],
    request: FinishUpload,
    *,
    now: datetime,
) -> Upload:
    """Check that the file is whole, and have a document read; again for the same file changes
    nothing.

    Raises:
        NotFound: The user has no such upload.
        InvalidArgument: Parts are missing, its digest is another, or an attachment is not of the
            type that it says.
        PermissionDenied: The user may not upload into its scope any more.
    """
    file = files(platform.db).finish(user.uid, request.file_id, check=_check_content)
    if file.purpose == attachments.PURPOSE:
        return _state(file)
    _check_still_may(user, claims, file)
    document = queue(platform, file, now=now)
    return Upload(file_id=file.id, document=about(document, user))


def _check_kind(request: BeginUpload) -> None:
    is_attachment = request.purpose == attachments.PURPOSE
    types = tuple(attachments.KINDS if is_attachment else CONTENT_TYPES)
    if request.content_type not in types:
        raise InvalidArgument(
            f"a file of type {request.content_type[:60]!r} is not taken as "
            f"{'an attachment' if is_attachment else 'a document to search in'}; "
            f"accepted are {', '.join(types)}",
            field="contentType",
        )
    most = attachments.MOST_BYTES if is_attachment else MOST_BYTES
    if request.bytes > most:
        raise InvalidArgument(
            f"the file has {request.bytes:,} bytes; at most {most:,} are accepted", field="bytes"
        )
    if is_attachment and request.scope != "user":
        raise InvalidArgument("an attachment is one's own: leave scope out", field="scope")


def _check_content(file: StoredFile, start: bytes) -> None:
    """What a document holds is found out when it is read."""
    if file.purpose == attachments.PURPOSE:
        attachments.check_content(file, start)


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
