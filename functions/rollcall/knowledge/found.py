"""What a search over documents finds, and how it is cited."""

from __future__ import annotations

from typing import Literal

from rollcall.core.context import ToolContext
from rollcall.core.shapes import Citation, Wire

Scope = Literal["mine", "team", "all"]
"""Whose documents: the user's own, those shared with the user's team, or both."""

QUOTE_CHARS = 300
_SECTION_SEPARATOR = " › "


class Passage(Wire):
    """A piece of a document that answers a question.

    Attributes:
        heading: The headings above it, outermost first, joined by " › "; "" before the first one.
        page_from: The page it begins on, counted from 1; None in files without pages.
        page_to: The page it ends on.
        score: Ranks the passages of one search, 1 being the best there can be.
    """

    document_id: str
    title: str
    heading: str
    page_from: int | None = None
    page_to: int | None = None
    text: str
    score: float


class Found(Wire):
    """The passages that answer best, best first.

    Attributes:
        searched_all: Whether every document was looked at that the user may read and that is
            ready; false where there are more than one search reads.
    """

    passages: list[Passage]
    searched_all: bool = True


def joined(headings: tuple[str, ...]) -> str:
    """Headings, outermost first, as one line."""
    return _SECTION_SEPARATOR.join(headings)


def cite(ctx: ToolContext, passage: Passage) -> None:
    """Name a passage as a source of the result, by document, page and section."""
    ctx.cite(
        Citation(
            type="document",
            title=passage.title,
            quote=_beginning(passage.text),
            document_id=passage.document_id,
            page=passage.page_from,
            section=passage.heading or None,
        )
    )


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTE_CHARS else f"{line[: QUOTE_CHARS - 1].rstrip()}…"
