"""Pages of a file, reasons why one cannot be read, and the reading of text and Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
PIECE_CHARS = 100_000
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
    yield from in_pieces((line, False) for line in clean.split("\n"))


def in_pieces(lines: Iterable[tuple[str, bool]]) -> Iterator[int | Page]:
    """Yield the number of pieces of a text without pages, and then each piece. They end at line
    ends; only a line that is longer than a piece is cut inside.

    Args:
        lines: The lines, and whether each is in larger letters than the rest.
    Raises:
        CannotRead: The lines have no text.
    """
    pieces: list[Page] = []
    texts: list[str] = []
    large: set[int] = set()
    chars = 0
    for line, is_large in lines:
        for start in range(0, max(len(line), 1), PIECE_CHARS):
            text = line[start : start + PIECE_CHARS]
            if texts and chars + len(text) > PIECE_CHARS:
                pieces.append(Page(None, "\n".join(texts), frozenset(large)))
                texts, large, chars = [], set(), 0
            if is_large and text:
                large.add(len(texts))
            texts.append(text)
            chars += len(text) + 1
    if any(texts):
        pieces.append(Page(None, "\n".join(texts), frozenset(large)))
    if not any(piece.text.strip() for piece in pieces):
        raise CannotRead("no_text")
    yield len(pieces)
    yield from pieces


def cleaned(text: str) -> str:
    """Return text with one kind of line end and without control characters."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
