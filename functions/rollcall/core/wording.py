"""Sentences in the user's language, with other people's words in them.

A name or a text that reads the other way must not move what stands around it, so each is put
into an isolate; direction marks of its own could make it look like something else and are left out.
"""

from __future__ import annotations

import re

_ISOLATE, _POP = "\u2068", "\u2069"
_DIRECTION_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_SHORT = 120


def isolated(text: str) -> str:
    """Return a text isolated from the direction of the text around it."""
    return f"{_ISOLATE}{_DIRECTION_MARKS.sub('', text)}{_POP}"


def short(text: str, *, most: int = _SHORT) -> str:
    """Return the beginning of a text on one line, isolated."""
    line = " ".join(text.split())
    return isolated(line if len(line) <= most else f"{line[: most - 1].rstrip()}…")
