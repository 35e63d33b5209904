"""Distinguishes questions about what something is from questions for a figure, in English and
Hebrew."""

from __future__ import annotations

import re

_ABOUT = re.compile(
    r"\b(?:what|which)\b(?! about\b).{0,80}"
    r"\b(?:about|mean|means|cover|covers|say|says|deal|deals)\b"
    r"|\bmeaning of\b|\btell me about\b"
    r"|\b(?:just |please )?explain\b|\bwhy (?:does|do|is|are|must|should|can't|would)\b"
    r"|\bdifferences? between\b"
    r"|על מה |מה (?:אומר|כתוב|דורש|קובע|המשמעות|פירוש)|מה ההסבר|\bה?סב(?:ר|ירי?)\b|תסביר"
    r"|למה (?:צריך|יש|חייבים|חייב|אסור)|מה ההבדל",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\W*(?:what(?:'s| is| are)|define|מה זה|מהו|מהי|מה הם)\s+"
    r"(?!the\b|my\b|our\b|your\b|his\b|her\b|their\b|this\b|that\b|its?\b)",
    re.IGNORECASE,
)
_OF_SOMETHING = re.compile(
    r"\b(?:on|at|in|for|of)\b\s+\S*\s*\S*\d|\d\s*(?:a|amps?|v|kva|kw|w|ft|m)\b", re.I
)
_NO_CALCULATION = re.compile(
    r"\b(?:don't|do not|without) calculat|\bjust explain\b|בלי חישוב|אל תחשב", re.IGNORECASE
)


def asks_what_it_is(text: str) -> bool:
    """Tell whether a message asks what something is or means, and not for a figure."""
    if _NO_CALCULATION.search(text):
        return True
    if _ABOUT.search(text):
        return not _OF_SOMETHING.search(text)
    return bool(_BARE.match(text)) and not _OF_SOMETHING.search(text)
