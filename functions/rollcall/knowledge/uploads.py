"""Uploads of files, in parts or at once.

An uploaded document is queued for reading and indexing; an attachment is stored until it is sent
with a message, and deleted after a day if it is not.

`ROLLCALL_UPLOADS` sets who may upload documents for themselves, `ROLLCALL_TEAM_UPLOADS` who may
upload documents for their whole team. Each lists, separated by commas, roles (that role or a higher
one) and claims of the ID token (`claim:plan=premium`); any of them suffices. By default everyone
who is signed in may upload for themselves, and teachers and admins for their team.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from rollcall.core.context import Platform, ToolContext, User
from rollcall.core.errors import (
    Aborted,
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.inputs import validate
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION, FileId, Role, Wire
from rollcall.core.texts import TEXTS
from rollcall.knowledge.documents import (
    ALLOWANCE,
    CONTENT_TYPES,
    DOCUMENTS,
    MAX_BYTES,
    OVERDUE,
    DocumentInfo,
    OwnScope,
    StoredDocument,
    document_id,
    document_info,
    read,
    reference,
)
from rollcall.store import attachments
from rollcall.store.batches import try_commit, where
from rollcall.store.files import (
    NAME_CHARS,
    PART_BYTES,
    FileStore,
    NewFile,
    StoredFile,
    clean_name,
)
from rollcall.store.made_files import MADE, RETAINED

if TYPE_CHECKING:
    from google.cloud.firestore import Client

QUEUE = "indexdocument"
MAX_LABELS = 10
"""The most labels of one document."""
UPLOADERS: dict[OwnScope, tuple[str, str]] = {
    "user": ("ROLLCALL_UPLOADS", Role.USER.value),
    "team": ("ROLLCALL_TEAM_UPLOADS", Role.TEACHER.value),
}
"""For each scope, the variable that sets who may upload into it, and its default."""
_ATTEMPTS = 5
_OVERDUE_AT_ONCE = 100
_CLAIM = "claim:"
_PART_CHARS = 4 * -(-PART_BYTES // 3)

log = logging.getLogger("rollcall")


LabelName = Annotated[str, Field(pattern=r"^[a-z][A-Za-z0-9]{0,39}$")]
LabelValue = Annotated[str, Field(min_length=1, max_length=200)]


class BeginUpload(Wire):
    """Data of `begin_upload`. With `content` (a file of one part) no other call is needed.

    `scope` and `labels` are for documents. `purpose` determines the accepted types and sizes.
    """

    name: str = Field(min_length=1, max_length=NAME_CHARS)
    purpose: Literal["knowledge", "attachment"] = "knowledge"
    content_type: str = Field(max_length=100)
    bytes: int = Field(ge=1, le=MAX_BYTES)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    scope: Literal["user", "team"] = "user"
    labels: dict[LabelName, LabelValue] = Field(default_factory=dict, max_length=MAX_LABELS)
    content: str | None = Field(default=None, max_length=_PART_CHARS)


class UploadPart(Wire):
    """Data of `upload_part`: a part by its number from 0, as base64."""

    file_id: FileId
    part: int = Field(ge=0, le=MAX_BYTES // PART_BYTES)
    content: str = Field(max_length=_PART_CHARS)


class FinishUpload(Wire):
    """Data of `finish_upload`."""

    file_id: FileId


class GetFile(Wire):
    """Data of `get_file`: a file of the caller, and a part by its number from 0."""

    file_id: FileId
    part: int = Field(default=0, ge=0, le=MAX_BYTES // PART_BYTES)


class FilePart(Wire):
    """A part of a file as base64, with information on the whole file."""

    file_id: str
    name: str
    content_type: str
    bytes: int
    sha256: str
    parts: int
    part: int
    content: str


class Upload(Wire):
    """Progress of an upload.

    Attributes:
        missing: The parts still to be sent, each of `partBytes` bytes except for the last.
        document: The document made from it, once it is complete; None for an attachment.
    """

    file_id: str
    part_bytes: int = PART_BYTES
    missing: list[int] = Field(default_factory=list)
    document: DocumentInfo | None = None


def begin(
    platform: Platform,
    user: User,
    claims: Mapping[str, Any],
    request: BeginUpload,
    *,
    now: datetime,
) -> Upload:
    """Begin an upload, or continue the same one.

    Raises:
        InvalidArgument: A file of this type or size is not accepted.
        PermissionDenied: The user may not upload into this scope.
        ResourceExhausted: The user's allowance is used up.
    """
    content = None if request.content is None else _decoded(request.content)
    file = _begin_file(platform.db, user, claims, request, now=now)
    if content is not None:
        FileStore(platform.db).add_part(user.uid, file.id, 0, content)
    if content is not None or file.is_ready:
        return finish(platform, user, claims, FinishUpload(file_id=file.id), now=now)
    return Upload(file_id=file.id, missing=list(file.missing))


def add_part(platform: Platform, user: User, request: UploadPart) -> None:
    """Store a part of the user's upload; the same part again replaces it."""
    content = _decoded(request.content)
    FileStore(platform.db).add_part(user.uid, request.file_id, request.part, content)


def read_part(platform: Platform, user: User, request: GetFile) -> FilePart:
    """Return a part of the user's complete file.

    Raises:
        NotFound: The user has no such file.
        InvalidArgument: It has no such part.
    """
    file = FileStore(platform.db).find_own(user.uid, request.file_id)
    content = FileStore(platform.db).read_part(file, request.part)
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
    """Check that the file is complete and queue a document; repeating it changes nothing.

    Raises:
        NotFound: The user has no such upload.
        InvalidArgument: Parts are missing, its digest is wrong, or an attachment is not of its
            declared type.
        PermissionDenied: The user may no longer upload into its scope.
    """
    file = FileStore(platform.db).finish(user.uid, request.file_id, check=attachments.check_content)
    if file.purpose == attachments.PURPOSE:
        return Upload(file_id=file.id, missing=list(file.missing))
    if file.purpose in (MADE, RETAINED):
        raise NotFound(TEXTS.text("errors.made_by_tool"), field="fileId")
    # The upload may have begun a day ago, for a team that the user has left since.
    scope = file.details["scope"]
    check_may_upload(user, claims, scope)
    if scope == "team" and file.details["tenant"] != user.tenant:
        raise PermissionDenied(TEXTS.text("errors.left_the_team"), field="fileId")
    document = _queue(platform, file, now=now)
    return Upload(file_id=file.id, document=document_info(document, user))


def _begin_file(
    db: Client,
    user: User,
    claims: Mapping[str, Any],
    request: BeginUpload,
    *,
    group: str | None = None,
    now: datetime,
) -> StoredFile:
    """Check an upload, and begin or continue it in the file store; errors as for `begin`."""
    is_attachment = request.purpose == attachments.PURPOSE
    types = tuple(attachments.KINDS if is_attachment else CONTENT_TYPES)
    if request.content_type not in types:
        key = "errors.no_attachment_type" if is_attachment else "errors.no_document_type"
        text = TEXTS.text(key, type=request.content_type[:60], types=", ".join(types))
        raise InvalidArgument(text, field="contentType")
    most = attachments.MAX_BYTES if is_attachment else MAX_BYTES
    if request.bytes > most:
        raise InvalidArgument(
            TEXTS.text("errors.file_too_large", bytes=request.bytes, most=most), field="bytes"
        )
    if is_attachment and request.labels:
        raise InvalidArgument("an attachment has no labels: leave them out", field="labels")
    if is_attachment and request.scope != "user":
        raise InvalidArgument("an attachment has no scope: leave it out", field="scope")
    details: Mapping[str, Any] = attachments.NO_THREAD
    if not is_attachment:
        check_may_upload(user, claims, request.scope)
        labels = {name: value.strip() for name, value in sorted(request.labels.items())}
        labels = {name: value for name, value in labels.items() if value}
        details = {
            "scope": request.scope,
            "tenant": user.tenant if request.scope == "team" else None,
            **({"labels": labels} if labels else {}),
            **({"group": group} if group else {}),
        }
    new = NewFile(
        uid=user.uid,
        name=clean_name(request.name),
        content_type=request.content_type,
        bytes=request.bytes,
        sha256=request.sha256,
        purpose=request.purpose,
        details=details,
    )
    return FileStore(db).begin(new, attachments.ALLOWANCE if is_attachment else ALLOWANCE, now=now)


def add_document(
    ctx: ToolContext,
    *,
    name: str,
    content_type: str,
    content: bytes,
    labels: Mapping[str, str] | None = None,
    group: str | None = None,
) -> DocumentInfo:
    """Store a file as a searchable document of the caller, like an upload.

    Args:
        labels: Labels by which searches filter; their names are in camelCase, such as "volumeType".
        group: "<kind>:<id>" of a group that may search it too; the calling code has checked that
            the user may share with it.
    Raises:
        InvalidArgument: The type, the size, the name or a label is not accepted.
        PermissionDenied: The user may not upload documents.
        ResourceExhausted: The user's allowance is used up.
    """
    if ctx.platform is None:
        raise FailedPrecondition("this call cannot store documents")
    data = {
        "name": name[:NAME_CHARS],
        "contentType": content_type,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "labels": dict(labels or {}),
    }
    request = validate(BeginUpload, data)
    store = FileStore(ctx.db)
    file = _begin_file(ctx.db, ctx.user, {}, request, group=group, now=ctx.now)
    for number in file.missing:
        part = content[number * PART_BYTES : (number + 1) * PART_BYTES]
        store.add_part(ctx.user.uid, file.id, number, part)
    file = store.finish(ctx.user.uid, file.id)
    return document_info(_queue(ctx.platform, file, now=ctx.now), ctx.user)


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except ValueError as error:  # `binascii.Error` is one, a letter outside of ASCII another
        raise InvalidArgument("content is not base64", field="content") from error


def check_may_upload(user: User, claims: Mapping[str, Any], scope: OwnScope) -> None:
    """Check that the user may upload into a scope.

    Args:
        claims: The claims of the user's verified ID token.
    Raises:
        PermissionDenied: The user may not.
        FailedPrecondition: The user has no team; or the variable is not valid.
    """
    if scope == "team" and user.tenant is None:
        raise FailedPrecondition(TEXTS.text("errors.no_team"), field="scope")
    variable, otherwise = UPLOADERS[scope]
    entries = (os.environ.get(variable) or otherwise).split(",")
    if not any(_admits(entry.strip(), variable, user, claims) for entry in entries):
        key = "errors.no_team_uploads" if scope == "team" else "errors.no_uploads"
        raise PermissionDenied(TEXTS.text(key), field="scope")


def _admits(entry: str, variable: str, user: User, claims: Mapping[str, Any]) -> bool:
    if entry.startswith(_CLAIM) and "=" in entry:
        name, _, value = entry.removeprefix(_CLAIM).partition("=")
        claim = claims.get(name)
        if isinstance(claim, bool):
            return value == ("true" if claim else "false")
        return isinstance(claim, str | int) and str(claim) == value
    if entry not in set(Role):
        raise FailedPrecondition(
            f"{variable} has an entry that is no role and no claim: {entry[:60]!r}",
            hint=f"roles are {', '.join(Role)}; a claim is written claim:plan=premium",
        )
    return user.role.at_least(Role(entry))


def _queue(platform: Platform, file: StoredFile, *, now: datetime) -> StoredDocument:
    """Queue a complete file for reading; the same file again changes nothing.

    The document's previous version is searched until this one is ready.

    Raises:
        Aborted: Several uploads of this name ended at the same time.
    """
    scope, tenant = file.details["scope"], file.details["tenant"]
    id = document_id(file.uid, scope, tenant, file.name, file.details.get("group"))
    for _ in range(_ATTEMPTS):
        before = read(reference(platform.db, id).get())
        if before and file.id in (before.data["incoming"], before.current_file):
            return before
        if _write(platform.db, id, before, file, now):
            enqueue(platform, id)
            document = read(reference(platform.db, id).get())
            if document is None:
                raise Aborted(TEXTS.text("errors.document_deleted"))
            return document
    raise Aborted(TEXTS.text("errors.other_upload"))


def enqueue(platform: Platform, id: str) -> None:
    """Queue a document; the sweep finds one that the queue did not take."""
    try:
        platform.enqueue(QUEUE, {"documentId": id})
    except AgentError as error:
        log.warning("document %s waits for the sweep: %s", id, error.message)


def overdue(db: Client, *, now: datetime) -> list[str]:
    """Return the ids of documents whose reader died, or that the queue did not take."""
    late = db.collection(collection_id(DOCUMENTS)).where(filter=where("dueAt", "<=", now))
    return [each.id for each in late.select([]).limit(_OVERDUE_AT_ONCE).stream()]


def _write(
    db: Client, id: str, before: StoredDocument | None, file: StoredFile, now: datetime
) -> bool:
    """Write the file as the document's next version; return False if another write was faster."""
    batch = db.batch()
    FileStore(db).keep(batch, file)
    fields = {
        "uid": file.uid,
        "scope": file.details["scope"],
        "tenant": file.details["tenant"],
        "group": file.details.get("group"),
        "labels": dict(file.details.get("labels") or {}),
        "name": file.name,
        "title": PurePath(file.name).stem or file.name,
        "contentType": file.content_type,
        "bytes": file.bytes,
        "sha256": file.sha256,
        "status": "queued",
        "reason": None,
        "progress": {"done": 0, "total": 0},
        "incoming": file.id,
        "attempts": 0,
        "updatedAt": now,
        "dueAt": now + OVERDUE,
    }
    if before is None:
        new = {**fields, "current": None, "createdAt": now, "schemaVersion": SCHEMA_VERSION}
        batch.create(reference(db, id), new)
    else:
        unchanged = db.write_option(last_update_time=before.read_at)
        batch.update(reference(db, id), fields, option=unchanged)
        if before.data["incoming"] and (left := FileStore(db).find(before.data["incoming"])):
            FileStore(db).remove(batch, left)
    return try_commit(batch) is not None
