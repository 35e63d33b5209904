"""The result of an eval: tables for people, figures for programs, and what was not measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table


@dataclass(frozen=True, slots=True)
class EvalResult:
    """The result of one eval.

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
        made.add_row(*map(format_figure, row))
    return made


def format_figure(value: object) -> str:
    """A figure as tables show it: a share has two decimals, a missing one is a dash."""
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def share(part: int, whole: int) -> float | None:
    """`part` / `whole`, from 0 to 1; None if `whole` is 0."""
    return round(part / whole, 4) if whole else None


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return round(sum(values) / len(values), 4) if values else None
