"""Tables and paragraphs for people, with Hebrew in the right direction; rich lays them out.

Everything here needs rich, the extra [terminal]: `load_screen` gives a screen, or says that it is
missing.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import Problem
from rollcall.core.extras import is_installed
from rollcall.core.readable import marked

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
    from rich.measure import Measurement

LEAST_COLUMNS, MOST_COLUMNS, PIPE_COLUMNS = 40, 120, 100
_GAP = 2
_NARROWEST = 8
_STYLES = {
    "ok": "green",
    "active": "green",
    "healthy": "green",
    "beta": "cyan",
    "warn": "yellow",
    "deprecated": "yellow",
    "degraded": "yellow",
    "fail": "red",
    "down": "red",
    "disabled": "red",
    "refused": "red",
    "write": "magenta",
}


class Column(Struct, frozen=True):
    """A column of a table.

    Args:
        title: Its heading.
        right: Whether numbers stand in it.
        whole: Whether its cells are never broken into lines.
        from_width: The narrowest screen, in columns, that shows it; where numbers are so long that
            there is no room for all, the one that asks for the widest screen is left out first.
        share: Where not all have the room they need, what it may take of the screen before others.
    """

    title: str
    right: bool = False
    whole: bool = False
    from_width: int = 0
    share: float = 0.0


ID = Column("Capability", share=0.32)


class Screen:
    """Where people read.

    Args:
        console: Instead of the terminal, for tests.
    """

    def __init__(
        self, console: Console | None = None, *, env: Mapping[str, str] = os.environ
    ) -> None:
        from rich.console import Console

        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._console.width = _width(self._console, env)
        self._arranged = arrangement(self._console, env)

    def say(self, text: str = "", *, style: str = "", left: int = 0) -> None:
        """Print a paragraph, `left` columns from the edge."""
        from rich.padding import Padding

        self._print(Padding(self._cell(text, style), (0, 0, 0, left)) if text else "")

    def title(self, text: str) -> None:
        """Begin a section."""
        self.say()
        self.say(text, style="bold")

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under headings; columns for which the screen is too narrow are left out."""
        from rich.cells import cell_len
        from rich.table import Table

        needs = [
            max(map(cell_len, (column.title, *(row[at] for row in rows))))
            for at, column in enumerate(columns)
        ]
        shown = _with_room(columns, needs, room=self._console.width)
        widths = shared_out(
            [columns[at] for at in shown], [needs[at] for at in shown], room=self._console.width
        )
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
        for at, width in zip(shown, widths, strict=True):
            justify: JustifyMethod = "right" if columns[at].right else "left"
            table.add_column(columns[at].title, justify=justify, width=width, overflow="fold")
        for row in rows:
            table.add_row(*(self._cell(row[at], _style(row[at])) for at in shown))
        self._print(table)

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print names with what they stand for, one below the other."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=False)
        table.add_column(no_wrap=True, style="dim")
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(name, self._cell(value, _style(value)))
        self._print(table)

    def _cell(self, text: str, style: str) -> Any:
        return Cell(text, style=style, arranged=self._arranged)

    def _print(self, what: Any) -> None:
        if self._console.is_terminal:
            self._console.print(what, highlight=False, markup=False, emoji=False)
            return
        with self._console.capture() as capture:
            self._console.print(what, highlight=False, markup=False, emoji=False)
        lines = capture.get().splitlines()  # in a file, blanks at their ends are in the way
        self._console.file.write("".join(f"{line.rstrip()}\n" for line in lines))


class Cell:
    """A text in a table, in one style, whose right-to-left words stay in their own cell.

    Its lines are broken in reading order, and then each is put in order by itself, or carries the
    marks by which a terminal does so. The terminal client knows how (`rollcall_cli.arrange`); where
    it is not installed, lines are printed as they are.
    """

    def __init__(self, text: str, *, style: str, arranged: Callable[[str], str]) -> None:
        from rich.text import Text

        self._text = Text(marked(text), overflow="fold")
        self._style = style
        self._arranged = arranged

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.measure import Measurement

        return Measurement.get(console, options, self._text)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.cells import cell_len
        from rich.segment import Segment

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


def _with_room(columns: Sequence[Column], needs: Sequence[int], *, room: int) -> list[int]:
    """The columns that a screen has room for, by their place."""
    shown = [at for at, each in enumerate(columns) if each.from_width <= room]
    while True:
        least = sum(_least(columns[at], needs[at], room) + _GAP for at in shown) - _GAP
        spare = max(shown, key=lambda at: columns[at].from_width, default=0)
        if least <= room or not columns[spare].from_width:
            return shown
        shown.remove(spare)


def _least(column: Column, need: int, room: int) -> int:
    if column.whole:
        return need
    return min(need, max(int(room * column.share), _NARROWEST))


def shared_out(columns: Sequence[Column], needs: Sequence[int], *, room: int) -> list[int]:
    """The width of each column: what it needs, or a fair part of what the whole ones leave."""
    widths = dict.fromkeys(range(len(columns)), 0)
    left = room - _GAP * (len(columns) - 1)
    for at, column in enumerate(columns):
        if column.whole or column.share:
            widths[at] = _least(column, needs[at], room)
            left -= widths[at]
    others = sorted((at for at in widths if not widths[at]), key=lambda at: needs[at])
    for number, at in enumerate(others):
        widths[at] = min(needs[at], max(left // (len(others) - number), _NARROWEST))
        left -= widths[at]
    for at, column in enumerate(columns):
        if column.share and left > 0:
            more = min(left, needs[at] - widths[at])
            widths[at] += more
            left -= more
    return list(widths.values())


def _style(text: str) -> str:
    """The colour of words that say how something is: of the last, without an operator's mark."""
    return _STYLES.get(text.rpartition(", ")[2].rstrip("*"), "")


def load_screen() -> Screen:
    """The terminal.

    Raises:
        Problem: rich is not installed.
    """
    if importlib.util.find_spec("rich") is None:
        raise Problem(
            "Tables need the extra [terminal]: pip install 'rollcall-firebase[terminal]'\n"
            "With --json nothing more is needed."
        )
    return Screen()


def _width(console: Console, env: Mapping[str, str]) -> int:
    """As wide as the terminal, within reason; a pipe has no width of its own."""
    if not console.is_terminal and not env.get("COLUMNS"):
        return PIPE_COLUMNS
    return min(max(console.width, LEAST_COLUMNS), MOST_COLUMNS)
