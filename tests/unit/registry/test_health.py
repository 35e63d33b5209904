"""How calls and probes become a state, on a clock of the tests', and what is stored of them."""

from __future__ import annotations

import json
import math
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from rollcall.core.errors import FailedPrecondition
from rollcall.registry.health import (
    COOL_DOWN_S,
    DECISIVE_CALLS,
    MAX_CALLS,
    WINDOW_S,
    Failure,
    HealthRecord,
    check_up,
)
from rollcall.registry.recorder import ObservedCall
from tests.support.for_every import for_every

NOON = 1_796_904_000.0  # 2026-12-10 12:00 UTC
FAILURE = Failure("unavailable", "the archive is closed", NOON)


def call(user: str = "somebody", code: str | None = None, *, at: float, ms: int) -> ObservedCall:
    message = FAILURE.message if code else ""
    return ObservedCall("look_up", user, at, ms, code, message)


def add(
    record: HealthRecord,
    ok: int = 0,
    failed: int = 0,
    *,
    at: float = NOON,
    ms: int = 100,
    by: str = "",
) -> None:
    """Calls end: first the successes, then the failures.

    Args:
        by: The users, a letter each, whose calls fail in turn; each failure another's if empty.
    """
    failing = [by[n % len(by)] if by else f"{at}/{n}" for n in range(failed)]
    for user in [*[None] * ok, *failing]:
        code = "unavailable" if user else None
        record.add(call(user or "somebody", code, at=at, ms=ms))


def state(record: HealthRecord, now: float = NOON) -> str:
    record.decide("look_up", now)
    return record.state


def down() -> HealthRecord:
    record = HealthRecord()
    add(record, failed=5)
    assert state(record) == "down"
    return record


# ---- states ----


@for_every(
    ("ok", "failed", "probes", "expected"),
    [
        (0, 0, 0, "healthy"),
        (0, 2, 0, "healthy"),
        (0, 3, 0, "degraded"),
        (0, 4, 0, "degraded"),
        (0, 5, 0, "down"),
        (17, 3, 0, "degraded"),
        (5, 5, 0, "down"),
        (6, 5, 0, "degraded"),
        (10, 10, 0, "down"),
        (100, 9, 0, "degraded"),
        (100, 10, 0, "down"),  # half of the newest twenty
        (0, 0, 1, "healthy"),
        (0, 0, 2, "degraded"),
        (50, 0, 3, "down"),
    ],
)
def test_what_a_healthy_capability_becomes(
    ok: int, failed: int, probes: int, expected: str
) -> None:
    record = HealthRecord()
    add(record, ok=ok, failed=failed)
    for _ in range(probes):
        record.add_probe(FAILURE)
    assert state(record) == expected


def test_a_degraded_capability_is_healthy_once_newer_calls_succeed() -> None:
    record = HealthRecord()
    add(record, failed=3)
    assert (state(record), record.since) == ("degraded", NOON)
    add(record, ok=DECISIVE_CALLS - 3)
    assert state(record, NOON + 60) == "degraded"
    add(record, ok=1)
    assert state(record, NOON + 120) == "healthy"
    assert record.since == NOON + 120


def test_failures_count_for_an_hour() -> None:
    record = HealthRecord()
    add(record, failed=3)
    assert state(record, NOON + WINDOW_S) == "degraded"
    assert state(record, NOON + WINDOW_S + 1) == "healthy"


def test_a_rarely_used_capability_that_always_fails_goes_down() -> None:
    record = HealthRecord()
    for number in range(5):
        add(record, failed=1, at=NOON + 600 * number)
    assert state(record, NOON + 2_400) == "down"


def test_a_capability_is_down_for_its_time_and_then_degraded() -> None:
    record = down()
    assert state(record, NOON + COOL_DOWN_S - 1) == "down"
    assert state(record, NOON + COOL_DOWN_S) == "degraded"
    assert record.since == NOON + COOL_DOWN_S


def test_three_calls_that_succeed_after_it_was_down_make_it_healthy() -> None:
    record, back_at = down(), NOON + COOL_DOWN_S
    add(record, ok=2, at=back_at)
    assert state(record, back_at) == "degraded"
    add(record, ok=1, at=back_at)
    assert state(record, back_at) == "healthy"


def test_a_capability_that_nobody_uses_after_it_was_down_is_healthy_an_hour_later() -> None:
    record, back_at = down(), NOON + COOL_DOWN_S
    assert state(record, back_at + WINDOW_S - 1) == "degraded"
    assert state(record, back_at + WINDOW_S) == "healthy"


def test_a_capability_that_fails_again_goes_down_again() -> None:
    record, back_at = down(), NOON + COOL_DOWN_S
    assert state(record, back_at) == "degraded"
    add(record, failed=5, at=back_at + 5)
    assert state(record, back_at + 5) == "down"
    assert record.until == back_at + 5 + COOL_DOWN_S


def test_calls_from_before_it_was_tried_again_do_not_count() -> None:
    record, back_at = down(), NOON + COOL_DOWN_S
    add(record, failed=9, at=back_at - 5)  # its process told it late
    assert state(record, back_at) == "degraded"
    assert record.day_failed == 14
    add(record, failed=9, by="x", at=back_at + 5)  # one user's
    assert state(record, back_at + 5) == "degraded"


def test_a_probe_that_fails_when_it_is_due_keeps_it_down() -> None:
    record, back_at = down(), NOON + COOL_DOWN_S
    record.add_probe(FAILURE)
    assert state(record, back_at) == "down"
    assert (record.since, record.until) == (NOON, back_at + COOL_DOWN_S)
    assert state(record, back_at + COOL_DOWN_S) == "degraded"  # it was not probed again


def test_a_successful_probe_takes_no_failed_calls_back_and_a_call_takes_probes_back() -> None:
    record = HealthRecord()
    add(record, failed=4)
    record.add_probe(None)
    assert state(record) == "degraded"
    record.add_probe(FAILURE)
    add(record, ok=1)
    assert record.probe_failures == 0


def test_a_capability_that_is_probed_no_more_is_healthy_an_hour_later() -> None:
    record = HealthRecord()
    record.add_probe(FAILURE)
    record.add_probe(FAILURE)
    assert state(record) == "degraded"
    assert state(record, NOON + WINDOW_S) == "healthy"
    assert record.is_over(NOON + WINDOW_S)


# ---- users ----


@given(st.integers(1, 400), st.integers(0, 3), st.integers(1, 20))
def test_nobodys_failures_alone_take_a_capability_from_others(
    failures: int, others: int, processes: int
) -> None:
    record, now = HealthRecord(), NOON
    for _ in range(processes):
        add(record, failed=failures, by="x", at=now)
        now += 20
        assert state(record, now) != "down"
    add(record, ok=others, at=now)
    assert state(record, now) != "down"


def test_two_users_for_whom_it_always_fails_are_enough() -> None:
    record = HealthRecord()
    add(record, failed=3, by="x")
    assert state(record) == "degraded"
    add(record, failed=2, by="y")
    assert state(record) == "down"


def test_few_busy_users_for_whom_it_mostly_fails_are_enough() -> None:
    record = HealthRecord()
    for user, number in zip(cycle("vwxyz"), range(150), strict=False):
        code = "unavailable" if number // 5 % 3 else None
        record.add(call(user, code, at=NOON, ms=5))
    assert state(record) == "down"


def test_a_user_who_makes_it_fail_leaves_a_busy_capability_as_it_is() -> None:
    record = HealthRecord()
    for second in range(0, 600, 20):
        add(record, ok=2, failed=50, by="x", at=NOON + second)
        assert state(record, NOON + second) == "degraded"


# ---- refusal ----


def test_a_call_of_what_is_down_is_refused_at_once() -> None:
    check_up({"look_up": "degraded"}, "look_up")
    check_up({}, "look_up")
    with pytest.raises(FailedPrecondition) as refused:
        check_up({"look_up": "down"}, "look_up")
    assert refused.value.retry_after_s


# ---- records ----


def test_a_days_totals_begin_with_the_day() -> None:
    record = HealthRecord()
    add(record, ok=5, at=NOON)
    add(record, ok=2, failed=1, at=NOON + 86_400)
    add(record, ok=1, failed=1, at=NOON)  # reported late
    assert (record.day, record.day_ok, record.day_failed) == ("2026-12-11", 2, 1)


def test_the_newest_calls_are_stored_without_messages() -> None:
    record = HealthRecord()
    for second in range(600):
        add(record, failed=10, ok=1, at=NOON + second)
    assert [call.at for call in record.calls] == sorted(call.at for call in record.calls)
    assert len(record.calls) == MAX_CALLS
    assert (record.day_ok, record.day_failed) == (600, 6_000)
    assert len(json.dumps(stored(record))) < 10_000
    assert {(call.id, call.message) for call in record.calls} == {("", "")}


def stored(record: HealthRecord) -> Any:
    return json.loads(json.dumps(to_builtins(record)))


@given(st.lists(st.integers(0, 99_999), min_size=1, max_size=MAX_CALLS), st.floats(0.01, 1))
def test_a_quantile_is_the_time_that_so_many_calls_kept_to(times: list[int], share: float) -> None:
    record = HealthRecord()
    for ms in times:
        add(record, ok=1, ms=ms)
    found = record.latency(share)
    assert found is not None and found in times
    assert sum(ms <= found for ms in times) >= share * len(times) - 1e-9
    assert sum(ms < found for ms in times) < share * len(times)


def test_without_calls_there_is_no_latency() -> None:
    assert HealthRecord().latency(0.5) is None


results = st.tuples(st.integers(0, 50), st.integers(0, 50), st.floats(NOON, NOON + 9_000))
histories = st.lists(results, max_size=30)


def record_of(calls: list[tuple[int, int, float]], probes: list[float]) -> HealthRecord:
    record = HealthRecord()
    for ok, failed, at in sorted(calls, key=lambda each: each[2]):
        add(record, ok=ok, failed=failed, at=at)
        record.decide("look_up", at)
    for at in probes:
        record.add_probe(Failure("unavailable", "the archive is closed", at))
    return record


@given(histories, st.lists(st.floats(NOON, NOON + 9_000), max_size=3))
def test_a_record_is_read_as_it_was_written_and_is_small(
    calls: list[tuple[int, int, float]], probes: list[float]
) -> None:
    record = record_of(calls, probes)
    assert convert(stored(record), HealthRecord) == record
    assert stored(record) == to_builtins(record)  # so that what has not changed stays
    assert len(json.dumps(stored(record))) < 12_000
    assert len(record.calls) <= record.day_ok + record.day_failed


@given(histories, st.lists(st.floats(NOON, NOON + 9_000), max_size=3))
def test_nothing_new_changes_nothing_and_nothing_is_down_for_longer_than_its_time(
    calls: list[tuple[int, int, float]], probes: list[float]
) -> None:
    record, now = record_of(calls, probes), NOON + 9_000
    once = state(record, now)
    assert state(record, now) == once
    assert record.until <= now + COOL_DOWN_S
    if once == "down":
        # A probe that failed since it went down keeps it down, while that counts.
        failed_at = record.failure.at if record.failure and record.probe_failures else -math.inf
        is_kept = failed_at > record.until - WINDOW_S
        assert state(record, record.until) == ("down" if is_kept else "degraded")


def test_a_record_is_over_the_day_after_if_it_is_well() -> None:
    record = HealthRecord()
    add(record, ok=1)
    assert not record.is_over(NOON)
    assert record.is_over(NOON + 86_400)
    assert not down().is_over(NOON + 86_400)


def test_a_record_of_an_earlier_version_is_read_and_its_state_is_decided_anew() -> None:
    old = {
        "calls": [["", f"user {number}", NOON, 40, "internal"] for number in range(5)],
        "day": "2026-12-10",
        "day_failed": 5,
        "heard_at": NOON,
        "counts_from": NOON - 60,
        "failure": {"code": "internal", "message": "the archive is closed", "at": NOON},
        "breaker": {"state": "down", "since": NOON - 900, "until": NOON + 900, "strikes": 4},
    }
    record = convert(old, HealthRecord)
    assert (record.state, record.day_failed) == ("healthy", 5)
    assert state(record) == "down"
