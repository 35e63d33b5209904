"""Circuit breaker: when a capability goes down, and how it comes back.

A capability is `healthy`, `degraded` (offered, but with failures of its own) or `down` (not
offered). Some time after it went down it goes on trial: it is `degraded`, and a few successes or
failures decide. Each time in a row that it goes down, it stays down twice as long.

Only the capability's own failures are evidence; errors in a request are not. The failures of one
user never take a capability away from the others: `health` limits how many of them count
(`health.USER_FAILURES`). Times are seconds of one clock, such as `time.time()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rollcall.core.errors import FailedPrecondition
from rollcall.core.texts import TEXTS

State = Literal["healthy", "degraded", "down"]

OWN_FAILURES = frozenset({"unavailable", "internal", "deadline-exceeded", "unknown"})
"""Codes of failures that are the capability's own."""

WINDOW_S = 600
"""For how long a result counts."""
DOWN_IN_A_ROW = 5
DOWN_VOLUME, DOWN_SHARE = 10, 0.5
WORSE_IN_A_ROW = 3
WORSE_VOLUME, WORSE_SHARE = 5, 0.2
WELL_SHARE = 0.1
"""A degraded capability is healthy again only below this share, which is less than the one that
degraded it."""
DOWN_PROBES = 3
TRIAL_SUCCESSES = 3
TRIAL_USERS = 2
"""On trial, failures count only if they are of at least this many users."""
COOL_DOWN_S = 60
MAX_COOL_DOWN_S = 1_800
FORGET_S = 1_800
"""A capability that goes down this long after it came back counts as down for the first time."""
QUIET_S = 3_600
"""A capability unused for this long counts as healthy."""


class Evidence(Struct, frozen=True):
    """Counts of the calls and checks of a capability that matter now.

    Attributes:
        ok: Calls of the window with a result; on trial, since the trial began.
        failed: Calls of the same time that failed by the capability's own fault.
        failing_users: The least number of users who made these calls.
        in_a_row: Failures since the last success.
        probe_failures: Failed scheduled checks since the last successful one.
        heard_at: The time of the newest result or failed check; 0 without any.
    """

    ok: int = 0
    failed: int = 0
    failing_users: int = 0
    in_a_row: int = 0
    probe_failures: int = 0
    heard_at: float = 0.0

    def fails(self, share: float, *, of: int = 1) -> bool:
        """Tell whether at least this share of the calls failed, out of at least `of` calls."""
        volume = self.ok + self.failed
        return volume >= of and self.failed / volume >= share


class Breaker(Struct, frozen=True):
    """A capability's health state.

    Attributes:
        since: When this state began.
        until: When a capability that is down goes on trial; afterwards, when it last did.
        strikes: How many times in a row it went down.
        on_trial: Whether it is back after being down and not proven yet.
    """

    state: State = "healthy"
    since: float = 0.0
    until: float = 0.0
    strikes: int = 0
    on_trial: bool = False


def check_up(health: Mapping[str, str], id: str) -> None:
    """Refuse a call of a capability that is down, although it was offered.

    Args:
        health: The snapshot's states.
    Raises:
        FailedPrecondition: It is down. The code is not one of `OWN_FAILURES`, so this refusal does
            not count as another failure.
    """
    if health.get(id) == "down":
        raise FailedPrecondition(
            TEXTS.text("errors.out_of_order", id=id),
            hint="do without it, and tell the user that it is out of order for now",
            retry_after_s=60,
        )


def next_state(breaker: Breaker, evidence: Evidence, now: float) -> Breaker:
    """Return the state that follows from the evidence; the same state if nothing changes.

    When a trial begins, the caller must start new counts.
    """
    if breaker.state == "down":
        if now < breaker.until:
            return breaker
        if evidence.probe_failures and evidence.heard_at >= breaker.until:
            return _go_down(breaker, now)  # the check after the cool-down failed
        return replace(breaker, state="degraded", since=now, on_trial=True)
    if breaker.on_trial:
        most_fail = evidence.failed > evidence.ok and evidence.failing_users >= TRIAL_USERS
        if most_fail or evidence.probe_failures >= DOWN_PROBES:
            return _go_down(breaker, now)
        if evidence.ok < TRIAL_SUCCESSES:
            is_quiet = now - max(evidence.heard_at, breaker.since) >= QUIET_S
            after = replace(breaker, state="healthy", since=now, on_trial=False)
            return after if is_quiet else breaker
        breaker = replace(breaker, on_trial=False)
    if now - evidence.heard_at >= QUIET_S:
        evidence = Evidence()
    in_a_row, probe_failures = evidence.in_a_row, evidence.probe_failures
    if (
        in_a_row >= DOWN_IN_A_ROW
        or probe_failures >= DOWN_PROBES
        or evidence.fails(DOWN_SHARE, of=DOWN_VOLUME)
    ):
        return _go_down(breaker, now)
    is_worse = (
        in_a_row >= WORSE_IN_A_ROW
        or probe_failures > 1
        or evidence.fails(WORSE_SHARE, of=WORSE_VOLUME)
    )
    is_well = not (in_a_row or probe_failures or evidence.fails(WELL_SHARE))
    was_worse = breaker.state == "degraded"
    state: State = "degraded" if is_worse or (was_worse and not is_well) else "healthy"
    return breaker if state == breaker.state else replace(breaker, state=state, since=now)


def _go_down(breaker: Breaker, now: float) -> Breaker:
    """Return the state `down`, each time in a row for twice as long."""
    is_again = breaker.strikes > 0 and now - breaker.until < FORGET_S
    strikes = breaker.strikes + 1 if is_again else 1
    cool_down = min(COOL_DOWN_S * 2 ** min(strikes - 1, 20), MAX_COOL_DOWN_S)
    since = breaker.since if breaker.state == "down" else now
    return Breaker("down", since=since, until=now + cool_down, strikes=strikes)
