"""Splits pages into passages for search and citation, without losing text.

A passage ends before a heading, or at the end of a paragraph or a sentence after about
`TARGET_CHARS`, and at the latest at `MAX_CHARS`. It has its pages and the headings above it.
Headings are recognised by Markdown's marks, or by the look of printed headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from msgspec import Struct, field

from rollcall.core.texts import TEXTS
from rollcall.knowledge.pages import Page

TARGET_CHARS = 1_100
MAX_CHARS = 1_500
HEADING_CHARS = 120
"""A longer line is not a heading."""
_MIN_CHARS = 60
"""A shorter passage continues after an apparent heading on the same page: in a table many lines
look like headings."""
_SENTENCE_ENDS = (".", "!", "?", ":", "״", "。")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_MARKDOWN = re.compile(r" {0,3}(#{1,6})[ \t]")
_NUMBERED = re.compile(r"^(?P<number>[1-9]\d{0,3}(?:\.\d{1,3}){0,4})\.?\s+(?P<title>\S.*)$")
_NUMBERED_LEVEL = 2
_PLAIN_LEVEL = 3
_BEGINS_TITLE = re.compile(r"[A-ZÀ-Þא-ת(“\"]")
_GOES_ON = (".", ",", ";", ":", "-")
_LEADERS = re.compile(r"\.{3,}|(?:\. ){3,}")
_MAX_WORDS = 12


class Piece(Struct, frozen=True):
    """A passage of a document.

    Attributes:
        headings: The headings above its first sentence, outermost first.
        page_from: The page it begins on; None in files without pages.
        page_to: The page it ends on.
    """

    headings: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    text: str


class Heading(Struct, frozen=True):
    """A heading; a heading of a lower level contains those of higher levels."""

    level: int
    title: str


def split(pages: Iterable[Page], *, markdown: bool = False) -> Iterator[Piece]:
    """Split a stream of pages into passages, with one passage in memory at a time.

    Args:
        markdown: Whether headings are Markdown's, instead of lines that look like headings.
    """
    passage = _OpenPassage(markdown)
    for page in pages:
        for number, line in enumerate(page.text.split("\n")):
            yield from passage.add(page.number, line.rstrip(), is_large=number in page.large)
    yield from passage.end()


class _OpenPassage(Struct):
    """A passage that is built line by line."""

    markdown: bool
    _above: list[Heading] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _chars: int = 0
    _pages: list[int] = field(default_factory=list)
    _headings: tuple[str, ...] | None = None
    """The passage's headings; None until it has other text."""
    _in_fence: bool = False

    def add(self, page: int | None, line: str, *, is_large: bool) -> Iterator[Piece]:
        """Add a line, and yield the passages that it ends.

        Args:
            page: The page that the line is on; None where there are no pages.
            is_large: Whether it is printed larger than the text around it.
        """
        if self.markdown and _FENCE.match(line):
            self._in_fence = not self._in_fence
        if not self.markdown:
            heading = printed_heading(line, is_large=is_large)
        else:
            heading = None if self._in_fence else markdown_heading(line)
        if heading:
            # Successive headings belong to the text that follows them.
            has_text = self._headings is not None
            is_new_page = page is not None and page not in self._pages
            ends = has_text and (self.markdown or is_new_page or self._chars >= _MIN_CHARS)
        else:
            is_full = self._chars >= TARGET_CHARS
            ends = is_full and (not line.strip() or self._lines[-1].endswith(_SENTENCE_ENDS))
        if ends:
            yield from self.end()
        if heading:
            self._above = [each for each in self._above if each.level < heading.level]
            self._above.append(heading)
        elif line.strip() and self._headings is None:
            self._headings = self._titles()
        for part in _parts(line):
            if self._chars + len(part) + 1 > MAX_CHARS:
                yield from self.end()
                self._headings = self._titles()
            if not part and not self._lines:
                continue
            self._lines.append(part)
            self._chars += len(part) + 1
            if page is not None and part.strip():
                self._pages.append(page)

    def end(self) -> Iterator[Piece]:
        """Yield the passage, unless it is empty, and begin the next."""
        text = "\n".join(self._lines).strip("\n")
        if text.strip():
            first = min(self._pages, default=None)
            last = max(self._pages, default=None)
            headings = self._titles() if self._headings is None else self._headings
            yield Piece(headings, first, last, text)
        self._lines, self._chars, self._pages, self._headings = [], 0, [], None

    def _titles(self) -> tuple[str, ...]:
        return tuple(each.title for each in self._above)


def _parts(line: str) -> Iterator[str]:
    """Yield a line in parts that fit into a passage, cut between words if possible."""
    room = MAX_CHARS - 1
    while len(line) > room:
        at = line.rfind(" ", room // 2, room)
        at = room if at < 0 else at
        yield line[:at]
        line = line[at:].lstrip(" ")
    yield line


def markdown_heading(line: str) -> Heading | None:
    """Return the heading on a Markdown line: one to six `#` and a title."""
    found = _MARKDOWN.match(line)
    if found is None:
        return None
    # No regular expression: one for closing marks takes quadratic time for a line of marks.
    title = line[found.end() :].strip()
    opened = title.rstrip("#")
    title = opened.rstrip() if not opened or opened[-1] in " \t" else title
    return Heading(len(found[1]), _short(title)) if title else None


def printed_heading(line: str, *, is_large: bool) -> Heading | None:
    """Return the heading that a line of a printed page seems to be; None if it is not one.

    These look like headings: "Chapter 3", "ARTICLE 250 Grounding", and their equivalents in other
    languages; "3.2 Grounding" (with a number like that of "3 Grounding" only in capitals or large
    letters); a line in capitals; a line in letters larger than the page's. A line that ends like an
    unfinished sentence, or has the dots of a table of contents, is not a heading.

    Args:
        is_large: Whether its letters are larger than most of the page.
    """
    line = line.strip()
    if not 2 <= len(line) <= HEADING_CHARS or line.endswith(_GOES_ON) or _LEADERS.search(line):
        return None
    if len(line.split()) > _MAX_WORDS or not any(char.isalpha() for char in line):
        return None
    stands_out = is_large or _is_in_capitals(line)
    pattern, levels = _named_headings()
    if (named := pattern.match(line)) and _begins_title(named["rest"].lstrip(" .:–—-")):
        return Heading(levels[named["word"].lower()], _short(line))
    if (numbered := _NUMBERED.match(line)) and _begins_title(numbered["title"]):
        depth = numbered["number"].count(".") + 1
        if depth > 1 or stands_out:
            return Heading(_NUMBERED_LEVEL + depth, _short(line))
    return Heading(_PLAIN_LEVEL, _short(line)) if stands_out else None


@cache
def _named_headings() -> tuple[re.Pattern[str], dict[str, int]]:
    """Return the pattern of headings that begin with a word, such as "Chapter 3" or "Annex D:
    Examples", and the level of each word."""
    levels = TEXTS.table("documents.cues.headings")
    pattern = re.compile(
        rf"^(?P<word>{'|'.join(map(re.escape, levels))})"
        r"\s+(?P<number>\d[\d.\-]*|[IVXLC]{1,7}|[A-Zא-ת]['׳]?)(?P<rest>(?:\W.*)?)$",
        re.IGNORECASE,
    )
    return pattern, levels


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
    return " ".join(title[: 10 * HEADING_CHARS].split())[:HEADING_CHARS]
