"""Dates and times as people write them, resolved against the user's own time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_HEBREW_MONTHS = (
    "ינואר",
    "פברואר",
    "מרץ",
    "אפריל",
    "מאי",
    "יוני",
    "יולי",
    "אוגוסט",
    "ספטמבר",
    "אוקטובר",
    "נובמבר",
    "דצמבר",
)  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HEBREW_WEEKDAYS = ("שני", "שלישי", "רביעי", "חמישי", "שישי", "שבת", "ראשון")

_DAYS_AWAY = {
    "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1,
    "היום": 0, "הערב": 0, "מחר": 1, "מחרתיים": 2, "אתמול": -1, "שלשום": -2,
}  # fmt: skip

_MONTH_NAMES = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS if name != "may") + "|may"
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b(?:[T ]\d\d:\d\d(?::\d\d)?\S*)?")
_SLASHED = re.compile(r"\b(\d{1,4})[/.](\d{1,2})[/.](\d{2,4})\b")
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH_NAMES})\b\.?(?:,?\s+(\d{{4}})\b)?",
    re.IGNORECASE,
)
_HEBREW_DAY = re.compile(rf"(\d{{1,2}})\s+ב({'|'.join(_HEBREW_MONTHS)})(?:\s+(\d{{4}}))?")
_RELATIVE = re.compile(rf"(?<!\w)(?:{'|'.join(_DAYS_AWAY)})(?!\w)", re.IGNORECASE)
_WEEKDAY = re.compile(
    rf"\b(next|this|last|on|coming)?\s*\b({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE
)
_HEBREW_WEEKDAY = re.compile(rf"יום\s+({'|'.join(_HEBREW_WEEKDAYS)})")
_SPAN = re.compile(r"\b(next|last|in)\s+(?:(\d+)\s+)?(day|week|month|year)s?\b", re.IGNORECASE)
_TIME = re.compile(r"\b(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b\.?|\b(\d{1,2}):(\d\d)\b", re.IGNORECASE)


class When(NamedTuple):
    """A date or a time in a text: what was written, where, and what it means."""

    start: int
    end: int
    text: str
    iso: str


def today(now_iso: str) -> date | None:
    """Return the user's own date, or None where the request does not say."""
    try:
        return datetime.fromisoformat(now_iso).date()
    except ValueError:
        return None


def dates(text: str, now_iso: str) -> list[When]:
    """Return the dates of a text in the order they stand, overlaps left out."""
    now = today(now_iso)
    found: list[When] = []
    for when in sorted(_all_dates(text, now), key=lambda when: (when.start, -when.end)):
        if not found or when.start >= found[-1].end:
            found.append(when)
    return found


def times(text: str) -> list[When]:
    """Return the times of day of a text, as HH:MM."""
    found = []
    for match in _TIME.finditer(text):
        hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            found.append(When(match.start(), match.end(), match[0], f"{hour:02}:{minute:02}"))
    return found


def _all_dates(text: str, now: date | None) -> Iterator[When]:
    for match in _ISO.finditer(text):
        yield from _when(match, int(match[1]), int(match[2]), int(match[3]))
    for match in _SLASHED.finditer(text):
        yield from _when(match, *_slashed(int(match[1]), int(match[2]), int(match[3])))
    year = now.year if now else None
    for match in _MONTH_FIRST.finditer(text):
        yield from _when(match, _year(match[3], year), _month(match[1]), int(match[2]))
    for match in _DAY_FIRST.finditer(text):
        yield from _when(match, _year(match[3], year), _month(match[2]), int(match[1]))
    for match in _HEBREW_DAY.finditer(text):
        month = _HEBREW_MONTHS.index(match[2]) + 1
        yield from _when(match, _year(match[3], year), month, int(match[1]))
    if now:
        yield from _relative(text, now)


def _relative(text: str, now: date) -> Iterator[When]:
    for match in _RELATIVE.finditer(text):
        yield _from_day(match, now + timedelta(days=_DAYS_AWAY[match[0].lower()]))
    for match in _WEEKDAY.finditer(text):
        yield _from_day(match, _weekday(now, _WEEKDAYS.index(match[2].lower()), match[1]))
    for match in _HEBREW_WEEKDAY.finditer(text):
        yield _from_day(match, _weekday(now, _HEBREW_WEEKDAYS.index(match[1]), None))
    for match in _SPAN.finditer(text):
        days = {"day": 1, "week": 7, "month": 30, "year": 365}[match[3].lower()]
        sign = -1 if match[1].lower() == "last" else 1
        # "the last 5 days" is a span of time, not a date.
        if match[2] is None or match[1].lower() == "in":
            yield _from_day(match, now + timedelta(days=sign * days * int(match[2] or 1)))


def _weekday(now: date, wanted: int, which: str | None) -> date:
    ahead = (wanted - now.weekday()) % 7
    if (which or "").lower() == "last":
        return now - timedelta(days=(now.weekday() - wanted) % 7 or 7)
    return now + timedelta(days=ahead or 7)


def _slashed(first: int, second: int, third: int) -> tuple[int, int, int]:
    """Read 2025/11/03, 3.11.2025 and 11/03/2025; day first unless it cannot be."""
    if first > 31:
        return first, second, third
    year = third + 2000 if third < 100 else third
    return (year, first, second) if second > 12 else (year, second, first)


def _month(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _year(written: str | None, now: int | None) -> int | None:
    return int(written) if written else now


def _when(match: re.Match[str], year: int | None, month: int, day: int) -> Iterator[When]:
    try:
        yield _from_day(match, date(year or 0, month, day))
    except ValueError:
        return


def _from_day(match: re.Match[str], day: date) -> When:
    return When(match.start(), match.end(), match[0], day.isoformat())
