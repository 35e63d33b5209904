"""The lines that a process logs: JSON that Cloud Logging takes apart, or plain text.

Deployed functions write one JSON object a line, on stderr; the emulator and tests write text;
`ROLLCALL_LOGS` (`json` or `text`) says otherwise. Either way a line tells what the thread was at
work on (`current`), and holds no credential and not the user's id.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from rollcall.core import log_context
from rollcall.core.redaction import redact_logs, redacted_json

SWITCH = "ROLLCALL_LOGS"
MESSAGE_CHARS = 6_000
STACK_CHARS = 12_000
"""Of a traceback the end is kept, which says what happened. An entry may have 256 KiB."""

_LABELS = ("function", "user", "agent", "thread", "turn", "run", "tool")
_INCIDENT = re.compile(r"\bincident ([0-9a-f]{12})\b")
_OURS = "rollcall_fields"


def fields(event: str, **values: Any) -> dict[str, Any]:
    """What a log call takes as `extra`: the name of what happened, and its figures.

    `log.info("run ended", extra=fields("run_ended", ms=12))` is a line with `"event": "run_ended"`
    and `"ms": 12`. The values are plain JSON and no text of a message.
    """
    return {_OURS: {"event": event, **values}}


def write_logs() -> None:
    """Have everything that is logged in this process written in one form, redacted.

    Raises:
        ValueError: The switch says neither.
    """
    # Not sys.stderr, which functions-framework exchanges during a request for a stream that puts a
    # span in decimal digits into each line.
    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(Lines(as_json if _wants_json() else as_text))
    root = logging.getLogger()
    for other in list(root.handlers):
        if type(other) is logging.StreamHandler:
            root.removeHandler(other)
    root.addHandler(handler)
    # functions-framework leaves the root logger at WARNING; ours also tells what it did.
    logging.getLogger("rollcall").setLevel(logging.INFO)
    redact_logs()


class Lines(logging.Formatter):
    """Makes a line of a record: first what is to be told, then, by `write`, how."""

    def __init__(self, write: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self._write = write

    def format(self, record: logging.LogRecord) -> str:
        """Make the line. The handler's filter has redacted message and exception by now; what else
        is told of them is redacted here."""
        message = log_context.without_uid(record.getMessage())
        told = {**log_context.log_fields(), **(getattr(record, _OURS, None) or {})}
        entry = {
            "severity": record.levelname,
            "message": message[:MESSAGE_CHARS],
            "logger": record.name,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            **_mapped(redacted_json(_mapped(told, str)), log_context.without_uid),
        }
        if found := _INCIDENT.search(message):
            entry["incident"] = found[1]
        if stack := "\n".join(filter(None, (record.exc_text, record.stack_info))):
            entry["stack_trace"] = log_context.without_uid(stack)[-STACK_CHARS:]
        return self._write(entry)


def as_json(entry: dict[str, Any]) -> str:
    """One line for Cloud Logging: what the log explorer finds by becomes labels."""
    labels = {name: entry.pop(name) for name in _LABELS if name in entry}
    if execution := entry.pop("execution", None):
        labels["execution_id"] = execution
    trace, span, sampled = (entry.pop(name, None) for name in ("trace", "span", "sampled"))
    if labels:
        entry["logging.googleapis.com/labels"] = labels
    if trace:
        project = os.environ.get("GCLOUD_PROJECT") or os.environ.get("GOOGLE_CLOUD_PROJECT")
        entry["logging.googleapis.com/trace"] = f"projects/{project}/traces/{trace}"
        entry["logging.googleapis.com/spanId"] = span
        entry["logging.googleapis.com/trace_sampled"] = sampled == "01"
    return json.dumps(entry)  # in ASCII, so that no character can break the line


def as_text(entry: dict[str, Any]) -> str:
    """For people: severity, logger, message, figures; a traceback in lines of its own."""
    left_out = {"severity", "logger", "message", "time", "stack_trace", "event", "incident"}
    left_out |= {"execution", "trace", "span", "sampled", "function", "user"}
    figures = [f"{key}={value}" for key, value in entry.items() if key not in left_out]
    line = " ".join([f"{entry['severity']} {entry['logger']}: {entry['message']}", *figures])
    return "\n".join(filter(None, (line, entry.get("stack_trace"))))


def _wants_json() -> bool:
    chosen = os.environ.get(SWITCH)
    if chosen in ("json", "text"):
        return chosen == "json"
    if chosen:
        raise ValueError(f"{SWITCH} is json or text, not {chosen!r}")
    is_served = bool(os.environ.get("K_SERVICE") or os.environ.get("FUNCTION_TARGET"))
    return is_served and os.environ.get("FUNCTIONS_EMULATOR") != "true"


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The value as plain JSON, its texts changed."""
    if isinstance(value, dict):
        return {str(key): _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return change(str(value))
