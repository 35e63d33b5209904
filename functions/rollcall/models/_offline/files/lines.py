"""Lines of a text: which are meant, and the one edit that changes them."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from msgspec import Struct

from rollcall.models._offline.files.places import is_once, places_of


class Deed(enum.Enum):
    """What is done with the lines that are meant, or beside them."""

    REMOVE = "remove"
    REPLACE = "replace"
    BEFORE = "before"
    AFTER = "after"


class NoSuchLine(Exception):
    """A number that the text has no line for."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no line {number}")
        self.number = number


class Numbered(Struct, frozen=True):
    """Lines by their numbers, from the first to the last of each range.

    Args:
        ranges: Counted from 1, or from the end where negative: (-2, -1) are the last two.
    """

    ranges: tuple[tuple[int, int], ...]

    def places(self, lines: Sequence[str]) -> list[int]:
        """The places of the lines, from 0.

        Raises:
            NoSuchLine: The text has no line of that number.
        """
        found: set[int] = set()
        for first, last in self.ranges:
            for number in (first, last):
                if number == 0 or abs(number) > len(lines):
                    raise NoSuchLine(number)
            ends = sorted(each - 1 if each > 0 else len(lines) + each for each in (first, last))
            found.update(range(ends[0], ends[1] + 1))
        return sorted(found)


class Having(Struct, frozen=True):
    """Lines by what is in them: those that are `text`, or else those that have it.

    Args:
        text: "" for the empty lines.
        every: Whether all that have it are meant; else there should be one.
    """

    text: str
    every: bool = False

    def places(self, lines: Sequence[str]) -> list[int]:
        """The places of the lines, from 0."""
        if not self.text.strip():
            return [at for at, line in enumerate(lines) if not line.strip()]
        having = [at for at, line in enumerate(lines) if places_of(self.text, line)]
        if self.every:
            return having
        whole = [at for at, line in enumerate(lines) if line.strip() == self.text.strip()]
        return whole or having


def edit(content: str, at: Sequence[int], deed: Deed, text: str = "") -> tuple[str, str]:
    """The passage with the lines in it, as many lines more as it takes for it to be there once,
    and what takes its place.

    Args:
        at: The places of the lines, from 0, at least one.
        text: What is put in, without a line break at its end.
    """
    lines = content.splitlines(keepends=True)
    parts = [_changed(line, place, at, deed, text) for place, line in enumerate(lines)]
    start, end = at[0], at[-1] + 1
    is_last = end == len(lines) > len(at) and not content.endswith("\n")
    if deed is Deed.REMOVE and is_last:
        start = _without_break(parts, at)
    while not is_once("".join(lines[start:end]), content):
        start, end = max(start - 1, 0), min(end + 1, len(lines))
    return "".join(lines[start:end]), "".join(parts[start:end])


def _without_break(parts: list[str], at: Sequence[int]) -> int:
    """Take the break off the last line that stays, which ends the file now; return its place."""
    last = max((place for place in range(at[-1]) if place not in at), default=0)
    parts[last] = parts[last].rstrip("\r\n")
    return min(last, at[0])


def _changed(line: str, place: int, at: Sequence[int], deed: Deed, text: str) -> str:
    if place not in at:
        return line
    bare = line.rstrip("\r\n")
    ended = line[len(bare) :]
    # What is put in ends its lines as the file does.
    put = text.replace("\n", ended or "\n")
    if deed is Deed.REMOVE:
        return ""
    if deed is Deed.BEFORE:
        return f"{put}{ended or chr(10)}{line}"
    if deed is Deed.AFTER:
        return f"{bare}{ended or chr(10)}{put}{ended}"
    return f"{put}{ended}" if place == at[0] else ""
