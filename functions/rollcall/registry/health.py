"""The health of capabilities: samples folded, due ones probed, states decided and published.

    registry/health    one `Window` for each capability that was used today or is not well

A fold is one commit: the records, and the samples that went into them deleted. So a sample counts
once, whoever folds it and wherever a fold is cut off; of two folds at once one has to begin again.
The states go into the compiled registry's manifest, where every process reads them.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, convert, field, to_builtins

from rollcall.core.errors import Aborted, AgentError
from rollcall.core.options import collection_id
from rollcall.core.shapes import Status
from rollcall.registry.breaker import OWN_FAILURES, WINDOW_S, Breaker, Evidence, State, judged
from rollcall.registry.counters import Counters, conflicts
from rollcall.registry.recorder import (
    LATENCY_BOUNDS_MS,
    MAX_USERS,
    SAMPLES,
    ByUser,
    Failure,
    Observations,
    Row,
    no_latencies,
)
from rollcall.registry.segments import MANIFEST, part

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.registry.entries import Entry

NAME = "health"
PAGE = 200
"""Samples folded in one commit."""
MAX_PAGES = 50
MAX_NAMED = 5_000
"""How many states the manifest holds, those that are down first."""
VOICE = 3
"""So many failures of one user count in a window, and in a row; see `breaker.DOWN_IN_A_ROW`."""
PROBES_AT_ONCE = 8
MAX_PROBES = 40
PROBE_MINUTES = 15
"""Each capability is probed this often, or as often as `MAX_PROBES` a minute allows."""
OURS = 5
"""If so many probes fail and none succeeds, it is rather our own network."""
_BLOCK_S = 600
"""Latencies are kept for this block of time and the one before."""
_TRIES = 8

log = logging.getLogger("rollcall")

Minute = list[Any]
"""`[minute, ok, failed]`, and as a fourth the same by user for those of whom a call failed."""
Probe = Callable[["Entry"], None]
"""Looks whether a capability can be reached.

Raises:
    AgentError: It cannot, if the code is one of `OWN_FAILURES`; any other says nothing about it.
"""


class Window(Struct, omit_defaults=True):
    """One capability's record: the last minutes, today's totals, the last error.

    Attributes:
        minutes: Of each minute with calls, in order.
        blocks: Of the newest two blocks of ten minutes with calls: `[block, counts by time]`.
        day: Which day the totals are of, in UTC.
        row: Failures since the last success, by user; of each as many as count.
        from_at: What ended before counts for the day's totals alone.
    """

    minutes: list[Minute] = field(default_factory=list, name="m")
    blocks: list[list[Any]] = field(default_factory=list, name="l")
    day: str = field(default="", name="d")
    day_ok: int = field(default=0, name="o")
    day_failed: int = field(default=0, name="f")
    row: Row = field(default_factory=dict, name="w")
    probe_failures: int = field(default=0, name="p")
    heard_at: float = field(default=0.0, name="h")
    from_at: float = field(default=0.0, name="j")
    failure: Failure | None = field(default=None, name="e")
    breaker: Breaker = field(default_factory=Breaker, name="b")

    def record(self) -> dict[str, Any]:
        """Return this as short JSON, without what is as it is at first."""
        found: dict[str, Any] = to_builtins(self)
        if self.breaker == Breaker():
            del found["b"]
        return found | {key: list(found[key].values()) for key in ("e", "b") if key in found}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Window:
        """Return what `record` made."""
        fields = dict(record)
        for key, kind in (("e", Failure), ("b", Breaker)):
            if isinstance(fields.get(key), list):
                fields[key] = to_builtins(kind(*fields[key]))
        return convert(fields, cls)

    def add(self, observed: Observations) -> None:
        """Add what a process observed; of several, the oldest first."""
        day = _day_of(observed.at)
        if day > self.day:
            self.day, self.day_ok, self.day_failed = day, 0, 0
        if day == self.day:
            self.day_ok += observed.ok
            self.day_failed += observed.failed
        if observed.failure:
            self.failure = observed.failure
        if observed.at < self.from_at:
            return
        by_minute = {each[0]: each for each in self.minutes}
        minute = by_minute.setdefault(int(observed.at // 60), [int(observed.at // 60), 0, 0])
        minute[1] += observed.ok
        minute[2] += observed.failed
        if observed.users:
            users = _by_user([minute, [0, 0, 0, observed.users]])
            most = sorted(users, key=lambda user: -users[user][1])[:MAX_USERS]
            minute[3:] = [{user: users[user] for user in most}]
        oldest = max(by_minute) - WINDOW_S // 60
        self.minutes = [by_minute[each] for each in sorted(by_minute) if each > oldest]
        blocks = dict(self.blocks)
        counts = blocks.setdefault(int(observed.at // _BLOCK_S), no_latencies())
        for place, number in enumerate(observed.ms[: len(counts)]):
            counts[place] += number
        self.blocks = [list(each) for each in sorted(blocks.items())[-2:]]
        before = {} if observed.ok else self.row
        row = {user: min(VOICE, before.get(user, 0) + n) for user, n in observed.row.items()}
        self.row = dict(list({**before, **row}.items())[-MAX_USERS:])
        if observed.ok:
            self.probe_failures = 0
        self.heard_at = max(self.heard_at, observed.at)

    def add_probe(self, failure: Failure | None, at: float) -> None:
        """Add the result of a scheduled probe."""
        if failure is None:
            self.probe_failures = 0
            return
        self.probe_failures += 1
        self.failure = failure
        self.heard_at = max(self.heard_at, at)

    def calls(self, now: float) -> tuple[int, int]:
        """Return how many calls of the window came to a result, and how many failed."""
        recent = self._recent(now)
        return sum(each[1] for each in recent), sum(each[2] for each in recent)

    def evidence(self, now: float) -> Evidence:
        """Return what counts now: all calls, except that of a user with more failures than `VOICE`
        only so many count, and successes in proportion."""
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
        """Bring the state up to date; return whether it has changed."""
        before = self.breaker
        self.breaker = judged(before, self.evidence(now), now)
        if self.breaker.on_trial and not before.on_trial:
            self.minutes, self.row, self.probe_failures = [], {}, 0
            self.from_at = now
        return self.breaker != before

    def is_over(self, now: float) -> bool:
        """Return whether there is nothing left to know: well, and unused today."""
        is_well = self.breaker.state == "healthy" and not self.probe_failures
        return is_well and self.day != _day_of(now)

    def latency(self, share: float, now: float) -> int | None:
        """Return the time, ms, within which this share of the last ten to twenty minutes' calls
        ended, read off between the ends of its class; 30,000 stands for all above. None where there
        were no calls."""
        recent: list[list[int]] = [ms for block, ms in self.blocks if block >= now // _BLOCK_S - 1]
        counts: list[int] = [sum(each) for each in zip(*recent, strict=False)]
        wanted, below = share * sum(counts), 0
        for place, number in enumerate(counts[: len(LATENCY_BOUNDS_MS)]):
            if number and below + number >= wanted:
                low = LATENCY_BOUNDS_MS[place - 1] if place else 0
                within = (wanted - below) / number
                return round(low + within * (LATENCY_BOUNDS_MS[place] - low))
            below += number
        return LATENCY_BOUNDS_MS[-1] if sum(counts) else None

    def _recent(self, now: float) -> list[Minute]:
        oldest = int((now - WINDOW_S) // 60)
        return [each for each in self.minutes if each[0] > oldest]


def _by_user(minutes: list[Minute]) -> ByUser:
    """Return the calls of users of whom one failed."""
    found: ByUser = {}
    for minute in minutes:
        for user, (ok, failed) in (minute[3] if minute[3:] else {}).items():
            counts = found.setdefault(user, [0, 0])
            counts[0] += ok
            counts[1] += failed
    return found


def _day_of(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


class Checked(Struct):
    """What a check found and did.

    Attributes:
        states: Of all that is not healthy.
        changed: Ids whose state is another now.
        samples: How many samples were folded.
        probed: How many capabilities were probed.
    """

    states: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    samples: int = 0
    probed: int = 0


def check(db: Client, entries: Mapping[str, Entry], *, probe: Probe, now: float) -> Checked:
    """Fold what processes have written, probe what is due, decide states, and publish them.

    Args:
        entries: The registry's capabilities.
        now: Seconds since 1970.
    Raises:
        Aborted: Others did the same, faster, again and again; nothing is lost.
    """
    counters = Counters.load(db, NAME)
    due = _due(entries, _windows(counters), now)
    checked = Checked(probed=len(due))
    found = _fold(db, counters, _probed(due, probe, now), checked, now)
    for _ in range(MAX_PAGES):
        if found < PAGE:
            break
        found = _fold(db, None, {}, checked, now)
    publish(db, checked.states)
    return checked


def publish(db: Client, states: Mapping[str, str]) -> bool:
    """Write the states into the manifest if it has others, and if there is one; return whether it
    did.

    Whoever compiles the registry meanwhile goes first: this reads it again.

    Args:
        states: Of all that is not healthy, as decided last by whoever calls.
    """
    from google.cloud.firestore import LastUpdateOption

    reference = part(db, MANIFEST)
    for _ in range(_TRIES):
        manifest = reference.get(["health"])
        if not manifest.exists:
            return False
        published = (manifest.to_dict() or {}).get("health", {})
        if published == _named(db, states):
            return False
        # Another check may have decided since. It is read after the manifest, so that what is
        # written over is never newer than what is written.
        states = _states(_windows(Counters.load(db, NAME)))
        named = _named(db, states)
        if published == named:
            return False
        try:
            reference.update({"health": named}, option=LastUpdateOption(manifest.update_time))
        except conflicts():
            continue
        return True
    log.warning("the health of the registry is published by the next check")
    return False


def _fold(
    db: Client,
    known: Counters | None,
    probes: Mapping[str, Failure | None],
    checked: Checked,
    now: float,
) -> int:
    """Fold one page of samples and the probes, and judge; return how many samples there were.

    Args:
        known: The records as they were read before, if they were.
    Raises:
        Aborted: Others were faster at every try.
    """
    for _ in range(_TRIES):
        # Read before the samples: whoever folds one of these writes the records anew.
        counters, known = known or Counters.load(db, NAME), None
        samples = list(db.collection(collection_id(SAMPLES)).order_by("at").limit(PAGE).stream())
        windows = _windows(counters)
        before = _states(windows)
        for sample in samples:
            try:
                counts = json.loads(sample.get("counts"))
                observed = {id: convert(data, Observations) for id, data in counts.items()}
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                # It goes with the rest: it must not keep all that comes after it from counting.
                log.error("health sample %s cannot be read: %r", sample.id, error)
                continue
            for id, each in observed.items():
                windows.setdefault(id, Window()).add(each)
        for id, failure in probes.items():
            if failure is not None or id in windows:
                windows.setdefault(id, Window()).add_probe(failure, now)
        for id, window in windows.items():
            window.judge(now)
            record = None if window.is_over(now) else window.record()
            if record != counters.records.get(id):
                counters.put(id, record)
        if samples or counters.has_changed:
            batch = db.batch()
            counters.write(batch)
            for sample in samples:
                batch.delete(sample.reference)
            try:
                batch.commit()
            except conflicts() as error:
                log.info("another check was faster: %r", error)
                continue
        checked.samples += len(samples)
        checked.states = states = _states(windows)
        changed = [id for id in windows if states.get(id) != before.get(id)]
        if changed:
            first = ", ".join(f"{id} {states.get(id, 'healthy')}" for id in changed[:20])
            log.warning("the health of %d capabilities is another: %s", len(changed), first)
        checked.changed += changed
        return len(samples)
    raise Aborted("the checks of health are in one another's way", retry_after_s=60)


def _states(windows: Mapping[str, Window]) -> dict[str, str]:
    """Return the states of all that is not healthy."""
    states = {id: window.breaker.state for id, window in windows.items()}
    return {id: state for id, state in states.items() if state != "healthy"}


def _windows(counters: Counters) -> dict[str, Window]:
    return {id: Window.of(record) for id, record in counters.records.items()}


def _named(db: Client, states: Mapping[str, str]) -> dict[str, str]:
    """Return the states as the manifest holds them. What an operator has given a status by hand is
    offered by that, and called degraded where it would be down."""
    from rollcall.registry.documents import CAPABILITIES

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
    """Return what is to be probed now: first what failed its last probe or is to be tried again,
    then this minute's share of all, by a checksum, so that nothing has to be kept of what is
    well."""
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
    can = [e for e in due if e.execution.type != "client" and e.status is not Status.DISABLED]
    return can[:MAX_PROBES]


def _probed(entries: Sequence[Entry], probe: Probe, now: float) -> dict[str, Failure | None]:
    """Probe some capabilities side by side; None for those that are there, and nothing for those
    of which the probe says nothing."""

    def look(entry: Entry) -> tuple[str, Failure | AgentError | None]:
        try:
            probe(entry)
        except AgentError as error:
            if error.code not in OWN_FAILURES:
                log.info("capability %s could not be checked: %s", entry.id, error.message)
                return entry.id, error
            return entry.id, Failure(error.code, error.message, now).shortened()
        return entry.id, None

    with ThreadPoolExecutor(PROBES_AT_ONCE, thread_name_prefix="probe") as pool:
        found = dict(pool.map(look, entries))
    known = {id: failure for id, failure in found.items() if not isinstance(failure, AgentError)}
    remote = [each.id for each in entries if each.execution.type != "internal_service"]
    failed = [id for id in remote if known.get(id)]
    if len(failed) >= OURS and all(known.get(id) for id in remote if id in known):
        log.warning("none of %d capabilities could be reached: it may be us", len(failed))
        return {id: failure for id, failure in known.items() if id not in failed}
    return known


class Health(Struct, frozen=True):
    """One capability's health, as operators read it.

    Attributes:
        since: When this state began; None where it was never another.
        again_at: When what is down is tried again.
        ok, failed: Calls of the last ten minutes; on trial, since that began.
        p50_ms, p95_ms: Within how many ms half, and 95 % of the calls of the last ten to twenty
            minutes ended; None without calls.
        today_ok, today_failed: Calls of the current UTC day.
        failure: The last failure of its own.
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
        """The share of the last ten minutes' calls that came to a result; None without calls."""
        return self.ok / (self.ok + self.failed) if self.ok + self.failed else None


def health(db: Client, *, now: datetime | None = None) -> dict[str, Health]:
    """Return the health of every capability that was used today or is not well, by id.

    One read, or a few where there are thousands.
    """
    at = (now or datetime.now(UTC)).timestamp()
    found = {}
    for id, window in sorted(_windows(Counters.load(db, NAME)).items()):
        breaker, (ok, failed) = window.breaker, window.calls(at)
        is_down, is_today = breaker.state == "down", window.day == _day_of(at)
        found[id] = Health(
            id=id,
            state=breaker.state,
            on_trial=breaker.on_trial,
            since=datetime.fromtimestamp(breaker.since, UTC) if breaker.since else None,
            again_at=datetime.fromtimestamp(breaker.until, UTC) if is_down else None,
            ok=ok,
            failed=failed,
            p50_ms=window.latency(0.5, at),
            p95_ms=window.latency(0.95, at),
            today_ok=window.day_ok if is_today else 0,
            today_failed=window.day_failed if is_today else 0,
            failure=window.failure,
        )
    return found
