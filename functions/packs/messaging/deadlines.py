"""Dates that a message sets for something, resolved against when it was sent.

Hand-written and narrow: a wrong date in somebody's task list is worse than a
missing one. Numbers read day before month. English weeks run from Monday,
Hebrew ones from Sunday; "end of the week" is the last working day of either,
Friday or Thursday.
"""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from packs.messaging import calendar_words as calendar
from packs.messaging.clock import find_time
from packs.messaging.cues import any_of, plain
from packs.messaging.patterns import Pattern
from rollcall.core.text import language

# "By", "until", "due": what follows is a deadline, not just a date.
_BINDING = Pattern(
    r"(?:\b(?:by|before|until|till|til|due(?: (?:on|by|in))?|no later than|deadline(?: is)?:?)\s+(?:the\s+|this\s+)?"
    r"|(?<![א-ת])(?:ו|ש)?(?:עד(?: ל| ה)?-?|לפני(?: ה)?-?|לא יאוחר מ(?:ה)?-?)\s*)$",
    re.IGNORECASE,
)
_DAY_END = any_of(["eod", "cob", "end of (?:the )?day", "close of business"], ["סוף היום"])
_PAST = any_of(
    [
        r"yesterday",
        r"last (?:week|month|year|night|sunday|monday|tuesday|wednesday|thursday|friday|saturday)",
        r"ago",
    ],
    [
        "אתמול",
        "שלשום",
        "שעברה?",
        r"לפני (?:יומיים|שבוע|שבועיים|חודש|שעה|שנה|\d+ (?:ימים|שבועות|שעות|דקות))",
    ],
)
_HAPPENED = any_of(
    [
        r"(?:was|were|had|did|met|sent|went|came|got|arrived|happened|shipped|released|signed|spoke|talked|saw"
        r"|finished|submitted|paid|called|bought|said|told|discussed|wrote|uploaded|closed|left|started|missed)"
    ],
    [
        r"[א-ת]{2,}תי",
        r"(?:שלחנו|נפגשנו|דיברנו|סיימנו|עשינו|היינו|קיבלנו|סגרנו|דנו|הגשנו|שילמנו|קנינו)",
        r"(?:היה|היתה|הייתה|היו|שלחה?|שלחו|הגיעה?|הגיעו|קרה|הסתיימה?|נשאר|נשארה|נשארו|נשלחה?|נפגשו|דיברו)",
    ],
)
_AHEAD = any_of(
    [
        r"(?:will|'ll|must|should|need(?:s|ed)?|please|can|could|due|deadline|have to|has to|let's|going to|todo|to do)"
    ],
    [r"(?:צרי(?:ך|כה)|צריכים|חייבת?|חייבים|נא|בבקשה|תוכלי?|אפשר|דדליין|[את][א-ת]{3,})"],
)
_NOT_DUE = any_of(
    [
        r"every(?: other)?",
        r"each",
        r"happy",
        r"on (?:vacation|holiday|leave)",
        r"out of (?:the )?office",
        r"ooo",
        r"away",
        r"(?:is|are|was|were|stays?) (?:open|closed|here|off)",
        r"black(?= friday)",
        r"since",
        r"from",
    ],
    ["כל", "בחופשה?", "בחופש", "פתוחה?", "סגורה?", "מאז", "חג"],
)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A day, perhaps a time of that day, and the words that set it.

    Attributes:
        moment: With the time zone of the message; the start of the day where
            `has_time` is false.
        binding: Whether "by" or the like stands before it.
    """

    moment: datetime
    has_time: bool
    phrase: str
    binding: bool = True

    @property
    def day(self) -> date:
        """The day alone."""
        return self.moment.date()

    def iso(self) -> str:
        """Return "2026-11-30", or with a time "2026-11-30T10:00:00+02:00"."""
        return self.moment.isoformat() if self.has_time else self.day.isoformat()


@dataclass(frozen=True, slots=True)
class _Mention:
    """A date or moment found at a place in a text; `binding` after "by" and the like."""

    start: int
    end: int
    day: date
    at: time | None
    binding: bool


def find_deadline(text: str, *, said_at: datetime) -> Deadline | None:
    """Return the deadline a message sets, or None.

    Args:
        said_at: When it was sent, in the time zone its dates are meant in.
    """
    text = plain(text)
    mentions = [mention for mention in _mentions(text, said_at) if _counts(text, mention, said_at)]
    if not mentions:
        return _by_the_clock(text, said_at)
    chosen = next((mention for mention in mentions if mention.binding), mentions[0])
    at, start, end = chosen.at, chosen.start, chosen.end
    if at is None and (clock := find_time(text, near=(start, end))):
        at = clock.at
        start, end = min(start, clock.start), max(end, clock.end)
    moment = datetime.combine(chosen.day, at or time.min, said_at.tzinfo)
    return Deadline(moment, at is not None, text[start:end].strip(" ,.;"), chosen.binding)


def _by_the_clock(text: str, said_at: datetime) -> Deadline | None:
    """Read "by 5pm": today, or tomorrow where that is over."""
    clock = find_time(text)
    if clock is None or not clock.binding or _is_past(text, clock.start):
        return None
    if _NOT_DUE.search(_clause_around(text, clock.start)):
        return None
    moment = datetime.combine(said_at.date(), clock.at, said_at.tzinfo)
    if moment <= said_at:
        moment += timedelta(days=1)
    return Deadline(moment, True, text[clock.start : clock.end].strip())


def _mentions(text: str, said_at: datetime) -> list[_Mention]:
    """Return the dates in a text, in order; of overlapping ones the longest."""
    found = sorted(_all_mentions(text, said_at), key=lambda item: (item.start, -item.end))
    kept: list[_Mention] = []
    for mention in found:
        if kept and mention.start < kept[-1].end:
            continue
        if kept and mention.start - kept[-1].end <= 4 and _is_day_end(text, kept[-1]):
            # "EOD Friday": of that day, not of today.
            last = kept.pop()
            mention = replace(mention, start=last.start, binding=last.binding)
        kept.append(mention)
    return kept


def _is_day_end(text: str, mention: _Mention) -> bool:
    return _DAY_END.search(text[mention.start : mention.end]) is not None


def _all_mentions(text: str, said_at: datetime) -> Iterator[_Mention]:
    hebrew = language(text) == "he"
    for pattern, resolve in calendar.RULES:
        for match in pattern.finditer(text):
            resolved = resolve(match, said_at, hebrew)
            if resolved is None:
                continue
            binding = _BINDING.search(text[: match.start()])
            start = binding.start() if binding else match.start()
            inner = _BINDING.search(match[0].split(" ")[0] + " ")
            at = resolved.time() if isinstance(resolved, datetime) else None
            day = resolved.date() if isinstance(resolved, datetime) else resolved
            yield _Mention(start, match.end(), day, at, bool(binding or inner))


def _counts(text: str, mention: _Mention, said_at: datetime) -> bool:
    """Tell whether a date is ahead and meant as one to keep."""
    if mention.day < said_at.date() or _is_past(text, mention.start):
        return False
    before = text[max(0, mention.start - 30) : mention.start]
    clause = re.split(r"[.;!?,]", before)[-1]
    return _NOT_DUE.search(clause) is None


def _is_past(text: str, at: int) -> bool:
    """Tell whether the clause around a date tells what has already happened."""
    clause = _clause_around(text, at)
    if _PAST.search(clause):
        return True
    happened = _HAPPENED.search(clause)
    return happened is not None and _AHEAD.search(clause) is None and "by " not in clause


def _clause_around(text: str, at: int) -> str:
    start = max((text.rfind(mark, 0, at) for mark in ".;!?,"), default=-1) + 1
    ends = [place for mark in ".;!?," if (place := text.find(mark, at)) >= 0]
    return text[start : min(ends, default=len(text))]
