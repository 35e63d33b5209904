"""Lays text out so that Hebrew reads rightly wherever it is shown.

Lines are wrapped first, in reading order, so that no word is broken; each line is then put in
order for the place it goes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from rollcall_cli import bidi

_MARKS = bidi.RIGHT_TO_LEFT_ISOLATE, bidi.POP_ISOLATE


class Order(Enum):
    """Who puts right-to-left text in order."""

    READER = "reader"
    """Whoever opens the file or reads from the pipe: lines as they are."""
    TERMINAL = "terminal"
    """The terminal does: lines and names carry the marks that say where each begins and ends."""
    OURS = "ours"
    """We do: the terminal puts one character after the other."""


def order_for(console: Console, env: Mapping[str, str]) -> Order:
    if not console.is_terminal:
        return Order.READER
    return Order.TERMINAL if bidi.orders_itself(env) else Order.OURS


class Arranged:
    """A block whose lines are put in order after they were wrapped, without blanks around it.

    Args:
        left: Columns to keep free on the left.
        from_right: Whether it is a right-to-left text.
    """

    def __init__(
        self, block: RenderableType, *, order: Order, left: int = 0, from_right: bool = False
    ) -> None:
        self._block = block
        self._order = order
        self._left = left
        self._from_right = from_right

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Marks take no room, but not every terminal knows.
        room = len(_MARKS) if self._is_marked else 0
        options = options.update_width(max(options.max_width - self._left - room, 1))
        rendered = console.render_lines(self._block, options, pad=False)
        for line in _without_blank_ends([_trimmed(line) for line in rendered]):
            if line:
                yield Segment(" " * self._left)
            if line and self._from_right and self._order is not Order.READER:
                yield Segment(" " * (options.max_width - cell_len(_text(line))))
            yield from self._arranged(line)
            yield Segment.line()

    @property
    def _is_marked(self) -> bool:
        return self._from_right and self._order is Order.TERMINAL

    def _arranged(self, line: list[Segment]) -> Iterator[Segment]:
        if self._order is Order.OURS:
            yield from _as_seen(line, from_right=self._from_right)
        elif self._is_marked and line:
            yield from _marked(line)
        else:
            yield from line


def _without_blank_ends(lines: list[list[Segment]]) -> list[list[Segment]]:
    full = [at for at, line in enumerate(lines) if line]
    return lines[full[0] : full[-1] + 1] if full else []


def _text(line: list[Segment]) -> str:
    return "".join(segment.text for segment in line)


def _trimmed(line: list[Segment]) -> list[Segment]:
    """The line without blanks at its end, which would be at its wrong end when it is turned."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(" "), kept[-1].style, kept[-1].control)
    return kept


def _marked(line: list[Segment]) -> list[Segment]:
    """The line as one that reads from the right, for a terminal that orders text itself."""
    opening, closing = _MARKS
    first, *others = line
    *others, last = [Segment(opening + first.text, first.style), *others]
    return [*others, Segment(last.text + closing, last.style)]


def _as_seen(line: list[Segment], *, from_right: bool) -> Iterator[Segment]:
    styles = [segment.style for segment in line for _ in segment.text]
    text = _text(line)
    if not (from_right or bidi.has_right_to_left(text) or bidi.FIRST_STRONG_ISOLATE in text):
        yield from line
        return
    seen = bidi.seen_order(text, from_right=from_right)
    for style, run in groupby(seen, key=lambda char: styles[char[0]]):
        yield Segment("".join(char for _, char in run), style)
