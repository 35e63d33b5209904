"""Goes on with turns without anybody at hand: for the task queue, the sweeper and the triggers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rollcall.agent.asked import Asked, recall
from rollcall.agent.drive import drive
from rollcall.agent.trail import trail_of_failure
from rollcall.core.context import Platform, User
from rollcall.core.errors import AgentError, FailedPrecondition
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.continuations import (
    Continuation,
    StillWaiting,
    mark_late,
    mark_settled,
    open_continuation,
)
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import MAX_FRUITLESS, recover_run
from rollcall.store.runs import next_run_id

if TYPE_CHECKING:
    from google.cloud.firestore import Client

log = logging.getLogger("rollcall")


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
    opened.give_up({"code": "internal", "message": message}, beside=trail_of_failure(opened))
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
        opened.give_up(told, beside=trail_of_failure(opened))
        raise


def work_off(platform: Platform, opened: OpenRun, *, until: float) -> str:
    """Drive an open run whose user is not at hand; their rights are looked up as of now."""
    user = platform.find_user(opened.user.uid)
    if user is None:
        told = {"code": "unauthenticated", "message": "the account is gone or disabled"}
        opened.give_up(told, beside=trail_of_failure(opened))
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
