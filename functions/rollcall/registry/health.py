"""Health of capabilities: counts samples, probes capabilities, decides and publishes their states.

    registry/health    one `Window` for each capability that was used today or is not healthy

A fold is one commit: it writes the records and the states in the compiled registry's manifest,
where every process reads them, and deletes the samples that it counted. So a sample counts once,
whoever folds it and wherever a fold breaks off; of two simultaneous folds one must start over.
"""

from __future__ import annotations

import logging
import math
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from rollcall.core.errors import AgentError
from rollcall.core.options import collection_id
from rollcall.core.records import convert, decode
from rollcall.core.shapes import Status
from rollcall.registry.breaker import (
    OWN_FAILURES,
    WINDOW_S,
    Breaker,
    Evidence,
    State,
    next_state,
)
from rollcall.registry.documents import CAPABILITIES
from rollcall.registry.recorder import SAMPLES, ObservedCall, short_message
from rollcall.registry.segments import MANIFEST, part, read_records, write_records
from rollcall.store.batches import attempts, try_commit, update_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.registry.entries import Entry

NAME = "health"
PAGE = 200
"""Samples folded in one commit."""
FOLD_S = 60.0
"""No fold begins later in a check; remaining samples wait for the next check."""
MAX_NAMED = 5_000
"""How many states the manifest holds, `down` first."""
USER_FAILURES = 3
"""How many failures of one user count in a window, and in a row; see `breaker.DOWN_IN_A_ROW`."""
MAX_CALLS = 100
"""How many of a capability's newest calls are stored and count."""
PROBES_AT_ONCE = 8
MAX_PROBES = 40
PROBE_MINUTES = 15
"""Each capability is probed this often, or as often as `MAX_PROBES` a minute allows."""
OURS = 5
"""If this many probes fail and none succeeds, our own network is probably at fault."""

log = logging.getLogger("rollcall")

Probe = Callable[["Entry"], None]
"""Checks whether a capability can be reached.

Raises:
    AgentError: It cannot, if the code is one of `OWN_FAILURES`; any other code is inconclusive.
"""


class Failure(Struct, frozen=True):
    """An error for operators. `at` is seconds since 1970."""

    code: str
    message: str
    at: float


class Window(Struct, omit_defaults=True):
    """One capability's record: its newest calls, today's totals, the last error, its state.

    Attributes:
        calls: The newest calls, in order, without their ids and messages.
        day: The day of the totals, in UTC.
        probe_failures: Failed scheduled checks since the last success of any kind.
        heard_at: When the newest call or failed check ended.
        counts_from: Calls that ended before this count only for the day's totals.
    """

    calls: list[ObservedCall] = field(default_factory=list)
    day: str = ""
    day_ok: int = 0
    day_failed: int = 0
    probe_failures: int = 0
    heard_at: float = 0.0
    counts_from: float = 0.0
    failure: Failure | None = None
    breaker: Breaker = Breaker()

    def add(self, call: ObservedCall) -> None:
        """Add a call; calls must be added oldest first."""
        is_ok, day = call.code is None, _day_of(call.at)
        if day > self.day:
            self.day, self.day_ok, self.day_failed = day, 0, 0
        if day == self.day:
            self.day_ok += is_ok
            self.day_failed += not is_ok
        if call.code is not None:
            self.failure = Failure(call.code, call.message, call.at)
        if call.at >= self.counts_from:
            self.calls = [*self.calls, replace(call, id="", message="")][-MAX_CALLS:]
            self.heard_at = max(self.heard_at, call.at)
            self.probe_failures = 0 if is_ok else self.probe_failures

    def add_probe(self, failure: Failure | None) -> None:
        """Add the result of a scheduled probe."""
        if failure is None:
            self.probe_failures = 0
            return
        self.probe_failures += 1
        self.failure = failure
        self.heard_at = max(self.heard_at, failure.at)

    def recent(self, now: float) -> list[ObservedCall]:
        """Return the calls of the last ten minutes."""
        return [call for call in self.calls if call.at > now - WINDOW_S]

    def evidence(self, now: float) -> Evidence:
        """Return the evidence of all recent calls, except that for a user with more failures than
        `USER_FAILURES` only that many count, and successes in proportion."""
        recent = self.recent(now)
        failures = Counter(call.user for call in recent if call.code)
        successes = Counter(call.user for call in recent if not call.code)
        ok, failed = successes.total(), failures.total()
        for user, number in failures.items():
            if number > USER_FAILURES:
                failed -= number - USER_FAILURES
                ok -= successes[user] - round(successes[user] * USER_FAILURES / number)
        row = Counter(call.user for call in takewhile(lambda each: each.code, reversed(self.calls)))
        return Evidence(
            ok=ok,
            failed=failed,
            failing_users=len(failures),
            in_a_row=sum(min(number, USER_FAILURES) for number in row.values()),
            probe_failures=self.probe_failures,
            heard_at=self.heard_at,
        )

    def judge(self, now: float) -> None:
        """Update the state."""
        was_on_trial = self.breaker.on_trial
        self.breaker = next_state(self.breaker, self.evidence(now), now)
        if self.breaker.on_trial and not was_on_trial:
            self.calls, self.probe_failures, self.counts_from = [], 0, now

    def is_over(self, now: float) -> bool:
        """Tell whether the record can be deleted: the capability is healthy and unused today."""
        is_well = self.breaker.state == "healthy" and not self.probe_failures
        return is_well and self.day != _day_of(now)

    def latency(self, share: float, now: float) -> int | None:
        """Return the time, ms, within which this share of the recent calls ended; None without
        calls."""
        times = sorted(call.ms for call in self.recent(now))
        return times[math.ceil(share * len(times)) - 1] if times else None


def _day_of(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def check(
    db: Client, entries: Mapping[str, Entry], *, probe: Probe, now: float
) -> dict[str, State]:
    """Count the samples of processes, probe capabilities that are due, decide and publish states.

    Args:
        entries: The registry's capabilities.
        now: Seconds since 1970.
    Returns:
        The states of all capabilities that are not healthy.
    """
    document = part(db, NAME).get()
    due = _due(entries, _windows(document), now)
    probes, states, folded = _probe_results(due, probe, now), dict[str, State](), 0
    for number in attempts(within_s=FOLD_S):
        # The samples are read last: if another check folds one of these, it also changes the
        # records, and this commit fails.
        document = part(db, NAME).get() if number else document
        manifest = part(db, MANIFEST).get(["health"])
        samples = list(db.collection(collection_id(SAMPLES)).order_by("at").limit(PAGE).stream())
        windows = _windows(document)
        before = _states(windows)
        for sample in samples:
            try:
                calls = decode(sample.get("calls"), list[ObservedCall])
            except (KeyError, TypeError, ValueError) as error:
                # A bad sample must not keep later ones from counting.
                log.error("health sample %s cannot be read: %r", sample.id, error)
                continue
            for call in calls:
                windows.setdefault(call.id, Window()).add(call)
        for id, failure in probes.items():
            if failure is not None or id in windows:
                windows.setdefault(id, Window()).add_probe(failure)
        for window in windows.values():
            window.judge(now)
        states = _states(windows)
        ordered = sorted(  # most important first, since the last are dropped if there is no room
            windows.items(),
            key=lambda each: (
                each[0] not in states,
                not any(call.code for call in each[1].calls),
                -each[1].heard_at,
            ),
        )
        records = {id: to_builtins(each) for id, each in ordered if not each.is_over(now)}
        named = _manifest_states(db, states)
        is_new = manifest.exists and (manifest.to_dict() or {}).get("health", {}) != named
        if samples or is_new or records != read_records(document):
            batch = db.batch()
            write_records(batch, document, records)
            if is_new:
                update_unchanged(batch, manifest, {"health": named})
            for sample in samples:
                batch.delete(sample.reference)
            if try_commit(batch) is None:
                continue  # another check was faster, or the registry was compiled
        changed = [id for id in windows if states.get(id) != before.get(id)]
        if changed:
            first = ", ".join(f"{id} {states.get(id, 'healthy')}" for id in changed[:20])
            log.warning("the health of %d capabilities is another: %s", len(changed), first)
        folded += len(samples)
        if len(samples) < PAGE:
            break
        probes = {}
    text = "health: %d samples, %d checked, %d not well"
    log.info(text, folded, len(due), len(states))
    return states


def _states(windows: Mapping[str, Window]) -> dict[str, State]:
    """Return the states of all capabilities that are not healthy."""
    states = {id: window.breaker.state for id, window in windows.items()}
    return {id: state for id, state in states.items() if state != "healthy"}


def _windows(document: Any) -> dict[str, Window]:
    """Return the records of `registry/health`, by capability."""
    return convert(read_records(document), dict[str, Window])


def _manifest_states(db: Client, states: Mapping[str, State]) -> dict[str, State]:
    """Return the states for the manifest. If an operator has overridden a capability's status, that
    decides whether it is offered, so it is degraded instead of down."""
    down_first = sorted(states.items(), key=lambda each: (each[1] != "down", each[0]))
    named = dict(down_first[:MAX_NAMED])
    collection = db.collection(collection_id(CAPABILITIES))
    down = [collection.document(id) for id in named if named[id] == "down"]
    for start in range(0, len(down), 300):
        for document in db.get_all(down[start : start + 300], ["overrides.status"]):
            overrides = (document.to_dict() or {}).get("overrides", {})
            if overrides.get("status"):
                named[document.id] = "degraded"
    return named


def _due(entries: Mapping[str, Entry], windows: Mapping[str, Window], now: float) -> list[Entry]:
    """Return the capabilities to probe now: first those that failed their last probe or are to be
    tried again, then this minute's share of all, chosen by a checksum, so that nothing has to be
    stored about healthy ones."""
    again = [
        id
        for id, window in windows.items()
        if (
            now >= window.breaker.until if window.breaker.state == "down" else window.probe_failures
        )
    ]
    period = max(PROBE_MINUTES, -(-len(entries) // MAX_PROBES))
    minute = int(now // 60) % period
    share = [id for id in entries if zlib.crc32(id.encode()) % period == minute]
    due = [entries[id] for id in dict.fromkeys([*sorted(again), *share]) if id in entries]
    able = [e for e in due if e.execution.type != "client" and e.status is not Status.DISABLED]
    return able[:MAX_PROBES]


def _probe_results(entries: Sequence[Entry], probe: Probe, now: float) -> dict[str, Failure | None]:
    """Probe capabilities in parallel; None for those that can be reached, no result for those whose
    probe is inconclusive."""

    def probe_one(entry: Entry) -> tuple[str, Failure | AgentError | None]:
        try:
            probe(entry)
        except AgentError as error:
            if error.code not in OWN_FAILURES:
                log.info("capability %s could not be checked: %s", entry.id, error.message)
                return entry.id, error
            return entry.id, Failure(error.code, short_message(error.message), now)
        return entry.id, None

    with ThreadPoolExecutor(PROBES_AT_ONCE, thread_name_prefix="probe") as pool:
        results = dict(pool.map(probe_one, entries))
    known = {id: failure for id, failure in results.items() if not isinstance(failure, AgentError)}
    remote = [each.id for each in entries if each.execution.type != "internal_service"]
    failed = [id for id in remote if known.get(id)]
    if len(failed) >= OURS and all(known.get(id) for id in remote if id in known):
        text = "none of %d capabilities could be reached: our network may be at fault"
        log.warning(text, len(failed))
        return {id: failure for id, failure in known.items() if id not in failed}
    return known


class Health(Struct, frozen=True):
    """One capability's health, for operators.

    Attributes:
        since: When this state began; None if it was never another.
        again_at: When a capability that is down is tried again.
        ok, failed: Calls of the last ten minutes, among the newest 100; on trial, since that began.
        p50_ms, p95_ms: The time, ms, in which half and 95 % of these calls ended; None without
            calls.
        today_ok, today_failed: Calls of the current UTC day.
        failure: The capability's last own failure.
    """

    id: str
    state: State
    on_trial: bool
    since: datetime | None
    again_at: datetime | None
    ok: int
    failed: int
    p50_ms: int | None
    p95_ms: int | None
    today_ok: int
    today_failed: int
    failure: Failure | None

    @property
    def success(self) -> float | None:
        """The share of the last ten minutes' calls with a result; None without calls."""
        return self.ok / (self.ok + self.failed) if self.ok + self.failed else None


def health(db: Client, *, now: datetime | None = None) -> dict[str, Health]:
    """Return the health of every capability that was used today or is not healthy, by id: one
    read."""
    at = (now or datetime.now(UTC)).timestamp()
    by_id = {}
    for id, window in sorted(_windows(part(db, NAME).get()).items()):
        breaker, is_today = window.breaker, window.day == _day_of(at)
        is_down, recent = breaker.state == "down", window.recent(at)
        by_id[id] = Health(
            id=id,
            state=breaker.state,
            on_trial=breaker.on_trial,
            since=datetime.fromtimestamp(breaker.since, UTC) if breaker.since else None,
            again_at=datetime.fromtimestamp(breaker.until, UTC) if is_down else None,
            ok=sum(call.code is None for call in recent),
            failed=sum(call.code is not None for call in recent),
            p50_ms=window.latency(0.5, at),
            p95_ms=window.latency(0.95, at),
            today_ok=window.day_ok if is_today else 0,
            today_failed=window.day_failed if is_today else 0,
            failure=window.failure,
        )
    return by_id
