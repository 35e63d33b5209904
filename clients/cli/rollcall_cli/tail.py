"""The last lines of a text that grows, whatever its length."""

from __future__ import annotations

from collections import deque

from rich.text import Text

from rollcall_cli.bidi import isolated
from rollcall_cli.safe import tidy

LINE_CHARS = 200
"""What is kept of a line: its end."""


class Tail:
    """Text in, the last lines out; the time is in proportion to the text."""

    def __init__(self, lines: int) -> None:
        self._lines = deque([""], lines)
        self.line_count = 1

    def add(self, text: str) -> None:
        first, *others = text.split("\n")
        self._lines[-1] = (self._lines[-1] + first)[-LINE_CHARS:]
        self._lines.extend(line[-LINE_CHARS:] for line in others)
        self.line_count += len(others)

    def shown(self) -> Text | None:
        """The lines, each on one of the screen's; None if there is nothing in them."""
        lines = list(self._lines)
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            return None
        shown = "\n".join(f"  │ {isolated(tidy(line).expandtabs(4))}" for line in lines)
        return Text(shown, "dim", overflow="ellipsis", no_wrap=True)
