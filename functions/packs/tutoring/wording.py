"""The pack's texts, by language, and errors and summaries made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollcall.core.errors import InvalidArgument
from rollcall.core.texts import Texts, short

TEXTS = Texts(__file__)


def invalid(field: str, key: str, hint: str, /, **values: object) -> InvalidArgument:
    """Return the error of an argument, with the texts `errors.<key>` and `hints.<hint>`."""
    what, accepted = TEXTS.text(f"errors.{key}", **values), TEXTS.text(f"hints.{hint}", **values)
    return InvalidArgument(what, field=field, hint=accepted)


def summary(name: str, argument: str) -> Callable[[dict[str, Any]], dict[str, str]]:
    """Return the function that summarizes a write for its decider, by a text and an argument."""

    def summarize(arguments: dict[str, Any]) -> dict[str, str]:
        value = short(str(arguments.get(argument) or "—"))
        return TEXTS.by_language(f"summaries.{name}", what=value)

    return summarize
