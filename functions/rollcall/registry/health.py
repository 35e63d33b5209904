"""The health of capabilities: samples folded, states decided, the compiled registry told.

    registry/health    one `Window` for each capability that was used today or is not well

A fold is one commit: the records, and the samples that went into them deleted. So a sample counts
once, whoever folds it and wherever a fold is cut off; of two folds at once one has to begin again.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted, AgentError
from rollcall.core.redaction import redacted
from rollcall.core.wire import Status
from rollcall.registry.breaker import OWN_FAILURES
from rollcall.registry.samples import MESSAGE_CHARS, SAMPLES
from rollcall.registry.tally import Tally, conflicts
from rollcall.registry.window import Failure, Seen, Window, shortened

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.registry.entries import Entry

NAME = "health"
MANIFEST = "registry/manifest"
PAGE = 200
"""Samples folded in one commit."""
MAX_PAGES = 50
MAX_NAMED = 5_000
"""How many states the manifest holds, those that are down first."""
PROBES_AT_ONCE = 8
MAX_PROBES = 40
PROBE_MINUTES = 15
"""Each capability is checked this often, or as often as `MAX_PROBES` a minute allows."""
OURS = 5
"""If so many checks fail and none succeeds, it is rather our own network."""
_TRIES = 8

log = logging.getLogger("rollcall")

Probe = Callable[["Entry"], None]
"""Checks that a capability can be reached.

Raises:
    AgentError: It cannot, if the code is one of `OWN_FAILURES`; any other says nothing about it.
"""


@dataclass(slots=True)
class Checked:
    """What a check found and did.

    Attributes:
        states: Of all that is not healthy.
        changed: Ids whose state is another now.
        samples: How many samples were folded.
        probed: How many capabilities were checked.
    """

    states: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    samples: int = 0
    probed: int = 0


def check(db: Client, entries: Mapping[str, Entry], *, probe: Probe, now: float) -> Checked:
    """Fold what processes have told, check what is due, decide states, and tell the manifest.

    Args:
        entries: The registry's capabilities.
        now: Seconds since 1970.
    Raises:
        Aborted: Others did the same, faster, again and again; nothing is lost.
    """
    tally = Tally.load(db, NAME)
    due = _due(entries, _windows(tally), now)
    checked = Checked(probed=len(due))
    found = _fold(db, tally, _probe(due, probe, now), checked, now)
    for _ in range(MAX_PAGES):
        if found < PAGE:
            break
        found = _fold(db, None, {}, checked, now)
    publish(db, checked.states)
    return checked


def publish(db: Client, states: Mapping[str, str]) -> bool:
    """Write the states into the manifest if it has others, and if there is one; whether it did.

    Whoever compiles the registry meanwhile goes first: this reads it again.

    Args:
        states: Of all that is not healthy, as decided last by whoever asks.
    """
    from google.cloud.firestore import LastUpdateOption

    reference = db.document(MANIFEST)
    for _ in range(_TRIES):
        manifest = reference.get(["health"])
        if not manifest.exists:
            return False
        told = (manifest.to_dict() or {}).get("health", {})
        if told == _named(db, states):
            return False
        # Another check may have decided since. It is read after the manifest, so that what is
        # written over is never newer than what is written.
        states = _states(_windows(Tally.load(db, NAME)))
        named = _named(db, states)
        if told == named:
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
    known: Tally | None,
    probed: Mapping[str, Failure | None],
    checked: Checked,
    now: float,
) -> int:
    """Fold one page of samples and the checks, and judge; how many samples there were.

    Args:
        known: The records as they were read before, if they were.
    Raises:
        Aborted: Others were faster at every try.
    """
    for _ in range(_TRIES):
        # Read before the samples: whoever folds one of these writes the records anew.
        tally, known = known or Tally.load(db, NAME), None
        samples = list(db.collection(SAMPLES).order_by("at").limit(PAGE).stream())
        windows = _windows(tally)
        before = {id: window.breaker.state for id, window in windows.items()}
        _add(windows, (each.to_dict() or {} for each in samples), probed, now)
        for window in windows.values():
            window.judge(now)
        _put(tally, windows, now)
        if samples or tally.has_changed:
            batch = db.batch()
            tally.write(batch)
            for sample in samples:
                batch.delete(sample.reference)
            try:
                batch.commit()
            except conflicts() as error:
                log.info("another check was faster: %r", error)
                continue
        checked.samples += len(samples)
        checked.states = _states(windows)
        changes = {
            id: each.breaker.state
            for id, each in windows.items()
            if each.breaker.state != before.get(id, "healthy")
        }
        if changes:
            first = ", ".join(f"{id} {state}" for id, state in list(changes.items())[:20])
            log.warning("the health of %d capabilities is another: %s", len(changes), first)
        checked.changed += changes
        return len(samples)
    raise Aborted("the checks of health are in one another's way", retry_after_s=60)


def _states(windows: Mapping[str, Window]) -> dict[str, str]:
    """Of all that is not healthy."""
    states = {id: window.breaker.state for id, window in windows.items()}
    return {id: state for id, state in states.items() if state != "healthy"}


def _windows(tally: Tally) -> dict[str, Window]:
    return {id: Window.of(record) for id, record in tally.records.items()}


def _add(
    windows: dict[str, Window],
    samples: Iterable[Mapping[str, Any]],
    probed: Mapping[str, Failure | None],
    now: float,
) -> None:
    for sample in samples:
        for id, data in json.loads(sample["counts"]).items():
            windows.setdefault(id, Window()).add(Seen.of(data))
    for id, failure in probed.items():
        if failure is not None or id in windows:
            windows.setdefault(id, Window()).probed(failure, now)


def _put(tally: Tally, windows: Mapping[str, Window], now: float) -> None:
    """Put what has changed, and nothing else, into the records."""
    for id, window in windows.items():
        record = None if window.is_over(now) else window.record()
        if record != tally.records.get(id):
            tally.put(id, record)


def _due(entries: Mapping[str, Entry], windows: Mapping[str, Window], now: float) -> list[Entry]:
    """What is to be checked now: first what failed its last check or is to be tried again, then
    this minute's share of all, by a checksum, so that nothing has to be kept of what is well."""
    again = [id for id, window in windows.items() if id in entries and _is_waiting(window, now)]
    period = max(PROBE_MINUTES, -(-len(entries) // MAX_PROBES))
    minute = int(now // 60) % period
    share = [id for id in entries if zlib.crc32(id.encode()) % period == minute]
    found = [entries[id] for id in dict.fromkeys([*sorted(again), *share])]
    return [entry for entry in found if _can_be_checked(entry)][:MAX_PROBES]


def _can_be_checked(entry: Entry) -> bool:
    return entry.execution.type != "client" and entry.status is not Status.DISABLED


def _is_waiting(window: Window, now: float) -> bool:
    if window.breaker.state == "down":
        return now >= window.breaker.until
    return window.probe_failures > 0


def _probe(due: Sequence[Entry], probe: Probe, now: float) -> dict[str, Failure | None]:
    """Check some capabilities side by side; None for those that are there."""
    with ThreadPoolExecutor(PROBES_AT_ONCE, thread_name_prefix="probe") as pool:
        found = dict(pool.map(lambda entry: _probed(entry, probe, now), due))
    known = {id: failure for id, failure in found.items() if not isinstance(failure, AgentError)}
    remote = [each.id for each in due if each.execution.type != "internal_service"]
    failed = [id for id in remote if known.get(id)]
    if len(failed) >= OURS and all(known.get(id) for id in remote if id in known):
        log.warning("none of %d capabilities could be reached: it may be us", len(failed))
        return {id: failure for id, failure in known.items() if id not in failed}
    return known


def _probed(entry: Entry, probe: Probe, now: float) -> tuple[str, Failure | AgentError | None]:
    """One check; an error that says nothing about the capability is returned as it is."""
    try:
        probe(entry)
    except AgentError as error:
        if error.code not in OWN_FAILURES:
            log.info("capability %s could not be checked: %s", entry.id, error.message)
            return entry.id, error
        failure = Failure(error.code, redacted(error.message), now)
        return entry.id, shortened(failure, MESSAGE_CHARS)
    return entry.id, None


def _named(db: Client, states: Mapping[str, str]) -> dict[str, str]:
    """As the manifest holds them. What an operator has given a status by hand is offered by that,
    and called degraded where it would be down."""
    from rollcall.registry.documents import CAPABILITIES

    down_first = sorted(states.items(), key=lambda each: (each[1] != "down", each[0]))
    named = dict(down_first[:MAX_NAMED])
    down = [db.document(f"{CAPABILITIES}/{id}") for id in named if named[id] == "down"]
    for start in range(0, len(down), 300):
        for document in db.get_all(down[start : start + 300], ["overrides.status"]):
            overrides = (document.to_dict() or {}).get("overrides", {})
            if overrides.get("status"):
                named[document.id] = "degraded"
    return named
