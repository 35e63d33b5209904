"""Reads and edits an app's `.env`, from which its functions take their settings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.commands.init.text import append_lines

_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*([^\r\n]*?)[ \t]*$", re.MULTILINE)


def value(text: str, name: str) -> str | None:
    """What a variable is set to; None where it is not."""
    found = [each[2] for each in _LINE.finditer(text) if each[1] == name]
    return found[-1].split(" #")[0].strip().strip("'\"") if found else None


def merge(text: str, settings: Sequence[tuple[str, str, str]]) -> str:
    """Add variables that the file does not set, each as its name, value and comment."""
    for name, wanted, comment in settings:
        if value(text, name) is None:
            text = append_lines(text, f"# {comment}\n{name}={wanted}\n")
    return text
