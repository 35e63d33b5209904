"""Safe output to a terminal.

Text from models, tools, files and servers is not trusted: escape sequences could rewrite what a
person approves, and bidirectional controls could show a command backwards.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment

MAX_COLUMNS = 100

# C0 without tab and line feed, DEL, C1; embeddings and overrides. Isolates stay: Hebrew needs them.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
_INVISIBLE_IN_JSON = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def tidy(text: str) -> str:
    """Remove control characters from prose. What a person decides about is shown with
    `workspace.visible` instead."""
    return _CONTROLS.sub("", text)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON, escaped where the output's encoding requires it."""
    text = escaped_json(json.dumps(value, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value)
    print(text)


def escaped_json(text: str) -> str:
    """Escape the control and invisible characters of a JSON text; its value stays the same."""
    return _INVISIBLE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class SafeConsole(Console):
    """A console that removes control characters from what it prints, and limits the width."""

    @property
    def size(self) -> ConsoleDimensions:
        """The current size; a terminal can be resized."""
        found = super().size
        return ConsoleDimensions(min(found.width, MAX_COLUMNS), found.height)

    @size.setter
    def size(self, size: tuple[int, int]) -> None:
        self._width, self._height = size

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or not _CONTROLS.search(segment.text):
                yield segment
            else:
                yield Segment(tidy(segment.text), segment.style)
