"""What a thread has decided: kept in a few lines when the messages themselves have left the window.

The lines follow from what was recorded, not from what a model says of it: writes that people
approved or refused, and what results recommended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rollcall.core.readable import line, value
from rollcall.core.redaction import redacted
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.store.message_log import read_calls, read_record

MAX_LINES = 20
LINE_CHARS = 240
_LASTING = {CallStatus.DONE: "done", CallStatus.UNKNOWN: "begun; nobody knows whether it happened"}
_VERDICTS = {
    CallStatus.DONE: "done",
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "the request expired unanswered; nothing was written",
    CallStatus.FAILED: "failed",
    CallStatus.UNKNOWN: "outcome unknown",
}


def decided(
    before: Sequence[str], calls: Sequence[ToolCallRecord], asked: Mapping[str, str]
) -> list[str]:
    """The newest `MAX_LINES` lines, those of a run's calls after those from before.

    Args:
        asked: What was asked about the calls that people have decided, by call.
    """
    lines = list(before)
    for call in calls:
        text = _line(call, asked.get(call.id))
        if text and (kept := line(redacted(text), LINE_CHARS)) not in lines:
            lines.append(kept)
    return lines[-MAX_LINES:]


def done_by(documents: Sequence[dict[str, Any]], *, writes: Callable[[str], bool]) -> list[str]:
    """What a turn's documents say that it has written, in lines; what nobody knows, too.

    Args:
        writes: Whether the tool of this name writes.
    """
    lines = []
    for document in documents:
        for place, call in enumerate(read_calls(document)) if document["role"] == "model" else ():
            stored = document["results"].get(str(place))
            if stored is None or not writes(call.name):
                continue
            record = read_record(call, stored)
            if verdict := _LASTING.get(_status(record)):
                arguments = record.get("arguments") or call.arguments or {}
                text = f"{call.name} {json.dumps(value(arguments), ensure_ascii=False)}"
                lines.append(f"{line(redacted(text), LINE_CHARS)} ({verdict})")
    return list(dict.fromkeys(lines))[-MAX_LINES:]


def _status(record: dict[str, Any]) -> CallStatus:
    error = record.get("error")
    if isinstance(error, dict) and error.get("code") == CallStatus.UNKNOWN:
        return CallStatus.UNKNOWN
    if status := record.get("status"):
        return CallStatus(status)
    return CallStatus.FAILED if error else CallStatus.DONE


def _line(call: ToolCallRecord, summary: str | None) -> str | None:
    output = call.result if isinstance(call.result, dict) else {}
    if summary is not None or call.undo is not None:
        said = summary or str(output.get("done") or call.tool)
        verdict = _VERDICTS.get(_status({"error": call.error, "status": call.status}))
        return f"{said} ({verdict})" if verdict else None
    recommended = output.get("recommendation")
    if call.status is CallStatus.DONE and isinstance(recommended, str) and recommended:
        return f"{call.tool} recommended: {recommended}"
    return None
