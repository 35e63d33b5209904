"""Health of capabilities: counts their calls, probes them, decides and publishes their states.

    registry/health    a `HealthRecord` of each capability that was used today or is not healthy

A capability is `healthy`, `degraded` (offered, but with failures of its own) or `down` (not
offered). It is down for `COOL_DOWN_S`; then only later calls and its last probe count.

A fold is one commit: it writes the records and the states in the compiled registry's manifest,
where every process reads them, and deletes the samples that it counted. So a sample counts once,
whoever folds it and wherever a fold breaks off; of two simultaneous folds one must start over.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field, to_builtins

from rollcall.core.errors import AgentError, FailedPrecondition
from rollcall.core.options import collection_id
from rollcall.core.records import convert, decode
from rollcall.core.shapes import Status
from rollcall.core.texts import TEXTS
from rollcall.registry.documents import CAPABILITIES
from rollcall.registry.recorder import OWN_FAILURES, SAMPLES, ObservedCall, short_message
from rollcall.registry.segments import MANIFEST, part, read_records, write_records
from rollcall.store.batches import attempts, read_all, try_commit, update_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.registry.entries import Entry

State = Literal["healthy", "degraded", "down"]

NAME = "health"
WINDOW_S = 3_600
"""How long a call or a failed probe counts. Times are seconds since 1970."""
MAX_CALLS = 100
"""How many of a capability's newest calls are stored."""
DECISIVE_CALLS = 20
"""How many of its newest calls decide the state."""
USER_FAILURES = 3
"""How many failures of one user count: less than it takes to take a capability from the others."""
DEGRADED_FAILURES, DOWN_FAILURES = 3, 5
DOWN_PROBES = 3
RECOVERY_CALLS = 3
COOL_DOWN_S = 300

PAGE = 200
"""Samples folded in one commit."""
MAX_STATES = 5_000
"""How many states the manifest holds, `down` first; Firestore allows 1 MiB."""
MAX_PROBES = 40
PROBE_MINUTES = 15
"""Each capability is probed this often, or as often as `MAX_PROBES` a minute allows."""

log = logging.getLogger("rollcall")


class Failure(Struct, frozen=True):
    """An error for operators."""

    code: str
    message: str
    at: float


class HealthRecord(Struct, omit_defaults=True):
    """What is stored of one capability.

    Attributes:
        calls: The newest calls, in order, without their ids and messages.
        probe_failures: Failed probes since it went down, or since the last success of any kind.
        failure: The last failed call or probe.
        since: When the state began.
        until: When it was or will be tried again after it went down; earlier calls do not count.
        day: The day of the totals, in UTC.
    """

    calls: list[ObservedCall] = field(default_factory=list)
    probe_failures: int = 0
    failure: Failure | None = None
    state: State = "healthy"
    since: float = 0.0
    until: float = 0.0
    day: str = ""
    day_ok: int = 0
    day_failed: int = 0

    def add(self, call: ObservedCall) -> None:
        """Add a call; calls must be added oldest first."""
        day = _day_of(call.at)
        if day > self.day:
            self.day, self.day_ok, self.day_failed = day, 0, 0
        is_today = day == self.day  # a process may report yesterday's calls late
        if call.code is None:
            self.day_ok += is_today
            self.probe_failures = 0
        else:
            self.day_failed += is_today
            self.failure = Failure(call.code, call.message, call.at)
        stored = ObservedCall("", call.user, call.at, call.ms, call.code)
        self.calls = [*self.calls, stored][-MAX_CALLS:]

    def add_probe(self, failure: Failure | None) -> None:
        """Add the result of a scheduled probe."""
        self.probe_failures = self.probe_failures + 1 if failure else 0
        self.failure = failure or self.failure

    def decide(self, id: str, now: float) -> None:
        """Update the state of the capability `id`."""
        if now < self.until:
            return
        if self.failure is None or self.failure.at <= now - WINDOW_S:
            self.probe_failures = 0  # it is probed no more
        first = max(self.until, now - WINDOW_S)
        calls = [call for call in self.calls if call.at >= first][-DECISIVE_CALLS:]
        by_user = Counter(call.user for call in calls if call.code)
        failed = sum(min(number, USER_FAILURES) for number in by_user.values())
        ok = sum(call.code is None for call in calls)
        most_fail = failed >= DOWN_FAILURES and failed >= ok
        returns = now - self.until < WINDOW_S and ok < RECOVERY_CALLS
        state: State = "healthy"
        if most_fail or self.probe_failures >= (1 if self.state == "down" else DOWN_PROBES):
            state = "down"
            self.until, self.probe_failures = now + COOL_DOWN_S, 0
        elif returns or failed >= DEGRADED_FAILURES or self.probe_failures > 1:
            state = "degraded"
        if state != self.state:
            log.warning("capability %s is %s, and was %s", id, state, self.state)
            self.state, self.since = state, now

    def is_over(self, now: float) -> bool:
        """Tell whether the record can be deleted: the capability is healthy and unused today."""
        return self.state == "healthy" and not self.probe_failures and self.day != _day_of(now)

    def latency(self, share: float) -> int | None:
        """Return the time, ms, in which this share of the newest calls ended; None if none did."""
        times = sorted(call.ms for call in self.calls)
        return times[math.ceil(share * len(times)) - 1] if times else None


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


def health(db: Client) -> dict[str, HealthRecord]:
    """Return the records of all capabilities that were used today or are not healthy: one read."""
    return _read(part(db, NAME).get())


def check(
    db: Client, entries: Mapping[str, Entry], *, probe: Callable[[Entry], None], now: float
) -> Mapping[str, State]:
    """Count the samples of processes, probe capabilities that are due, decide and publish states.

    Args:
        entries: The registry's capabilities.
        probe: Raises an `AgentError` if it cannot reach a capability; a code that is not one of
            `OWN_FAILURES` is inconclusive.
    Returns:
        The states of all capabilities that are not healthy.
    """
    document = part(db, NAME).get()
    probes = _probe_due(entries, _read(document), probe, now)
    for number in attempts(within_s=60):  # what is left then waits for the next check
        # The samples are read last: if another check folds one of these, it also changes the
        # records, and this commit fails.
        document = part(db, NAME).get() if number else document
        manifest = part(db, MANIFEST).get(["health"])
        samples = list(db.collection(collection_id(SAMPLES)).order_by("at").limit(PAGE).stream())
        records = _read(document)
        for call in _calls(samples):
            records.setdefault(call.id, HealthRecord()).add(call)
        for id, failure in probes.items():
            if failure or id in records:
                records.setdefault(id, HealthRecord()).add_probe(failure)
        for id, record in records.items():
            record.decide(id, now)
        states = {id: record.state for id, record in records.items() if record.state != "healthy"}
        # The last ones are dropped if there is no room.
        ordered = sorted(records, key=lambda id: (id not in states, records[id].failure is None))
        kept = {id: to_builtins(records[id]) for id in ordered if not records[id].is_over(now)}
        named = _manifest_states(db, states)
        is_new = manifest.exists and (manifest.to_dict() or {}).get("health", {}) != named
        if samples or is_new or kept != read_records(document):
            batch = db.batch()
            write_records(batch, document, kept)
            if is_new:
                update_unchanged(batch, manifest, {"health": named})
            for sample in samples:
                batch.delete(sample.reference)
            if try_commit(batch) is None:
                continue  # another check was faster, or the registry was compiled
        if len(samples) < PAGE:
            break
        probes = {}
    return states


def _read(document: Any) -> dict[str, HealthRecord]:
    """Return the records of `registry/health`, by capability."""
    return convert(read_records(document), dict[str, HealthRecord])


def _calls(samples: Sequence[Any]) -> list[ObservedCall]:
    """Return the calls in samples. A bad sample must not keep others from counting."""
    calls: list[ObservedCall] = []
    for sample in samples:
        try:
            calls += decode(sample.get("calls"), list[ObservedCall])
        except (KeyError, TypeError, ValueError) as error:
            log.error("health sample %s cannot be read: %r", sample.id, error)
    return calls


def _manifest_states(db: Client, states: Mapping[str, State]) -> Mapping[str, State]:
    """Return the states for the manifest. If an operator has overridden a capability's status, that
    decides whether it is offered, so it is degraded instead of down."""
    named = sorted(states, key=lambda id: (states[id] != "down", id))[:MAX_STATES]
    collection = db.collection(collection_id(CAPABILITIES))
    down = [collection.document(id) for id in named if states[id] == "down"]
    fields = {document.id: document.to_dict() or {} for document in read_all(db, *down)}
    pinned = {id for id in fields if fields[id].get("overrides", {}).get("status")}
    return {id: "degraded" if id in pinned else states[id] for id in named}


def _probe_due(
    entries: Mapping[str, Entry],
    records: Mapping[str, HealthRecord],
    probe: Callable[[Entry], None],
    now: float,
) -> dict[str, Failure | None]:
    """Probe capabilities in parallel: first those that failed their last probe or are to be tried
    again, then this minute's share of all. Those without a conclusive result are left out."""
    again = [
        id
        for id, record in records.items()
        if now >= record.until and (record.probe_failures or record.state == "down")
    ]
    period = max(PROBE_MINUTES, -(-len(entries) // MAX_PROBES))
    share = sorted(entries)[int(now // 60) % period :: period]
    due = [entries[id] for id in dict.fromkeys([*again, *share]) if id in entries]
    results: dict[str, Failure | None] = {}

    def probe_one(entry: Entry) -> None:
        try:
            probe(entry)
            results[entry.id] = None
        except AgentError as error:
            log.info("capability %s could not be reached: %s", entry.id, error.message)
            if error.code in OWN_FAILURES:
                results[entry.id] = Failure(error.code, short_message(error.message), now)

    with ThreadPoolExecutor(8, thread_name_prefix="probe") as pool:
        # `list` raises what a probe raises.
        list(pool.map(probe_one, [each for each in due if _can_probe(each)][:MAX_PROBES]))
    return results


def _can_probe(entry: Entry) -> bool:
    return entry.execution.type != "client" and entry.status is not Status.DISABLED


def _day_of(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
