"""Opens threads and runs, by preconditioned batches and never by transactions.

threads/{t}                  uid, agent, title, status, lease, waiting, nextMessage
threads/{t}/messages/{n}     append-only log: the user's message, then one document a step
threads/{t}/runs/{r}         status, step, lease time, result
threads/{t}/views/window     the newest messages in one document, rebuilt from the log in doubt
runKeys/{k}                  which thread a user's run id belongs to

A thread's lease names the run that holds it. Until when it does stands in the run's own document,
which that run renews with each save.
"""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.context import User
from rollcall.core.errors import Aborted, AlreadyExists, NotFound, PermissionDenied
from rollcall.core.messages import UserMessage
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import migrations, paths
from rollcall.store.closing import Closing, closing_of_cut_off, closing_of_waiting
from rollcall.store.event_log import EventLog
from rollcall.store.log import from_documents, user_document
from rollcall.store.runs import WINDOW_DOCUMENTS, Finished, GoingOn, OpenRun, run_document
from rollcall.store.thread_erasure import check_not_erased

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

OPEN_TRIES = 5

log = logging.getLogger("rollcall")


@dataclass(frozen=True, slots=True)
class Admission:
    """What else an opening reads and writes in its one batch: the user's rate and budget.

    `admit(batch, snapshot)` raises ResourceExhausted where the user may not.
    """

    reference: DocumentReference
    admit: Callable[[WriteBatch, DocumentSnapshot], None]


@dataclass(frozen=True, slots=True)
class Opening:
    """What a run starts from: a message in a thread.

    Attributes:
        request: Makes what is kept of how the turn was asked, plain JSON, from the thread's newest
            log documents as the window view has them; of a new thread there are none. Called once
            for each try at the opening.
    """

    user: User
    agent: str
    thread_id: str
    is_new: bool
    run_id: str
    turn_id: str
    request_digest: str
    message: UserMessage
    context: dict[str, Any] | None
    request: Callable[[Sequence[dict[str, Any]]], dict[str, Any]]
    admission: Admission | None = None
    supersede: bool = False
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True, slots=True)
class Stale:
    """The run was begun, and whoever was on it is gone: it can be taken up."""

    thread_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class _Read:
    """What an opening has read."""

    thread: DocumentSnapshot
    run: DocumentSnapshot
    window: DocumentSnapshot
    key: DocumentSnapshot
    admission: DocumentSnapshot | None

    @property
    def data(self) -> dict[str, Any]:
        return (self.thread.to_dict() or {}) if self.thread.exists else {}


def thread_id_for(uid: str, run_id: str) -> str:
    """The id of the thread that a first message opens; the same for its repeats."""
    return hashlib.sha256(f"{uid}/{run_id}".encode()).hexdigest()[:20]


def run_key_for(uid: str, run_id: str) -> str:
    """The id of the document that says which thread a user's run id belongs to."""
    return hashlib.sha256(f"run/{uid}/{run_id}".encode()).hexdigest()[:32]


def open_run(db: Client, opening: Opening) -> OpenRun | Finished | GoingOn | Stale:
    """Append the user's message and take the thread's lease, in one batch.

    Returns:
        The open run; or, when this `runId` was sent before, what has become of it.
    Raises:
        NotFound: The thread does not exist.
        PermissionDenied: It is another user's.
        AlreadyExists: The `runId` was used with other data.
        Aborted: The thread is held by another run.
        ResourceExhausted: The user's rate or budget does not allow it.
    """
    for _ in range(OPEN_TRIES):
        read = _read(db, opening)
        if read.run.exists:
            run = read.run.to_dict() or {}
            if run.get("opener") == opening.opener:
                return _opened(db, opening, read, run)  # only the answer to the batch was lost
            return repeated(
                run, read.run, uid=opening.user.uid, request_digest=opening.request_digest
            )
        check_thread(read.thread, uid=opening.user.uid, agent=opening.agent, new=opening.is_new)
        check_key(read.key, thread_id=opening.thread_id, run_id=opening.run_id)
        opened = _try_open(db, opening, read)
        if opened is not None:
            return opened
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def repeated(
    run: dict[str, Any], snapshot: DocumentSnapshot, *, uid: str, request_digest: str
) -> Finished | GoingOn | Stale:
    """What has become of a run that is asked for again.

    Raises:
        PermissionDenied: It is another user's.
        AlreadyExists: It was asked for with other data.
    """
    thread_id = snapshot.reference.parent.parent.id
    if run["uid"] != uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if run["requestDigest"] != request_digest:
        raise _used_before(snapshot.id)
    return state_of(run, thread_id=thread_id, run_id=snapshot.id)


def state_of(run: dict[str, Any], *, thread_id: str, run_id: str) -> Finished | GoingOn | Stale:
    """Whether a run is done, in somebody's hands, or left lying."""
    if run.get("result") is not None:
        return Finished(json.loads(run["result"]))
    if run["status"] != RunStatus.RUNNING:
        return Finished(None, run.get("error") or {})
    if run["leaseUntil"] > datetime.now(UTC):
        return GoingOn(thread_id, run_id)
    return Stale(thread_id, run_id)


def check_thread(thread: DocumentSnapshot, *, uid: str, agent: str, new: bool) -> None:
    """
    Raises:
        NotFound: There is no such thread, and it is not a new one's id.
        PermissionDenied: It is another user's.
        AlreadyExists: It is with another agent.
        Aborted: It is being erased.
    """
    if not thread.exists:
        if new:
            return
        raise NotFound(f"there is no thread {thread.id!r}", field="threadId")
    data = thread.to_dict() or {}
    if data["uid"] != uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if data["agent"] != agent:
        raise AlreadyExists(
            f"this thread is with the agent {data['agent']!r}, not {agent!r}", field="agent"
        )
    check_not_erased(data)


def check_key(key: DocumentSnapshot, *, thread_id: str, run_id: str) -> None:
    """
    Raises:
        AlreadyExists: The run id was used in another thread.
        NotFound: It was used in this one, and its run was erased.
    """
    if key.exists and (key.to_dict() or {})["threadId"] != thread_id:
        raise _used_before(run_id)
    if key.exists:  # it was written together with its run, which is gone
        raise NotFound("what this run said was erased; use a new runId", field="runId")


def check_free(db: Client, thread_id: str, lease: dict[str, Any] | None) -> None:
    """
    Raises:
        Aborted: The run that the lease names is alive, or is kept for the task queue.
    """
    if not lease:
        return
    run = paths.run(db, thread_id, lease["runId"]).get().to_dict() or {}
    until = max(filter(None, (run.get("leaseUntil"), run.get("keptUntil"))), default=None)
    if run.get("status") == RunStatus.RUNNING and until and until > datetime.now(UTC):
        raise Aborted(
            f"run {lease['runId']} is still answering in this thread",
            field="threadId",
            hint='wait for it, or send whenBusy: "supersede" to take over',
            retry_after_s=2,
        )


def take_lease(data: dict[str, Any], run_id: str) -> tuple[int, dict[str, Any]]:
    """The next lease token of a thread, and the fields that take the lease."""
    token = data.get("leaseToken", 0) + 1
    return token, {"lease": {"runId": run_id, "token": token}, "leaseToken": token}


def close_holder(
    batch: WriteBatch, db: Client, thread_id: str, lease: dict[str, Any] | None, *, token: int
) -> None:
    """Close the run that held the thread so far: it can save nothing after this batch."""
    if not lease:
        return
    error = {"code": "aborted", "message": "another run has taken this thread over"}
    fence = {
        "status": RunStatus.FAILED.value,
        "error": error,
        "token": token,
        "leaseUntil": None,
        "endedAt": datetime.now(UTC),
        "updatedAt": datetime.now(UTC),
    }
    batch.set(paths.run(db, thread_id, lease["runId"]), fence, merge=True)


def write_key(batch: WriteBatch, db: Client, uid: str, thread_id: str, run_id: str) -> None:
    """Say which thread a user's run id belongs to."""
    key = {"schemaVersion": SCHEMA_VERSION, "uid": uid, "threadId": thread_id}
    batch.create(paths.run_key(db, run_key_for(uid, run_id)), key)


def window_documents(
    db: Client, thread_id: str, thread: dict[str, Any], window: DocumentSnapshot | None
) -> list[dict[str, Any]]:
    """The recent log: from the view where it is up to date, otherwise from the log itself."""
    view = window.to_dict() if window is not None and window.exists else None
    if not thread:
        return []
    is_current = view and view["nextMessage"] == thread["nextMessage"] and not thread["lease"]
    if view and is_current and (view["documents"] or not thread["nextMessage"]):
        return [migrations.read("message", document) for document in view["documents"]]
    # A run that ended without closing has left its steps in the log only.
    log.info("thread %s: the window view is rebuilt from the log", thread_id)
    messages = paths.thread(db, thread_id).collection("messages")
    newest = messages.order_by("n", direction="DESCENDING").limit(WINDOW_DOCUMENTS).stream()
    documents = [snapshot.to_dict() or {} for snapshot in newest][::-1]
    return [migrations.read("message", document) for document in documents]


def _used_before(run_id: str) -> AlreadyExists:
    return AlreadyExists(
        f"runId {run_id!r} was used before with other data; use a new one", field="runId"
    )


def _read(db: Client, opening: Opening) -> _Read:
    references = [
        paths.thread(db, opening.thread_id),
        paths.run(db, opening.thread_id, opening.run_id),
        paths.window(db, opening.thread_id),
        paths.run_key(db, run_key_for(opening.user.uid, opening.run_id)),
    ]
    if opening.admission:
        references.append(opening.admission.reference)
    found = {snapshot.reference.path: snapshot for snapshot in db.get_all(references)}
    snapshots = [found[reference.path] for reference in references]
    thread, run, window, key, *admission = snapshots
    return _Read(thread, run, window, key, admission[0] if admission else None)


def _try_open(db: Client, opening: Opening, read: _Read) -> OpenRun | None:
    """One try at the opening batch; None when somebody was faster."""
    from google.api_core.exceptions import Conflict, FailedPrecondition
    from google.api_core.exceptions import NotFound as Gone

    data = read.data
    lease = data.get("lease")
    if not opening.supersede:
        check_free(db, opening.thread_id, lease)
    documents = window_documents(db, opening.thread_id, data, read.window)
    closing = _closing(db, opening.thread_id, data, documents)
    # A view may hold no document (the newest was too large for it), so the thread's count counts.
    number = max(data.get("nextMessage", 0), documents[-1]["n"] + 1 if documents else 0)
    closed = closing.closed(documents)
    token, taken = take_lease(data, opening.run_id)
    message = user_document(_stamp(opening, number), opening.message)
    run = run_document(
        user=opening.user,
        agent=opening.agent,
        turn_id=opening.turn_id,
        request=opening.request(closed),
        token=token,
        digest=opening.request_digest,
        opener=opening.opener,
        first_message=number,
    )
    batch = db.batch()
    closing.write(batch, db, opening.thread_id)
    close_holder(batch, db, opening.thread_id, lease, token=token)
    _write_thread(batch, db, opening, read.thread, {**taken, "nextMessage": number + 1})
    batch.create(paths.message(db, opening.thread_id, number), message)
    if not read.key.exists:
        write_key(batch, db, opening.user.uid, opening.thread_id, opening.run_id)
    if opening.admission and read.admission is not None:
        opening.admission.admit(batch, read.admission)
    batch.create(paths.run(db, opening.thread_id, opening.run_id), run)
    try:
        written = batch.commit()
    except (Conflict, FailedPrecondition, Gone):
        return None
    return _handle(db, opening, run, [*closed, message], written[-1].update_time, data)


def _closing(
    db: Client, thread_id: str, thread: dict[str, Any], documents: list[dict[str, Any]]
) -> Closing:
    """What must be written so that the calls of an earlier turn are all answered.

    Raises:
        Aborted: All that the thread waited for is decided, and is about to be carried out.
    """
    if not documents:
        return Closing()
    if thread.get("waiting"):
        return closing_of_waiting(db, thread["waiting"], documents[-1])
    return closing_of_cut_off(db, thread_id, documents[-1])


def _opened(db: Client, opening: Opening, read: _Read, run: dict[str, Any]) -> OpenRun:
    """The run that an opening made whose answer was lost on the way."""
    documents = window_documents(db, opening.thread_id, {**read.data, "lease": True}, None)
    return _handle(db, opening, run, documents, read.run.update_time, read.data)


def _handle(
    db: Client,
    opening: Opening,
    run: dict[str, Any],
    documents: list[dict[str, Any]],
    run_time: Any,
    thread: dict[str, Any],
) -> OpenRun:
    return OpenRun(
        db=db,
        user=opening.user,
        agent=opening.agent,
        thread_id=opening.thread_id,
        run_id=opening.run_id,
        turn_id=opening.turn_id,
        request=json.loads(run["request"]),
        token=run["token"],
        # The view keeps media by name; the message itself is at hand whole.
        history=[*from_documents(documents[:-1]), opening.message],
        documents=documents,
        next_message=documents[-1]["n"] + 1,
        run_time=run_time,
        events=EventLog(opening.user.uid, opening.thread_id, opening.run_id),
        allowed=thread.get("allowed") or {},
    )


def _stamp(opening: Opening, number: int) -> dict[str, Any]:
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": opening.user.uid,
        "n": number,
        "runId": opening.run_id,
        "turnId": opening.turn_id,
        "createdAt": datetime.now(UTC),
    }


def _write_thread(
    batch: WriteBatch,
    db: Client,
    opening: Opening,
    thread: DocumentSnapshot,
    taken: dict[str, Any],
) -> None:
    """Create the thread, or take its lease provided that it is as it was read."""
    now = datetime.now(UTC)
    fields = {**taken, "waiting": None, "updatedAt": now}
    if opening.context is not None:
        # As text: Firestore refuses lists inside lists, deep maps and some keys.
        fields["context"] = json.dumps(opening.context, ensure_ascii=False)
    reference = paths.thread(db, opening.thread_id)
    if thread.exists:
        option = db.write_option(last_update_time=thread.update_time)
        batch.update(reference, fields, option=option)
        return
    title = " ".join(opening.message.text.split())[:80]
    batch.create(
        reference,
        {
            "schemaVersion": SCHEMA_VERSION,
            "uid": opening.user.uid,
            "agent": opening.agent,
            "title": title,
            "status": "active",
            "createdAt": now,
            **fields,
        },
    )
