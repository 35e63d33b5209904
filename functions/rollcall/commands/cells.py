"""A text in a table, whose right-to-left words stay in their own cell.

Its lines are broken in reading order, and then each is put in order by itself, or carries the
marks by which a terminal does so; see `clients/cli/rollcall_cli/arrange.py`.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.text import Text

from rollcall.core.readable import marked
from rollcall_cli import bidi
from rollcall_cli.arrange import Order


class Cell:
    """`text` in one style."""

    def __init__(self, text: str, *, style: str, order: Order) -> None:
        self._text = Text(marked(text), overflow="fold")
        self._style = style
        self._order = order

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._text)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = console.get_style(self._style)
        for line in self._text.wrap(console, options.max_width):
            words = line.plain.rstrip()
            if options.justify == "right":
                yield Segment(" " * (options.max_width - cell_len(words)))
            yield Segment(self._arranged(words), style)
            yield Segment.line()

    def _arranged(self, line: str) -> str:
        marked = bidi.isolated(line)
        if self._order is not Order.OURS:
            return marked
        return "".join(char for _, char in bidi.seen_order(marked, from_right=False))
