"""The pack's texts, by language, and the tables it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
_LEVELS = frozenset({"priority", "impactLevel", "before", "after"})
"""Fields whose values are priority levels, named in each language."""


def table(locale: str, fields: Sequence[str], items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns and rows of a `Display` of items, in the reader's language.

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
