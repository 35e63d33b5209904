"""JSON with `//` and `/* */` comments, as firebase-tools reads it, and where each value stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollcall.core.definition import read_text
from rollcall.core.errors import Problem

_TEXT_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\A\ufeff', re.DOTALL)
_BLANK = re.compile(r"\s*")
_JSON = json.JSONDecoder()


@dataclass(frozen=True)
class Node:
    """A value in a JSON text, and where it stands."""

    value: Any
    start: int
    end: int
    children: tuple[tuple[str | int, int, Node], ...] = ()
    """Of an object or array: key or index, where the entry begins, and its value."""

    def child(self, key: str | int) -> Node:
        """Of two members of one name the last, which is the one that counts."""
        return next(node for name, _, node in reversed(self.children) if name == key)


def parse(text: str) -> Node:
    """Read a JSON text that may hold comments.

    Raises:
        ValueError: It is not JSON; the message begins with the line.
    """
    code = without_comments(text)
    try:
        json.loads(code)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: this is no JSON: {error.msg}") from error
    return _node(code, _skip(code, 0))


def parse_object(text: str, file: str | Path) -> Node:
    """Read the object in a file of this kind; an empty file holds none of its members.

    Raises:
        Problem: It is no JSON, or no object.
    """
    try:
        root = parse(text or "{}")
    except ValueError as error:
        raise problem_at(file, error) from error
    if not isinstance(root.value, dict):
        raise Problem(f"{file}:1: an object {{ ... }} is expected.")
    return root


def read_jsonc(file: Path) -> dict[str, Any]:
    """The object in a file of this kind.

    Raises:
        Problem: It cannot be read, is not in UTF-8, is no JSON, or no object.
    """
    found: dict[str, Any] = parse_object(read_text(file), file).value
    return found


def line_number(text: str, place: int) -> int:
    """The line, from 1, that a place in a text is on."""
    return text.count("\n", 0, place) + 1


def problem_at(file: str | Path, error: ValueError) -> Problem:
    """What is wrong in a file of the app, by an error whose message begins with the line."""
    return Problem(f"{file}:{str(error).removeprefix('line ')}")


def without_comments(text: str) -> str:
    """A JSON text with blanks for `//` and `/* */` comments: all else stays at its place."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return _TEXT_OR_COMMENT.sub(blank, text)


def _skip(code: str, place: int) -> int:
    """Where the first character is that is no blank."""
    found = _BLANK.match(code, place)
    return found.end() if found else place


def _node(code: str, start: int) -> Node:
    """The value that begins here, in a text that is JSON without comments."""
    value, end = _JSON.raw_decode(code, start)
    children: list[tuple[str | int, int, Node]] = []
    place = _skip(code, start + 1)
    while isinstance(value, dict | list) and place < end - 1:
        key: str | int = len(children)
        begin = place
        if isinstance(value, dict):
            key, colon = _JSON.raw_decode(code, place)
            place = _skip(code, code.index(":", colon) + 1)
        child = _node(code, place)
        children.append((key, begin, child))
        place = _skip(code, _skip(code, child.end) + 1)
    return Node(value, start, end, tuple(children))
