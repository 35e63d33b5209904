"""JSON with `//` and `/* */` comments, as firebase-tools reads it, with the place of each value."""

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
    """A value in a JSON text, and its place there."""

    value: Any
    start: int
    end: int
    children: tuple[tuple[str | int, int, Node], ...] = ()
    """For an object or array: the key or index of each entry, its place, and its value."""

    def child(self, key: str | int) -> Node:
        """Return the value of a key or index; of two equal keys the last counts."""
        return next(node for name, _, node in reversed(self.children) if name == key)


def parse(text: str) -> Node:
    """Parse a JSON text that may have comments.

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
    """Parse the text of a file as an object; an empty file has an empty object.

    Raises:
        Problem: It is not JSON, or not an object.
    """
    try:
        root = parse(text or "{}")
    except ValueError as error:
        raise problem_at(file, error) from error
    if not isinstance(root.value, dict):
        raise Problem(f"{file}:1: an object {{ ... }} is expected.")
    return root


def read_jsonc(file: Path) -> dict[str, Any]:
    """Return the object in a file.

    Raises:
        Problem: It cannot be read, is not UTF-8, not JSON or not an object.
    """
    found: dict[str, Any] = parse_object(read_text(file), file).value
    return found


def line_number(text: str, place: int) -> int:
    """Return the line of a place in a text, from 1."""
    return text.count("\n", 0, place) + 1


def problem_at(file: str | Path, error: ValueError) -> Problem:
    """Return the problem for a file, from an error whose message begins with the line."""
    return Problem(f"{file}:{str(error).removeprefix('line ')}")


def without_comments(text: str) -> str:
    """Return a JSON text with blanks in place of its `//` and `/* */` comments."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return _TEXT_OR_COMMENT.sub(blank, text)


def _skip(code: str, place: int) -> int:
    """Return the place of the next character that is not a blank."""
    found = _BLANK.match(code, place)
    return found.end() if found else place


def _node(code: str, start: int) -> Node:
    """Return the value that begins at a place in JSON without comments."""
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
