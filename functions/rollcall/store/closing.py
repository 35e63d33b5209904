"""Answers for calls that nobody will answer any more, so that a thread's history stays valid.

A user who writes on while something waits, or a run that was cut off, leaves calls open. The run
that opens next writes a result for each, in the batch that opens it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted
from rollcall.core.messages import ToolCall
from rollcall.store import paths
from rollcall.store.approvals import Approval, ApprovalStatus, load_approvals
from rollcall.store.effects import EffectStatus, effect_key, look_up
from rollcall.store.log import calls_of, unanswered

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

_EXPIRED = "nobody decided; the user went on with another message, and nothing was written"
_CUT_OFF = "this call was cut off; it may be made again"
_UNKNOWN = "this write was begun and cut off: look whether it happened before it is made again"


@dataclass(frozen=True, slots=True)
class Closing:
    """Results for a step's open calls, by place, and approvals that are over."""

    document: dict[str, Any] | None = None
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    approvals: Sequence[Approval] = ()

    def write(self, batch: WriteBatch, db: Client, thread_id: str) -> None:
        """Put the results and the approvals' end into a batch."""
        if self.document is not None and self.results:
            results = {**self.document["results"], **self.results}
            reference = paths.message(db, thread_id, self.document["n"])
            batch.update(reference, {"results": results})
        for approval in self.approvals:
            option = db.write_option(last_update_time=approval.update_time)
            ended = {"status": ApprovalStatus.EXPIRED.value, "endedAt": datetime.now(UTC)}
            batch.update(paths.approval(db, approval.id), ended, option=option)

    def closed(self, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The documents with the last one's calls answered."""
        if self.document is None or not self.results:
            return documents
        results = {**self.document["results"], **self.results}
        return [*documents[:-1], {**self.document, "results": results}]


def step_effect_key(thread_id: str, document: dict[str, Any], place: int) -> str:
    """The key of the effect that a call of a step's document has; minted with the call."""
    return effect_key(thread_id, document["runId"], document["n"], place)


def closing_of_waiting(db: Client, waiting: dict[str, Any], document: dict[str, Any]) -> Closing:
    """Close what a thread waited for.

    Raises:
        Aborted: Everything is decided: the run that carries it out is about to begin.
    """
    approvals = load_approvals(db, waiting["approvals"])
    now = datetime.now(UTC)
    decided = [each.verdict(now) is not ApprovalStatus.PENDING for each in approvals]
    if decided and all(decided) and not waiting["calls"]:
        raise Aborted(
            "what this thread waited for is decided and about to be carried out",
            field="threadId",
            retry_after_s=2,
        )
    places = unanswered(document)
    calls = calls_of(document)
    results = {str(place): _error(calls[place], "expired", _EXPIRED) for place in places}
    unused = (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)
    open_ones = [each for each in approvals if each.status in unused]
    return Closing(document, results, open_ones)


def closing_of_cut_off(db: Client, thread_id: str, document: dict[str, Any]) -> Closing:
    """Close the calls of a run that will not go on: what the ledger knows of them is said."""
    places = unanswered(document)
    if not places:
        return Closing()
    calls = calls_of(document)
    keys = {place: step_effect_key(thread_id, document, place) for place in places}
    entries = look_up(db, list(keys.values()))
    results = {str(place): _cut_off(calls[place], entries.get(keys[place])) for place in places}
    return Closing(document, results)


def _cut_off(call: ToolCall, entry: dict[str, Any] | None) -> dict[str, Any]:
    if entry is None:
        return _error(call, "aborted", _CUT_OFF)
    status = EffectStatus(entry["status"])
    if status is EffectStatus.DONE:
        content = json.dumps({"output": json.loads(entry["result"])}, ensure_ascii=False)
        return {"name": call.name, "content": content, "isError": False, "record": "", "runId": ""}
    if status is EffectStatus.FAILED:
        return _error(call, "failed-precondition", str(entry["error"]))
    return _error(call, "unknown", _UNKNOWN)


def _error(call: ToolCall, code: str, message: str) -> dict[str, Any]:
    content = json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False)
    return {"name": call.name, "content": content, "isError": True, "record": "", "runId": ""}
