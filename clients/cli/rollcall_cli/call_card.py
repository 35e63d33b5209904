"""One tool call on the screen: its arguments, progress and outcome."""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from rich.console import Group, RenderableType
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from rollcall_cli import call_outcome
from rollcall_cli.argument_preview import ArgumentPreview
from rollcall_cli.bidi import isolated
from rollcall_cli.console import tidy
from rollcall_cli.tail import Tail
from rollcall_cli.wording import text_in

_VALUE_CHARS = 60
_CONTENTS = ("content", "oldText", "newText", "digest")  # of files: their diff is shown instead
_OUTPUT_LINES = 8
_MARKS = {
    "done": ("✓", "green"),
    "waiting": ("?", "yellow"),
    "client": ("?", "yellow"),
    "rejected": ("✗", "yellow"),
    "expired": ("✗", "yellow"),
    "unknown": ("!", "red"),
}
_FAILED = ("✗", "red")


@dataclass(slots=True)
class CallCard:
    """A call, from its first event to its result, or until it waits for somebody.

    `status` is a `CallStatus`, None until the end; a refused call counts as failed.
    """

    name: str
    arguments: str = ""
    language: str = field(default="en", kw_only=True)
    progress: str = ""
    status: str | None = None
    outcome: str = ""
    started: float = field(default_factory=time.monotonic)
    ms: int = 0
    _deltas: list[str] = field(default_factory=list)
    _preview: ArgumentPreview | None = None
    _output: Tail = field(default_factory=lambda: Tail(_OUTPUT_LINES))

    def take(self, event: dict[str, Any]) -> None:
        """Apply one event of this call."""
        match event["type"]:
            case "TOOL_CALL_ARGS":
                if not self._deltas:
                    self._preview = ArgumentPreview.of(self.name)
                self._deltas.append(event["delta"])
                if self._preview:
                    self._preview.add(event["delta"])
            case "TOOL_CALL_END":
                self.arguments, self._deltas = "".join(self._deltas), []
                self._preview = None
                self.started = time.monotonic()
            case "ACTIVITY_SNAPSHOT":
                self.progress = _progress(event["content"], self.language)
            case "TOOL_CALL_RESULT":
                self._end(*call_outcome.of_result(event["content"], self.language))

    def begin(self) -> None:
        """The call starts to run in this client."""
        self.started = time.monotonic()

    def write(self, output: str) -> None:
        """Add output of a command that runs in this client."""
        self._output.add(output)

    def end_here(self, result: dict[str, Any]) -> None:
        """End a call that ran in this client; `result` is its entry of `toolResults`."""
        self._end(*call_outcome.of_local_call(self.name, result, self.language))

    def wait(self, status: str) -> None:
        """Mark the call as waiting: the run ended before its result."""
        self.status, self.outcome = status, text_in(self.language, f"call.{status}")

    def give_up(self, why: str = "call.no_result") -> None:
        """Mark the call as failed: no result came."""
        self._end("failed", text_in(self.language, why))

    def line(self) -> Text:
        """The call as one paragraph, without its mark."""
        text = Text.assemble((self.name, "bold"), f"  {self._arguments_line()}".rstrip())
        if self.status is not None:
            # The network may deliver all events of a call at once: then there is no time to show.
            text.append(f"  {self.ms:,} ms · " if self.ms else "  ", "dim")
            colour = _MARKS.get(self.status, _FAILED)[1]
            text.append(isolated(tidy(self.outcome)), "dim" if self.status == "done" else colour)
        elif self.progress:
            text.append(f"  {isolated(tidy(self.progress))}", "dim")
        return text

    def marked(self, spinner: Spinner) -> RenderableType:
        """The call with its mark (a spinner until it ends), and below it the content it writes."""
        table = Table.grid(padding=(0, 1))
        mark = spinner if self.status is None else Text(*_MARKS.get(self.status, _FAILED))
        table.add_row(mark, self.line())
        below = self._preview.tail() if self._preview else self._output.shown()
        return Group(table, below) if below else table

    def _end(self, status: str, outcome: str) -> None:
        self.ms = max(1, round((time.monotonic() - self.started) * 1000))  # 0: it was not timed
        self.status, self.outcome = status, outcome

    def _arguments_line(self) -> str:
        if self._preview:
            return self._preview.status(self.language)
        hidden = _CONTENTS if ArgumentPreview.of(self.name) else ()
        return _arguments(self.arguments or _beginning(self._deltas), hidden)


def call_id(event: dict[str, Any]) -> str | None:
    """The id of the call that an event is about, if any."""
    content = event.get("content")
    about = content if isinstance(content, dict) else event
    found = about.get("toolCallId")
    return str(found) if found else None


def _beginning(deltas: list[str]) -> str:
    """The beginning of arguments that still stream, at least as long as what is shown."""
    begun = ""
    for delta in deltas:
        if len(begun) > _VALUE_CHARS:
            break
        begun += delta
    return begun


def _arguments(text: str, hidden: Collection[str]) -> str:
    """Arguments formatted as in code; raw JSON until they are complete."""
    try:
        values = json.loads(text or "{}").items()
    except (ValueError, AttributeError):
        return _value_text(text)
    texts = {
        name: json.dumps(value, ensure_ascii=False) for name, value in values if name not in hidden
    }
    return ", ".join(f"{tidy(name)}={_value_text(value)}" for name, value in texts.items())


def _value_text(text: str) -> str:
    cut = text if len(text) <= _VALUE_CHARS else text[: _VALUE_CHARS - 1] + "…"
    return isolated(tidy(cut))


def _progress(content: dict[str, Any], language: str) -> str:
    text = str(content.get("text") or "")
    if content.get("done") is None:
        return text
    share = f"{content['done']:,}"
    if content.get("total") is not None:
        share = text_in(language, "share", done=share, total=f"{content['total']:,}")
    return f"{text} ({share})"
