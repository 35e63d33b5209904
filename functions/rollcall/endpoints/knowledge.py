"""Files that users upload: the callables, the queue that reads documents, and the sweep.

A pack's capabilities list, search and delete them.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from rollcall.core.context import Call, Platform
from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import validate
from rollcall.core.triggers import OnCall, OnSchedule, OnTask, bound
from rollcall.knowledge.uploads import (
    BeginUpload,
    FinishUpload,
    GetFile,
    UploadPart,
    add_part,
    begin,
    enqueue,
    finish,
    overdue,
    read_part,
)
from rollcall.store.files import FileStore

READ_S = 900

log = logging.getLogger("rollcall")


@bound(OnCall())
def begin_upload(platform: Platform, call: Call) -> dict[str, Any]:
    """Begin an upload: `{name, purpose?, contentType, bytes, sha256, scope?, content?}`.

    The purpose is "knowledge", a document to search in, or "attachment", to be sent with a
    message. Returns `{fileId, partBytes, missing}`; `missing` has the numbers of the parts to send.
    With `content`, for a file of one part, the upload is finished too: `{fileId, document}`. A
    repeated request continues the upload.
    """
    request = validate(BeginUpload, call.data)
    return begin(platform, call.user, call.claims, request, now=datetime.now(UTC)).dump()


@bound(OnCall())
def upload_part(platform: Platform, call: Call) -> dict[str, Any]:
    """Send a part of an upload, in base64: `{fileId, part, content}`."""
    request = validate(UploadPart, call.data)
    add_part(platform, call.user, request)
    return {"fileId": request.file_id, "part": request.part}


@bound(OnCall())
def finish_upload(platform: Platform, call: Call) -> dict[str, Any]:
    """Check that an upload is complete, and queue a document to be read: `{fileId}`.

    Returns `{fileId, document}`; the document's record in Firestore has the progress. An attachment
    has no document: a message refers to it by its `fileId`.
    """
    request = validate(FinishUpload, call.data)
    return finish(platform, call.user, call.claims, request, now=datetime.now(UTC)).dump()


@bound(OnCall())
def get_file(platform: Platform, call: Call) -> dict[str, Any]:
    """Read a part of one's own file: `{fileId, part?}`.

    Returns `{fileId, name, contentType, bytes, sha256, parts, part, content}`; `content` is base64.
    """
    request = validate(GetFile, call.data)
    return read_part(platform, call.user, request).dump()


@bound(OnTask(max_attempts=5, timeout_s=READ_S, max_concurrent=5, alone=True))
def indexdocument(platform: Platform, data: dict[str, Any]) -> None:
    """Read and index an uploaded document: `{documentId}`. A task that comes twice does nothing."""
    from rollcall.knowledge.indexer import index

    id = data.get("documentId")
    if not isinstance(id, str) or not id or "/" in id:
        raise InvalidArgument("the task names no document", field="documentId")
    index(platform, id)


@bound(OnSchedule("every 10 minutes"))
def sweep_files(platform: Platform) -> None:
    """Remove unfinished uploads and the content of deleted files, and queue documents that have
    waited too long."""
    now = datetime.now(UTC)
    removed = FileStore(platform.db).sweep(now=now)
    documents = overdue(platform.db, now=now)
    for id in documents:
        enqueue(platform, id)
    log.info("files: %d removed; documents: %d queued again", removed, len(documents))
