"""What an eval comes to: a table for people, figures for programs, and what was not measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table


@dataclass(frozen=True, slots=True)
class Measured:
    """One eval's outcome.

    Attributes:
        figures: Plain JSON.
        unmeasured: What could not be measured, and why; anything here is a failure of the eval,
            never of what it measures.
    """

    tables: list[Table]
    figures: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    unmeasured: list[str] = field(default_factory=list)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A table whose first column is text and whose others are figures."""
    made = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        made.add_column(column, justify="right" if place else "left")
    for row in rows:
        made.add_row(*map(shown, row))
    return made


def shown(value: object) -> str:
    """A figure as the tables show it; a share has two decimals, nothing to show is a dash."""
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def share(part: int, whole: int) -> float | None:
    """`part` of `whole`, from 0 to 1; None of nothing."""
    return round(part / whole, 4) if whole else None


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return round(sum(values) / len(values), 4) if values else None
