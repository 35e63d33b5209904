"""Text files of an app: their lines, and how these end."""

from __future__ import annotations


def newline_of(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def line_number(text: str, place: int) -> int:
    """The line, from 1, that a place in a text is on."""
    return text.count("\n", 0, place) + 1


def append_lines(text: str, lines: str) -> str:
    """Add lines at the end, with the line ends that the text has."""
    newline = newline_of(text)
    gap = "" if not text or text.endswith("\n") else newline
    return text + gap + lines.replace("\n", newline)
