"""What the workspace's tools take, bounded before any client sees it."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import to_json

CONTENT_CHARS = 150_000
"""The longest text of a file that is written, and of a piece of it that is replaced."""
CONTENT_BYTES = 300_000
"""The same as it travels: what is not ASCII, and what JSON escapes, takes more than its length."""
COMMAND_CHARS = 4_000
PATH_CHARS = 1_000
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""What turns a line around. No path needs it; in a command it is shown by its number."""


def _inside(path: str) -> str:
    """What cannot be a path below the workspace's root is refused before any client sees it."""
    parts = path.split("/")
    if path.startswith(("/", "~")) or "\\" in path or re.match("[A-Za-z]:", path):
        raise ValueError("write the path from the workspace's root, with /, as in src/app.py")
    if ".." in parts:
        raise ValueError(".. is not taken: write the path from the workspace's root")
    if _CONTROL.search(path) or _TURNING.search(path):
        raise ValueError("a path has no control characters")
    return path


def _typed(text: str) -> str:
    if _CONTROL.search(text.replace("\n", "").replace("\t", "")):
        raise ValueError("a command has no control characters but line breaks and tabs")
    if not text.strip():
        raise ValueError("the command is empty")
    return text


def _carried(text: str) -> str:
    if len(to_json(text)) > CONTENT_BYTES:
        raise ValueError(f"the text may have {CONTENT_BYTES:,} bytes as JSON; write it in parts")
    return text


Path = Annotated[str, Field(min_length=1, max_length=PATH_CHARS), AfterValidator(_inside)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Line = Annotated[int, Field(ge=1, le=10_000_000)]
Content = Annotated[str, Field(max_length=CONTENT_CHARS), AfterValidator(_carried)]
Passage = Annotated[str, Field(min_length=1, max_length=CONTENT_CHARS), AfterValidator(_carried)]
Command = Annotated[str, Field(min_length=1, max_length=COMMAND_CHARS), AfterValidator(_typed)]
Words = Annotated[str, Field(min_length=1, max_length=1_000)]
NameGlob = Annotated[str, Field(min_length=1, max_length=200)]
