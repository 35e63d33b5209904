"""Pages of a file, reasons why one cannot be read, and the reading of text and Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, get_args

from msgspec import Struct

from rollcall.core.text import decoded_text
from rollcall.core.texts import TEXTS, Text

MAX_PAGES = 500
MAX_PAGE_CHARS = 200_000
MAX_CHARS = 6_000_000
"""The limit for all pages together: about 2,000 densely printed ones."""

Problem = Literal[
    "empty",
    "wrong_type",
    "encrypted",
    "too_many_pages",
    "too_much_text",
    "too_many_passages",
    "too_heavy",
    "malformed",
    "no_text",
    "no_reader",
    "macros",
    "external",
    "gone",
    "failed",
]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)


class Page(Struct, frozen=True):
    """The text of a page.

    Attributes:
        number: Counted from 1; None if the file has no pages: its text then comes in pieces of
            whole lines.
        large: The lines in larger letters than the rest, counted from 0.
    """

    number: int | None
    text: str
    large: frozenset[int] = frozenset()


class CannotRead(Exception):
    """The text of a file cannot be read; `problem` is the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem: Problem = problem

    @property
    def text(self) -> Text:
        """The problem's message, to be localized."""
        limits = {"pages": MAX_PAGES, "chars": f"{MAX_CHARS:,}"}
        return TEXTS.text(f"documents.problems.{self.problem}", **limits)

    def reason(self) -> dict[str, str]:
        """Return the problem in the form of a document's record: a code, and a text by language."""
        texts = {language: self.text.say(language) for language in TEXTS.languages}
        return {"code": self.problem, **texts}


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_PIECE_CHARS = 100_000
_MAX_CONTROL = 0.05
"""A share of control characters that no text exceeds."""


def read_plain(data: bytes) -> Iterator[int | Page]:
    """Yield the number of pieces of a text, and then each of them.

    Raises:
        CannotRead: It is empty, a file of another kind, or too long.
    """
    if not data.strip():
        raise CannotRead("empty")
    if data.lstrip()[:5] == b"%PDF-":
        raise CannotRead("wrong_type")
    text = decoded_text(data)
    clean = cleaned(text)
    if len(text) - len(clean) > _MAX_CONTROL * len(text) + text.count("\r"):
        raise CannotRead("wrong_type")
    if len(clean) > MAX_CHARS:
        raise CannotRead("too_much_text")
    if not clean.strip():
        raise CannotRead("no_text")
    # Cut at line ends; only a line longer than a piece is cut inside.
    pieces, start = list[str](), 0
    while len(clean) - start > _PIECE_CHARS:
        end = clean.rfind("\n", start, start + _PIECE_CHARS)
        end = start + _PIECE_CHARS if end < 0 else end
        pieces.append(clean[start:end])
        start = end
    pieces.append(clean[start:])
    yield len(pieces)
    for piece in pieces:
        yield Page(None, piece)


def cleaned(text: str) -> str:
    """Return text with one kind of line end and without control characters."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
