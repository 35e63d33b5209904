"""Watches a run that somebody else is on, by its events in Firestore."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

from rollcall.core.errors import Aborted, NotFound
from rollcall.core.events import Event, run_finished
from rollcall.store import paths
from rollcall.store.event_log import read_events
from rollcall.store.runs import Abandoned, Finished, Running, run_state

POLL_S = 0.4
"""Between two looks; events are stored at most once a second."""


def follow(
    db: Any, thread_id: str, run_id: str, *, until: float
) -> Generator[Event | None, None, Finished | Abandoned]:
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
        state: Finished | Running | Abandoned = run_state(run, thread_id=thread_id, run_id=run_id)
        for number, stored in read_events(db, thread_id, run_id, after=newest):
            yield from (_whole(db, thread_id, run_id, event) for event in stored)
            newest = number
        if not isinstance(state, Running):
            return state
        yield from pause(until)


def told_again(db: Any, result: dict[str, Any]) -> list[Event]:
    """A finished run's events, as they are stored and with its result at the end; none where some
    of them are gone, as they are some days later. The first says that the run `isRetold`."""
    thread_id, run_id = result["threadId"], result["runId"]
    told = [event for _, stored in read_events(db, thread_id, run_id) for event in stored]
    is_whole = [event["metadata"]["n"] for event in told] == list(range(len(told)))
    if not told or not is_whole or told[-1]["type"] != "RUN_FINISHED":
        return []
    told[0] = {**told[0], "metadata": {**told[0]["metadata"], "isRetold": True}}
    told[-1] = {**told[-1], **run_finished(thread_id=thread_id, run_id=run_id, result=result)}
    return told


def _whole(db: Any, thread_id: str, run_id: str, event: Event) -> Event:
    """A stored event; a large result stands in the run's document alone."""
    if event["type"] != "RUN_FINISHED" or "result" in event:
        return event
    run = paths.run(db, thread_id, run_id).get().to_dict() or {}
    state = run_state(run, thread_id=thread_id, run_id=run_id)
    return {**event, "result": state.result} if isinstance(state, Finished) else event


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
