"""A capability's record: what counts now, what counted today, how long calls take."""

from __future__ import annotations

import json
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from rollcall.registry.health import LATENCY_BOUNDS_MS, MAX_USERS, Failure, Window
from rollcall.registry.recorder import ObservedCall

NOON = 1_796_904_000.0  # 2026-12-10 12:00 UTC
FAILURE = Failure("unavailable", "the archive is closed", NOON)


def call(user: str = "somebody", code: str | None = None, *, at: float, ms: int) -> ObservedCall:
    message = FAILURE.message if code else ""
    return ObservedCall("look_up", user, at, ms, code, message)


def add(
    window: Window,
    ok: int = 0,
    failed: int = 0,
    *,
    at: float = NOON,
    ms: int = 100,
    by: str = "",
    after: int = 0,
) -> None:
    """Calls end: failures, and among them, before the last `after`, the successes.

    Args:
        by: The users, a letter each, whose calls fail in turn; each failure another's if empty.
    """
    failing = [by[n % len(by)] if by else f"{at}/{n}" for n in range(failed)]
    users = [*failing[: failed - after], *[None] * ok, *failing[failed - after :]]
    for user in users:
        code = "unavailable" if user else None
        window.add(call(user or "somebody", code, at=at, ms=ms))


def judge(window: Window, now: float) -> bool:
    """Whether its state has changed."""
    before = window.breaker
    window.judge(now)
    return window.breaker != before


def test_results_count_for_ten_minutes() -> None:
    window = Window()
    for minute in range(30):
        add(window, ok=1, at=NOON + 60 * minute)
    assert window.evidence(NOON + 60 * 29).ok == 10
    assert window.evidence(NOON + 60 * 34).ok == 5
    assert window.evidence(NOON + 60 * 60).ok == 0
    assert len(window.minutes) <= 10
    assert window.day_ok == 30


def test_a_days_totals_begin_with_the_day() -> None:
    window = Window()
    add(window, ok=5, at=NOON)
    add(window, ok=2, failed=1, at=NOON + 86_400)
    add(window, ok=9, at=NOON)  # late, of the day before
    assert (window.day, window.day_ok, window.day_failed) == ("2026-12-11", 2, 1)


def test_a_success_ends_a_row_of_failures() -> None:
    window = Window()
    add(window, failed=2)
    add(window, failed=2, by="xy")
    assert window.evidence(NOON).in_a_row == 4
    add(window, ok=1, failed=3, after=1)
    assert window.evidence(NOON).in_a_row == 1


@given(st.integers(1, 400), st.integers(0, 3), st.integers(1, 20))
def test_nobodys_failures_alone_take_a_capability_from_others(
    failures: int, others: int, processes: int
) -> None:
    window, now = Window(), NOON
    for _ in range(processes):
        add(window, failed=failures, by="x", at=now)
        now += 20
        window.judge(now)
        assert window.breaker.state != "down"
    add(window, ok=others, at=now)
    window.judge(now)
    assert window.breaker.state != "down"


def test_two_users_for_whom_it_always_fails_are_enough() -> None:
    window = Window()
    add(window, failed=3, by="x")
    window.judge(NOON)
    assert window.breaker.state == "degraded"
    add(window, failed=2, by="y")
    assert judge(window, NOON)
    assert window.breaker.state == "down"


def test_few_busy_users_for_whom_it_mostly_fails_are_enough() -> None:
    window = Window()
    for user, number in zip(cycle("vwxyz"), range(150), strict=False):
        code = "unavailable" if number // 5 % 3 else None
        window.add(call(user, code, at=NOON, ms=5))
    (minute,) = window.recent(NOON)
    assert (minute.ok, minute.failed) == (50, 100)
    found = window.evidence(NOON)
    assert (found.failed, found.failing_users) == (15, 5)
    assert found.failed / (found.ok + found.failed) == pytest.approx(2 / 3, abs=0.1)
    assert judge(window, NOON)
    assert window.breaker.state == "down"


def test_a_user_who_makes_it_fail_leaves_a_busy_capability_as_it_is() -> None:
    window = Window()
    for second in range(0, 600, 20):
        add(window, ok=2, failed=50, by="x", after=50, at=NOON + second)
        window.judge(NOON + second)
        assert window.breaker.state != "down"
    assert window.evidence(NOON + 600).failed == 3


def test_what_ended_before_a_trial_is_not_held_against_it() -> None:
    window = Window()
    add(window, failed=5)
    assert judge(window, NOON)
    back_at = window.breaker.until
    assert judge(window, back_at)
    assert window.breaker.on_trial
    add(window, failed=2, at=back_at - 5)  # its process told it late
    assert not judge(window, back_at)
    assert window.day_failed == 7
    add(window, failed=9, by="x", at=back_at + 5)
    assert not judge(window, back_at + 5)  # one user's
    add(window, failed=1, at=back_at + 5)
    assert judge(window, back_at + 5)
    assert window.breaker.state == "down"


def test_the_users_of_a_record_are_bounded() -> None:
    window = Window()
    for second in range(600):
        add(window, failed=10, at=NOON + second)
    assert max(len(minute.users) for minute in window.minutes) == MAX_USERS
    assert len(window.row) == MAX_USERS
    assert sum(minute.failed for minute in window.minutes) == 6_000
    assert len(json.dumps(stored(window))) < 5_000


def stored(window: Window) -> Any:
    return json.loads(json.dumps(to_builtins(window, str_keys=True)))


def test_a_check_that_succeeds_takes_no_failed_calls_back() -> None:
    window = Window()
    add(window, failed=4)
    window.add_probe(None)
    assert window.evidence(NOON).in_a_row == 4
    window.add_probe(FAILURE)
    add(window, ok=1)
    assert window.probe_failures == 0


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_latencies_are_of_the_last_ten_minutes(share: float) -> None:
    window = Window()
    add(window, ok=50, ms=9_000, at=NOON)
    add(window, ok=50, ms=20, at=NOON + 1_200)
    late = window.latency(share, NOON + 1_200)
    assert late is not None and 10 < late <= 25
    assert window.latency(share, NOON + 5_000) is None


@given(st.lists(st.integers(0, 29_999), min_size=1, max_size=200), st.floats(0.01, 1))
def test_a_quantile_is_in_the_class_of_the_true_one(times: list[int], share: float) -> None:
    window = Window()
    for ms in times:
        add(window, ok=1, ms=ms)
    ordered = sorted(times)
    true = next(ms for place, ms in enumerate(ordered, 1) if place >= share * len(times) - 1e-9)
    found = window.latency(share, NOON)
    assert found is not None
    low = max((end for end in LATENCY_BOUNDS_MS if end < true), default=0)
    high = min(end for end in LATENCY_BOUNDS_MS if end >= true)
    assert low <= found <= high


def test_quantiles_of_nothing_and_of_what_takes_for_ever() -> None:
    window = Window()
    assert window.latency(0.5, NOON) is None
    add(window, ok=1, ms=10**9)
    assert window.latency(0.95, NOON) == 30_000


results = st.tuples(st.integers(0, 50), st.integers(0, 50), st.floats(NOON, NOON + 9_000))


@given(st.lists(results, max_size=30), st.lists(st.floats(NOON, NOON + 9_000), max_size=3))
def test_a_record_is_read_as_it_was_written_and_is_small(
    calls: list[tuple[int, int, float]], probes: list[float]
) -> None:
    window = Window()
    for ok, failed, at in sorted(calls, key=lambda each: each[2]):
        add(window, ok=ok, failed=failed, at=at)
        window.judge(at)
    for at in probes:
        window.add_probe(Failure("unavailable", "the archive is closed", at))
    record = stored(window)
    assert convert(record, Window, strict=False) == window
    assert record == to_builtins(window, str_keys=True)  # so that what has not changed stays
    assert len(json.dumps(record)) < 10_000
    assert sum(each.ok + each.failed for each in window.minutes) <= (
        window.day_ok + window.day_failed
    )


def test_a_record_is_over_the_day_after_if_it_is_well() -> None:
    window = Window()
    add(window, ok=1)
    assert not window.is_over(NOON)
    assert window.is_over(NOON + 86_400)
    add(window, failed=5)
    window.judge(NOON)
    assert not window.is_over(NOON + 86_400)
