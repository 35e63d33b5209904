"""What a thread has decided: kept in a few lines when the messages themselves have left the window.

The lines follow from what was recorded, not from what a model says of it: writes that people
approved or refused, and what results recommended.
"""

from __future__ import annotations

from collections.abc import Sequence

from rollcall.core.readable import line
from rollcall.core.redaction import redacted
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.store.approvals import Approval

MAX_LINES = 20
LINE_CHARS = 240
_VERDICTS = {
    CallStatus.DONE: "done",
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "not decided in time",
    CallStatus.FAILED: "failed",
    CallStatus.UNKNOWN: "outcome unknown",
}


def decided(
    before: Sequence[str], calls: Sequence[ToolCallRecord], approvals: Sequence[Approval]
) -> list[str]:
    """The newest `MAX_LINES` lines, those of a run's calls after those from before."""
    asked = {approval.call_id: approval.summary for approval in approvals}
    lines = list(before)
    for call in calls:
        text = _line(call, asked.get(call.id))
        if text and (kept := line(redacted(text), LINE_CHARS)) not in lines:
            lines.append(kept)
    return lines[-MAX_LINES:]


def _line(call: ToolCallRecord, summary: str | None) -> str | None:
    output = call.result if isinstance(call.result, dict) else {}
    if summary is not None or call.undo is not None:
        said = summary or str(output.get("done") or call.tool)
        verdict = _VERDICTS.get(call.status)
        return f"{said} ({verdict})" if verdict else None
    recommended = output.get("recommendation")
    if call.status is CallStatus.DONE and isinstance(recommended, str) and recommended:
        return f"{call.tool} recommended: {recommended}"
    return None
