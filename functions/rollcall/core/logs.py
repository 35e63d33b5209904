"""Log fields of the current request, user, run and call, the format of log lines, incidents.

The fields are context variables: threads started with `copy_context().run` share them, and two
requests in one process never mix. A request begins in `in_request`, a run in `isolated_context`;
fields that are set inside end with them. Deployed functions write one JSON object per line to
stderr, which Cloud Logging parses; the emulator and tests write text; `ROLLCALL_LOGS` (`json` or
`text`) overrides this. A line holds no credential and no user id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
import sys
import traceback
import uuid
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, TypeVar

from rollcall.core.errors import AgentError, Internal, Unavailable
from rollcall.core.options import on_emulator, project_id
from rollcall.core.redaction import map_texts, redact_logs, redacted, redacted_json
from rollcall.core.texts import TEXTS

T = TypeVar("T")
Y = TypeVar("Y")
Header = Callable[[str], str | None]

_FIELDS: ContextVar[Mapping[str, str]] = ContextVar("rollcall_fields", default=MappingProxyType({}))
_UID: ContextVar[str] = ContextVar("rollcall_uid", default="")

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_CLOUD_TRACE = re.compile(r"([0-9a-fA-F]{32})/([0-9]{1,20})(?:;o=([01]))?")
_NO_TRACE, _NO_SPAN = "0" * 32, "0" * 16
_DIGEST_CHARS = 16


def set_fields(**fields: str | None) -> None:
    """Set log fields of the current context; None removes one."""
    merged = {**_FIELDS.get(), **fields}
    _FIELDS.set({key: text for key, text in merged.items() if text is not None})


def set_user(uid: str) -> None:
    """Set the user of the current context. Logs get a digest; the id is remembered only to remove
    it from texts."""
    _UID.set(uid)
    set_fields(user=user_digest(uid))


def log_fields() -> Mapping[str, str]:
    """Return the current fields, out of `function`, `user`, `agent`, `thread`, `turn`, `run`,
    `tool`, `execution`, `trace`, `span` and `sampled`."""
    return _FIELDS.get()


def without_uid(text: str) -> str:
    """Return a text with the user's id replaced by the digest wherever it is a whole word."""
    uid = _UID.get()
    if not uid or uid not in text:
        return text
    return re.sub(rf"(?<![\w-]){re.escape(uid)}(?![\w-])", f"user:{user_digest(uid)}", text)


def user_digest(uid: str) -> str:
    """Return the digest that represents a user in logs and traces; it differs by project."""
    return hashlib.sha256(f"{project_id() or ''}:{uid}".encode()).hexdigest()[:_DIGEST_CHARS]


def in_request(function: str, work: Callable[[], T], header: Header) -> T:
    """Run the work of one request to `function` with its own log fields.

    Args:
        header: Returns a header of the request by name. `traceparent` or `X-Cloud-Trace-Context`
            names its trace, `Function-Execution-Id` is functions-framework's id for it.
    """
    context, execution = copy_context(), header("Function-Execution-Id")
    context.run(set_fields, function=function, execution=execution, **_trace_of(header))
    return context.run(work)


def isolated_context(steps: Generator[Y, None, T]) -> Generator[Y, None, T]:
    """Run a generator in its own context, whose fields last between steps and are invisible
    outside. Closing this closes the generator in that context."""
    context = copy_context()
    try:
        while True:
            try:
                item = context.run(next, steps)
            except StopIteration as end:
                result: T = end.value
                return result
            yield item
    finally:
        context.run(steps.close)


def traceparent() -> str | None:
    """Return the `traceparent` header that makes another service's work part of this trace, if
    there is one."""
    here = _FIELDS.get()
    if "trace" not in here or "span" not in here:
        return None
    return f"00-{here['trace']}-{here['span']}-{here.get('sampled', '00')}"


def _trace_of(header: Header) -> dict[str, Any]:
    """Return the caller's `trace` and `span` in hexadecimal, and `sampled` ("01" or "00")."""
    if found := _TRACEPARENT.fullmatch(header("traceparent") or ""):
        trace, span, flags = found.groups()
        sampled = bool(int(flags, 16) & 1)
    elif found := _CLOUD_TRACE.fullmatch(header("X-Cloud-Trace-Context") or ""):
        trace, span = found[1].lower(), f"{int(found[2]) & (2**64 - 1):016x}"
        sampled = found[3] == "1"
    else:
        return {}
    if trace == _NO_TRACE or span == _NO_SPAN:
        return {}
    return {"trace": trace, "span": span, "sampled": "01" if sampled else "00"}


SWITCH = "ROLLCALL_LOGS"
MESSAGE_CHARS = 6_000
STACK_CHARS = 12_000
"""A longer traceback keeps its end, which has the error. An entry may have 256 KiB."""

_LABELS = ("function", "user", "agent", "thread", "turn", "run", "tool")
_INCIDENT = re.compile(r"\bincident ([0-9a-f]{12})\b")
_RECORD_FIELDS = "rollcall_fields"


def fields(event: str, **values: Any) -> dict[str, Any]:
    """Return the `extra` of a log call: the event and its figures.

    `log.info("run ended", extra=fields("run_ended", ms=12))` is a line with `"event": "run_ended"`
    and `"ms": 12`. The values are plain JSON and never the text of a user's or a model's message.
    """
    return {_RECORD_FIELDS: {"event": event, **values}}


def write_logs() -> None:
    """Configure logging: everything in this process in one format, redacted.

    Raises:
        ValueError: `ROLLCALL_LOGS` is neither json nor text.
    """
    # Not sys.stderr: during a request functions-framework replaces it by a stream that adds a span
    # in decimal digits to each line.
    handler = logging.StreamHandler(sys.__stderr__)
    chosen = os.environ.get(SWITCH)
    if chosen not in ("json", "text", "", None):
        raise ValueError(f"{SWITCH} is json or text, not {chosen!r}")
    is_served = bool(os.environ.get("K_SERVICE") or os.environ.get("FUNCTION_TARGET"))
    is_deployed = is_served and not on_emulator()
    handler.setFormatter(
        Lines(as_json if chosen == "json" or (not chosen and is_deployed) else as_text)
    )
    root = logging.getLogger()
    for other in list(root.handlers):
        if type(other) is logging.StreamHandler:
            root.removeHandler(other)
    root.addHandler(handler)
    # functions-framework leaves the root logger at WARNING; ours also logs what it did.
    logging.getLogger("rollcall").setLevel(logging.INFO)
    redact_logs()


class Lines(logging.Formatter):
    """Formats a log record: it collects the entry's fields, and `write` makes the line."""

    def __init__(self, write: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self._write = write

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. The handler's filter has already redacted message and exception; the
        fields are redacted here."""
        message = without_uid(record.getMessage())
        values = {**log_fields(), **(getattr(record, _RECORD_FIELDS, None) or {})}
        entry = {
            "severity": record.levelname,
            "message": message[:MESSAGE_CHARS],
            "logger": record.name,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            **map_texts(redacted_json(_plain(values)), without_uid),
        }
        if found := _INCIDENT.search(message):
            entry["incident"] = found[1]
        if stack := "\n".join(filter(None, (record.exc_text, record.stack_info))):
            entry["stack_trace"] = without_uid(stack)[-STACK_CHARS:]
        return self._write(entry)


def as_json(entry: dict[str, Any]) -> str:
    """Format a line for Cloud Logging; fields to filter by in the log explorer become labels."""
    labels = {name: entry.pop(name) for name in _LABELS if name in entry}
    if execution := entry.pop("execution", None):
        labels["execution_id"] = execution
    trace, span, sampled = (entry.pop(name, None) for name in ("trace", "span", "sampled"))
    if labels:
        entry["logging.googleapis.com/labels"] = labels
    if trace:
        entry["logging.googleapis.com/trace"] = f"projects/{project_id()}/traces/{trace}"
        entry["logging.googleapis.com/spanId"] = span
        entry["logging.googleapis.com/trace_sampled"] = sampled == "01"
    return json.dumps(entry)  # in ASCII, so that no character can break the line


def as_text(entry: dict[str, Any]) -> str:
    """Format a line for people: severity, logger, message, figures, traceback."""
    left_out = {"severity", "logger", "message", "time", "stack_trace", "event", "incident"}
    left_out |= {"execution", "trace", "span", "sampled", "function", "user"}
    figures = [f"{key}={value}" for key, value in entry.items() if key not in left_out]
    line = " ".join([f"{entry['severity']} {entry['logger']}: {entry['message']}", *figures])
    return "\n".join(filter(None, (line, entry.get("stack_trace"))))


def _plain(value: Any) -> Any:
    """Return any value as plain JSON; what JSON cannot hold becomes text, since a line that cannot
    be written would be lost."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


# ---- Incidents ----
#
# An unexpected error is logged under an id, which is all that the caller sees. On the emulators the
# request's answer has the traceback as well, beside the result or in the error's details, for the
# app's developer. It is never stored, and models never see it.

TRACEBACK_CHARS = 8_000

_COLLECTED: ContextVar[list[dict[str, str]] | None] = ContextVar("rollcall_incidents", default=None)

log = logging.getLogger("rollcall")


def collect_incidents() -> None:
    """Collect this request's incidents for its answer, on the emulators."""
    _COLLECTED.set([] if on_emulator() else None)


def incidents_of_request() -> dict[str, Any]:
    """Return `{"incidents": [{id, traceback}]}` of this request so far; empty without incidents."""
    incidents = _COLLECTED.get()
    return {"incidents": list(incidents)} if incidents else {}


def report_incident(error: BaseException, what: str = "") -> str:
    """Log an unexpected error, such as "the tool meeting_cost failed", and return its id."""
    incident = uuid.uuid4().hex[:12]
    log.error("incident %s%s", incident, f": {what}" if what else "", exc_info=error)
    incidents = _COLLECTED.get()
    if incidents is not None:
        text = "".join(traceback.format_exception(error))[-TRACEBACK_CHARS:]
        incidents.append({"id": incident, "traceback": redacted(text)})
    return incident


def as_agent_error(error: Exception) -> AgentError:
    """Return an error as an `AgentError`; an unexpected one is logged under an id."""
    if isinstance(error, AgentError):
        return error
    from google.api_core.exceptions import Aborted, ServerError, TooManyRequests

    incident = report_incident(error)
    if isinstance(error, Aborted | ServerError | TooManyRequests):
        message = TEXTS.text("errors.database_incident", incident=incident)
        return Unavailable(message, hint=TEXTS.text("hints.try_again"), retry_after_s=2)
    return Internal(TEXTS.text("errors.incident", incident=incident))
