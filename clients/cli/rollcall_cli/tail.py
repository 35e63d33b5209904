"""The last lines of a growing text."""

from __future__ import annotations

from collections import deque

from rich.text import Text

from rollcall_cli.bidi import isolated
from rollcall_cli.console import tidy

LINE_CHARS = 200
"""How much of a line is kept, from its end."""


class Tail:
    """A buffer for a growing text that keeps its last lines."""

    def __init__(self, lines: int) -> None:
        self._lines = deque([""], lines)
        self.line_count = 1

    def add(self, text: str) -> None:
        first, *others = text.split("\n")
        self._lines[-1] = (self._lines[-1] + first)[-LINE_CHARS:]
        self._lines.extend(line[-LINE_CHARS:] for line in others)
        self.line_count += len(others)

    def shown(self) -> Text | None:
        """The lines, each in one row of the screen; None if all are blank."""
        lines = list(self._lines)
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            return None
        shown = "\n".join(f"  │ {isolated(tidy(line).expandtabs(4))}" for line in lines)
        return Text(shown, "dim", overflow="ellipsis", no_wrap=True)
