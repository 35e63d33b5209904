"""What the command prints: progress, then results."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table

from rollcall.store.seeding import SeedResult
from seed.errors import UnusableInput


class Bar:
    """A progress bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._began = time.monotonic()
        self._done = 0

    def advance(self, count: int) -> None:
        """Add `count` to what is done."""
        self.move_to(self._done + count)

    def move_to(self, done: int) -> None:
        """Set what is done in all."""
        self._done = done
        rate = done / max(time.monotonic() - self._began, 1e-9)
        self._progress.update(self._task, completed=done, rate=f"{rate:,.0f}/s")


class Screen:
    """The terminal; progress bars are shown only on one."""

    def __init__(self) -> None:
        self._out = Console(highlight=False)
        self._err = Console(stderr=True, highlight=False)

    def say(self, text: str) -> None:
        """Print a line."""
        self._out.print(_printable(text), markup=False, soft_wrap=True)

    def print_error(self, text: str) -> None:
        """Print a line to standard error."""
        self._err.print(_printable(text), markup=False, soft_wrap=True)

    def show(self, table: Table) -> None:
        """Print a table."""
        self._out.print(table)

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
    def translate_errors(self) -> Iterator[None]:
        """Translate Google's errors inside the block.

        Raises:
            UnusableInput: Firestore refused a write, or credentials are missing.
        """
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError

        try:
            yield
        except (GoogleAPIError, GoogleAuthError) as error:
            raise UnusableInput(
                f"Firestore did not take it: {error}; run it again to go on"
            ) from error

    def show_results(self, results: Sequence[SeedResult]) -> None:
        """Show what was loaded, in a table."""
        table = Table("Collection", "Kind")
        for name in ("Written", "Unchanged", "Removed"):
            table.add_column(name, justify="right")
        for item in results:
            counts = (item.written, item.unchanged, item.removed)
            table.add_row(item.collection, item.kind, *(f"{count:,}" for count in counts))
        self.show(table)


def _printable(text: str) -> str:
    """The text with control characters replaced."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
