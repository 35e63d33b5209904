"""Splits streaming Markdown into blocks that can be printed while the rest still streams.

A block is a paragraph, a list item with its content, a heading, a table or a code block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_NAMED_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\u2068?`")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Markdown. `apart`: whether an empty line precedes it."""

    text: str
    apart: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a block that is either code or text."""

    text: str
    is_code: bool


def sections(text: str) -> list[Section]:
    """Split a block of Markdown into code and the text around it."""
    found: list[Section] = []
    lines: list[str] = []
    in_code = False

    def finish(*, is_code: bool) -> None:
        part = "\n".join(lines)
        lines.clear()
        if part.strip():
            found.append(Section(dedent(part) if is_code else part, is_code))

    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        if is_fence and not in_code:
            finish(is_code=False)
        lines.append(line)
        if is_fence and in_code:
            finish(is_code=True)
        in_code = in_code != is_fence
    finish(is_code=in_code)
    return found


def begins_with_name(text: str) -> bool:
    """Whether a block is a list item that begins with a name in code, such as a file name."""
    return _NAMED_ITEM.match(text) is not None


class MarkdownStream:
    """A splitter that takes text and returns finished blocks."""

    def __init__(self) -> None:
        self._line = ""  # not ended yet
        self._lines: list[str] = []  # of the piece that is not finished yet
        self._apart = True
        self._in_code = False

    def add(self, text: str) -> list[Block]:
        """Add text; return the blocks that it finishes."""
        *lines, self._line = (self._line + text).split("\n")
        return [block for line in lines for block in self._add_line(line)]

    def end(self) -> list[Block]:
        """End the text; return the last blocks."""
        last = self._add_line(self._line) if self._line.strip() else []
        self._line = ""
        return [*last, *self._finish()]

    @property
    def rest(self) -> Block:
        """The unfinished block so far."""
        lines = [*self._lines, self._line]
        starts_another = self._lines and not self._in_code and _ITEM.match(self._line)
        return Block("\n".join(lines), apart=self._apart and not starts_another)

    def _add_line(self, line: str) -> list[Block]:
        if _FENCE.match(line):
            self._in_code = not self._in_code
        elif not self._in_code and not line.strip():
            finished = self._finish()
            self._apart = True
            return finished
        elif not self._in_code and _ITEM.match(line):
            finished = self._finish()
            self._lines = [line]
            return finished
        self._lines.append(line)
        return []

    def _finish(self) -> list[Block]:
        if not self._lines:
            return []
        block = Block("\n".join(self._lines), self._apart)
        self._lines, self._apart = [], False
        return [block]
