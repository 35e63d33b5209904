"""Answers for calls that nobody will answer any more, so that a thread's history stays valid.

A user who writes on while something waits, or a run that was cut off, leaves calls open. The run
that opens next writes a result for each, in the batch that opens it.

The process of a run that was cut off may still be alive, and about to write. So the same batch
closes the ledger for each of its calls: what is told of a call stays true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted
from rollcall.core.messages import ToolCall
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store import paths
from rollcall.store.approvals import Approval, ApprovalStatus, load_approvals
from rollcall.store.effects import EffectStatus, effect_key
from rollcall.store.log import calls_of, room_of_results, unanswered
from rollcall.store.room import begun, utf8
from rollcall.store.window import Newest

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
    found: Newest,
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
    places = unanswered(document)
    calls = calls_of(document)
    if waiting.get("isAnswered"):
        answers = {**answers, **_noted(db, thread_id, waiting["runId"])}
    room = room_of_results(document)
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


def closing_of_cut_off(db: Client, thread_id: str, found: Newest) -> Closing:
    """Close the calls of a run that will not go on: what the ledger knows of them is said."""
    document = found.documents[-1]
    places = unanswered(document)
    if not places:
        return Closing()
    calls, room = calls_of(document), room_of_results(document)
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
        said = begun(str(answer["error"])[:LEFT_CHARS], room // 2)
        return _error(call, "failed-precondition", said)
    return _output(call, answer["content"], room, chars=LEFT_CHARS)


def _output(call: ToolCall, output: Any, room: int, *, chars: int | None = None) -> dict[str, Any]:
    """What a call returned; of what has more than `chars` characters, or than `room` bytes, the
    beginning of its JSON text."""
    text = json.dumps(output, ensure_ascii=False)
    content = f'{{"output": {text}}}'
    if utf8(content) > room or (chars is not None and len(content) > chars):
        # Half of the room: a text within a text has its quotes doubled.
        cut = {"output": begun(text[:chars], room // 2), "truncated": True}
        content = json.dumps(cut, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": False, "record": "", "runId": ""}


def _error(call: ToolCall, code: str, message: str) -> dict[str, Any]:
    content = json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": True, "record": "", "runId": ""}
