"""Pages cut into passages that can be searched and cited. Nothing of the text is lost.

A passage ends before a heading, or at about `TARGET_CHARS` where a paragraph or a sentence does,
and at the latest at `MOST_CHARS`. It knows its pages and the headings above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from rollcall.knowledge.headings import Heading, markdown_heading, printed_heading
from rollcall.knowledge.reading.pages import Page

TARGET_CHARS = 1_100
MOST_CHARS = 1_500
_FEWEST_CHARS = 60
"""A passage that is shorter goes on behind what looks like a heading on the same page: in a table
many lines do."""
_SENTENCE_ENDS = (".", "!", "?", ":", "״", "。")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")


class Piece(Struct, frozen=True):
    """A passage of a document.

    Attributes:
        headings: Those above its first sentence, outermost first.
        page_from: The page it begins on; None in files without pages.
        page_to: The page it ends on.
    """

    headings: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    text: str


def split(pages: Iterable[Page], *, markdown: bool = False) -> Iterator[Piece]:
    """Cut pages into passages as they come; no more than one passage is held.

    Args:
        markdown: Headings are those that Markdown marks, and not what looks like one.
    """
    cutter = _Cutter(markdown)
    for page in pages:
        for number, line in enumerate(page.text.split("\n")):
            yield from cutter.add(page.number, line.rstrip(), is_large=number in page.large)
    yield from cutter.end()


class _Cutter(Struct):
    """The passage that is being made."""

    markdown: bool
    _above: list[Heading] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _chars: int = 0
    _pages: list[int] = field(default_factory=list)
    _headings: tuple[str, ...] | None = None
    """Of the passage: None until it has more than headings in it."""
    _in_fence: bool = False

    def add(self, page: int | None, line: str, *, is_large: bool) -> Iterator[Piece]:
        heading = self._heading(line, is_large)
        if self._ends_before(page, line, heading):
            yield from self.end()
        if heading:
            self._above = [each for each in self._above if each.level < heading.level]
            self._above.append(heading)
        elif line.strip() and self._headings is None:
            self._headings = self._path()
        for part in _parts(line):
            if self._chars + len(part) + 1 > MOST_CHARS:
                yield from self.end()
                self._headings = self._path()
            self._put(page, part)

    def end(self) -> Iterator[Piece]:
        """Give out the passage, if there is anything in it, and begin the next."""
        text = "\n".join(self._lines).strip("\n")
        if text.strip():
            first = min(self._pages, default=None)
            last = max(self._pages, default=None)
            headings = self._path() if self._headings is None else self._headings
            yield Piece(headings, first, last, text)
        self._lines, self._chars, self._pages, self._headings = [], 0, [], None

    def _heading(self, line: str, is_large: bool) -> Heading | None:
        if not self.markdown:
            return printed_heading(line, is_large=is_large)
        if _FENCE.match(line):
            self._in_fence = not self._in_fence
        return None if self._in_fence else markdown_heading(line)

    def _ends_before(self, page: int | None, line: str, heading: Heading | None) -> bool:
        if heading:
            # Headings right behind one another belong to what follows them.
            has_text = self._headings is not None
            is_new_page = page is not None and page not in self._pages
            return has_text and (self.markdown or is_new_page or self._chars >= _FEWEST_CHARS)
        if self._chars < TARGET_CHARS:
            return False
        return not line.strip() or self._lines[-1].endswith(_SENTENCE_ENDS)

    def _put(self, page: int | None, line: str) -> None:
        if not line and not self._lines:
            return
        self._lines.append(line)
        self._chars += len(line) + 1
        if page is not None and line.strip():
            self._pages.append(page)

    def _path(self) -> tuple[str, ...]:
        return tuple(each.title for each in self._above)


def _parts(line: str) -> Iterator[str]:
    """A line in parts that fit into a passage, cut between words where it can be."""
    room = MOST_CHARS - 1
    while len(line) > room:
        at = line.rfind(" ", room // 2, room)
        at = room if at < 0 else at
        yield line[:at]
        line = line[at:].lstrip(" ")
    yield line
