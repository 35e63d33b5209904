"""What the command shows: progress while it works, then what came of it."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table

from rollcall.store.seeding import Loaded
from seed.records import Problem, Unusable

if TYPE_CHECKING:
    from seed.importing import Outcome

SHOWN_PROBLEMS = 50


class Bar:
    """A piece of work's bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._began = time.monotonic()
        self._done = 0

    def advance(self, count: int) -> None:
        """So much more is done."""
        self.move_to(self._done + count)

    def move_to(self, done: int) -> None:
        """So much is done in all."""
        self._done = done
        rate = done / max(time.monotonic() - self._began, 1e-9)
        self._progress.update(self._task, completed=done, rate=f"{rate:,.0f}/s")


class Screen:
    """The terminal; bars only where there is somebody to see them."""

    def __init__(self) -> None:
        self._out = Console(highlight=False)
        self._err = Console(stderr=True, highlight=False)
        self._started = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line."""
        self._out.print(_printable(text), markup=False, soft_wrap=True)

    def complain(self, text: str) -> None:
        """Print a line to standard error."""
        self._err.print(_printable(text), markup=False, soft_wrap=True)

    def start_clock(self) -> None:
        """Rates are counted from here."""
        self._started = time.monotonic()

    @contextmanager
    def bar(self, title: str, *, total: int) -> Iterator[Bar]:
        """Show a bar with its rate while the block runs."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
        )
        with Progress(*columns, console=self._err, disable=not self._err.is_terminal) as progress:
            yield Bar(progress, progress.add_task(title, total=total, rate=""))

    @contextmanager
    def problems(self, path: Path | None) -> Iterator[Callable[[Problem], None]]:
        """Report problems as they come: the first ones here, all of them in a file if asked."""
        count = 0
        try:
            file = path.open("w", encoding="utf-8") if path else None
        except OSError as error:
            raise Unusable(f"{path} cannot be written: {error.strerror}") from error

        def report(problem: Problem) -> None:
            nonlocal count
            count += 1
            if count <= SHOWN_PROBLEMS:
                self.complain(f"{problem.place}: {problem.reason}")
            if file:
                line = {"place": problem.place, "reason": problem.reason}
                file.write(json.dumps(line) + "\n")

        try:
            yield report
        finally:
            if file:
                file.close()
            if count > SHOWN_PROBLEMS:
                where = f"all in {path}" if path else "--problems <file> keeps all"
                self.complain(f"... and {count - SHOWN_PROBLEMS:,} more; {where}")

    @contextmanager
    def rejections(self) -> Iterator[None]:
        """Say plainly when the database did not take what it was given.

        Raises:
            Unusable: It did not.
        """
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError

        try:
            yield
        except (GoogleAPIError, GoogleAuthError) as error:
            raise Unusable(f"Firestore did not take it: {error}; run it again to go on") from error

    def loaded(self, results: Sequence[Loaded]) -> None:
        """Show what loading came to."""
        table = Table("Collection", "Kind")
        for name in ("Written", "Unchanged", "Removed"):
            table.add_column(name, justify="right")
        for item in results:
            counts = (item.written, item.unchanged, item.removed)
            table.add_row(item.collection, item.kind, *(f"{count:,}" for count in counts))
        self._out.print(table)

    def imported(self, outcome: Outcome) -> None:
        """Show what an import came to, how fast it was, and what memory it took."""
        table = Table("", show_header=False)
        table.add_column(justify="right")
        rows = {
            "Conversations": outcome.conversations,
            "Messages new": outcome.added,
            "Messages changed": outcome.changed,
            "Messages unchanged": outcome.unchanged,
            "Not imported": outcome.problems,
        }
        for name, count in [*rows.items(), *sorted(outcome.notes.items())]:
            table.add_row(name, f"{count:,}")
        self._out.print(table)
        seconds = max(time.monotonic() - self._started, 1e-9)
        self.say(
            f"{outcome.messages:,} messages in {seconds:,.1f} s, "
            f"{outcome.messages / seconds:,.0f} a second; peak memory {_peak_mb():,.0f} MB"
        )


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def _printable(text: str) -> str:
    """The text without what would steer a terminal."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
