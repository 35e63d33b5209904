"""What the audit is told of a run, in the batch that ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from rollcall.agent.turn import Ended, Turn
from rollcall.core.wire import ToolCallRecord
from rollcall.store import audit
from rollcall.store.approvals import Approval
from rollcall.store.open_run import OpenRun

if TYPE_CHECKING:
    from google.cloud.firestore import WriteBatch

Beside = Callable[["WriteBatch"], None]


class Trail(Struct, frozen=True):
    """A run as the audit tells it."""

    opened: OpenRun
    turn: Turn
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def of(self, ended: Ended, asked: Sequence[Approval] = ()) -> Beside:
        """Write the run's entry; `asked` are the approvals that it ends with."""
        kind = "cancelled" if ended.stop_reason else "interrupt" if ended.waiting else "success"
        spent = ended.spent.micro_usd - self.turn.before.spent.micro_usd
        entry = audit.run_entry(
            user=self.opened.user,
            thread_id=self.opened.thread_id,
            turn_id=self.opened.turn_id,
            run_id=self.opened.run_id,
            agent=self.opened.agent,
            models=[model.id for model in self.turn.models],
            variant=self.opened.request.get("variant"),
            offered=self.opened.request["offered"],
            found=_found(ended.calls),
            calls=ended.calls,
            approvals=[_decided(each) for each in (*self.opened.approvals, *asked)],
            outcome=kind,
            stop_reason=ended.stop_reason,
            steps=ended.steps,
            attempt=self.opened.attempt,
            usage=ended.usage,
            micro_usd=spent,
            began_at=self.began_at,
            at=datetime.now(UTC),
        )
        return lambda batch: audit.write(batch, self.opened.db, entry)


def trail_of_failure(opened: OpenRun) -> Beside:
    """Write the entry of a run that ended without an answer, with what was saved of it."""
    from rollcall.store.run_closing import SavedRun

    now = datetime.now(UTC)
    saved = SavedRun.of(opened.documents, run_id=opened.run_id, turn_id=opened.turn_id)
    entry = audit.run_entry(
        user=opened.user,
        thread_id=opened.thread_id,
        turn_id=opened.turn_id,
        run_id=opened.run_id,
        agent=opened.agent,
        models=(),
        variant=opened.request.get("variant"),
        offered=opened.request["offered"],
        found=(),
        calls=saved.calls,
        approvals=[_decided(each) for each in opened.approvals],
        outcome="failed",
        stop_reason=None,
        steps=saved.steps,
        attempt=opened.attempt,
        usage=(),
        micro_usd=saved.micro_usd,
        began_at=now,
        at=now,
    )
    return lambda batch: audit.write(batch, opened.db, entry)


def _found(calls: Sequence[ToolCallRecord]) -> list[str]:
    """Tools that the model asked for, since those it had did not do."""
    results = [call.result for call in calls if call.tool in audit.PLATFORM_TOOLS]
    lists = [result.get("tools", ()) for result in results if isinstance(result, dict)]
    return [str(tool["name"]) for tools in lists for tool in tools]


def _decided(approval: Approval) -> audit.ApprovalOutcome:
    given = approval.decision
    return audit.ApprovalOutcome(
        approval.id,
        approval.tool,
        approval.status.value,
        by=given.by if given else None,
        at=given.at if given else None,
    )
