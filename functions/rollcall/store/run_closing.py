"""Answers for calls that nobody will answer any more, so that a thread's history stays valid.

A user who writes on while something waits, or a run that was cut off, leaves calls open. The run
that opens next writes a result for each, in the batch that opens it.

The process of a run that was cut off may still be alive, and about to write. So the same batch
closes the ledger for each of its calls: what is told of a call stays true.

What the audit is told of a run that has no answer: as much of it as was saved.

One that its own process did not end is told by whoever closes it. Its entry goes into the batch
that does so, and therefore it has one, whoever that is. A call is told where its result was saved;
which models answered, and in how many tokens, went with the process.

Stops a run, wherever it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted, NotFound, PermissionDenied
from rollcall.core.messages import ToolCall
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.wire import CallStatus, Outcome, RunResult, RunStatus, StopReason, ToolCallRecord
from rollcall.store import audit, paths
from rollcall.store.approvals import Approval, ApprovalStatus, load_approvals
from rollcall.store.effects import EffectStatus, effect_key
from rollcall.store.event_log import EventPage, find_open_page
from rollcall.store.message_log import (
    bytes_per_result,
    read_calls,
    read_record,
    read_usage,
    truncate_utf8,
    unanswered_places,
    utf8_bytes,
)
from rollcall.store.runs import read_request, read_user
from rollcall.store.window import RecentLog, read_log

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch


LEFT_CHARS = 8_000
"""How much is kept of what a client's tool answered when the user went on in the same breath."""
_EXPIRED = (
    "the request for approval was left unanswered, which is no refusal: the user went on with "
    "another message, and nothing was written"
)
_LEFT = (
    "this was left to the user's client, and the user went on with another message: look whether "
    "it happened"
)
_CUT_OFF = "this call was cut off; it may be made again"
_UNKNOWN = "this write was begun and cut off: look whether it happened before it is made again"
_CLOSED = "the run was cut off before this was begun"


class Closing(Struct, frozen=True):
    """Results for a step's open calls, by place, and approvals that are over.

    Attributes:
        time: When the step's document was written last, where a process might still write it.
        unbegun: Entries for the ledger, by their keys: of these calls none may begin any more.
        begun: The ledger's entries of writes that nobody has noted the end of.
    """

    document: dict[str, Any] | None = None
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    approvals: Sequence[Approval] = ()
    unbegun: dict[str, dict[str, Any]] = field(default_factory=dict)
    begun: Sequence[Any] = ()
    time: Any = None

    def write(self, batch: WriteBatch, db: Client, thread_id: str) -> None:
        """Put the results and the approvals' end into a batch."""
        if self.document is not None and self.results:
            results = {**self.document["results"], **self.results}
            reference = paths.message(db, thread_id, self.document["n"])
            option = db.write_option(last_update_time=self.time) if self.time else None
            batch.update(reference, {"results": results}, option=option)
        for approval in self.approvals:
            option = db.write_option(last_update_time=approval.update_time)
            ended = {"status": ApprovalStatus.EXPIRED.value, "endedAt": datetime.now(UTC)}
            batch.update(paths.approval(db, approval.id), ended, option=option)
        for key, entry in self.unbegun.items():
            batch.create(paths.effect(db, key), entry)
        for snapshot in self.begun:
            # An atomic write that is still on its way insists on the entry as it was.
            option = db.write_option(last_update_time=snapshot.update_time)
            unknown = {"status": EffectStatus.UNKNOWN.value, "error": _UNKNOWN}
            batch.update(
                snapshot.reference, {**unknown, "endedAt": datetime.now(UTC)}, option=option
            )

    def closed(self, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The documents with the last one's calls answered."""
        if self.document is None or not self.results:
            return documents
        results = {**self.document["results"], **self.results}
        return [*documents[:-1], {**self.document, "results": results}]


def step_effect_key(thread_id: str, document: dict[str, Any], place: int) -> str:
    """The key of the effect that a call of a step's document has; minted with the call."""
    return effect_key(thread_id, document["runId"], document["n"], place)


def closing_of_waiting(
    db: Client,
    thread_id: str,
    waiting: dict[str, Any],
    found: RecentLog,
    answers: Mapping[str, dict[str, Any]],
) -> Closing:
    """Close what a thread waited for, with the newest document of its log.

    Args:
        answers: What the client's tools answered all the same, by call; what was noted of them
            before stands.
    Raises:
        Aborted: Everything is decided: the run that carries it out is about to begin.
    """
    approvals = load_approvals(db, waiting["approvals"])
    now = datetime.now(UTC)
    are_settled = all(each.verdict(now) is not ApprovalStatus.PENDING for each in approvals)
    somebody_decided = any(each.decision is not None for each in approvals)
    is_answered = not waiting["calls"] or waiting.get("isAnswered")
    if somebody_decided and are_settled and is_answered:
        raise Aborted(
            "what this thread waited for is decided and about to be carried out",
            field="threadId",
            retry_after_s=2,
        )
    document = found.documents[-1]
    places = unanswered_places(document)
    calls = read_calls(document)
    if waiting.get("isAnswered"):
        answers = {**answers, **_noted(db, thread_id, waiting["runId"])}
    room = bytes_per_result(document)
    results = {
        str(place): _left(calls[place], answers[calls[place].id], room)
        if calls[place].id in answers
        else _error(calls[place], "unknown", _LEFT)
        if calls[place].id in waiting["calls"]
        else _error(calls[place], "expired", _EXPIRED)
        for place in places
    }
    unused = (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)
    open_ones = [each for each in approvals if each.status in unused]
    return Closing(document, results, open_ones)


def _noted(db: Client, thread_id: str, run_id: str) -> dict[str, dict[str, Any]]:
    """What the client's tools answered while people had still to decide, by call."""
    run = paths.run(db, thread_id, run_id).get().to_dict() or {}
    found: dict[str, dict[str, Any]] = json.loads(run.get("answered") or "{}")
    return found


def closing_of_cut_off(db: Client, thread_id: str, found: RecentLog) -> Closing:
    """Close the calls of a run that will not go on: what the ledger knows of them is said."""
    document = found.documents[-1]
    places = unanswered_places(document)
    if not places:
        return Closing()
    calls, room = read_calls(document), bytes_per_result(document)
    keys = {place: step_effect_key(thread_id, document, place) for place in places}
    entries = _entries(db, keys)
    unbegun = {
        keys[place]: _closed_entry(thread_id, document, calls[place])
        for place, entry in entries.items()
        if not entry.exists
    }
    return Closing(
        document,
        {str(place): _cut_off(calls[place], entries[place].to_dict(), room) for place in places},
        unbegun=unbegun,
        begun=[each for each in entries.values() if each.exists and _is_pending(each)],
        time=found.time,
    )


def _entries(db: Client, keys: dict[int, str]) -> dict[int, Any]:
    """What the ledger has under these keys, by their places."""
    found = {each.id: each for each in db.get_all([paths.effect(db, key) for key in keys.values()])}
    return {place: found[key] for place, key in keys.items()}


def _is_pending(entry: Any) -> bool:
    return bool((entry.to_dict() or {})["status"] == EffectStatus.PENDING.value)


def _closed_entry(thread_id: str, document: dict[str, Any], call: ToolCall) -> dict[str, Any]:
    """The ledger's entry of a call that was never begun, and must not be any more."""
    now = datetime.now(UTC)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": document["uid"],
        "tool": call.name,
        "version": 0,
        "argumentsDigest": "",
        "threadId": thread_id,
        "runId": document["runId"],
        "callId": call.id,
        "approvalId": None,
        "status": EffectStatus.FAILED.value,
        "mayBeTriedAgain": False,
        "result": None,
        "error": _CLOSED,
        "startedAt": now,
        "endedAt": now,
    }


def _cut_off(call: ToolCall, entry: dict[str, Any] | None, room: int) -> dict[str, Any]:
    if entry is None:
        return _error(call, "aborted", _CUT_OFF)
    status = EffectStatus(entry["status"])
    if status is EffectStatus.DONE:
        return _output(call, json.loads(entry["result"]), room)
    if status is EffectStatus.FAILED:
        return _error(call, "failed-precondition", str(entry["error"]))
    return _error(call, "unknown", _UNKNOWN)


def _left(call: ToolCall, answer: dict[str, Any], room: int) -> dict[str, Any]:
    """What a client's tool answered, for a model that is not waiting for it any more."""
    if "error" in answer:
        said = truncate_utf8(str(answer["error"])[:LEFT_CHARS], room // 2)
        return _error(call, "failed-precondition", said)
    return _output(call, answer["content"], room, chars=LEFT_CHARS)


def _output(call: ToolCall, output: Any, room: int, *, chars: int | None = None) -> dict[str, Any]:
    """What a call returned; of what has more than `chars` characters, or than `room` bytes, the
    beginning of its JSON text."""
    text = json.dumps(output, ensure_ascii=False)
    content = f'{{"output": {text}}}'
    if utf8_bytes(content) > room or (chars is not None and len(content) > chars):
        # Half of the room: a text within a text has its quotes doubled.
        cut = {"output": truncate_utf8(text[:chars], room // 2), "truncated": True}
        content = json.dumps(cut, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": False, "record": "", "runId": ""}


def _error(call: ToolCall, code: str, message: str) -> dict[str, Any]:
    content = json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": True, "record": "", "runId": ""}


class SavedRun(Struct, frozen=True):
    """What the log has of a run.

    Attributes:
        calls: Those that the run has answered.
        steps: The number of its last reply within the turn.
        micro_usd: What its replies cost, millionths of a US dollar.
    """

    calls: list[ToolCallRecord]
    steps: int
    micro_usd: int

    @classmethod
    def of(cls, documents: Sequence[dict[str, Any]], *, run_id: str, turn_id: str) -> SavedRun:
        """Read it off the thread's newest documents."""
        replies = [
            each for each in documents if each["role"] == "model" and each["turnId"] == turn_id
        ]
        own = [each for each in replies if each["runId"] == run_id]
        before = [each for each in replies if own and each["n"] < own[0]["n"]]
        # A reply says what the whole turn has used up by then.
        spent = [read_usage(each[-1]).micro_usd if each else 0 for each in (own, before)]
        return cls(
            calls=list(_calls(replies, run_id)),
            steps=own[-1]["step"] if own else 0,
            micro_usd=max(spent[0] - spent[1], 0),
        )


def write_run_entry(
    batch: WriteBatch,
    db: Client,
    run: Any,
    *,
    thread_id: str,
    documents: Sequence[dict[str, Any]],
    stop_reason: StopReason | None = None,
) -> None:
    """Put the entry of a run into the batch that closes it.

    Args:
        run: Its document, as it was read; of one that has ended its own process has told.
        documents: The thread's newest documents.
        stop_reason: What it was stopped by; None where it broke off.
    """
    data = run.to_dict() or {}
    if data.get("status") != RunStatus.RUNNING:
        return
    request = read_request(data)
    now = datetime.now(UTC)
    saved = SavedRun.of(documents, run_id=run.id, turn_id=data["turnId"])
    entry = audit.run_entry(
        user=read_user(data),
        thread_id=thread_id,
        turn_id=data["turnId"],
        run_id=run.id,
        agent=data["agent"],
        models=(),
        variant=request.get("variant"),
        offered=request.get("offered") or (),
        found=(),
        calls=saved.calls,
        approvals=(),
        outcome="cancelled" if stop_reason else "failed",
        stop_reason=stop_reason,
        steps=saved.steps,
        attempt=data["attempt"],
        usage=(),
        micro_usd=saved.micro_usd,
        began_at=data["createdAt"],
        # Nobody was on it any longer than that.
        at=max(data["createdAt"], min(now, data.get("leaseUntil") or now)),
    )
    audit.write(batch, db, entry)


def _calls(replies: Sequence[dict[str, Any]], run_id: str) -> Iterator[ToolCallRecord]:
    """The calls that the run has answered, be they of an earlier run's reply."""
    for document in replies:
        for place, call in enumerate(read_calls(document)):
            stored = document["results"].get(str(place))
            if stored is not None and stored["runId"] == run_id:
                yield _record(call, stored, step=document["step"])


def _record(call: ToolCall, stored: dict[str, Any], *, step: int) -> ToolCallRecord:
    told = read_record(call, stored)
    otherwise = CallStatus.FAILED if stored["isError"] else CallStatus.DONE
    error = told.get("error")
    return ToolCallRecord(
        id=call.id,
        tool=call.name,
        arguments=told.get("arguments") or call.arguments or {},
        status=CallStatus(told.get("status", otherwise)),
        error=error if isinstance(error, dict) else None,
        approval_id=told.get("approvalId"),
        allowed_by=told.get("allowedBy"),
        step=told.get("step", step),
        ms=told.get("ms", 0),
    )


TRIES = 5
CANCELLING = "cancelling"


def cancel(db: Client, uid: str, thread_id: str, run_id: str) -> str:
    """Tell a live run to stop, or close one that nobody is on or that waits.

    Returns:
        "cancelling", or the status the run has now.
    Raises:
        NotFound: There is no such run.
        PermissionDenied: It is another user's.
    """
    for _ in range(TRIES):
        status = _try(db, uid, thread_id, run_id)
        if status is not None:
            return status
    raise Aborted("this run is changing; try again", retry_after_s=1)


def _try(db: Client, uid: str, thread_id: str, run_id: str) -> str | None:
    references = [paths.thread(db, thread_id), paths.run(db, thread_id, run_id)]
    found = {each.reference.path: each for each in db.get_all(references)}
    thread, run = (found[reference.path] for reference in references)
    if not run.exists:
        raise NotFound(f"there is no run {run_id!r} in this thread", field="runId")
    data, holder = run.to_dict() or {}, thread.to_dict() or {}
    if data["uid"] != uid:
        raise PermissionDenied("this run belongs to someone else", field="runId")
    if (holder.get("waiting") or {}).get("runId") == run_id:
        return _close(db, thread, holder, run, waits=True)
    if data["status"] != RunStatus.RUNNING:
        return str(data["status"])
    if data["leaseUntil"] > datetime.now(UTC):
        return _tell(db, run, find_open_page(db, thread_id, run_id))
    return _close(db, thread, holder, run, waits=False)


def _tell(db: Client, run: Any, page: EventPage) -> str | None:
    """Note the wish on the run's open page, where whoever is on it reads it within seconds, and
    in its document for whoever takes it up."""
    fields = {"cancelRequested": True, "updatedAt": datetime.now(UTC)}
    option = db.write_option(last_update_time=run.update_time)
    batch = db.batch()
    batch.update(run.reference, fields, option=option)
    page.ask_to_stop(batch, db)
    return _committed(batch, CANCELLING)


def _close(db: Client, thread: Any, holder: dict[str, Any], run: Any, *, waits: bool) -> str | None:
    """Close a run that no process is on, and the calls that it leaves.

    Raises:
        Aborted: What it waited for is decided, and about to be carried out.
    """
    data = run.to_dict() or {}
    # Before the log: what the run saves after this makes the batch fail.
    page = None if waits else find_open_page(db, thread.id, run.id)
    log = read_log(db, thread.id)
    if waits:
        closing = closing_of_waiting(db, thread.id, holder["waiting"], log, {})
    else:
        closing = closing_of_cut_off(db, thread.id, log)
    token = holder.get("leaseToken", 0) + 1
    now = datetime.now(UTC)
    batch = db.batch()
    closing.write(batch, db, thread.id)
    if page is not None:
        page.remove(batch, db)
    # What the run has written since it began stands in the log only.
    batch.delete(paths.window(db, thread.id))
    batch.update(
        thread.reference,
        {"lease": None, "waiting": None, "leaseToken": token, "updatedAt": now},
        option=db.write_option(last_update_time=thread.update_time),
    )
    ended = {
        "status": RunStatus.CANCELLED.value,
        "token": token,
        "leaseUntil": None,
        "cancelRequested": True,
        "stopReason": StopReason.CANCELLED.value,
        "endedAt": now,
        "updatedAt": now,
    }
    steps = [each["step"] for each in log.documents if each["runId"] == run.id and "step" in each]
    if data.get("result") is None:
        result = _result(data, thread.id, run.id, steps=max(steps, default=data["step"])).dump()
        ended |= {"result": json.dumps(result, ensure_ascii=False), "outcome": "cancelled"}
    option = db.write_option(last_update_time=run.update_time)
    batch.update(run.reference, ended, option=option)
    stopped = StopReason.CANCELLED
    write_run_entry(
        batch, db, run, thread_id=thread.id, documents=log.documents, stop_reason=stopped
    )
    return _committed(batch, RunStatus.CANCELLED.value)


def _result(run: dict[str, Any], thread_id: str, run_id: str, *, steps: int) -> RunResult:
    return RunResult(
        thread_id=thread_id,
        turn_id=run["turnId"],
        run_id=run_id,
        agent=run["agent"],
        outcome=Outcome(type="cancelled"),
        stop_reason=StopReason.CANCELLED,
        type="info",
        message="",
        steps=steps,
    )


def _committed(batch: WriteBatch, status: str) -> str | None:
    """The status; None if something was written meanwhile."""
    from google.api_core.exceptions import Conflict, FailedPrecondition
    from google.api_core.exceptions import NotFound as Gone

    try:
        batch.commit()
    except (Conflict, FailedPrecondition, Gone):
        return None
    return status
