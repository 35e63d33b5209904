"""Opens the run that goes on with a turn whose questions are answered: exactly one for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import Aborted, FailedPrecondition
from rollcall.store import audit, migrations, paths
from rollcall.store.allowed import allowed_after
from rollcall.store.approvals import Approval, load_approvals
from rollcall.store.batches import committed, tries
from rollcall.store.event_log import EventLog
from rollcall.store.holding import find_holder, take_lease
from rollcall.store.run_documents import request_of, run_document, user_of
from rollcall.store.run_ids import (
    check_found,
    erased,
    is_made_here,
    next_run_id,
    read_for_run,
    used_before,
)
from rollcall.store.runs import OpenRun
from rollcall.store.settlements import settlements_of
from rollcall.store.settling import (
    Continuing,
    StillOpen,
    answers_of,
    decision_entries,
    open_calls,
    settle,
    write_approvals,
)
from rollcall.store.taking_up import handle
from rollcall.store.window import (
    decisions_of,
    holds_its_turn,
    newest,
    read_log,
    told_decisions_of,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

Known = Mapping[str, Any]
"""Snapshots that were read before, by their paths."""


class _Read(Struct, frozen=True):
    """What an opening has read. `run` is what was found of the run that it is to open."""

    thread: DocumentSnapshot
    waiting: DocumentSnapshot
    window: DocumentSnapshot
    run: DocumentSnapshot | None
    admission: Sequence[DocumentSnapshot]

    @property
    def data(self) -> dict[str, Any]:
        """The thread's."""
        return self.thread.to_dict() or {}

    @property
    def before(self) -> dict[str, Any]:
        """The waiting run's."""
        return self.waiting.to_dict() or {}


def open_continuation(
    db: Client,
    thread_id: str,
    waiting_run_id: str,
    continuing: Continuing,
    known: Known | None = None,
) -> OpenRun | StillOpen | str:
    """Open the run that continues a waiting one: exactly one is ever opened.

    Args:
        known: What was read of the thread a moment ago, its document and its view at one time.
    Returns:
        The open run; what is still open; or the id of the run that continued it before.
    Raises:
        FailedPrecondition: The run waits for nothing (any more).
        AlreadyExists: The run id was used in another thread.
    """
    for _ in tries():
        opened = _try_continue(db, thread_id, waiting_run_id, continuing, known or {})
        if opened is not None:
            return opened
        known = None  # it has changed since
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def _read(
    db: Client, thread_id: str, waiting_run_id: str, continuing: Continuing, known: Known
) -> _Read:
    """Read what is not known yet. That what is known has not changed is seen when the batch goes
    through: all of it is written, and the thread only as it was."""
    thread, window = paths.thread(db, thread_id), paths.window(db, thread_id)
    waiting, run = (paths.run(db, thread_id, id) for id in (waiting_run_id, continuing.run_id))
    key, admission = continuing.key, continuing.admission
    waits = (known[thread.path].to_dict() or {}).get("waiting") if thread.path in known else None
    if waits and waits["runId"] == waiting_run_id and window.path in known:
        # It waits still, so in this thread no run continues it.
        left = [] if waiting.path in known else [waiting]
        found, admitting, opened = read_for_run(db, left, key=key, admission=admission)
        before = found[0] if found else known[waiting.path]
        return _Read(known[thread.path], before, known[window.path], opened, admitting)
    found, admitting, opened = read_for_run(
        db, [thread, waiting, window, run], key=key, admission=admission
    )
    here = found[3] if found[3].exists else opened
    return _Read(found[0], found[1], found[2], here, admitting)


def _try_continue(
    db: Client, thread_id: str, waiting_run_id: str, continuing: Continuing, known: Known
) -> OpenRun | StillOpen | str | None:
    """One try; None when somebody was faster."""
    read = _read(db, thread_id, waiting_run_id, continuing, known)
    if (opened := _opened_before(db, thread_id, read, continuing)) is not None:
        return opened
    waits = read.data.get("waiting")
    if not waits or waits["runId"] != waiting_run_id:
        raise FailedPrecondition("nothing in this thread waits for this answer", field="resume")
    holder = find_holder(db, thread_id, read.data, read.window)
    if is_made_here(continuing.run_id) and continuing.run_id != next_run_id(waiting_run_id):
        raise erased()
    now = datetime.now(UTC)
    asked = load_approvals(db, waits["approvals"], known)
    settled, still_open = settle(asked, continuing, now)
    calls = open_calls(waits, continuing, now)
    if still_open or calls:
        return StillOpen(still_open, calls, tuple(asked))
    batch = db.batch()
    write_approvals(batch, db, asked, continuing, settled, now)
    for entry in decision_entries(settled, continuing.run_id):
        audit.write(batch, db, entry)
    if holder is not None:
        documents = read_log(db, thread_id).documents
        holder.close(batch, db, token=read.data.get("leaseToken", 0) + 1, documents=documents)
    return _commit_opening(db, batch, read, continuing, settled, now)


def _opened_before(
    db: Client, thread_id: str, read: _Read, continuing: Continuing
) -> OpenRun | str | None:
    """The run that continues the turn already, or this very one, whose batch lost its answer.

    Raises:
        AlreadyExists: The run id was used for another run.
        NotFound: It was used in this thread, and its run was erased.
    """
    run = (read.run.to_dict() or {}) if read.run is not None else {}
    if run.get("opener") == continuing.opener:
        if continuing.admission:
            continuing.admission.admitted(None)
        return _reopened(db, thread_id, read.run, read.data)
    if by := read.before.get("continuedBy"):
        return str(by)
    if read.run is None:
        return None
    check_found(read.run, thread_id=thread_id, run_id=continuing.run_id)
    if run["continues"] != read.waiting.id:
        raise used_before(continuing.run_id)
    return str(read.run.id)


def _commit_opening(
    db: Client,
    batch: WriteBatch,
    read: _Read,
    continuing: Continuing,
    settled: Sequence[Approval],
    now: datetime,
) -> OpenRun | None:
    """Take the thread for the continuing run, in the batch that settles what it waited for."""
    thread_id, found, before = read.thread.id, read.data, read.before
    log = newest(db, thread_id, found, read.window)
    documents = _whole(db, thread_id, log.documents)
    token, taken = take_lease(found, continuing.run_id)
    allowed = allowed_after(found.get("allowed"), settled)
    batch.update(
        read.thread.reference,
        {**taken, "waiting": None, "allowed": allowed, "updatedAt": now},
        option=db.write_option(last_update_time=read.thread.update_time),
    )
    batch.update(read.waiting.reference, {"continuedBy": continuing.run_id, "updatedAt": now})
    if continuing.admission:
        continuing.admission.admit(batch, read.admission, settlements_of(read.window))
    user = continuing.user or user_of(before)
    document = run_document(
        user=user,
        agent=before["agent"],
        turn_id=before["turnId"],
        request={**request_of(before), **_client(before, continuing)},
        token=token,
        digest=continuing.request_digest,
        opener=continuing.opener,
        key=continuing.key,
        first_message=documents[-1]["n"] + 1,
        reached=documents[-1]["n"] + 1,
        continues=read.waiting.id,
        approvals=[approval.id for approval in settled],
        answers=answers_of(
            found["waiting"], continuing, json.loads(before.get("answered") or "{}")
        ),
    )
    batch.create(paths.run(db, thread_id, continuing.run_id), document)
    events = EventLog(user.uid, thread_id, continuing.run_id, hand=continuing.opener)
    events.open_page(batch, db, 0)
    written = committed(batch)
    if written is None:
        return None
    events.page_time = written[-1].update_time
    if continuing.admission:
        continuing.admission.admitted(events.page_time)
    opened = handle(
        db,
        document,
        thread={**found, "allowed": allowed},
        documents=documents,
        token=token,
        events=events,
        approvals=settled,
        decisions=log.decisions,
        told_decisions=told_decisions_of(read.window, before["turnId"]),
    )
    opened.settlements = settlements_of(read.window)
    # The run that waits wrote its last step and the view in one batch. Should the step have been
    # written since, the first save of a result is refused, and looks.
    opened.hold.step_time = read.window.update_time if documents is log.documents else None
    return opened


def _client(before: dict[str, Any], continuing: Continuing) -> dict[str, Any]:
    """Fields of the turn's request where another client has taken its calls over: the one whose
    answers count."""
    if "answered" not in before:
        return continuing.client
    taken_over: dict[str, Any] = json.loads(before.get("tookOver") or "{}")
    return taken_over


def _whole(db: Client, thread_id: str, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents of a view with the newest turn whole. The view leaves out media, and of a turn
    that is too large the beginning; only the log has them."""
    if not holds_its_turn(documents):
        return read_log(db, thread_id).documents
    for place, document in enumerate(documents):
        if document.get("mediaLeftOut") and document["turnId"] == documents[-1]["turnId"]:
            message = paths.message(db, thread_id, document["n"]).get().to_dict()
            if message is not None:
                documents[place] = migrations.read("message", message)
    return documents


def _reopened(db: Client, thread_id: str, run: Any, thread: dict[str, Any]) -> OpenRun:
    """The run that this very opening made; only the answer to its batch was lost."""
    data = run.to_dict() or {}
    view = paths.window(db, thread_id).get()
    return handle(
        db,
        data,
        thread=thread,
        documents=read_log(db, thread_id).documents,
        token=data["token"],
        events=EventLog(data["uid"], thread_id, run.id, hand=data["opener"]),
        approvals=load_approvals(db, data["approvals"]),
        decisions=decisions_of(view),
        told_decisions=told_decisions_of(view, data["turnId"]),
    )
