"""Dates and times of day that a message sets, resolved against when it was sent."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from packs.messaging.cues import any_of, plain
from packs.messaging.patterns import Pattern
from rollcall.core.text import language

# ruff: noqa: E501 - patterns are easier to read unbroken.


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
_BINDS_TIME = Pattern(r"(?:by|before|until|till)\b|עד|לפני", re.IGNORECASE)
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
            return Clock(match.start(), match.end(), at, bool(_BINDS_TIME.match(match[0])))
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


# ruff: noqa: E501 - patterns are easier to read unbroken.


_WEEKDAYS = {
    "monday": 0, "mon": 0, "tuesday": 1, "tues": 1, "tue": 1, "wednesday": 2, "wed": 2,
    "thursday": 3, "thurs": 3, "thur": 3, "thu": 3, "friday": 4, "fri": 4, "saturday": 5, "sat": 5,
    "sunday": 6, "sun": 6,
    "שני": 0, "שלישי": 1, "רביעי": 2, "חמישי": 3, "שישי": 4, "שבת": 5, "ראשון": 6,
    "ב'": 0, "ג'": 1, "ד'": 2, "ה'": 3, "ו'": 4, "ש'": 5, "א'": 6,
}  # fmt: skip
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "nov": 11, "dec": 12,
    "ינואר": 1, "פברואר": 2, "מרץ": 3, "מרס": 3, "אפריל": 4, "מאי": 5, "יוני": 6, "יולי": 7,
    "אוגוסט": 8, "ספטמבר": 9, "אוקטובר": 10, "נובמבר": 11, "דצמבר": 12,
}  # fmt: skip
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "couple of": 2, "three": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "ten": 10,
    "שני": 2, "שתי": 2, "שלושה": 3, "שלוש": 3, "ארבעה": 4, "ארבע": 4, "חמישה": 5, "חמש": 5,
    "שישה": 6, "שש": 6, "שבעה": 7, "עשרה": 10, "עשר": 10,
}  # fmt: skip
_HEBREW_SPANS = {
    "דקה": timedelta(minutes=1), "חצי שעה": timedelta(minutes=30), "שעה": timedelta(hours=1),
    "שעתיים": timedelta(hours=2), "יום": timedelta(days=1), "יומיים": timedelta(days=2),
    "שבוע": timedelta(weeks=1), "שבועיים": timedelta(weeks=2),
}  # fmt: skip
_UNITS = {
    "minute": timedelta(minutes=1), "min": timedelta(minutes=1), "hour": timedelta(hours=1),
    "day": timedelta(days=1), "week": timedelta(weeks=1),
    "דקות": timedelta(minutes=1), "שעות": timedelta(hours=1), "ימים": timedelta(days=1),
    "שבועות": timedelta(weeks=1),
}  # fmt: skip
_PASSED_BY = 90  # Days after which a date without a year means next year's.
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
        return None  # Lower case, these are a verb and a walk.
    month = _MONTHS.get(name) or _MONTHS.get(name[:3])
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
    return today + timedelta(days=(_WEEKDAYS[name] - today.weekday() - 1) % 7 + 1)


def _relative_day(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    word = match[0].lower()
    if "after tomorrow" in word or "מחרתיים" in word:
        return said.date() + timedelta(days=2)
    return said.date() + timedelta(days=1 if "tomorrow" in word or "מחר" in word else 0)


def _in_a_while(match: re.Match[str], said: datetime, _hebrew: bool) -> Found:
    parts = match.groupdict()
    if parts.get("span"):
        if parts["span"] == "חודש":
            return _months_ahead(said.date(), 1)
        return _moved(said, _HEBREW_SPANS[parts["span"]])
    count = parts["n"].lower()
    times = int(count) if count.isdigit() else _COUNTS[" ".join(count.split())]
    unit = parts["unit"].lower()
    if unit in ("month", "חודשים"):
        return _months_ahead(said.date(), times)
    return _moved(said, _UNITS[unit] * times)


def _end_of(match: re.Match[str], said: datetime, hebrew: bool) -> Found:
    unit, today = match["unit"].lower(), said.date()
    parts = match.groupdict()
    following = bool(parts.get("next") or parts.get("after"))
    if unit in ("day", "היום", "business", "eod", "cob"):
        return today
    if unit in ("week", "שבוע", "eow"):
        return _end_of_week(today + timedelta(weeks=following), hebrew)
    if unit in ("month", "חודש", "eom"):
        return _month_end(_months_ahead(today.replace(day=1), int(following)))
    if unit in ("quarter", "רבעון", "eoq"):
        first = today.replace(day=1, month=3 * ((today.month - 1) // 3) + 1)
        return _month_end(_months_ahead(first, 2 + 3 * following))
    return date(today.year + following, 12, 31)


def _week(match: re.Match[str], said: datetime, hebrew: bool) -> Found:
    following = "next" in match[0].lower() or "הבא" in match[0]
    return _end_of_week(said.date() + timedelta(weeks=following), hebrew)


def _end_of_week(today: date, hebrew: bool) -> date:
    """Return the last working day of a day's week, or the weekend's last if that is over."""
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


def _rule(pattern: str, resolve: Resolver) -> tuple[Pattern, Resolver]:
    return Pattern(pattern, re.IGNORECASE), resolve


_DAY = r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|mon|tues?|wed|thurs?|thu|fri"
_HEBREW_DAY = "ראשון|שני|שלישי|רביעי|חמישי|שישי|שבת"
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_HEBREW_MONTH = "ינואר|פברואר|מרץ|מרס|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר"
_YEAR = r"(?:,?\s+(?P<y>20\d\d))?"
_LEAD = (
    r"(?:(?<=by )|(?<=on )|(?<=due )|(?<=before )|(?<=until )|(?<=till )"
    r"|(?<=ב)|(?<=ב-)|(?<=עד )|(?<=עד ה)|(?<=עד ה-)|(?<=ל-)|(?<=לפני ה-)|(?<=תאריך )|(?<=date )|(?<=deadline: )|(?<=due: ))"
)
_FROM_HEBREW = r"(?<![א-ת])(?:[בלהוש]{0,2})"

RULES: tuple[tuple[Pattern, Resolver], ...] = (
    _rule(r"\b(20\d\d)-(\d\d)-(\d\d)\b", _iso),
    _rule(r"(?<![\d/.])(?P<d>\d{1,2})[/.](?P<m>\d{1,2})[/.](?P<y>20\d\d|\d\d)(?![\d/])", _numeric),
    _rule(_LEAD + r"(?P<d>\d{1,2})[/.](?P<m>\d{1,2})(?P<y>)(?![\d/%]|[.:]\d)", _numeric),
    _rule(
        rf"\b(?P<month>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]){_YEAR}",
        _named_month,
    ),
    _rule(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b{_YEAR}",
        _named_month,
    ),
    _rule(
        rf"(?<!\d)(?P<d>\d{{1,2}})\s+[בל](?P<month>{_HEBREW_MONTH})(?![א-ת]){_YEAR}", _named_month
    ),
    _rule(
        r"(?:(?<=by )|(?<=on )|(?<=before )|(?<=until )|(?<=due ))the (?P<d>\d{1,2})(?:st|nd|rd|th)\b",
        _day_of_month,
    ),
    _rule(r"(?<!\d)(?P<d>\d{1,2}) (?:לחודש|בחודש)(?![א-ת])", _day_of_month),
    _rule(rf"\b(?:(?P<next>next)\s+|(?:this|coming|on)\s+)?(?P<day>{_DAY})\b(?!['s])", _weekday),
    _rule(
        rf"{_FROM_HEBREW}יום (?P<day>{_HEBREW_DAY}|[א-ו]')(?![א-ת])(?: (?:הקרוב|(?P<next>הבא)))?",
        _weekday,
    ),
    _rule(
        r"(?:(?<=עד )(?P<day>ראשון|שני|שלישי|רביעי|חמישי|שישי|שבת)|(?<![א-ת])ב(?P<day2>שבת))(?![א-ת]| ה?[א-ת]+ים)",
        lambda match, said, hebrew: _weekday_of(match["day"] or match["day2"], said),
    ),
    _rule(r"\b(?:the )?day after tomorrow\b|\btomorrow\b|\btoday\b|\btonight\b", _relative_day),
    _rule(r"\bthis (?:afternoon|evening|morning)\b", _relative_day),
    _rule(r"(?<![א-ת])(?:[לוש]{0,2})(?:מחרתיים|מחר|היום|הערב)(?![א-ת])", _relative_day),
    _rule(
        r"\b(?:in|within)(?: the next)? (?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|ten"
        r"|(?:a )?couple of) (?P<unit>minute|min|hour|day|week|month)s?\b(?! ago)",
        _in_a_while,
    ),
    _rule(
        r"\b(?P<n>\d{1,3}|an?|one|two|three) (?P<unit>day|week|month)s? from (?:now|today)\b",
        _in_a_while,
    ),
    _rule(
        r"(?<![א-ת])(?:בעוד|תוך|עוד) (?P<n>\d{1,3}|שני|שתי|שלושה|שלוש|ארבעה|ארבע|חמישה|חמש|שישה|שש|שבעה"
        r"|עשרה|עשר) (?P<unit>דקות|שעות|ימים|שבועות|חודשים)(?![א-ת])",
        _in_a_while,
    ),
    _rule(
        r"(?<![א-ת])(?:בעוד|תוך|עוד) (?P<span>חצי שעה|שעתיים|שעה|יומיים|יום|שבועיים|שבוע|חודש)(?![א-ת])",
        _in_a_while,
    ),
    _rule(
        r"\bend of (?:the |this |(?P<next>next ))?(?P<unit>day|week|month|quarter|year|business)\b",
        _end_of,
    ),
    _rule(r"\bclose of (?P<unit>business)\b", _end_of),
    _rule(r"\b(?P<unit>eod|cob|eow|eom|eoq)\b", _end_of),
    _rule(
        rf"{_FROM_HEBREW}(?:סוף|סופו של) (?:ה(?P<unit>שבוע|חודש|רבעון|שנה)(?: (?P<after>הבאה?))?)(?![א-ת])",
        _end_of,
    ),
    _rule(r"(?<![א-ת])[בל]?סוף (?P<unit>היום)(?![א-ת])", _end_of),
    _rule(r"(?<!end of )\b(?:next|this) week\b", _week),
    _rule(
        r"(?<!סוף )(?<![א-ת])(?:ב|ל)?שבוע הבא(?![א-ת])|(?<!סוף )(?<![א-ת])השבוע(?! הבא)(?![א-ת])",
        _week,
    ),
)


# ruff: noqa: E501 - patterns are easier to read unbroken.


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
    for pattern, resolve in RULES:
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
