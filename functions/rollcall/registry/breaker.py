"""Circuit breaker: when a capability goes down, and how it comes back.

It is `healthy`, `degraded` (offered, with failures of its own) or `down` (not offered). After a
while down it is tried again: on trial it is `degraded`, and a few successes or failures decide.
Each time that it has to go again it stays away twice as long.

Only failures that are the capability's own are evidence; what is wrong with a request is not. The
failures of one user alone never take a capability away from the others: who counts the calls sees
to that (`health.USER_FAILURES`). Times are seconds of one clock, such as `time.time()`.
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
"""Codes of failures that say something about the capability."""

WINDOW_S = 600
"""How far back results count."""
DOWN_IN_A_ROW = 5
DOWN_VOLUME, DOWN_SHARE = 10, 0.5
WORSE_IN_A_ROW = 3
WORSE_VOLUME, WORSE_SHARE = 5, 0.2
WELL_SHARE = 0.1
"""What is degraded is well again only below this: less than what made it so."""
DOWN_PROBES = 3
TRIAL_SUCCESSES = 3
TRIAL_USERS = 2
"""Failures on trial count from so many users on."""
COOL_DOWN_S = 60
LONGEST_COOL_DOWN_S = 1_800
FORGET_S = 1_800
"""How long after it came back going down counts as the first time."""
QUIET_S = 3_600
"""What was not used for so long is given the benefit of the doubt."""


class Evidence(Struct, frozen=True):
    """Calls and checks of a capability, as far as they count now.

    Attributes:
        ok: Calls of the window that came to a result; on trial, since that began.
        failed: Those that failed by the capability's own fault.
        failing_users: Whose calls these were, at least.
        in_a_row: Its failures since its last success.
        probe_failures: Scheduled checks that failed, since the last one that did not.
        heard_at: When the newest result or failed check came in; 0 where there is none.
    """

    ok: int = 0
    failed: int = 0
    failing_users: int = 0
    in_a_row: int = 0
    probe_failures: int = 0
    heard_at: float = 0.0

    def fails(self, share: float, *, of: int = 1) -> bool:
        """Return whether this share of the calls failed, where there were at least `of`."""
        volume = self.ok + self.failed
        return volume >= of and self.failed / volume >= share


class Breaker(Struct, frozen=True):
    """A capability's health state.

    Attributes:
        since: When this state began.
        until: When what is down is tried again; afterwards, when that was.
        strikes: How many times in a row it went down.
        on_trial: It is back, and has to show that it works.
    """

    state: State = "healthy"
    since: float = 0.0
    until: float = 0.0
    strikes: int = 0
    on_trial: bool = False


def check_up(health: Mapping[str, str], id: str) -> None:
    """Refuse a call of a capability that is down, although it was offered.

    Args:
        health: The snapshot's.
    Raises:
        FailedPrecondition: It is. No failure of its own, so that it counts as none.
    """
    if health.get(id) == "down":
        raise FailedPrecondition(
            TEXTS.text("errors.out_of_order", id=id),
            hint="do without it, and tell the user that it is out of order for now",
            retry_after_s=60,
        )


def next_state(breaker: Breaker, evidence: Evidence, now: float) -> Breaker:
    """Return the state that follows from the evidence; the same state if nothing changes.

    When a trial begins, the caller begins to count anew.
    """
    if breaker.state == "down":
        if now < breaker.until:
            return breaker
        if evidence.probe_failures and evidence.heard_at >= breaker.until:
            return _go_down(breaker, now)  # the check that was due found it as it was
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
    """Return what is out of service, each time in a row for twice as long."""
    is_again = breaker.strikes > 0 and now - breaker.until < FORGET_S
    strikes = breaker.strikes + 1 if is_again else 1
    cool_down = min(COOL_DOWN_S * 2 ** min(strikes - 1, 20), LONGEST_COOL_DOWN_S)
    since = breaker.since if breaker.state == "down" else now
    return Breaker("down", since=since, until=now + cool_down, strikes=strikes)
