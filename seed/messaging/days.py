"""Dates of the sample data, which are told as working days before or after the day of seeding.

`workdaysAgo: 1` is the last working day before it, 0 the first from it on, -1 the one after.
The company works from Sunday to Thursday, so "by Thursday" is a working day whenever the data is
seeded. Texts name days by the same count:

    {day:-1}     Thursday           {yom:-1}      יום חמישי
    {date:-1}    26 November        {taarich:-1}  26 בנובמבר
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_YAMIM = ("שני", "שלישי", "רביעי", "חמישי", "שישי", "שבת", "ראשון")
_CHODASHIM = (
    "ינואר", "פברואר", "מרץ", "אפריל", "מאי", "יוני",
    "יולי", "אוגוסט", "ספטמבר", "אוקטובר", "נובמבר", "דצמבר",
)  # fmt: skip
_WEEKEND = (4, 5)  # Friday and Saturday
_MARK = re.compile(r"\{(day|date|yom|taarich):(-?\d{1,3})\}")


def workday(count: int, *, today: date) -> date:
    """The working day `count` working days before `today`; up to 0 counts from it on."""
    step = timedelta(days=-1 if count > 0 else 1)
    day = today + step if count > 0 else today
    left = count - 1 if count > 0 else -count
    while left or day.weekday() in _WEEKEND:
        left -= day.weekday() not in _WEEKEND
        day += step
    return day


def moment(count: int, clock: str, *, today: date) -> datetime:
    """The time `clock` ("09:30", UTC) on a working day."""
    return datetime.combine(workday(count, today=today), time.fromisoformat(clock), UTC)


def with_dates(text: str, *, today: date) -> str:
    """Replace a text's marks by the days they stand for."""

    def written(mark: re.Match[str]) -> str:
        day = workday(int(mark[2]), today=today)
        match mark[1]:
            case "day":
                return _DAYS[day.weekday()]
            case "date":
                return f"{day.day} {_MONTHS[day.month - 1]}"
            case "yom":
                return f"יום {_YAMIM[day.weekday()]}"
            case _:
                return f"{day.day} ב{_CHODASHIM[day.month - 1]}"

    return _MARK.sub(written, text)
