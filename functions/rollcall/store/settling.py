"""What answers to a turn come to: what they settle, and what is written of it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.store import audit, paths
from rollcall.store.admission import Admission
from rollcall.store.approvals import Approval, ApprovalStatus, Given
from rollcall.store.run_ids import is_made_here, run_key

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch


class Continuing(Struct, frozen=True):
    """What a waiting run is continued with.

    Attributes:
        run_id: The run that is opened for it.
        decisions: What a decider says now, by approval; others are read from their documents.
        edits: Approvals that a decider makes of others, with changed arguments, by the first's id.
        results: What the client's tools answered, by call id: `{content}` or `{error}`.
        client: Fields of the turn's request where another client has taken its calls over.
        user: Who continues it, if that is known from a token.
        admission: What else its opening reads and writes, if anything.
    """

    run_id: str
    request_digest: str
    decisions: dict[str, Given] = field(default_factory=dict)
    edits: dict[str, Approval] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    client: dict[str, Any] = field(default_factory=dict)
    user: User | None = None
    admission: Admission | None = None
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def key(self) -> str | None:
        """By which the run is found in any thread; None where its id was made here."""
        if self.user is None or is_made_here(self.run_id):
            return None
        return run_key(self.user.uid, self.run_id)


class StillOpen(Struct, frozen=True):
    """Not everything that the turn waits for is answered.

    Attributes:
        approvals: Those that are still to be decided, of `asked`, all that were asked.
        calls: Those that the client has still to answer.
    """

    approvals: tuple[Approval, ...]
    calls: tuple[str, ...]
    asked: tuple[Approval, ...]


def settle(
    approvals: Sequence[Approval], continuing: Continuing, now: datetime
) -> tuple[list[Approval], tuple[Approval, ...]]:
    """The approvals as they stand with what is said now, and those still open."""
    settled: list[Approval] = []
    still_open: list[Approval] = []
    for approval in approvals:
        _check_not_overtaken(approval, continuing)
        if approval.id in continuing.edits and approval.decision is None:
            settled.append(continuing.edits[approval.id])
            continue
        if approval.decision is None and approval.verdict(now) is ApprovalStatus.PENDING:
            given = continuing.decisions.get(approval.id)
            approval = replace(approval, decision=given)
        verdict = approval.verdict(now)
        if verdict is ApprovalStatus.PENDING:
            still_open.append(approval)
        settled.append(replace(approval, status=verdict))
    return settled, tuple(still_open)


def _check_not_overtaken(approval: Approval, continuing: Continuing) -> None:
    """
    Raises:
        FailedPrecondition: Somebody decided it otherwise since the one who decides now looked.
    """
    given = continuing.decisions.get(approval.id)
    if approval.decision is None or given is None:
        return
    if given.approved != approval.decision.approved or approval.id in continuing.edits:
        raise FailedPrecondition("this was decided otherwise a moment ago", field="resume")


def write_approvals(
    batch: WriteBatch,
    db: Client,
    before: Sequence[Approval],
    continuing: Continuing,
    settled: Sequence[Approval],
    now: datetime,
) -> None:
    """Put into a batch what became of each approval: `settled`, in the order of `before`."""
    for old, new in zip(before, settled, strict=True):
        option = db.write_option(last_update_time=old.update_time)
        decision = new.decision.fields() if new.decision else None
        fields: dict[str, Any] = {"status": new.status.value, "endedAt": now}
        if new.id != old.id:  # a changed one
            batch.create(paths.approval(db, new.id), {**new.document(), "endedAt": now})
            fields = {
                "status": ApprovalStatus.REPLACED.value,
                "replacedBy": new.id,
                "endedAt": now,
            }
        batch.update(paths.approval(db, old.id), {**fields, "decision": decision}, option=option)


def decision_entries(settled: Sequence[Approval], run_id: str) -> list[dict[str, Any]]:
    """What the audit is told of each yes and no that this run acts on."""
    return [
        audit.decision_entry(
            uid=each.uid,
            thread_id=each.thread_id,
            run_id=run_id,
            approval_id=each.id,
            tool=each.tool,
            arguments_digest=audit.arguments_digest(each.shown),
            approved=each.decision.approved,
            by=each.decision.by,
            at=each.decision.at,
            edited_from=each.edited_from,
        )
        for each in settled
        if each.decision is not None and each.status is not ApprovalStatus.EXPIRED
    ]


def open_calls(waits: dict[str, Any], continuing: Continuing, now: datetime) -> tuple[str, ...]:
    """The calls that the client has not answered, while its time for them lasts."""
    is_over = waits["until"] is not None and now >= waits["until"]
    if is_over or waits.get("isAnswered") or waits.get("isLate"):
        return ()
    return tuple(call for call in waits["calls"] if call not in continuing.results)


def answers_of(
    waits: dict[str, Any], continuing: Continuing, noted: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """What the client's tools answered, by call id; a call past its time is answered so.

    Args:
        noted: What they answered before, while people had still to decide.
    """
    results = {**continuing.results, **noted}
    approved = waits.get("approved") or {}
    return {
        call: {**results.get(call, {"expired": True}), **approved.get(call, {})}
        for call in waits["calls"]
    }
