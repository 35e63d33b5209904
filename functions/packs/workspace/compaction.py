"""Compact forms of old calls: a note takes the place of long contents.

`leftOut` says what is missing. No tool accepts it: a call that a model copies from a compact form
is refused, and nothing is written.
"""

from __future__ import annotations

from typing import Any

from rollcall.core.capability import Compaction, CompactionFunction

WHOLE_CHARS = 400
"""Longest text that stays whole."""
HEAD_CHARS, TAIL_CHARS = 400, 800
"""How much of a command's output stays; its end says how the command went."""
KEPT_ITEMS = 10
"""How many entries of a folder, or matches of a search, stay."""


def compact_read(arguments: dict[str, Any], output: Any) -> Compaction:
    """Keep a read file's path, size and digest, without its content."""
    result = _mapping(output)
    if _is_long(result.get("content")):
        result = {key: result[key] for key in result if key != "content"}
        result["leftOut"] = "the content; read_file shows it again"
    return Compaction(arguments, result or output, of=_path(arguments))


def compact_write(arguments: dict[str, Any], output: Any) -> Compaction:
    """Keep what was written to a file or changed in it, without texts that are long."""
    texts = ("content", "oldText", "newText")
    if long := [name for name in texts if _is_long(arguments.get(name))]:
        sizes = " and ".join(f"{name} of {len(arguments[name]):,} characters" for name in long)
        arguments = {key: value for key, value in arguments.items() if key not in long}
        arguments["leftOut"] = f"{sizes}; read_file shows the file"
    return Compaction(arguments, output, of=_path(arguments))


def compact_list(name: str, *, tool: str) -> CompactionFunction:
    """Return the function that keeps the first items of the list `name`, and the number of the
    rest, which `tool` shows again."""

    def compact(arguments: dict[str, Any], output: Any) -> Compaction:
        items = _mapping(output).get(name)
        if isinstance(items, list) and len(items) > KEPT_ITEMS:
            left_out = f"{len(items) - KEPT_ITEMS:,} more; {tool} shows them again"
            output = {**output, name: items[:KEPT_ITEMS], "leftOut": left_out}
        return Compaction(arguments, output)

    return compact


def compact_command(arguments: dict[str, Any], output: Any) -> Compaction:
    """Keep a command's exit code, and the beginning and end of its output."""
    result = _mapping(output)
    text = result.get("output")
    if isinstance(text, str) and len(text) > HEAD_CHARS + TAIL_CHARS + 100:
        left_out = len(text) - HEAD_CHARS - TAIL_CHARS
        head, tail = text[:HEAD_CHARS], text[-TAIL_CHARS:]
        result = {**result, "output": f"{head}\n[{left_out:,} characters left out]\n{tail}"}
    return Compaction(arguments, result or output)


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > WHOLE_CHARS


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _path(arguments: dict[str, Any]) -> str | None:
    path = arguments.get("path")
    return path if isinstance(path, str) else None
