"""Dates in messages."""

from datetime import datetime, timedelta, timezone

from packs.messaging.dates import find_deadline
from tests.support.for_every import for_every

ISRAEL = timezone(timedelta(hours=2))
SAID_AT = datetime(2026, 11, 18, 9, 30, tzinfo=ISRAEL)  # A Wednesday.

ENGLISH = [
    ("Please send it by Friday", "2026-11-20"),
    ("by Wednesday please", "2026-11-25"),
    ("need it by end of day", "2026-11-18"),
    ("let's meet tomorrow at 10", "2026-11-19T10:00"),
    ("next Tuesday works for the review", "2026-11-24"),
    ("this Friday", "2026-11-20"),
    ("finish in two weeks", "2026-12-02"),
    ("pay by the 15th", "2026-12-15"),
    ("submit by Nov 30", "2026-11-30"),
    ("on 5 January", "2027-01-05"),
    ("due 30/11", "2026-11-30"),
    ("due 2026-11-30", "2026-11-30"),
    ("no later than 12/12/2026", "2026-12-12"),
    ("by end of month", "2026-11-30"),
    ("by the end of the quarter", "2026-12-31"),
    ("end of next week", "2026-11-27"),
    ("by Friday at 5pm", "2026-11-20T17:00"),
    ("by 5pm", "2026-11-18T17:00"),
    ("by 8am", "2026-11-19T08:00"),
    ("EOD tomorrow please", "2026-11-19"),
    ("by noon tomorrow", "2026-11-19T12:00"),
    ("call me in 2 hours", "2026-11-18T11:30"),
    ("the day after tomorrow", "2026-11-20"),
    ("tonight at 8pm", "2026-11-18T20:00"),
    ("the report is due tomorrow", "2026-11-19"),
    ("send it by noon", "2026-11-18T12:00"),
    ("by midnight please", "2026-11-19T00:00"),
    ("by 3 o'clock", "2026-11-18T15:00"),
    ("due 2026-12-05T14:00", "2026-12-05T14:00"),
]
HEBREW = [
    ("תשלח לי עד מחר", "2026-11-19"),
    ("עד יום חמישי בבקשה", "2026-11-19"),
    ("נסיים בעוד שבועיים", "2026-12-02"),
    ("תוך 3 ימים", "2026-11-21"),
    ("תוך שעה", "2026-11-18T10:30"),
    ("עד סוף השבוע", "2026-11-19"),
    ("בשבוע הבא", "2026-11-26"),
    ("ב-15 לחודש", "2026-12-15"),
    ("צריך להגיש עד ה-30.11", "2026-11-30"),
    ("עד ה-5 בדצמבר", "2026-12-05"),
    ("עד סוף החודש", "2026-11-30"),
    ("עד סוף הרבעון", "2026-12-31"),
    ("מחר בשעה 14:30", "2026-11-19T14:30"),
    ("עד מחר ב-10 בבוקר", "2026-11-19T10:00"),
    ("מחרתיים", "2026-11-20"),
    ("ביום שלישי הבא", "2026-11-24"),
    ("ביום ראשון הקרוב", "2026-11-22"),
    ("עד שישי", "2026-11-20"),
    ("יום ה' בערב", "2026-11-19"),
    ("עד 17:00", "2026-11-18T17:00"),
    ("עַד מָחָר", "2026-11-19"),
    ("עד הצהריים בבקשה", "2026-11-18T12:00"),
    ("עד שעה 17", "2026-11-18T17:00"),
    ("עד 10 בלילה", "2026-11-18T22:00"),
    ("עד 3 בלילה", "2026-11-19T03:00"),
]
NO_DEADLINE = [
    "yesterday we met",
    "We met on Monday",
    "I sent it today",
    "It was discussed on Thursday",
    "last Friday",
    "two days ago",
    "until 2025-01-01",
    "send it by 5 November",
    "by 5 December 2025",
    "עד 5.11",
    "see you every Friday",
    "Happy Friday!",
    "I'm on vacation until Friday",
    "open 24/7",
    "version 3.11 is out",
    "the meeting is 50/50",
    "it costs 12.5",
    "may 5 people come?",
    "sun is shining",
    "by 2 people",
    "the 2nd option is better",
    "I was up until 3am",
    "אתמול נפגשנו",
    "שלחתי היום",
    "כל יום שני",
    "יש לי שני ילדים",
    "אני בחופש עד יום ראשון",
    "ביום חמישי שעבר",
]


@for_every(("text", "expected"), ENGLISH + HEBREW)
def test_a_date_is_resolved_against_when_it_was_said(text: str, expected: str) -> None:
    deadline = find_deadline(text, said_at=SAID_AT)
    assert deadline is not None
    assert deadline.iso()[:16] == expected


@for_every("text", NO_DEADLINE)
def test_what_is_past_or_no_date_sets_no_deadline(text: str) -> None:
    assert find_deadline(text, said_at=SAID_AT) is None


def test_a_time_keeps_the_zone_of_the_message() -> None:
    deadline = find_deadline("tomorrow at 10", said_at=SAID_AT)
    assert deadline is not None and deadline.iso() == "2026-11-19T10:00:00+02:00"


def test_the_deadline_is_preferred_to_another_date() -> None:
    deadline = find_deadline("After tomorrow's call, send it by Monday", said_at=SAID_AT)
    assert deadline is not None and deadline.day.isoformat() == "2026-11-23"


def test_the_phrase_is_what_was_said() -> None:
    deadline = find_deadline("Please finish by Friday at 5pm, thanks", said_at=SAID_AT)
    assert deadline is not None and deadline.phrase == "by Friday at 5pm"


def test_the_end_of_a_day_may_stand_after_the_day() -> None:
    deadline = find_deadline("Send the slides by Friday EOD", said_at=SAID_AT)
    assert deadline is not None
    assert (deadline.iso(), deadline.phrase) == ("2026-11-20", "by Friday EOD")


def test_the_month_wraps_around_the_year() -> None:
    late = datetime(2026, 12, 31, 12, tzinfo=ISRAEL)
    assert str(find_deadline("by the 15th", said_at=late).day) == "2027-01-15"  # type: ignore[union-attr]
    assert str(find_deadline("in 2 months", said_at=late).day) == "2027-02-28"  # type: ignore[union-attr]


def test_every_weekday_is_ahead() -> None:
    for ahead in range(7):
        said_at = SAID_AT + timedelta(days=ahead)
        for word in ("by Monday", "by Thursday", "עד יום ראשון", "עד יום שישי"):
            deadline = find_deadline(word, said_at=said_at)
            assert deadline is not None
            assert 1 <= (deadline.day - said_at.date()).days <= 7
