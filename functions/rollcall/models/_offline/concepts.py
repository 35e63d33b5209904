"""Questions of what something is or says, answered from what the agent knows beforehand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.core.profile import Note

_ABOUT = re.compile(
    r"\b(?:what|which)\b.{0,80}\b(?:about|mean|means|cover|covers|say|says|deal|deals)\b"
    r"|\bmeaning of\b|\btell me about\b"
    r"|\b(?:just |please )?explain\b|\bwhy (?:does|do|is|are)\b"
    r"|על מה |מה (?:אומר|כתוב|דורש|קובע|המשמעות|פירוש)|מה ההסבר|\bה?סב(?:ר|ירי?)\b|תסביר"
    r"|למה (?:צריך|יש)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\W*(?:what(?:'s| is| are)|define|מה זה|מהו|מהי|מה הם)\s+"
    r"(?!the\b|my\b|our\b|your\b|his\b|her\b|their\b|this\b|that\b)",
    re.IGNORECASE,
)
_OF_SOMETHING = re.compile(
    r"\b(?:on|at|in|for|of)\b\s+\S*\s*\S*\d|\d\s*(?:a|amps?|v|kva|kw|w|ft|m)\b", re.I
)
_NO_CALCULATION = re.compile(
    r"\b(?:don't|do not|without) calculat|\bjust explain\b|בלי חישוב|אל תחשב", re.IGNORECASE
)


def explained(text: str, notes: Sequence[Note]) -> str | None:
    """The answer to a question about a concept, out of the notes on it, with their numbers; None
    where the message asks for something else, or nothing is known of it."""
    if not notes or not asks_what_it_is(text):
        return None
    return "\n\n".join(f"{note.text} [{note.citation.n}]" for note in notes)


def asks_what_it_is(text: str) -> bool:
    """Whether a message asks what something is about or means, and not for a figure of its own."""
    if _NO_CALCULATION.search(text):
        return True
    if _ABOUT.search(text):
        return not _OF_SOMETHING.search(text)
    return bool(_BARE.match(text)) and not _OF_SOMETHING.search(text)
