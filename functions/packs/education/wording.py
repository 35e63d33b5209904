"""The pack's texts, by language, and the tables and previews that are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rollcall.core.capability import Preview
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display
from rollcall.core.texts import Texts, isolated, short

TEXTS = Texts(__file__)


def confirmation(
    ctx: ToolContext,
    key: str,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    *,
    shows: Iterable[str],
    text: str = "text",
    arguments: dict[str, Any] | None = None,
) -> Preview:
    """Return the preview of a write from the texts `ask`, `summary` and `text` under a key.

    Args:
        names: What people named, for all three texts.
        values: Further values, for `text` alone.
        shows, arguments: As `Preview` has them.
    """
    isolates = {name: isolated(value) for name, value in names.items()}
    display = Display(
        type="confirmation",
        title=TEXTS.say(ctx.locale, f"{key}.ask", **isolates),
        text=TEXTS.say(ctx.locale, f"{key}.{text}", **isolates, **values),
    )
    shortened = {name: short(value) for name, value in names.items()}
    summary = TEXTS.say(ctx.locale, f"{key}.summary", **shortened)
    return Preview(display, arguments=arguments, summary=summary, shows=tuple(shows))


def show_table(
    ctx: ToolContext, title: str, columns: Iterable[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Show rows as a table, if there are any."""
    names = list(columns)
    if table := [dict(zip(names, row, strict=True)) for row in rows]:
        ctx.show(Display(type="table", title=title, columns=names, rows=table))
