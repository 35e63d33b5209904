"""When a capability goes out of service, and how it comes back, on a clock of the tests'."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rollcall.core.errors import FailedPrecondition
from rollcall.registry.breaker import (
    COOL_DOWN_S,
    FORGET_S,
    MAX_COOL_DOWN_S,
    QUIET_S,
    Breaker,
    Evidence,
    check_up,
    next_state,
)
from tests.support.for_every import for_every

NOW = 1_800_000_000.0
HEALTHY = Breaker()
DOWN = next_state(HEALTHY, Evidence(failed=5, in_a_row=5, heard_at=NOW), NOW)


def evidence(**found: float) -> Evidence:
    return Evidence(**{"heard_at": NOW, **found})  # type: ignore[arg-type]


def back(breaker: Breaker) -> tuple[Breaker, float]:
    """The trial of what is down, and when it begins."""
    trial = next_state(breaker, Evidence(), breaker.until)
    assert (trial.state, trial.on_trial) == ("degraded", True)
    return trial, breaker.until


@for_every(
    ("found", "state"),
    [
        (evidence(), "healthy"),
        (evidence(failed=1, in_a_row=1), "healthy"),  # one failure in a quiet minute
        (evidence(failed=2, in_a_row=2), "healthy"),
        (evidence(failed=3, in_a_row=3), "degraded"),
        (evidence(ok=100, failed=4, in_a_row=4), "degraded"),
        (evidence(failed=5, in_a_row=5), "down"),
        (evidence(ok=10_000, failed=5, in_a_row=5), "down"),
        (evidence(ok=4, failed=1), "degraded"),
        (evidence(ok=3, failed=1), "healthy"),  # too few to say
        (evidence(ok=81, failed=19), "healthy"),
        (evidence(ok=5, failed=5), "down"),
        (evidence(ok=5, failed=4), "degraded"),
        (evidence(probe_failures=1), "healthy"),
        (evidence(probe_failures=2), "degraded"),
        (evidence(ok=50, probe_failures=3), "down"),
    ],
)
def test_what_a_healthy_capability_becomes(found: Evidence, state: str) -> None:
    assert next_state(HEALTHY, found, NOW).state == state


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (evidence(ok=85, failed=15), "degraded"),  # less than what made it so, and not well yet
        (evidence(ok=95, failed=5), "healthy"),
        (evidence(ok=95, failed=5, in_a_row=1), "degraded"),
        (evidence(ok=9, probe_failures=1), "degraded"),
        (Evidence(), "healthy"),
    ],
)
def test_what_is_degraded_is_well_only_below_what_made_it_so(found: Evidence, state: str) -> None:
    assert next_state(Breaker("degraded", since=NOW - 60), found, NOW).state == state


def test_what_is_down_stays_so_for_its_time_and_comes_back_on_trial() -> None:
    assert DOWN.until == NOW + COOL_DOWN_S
    assert next_state(DOWN, evidence(ok=100), DOWN.until - 1) == DOWN
    back(DOWN)


def test_a_trial_ends_with_successes() -> None:
    trial, at = back(DOWN)
    assert next_state(trial, Evidence(ok=2, heard_at=at), at + 1) == trial
    well = next_state(trial, Evidence(ok=3, heard_at=at), at + 1)
    assert (well.state, well.on_trial) == ("healthy", False)


def test_a_trial_ends_with_failures_of_two_users_and_a_longer_time_away() -> None:
    trial, at = back(DOWN)
    one = Evidence(failed=3, in_a_row=3, failing_users=1, heard_at=at)
    assert next_state(trial, one, at + 1) == trial
    again = next_state(trial, replace(one, failing_users=2), at + 1)
    assert (again.state, again.until) == ("down", at + 1 + 2 * COOL_DOWN_S)


def test_a_trial_with_successes_and_a_failure_leaves_it_degraded() -> None:
    trial, at = back(DOWN)
    found = next_state(trial, Evidence(ok=4, failed=2, in_a_row=1, heard_at=at), at + 1)
    assert (found.state, found.on_trial) == ("degraded", False)


def test_the_time_away_doubles_up_to_half_an_hour() -> None:
    breaker, waits = DOWN, [DOWN.until - NOW]
    for _ in range(8):
        trial, at = back(breaker)
        breaker = next_state(trial, Evidence(failed=2, failing_users=2, heard_at=at), at)
        waits.append(breaker.until - at)
    assert waits == [60, 120, 240, 480, 960, 1800, 1800, 1800, 1800]
    assert waits[-1] == MAX_COOL_DOWN_S


def test_a_check_that_fails_when_it_is_due_keeps_it_down_without_a_trial() -> None:
    at = DOWN.until
    still = next_state(DOWN, Evidence(probe_failures=4, heard_at=at), at)
    assert (still.state, still.until, still.since) == ("down", at + 2 * COOL_DOWN_S, DOWN.since)


def test_going_down_long_after_it_came_back_counts_as_the_first_time() -> None:
    trial, at = back(DOWN)
    well = next_state(trial, Evidence(ok=3, heard_at=at), at)
    for later, wait_s in ((FORGET_S - 1, 2 * COOL_DOWN_S), (FORGET_S, COOL_DOWN_S)):
        again = next_state(well, Evidence(failed=5, in_a_row=5, heard_at=at + later), at + later)
        assert again.until == at + later + wait_s


def test_what_nobody_used_for_an_hour_is_given_the_benefit_of_the_doubt() -> None:
    worse = next_state(HEALTHY, evidence(failed=3, in_a_row=3), NOW)
    old = evidence(in_a_row=3)
    assert next_state(worse, old, NOW + QUIET_S - 1).state == "degraded"
    assert next_state(worse, old, NOW + QUIET_S).state == "healthy"
    trial, at = back(DOWN)
    assert next_state(trial, Evidence(), at + QUIET_S - 1) == trial
    assert next_state(trial, Evidence(), at + QUIET_S).state == "healthy"


def test_a_call_of_what_is_down_is_refused_at_once() -> None:
    check_up({"look_up": "degraded"}, "look_up")
    check_up({}, "look_up")
    with pytest.raises(FailedPrecondition) as refused:
        check_up({"look_up": "down"}, "look_up")
    assert refused.value.retry_after_s


# ---- whatever comes ----

counts = st.integers(0, 300)
found_by_chance = st.builds(
    Evidence,
    ok=counts,
    failed=counts,
    failing_users=st.integers(0, 3),
    in_a_row=st.integers(0, 8),
    probe_failures=st.integers(0, 5),
    heard_at=st.sampled_from([0.0, NOW - QUIET_S, NOW - 600, NOW - 1, NOW]),
)
breakers = st.builds(
    Breaker,
    state=st.sampled_from(["healthy", "degraded", "down"]),
    since=st.sampled_from([0.0, NOW - 5_000, NOW - 10]),
    until=st.sampled_from([0.0, NOW - 5_000, NOW - 10, NOW, NOW + 50]),
    strikes=st.integers(0, 100),
    on_trial=st.booleans(),
).map(lambda each: replace(each, on_trial=each.on_trial and each.state == "degraded"))


@given(breakers, found_by_chance)
def test_nothing_new_changes_nothing(breaker: Breaker, found: Evidence) -> None:
    once = next_state(breaker, found, NOW)
    if once.on_trial and not breaker.on_trial:
        found = Evidence()  # counting begins anew
    assert next_state(once, found, NOW) == once


@given(breakers, found_by_chance)
def test_nothing_is_away_for_longer_than_half_an_hour_at_a_time(
    breaker: Breaker, found: Evidence
) -> None:
    after = next_state(breaker, found, NOW)
    if after.state == "down":
        assert after.until <= NOW + MAX_COOL_DOWN_S
        assert next_state(after, Evidence(), after.until).state == "degraded"


@given(counts, st.integers(0, 4))
def test_few_failures_among_few_calls_take_nothing_out(ok: int, failed: int) -> None:
    found = evidence(ok=ok, failed=failed, in_a_row=failed)
    assert next_state(HEALTHY, found, NOW).state != "down"


@given(st.sampled_from(["healthy", "degraded"]), counts, st.integers(5, 300))
def test_five_failures_in_a_row_always_do(state: str, ok: int, failed: int) -> None:
    found = evidence(ok=ok, failed=failed, in_a_row=5)
    assert next_state(Breaker(state), found, NOW).state == "down"  # type: ignore[arg-type]


@given(breakers, found_by_chance)
def test_only_what_is_down_is_away_and_only_what_was_down_is_on_trial(
    breaker: Breaker, found: Evidence
) -> None:
    after = next_state(breaker, found, NOW)
    assert not (after.on_trial and after.state != "degraded")
    assert not (after.on_trial and breaker.state == "healthy")
