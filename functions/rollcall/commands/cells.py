"""A text in a table, whose right-to-left words stay in their own cell.

Its lines are broken in reading order, and then each is put in order by itself, or carries the
marks by which a terminal does so. The terminal client knows how (`rollcall_cli.arrange`); where it
is not installed, lines are printed as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.text import Text

from rollcall.core.extras import is_installed
from rollcall.core.readable import marked


class Cell:
    """`text` in one style."""

    def __init__(self, text: str, *, style: str, arranged: Callable[[str], str]) -> None:
        self._text = Text(marked(text), overflow="fold")
        self._style = style
        self._arranged = arranged

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


def arrangement(console: Console, env: Mapping[str, str]) -> Callable[[str], str]:
    """How a line is put in order for a terminal."""
    if not is_installed("rollcall_cli"):
        return lambda line: line
    from rollcall_cli import bidi
    from rollcall_cli.arrange import Order, order_for

    if order_for(console, env) is not Order.OURS:
        return bidi.isolated

    def arranged(line: str) -> str:
        return "".join(char for _, char in bidi.seen_order(bidi.isolated(line), from_right=False))

    return arranged
