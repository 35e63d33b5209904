"""Closes runs of dead processes and their open calls, so that the thread stays valid.

Calls are left without a result when a user sends another message while a run waits, or when a run
is cut off. The next run writes a result for each of them, in the batch that opens it. The process
of a run that was cut off may still be alive and about to write, so the same batch closes the effect
ledger for each of its calls; the written results then stay true.

The batch that closes a run in place of its process also writes the run's audit entry, so there is
exactly one entry, whichever process closes the run. It has the calls whose results were saved. The
models that answered and their tokens are not known: that data is lost with the process.

A thread's lease names the run that was opened in it last. Whether that run still holds the thread
is stored elsewhere: in the view that it writes when it ends, or in its own document, which says
until when its process counts as alive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted, NotFound, PermissionDenied
from rollcall.core.messages import ToolCall
from rollcall.core.texts import TEXTS
from rollcall.core.wire import Outcome, RunResult, RunStatus, StopReason
from rollcall.store import audit, paths
from rollcall.store.approvals import Approval, ApprovalStatus, load_approvals
from rollcall.store.batches import attempts, read_all, try_commit, update_unchanged
from rollcall.store.effects import Effect, EffectStatus, effect_key
from rollcall.store.event_log import OpenPage, find_open_page
from rollcall.store.message_log import (
    RecentLog,
    bytes_per_result,
    read_calls,
    read_log,
    read_record,
    read_reply,
    read_usage,
    run_has_ended,
    truncate_utf8,
    unanswered_places,
    utf8_bytes,
)
from rollcall.store.runs import read_request, read_user

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

LEFT_CHARS = 8_000
"""How much is kept of a client's tool result that arrives together with the user's next message."""
CANCELLING = "cancelling"
_EXPIRED = (
    "the request for approval was left unanswered, which is not a rejection: the user sent another "
    "message, and nothing was written"
)
_LEFT = (
    "this was left to the user's client, and the user sent another message before it answered: "
    "look whether it happened"
)
_CUT_OFF = "this call was cut off; it may be made again"
_UNKNOWN = "this write began and was cut off: look whether it happened before it is made again"
_CLOSED = "the run was cut off before this began"


class Closing(Struct, frozen=True):
    """How to close the open calls of a step.

    Attributes:
        document: The step's document in the log.
        results: A result for each open call, by its place.
        approvals: The approvals that expire.
        unbegun: New entries for the effect ledger, by key, which keep these calls from beginning.
        begun: Existing entries of writes whose outcome is not stored.
        time: The update time of the step's document, if a process might still write it.
    """

    document: dict[str, Any] | None = None
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    approvals: Sequence[Approval] = ()
    unbegun: dict[str, dict[str, Any]] = field(default_factory=dict)
    begun: Sequence[Any] = ()
    time: Any = None

    def write(self, batch: WriteBatch, db: Client, thread_id: str) -> None:
        """Add the writes to a batch."""
        now = datetime.now(UTC)
        if self.document is not None and self.results:
            results = {**self.document["results"], **self.results}
            reference = paths.message(db, thread_id, self.document["n"])
            option = db.write_option(last_update_time=self.time) if self.time else None
            batch.update(reference, {"results": results}, option=option)
        for approval in self.approvals:
            ended = {"status": ApprovalStatus.EXPIRED.value, "endedAt": now}
            approval.update(batch, db, ended)
        for key, entry in self.unbegun.items():
            batch.create(paths.effect(db, key), entry)
        for snapshot in self.begun:
            # An atomic write that is still in flight requires the entry to be unchanged.
            unknown = {"status": EffectStatus.UNKNOWN.value, "error": _UNKNOWN, "endedAt": now}
            update_unchanged(batch, snapshot, unknown)

    def closed(self, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a thread's documents with the calls of the last one answered."""
        if self.document is None or not self.results:
            return documents
        results = {**self.document["results"], **self.results}
        return [*documents[:-1], {**self.document, "results": results}]


def find_leased_run(
    db: Client,
    thread_id: str,
    thread: dict[str, Any],
    view: DocumentSnapshot,
    *,
    supersede: bool = False,
) -> tuple[DocumentSnapshot, OpenPage] | None:
    """Find the run that still holds a thread although its process is gone.

    Args:
        thread: The thread's data.
        view: The thread's window view, from the same read.
        supersede: Take the run over even if its process is alive.
    Returns:
        The run and its open page; None if there is none.
    Raises:
        Aborted: The run's process is alive, or the thread is kept for the task queue.
    """
    lease = thread.get("lease")
    if not lease or run_has_ended(thread, view):
        return None
    run = paths.run(db, thread_id, lease["runId"]).get()
    data = run.to_dict() or {}
    if data.get("status") != RunStatus.RUNNING:
        return None
    if is_run_alive(data) and not supersede:
        raise Aborted(
            TEXTS.text("errors.still_answering", run=run.id),
            field="threadId",
            hint='wait for it, or send whenBusy: "supersede" to take over',
            retry_after_s=2,
        )
    return run, find_open_page(db, thread_id, lease["runId"])


def next_lease(thread: dict[str, Any], run_id: str) -> tuple[int, dict[str, Any]]:
    """Return a thread's next lease token, and the thread's fields when a run takes the lease."""
    token = thread.get("leaseToken", 0) + 1
    return token, {"lease": {"runId": run_id, "token": token}, "leaseToken": token}


def is_run_alive(run: dict[str, Any]) -> bool:
    """Whether a process works on a run, or the run is reserved for the task queue."""
    until = max(filter(None, (run.get("leaseUntil"), run.get("keptUntil"))), default=None)
    running = run.get("status") == RunStatus.RUNNING
    return bool(running and until and until > datetime.now(UTC))


def step_effect_key(thread_id: str, document: dict[str, Any], place: int) -> str:
    """Return the effect key of a call in a step's document."""
    return effect_key(thread_id, document["runId"], document["n"], place)


def close_calls(
    db: Client,
    thread_id: str,
    recent: RecentLog,
    *,
    waiting: dict[str, Any] | None,
    answers: Mapping[str, dict[str, Any]] | None = None,
) -> Closing:
    """Return how to close the open calls of a thread's newest step.

    Args:
        waiting: The thread's field of that name; None if a run was cut off, or nothing is open.
        answers: Results of the client's tools that came with the user's message, by call.
    Raises:
        Aborted: All answers are there, and the run that continues the turn is about to begin.
    """
    if not recent.documents:
        return Closing()
    if waiting:
        return _close_waiting(db, thread_id, waiting, recent, answers or {})
    return _close_cut_off(db, thread_id, recent)


def _close_waiting(
    db: Client,
    thread_id: str,
    waiting: dict[str, Any],
    recent: RecentLog,
    answers: Mapping[str, dict[str, Any]],
) -> Closing:
    """Return how to close the calls that a thread waits for; stored answers take precedence."""
    approvals = load_approvals(db, waiting["approvals"])
    now = datetime.now(UTC)
    are_settled = all(each.status_at(now) is not ApprovalStatus.PENDING for each in approvals)
    somebody_decided = any(each.decision is not None for each in approvals)
    is_answered = not waiting["calls"] or waiting.get("isAnswered")
    if somebody_decided and are_settled and is_answered:
        raise Aborted(
            TEXTS.text("errors.decided_and_begun"),
            field="threadId",
            retry_after_s=2,
        )
    document = recent.documents[-1]
    if waiting.get("isAnswered"):
        run = paths.run(db, thread_id, waiting["runId"]).get().to_dict() or {}
        answers = {**answers, **json.loads(run.get("answered") or "{}")}
    reply = read_reply(document)
    calls, room = reply.tool_calls, bytes_per_result(reply)
    results: dict[str, dict[str, Any]] = {}
    for place in unanswered_places(document):
        call = calls[place]
        answer = answers.get(call.id)
        if answer is None and call.id in waiting["calls"]:
            results[str(place)] = _error(call, "unknown", _LEFT)
        elif answer is None:
            results[str(place)] = _error(call, "expired", _EXPIRED)
        elif "error" in answer:
            message = truncate_utf8(str(answer["error"])[:LEFT_CHARS], room // 2)
            results[str(place)] = _error(call, "failed-precondition", message)
        else:
            results[str(place)] = _output(call, answer["content"], room, chars=LEFT_CHARS)
    unused = (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)
    return Closing(document, results, [each for each in approvals if each.status in unused])


def _close_cut_off(db: Client, thread_id: str, recent: RecentLog) -> Closing:
    """Return how to close the calls of a run that will not continue, using their entries in the
    effect ledger."""
    document = recent.documents[-1]
    places = unanswered_places(document)
    if not places:
        return Closing()
    reply = read_reply(document)
    calls, room = reply.tool_calls, bytes_per_result(reply)
    keys = [step_effect_key(thread_id, document, place) for place in places]
    entries = read_all(db, *(paths.effect(db, key) for key in keys))
    results: dict[str, dict[str, Any]] = {}
    unbegun, begun = {}, []
    for place, key, entry in zip(places, keys, entries, strict=True):
        call, data = calls[place], entry.to_dict()
        status = EffectStatus(data["status"]) if data is not None else None
        if data is None:
            result = _error(call, "aborted", _CUT_OFF)
            effect = Effect(
                key=key,
                uid=document["uid"],
                tool=call.name,
                version=0,
                arguments_digest="",
                thread_id=thread_id,
                run_id=document["runId"],
                call_id=call.id,
            )
            ended = {"result": None, "error": _CLOSED, "endedAt": datetime.now(UTC)}
            unbegun[key] = {**effect.entry(EffectStatus.FAILED), **ended}
        elif status is EffectStatus.DONE:
            result = _output(call, json.loads(data["result"]), room)
        elif status is EffectStatus.FAILED:
            result = _error(call, "failed-precondition", str(data["error"]))
        else:
            result = _error(call, "unknown", _UNKNOWN)
            begun += [entry] if status is EffectStatus.PENDING else []
        results[str(place)] = result
    return Closing(document, results, unbegun=unbegun, begun=begun, time=recent.time)


def _output(call: ToolCall, output: Any, room: int, *, chars: int | None = None) -> dict[str, Any]:
    """Return a call's output as a stored result. If it has more than `chars` characters or `room`
    bytes, only the beginning of its JSON text is kept."""
    text = json.dumps(output, ensure_ascii=False)
    content = f'{{"output": {text}}}'
    if utf8_bytes(content) > room or (chars is not None and len(content) > chars):
        # Half of the room, since JSON text inside JSON text needs its quotes escaped.
        cut = {"output": truncate_utf8(text[:chars], room // 2), "truncated": True}
        content = json.dumps(cut, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": False, "record": "", "runId": ""}


def _error(call: ToolCall, code: str, message: str) -> dict[str, Any]:
    content = json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": True, "record": "", "runId": ""}


def saved_part(documents: Sequence[dict[str, Any]], *, run_id: str, turn_id: str) -> dict[str, Any]:
    """Return those arguments of `audit.run_entry` that the log provides: the calls that the run
    answered, the number of its last step within the turn, and the cost of its replies.

    Args:
        documents: The thread's newest documents.
    """
    replies = [each for each in documents if each["role"] == "model" and each["turnId"] == turn_id]
    own = [each for each in replies if each["runId"] == run_id]
    before = [each for each in replies if own and each["n"] < own[0]["n"]]
    # Each reply stores the usage of the whole turn up to then.
    spent = [read_usage(each[-1]).micro_usd if each else 0 for each in (own, before)]
    return {
        "calls": [
            read_record(call, stored, step=document["step"])
            for document in replies  # the run may have answered calls of an earlier run's reply
            for place, call in enumerate(read_calls(document))
            if (stored := document["results"].get(str(place))) and stored["runId"] == run_id
        ],
        "steps": own[-1]["step"] if own else 0,
        "micro_usd": max(spent[0] - spent[1], 0),
    }


def close_run(
    batch: WriteBatch,
    db: Client,
    run: DocumentSnapshot,
    page: OpenPage | None,
    *,
    token: int,
    documents: Sequence[dict[str, Any]],
    cancelled: dict[str, Any] | None = None,
) -> None:
    """Close a run, as failed or cancelled. Its open page is deleted, so that its process can save
    nothing more.

    Args:
        run: The snapshot of its document.
        page: Its open page; None for a waiting run, which has ended and has its audit entry.
        token: The token of the lease that takes over its thread.
        documents: The thread's newest documents.
        cancelled: Fields of its document if it was cancelled; None if another run takes the thread
            over.
    """
    data, now = run.to_dict() or {}, datetime.now(UTC)
    ended = {"token": token, "leaseUntil": None, "endedAt": now, "updatedAt": now}
    taken_over = {"code": "aborted", "message": "another run has taken this thread over"}
    failed = {"status": RunStatus.FAILED.value, "error": taken_over}
    update_unchanged(batch, run, {**ended, **(cancelled or failed)})
    if page is None:
        return
    page.delete(batch, db)
    entry = audit.run_entry(
        user=read_user(data),
        thread_id=run.reference.parent.parent.id,
        turn_id=data["turnId"],
        run_id=run.id,
        agent=data["agent"],
        request=read_request(data),
        attempt=data["attempt"],
        outcome="cancelled" if cancelled else "failed",
        stop_reason=StopReason.CANCELLED if cancelled else None,
        began_at=data["createdAt"],
        # No process worked on it after its lease.
        at=max(data["createdAt"], min(now, data.get("leaseUntil") or now)),
        **saved_part(documents, run_id=run.id, turn_id=data["turnId"]),
    )
    audit.write(batch, db, entry)


def cancel(db: Client, uid: str, thread_id: str, run_id: str) -> str:
    """Ask a live run to stop, or close a run that waits or has no process.

    Returns:
        "cancelling", or the run's status if it has ended.
    Raises:
        NotFound: There is no such run.
        PermissionDenied: The run is another user's.
        Aborted: All answers that it waited for are there, and its continuation is about to begin;
            or the run changes too fast.
    """
    for _ in attempts():
        thread, run = read_all(db, paths.thread(db, thread_id), paths.run(db, thread_id, run_id))
        if not run.exists:
            raise NotFound(TEXTS.text("errors.no_run_in_thread", run_id=run_id), field="runId")
        data, waiting = run.to_dict() or {}, (thread.to_dict() or {}).get("waiting") or {}
        if data["uid"] != uid:
            raise PermissionDenied(TEXTS.text("errors.others_run"), field="runId")
        if waiting.get("runId") == run_id:
            status = _try_close(db, thread, run, waiting)
        elif data["status"] != RunStatus.RUNNING:
            return str(data["status"])
        elif data["leaseUntil"] <= datetime.now(UTC):
            status = _try_close(db, thread, run, None)
        else:
            # The run's process reads the request on the open page within seconds; a process that
            # recovers the run reads it in the run's document.
            page, batch = find_open_page(db, thread_id, run_id), db.batch()
            request = {"cancelRequested": True, "updatedAt": datetime.now(UTC)}
            update_unchanged(batch, run, request)
            page.request_cancel(batch)
            status = CANCELLING if try_commit(batch) is not None else None
        if status is not None:
            return status
    raise Aborted(TEXTS.text("errors.run_changing"), retry_after_s=1)


def _try_close(db: Client, thread: Any, run: Any, waiting: dict[str, Any] | None) -> str | None:
    """Close a run that no process works on, with its open calls; return its status, or None if it
    has changed.

    Args:
        waiting: The thread's field of that name, if the run waits.
    """
    data, holder = run.to_dict() or {}, thread.to_dict() or {}
    # Read before the log, so that a later save of the run makes the batch fail.
    page = None if waiting else find_open_page(db, thread.id, run.id)
    recent = read_log(db, thread.id)
    closing = close_calls(db, thread.id, recent, waiting=waiting)
    token, now = holder.get("leaseToken", 0) + 1, datetime.now(UTC)
    batch = db.batch()
    closing.write(batch, db, thread.id)
    # The view lacks what the run has written to the log.
    batch.delete(paths.window(db, thread.id))
    fields = {"lease": None, "waiting": None, "leaseToken": token, "updatedAt": now}
    update_unchanged(batch, thread, fields)
    cancelled: dict[str, Any] = {
        "status": RunStatus.CANCELLED.value,
        "cancelRequested": True,
        "stopReason": StopReason.CANCELLED.value,
    }
    if data.get("result") is None:
        own = [each for each in recent.documents if each["runId"] == run.id and "step" in each]
        result = RunResult(
            thread_id=thread.id,
            turn_id=data["turnId"],
            run_id=run.id,
            agent=data["agent"],
            outcome=Outcome(type="cancelled"),
            stop_reason=StopReason.CANCELLED,
            type="info",
            message="",
            steps=max((each["step"] for each in own), default=data["step"]),
        ).dump()
        cancelled |= {"result": json.dumps(result, ensure_ascii=False), "outcome": "cancelled"}
    documents = recent.documents
    close_run(batch, db, run, page, token=token, documents=documents, cancelled=cancelled)
    return RunStatus.CANCELLED.value if try_commit(batch) is not None else None
