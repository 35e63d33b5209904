"""The health of capabilities: samples folded, states decided, the compiled registry told.

    registry/health    one `Window` for each capability that was used today or is not well

A fold is one commit: the records, and the samples that went into them deleted. So a sample counts
once, whoever folds it and wherever a fold is cut off; of two folds at once one has to begin again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted
from rollcall.core.options import collection_id
from rollcall.registry.counters import Counters, conflicts
from rollcall.registry.probes import Probe, due, probed
from rollcall.registry.samples import SAMPLES
from rollcall.registry.seen import Failure, Seen
from rollcall.registry.segments import MANIFEST, part
from rollcall.registry.window import Window

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.registry.entries import Entry

NAME = "health"
PAGE = 200
"""Samples folded in one commit."""
MAX_PAGES = 50
MAX_NAMED = 5_000
"""How many states the manifest holds, those that are down first."""
_TRIES = 8

log = logging.getLogger("rollcall")


class Checked(Struct):
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
    tally = Counters.load(db, NAME)
    looked_for = due(entries, _windows(tally), now)
    checked = Checked(probed=len(looked_for))
    found = _fold(db, tally, probed(looked_for, probe, now), checked, now)
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

    reference = part(db, MANIFEST)
    for _ in range(_TRIES):
        manifest = reference.get(["health"])
        if not manifest.exists:
            return False
        told = (manifest.to_dict() or {}).get("health", {})
        if told == _named(db, states):
            return False
        # Another check may have decided since. It is read after the manifest, so that what is
        # written over is never newer than what is written.
        states = _states(_windows(Counters.load(db, NAME)))
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
    known: Counters | None,
    found: Mapping[str, Failure | None],
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
        tally, known = known or Counters.load(db, NAME), None
        samples = list(db.collection(collection_id(SAMPLES)).order_by("at").limit(PAGE).stream())
        windows = _windows(tally)
        before = {id: window.breaker.state for id, window in windows.items()}
        for sample in samples:
            _add(windows, sample)
        for id, failure in found.items():
            if failure is not None or id in windows:
                windows.setdefault(id, Window()).probed(failure, now)
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


def _windows(tally: Counters) -> dict[str, Window]:
    return {id: Window.of(record) for id, record in tally.records.items()}


def _add(windows: dict[str, Window], sample: Any) -> None:
    """Add what a process saw. What cannot be read goes with the rest: it must not keep all that
    comes after it from being counted."""
    try:
        counts = json.loads(sample.get("counts"))
        seen = {id: Seen.of(data) for id, data in counts.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.error("health sample %s cannot be read: %r", sample.id, error)
        return
    for id, each in seen.items():
        windows.setdefault(id, Window()).add(each)


def _put(tally: Counters, windows: Mapping[str, Window], now: float) -> None:
    """Put what has changed, and nothing else, into the records."""
    for id, window in windows.items():
        record = None if window.is_over(now) else window.record()
        if record != tally.records.get(id):
            tally.put(id, record)


def _named(db: Client, states: Mapping[str, str]) -> dict[str, str]:
    """As the manifest holds them. What an operator has given a status by hand is offered by that,
    and called degraded where it would be down."""
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
