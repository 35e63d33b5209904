"""The pack's texts, by language, and the tables it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
_LEVELS = frozenset({"priority", "impactLevel", "before", "after"})
"""Fields whose values are priority levels, named in each language."""


class Table(TypedDict):
    """The arguments of a `Display` that shows a table."""

    columns: list[str]
    rows: list[dict[str, Any]]


def table(locale: str, fields: Sequence[str], items: Iterable[Mapping[str, Any]]) -> Table:
    """Make a table of items, with headings and levels in the reader's language.

    Args:
        fields: The columns, in order, by their names on the wire.
    """
    headings, levels = TEXTS.data(locale, "columns"), TEXTS.data(locale, "priorities.levels")
    rows = [
        {
            headings[field]: levels.get(item.get(field)) if field in _LEVELS else item.get(field)
            for field in fields
        }
        for item in items
    ]
    return {"columns": [headings[field] for field in fields], "rows": rows}
