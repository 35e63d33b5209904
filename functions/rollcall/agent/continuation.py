"""Goes on with turns without anybody at hand: for the task queue, the sweeper and the triggers."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rollcall.agent.run import drive, trail_of_failure
from rollcall.agent.run_context import Asked, recall
from rollcall.core.context import Platform, User
from rollcall.core.errors import Aborted, AgentError, FailedPrecondition, NotFound
from rollcall.core.events import Event, run_finished
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.continuations import (
    Continuation,
    StillWaiting,
    mark_late,
    mark_settled,
    open_continuation,
)
from rollcall.store.event_log import read_events
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import MAX_FRUITLESS, recover_run
from rollcall.store.runs import Abandoned, Finished, Running, next_run_id, run_state

if TYPE_CHECKING:
    from google.cloud.firestore import Client


log = logging.getLogger("rollcall")

POLL_S = 0.4
"""Between two looks; events are stored at most once a second."""


def go_on(platform: Platform, thread_id: str, run_id: str, *, until: float) -> str:
    """Take up a run that was left, or continue one whose questions are answered.

    Safe to ask for at any time, any number of times: exactly one caller gets to do it.

    Returns:
        What was done, in a word for the log.
    """
    db = platform.db
    run = paths.run(db, thread_id, run_id).get().to_dict()
    if run is None:
        return "gone"
    if run["status"] == RunStatus.RUNNING:
        opened = taken_up(db, thread_id, run_id)
    else:
        opened = _continued(db, thread_id, run_id)
    if opened is None:
        return "nothing to do"
    return work_off(platform, opened, until=until)


def taken_up(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
    """A run that was left, opened again; None if there is nothing to take up, or if it was tried
    so often that it is closed."""
    opened = recover_run(db, thread_id, run_id)
    if opened is None or opened.fruitless <= MAX_FRUITLESS:
        return opened
    message = f"this was tried {MAX_FRUITLESS} times and broke off each time"
    opened.fail({"code": "internal", "message": message}, beside=trail_of_failure(opened))
    return None


def recalled(platform: Platform, opened: OpenRun, *, user: User, token: str | None) -> Asked:
    """What an open run goes on with.

    Raises:
        AgentError: It may not go on any more; the run is closed with that.
    """
    try:
        return recall(platform, opened, user=user, token=token)
    except AgentError as error:
        told = {"message": error.message, **error.details}
        opened.fail(told, beside=trail_of_failure(opened))
        raise


def work_off(platform: Platform, opened: OpenRun, *, until: float) -> str:
    """Drive an open run whose user is not at hand; their rights are looked up as of now."""
    user = platform.find_user(opened.user.uid)
    if user is None:
        told = {"code": "unauthenticated", "message": "the account is gone or disabled"}
        opened.fail(told, beside=trail_of_failure(opened))
        return "closed"
    try:
        asked = recalled(platform, opened, user=user, token=None)
    except AgentError:
        return "closed"
    try:
        for _ in drive(platform, asked, opened, until=until):
            pass
    except AgentError as error:
        log.info("run %s ended with %s: %s", opened.run_id, error.code, error.message)
        return error.code
    return "done"


def _continued(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
    continuing = Continuation(run_id=next_run_id(run_id), request_digest="")
    try:
        opened = open_continuation(db, thread_id, run_id, continuing)
    except FailedPrecondition:
        return None
    if isinstance(opened, StillWaiting):
        mark_settled(db, opened.asked)
        mark_late(db, thread_id, run_id)
    return opened if isinstance(opened, OpenRun) else None


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
