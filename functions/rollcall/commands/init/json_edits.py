"""Edits of JSON files that people write: comments, order and layout stay as they are.

Every edit takes the text of a file and the path of a place in it, such as `("functions", 0)`, and
returns the new text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollcall.commands.init.files import newline_of
from rollcall.emulators.jsonc import Node, parse, without_comments

JsonPath = tuple[str | int, ...]
"""The way to a value, such as `("functions", 0)`."""

_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))*")


def find(text: str, path: JsonPath) -> Node:
    """The value at a path that is known to be there."""
    node = parse(text)
    for key in path:
        node = node.child(key)
    return node


def put_member(text: str, path: JsonPath, key: str, value: Any) -> str:
    """Write a member of an object, in place of the one of that name."""
    node = find(text, path)
    if key in node.value:
        return replace(text, (*path, key), value)
    return _add(text, node, [(f"{json.dumps(key)}: ", value)])


def append_items(text: str, path: JsonPath, items: Iterable[Any]) -> str:
    """Add items at the end of an array."""
    return _add(text, find(text, path), [("", item) for item in items])


def remove_items(text: str, path: JsonPath, indexes: Iterable[int]) -> str:
    """Take items out of an array, each with the lines it stands on."""
    for index in sorted(indexes, reverse=True):
        array, code = find(text, path), without_comments(text)
        _, start, node = array.children[index]
        end = node.end
        if index + 1 < len(array.children):
            end = code.index(",", end) + 1
        elif index > 0:  # the last one: the comma before it goes instead
            comma = code.index(",", array.children[index - 1][2].end)
            text = text[:comma] + text[comma + 1 :]
            start, end = start - 1, end - 1
        line = len(text[:start].rstrip(" \t"))
        rest = re.compile(r"[ \t]*\r?\n").match(text, end)
        if rest and text[:line].endswith("\n"):
            start, end = line, rest.end()
        else:
            start = line
        text = text[:start] + text[end:]
    return text


def replace(text: str, path: JsonPath, value: Any) -> str:
    """Write another value in place of the one that is there."""
    node = find(text, path)
    written = render(value, _line_indent(text, node.start), _unit(text))
    return text[: node.start] + _with_newlines(written, text) + text[node.end :]


def make_list(text: str, path: JsonPath) -> str:
    """Make a value the one item of a list; inside, nothing changes but the indentation."""
    node = find(text, path)
    newline, unit, indent = newline_of(text), _unit(text), _line_indent(text, node.start)
    inner = text[node.start : node.end].replace("\n", "\n" + unit)
    inner = re.sub(r"\n[ \t]+(?=\r?\n)", "\n", inner)  # empty lines stay empty
    written = f"[{newline}{indent}{unit}{inner}{newline}{indent}]"
    return text[: node.start] + written + text[node.end :]


def render(value: Any, indent: str = "", unit: str = "  ") -> str:
    """JSON with a line for each entry, as firebase-tools writes it."""
    written = json.dumps(value, indent=unit, ensure_ascii=False)
    return written.replace("\n", f"\n{indent}")


def _add(text: str, node: Node, entries: Sequence[tuple[str, Any]]) -> str:
    """Add entries, each a key with its colon (or nothing) and a value, at a container's end."""
    if not entries:
        return text
    newline, unit = newline_of(text), _unit(text)

    def written(indent: str, separator: str) -> str:
        rendered = (key + render(value, indent, unit) for key, value in entries)
        return separator.join(_with_newlines(each, text) for each in rendered)

    if not node.children:
        outer = _line_indent(text, node.start)
        indent = outer + unit
        inside = text[node.start + 1 : node.end - 1].rstrip()
        new = written(indent, f",{newline}{indent}")
        new = f"{inside}{newline}{indent}{new}{newline}{outer}"
        return text[: node.start + 1] + new + text[node.end - 1 :]
    first, last = node.children[0][1], node.children[-1][2].end
    line = text.rfind("\n", 0, first) + 1
    if line > node.start:  # each entry begins a line of its own
        indent = text[line:first] if text[line:first].isspace() else ""
        new = written(indent, f",{newline}{indent}")
        rest = _REST_OF_LINE.match(text, last)
        after = rest.end() if rest else last
        if text[after : after + 1] not in ("\r", "\n"):  # a comment that belongs to what follows
            after = last
        return f"{text[:last]},{text[last:after]}{newline}{indent}{new}{text[after:]}"
    return f"{text[:last]}, {written(_line_indent(text, last), ', ')}{text[last:]}"


def _with_newlines(written: str, text: str) -> str:
    return written.replace("\n", newline_of(text))


def _unit(text: str) -> str:
    """By what the file indents: the first line that is indented says it."""
    found = re.search(r"^([ \t]+)[\"{\[]", text, re.MULTILINE)
    return found[1] if found else "  "


def _line_indent(text: str, place: int) -> str:
    line = text.rfind("\n", 0, place) + 1
    found = re.compile(r"[ \t]*").match(text, line)
    return found[0] if found else ""
