"""Pages of a file, or the reason why it cannot be read."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from rollcall.core.texts import TEXTS

MOST_PAGES = 500
MOST_PAGE_CHARS = 200_000
MOST_CHARS = 6_000_000
"""Of all pages together: some 2,000 densely printed ones."""

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
        number: Counted from 1; None where the file has no pages: its text then comes in pieces
            that end where lines do.
        large: Which of its lines are set in larger letters than the rest, counted from 0.
    """

    number: int | None
    text: str
    large: frozenset[int] = frozenset()


class CannotRead(Exception):
    """A file has no readable text; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem: Problem = problem

    def reason(self) -> dict[str, str]:
        """Return the problem as a document's record has it: a code, and a text by language."""
        limits = {"pages": MOST_PAGES, "chars": f"{MOST_CHARS:,}"}
        texts = TEXTS.by_language(f"documents.problems.{self.problem}", **limits)
        return {"code": self.problem, **texts}
