"""The events of a run, each once and in order, across lost connections.

Every event has its number in the run, `metadata.n`. After a lost connection the same request is
sent again: a run id names one run, so that nothing is started twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from typing import Any

from rollcall_cli.functions import Functions
from rollcall_cli.http import ConnectionLost
from rollcall_cli.store import Event, Result
from rollcall_cli.wording import error_text

Replay = Callable[[str, str], Iterable[Event]]
"""Returns the stored events of a run, by thread id and run id."""

RESTARTED = "RESTARTED"
"""The type of an event of this client: the run restarted after a crash, and the events that follow
replace those that were shown and never stored."""

_PAUSES_S = (0.0, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 5.0)
"""The delays before retries; any new event resets them."""


def no_replay(thread_id: str, run_id: str) -> Iterable[Event]:
    """Return no events, where stored ones cannot be read."""
    return ()


def stream_run(
    functions: Functions, data: dict[str, Any], *, replay: Replay
) -> Generator[Event, None, Result]:
    """Call `run_agent` with `data`, which names its run, and yield the run's events.

    Raises:
        CallError: The run was refused or failed, or (`Lost`) it cannot be reached any more.
    """
    log = _EventLog()
    tries = 0
    while True:
        before = log.total
        try:
            return (yield from _attempt(functions, data, log, replay))
        except ConnectionLost:
            tries = 0 if log.total > before else tries + 1
            if tries == len(_PAUSES_S):
                raise
        time.sleep(_PAUSES_S[tries])


class _EventLog:
    """The events delivered so far: a hash of each, by its number."""

    def __init__(self) -> None:
        self.total = 0  # also of replaced events
        self._marks: list[int] = []

    def take(self, event: Event) -> Generator[Event, None, None]:
        """Yield the event if it is new.

        Raises:
            Lost: Events before it are missing.
        """
        number = event["metadata"]["n"]
        mark = hash((event["type"], event.get("delta"), event.get("toolCallId")))
        if number > len(self._marks):
            raise ConnectionLost("data-loss", error_text("events_missing", number=number))
        if number < len(self._marks):
            if self._marks[number] == mark:
                return
            del self._marks[number:]
            yield {"type": RESTARTED}
        self._marks.append(mark)
        self.total += 1
        yield event


def _attempt(
    functions: Functions, data: dict[str, Any], log: _EventLog, replay: Replay
) -> Generator[Event, None, Result]:
    """One attempt to stream the run. Events without numbers mean that it has ended: then the stored
    events are delivered."""
    stream = functions.stream("run_agent", data)
    unnumbered: list[Event] = []
    while True:
        try:
            event = next(stream)
        except StopIteration as end:
            result: Result = end.value
            break
        if "n" in event.get("metadata", {}):
            yield from log.take(event)
        else:
            unnumbered.append(event)
    if unnumbered:
        yield from _replay(unnumbered, log, replay)
    return result


def _replay(
    unnumbered: list[Event], log: _EventLog, replay: Replay
) -> Generator[Event, None, None]:
    started = unnumbered[0]
    for event in replay(started["threadId"], started["runId"]):
        yield from log.take(event)
    if not log.total:  # the stored events were deleted
        yield from unnumbered
