"""What a turn did before this run, read from the log: the dialogue's history is its state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rollcall.agent.turn import Before
from rollcall.core.messages import ToolCall
from rollcall.core.wire import CallStatus, Citation, ToolCallRecord
from rollcall.store.message_log import (
    TurnUsage,
    read_calls,
    read_record,
    read_results,
    read_usage,
    unanswered_places,
)
from rollcall.store.open_run import OpenRun


def before_of(opened: OpenRun) -> Before:
    """The turn so far, as its documents tell it; nothing for a run that begins one."""
    steps = [
        document
        for document in opened.documents
        if document["role"] == "model" and document["turnId"] == opened.turn_id
    ]
    if not steps:
        return Before()
    answered = [
        (document, place, call)
        for document in steps
        for place, call in enumerate(read_calls(document))
        if str(place) in document["results"]
    ]
    records = [
        (document["results"][str(place)]["runId"], _record(document, place, call))
        for document, place, call in answered
    ]
    last = opened.documents[-1]
    is_open = last is steps[-1] and bool(unanswered_places(last))
    results = read_results(last) if is_open else []
    return Before(
        step=max(document["step"] for document in steps),
        records=tuple(record for _, record in records),
        own_records=tuple(record for run_id, record in records if run_id == opened.run_id),
        calls=tuple(
            call
            for (_, _, call), (_, record) in zip(answered, records, strict=True)
            if record.status is not CallStatus.REFUSED
        ),
        citations=tuple(_citations(steps)),
        answered={
            place: result for place, result in enumerate(results) if str(place) in last["results"]
        },
        spent=_most_spent(steps),
    )


def _record(document: dict[str, Any], place: int, call: ToolCall) -> ToolCallRecord:
    found = read_record(call, document["results"][str(place)])
    missing = {
        "arguments": call.arguments or {},
        "status": CallStatus.FAILED if found.get("error") else CallStatus.DONE,
        "step": document["step"],
        "ms": 0,
    }
    return ToolCallRecord.model_validate({**missing, **found})


def _citations(steps: list[dict[str, Any]]) -> Iterator[Citation]:
    """The numbered citations of all results, as the models were shown them."""
    for document in steps:
        for result in document["results"].values():
            try:
                content = json.loads(result["content"])
            except ValueError:
                continue
            for citation in content.get("citations", ()) if isinstance(content, dict) else ():
                yield Citation.model_validate(citation)


def _most_spent(steps: list[dict[str, Any]]) -> TurnUsage:
    spent = [read_usage(document) for document in steps]
    return max(spent, key=lambda each: each.work_ms)
