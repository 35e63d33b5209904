"""One tool call as it is shown: its arguments, how far it is, what came of it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from dev.bidi import isolated

_VALUE_CHARS = 60
_VERDICTS = ("rejected", "expired", "unknown")
_MARKS = {
    "done": ("✓", "green"),
    "waiting": ("?", "yellow"),
    "client": ("?", "yellow"),
    "rejected": ("✗", "yellow"),
    "expired": ("✗", "yellow"),
    "unknown": ("!", "red"),
}
_FAILED = ("✗", "red")
_WAITS = {"waiting": "waits for a decision", "client": "left to the user's own device"}
_COUNTS = ("totalFound", "totalCount", "total")


@dataclass(slots=True)
class Card:
    """A call from its first event to its end: its result, or that it waits for somebody.

    `status` is a `CallStatus`, None until the end; what was refused counts as failed.
    """

    name: str
    arguments: str = ""
    progress: str = ""
    status: str | None = None
    outcome: str = ""
    started: float = field(default_factory=time.monotonic)
    ms: int = 0

    def take(self, event: dict[str, Any]) -> None:
        """Follow one event of this call."""
        match event["type"]:
            case "TOOL_CALL_ARGS":
                self.arguments += event["delta"]
            case "TOOL_CALL_END":
                self.started = time.monotonic()
            case "ACTIVITY_SNAPSHOT":
                self.progress = _progress(event["content"])
            case "TOOL_CALL_RESULT":
                self.ms = round((time.monotonic() - self.started) * 1000)
                self.status, self.outcome = _outcome(event["content"])

    def wait(self, status: str) -> None:
        """The run ended, and this call waits for somebody."""
        self.status, self.outcome = status, _WAITS[status]

    def give_up(self) -> None:
        """The run ended before this call's result came."""
        self.ms = round((time.monotonic() - self.started) * 1000)
        self.status, self.outcome = "failed", "no result came"

    def line(self) -> Text:
        """The call in one paragraph, without its mark."""
        text = Text.assemble((self.name, "bold"), f"  {_arguments(self.arguments)}".rstrip())
        if self.status is not None:
            # The network may deliver a call's whole story at once.
            text.append(f"  {self.ms:,} ms · " if self.ms else "  ", "dim")
            colour = _MARKS.get(self.status, _FAILED)[1]
            text.append(isolated(self.outcome), "dim" if self.status == "done" else colour)
        elif self.progress:
            text.append(f"  {isolated(self.progress)}", "dim")
        return text

    def marked(self, spinner: Spinner) -> Table:
        """The call with its mark: a spinner that turns, then how it ended."""
        table = Table.grid(padding=(0, 1))
        mark = spinner if self.status is None else Text(*_MARKS.get(self.status, _FAILED))
        table.add_row(mark, self.line())
        return table


def call_id(event: dict[str, Any]) -> str | None:
    """Which call an event is about, if any."""
    content = event.get("content")
    about = content if isinstance(content, dict) else event
    found = about.get("toolCallId")
    return str(found) if found else None


def _arguments(text: str) -> str:
    """Arguments as they are written in code; raw as long as they are not complete."""
    try:
        values = json.loads(text or "{}").items()
    except (ValueError, AttributeError):
        return isolated(_cut(text))
    texts = {name: json.dumps(value, ensure_ascii=False) for name, value in values}
    return ", ".join(f"{name}={isolated(_cut(value))}" for name, value in texts.items())


def _cut(text: str) -> str:
    return text if len(text) <= _VALUE_CHARS else text[: _VALUE_CHARS - 1] + "…"


def _progress(content: dict[str, Any]) -> str:
    text = str(content.get("text") or "")
    if content.get("done") is None:
        return text
    share = f"{content['done']:,}"
    if content.get("total") is not None:
        share += f" of {content['total']:,}"
    return f"{text} ({share})"


def _outcome(content: str) -> tuple[str, str]:
    """The status of a call by its result, and how much it found or what went wrong."""
    try:
        result = json.loads(content)
    except ValueError:
        return "done", "done"
    if not isinstance(result, dict):
        return "done", "done"
    if "error" not in result:
        return "done", _found(result.get("output"))
    error = result["error"] or {}
    status = error["code"] if error.get("code") in _VERDICTS else "failed"
    if status == "rejected":
        return status, f"rejected: {error['reason']}" if error.get("reason") else "rejected"
    return status, str(error.get("message") or status)


def _found(output: Any) -> str:
    """How much there is: what a result counts itself, and the length of its only list."""
    values = list(output.values()) if isinstance(output, dict) else [output]
    lists = [len(value) for value in values if isinstance(value, list)]
    shown = lists[0] if len(lists) == 1 else None
    counts = [output.get(name) for name in _COUNTS] if isinstance(output, dict) else []
    total = next((count for count in counts if isinstance(count, int)), shown)
    if total is None:
        return "done"
    return f"{total:,} found" if shown in (None, total) else f"{shown:,} of {total:,} found"
