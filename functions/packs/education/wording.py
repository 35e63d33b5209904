"""The pack's texts, by language, and the tables it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display
from rollcall.core.texts import Texts

TEXTS = Texts(__file__)


def show_table(
    ctx: ToolContext, title: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]
) -> None:
    """Show rows as a table, if there are any.

    Args:
        columns: The columns' names, in the order of the rows' cells.
    """
    names = list(columns.values())
    if table := [dict(zip(names, row, strict=True)) for row in rows]:
        ctx.show(Display(type="table", title=title, columns=names, rows=table))
