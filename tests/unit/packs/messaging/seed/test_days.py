from datetime import UTC, date, datetime

import pytest

from seed.messaging.days import moment, with_dates, workday

SATURDAY = date(2026, 11, 21)
MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("today", "count", "expected"),
    [
        (SATURDAY, 2, date(2026, 11, 18)),
        (SATURDAY, 1, date(2026, 11, 19)),
        (SATURDAY, 0, date(2026, 11, 22)),
        (SATURDAY, -1, date(2026, 11, 23)),
        (MONDAY, 3, date(2026, 11, 18)),
        (MONDAY, 1, date(2026, 11, 22)),
        (MONDAY, 0, MONDAY),
        (MONDAY, -4, date(2026, 11, 29)),
    ],
)
def test_working_days_are_sunday_to_thursday(today: date, count: int, expected: date) -> None:
    assert workday(count, today=today) == expected


def test_every_count_is_a_day_of_its_own_whatever_the_day_of_seeding() -> None:
    for day in range(1, 15):
        days = [workday(count, today=date(2026, 11, day)) for count in range(30, -31, -1)]
        assert days == sorted(set(days))
        assert all(day.weekday() not in (4, 5) for day in days)


def test_a_moment_is_in_utc_and_in_the_past() -> None:
    assert moment(1, "09:30", today=SATURDAY) == datetime(2026, 11, 19, 9, 30, tzinfo=UTC)


def test_marks_become_days_in_both_languages() -> None:
    text = "by {day:-1}, {date:-9}; עד {yom:-1}, ב-{taarich:-9}"
    assert with_dates(text, today=SATURDAY) == "by Monday, 3 December; עד יום שני, ב-3 בדצמבר"


def test_other_braces_stay() -> None:
    assert with_dates("{day} {name:1} {}", today=SATURDAY) == "{day} {name:1} {}"
