"""Tool calls that Gemini sends in pieces."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from rollcall.core.messages import Json
from rollcall.models._json_stream import text

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[['\"](.*?)['\"]\]")


class PartialCall:
    """Arguments that arrive as values at JSON paths, long texts in several pieces."""

    def __init__(self, id: str, told: dict[str, Json], arguments: dict[str, Json]) -> None:
        self.id = id
        self.told = told
        self.arguments = arguments

    def add(self, piece: dict[str, Json]) -> None:
        """Put one value where its path says; text is added to what is there."""
        steps = [
            int(index) if index else key or quoted
            for key, index, quoted in _STEP.findall(text(piece.get("jsonPath")))
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


def _value(piece: dict[str, Json]) -> Json:
    values = (piece.get(f"{kind}Value") for kind in ("string", "number", "bool"))
    return next((value for value in values if value is not None), None)
