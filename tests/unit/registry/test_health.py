"""A capability's record: what counts now, what counted today, how long calls take."""

from __future__ import annotations

import json
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from rollcall.registry.health import MAX_CALLS, Failure, Window
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


def test_the_newest_calls_are_kept_and_count() -> None:
    window = Window()
    for second in range(600):
        add(window, failed=10, ok=1, at=NOON + second)
    assert [call.at for call in window.calls] == sorted(call.at for call in window.calls)
    assert len(window.calls) == MAX_CALLS
    assert (window.day_ok, window.day_failed) == (600, 6_000)
    assert len(json.dumps(stored(window))) < 10_000


def stored(window: Window) -> Any:
    return json.loads(json.dumps(to_builtins(window)))


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
    assert window.latency(share, NOON + 1_200) == 20
    assert window.latency(share, NOON + 5_000) is None


@given(st.lists(st.integers(0, 99_999), min_size=1, max_size=MAX_CALLS), st.floats(0.01, 1))
def test_a_quantile_is_the_time_that_so_many_calls_kept_to(times: list[int], share: float) -> None:
    window = Window()
    for ms in times:
        add(window, ok=1, ms=ms)
    found = window.latency(share, NOON)
    assert found in times
    assert sum(ms <= found for ms in times) >= share * len(times) - 1e-9
    assert sum(ms < found for ms in times) < share * len(times)


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
    assert convert(record, Window) == window
    assert record == to_builtins(window)  # so that what has not changed stays
    assert len(json.dumps(record)) < 12_000
    assert len(window.calls) <= window.day_ok + window.day_failed


def test_a_record_is_over_the_day_after_if_it_is_well() -> None:
    window = Window()
    add(window, ok=1)
    assert not window.is_over(NOON)
    assert window.is_over(NOON + 86_400)
    add(window, failed=5)
    window.judge(NOON)
    assert not window.is_over(NOON + 86_400)
