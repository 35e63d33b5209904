"""A capability's record: what counts now, what counted today, how long calls take."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert, to_builtins
from msgspec.structs import replace

from rollcall.registry.health import Window
from rollcall.registry.recorder import (
    LATENCY_BOUNDS_MS,
    MAX_USERS,
    Failure,
    Observations,
    no_latencies,
)

NOON = 1_796_904_000.0  # 2026-12-10 12:00 UTC
FAILURE = Failure("unavailable", "the archive is closed", NOON)


def seen(
    ok: int = 0, failed: int = 0, *, at: float = NOON, ms: int = 100, by: str = "", after: int = 0
) -> Observations:
    """What a process saw: failures, and among them, before the last `after`, the successes.

    Args:
        by: The users, a letter each, whose calls fail in turn; each failure another's if empty.
    """
    found = Observations(at)
    failing = [by[n % len(by)] if by else f"{at}/{n}" for n in range(failed)]
    for user in failing[: failed - after]:
        found.add_failure(user, replace(FAILURE, at=at), ms=ms)
    for _ in range(ok):
        found.add_success("somebody", ms=ms, at=at)
    for user in failing[failed - after :]:
        found.add_failure(user, replace(FAILURE, at=at), ms=ms)
    return found


def test_results_count_for_ten_minutes() -> None:
    window = Window()
    for minute in range(30):
        window.add(seen(ok=1, at=NOON + 60 * minute))
    assert window.evidence(NOON + 60 * 29).ok == 10
    assert window.evidence(NOON + 60 * 34).ok == 5
    assert window.evidence(NOON + 60 * 60).ok == 0
    assert len(window.minutes) <= 10
    assert window.day_ok == 30


def test_a_days_totals_begin_with_the_day() -> None:
    window = Window()
    window.add(seen(ok=5, at=NOON))
    window.add(seen(ok=2, failed=1, at=NOON + 86_400))
    window.add(seen(ok=9, at=NOON))  # late, of the day before
    assert (window.day, window.day_ok, window.day_failed) == ("2026-12-11", 2, 1)


def test_a_success_ends_a_row_of_failures() -> None:
    window = Window()
    window.add(seen(failed=2))
    window.add(seen(failed=2, by="xy"))
    assert window.evidence(NOON).in_a_row == 4
    window.add(seen(ok=1, failed=3, after=1))
    assert window.evidence(NOON).in_a_row == 1


@given(st.integers(1, 400), st.integers(0, 3), st.integers(1, 20))
def test_nobodys_failures_alone_take_a_capability_from_others(
    failures: int, others: int, processes: int
) -> None:
    window, now = Window(), NOON
    for _ in range(processes):
        window.add(seen(failed=failures, by="x", at=now))
        now += 20
        window.judge(now)
        assert window.breaker.state != "down"
    window.add(seen(ok=others, at=now))
    window.judge(now)
    assert window.breaker.state != "down"


def test_two_users_for_whom_it_always_fails_are_enough() -> None:
    window = Window()
    window.add(seen(failed=3, by="x"))
    window.judge(NOON)
    assert window.breaker.state == "degraded"
    window.add(seen(failed=2, by="y"))
    assert window.judge(NOON)
    assert window.breaker.state == "down"


def test_few_busy_users_for_whom_it_mostly_fails_are_enough() -> None:
    window = Window()
    for user in "vwxyz":
        called = Observations(NOON)
        for call in range(30):
            if call % 3:
                called.add_failure(user, FAILURE, ms=5)
            else:
                called.add_success(user, ms=5, at=NOON)
        window.add(called)
    assert window.calls(NOON) == (50, 100)
    found = window.evidence(NOON)
    assert (found.failed, found.failing_users) == (15, 5)
    assert found.failing == pytest.approx(2 / 3, abs=0.1)
    assert window.judge(NOON)
    assert window.breaker.state == "down"


def test_a_user_who_makes_it_fail_leaves_a_busy_capability_as_it_is() -> None:
    window = Window()
    for second in range(0, 600, 20):
        window.add(seen(ok=2, failed=50, by="x", after=50, at=NOON + second))
        window.judge(NOON + second)
        assert window.breaker.state != "down"
    assert window.evidence(NOON + 600).failed == 3


def test_what_ended_before_a_trial_is_not_held_against_it() -> None:
    window = Window()
    window.add(seen(failed=5))
    assert window.judge(NOON)
    back_at = window.breaker.until
    assert window.judge(back_at)
    assert window.breaker.on_trial
    window.add(seen(failed=2, at=back_at - 5))  # its process told it late
    assert not window.judge(back_at)
    assert window.day_failed == 7
    window.add(seen(failed=9, by="x", at=back_at + 5))
    assert not window.judge(back_at + 5)  # one user's
    window.add(seen(failed=1, at=back_at + 5))
    assert window.judge(back_at + 5)
    assert window.breaker.state == "down"


def test_the_users_of_a_record_are_bounded() -> None:
    window = Window()
    for second in range(600):
        window.add(seen(failed=10, at=NOON + second))
    assert max(len(minute[3]) for minute in window.minutes) == MAX_USERS
    assert len(window.row) == MAX_USERS
    assert len(json.dumps(window.record())) < 5_000


def test_what_a_version_before_wrote_is_read() -> None:
    minute = int(NOON // 60)
    window = Window.of({"m": [[minute, 3, 4]], "r": 4, "h": NOON})
    assert (window.calls(NOON), window.row) == ((3, 4), {})
    before = {"ok": 1, "failed": 2, "in_a_row": 2, "ms": no_latencies(), "at": NOON}
    window.add(convert({**before, "failure": None}, Observations))
    assert window.calls(NOON) == (4, 6)


def test_a_check_that_succeeds_takes_no_failed_calls_back() -> None:
    window = Window()
    window.add(seen(failed=4))
    window.add_probe(None, NOON)
    assert window.evidence(NOON).in_a_row == 4
    window.add_probe(FAILURE, NOON)
    window.add(seen(ok=1))
    assert window.probe_failures == 0


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_latencies_are_of_the_last_ten_to_twenty_minutes(share: float) -> None:
    window = Window()
    window.add(seen(ok=50, ms=9_000, at=NOON))
    window.add(seen(ok=50, ms=20, at=NOON + 1_200))
    late = window.latency(share, NOON + 1_200)
    assert late is not None and 10 < late <= 25
    assert window.latency(share, NOON + 5_000) is None


@given(st.lists(st.integers(0, 29_999), min_size=1, max_size=200), st.floats(0.01, 1))
def test_a_quantile_is_in_the_class_of_the_true_one(times: list[int], share: float) -> None:
    window = Window()
    for ms in times:
        window.add(seen(ok=1, ms=ms))
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
    window.add(seen(ok=1, ms=10**9))
    assert window.latency(0.95, NOON) == 30_000


results = st.builds(
    seen, ok=st.integers(0, 50), failed=st.integers(0, 50), at=st.floats(NOON, NOON + 9_000)
)


@given(st.lists(results, max_size=30), st.lists(st.floats(NOON, NOON + 9_000), max_size=3))
def test_a_record_is_read_as_it_was_written_and_is_small(
    added: list[Observations], probes: list[float]
) -> None:
    window = Window()
    for each in sorted(added, key=lambda each: each.at):
        window.add(each)
        window.judge(each.at)
    for at in probes:
        window.add_probe(FAILURE, at)
    text = json.dumps(window.record(), separators=(",", ":"))
    assert Window.of(json.loads(text)) == window
    assert json.loads(text) == window.record()  # so that what has not changed is not written
    assert len(text) < 5_000
    assert sum(each[1] + each[2] for each in window.minutes) <= window.day_ok + window.day_failed


def test_what_was_seen_is_read_as_it_was_told() -> None:
    told = seen(ok=2, failed=1)
    assert convert(json.loads(json.dumps(to_builtins(told))), Observations) == told


def test_a_record_is_over_the_day_after_if_it_is_well() -> None:
    window = Window()
    window.add(seen(ok=1))
    assert not window.is_over(NOON)
    assert window.is_over(NOON + 86_400)
    window.add(seen(failed=5))
    window.judge(NOON)
    assert not window.is_over(NOON + 86_400)
