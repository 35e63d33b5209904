"""Tool calls that Gemini sends in pieces."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rollcall.core.messages import Json

if TYPE_CHECKING:
    from google.genai import types

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[['\"](.*?)['\"]\]")


class PartialCall:
    """Arguments that arrive as values at JSON paths, long texts in several pieces."""

    def __init__(self, id: str, told: dict[str, Json], arguments: dict[str, Json]) -> None:
        self.id = id
        self.told = told
        self.arguments = arguments

    def add(self, piece: types.PartialArg) -> None:
        """Put one value where its path says; text is added to what is there."""
        steps = [
            int(index) if index else key or quoted
            for key, index, quoted in _STEP.findall(piece.json_path or "")
        ]
        place: Any = self.arguments
        for step, following in pairwise(steps):
            empty: Any = [] if isinstance(following, int) else {}
            place = _enter(place, step, empty)
        if steps:
            before = _enter(place, steps[-1], None)
            value = _value(piece)
            joined = isinstance(before, str) and isinstance(value, str)
            place[steps[-1]] = before + value if joined else value


def _enter(place: Any, step: str | int, empty: Any) -> Any:
    if isinstance(step, int):
        place.extend([None] * (step + 1 - len(place)))
        if place[step] is None:
            place[step] = empty
        return place[step]
    return place.setdefault(step, empty)


def _value(piece: types.PartialArg) -> Json:
    for value in (piece.string_value, piece.number_value, piece.bool_value):
        if value is not None:
            return value
    return None
