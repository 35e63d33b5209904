"""Output of commands: tables, JSON, times and names."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict
from pydantic.alias_generators import to_camel

from rollcall.core.extras import require_extra
from rollcall.core.readable import marked
from rollcall.core.texts import isolated

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
    from rich.measure import Measurement


def say(text: str) -> None:
    """Print a line that may contain others' words, which cannot move the cursor, hide text or
    change direction."""
    print(marked(text))


def print_json(value: Any) -> None:
    """One JSON value, for programs, in characters that the output can hold. Times are ISO 8601,
    keys are camelCase as all that programs read; see `in_camel_case`."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, default=_plain)
    print(text)


def in_camel_case(record: Any) -> Any:
    """A struct as it stands in JSON, with those in it, or a list of them; anything else as it
    is."""
    if isinstance(record, list):
        return [in_camel_case(each) for each in record]
    if not isinstance(record, Struct):
        return record
    return {to_camel(name): in_camel_case(value) for name, value in asdict(record).items()}


def quantity(number: int, one: str, many: str) -> str:
    """A number with its noun: "1 agent", "2 agents"."""
    return f"{number} {one if number == 1 else many}"


def moment(value: Any) -> str:
    """A time in the document, for people; anything else as it is."""
    return f"{value:%Y-%m-%d %H:%M} UTC" if hasattr(value, "strftime") else str(value or "")


def named(names: Any) -> str:
    """A name in every language, English first; what is no names as it is."""
    if not isinstance(names, dict):
        return short(names)
    told = [str(names[locale]) for locale in sorted(names, key=lambda each: each != "en")]
    return " · ".join(dict.fromkeys(told))


def noted(overrides: Mapping[str, Any]) -> str:
    """Who overruled a status, when and why; empty where nobody left a note."""
    note = overrides.get("note")
    if not isinstance(note, dict):
        return ""
    return f"{note.get('by', '?')}, {moment(note.get('at'))}: {note.get('text') or 'no reason'}"


def short(value: Any) -> str:
    """As short JSON; words and lists of words by themselves."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, set | frozenset | tuple):
        return sorted(value)
    return str(value)


LEAST_COLUMNS, MOST_COLUMNS, PIPE_COLUMNS = 40, 120, 100
_GAP = 2
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
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
        from_width: The narrowest screen, in columns, that shows it.
    """

    title: str
    right: bool = False
    whole: bool = False
    from_width: int = 0


ID = Column("Capability")


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
        # As wide as the terminal, within reason; a pipe has no width of its own.
        is_pipe = not self._console.is_terminal and not env.get("COLUMNS")
        width = PIPE_COLUMNS if is_pipe else self._console.width
        self._console.width = min(max(width, LEAST_COLUMNS), MOST_COLUMNS)

    def say(self, text: str = "", *, style: str = "", left: int = 0) -> None:
        """Print a paragraph, `left` columns from the edge."""
        from rich.padding import Padding

        self._print(Padding(Cell(text, style=style), (0, 0, 0, left)) if text else "")

    def title(self, text: str) -> None:
        """Begin a section."""
        self.say()
        self.say(text, style="bold")

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under headings; columns for which the screen is too narrow are left out."""
        from rich.table import Table

        shown = [at for at, each in enumerate(columns) if each.from_width <= self._console.width]
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
        for column in (columns[at] for at in shown):
            justify: JustifyMethod = "right" if column.right else "left"
            table.add_column(column.title, justify=justify, no_wrap=column.whole, overflow="fold")
        for row in rows:
            table.add_row(*(Cell(row[at], style=_style(row[at])) for at in shown))
        self._print(table)

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print names with what they stand for, one below the other."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=False)
        table.add_column(no_wrap=True, style="dim")
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(name, Cell(value, style=_style(value)))
        self._print(table)

    def _print(self, what: Any) -> None:
        if self._console.is_terminal:
            self._console.print(what, highlight=False, markup=False, emoji=False)
            return
        with self._console.capture() as capture:
            self._console.print(what, highlight=False, markup=False, emoji=False)
        lines = capture.get().splitlines()  # in a file, blanks at their ends are in the way
        self._console.file.write("".join(f"{line.rstrip()}\n" for line in lines))


class Cell:
    """A text in a table, in one style. A line of it that has right-to-left letters is isolated, so
    that a terminal does not move them into the next cell."""

    def __init__(self, text: str, *, style: str) -> None:
        from rich.text import Text

        self._text = Text(marked(text), overflow="fold")
        self._style = style

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
            yield Segment(isolated(words) if _RIGHT_TO_LEFT.search(words) else words, style)
            yield Segment.line()


def _style(text: str) -> str:
    """The colour of words that say how something is: of the last, without an operator's mark."""
    return _STYLES.get(text.rpartition(", ")[2].rstrip("*"), "")


def load_screen() -> Screen:
    """The terminal.

    Raises:
        FailedPrecondition: rich is not installed.
    """
    require_extra("rich", "terminal", purpose="a table, which --json does without,")
    return Screen()
