"""Watches a run that somebody else is on, by its events in Firestore."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

from rollcall.core.errors import Aborted, NotFound
from rollcall.core.events import Event
from rollcall.store import paths
from rollcall.store.event_log import read_events
from rollcall.store.run_states import Finished, GoingOn, Stale, state_of

POLL_S = 0.4
"""Between two looks; events are stored at most once a second."""


def follow(
    db: Any, thread_id: str, run_id: str, *, until: float
) -> Generator[Event | None, None, Finished | Stale]:
    """Pass on a run's events, without gaps or repeats, until it ends or is left lying.

    Args:
        until: `time.monotonic()` value at which who watches must have let go.
    Raises:
        Aborted: That time is over and the run still goes on.
        NotFound: It was erased.
    """
    newest = -1
    while True:
        run = paths.run(db, thread_id, run_id).get().to_dict()
        if run is None:
            raise NotFound("what this run said was erased", field="runId")
        state: Finished | GoingOn | Stale = state_of(run, thread_id=thread_id, run_id=run_id)
        for number, stored in read_events(db, thread_id, run_id, after=newest):
            yield from stored
            newest = number
        if not isinstance(state, GoingOn):
            return state
        yield from pause(until)


def pause(until: float) -> Generator[Event | None, None, None]:
    """Wait a moment before the next look.

    Raises:
        Aborted: The time to watch is over.
    """
    if time.monotonic() > until:
        raise Aborted(
            "this run still goes on",
            field="runId",
            hint="ask again with the same runId to follow it",
            retry_after_s=1,
        )
    yield None
    time.sleep(POLL_S)
