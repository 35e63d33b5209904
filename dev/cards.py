"""One tool call as it is shown: its arguments, how far it is, what came of it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from dev.arrange import Order, inline

_VALUE_CHARS = 60
_COUNTS = ("totalFound", "totalCount", "total")


@dataclass(slots=True)
class Card:
    """A call from its first event to its result. `ok` is None until then."""

    name: str
    arguments: str = ""
    progress: str = ""
    ok: bool | None = None
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
                self.ok, self.outcome = _outcome(event["content"])

    def give_up(self) -> None:
        """The run ended before this call's result came."""
        self.ms = round((time.monotonic() - self.started) * 1000)
        self.ok, self.outcome = False, "no result came"

    def line(self, order: Order) -> Text:
        """The call in one paragraph, without its mark."""
        text = Text.assemble((self.name, "bold"), f"  {_arguments(self.arguments, order)}".rstrip())
        if self.ok is not None:
            # The network may deliver a call's whole story at once.
            text.append(f"  {self.ms:,} ms · " if self.ms else "  ", "dim")
            text.append(self.outcome, "dim" if self.ok else "red")
        elif self.progress:
            text.append(f"  {inline(self.progress, order)}", "dim")
        return text

    def marked(self, order: Order, spinner: Spinner) -> Table:
        """The call with its mark: a spinner that turns, then how it ended."""
        table = Table.grid(padding=(0, 1))
        mark = Text("✓", "green") if self.ok else Text("✗", "red")
        table.add_row(spinner if self.ok is None else mark, self.line(order))
        return table


def call_id(event: dict[str, Any]) -> str | None:
    """Which call an event is about, if any."""
    content = event.get("content")
    about = content if isinstance(content, dict) else event
    found = about.get("toolCallId")
    return str(found) if found else None


def _arguments(text: str, order: Order) -> str:
    """Arguments as they are written in code; raw as long as they are not complete."""
    try:
        values = json.loads(text or "{}").items()
    except (ValueError, AttributeError):
        return inline(_cut(text), order)
    texts = {name: json.dumps(value, ensure_ascii=False) for name, value in values}
    return ", ".join(f"{name}={inline(_cut(value), order)}" for name, value in texts.items())


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


def _outcome(content: str) -> tuple[bool, str]:
    """Whether a call went well, and how much it found or what went wrong."""
    try:
        result = json.loads(content)
    except ValueError:
        return True, "done"
    if not isinstance(result, dict):
        return True, "done"
    if "error" in result:
        return False, str((result["error"] or {}).get("message") or "failed")
    return True, _found(result.get("output"))


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
