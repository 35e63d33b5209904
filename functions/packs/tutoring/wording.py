"""The wording of the tutoring pack, from `texts/<language>.json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollcall.core.errors import InvalidArgument
from rollcall.core.texts import Texts, short

TEXTS = Texts(__file__)


def invalid(field: str, key: str, hint: str, /, **values: object) -> InvalidArgument:
    """Return the refusal of an argument, which says the texts `errors.<key>` and `hints.<hint>`."""
    what, accepted = TEXTS.text(f"errors.{key}", **values), TEXTS.text(f"hints.{hint}", **values)
    return InvalidArgument(what, field=field, hint=accepted)


def summary(name: str, argument: str) -> Callable[[dict[str, Any]], dict[str, str]]:
    """Return how a write is summed up for who would be asked about it: its text, with an
    argument."""

    def summarize(given: dict[str, Any]) -> dict[str, str]:
        return TEXTS.by_language(f"summaries.{name}", what=short(str(given.get(argument) or "—")))

    return summarize
