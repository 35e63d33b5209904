"""The sliding minute of starts, without a database."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.errors import ResourceExhausted
from rollcall.store.admission import TooManyRuns, check_rate, remembered

NOW = 1_000_000


def starts(*ago_s: float, counts: bool = True) -> dict[str, dict[str, Any]]:
    return {str(ago): {"atMs": NOW - round(ago * 1000), "counts": counts} for ago in ago_s}


def test_a_start_counts_for_a_minute() -> None:
    check_rate(starts(0, 59.999, 60, 61), 3, now_ms=NOW)
    with pytest.raises(ResourceExhausted):
        check_rate(starts(0, 59.999, 60, 61), 2, now_ms=NOW)


def test_a_start_is_remembered_for_longer_and_counts_no_more() -> None:
    found = starts(59, 61, 239, 241)
    assert list(remembered(found, now_ms=NOW)) == ["59", "61", "239"]
    check_rate(found, 2, now_ms=NOW)


def test_one_more_than_the_most_is_refused_until_the_oldest_is_a_minute_old() -> None:
    check_rate(starts(1, 20), 3, now_ms=NOW)
    with pytest.raises(ResourceExhausted, match="at most 3 messages a minute") as refused:
        check_rate(starts(1, 20, 30.5), 3, now_ms=NOW)
    assert refused.value.retry_after_s == 30


def test_where_none_may_start_it_is_a_minute_too() -> None:
    with pytest.raises(ResourceExhausted) as refused:
        check_rate({}, 0, now_ms=NOW)
    assert refused.value.retry_after_s == 60


def test_without_a_limit_and_of_what_does_not_count_nothing_is_refused() -> None:
    check_rate(starts(*range(50)), None, now_ms=NOW)
    check_rate(starts(*range(50), counts=False), 1, now_ms=NOW)


def test_too_many_runs_are_refused_in_hebrew_too() -> None:
    one, two = (
        TooManyRuns([f"threads/t/runs/{n}" for n in range(most)], most=most) for most in (1, 2)
    )
    assert one.message == "one of your runs is under way, and at most 1 may be at once"
    assert two.message == "2 of your runs are under way, and at most 2 may be at once"
    assert one.say("he").startswith("תשובה אחת שלך עוד נכתבת;")
    assert two.say("he").startswith("2 תשובות שלך עוד נכתבות;")
