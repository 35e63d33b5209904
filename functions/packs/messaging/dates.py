"""Finds dates and times in a message, resolved relative to when it was sent."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from packs.messaging.cues import joined, pattern, plain, rows
from packs.messaging.wording import TEXTS
from rollcall.core.text import language

_NEAR = 14  # Characters between a date and its time ("Friday, before 5").
# A bare "3" is not 3 at night.
_EARLIEST_BARE_HOUR = 7


class Clock(Struct, frozen=True):
    """A time of day and its span in the text; `binding` if "by" or the like precedes it."""

    start: int
    end: int
    at: time
    binding: bool


def find_time(text: str, *, near: tuple[int, int] | None = None) -> Clock | None:
    """Return the first time of day in a text, if any.

    Args:
        near: The span of a date; if given, only a time right beside it counts.
    """
    for match in _time_of_day().finditer(text):
        if near:
            start, end = near
            overlaps = match.start() < end and match.end() > start
            gap = match.start() - end if match.start() >= end else start - match.end()
            if overlaps or gap > _NEAR:
                continue
        at = _time_of(match, text)
        if at is not None:
            return Clock(
                match.start(), match.end(), at, bool(pattern("dates.binds_time").match(match[0]))
            )
    return None


def _time_of(match: re.Match[str], text: str) -> time | None:
    if word := match["word"]:
        return time(0 if _has("midnight", word) else 12)
    half = (match["half"] or "").lower()
    if not (half or match["minute"] or match["lead"]):
        return None
    if not half and pattern("dates.unit_next").match(text, match.end()):
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if hour > 23 or (half.startswith(("a", "p")) and hour > 12):
        return None
    is_early = 0 < hour < _EARLIEST_BARE_HOUR
    if pattern("dates.afternoon").search(half) or (_has("midday", half) and hour < 5):
        hour = hour if hour >= 12 else hour + 12
    elif _has("morning", half):
        hour %= 12
    elif _has("night", half):
        hour = hour % 12 if is_early or hour == 12 else hour % 12 + 12
    elif is_early and not match["minute"]:
        hour += 12
    return time(hour, minute)


_PASSED_BY = 90  # Days after which a past date without a year means next year's.
_SATURDAY, _SUNDAY = 5, 6

Found = date | datetime | None
Resolver = Callable[[re.Match[str], datetime, bool], Found]


def _iso(match: re.Match[str], _said: datetime, _hebrew: bool) -> Found:
    return _date(int(match[1]), int(match[2]), int(match[3]))


def _numeric(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    """Read day before month, unless only the other order is a date."""
    day, month = int(match["d"]), int(match["m"])
    if month > 12 >= day and "/" in match[0]:
        day, month = month, day
    return _in_year(match["y"], month, day, said)


def _named_month(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    name = match["month"].lower()
    if match["month"] in ("may", "march", "mar"):
        return None  # In lower case these are a verb and a walk.
    month = _values("months").get(name) or _values("months").get(name[:3])
    return _in_year(match["y"], month, int(match["d"]), said) if month else None


def _day_of_month(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    day, today = int(match["d"]), said.date()
    for ahead in range(3):
        year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
        found = _date(year, month + 1, day)
        if found and found >= today:
            return found
    return None


def _weekday(match: re.Match[str], said: datetime, hebrew: bool) -> Found:
    """Read "Friday" as the next one, "next Friday" as the one of next week."""
    today, found = said.date(), _weekday_of(match["day"].lower(), said)
    parts = match.groupdict()
    if parts.get("next") and found <= _last_day_of_week(today, hebrew):
        found += timedelta(weeks=1)
    return found


def _weekday_of(name: str, said: datetime) -> date:
    today = said.date()
    return today + timedelta(days=(_values("weekdays")[name] - today.weekday() - 1) % 7 + 1)


def _relative_day(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    word = match[0].lower()
    if _has("day_after_tomorrow", word):
        return said.date() + timedelta(days=2)
    return said.date() + timedelta(days=_has("tomorrow", word))


def _in_a_while(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    parts = match.groupdict()
    if parts.get("span"):
        if _has("months_of", parts["span"]):
            return _months_ahead(said.date(), 1)
        return _moved(said, timedelta(minutes=_values("spans")[parts["span"]]))
    count = parts["n"].lower()
    times = int(count) if count.isdigit() else _values("counts")[" ".join(count.split())]
    unit = parts["unit"].lower()
    if _has("months_of", unit):
        return _months_ahead(said.date(), times)
    return _moved(said, timedelta(minutes=_values("units")[unit]) * times)


def _end_of(match: re.Match[str], said: datetime, hebrew: bool) -> Found:
    unit, today = _values("ends")[match["unit"].lower()], said.date()
    parts = match.groupdict()
    following = bool(parts.get("next") or parts.get("after"))
    if unit == "day":
        return today
    if unit == "week":
        return _end_of_week(today + timedelta(weeks=following), hebrew)
    if unit == "month":
        return _month_end(_months_ahead(today.replace(day=1), int(following)))
    if unit == "quarter":
        first = today.replace(day=1, month=3 * ((today.month - 1) // 3) + 1)
        return _month_end(_months_ahead(first, 2 + 3 * following))
    return date(today.year + following, 12, 31)


def _week(match: re.Match[str], said: datetime, hebrew: bool) -> Found:
    following = _has("next", match[0].lower())
    return _end_of_week(said.date() + timedelta(weeks=following), hebrew)


def _end_of_week(today: date, hebrew: bool) -> date:
    """Return the last working day of a day's week, or the week's last day if that is past."""
    last = _last_day_of_week(today, hebrew)
    working = last - timedelta(days=2)
    return working if working >= today else last


def _last_day_of_week(today: date, hebrew: bool) -> date:
    return today + timedelta(days=((_SATURDAY if hebrew else _SUNDAY) - today.weekday()) % 7)


def _moved(said: datetime, span: timedelta) -> Found:
    return said + span if span < timedelta(days=1) else said.date() + span


def _months_ahead(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def _in_year(year: str | None, month: int, day: int, said: datetime) -> Found:
    if year:
        return _date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    found = _date(said.year, month, day)
    if found and (said.date() - found).days > _PASSED_BY:
        return _date(said.year + 1, month, day)
    return found


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _coming_weekday(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    return _weekday_of(match["day"] or match["day2"], said)


_RESOLVERS: dict[str, Resolver] = {
    "iso": _iso,
    "numeric": _numeric,
    "named_month": _named_month,
    "day_of_month": _day_of_month,
    "weekday": _weekday,
    "coming_weekday": _coming_weekday,
    "relative_day": _relative_day,
    "in_a_while": _in_a_while,
    "end_of": _end_of,
    "week": _week,
}
"""Resolvers of dates, by the `kind` of their pattern."""
_BY_DATE = ("iso", "numeric", "named_month")


@cache
def _values(name: str) -> dict[str, Any]:
    """Return the values of words: a weekday from 0, a month from 1, a count, minutes, a unit."""
    return TEXTS.table(f"cues.dates.{name}")


def _has(name: str, text: str) -> bool:
    """Tell whether a text contains one of a list's phrases, in any case."""
    return any(phrase in text.lower() for phrase in TEXTS.phrases(f"cues.dates.{name}"))


@cache
def _time_of_day() -> re.Pattern[str]:
    """Return the pattern of a time of day; its words may be of any language."""
    word, lead, half = map(joined, ("dates.time_word", "dates.time_lead", "dates.half_of_day"))
    return re.compile(
        rf"(?:(?P<lead>{lead}))?(?:(?P<word>{word})|(?<![\d/.:,])(?<!\d-)"
        r"(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?(?![\d/:]|\.\d|-\d)"
        rf"\s*(?P<half>{half})?)",
        re.IGNORECASE,
    )


class Deadline(Struct, frozen=True):
    """A day, perhaps with a time, and the words that set it.

    Attributes:
        moment: In the time zone of the message; the start of the day if `has_time` is false.
        binding: Whether "by" or the like precedes it.
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


class _Mention(Struct, frozen=True):
    """A date or moment and its span in a text; `binding` if "by" or the like precedes it."""

    start: int
    end: int
    day: date
    at: time | None
    binding: bool


def find_deadline(text: str, *, said_at: datetime) -> Deadline | None:
    """Return the deadline that a message sets, or None.

    Args:
        said_at: When it was sent, in the time zone of its dates.
    """
    text = plain(text)
    dates = _mentions(text, said_at)
    mentions = [mention for mention in dates if _counts(text, mention, said_at)]
    if not mentions:
        return _by_the_clock(text, said_at, dates)
    chosen = next((mention for mention in mentions if mention.binding), mentions[0])
    at, start, end = chosen.at, chosen.start, chosen.end
    if at is None and (clock := find_time(text, near=(start, end))):
        at = clock.at
        start, end = min(start, clock.start), max(end, clock.end)
    moment = datetime.combine(chosen.day, at or time.min, said_at.tzinfo)
    return Deadline(moment, at is not None, text[start:end].strip(" ,.;"), chosen.binding)


def named_days(text: str, *, now: datetime) -> list[date]:
    """Return the days that a question names by date ("12 March", "on 5/1"), without a year the last
    such day; "Monday" and "next week" do not count."""
    text = plain(text)
    found: list[date] = []
    for each, row in rows("dates.rules"):
        for match in each.finditer(text) if row["kind"] in _BY_DATE else ():
            day = _RESOLVERS[row["kind"]](match, now, False)
            if isinstance(day, date) and day > now.date() and not match.groupdict().get("y"):
                day = _date(day.year - 1, day.month, day.day)
            if isinstance(day, date):
                found.append(day)
    return found


def _by_the_clock(text: str, said_at: datetime, dates: list[_Mention]) -> Deadline | None:
    """Read "by 5pm" as today, or tomorrow if that is past; the 5 of a date is no time of day."""
    clock = find_time(text)
    if clock is None or not clock.binding or _is_past(text, clock.start):
        return None
    if any(date.start < clock.end and clock.start < date.end for date in dates):
        return None
    if pattern("dates.not_due").search(_clause_around(text, clock.start)):
        return None
    moment = datetime.combine(said_at.date(), clock.at, said_at.tzinfo)
    if moment <= said_at:
        moment += timedelta(days=1)
    return Deadline(moment, True, text[clock.start : clock.end].strip())


def _mentions(text: str, said_at: datetime) -> list[_Mention]:
    """Return the dates in a text, in order; of overlapping ones the first and longest."""
    found: list[_Mention] = []
    hebrew = language(text) == "he"
    for each, row in rows("dates.rules"):
        for match in each.finditer(text):
            resolved = _RESOLVERS[row["kind"]](match, said_at, hebrew)
            if resolved is None:
                continue
            binding = pattern("dates.binding").search(text[: match.start()])
            start = binding.start() if binding else match.start()
            inner = pattern("dates.binding").search(match[0].split(" ")[0] + " ")
            at = resolved.time() if isinstance(resolved, datetime) else None
            day = resolved.date() if isinstance(resolved, datetime) else resolved
            found.append(_Mention(start, match.end(), day, at, bool(binding or inner)))
    kept: list[_Mention] = []
    day_end = pattern("dates.day_end")
    for mention in sorted(found, key=lambda item: (item.start, -item.end)):
        last = kept[-1] if kept else None
        if last and mention.start < last.end:
            continue
        is_beside = last is not None and mention.start - last.end <= 4
        if last and is_beside and day_end.search(text[last.start : last.end]):
            # "EOD Friday" means the end of Friday, not of today.
            kept.pop()
            mention = replace(mention, start=last.start, binding=last.binding)
        elif last and is_beside and day_end.search(text[mention.start : mention.end]):
            kept[-1] = replace(last, end=mention.end)  # "Friday EOD"
            continue
        kept.append(mention)
    return kept


def _counts(text: str, mention: _Mention, said_at: datetime) -> bool:
    """Tell whether a date is in the future and meant as a deadline."""
    if mention.day < said_at.date() or _is_past(text, mention.start):
        return False
    before = text[max(0, mention.start - 30) : mention.start]
    clause = re.split(r"[.;!?,]", before)[-1]
    return pattern("dates.not_due").search(clause) is None


def _is_past(text: str, at: int) -> bool:
    """Tell whether the clause around a date is about the past."""
    clause = _clause_around(text, at)
    if pattern("dates.past").search(clause):
        return True
    happened = pattern("dates.happened").search(clause)
    return (
        happened is not None
        and pattern("dates.ahead").search(clause) is None
        and "by " not in clause
    )


def _clause_around(text: str, at: int) -> str:
    start = max((text.rfind(mark, 0, at) for mark in ".;!?,"), default=-1) + 1
    ends = [place for mark in ".;!?," if (place := text.find(mark, at)) >= 0]
    return text[start : min(ends, default=len(text))]
