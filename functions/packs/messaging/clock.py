"""Times of day in a text: "at 10", "5:30pm", "noon", "בשעה 14:30", "ב-10 בבוקר"."""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re
from dataclasses import dataclass
from datetime import time

from packs.messaging.patterns import Pattern

_TIME = Pattern(
    r"(?P<word>\b(?:noon|midday|midnight)\b|(?<![א-ת])ב?(?:ה)?צהריים(?![א-ת])|(?<![א-ת])ב?(?:ה)?חצות(?![א-ת]))"
    r"|(?:(?P<lead>\b(?:at|by|before|around|until|till)\s+|(?<![א-ת])(?:ב|עד|לפני)(?: ?ה)?(?:שעה)?[ -]*))?"
    r"(?<![\d/.:,])(?<!\d-)(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?(?![\d/:]|\.\d|-\d)"
    r"\s*(?P<half>a\.?m\b\.?|p\.?m\b\.?|o'clock|(?:ב)?בוקר|בערב|בלילה|אחר הצהריים|אחרי הצהריים|אחה\"צ|בצהריים)?",
    re.IGNORECASE,
)
_UNIT_NEXT = Pattern(
    r"\s*(?:st|nd|rd|th|days?|weeks?|months?|hours?|minutes?|mins?|people|%|percent|dollars?|\$|k\b|of\b"
    r"|(?:ב|ל)[א-ת]+|ימים|שבועות|חודשים|שעות|דקות|שקל|אנשים|אחוז|₪)",
    re.IGNORECASE,
)
_BINDING = Pattern(r"(?:by|before|until|till)\b|עד|לפני", re.IGNORECASE)
_NEAR = 14  # Characters between a date and its time ("Friday, before 5").
_AFTERNOON = Pattern(r"p\.?m|ערב|אחר|אחה")
# Nobody sets meetings at 3 in the night.
_EARLIEST_BARE_HOUR = 7


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day and where it stands; `binding` after "by" and the like."""

    start: int
    end: int
    at: time
    binding: bool


def find_time(text: str, *, near: tuple[int, int] | None = None) -> Clock | None:
    """Return the first time of day in a text, if any.

    Args:
        near: The span of a date; only a time right beside it counts then.
    """
    for match in _TIME.finditer(text):
        if near and not _is_near(match, near):
            continue
        at = _time_of(match, text)
        if at is not None:
            return Clock(match.start(), match.end(), at, bool(_BINDING.match(match[0])))
    return None


def _is_near(match: re.Match[str], span: tuple[int, int]) -> bool:
    start, end = span
    if match.start() < end and match.end() > start:
        return False
    gap = match.start() - end if match.start() >= end else start - match.end()
    return gap <= _NEAR


def _time_of(match: re.Match[str], text: str) -> time | None:
    if word := match["word"]:
        return time(0 if "midnight" in word.lower() or "חצות" in word else 12)
    half = (match["half"] or "").lower()
    if not (half or match["minute"] or match["lead"]):
        return None
    if not half and _UNIT_NEXT.match(text, match.end()):
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if hour > 23 or (half.startswith(("a", "p")) and hour > 12):
        return None
    return time(_on_24(hour, half, bare=not match["minute"]), minute)


def _on_24(hour: int, half: str, *, bare: bool) -> int:
    if _AFTERNOON.search(half) or (half == "בצהריים" and hour < 5):
        return hour if hour >= 12 else hour + 12
    if half.startswith("a") or "בוקר" in half:
        return hour % 12
    if bare and not half and 0 < hour < _EARLIEST_BARE_HOUR:
        return hour + 12
    return hour
