"""Continues, recovers, follows and replays runs that this process did not open.

The task queue, the sweeper and the triggers continue runs while their user is away. A request for a
run that another process works on follows its events in Firestore.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from typing import Any

from rollcall.agent.history import turn_state
from rollcall.agent.router import found_tools
from rollcall.agent.run import drive
from rollcall.agent.run_setup import RunContext, new_context
from rollcall.core.context import Platform, User
from rollcall.core.errors import Aborted, AgentError, FailedPrecondition, NotFound
from rollcall.core.events import Event, run_finished
from rollcall.core.texts import TEXTS
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
from rollcall.store.recovery import recover_run
from rollcall.store.runs import FinishedRun, RunState, next_run_id, run_state

log = logging.getLogger("rollcall")

POLL_S = 0.4
"""The pause between two reads; events are stored at most once a second."""


def continue_run(platform: Platform, thread_id: str, run_id: str, *, until: float) -> str:
    """Recover a run, or continue one that was decided, while its user is away. The user's rights
    are read anew.

    It may be called at any time, any number of times: only one caller does the work.

    Returns:
        A word for the log that says what was done.
    """
    db = platform.db
    run = paths.run(db, thread_id, run_id).get().to_dict()
    if run is None:
        return "gone"
    opened: OpenRun | None = None
    if run["status"] == RunStatus.RUNNING:
        opened = recover_run(db, thread_id, run_id)
    else:
        continuation = Continuation(run_id=next_run_id(run_id), request_digest="")
        try:
            found = open_continuation(db, thread_id, run_id, continuation)
        except FailedPrecondition:
            return "nothing to do"
        if isinstance(found, StillWaiting):
            mark_settled(db, found.all_approvals)
            mark_late(db, thread_id, run_id)
        opened = found if isinstance(found, OpenRun) else None
    if opened is None:
        return "nothing to do"
    user = platform.find_user(opened.user.uid)
    if user is None:
        opened.fail({"code": "unauthenticated", "message": "the account is gone or disabled"})
        return "closed"
    try:
        context = continued_context(platform, opened, user=user, token=None)
    except AgentError:
        return "closed"
    try:
        for _ in drive(context, opened, until=until):
            pass
    except AgentError as error:
        log.info("run %s ended with %s: %s", opened.run_id, error.code, error)
        return error.code
    return "done"


def continued_context(
    platform: Platform, opened: OpenRun, *, user: User, token: str | None
) -> RunContext:
    """Return the context of an open run that continues a turn. It has the turn's tools, except
    those that are gone or no longer permitted to `user`.

    Raises:
        AgentError: The agent is gone, or no longer permitted to this user; the run is closed with
            this error.
    """
    request = opened.request
    try:
        context = new_context(
            platform,
            user=user,
            agent_id=opened.agent,
            locale=request["locale"],
            client_context=request["context"],
            client_id=request["clientId"],
            client_tools=request["clientTools"],
            token=token,
        )
    except AgentError as error:
        error.translate(request["locale"])
        opened.fail({"message": error.message, **error.details})
        raise
    state = turn_state(opened)
    return context.with_tools(request, found_tools([*state.earlier, *state.records]))


def follow(
    db: Any, thread_id: str, run_id: str, *, until: float
) -> Generator[Event | None, None, RunState]:
    """Yield a run's events, without gaps or repeats, until it ends or is abandoned.

    Args:
        until: The `time.monotonic()` value at which the caller has to stop.
    Raises:
        Aborted: That time is over and the run still goes on.
        NotFound: The run was erased.
    """
    newest = -1
    while True:
        run = paths.run(db, thread_id, run_id).get().to_dict()
        if run is None:
            raise NotFound(TEXTS.text("errors.run_erased"), field="runId")
        state = run_state(run, thread_id=thread_id, run_id=run_id)
        for number, stored in read_events(db, thread_id, run_id, after=newest):
            for event in stored:
                if event["type"] == "RUN_FINISHED" and "result" not in event:
                    # A large result is stored in the run's document only.
                    run = paths.run(db, thread_id, run_id).get().to_dict() or {}
                    ended = run_state(run, thread_id=thread_id, run_id=run_id)
                    result = ended.result if isinstance(ended, FinishedRun) else None
                    event = {**event, "result": result} if result is not None else event
                yield event
            newest = number
        if isinstance(state, FinishedRun) or state.is_abandoned:
            return state
        yield from pause(until)


def replayed_events(db: Any, result: dict[str, Any]) -> list[Event]:
    """Return a finished run's stored events with its result at the end; an empty list if some have
    expired. The first event is marked `isRetold`."""
    thread_id, run_id = result["threadId"], result["runId"]
    shown = [event for _, stored in read_events(db, thread_id, run_id) for event in stored]
    is_whole = [event["metadata"]["n"] for event in shown] == list(range(len(shown)))
    if not shown or not is_whole or shown[-1]["type"] != "RUN_FINISHED":
        return []
    shown[0] = {**shown[0], "metadata": {**shown[0]["metadata"], "isRetold": True}}
    shown[-1] = {**shown[-1], **run_finished(thread_id=thread_id, run_id=run_id, result=result)}
    return shown


def pause(until: float) -> Generator[Event | None, None, None]:
    """Wait briefly before the next read of a run.

    Raises:
        Aborted: `until` has passed.
    """
    if time.monotonic() > until:
        raise Aborted(
            TEXTS.text("errors.run_goes_on"),
            field="runId",
            hint="ask again with the same runId to follow it",
            retry_after_s=1,
        )
    yield None
    time.sleep(POLL_S)
