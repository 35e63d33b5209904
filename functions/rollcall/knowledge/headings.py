"""Which lines are headings, and of which level: by Markdown's marks, or by how headings look."""

from __future__ import annotations

import re

from msgspec import Struct

MOST_CHARS = 120


class Heading(Struct, frozen=True):
    """A heading; one of a lower level stands above those of higher ones."""

    level: int
    title: str


_MARKDOWN = re.compile(r" {0,3}(#{1,6})[ \t]")
_NAMED = re.compile(
    r"^(?P<word>part|chapter|appendix|annex|article|section|פרק|חלק|נספח|שער|סעיף)"
    r"\s+(?P<number>\d[\d.\-]*|[IVXLC]{1,7}|[A-Zא-ת]['׳]?)(?P<rest>(?:\W.*)?)$",
    re.IGNORECASE,
)
_NAMED_LEVELS = {"article": 2, "section": 3, "סעיף": 3}
_NUMBERED = re.compile(r"^(?P<number>[1-9]\d{0,3}(?:\.\d{1,3}){0,4})\.?\s+(?P<title>\S.*)$")
_NUMBERED_LEVEL = 2
_PLAIN_LEVEL = 3
_BEGINS_TITLE = re.compile(r"[A-ZÀ-Þא-ת(“\"]")
_ENDS_SENTENCE = (".", ",", ";", ":", "-")
_LEADERS = re.compile(r"\.{3,}|(?:\. ){3,}")
_MOST_WORDS = 12


def markdown_heading(line: str) -> Heading | None:
    """The heading that a Markdown line is: one to six `#` and a title."""
    found = _MARKDOWN.match(line)
    if found is None:
        return None
    # By hand: an expression for closing marks takes quadratic time over a line made of them.
    title = line[found.end() :].strip()
    opened = title.rstrip("#")
    title = opened.rstrip() if not opened or opened[-1] in " \t" else title
    return Heading(len(found[1]), _short(title)) if title else None


def printed_heading(line: str, *, is_large: bool) -> Heading | None:
    """The heading that a line of a printed page seems to be.

    These look like one: "Chapter 3", "ARTICLE 250 Grounding", "סעיף 4"; "3.2 Grounding" (a number
    alone, as in "3 Grounding", only in capitals or large letters); a line in capitals; a line in
    letters larger than the page's. A line that goes on like a sentence, or has the dots of a
    table of contents, does not.

    Args:
        is_large: Whether its letters are larger than most of the page.
    """
    line = line.strip()
    if not 2 <= len(line) <= MOST_CHARS or line.endswith(_ENDS_SENTENCE) or _LEADERS.search(line):
        return None
    words = line.split()
    if len(words) > _MOST_WORDS or not any(char.isalpha() for char in line):
        return None
    level = _level(line, stands_out=is_large or _is_in_capitals(line))
    return None if level is None else Heading(level, _short(line))


def _level(line: str, *, stands_out: bool) -> int | None:
    if (named := _NAMED.match(line)) and _begins_title(named["rest"].lstrip(" .:–—-")):
        return _NAMED_LEVELS.get(named["word"].lower(), 1)
    if (numbered := _NUMBERED.match(line)) and _begins_title(numbered["title"]):
        depth = numbered["number"].count(".") + 1
        if depth > 1 or stands_out:
            return _NUMBERED_LEVEL + depth
    return _PLAIN_LEVEL if stands_out else None


def _begins_title(text: str) -> bool:
    return not text or _BEGINS_TITLE.match(text) is not None


def _is_in_capitals(line: str) -> bool:
    letters = [char for char in line if char.isalpha()]
    return (
        len(letters) >= (4 if " " in line else 6)  # a short word alone may be an abbreviation
        and all(char.isupper() for char in letters)
        and len(letters) * 5 >= len("".join(line.split())) * 3
    )


def _short(title: str) -> str:
    return " ".join(title[: 10 * MOST_CHARS].split())[:MOST_CHARS]
