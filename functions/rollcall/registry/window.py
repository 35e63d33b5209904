"""What is kept of one capability's health: the last minutes, today's totals, the last error."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field
from msgspec.structs import astuple

from rollcall.registry import latencies
from rollcall.registry.breaker import WINDOW_S, Breaker, Evidence, judged
from rollcall.registry.seen import MAX_USERS, ByUser, Failure, Row, Seen

_BLOCK_S = 600
"""Latencies are kept for this block of time and the one before."""
VOICE = 3
"""So many failures of one user count in a window, and in a row; see `breaker.DOWN_IN_A_ROW`."""


Minute = list[Any]
"""`[minute, ok, failed]`, and as a fourth the same by user for those of whom a call failed."""


class Window(Struct):
    """One capability's record.

    Attributes:
        minutes: Of each minute with calls, in order.
        blocks: Of the newest two blocks of ten minutes with calls: `[block, latencies]`.
        day: Which day the totals are of, in UTC.
        row: Failures since the last success, by user; of each as many as count.
        from_at: What ended before counts for the day's totals alone.
    """

    minutes: list[Minute] = field(default_factory=list)
    blocks: list[tuple[int, list[int]]] = field(default_factory=list)
    day: str = ""
    day_ok: int = 0
    day_failed: int = 0
    row: Row = field(default_factory=dict)
    probe_failures: int = 0
    heard_at: float = 0.0
    from_at: float = 0.0
    failure: Failure | None = None
    breaker: Breaker = field(default_factory=Breaker)

    def add(self, seen: Seen) -> None:
        """Add what a process saw; of several, the oldest first."""
        self._add_to_day(seen)
        if seen.failure:
            self.failure = seen.failure
        if seen.at < self.from_at:
            return
        self._add_to_minute(int(seen.at // 60), seen)
        self._add_to_block(int(seen.at // _BLOCK_S), seen)
        self._add_to_row(seen)
        if seen.ok:
            self.probe_failures = 0
        self.heard_at = max(self.heard_at, seen.at)

    def probed(self, failure: Failure | None, at: float) -> None:
        """Add the result of a scheduled check."""
        if failure is None:
            self.probe_failures = 0
            return
        self.probe_failures += 1
        self.failure = failure
        self.heard_at = max(self.heard_at, at)

    def calls(self, now: float) -> tuple[int, int]:
        """How many calls of the window came to a result, and how many failed."""
        recent = self._recent(now)
        return sum(each[1] for each in recent), sum(each[2] for each in recent)

    def evidence(self, now: float) -> Evidence:
        """What counts now: all calls, except that of a user with more failures than `VOICE` only
        so many count, and successes in proportion."""
        ok, failed = self.calls(now)
        users = _by_user(self._recent(now))
        for user_ok, user_failed in users.values():
            if user_failed > VOICE:
                failed -= user_failed - VOICE
                ok -= user_ok - round(user_ok * VOICE / user_failed)
        return Evidence(
            ok=ok,
            failed=failed,
            failing_users=len(users),
            in_a_row=sum(self.row.values()),
            probe_failures=self.probe_failures,
            heard_at=self.heard_at,
        )

    def judge(self, now: float) -> bool:
        """Bring the state up to date; whether it has changed."""
        before = self.breaker
        self.breaker = judged(before, self.evidence(now), now)
        if self.breaker.on_trial and not before.on_trial:
            self.minutes, self.row, self.probe_failures = [], {}, 0
            self.from_at = now
        return self.breaker != before

    def is_over(self, now: float) -> bool:
        """Whether there is nothing left to know: well, and unused today."""
        return (
            self.breaker.state == "healthy" and not self.probe_failures and self.day != _day_of(now)
        )

    def latency(self, share: float, now: float) -> int | None:
        """The time, ms, within which this share of the last ten to twenty minutes' calls ended."""
        counts = latencies.none()
        for block, each in self.blocks:
            if block >= now // _BLOCK_S - 1:
                latencies.add(counts, each)
        return latencies.quantile(counts, share)

    def record(self) -> dict[str, Any]:
        """As short JSON, without what is as it is at first."""
        first = Window()
        found: dict[str, Any] = {}
        for key, name in _SHORT.items():
            value = getattr(self, name)
            if value != getattr(first, name):
                found[key] = list(astuple(value)) if name in _TUPLES else value
        if self.blocks:
            found["l"] = [list(each) for each in self.blocks]  # as JSON has it
        return found

    @classmethod
    def of(cls, record: dict[str, Any]) -> Window:
        """Read what `record` made."""
        window = cls(**{_SHORT[key]: value for key, value in record.items() if key in _SHORT})
        window.blocks = [(block, list(counts)) for block, counts in window.blocks]
        for name, kind in _TUPLES.items():
            value: Any = getattr(window, name)
            if isinstance(value, list):
                setattr(window, name, kind(*value))
        return window

    def _add_to_day(self, seen: Seen) -> None:
        day = _day_of(seen.at)
        if day > self.day:
            self.day, self.day_ok, self.day_failed = day, 0, 0
        if day == self.day:
            self.day_ok += seen.ok
            self.day_failed += seen.failed

    def _recent(self, now: float) -> list[Minute]:
        oldest = int((now - WINDOW_S) // 60)
        return [each for each in self.minutes if each[0] > oldest]

    def _add_to_minute(self, minute: int, seen: Seen) -> None:
        by_minute = {each[0]: each for each in self.minutes}
        counts = by_minute.setdefault(minute, [minute, 0, 0])
        counts[1] += seen.ok
        counts[2] += seen.failed
        if seen.users:
            users = _by_user([counts, [minute, 0, 0, seen.users]])
            most = sorted(users, key=lambda user: -users[user][1])[:MAX_USERS]
            counts[3:] = [{user: users[user] for user in most}]
        oldest = max(by_minute) - WINDOW_S // 60
        self.minutes = [by_minute[each] for each in sorted(by_minute) if each > oldest]

    def _add_to_row(self, seen: Seen) -> None:
        before = {} if seen.ok else self.row
        row = {user: min(VOICE, before.get(user, 0) + n) for user, n in seen.row.items()}
        self.row = dict(list({**before, **row}.items())[-MAX_USERS:])

    def _add_to_block(self, block: int, seen: Seen) -> None:
        by_block = dict(self.blocks)
        latencies.add(by_block.setdefault(block, latencies.none()), seen.ms)
        self.blocks = sorted(by_block.items())[-2:]


_SHORT = {
    "m": "minutes",
    "l": "blocks",
    "d": "day",
    "o": "day_ok",
    "f": "day_failed",
    "w": "row",
    "p": "probe_failures",
    "h": "heard_at",
    "j": "from_at",
    "e": "failure",
    "b": "breaker",
}
_TUPLES: dict[str, type[Failure] | type[Breaker]] = {"failure": Failure, "breaker": Breaker}


def _by_user(minutes: list[Minute]) -> ByUser:
    """The calls of users of whom one failed."""
    found: ByUser = {}
    for minute in minutes:
        for user, (ok, failed) in (minute[3] if minute[3:] else {}).items():
            counts = found.setdefault(user, [0, 0])
            counts[0] += ok
            counts[1] += failed
    return found


def _day_of(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
