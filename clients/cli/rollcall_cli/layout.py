"""Layout of right-to-left text.

Lines are wrapped first, in reading order, so that no word is broken. Each line is then ordered for
its destination: a file, or a terminal with or without bidirectional support.
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
    """Who orders right-to-left text for display."""

    READER = "reader"
    """The reader of a file or pipe: lines stay unchanged."""
    TERMINAL = "terminal"
    """The terminal: lines and names carry isolate marks."""
    OURS = "ours"
    """This client: the terminal prints characters from left to right."""


def order_for(console: Console, env: Mapping[str, str]) -> Order:
    if not console.is_terminal:
        return Order.READER
    return Order.TERMINAL if bidi.orders_itself(env) else Order.OURS


class BidiBlock:
    """A block whose lines are ordered after wrapping, without blank lines around it.

    Args:
        left: Columns of indentation.
        from_right: Whether the text reads from right to left.
    """

    def __init__(
        self, block: RenderableType, *, order: Order, left: int = 0, from_right: bool = False
    ) -> None:
        self._block = block
        self._order = order
        self._left = left
        self._from_right = from_right

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Marks have no width, but not every terminal knows that.
        room = len(_MARKS) if self._is_marked else 0
        options = options.update_width(max(options.max_width - self._left - room, 1))
        rendered = console.render_lines(self._block, options, pad=False)
        for line in _without_blank_ends([_trim(line) for line in rendered]):
            if line:
                yield Segment(" " * self._left)
            if line and self._from_right and self._order is not Order.READER:
                yield Segment(" " * (options.max_width - cell_len(_text(line))))
            yield from self._ordered(line)
            yield Segment.line()

    @property
    def _is_marked(self) -> bool:
        return self._from_right and self._order is Order.TERMINAL

    def _ordered(self, line: list[Segment]) -> Iterator[Segment]:
        if self._order is Order.OURS:
            yield from _visual_order(line, from_right=self._from_right)
        elif self._is_marked and line:
            yield from _with_marks(line)
        else:
            yield from line


def _without_blank_ends(lines: list[list[Segment]]) -> list[list[Segment]]:
    full = [at for at, line in enumerate(lines) if line]
    return lines[full[0] : full[-1] + 1] if full else []


def _text(line: list[Segment]) -> str:
    return "".join(segment.text for segment in line)


def _trim(line: list[Segment]) -> list[Segment]:
    """Remove blanks at the end of a line, which reordering would move to its beginning."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(" "), kept[-1].style, kept[-1].control)
    return kept


def _with_marks(line: list[Segment]) -> list[Segment]:
    """Mark a line as right-to-left, for a terminal that orders text itself."""
    opening, closing = _MARKS
    first, *others = line
    *others, last = [Segment(opening + first.text, first.style), *others]
    return [*others, Segment(last.text + closing, last.style)]


def _visual_order(line: list[Segment], *, from_right: bool) -> Iterator[Segment]:
    styles = [segment.style for segment in line for _ in segment.text]
    text = _text(line)
    if not (from_right or bidi.has_right_to_left(text) or bidi.FIRST_STRONG_ISOLATE in text):
        yield from line
        return
    seen = bidi.display_order(text, from_right=from_right)
    for style, run in groupby(seen, key=lambda char: styles[char[0]]):
        yield Segment("".join(char for _, char in run), style)
