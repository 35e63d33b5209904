"""Compact forms of old calls: long contents are replaced by a word on what they were.

`leftOut` says what is missing. No tool takes it: a call that a model copies from such a form is
refused, and nothing is written.
"""

from __future__ import annotations

from typing import Any

from rollcall.core.capability import Recap

WHOLE_CHARS = 400
"""A text as short as this is told as it was."""
HEAD_CHARS, TAIL_CHARS = 400, 800
"""Of a command's output; the end says how it went."""
KEPT_ITEMS = 10
"""Of a folder's entries, and of lines that were found."""


def compact_read(arguments: dict[str, Any], output: Any) -> Recap:
    """A file that was read: its path, size and digest, without its content."""
    told = _mapping(output)
    if _is_long(told.get("content")):
        told = {key: told[key] for key in told if key != "content"}
        told["leftOut"] = "the content; read_file shows it again"
    return Recap(arguments, told or output, of=_path(arguments))


def compact_write(arguments: dict[str, Any], output: Any) -> Recap:
    """A file that was written, without its content."""
    return Recap(_without(arguments, "content"), output, of=_path(arguments))


def compact_edit(arguments: dict[str, Any], output: Any) -> Recap:
    """A file that was changed, without the texts where these are long."""
    return Recap(_without(arguments, "oldText", "newText"), output, of=_path(arguments))


def compact_listing(arguments: dict[str, Any], output: Any) -> Recap:
    """A folder's first entries, and how many more it has."""
    return Recap(arguments, _fewer(output, "entries", "list_directory"))


def compact_matches(arguments: dict[str, Any], output: Any) -> Recap:
    """The first lines that were found, and how many there were."""
    return Recap(arguments, _fewer(output, "matches", "search_files"))


def compact_command(arguments: dict[str, Any], output: Any) -> Recap:
    """A command's exit code, and the beginning and end of its output."""
    told = _mapping(output)
    text = told.get("output")
    if isinstance(text, str) and len(text) > HEAD_CHARS + TAIL_CHARS + 100:
        left_out = len(text) - HEAD_CHARS - TAIL_CHARS
        head, tail = text[:HEAD_CHARS], text[-TAIL_CHARS:]
        told = {**told, "output": f"{head}\n[{left_out:,} characters left out]\n{tail}"}
    return Recap(arguments, told or output)


def _without(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    """The arguments without these texts where they are long."""
    long = [name for name in names if _is_long(arguments.get(name))]
    if not long:
        return arguments
    told = {key: value for key, value in arguments.items() if key not in long}
    sizes = " and ".join(f"{name} of {len(arguments[name]):,} characters" for name in long)
    return {**told, "leftOut": f"{sizes}; read_file shows the file"}


def _fewer(output: Any, name: str, tool: str) -> Any:
    told = _mapping(output)
    items = told.get(name)
    if not isinstance(items, list) or len(items) <= KEPT_ITEMS:
        return output
    left_out = f"{len(items) - KEPT_ITEMS:,} more; {tool} shows them again"
    return {**told, name: items[:KEPT_ITEMS], "leftOut": left_out}


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > WHOLE_CHARS


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _path(arguments: dict[str, Any]) -> str | None:
    path = arguments.get("path")
    return path if isinstance(path, str) else None
