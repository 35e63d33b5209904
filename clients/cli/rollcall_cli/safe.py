"""Keeps what a terminal obeys out of what it is shown.

What models, tools, files and servers say is not trusted: escape sequences could rewrite what a
person approves, and marks of direction could show a command backwards.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment

MOST_COLUMNS = 100

# C0 without tab and line feed, DEL, C1; embeddings and overrides. Isolates stay: Hebrew needs them.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
_UNSEEN_IN_JSON = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def tidy(text: str) -> str:
    """`text` without anything that a terminal obeys; for prose. What a person decides about is
    shown by `workspace.visible` instead."""
    return _OBEYED.sub("", text)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON, in characters that the output can hold."""
    text = escaped_json(json.dumps(value, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value)
    print(text)


def escaped_json(text: str) -> str:
    """JSON text that means the same and holds nothing that a terminal obeys or does not show."""
    return _UNSEEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class SafeConsole(Console):
    """A console that prints no control characters but its own, whatever it is given, in lines that
    are not too long to read."""

    @property
    def size(self) -> ConsoleDimensions:
        """As it is now: a terminal can be made wider and narrower."""
        found = super().size
        return ConsoleDimensions(min(found.width, MOST_COLUMNS), found.height)

    @size.setter
    def size(self, size: tuple[int, int]) -> None:
        self._width, self._height = size

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or not _OBEYED.search(segment.text):
                yield segment
            else:
                yield Segment(tidy(segment.text), segment.style)
