"""Opens threads and runs, by preconditioned batches and never by transactions.

threads/{t}                  uid, agent, title, status, lease, nextMessage
threads/{t}/messages/{n}     append-only log: the user's message, then one document a step
threads/{t}/runs/{r}         status, step, result
threads/{t}/views/window     the newest messages in one document, rebuilt from the log in doubt
"""

from __future__ import annotations

import hashlib
import json
import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted, AlreadyExists, NotFound, PermissionDenied
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import paths
from rollcall.store.log import from_documents, user_document
from rollcall.store.runs import WINDOW_DOCUMENTS, Finished, Opening, OpenRun, log_stamp

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

OPEN_TRIES = 3
_LEASE_MARGIN_S = 30

log = logging.getLogger("rollcall")


def thread_id_for(uid: str, run_id: str) -> str:
    """The id of the thread that a first message opens; the same for its repeats."""
    return hashlib.sha256(f"{uid}/{run_id}".encode()).hexdigest()[:20]


def open_run(db: Client, opening: Opening) -> OpenRun | Finished:
    """Append the user's message and take the thread's lease, in one batch.

    Returns:
        The open run; or `Finished` when this `runId` has run before.
    Raises:
        NotFound: The thread does not exist.
        PermissionDenied: It is another user's.
        AlreadyExists: The `runId` was used with other data.
        Aborted: The thread is held by another run, or this very run is still running.
    """
    for _ in range(OPEN_TRIES):
        thread, run, window = _read(db, opening)
        if run.exists:
            return _repeated(run.to_dict() or {}, opening)
        _check_thread(thread, opening)
        opened = _try_open(db, opening, thread, window)
        if opened is not None:
            return opened
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def _read(
    db: Client, opening: Opening
) -> tuple[DocumentSnapshot, DocumentSnapshot, DocumentSnapshot]:
    references = [
        paths.thread(db, opening.thread_id),
        paths.run(db, opening.thread_id, opening.run_id),
        paths.window(db, opening.thread_id),
    ]
    found = {snapshot.reference.path: snapshot for snapshot in db.get_all(references)}
    first, second, third = (found[reference.path] for reference in references)
    return first, second, third


def _repeated(run: dict[str, Any], opening: Opening) -> Finished:
    if run["uid"] != opening.uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if run["requestDigest"] != opening.request_digest:
        raise AlreadyExists(
            f"runId {opening.run_id!r} was used before with other data; use a new one",
            field="runId",
        )
    if run.get("result") is not None:
        return Finished(json.loads(run["result"]))
    if run["status"] == RunStatus.RUNNING and run["leaseUntil"] > datetime.now(UTC):
        raise Aborted("this run is still going on", field="runId", retry_after_s=2)
    raise Aborted(
        "this run ended without an answer; send the message again under a new runId",
        field="runId",
    )


def _check_thread(thread: DocumentSnapshot, opening: Opening) -> None:
    if not thread.exists:
        if opening.is_new:
            return
        raise NotFound(f"there is no thread {opening.thread_id!r}", field="threadId")
    data = thread.to_dict() or {}
    if data["uid"] != opening.uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if data["agent"] != opening.agent:
        raise AlreadyExists(
            f"this thread is with the agent {data['agent']!r}, not {opening.agent!r}",
            field="agent",
        )
    lease = data.get("lease")
    if lease and lease["until"] > datetime.now(UTC) and not opening.supersede:
        raise Aborted(
            f"run {lease['runId']} is still answering in this thread",
            field="threadId",
            hint='wait for it, or send whenBusy: "supersede" to take over',
            retry_after_s=2,
        )


def _try_open(
    db: Client, opening: Opening, thread: DocumentSnapshot, window: DocumentSnapshot
) -> OpenRun | None:
    """One try at the opening batch; None when somebody was faster."""
    from google.api_core.exceptions import Conflict
    from google.api_core.exceptions import FailedPrecondition as Moved
    from google.api_core.exceptions import NotFound as Gone

    data = (thread.to_dict() or {}) if thread.exists else {}
    documents = _window_documents(db, opening, data, window)
    # A view may hold no document (the newest was too large for it), so the thread's count counts.
    number = max(data.get("nextMessage", 0), documents[-1]["n"] + 1 if documents else 0)
    stamp = log_stamp(opening, number)
    message = user_document(stamp, opening.message)
    batch = db.batch()
    _write_thread(batch, db, opening, thread, number=number)
    batch.create(paths.message(db, opening.thread_id, number), message)
    until = _until(opening)
    batch.create(
        paths.run(db, opening.thread_id, opening.run_id),
        {
            **{key: value for key, value in stamp.items() if key != "n"},
            "agent": opening.agent,
            "status": RunStatus.RUNNING.value,
            "step": 0,
            "firstMessage": number,
            "requestDigest": opening.request_digest,
            "leaseUntil": until,
        },
    )
    try:
        written = batch.commit()
    except (Conflict, Moved, Gone):
        return None
    return OpenRun(
        db=db,
        opening=opening,
        history=[*from_documents(documents), opening.message],
        next_message=number + 1,
        run_time=written[-1].update_time,
        documents=[*documents, message],
    )


def _write_thread(
    batch: WriteBatch,
    db: Client,
    opening: Opening,
    thread: DocumentSnapshot,
    *,
    number: int,
) -> None:
    """Create the thread, or take its lease provided that it is as it was read."""
    now = datetime.now(UTC)
    data = (thread.to_dict() or {}) if thread.exists else {}
    lease = data.get("lease")
    token = data.get("leaseToken", 0) + 1
    fields = {
        "lease": {"runId": opening.run_id, "token": token, "until": _until(opening)},
        "leaseToken": token,
        "updatedAt": now,
        "nextMessage": number + 1,
    }
    if opening.context is not None:
        # As text: Firestore refuses lists inside lists, deep maps and some keys.
        fields["context"] = json.dumps(opening.context, ensure_ascii=False)
    reference = paths.thread(db, opening.thread_id)
    if not thread.exists:
        title = " ".join(opening.message.text.split())[:80]
        batch.create(
            reference,
            {
                "schemaVersion": SCHEMA_VERSION,
                "uid": opening.uid,
                "agent": opening.agent,
                "title": title,
                "status": "active",
                "createdAt": now,
                **fields,
            },
        )
        return
    batch.update(reference, fields, option=db.write_option(last_update_time=thread.update_time))
    if lease:
        fence = {"status": RunStatus.FAILED.value, "error": "taken over", "updatedAt": now}
        batch.set(paths.run(db, opening.thread_id, lease["runId"]), fence, merge=True)


def _window_documents(
    db: Client, opening: Opening, thread: dict[str, Any], window: DocumentSnapshot
) -> list[dict[str, Any]]:
    """The recent log: from the view where it is up to date, otherwise from the log itself."""
    view = window.to_dict() if window.exists else None
    if not thread:
        return []
    is_current = view and view["nextMessage"] == thread["nextMessage"] and not thread["lease"]
    if view and is_current and (view["documents"] or not thread["nextMessage"]):
        return list(view["documents"])
    # A run that ended without closing has left its steps in the log only.
    log.info("thread %s: the window view is rebuilt from the log", opening.thread_id)
    messages = paths.thread(db, opening.thread_id).collection("messages")
    newest = messages.order_by("n", direction="DESCENDING").limit(WINDOW_DOCUMENTS).stream()
    return [snapshot.to_dict() or {} for snapshot in newest][::-1]


def _until(opening: Opening) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=opening.lease_s + _LEASE_MARGIN_S)
