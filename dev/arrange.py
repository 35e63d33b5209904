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

from dev import bidi


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


def inline(text: str, order: Order) -> str:
    """A name, a title or a value inside a line, so that it does not disturb what is around it."""
    if order is not Order.OURS:
        return bidi.isolated(text)
    if not bidi.has_right_to_left(text):
        return text
    seen = bidi.seen_order(text, from_right=bidi.reads_from_right(text))
    return "".join(char for _, char in seen)


class Arranged:
    """A block of text whose lines are put in order after they were wrapped."""

    def __init__(self, block: RenderableType, *, from_right: bool, order: Order) -> None:
        self._block = block
        self._from_right = from_right
        self._order = order

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self._block, options, pad=False):
            line = _trimmed(line)
            if bidi.has_right_to_left(_text(line)) and self._order is not Order.READER:
                line = [*self._arranged(line, options.max_width)]
            yield from line
            yield Segment.line()

    def _arranged(self, line: list[Segment], width: int) -> Iterator[Segment]:
        indent = " " * (width - cell_len(_text(line))) if self._from_right else ""
        yield Segment(indent)
        if self._order is Order.OURS:
            yield from _as_seen(line, from_right=self._from_right)
        elif self._from_right:
            opening, _, closing = bidi.as_right_to_left("\n").partition("\n")
            yield from (Segment(opening), *line, Segment(closing))
        else:
            yield from line


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


def _as_seen(line: list[Segment], *, from_right: bool) -> Iterator[Segment]:
    styles = [segment.style for segment in line for _ in segment.text]
    seen = bidi.seen_order(_text(line), from_right=from_right)
    for style, run in groupby(seen, key=lambda char: styles[char[0]]):
        yield Segment("".join(char for _, char in run), style)
