"""A request's parts: stretches that ask for different things."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from rollcall.models._offline.choose import Choice, best, opens, rank
from rollcall.models._offline.mentions import is_within, mentions
from rollcall.models.base import ToolSpec

_BOUNDARY = re.compile(
    r"(?<=[.?!;\n])\s+|,\s+(?:and\s+)?(?:then\s+|also\s+)?|"
    r"(?<!\s)\s+(?:and then|and also|and|then|also|plus|as well as|וגם|ואז|ואחר כך|בנוסף)\s+|"
    r"(?<!\s)\s+(?=ו(?:אילו|מה|איך|מתי|כמה|את|ב|ה)?[א-ת]{3,}|ו(?:מה|מי|מתי|כמה|איך|איזה|את|של)\s)",
    re.IGNORECASE,
)
_MOST_PARTS, _MOST_PIECES = 6, 60


class Part(Struct, frozen=True):
    """A stretch of the request and the tool that fits it, if one does."""

    text: str
    choice: Choice | None
    pieces: tuple[str, ...] = ()


def split(text: str, tools: Sequence[ToolSpec]) -> list[Part]:
    """Return the parts of a request that ask for different tools; one part where none do."""
    whole = best(text, tools)
    parts: list[Part] = []
    for piece in _pieces(text):
        choice = best(piece, tools)
        if choice and choice.tool.writes and not opens(piece, choice.tool):
            choice = None  # "circuit 20, main panel" asks for no new circuit
        if choice is None or (parts and _same_tool(parts[-1].choice, choice)):
            _extend(parts, piece, choice)
        elif parts and parts[-1].choice is None:
            joined = f"{parts[-1].text} {piece}"
            parts[-1] = Part(joined, choice, (joined,))
        else:
            parts.append(Part(piece, choice, (piece,)))
    distinct = {part.choice.tool.name for part in parts if part.choice}
    if len(distinct) < 2 or not _worth_splitting(parts, whole):
        return [Part(text, whole, tuple(_pieces(text)))]
    return parts[:_MOST_PARTS]


def _pieces(text: str) -> list[str]:
    """Cut at conjunctions and stops, but never inside a quote, a name or a number."""
    found = mentions(text)
    pieces: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if is_within(found, match.start(), match.end()):
            continue
        if len(pieces) == _MOST_PIECES:
            break
        if text[start : match.start()].strip():
            pieces.append(text[start : match.start()].strip())
        start = match.end()
    return [*pieces, text[start:].strip()] if text[start:].strip() else pieces


def _extend(parts: list[Part], piece: str, choice: Choice | None) -> None:
    if parts:
        last = parts[-1]
        parts[-1] = Part(f"{last.text}, {piece}", last.choice, (*last.pieces, piece))
    else:
        parts.append(Part(piece, choice, (piece,)))


def _same_tool(one: Choice | None, other: Choice) -> bool:
    return one is not None and one.tool.name == other.tool.name


def _worth_splitting(parts: list[Part], whole: Choice | None) -> bool:
    """Tell real parts from one request whose words happen to touch several tools.

    Every part but the whole's own must ask for its tool about as clearly as the whole does, or
    plainly: by its keyword, and with no word that the tool does not know.
    """
    if whole is None:
        return True
    chosen = [part.choice for part in parts if part.choice]
    return all(each.points >= 0.3 * whole.points or each.is_plain for each in chosen)


def ranked(text: str, tools: Sequence[ToolSpec]) -> list[ToolSpec]:
    """Return the tools by how well they fit, for naming what could help."""
    return [choice.tool for choice in rank(text, tools)]
