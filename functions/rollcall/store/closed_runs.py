"""What the audit is told of a run that has no answer: as much of it as was saved.

One that its own process did not end is told by whoever closes it. Its entry goes into the batch
that does so, and therefore it has one, whoever that is. A call is told where its result was saved;
which models answered, and in how many tokens, went with the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.messages import ToolCall
from rollcall.core.wire import CallStatus, RunStatus, StopReason, ToolCallRecord
from rollcall.store import audit
from rollcall.store.log import calls_of, read_record, read_spent
from rollcall.store.run_documents import request_of, user_of

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch


class Saved(Struct, frozen=True):
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
    def of(cls, documents: Sequence[dict[str, Any]], *, run_id: str, turn_id: str) -> Saved:
        """Read it off the thread's newest documents."""
        replies = [
            each for each in documents if each["role"] == "model" and each["turnId"] == turn_id
        ]
        own = [each for each in replies if each["runId"] == run_id]
        before = [each for each in replies if own and each["n"] < own[0]["n"]]
        # A reply says what the whole turn has used up by then.
        spent = [read_spent(each[-1]).micro_usd if each else 0 for each in (own, before)]
        return cls(
            calls=list(_calls(replies, run_id)),
            steps=own[-1]["step"] if own else 0,
            micro_usd=max(spent[0] - spent[1], 0),
        )


def write_end(
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
    request = request_of(data)
    now = datetime.now(UTC)
    saved = Saved.of(documents, run_id=run.id, turn_id=data["turnId"])
    entry = audit.run_entry(
        user=user_of(data),
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
        for place, call in enumerate(calls_of(document)):
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
