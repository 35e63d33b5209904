"""AG-UI 1.0 events, as plain dictionaries ready to stream."""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]
PROTOCOL_VERSION = "1.0"
PROGRESS_CHARS = 1_000
"""The longest text of a progress report; several are stored in one document."""


def run_started(*, thread_id: str, run_id: str) -> Event:
    return {
        "type": "RUN_STARTED",
        "threadId": thread_id,
        "runId": run_id,
        "protocolVersion": PROTOCOL_VERSION,
    }


def run_finished(*, thread_id: str, run_id: str, result: dict[str, Any]) -> Event:
    """Return the end of a run. `result` is a `wire.RunResult`; AG-UI has its outcome and usage as
    well."""
    return {
        "type": "RUN_FINISHED",
        "threadId": thread_id,
        "runId": run_id,
        "result": result,
        "outcome": result["outcome"],
        "usage": [
            {key: value for key, value in used.items() if key != "costUsd"}
            for used in result["usage"]
        ],
    }


def run_error(*, message: str, code: str) -> Event:
    return {"type": "RUN_ERROR", "message": message, "code": code}


def step_started(step: int) -> Event:
    return {"type": "STEP_STARTED", "stepName": f"step-{step}"}


def step_finished(step: int) -> Event:
    return {"type": "STEP_FINISHED", "stepName": f"step-{step}"}


def text_start(message_id: str) -> Event:
    return {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"}


def text_content(message_id: str, delta: str) -> Event:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def text_end(message_id: str) -> Event:
    return {"type": "TEXT_MESSAGE_END", "messageId": message_id}


def call_start(*, call_id: str, name: str, parent_id: str) -> Event:
    return {
        "type": "TOOL_CALL_START",
        "toolCallId": call_id,
        "toolCallName": name,
        "parentMessageId": parent_id,
    }


def call_arguments(call_id: str, delta: str) -> Event:
    return {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta}


def call_end(call_id: str) -> Event:
    return {"type": "TOOL_CALL_END", "toolCallId": call_id}


def call_result(*, call_id: str, message_id: str, content: str) -> Event:
    return {
        "type": "TOOL_CALL_RESULT",
        "messageId": message_id,
        "toolCallId": call_id,
        "content": content,
        "role": "tool",
    }


def made_files(*, call_id: str, files: list[dict[str, Any]]) -> Event:
    """Return the files that a tool made, beside its result."""
    return _activity("FILES", call_id, {"files": files})


def progress(*, call_id: str, text: str, done: int | None, total: int | None) -> Event:
    """Return a tool's progress. The same `messageId` again replaces what was shown."""
    content = {"text": text[:PROGRESS_CHARS], "done": done, "total": total}
    shown = {key: value for key, value in content.items() if value is not None}
    return _activity("PROGRESS", call_id, shown)


def _activity(kind: str, call_id: str, content: dict[str, Any]) -> Event:
    return {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": f"{kind.lower()}-{call_id}",
        "activityType": kind,
        "content": {"toolCallId": call_id, **content},
        "replace": True,
    }
