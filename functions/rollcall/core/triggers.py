"""Triggers of functions: a call, an HTTP request, the clock, a document or a queue.

A trigger is a value; `@bound(trigger)` marks a function with one, and `bind` makes the Cloud
Function. It imports Firebase's trigger modules, since these are slow to import.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar

from msgspec import Struct, field

from rollcall.core.context import Call, Platform
from rollcall.core.errors import (
    Aborted,
    AgentError,
    DeadlineExceeded,
    Internal,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.logs import in_request
from rollcall.core.options import collection_id, function_options, max_tasks

F = TypeVar("F", bound=Callable[..., Any])
CallHandler = Callable[[Platform, Call], Any]
_MARK = "__trigger__"
_WORTH_REPEATING = (Aborted, Unavailable, DeadlineExceeded, ResourceExhausted, Internal)

log = logging.getLogger("rollcall")


class DocumentEvent(Struct, frozen=True):
    """A write of a document, at `time` at the latest. `before` and `after` are its data, None if it
    did not exist."""

    params: dict[str, str]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


class Trigger(Protocol):
    """Base of all triggers."""

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        """Make the Cloud Function `name` from `handler`."""


def bound(trigger: Trigger) -> Callable[[F], F]:
    """Mark a function as a Cloud Function that `trigger` runs."""

    def decorate(function: F) -> F:
        setattr(function, _MARK, trigger)
        return function

    return decorate


def trigger_of(function: object) -> Trigger | None:
    """Return the trigger with which `@bound` marked a function, if any."""
    trigger: Trigger | None = getattr(function, _MARK, None)
    return trigger


class OnCall(Struct, frozen=True):
    """Called by `httpsCallable(functions, name)(data)`: `handler(platform, call) -> JSON`.

    A handler that is a generator streams: it yields chunks and returns the result, for
    `httpsCallable(functions, name).stream(data)`.

    Args:
        timeout_s: How long one call may take.
        at_start: Runs in each process that serves the function, before its first call.
    """

    timeout_s: int = 120
    at_start: Callable[[], None] | None = None

    def bind(self, name: str, handler: CallHandler, platform: Callable[[], Platform]) -> Any:
        from rollcall.core.http import bind_callable

        return bind_callable(name, lambda call: handler(platform(), call), timeout_s=self.timeout_s)


class OnRequest(Struct, frozen=True):
    """Reached by plain HTTP at `{name}/{path}`: `handler(platform, call) -> JSON`. `call.path` is
    that path, and `call.data` the JSON object that a POST carried, None for a GET.

    A handler that is a generator streams server-sent events. An error before the first event is
    refused with an HTTP status; after that the handler must report failures in its stream.

    Args:
        timeout_s: How long one request may take.
        max_bytes: The largest body.
        at_start: Runs in each process that serves the function, before its first request.
    """

    timeout_s: int = 120
    max_bytes: int = 4_000_000
    at_start: Callable[[], None] | None = None

    def bind(self, name: str, handler: CallHandler, platform: Callable[[], Platform]) -> Any:
        from rollcall.core.http import bind_request

        return bind_request(
            name,
            lambda call: handler(platform(), call),
            timeout_s=self.timeout_s,
            max_bytes=self.max_bytes,
        )


class OnSchedule(Struct, frozen=True):
    """Run by the clock, for example `OnSchedule("every day 03:00")`: `handler(platform)`."""

    when: str
    timeout_s: int = 540

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        from firebase_functions import scheduler_fn

        def run(event: scheduler_fn.ScheduledEvent) -> None:
            _run_in_request(name, lambda: handler(platform()))

        run.__name__ = name
        return scheduler_fn.on_schedule(
            schedule=self.when, timeout_sec=self.timeout_s, **function_options(name)
        )(run)


class OnDocument(Struct, frozen=True):
    """Run when a document at `path`, such as "messages/{messageId}", is created, updated, deleted,
    or any of these ("written"): `handler(platform, event)`.

    Args:
        platform: Whether the path's collection is one of the platform's, which `ROLLCALL_PREFIX`
            renames.
    """

    path: str
    when: Literal["created", "updated", "deleted", "written"] = "written"
    retry: bool = True
    timeout_s: int = 60
    platform: bool = False

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        from firebase_functions import firestore_fn

        def run(event: Any) -> None:
            before, after = _snapshots(event.data, self.when)
            time = _event_time(event, self.when)
            change = DocumentEvent(dict(event.params), before, after, time)
            _run_in_request(name, lambda: handler(platform(), change))

        run.__name__ = name
        decorate = getattr(firestore_fn, f"on_document_{self.when}")
        options = {"timeout_sec": self.timeout_s, **function_options(name)}
        path = collection_id(self.path) if self.platform else self.path
        function = decorate(document=path, **options)(run)
        # FirestoreOptions has no `retry` yet, but the deployed manifest does.
        function.__firebase_endpoint__.eventTrigger["retry"] = self.retry
        return function


class OnTask(Struct, frozen=True):
    """Run for each task in the queue named after the function, at least once: `handler(platform,
    data)`.

    `platform.enqueue(name, data)` adds a task. A temporary failure is retried, up to `max_attempts`
    attempts in all; any other failure is logged, and the task is dropped.

    Args:
        max_attempts: The most attempts at one task.
        timeout_s: How long one attempt may take, at most 1800.
        max_concurrent: How many tasks of this queue run at once, unless `ROLLCALL_MAX_TASKS` sets
            it.
        alone: Whether each task has an instance to itself, with all of its memory.
    """

    max_attempts: int = 5
    timeout_s: int = 540
    max_concurrent: int = 50
    alone: bool = False

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        """Make the task function.

        Raises:
            ValueError: The name cannot be a queue's, which may have no underscore.
        """
        from firebase_functions import options, tasks_fn

        if not re.fullmatch(r"[A-Za-z0-9-]+", name):
            raise ValueError(f"a queue's name has letters, digits and hyphens only: {name!r}")

        def run(request: Any) -> None:
            if not isinstance(request.data, dict):
                log.error("task %s: its data is no object; dropped", name)
                return
            try:
                _run_in_request(name, lambda: handler(platform(), request.data))
            except AgentError as error:
                if isinstance(error, _WORTH_REPEATING):
                    raise
                # The same task would fail the same way at every attempt.
                log.error("task %s: %s (%s); dropped", name, error.message, error.code)

        run.__name__ = name
        deployed = function_options(name) | ({"concurrency": 1} if self.alone else {})
        return tasks_fn.on_task_dispatched(
            retry_config=options.RetryConfig(
                max_attempts=self.max_attempts, min_backoff_seconds=2, max_backoff_seconds=300
            ),
            rate_limits=options.RateLimits(
                max_concurrent_dispatches=max_tasks(name, self.max_concurrent)
            ),
            timeout_sec=self.timeout_s,
            **deployed,
        )(run)


def _run_in_request(name: str, work: Callable[[], Any]) -> None:
    """Run the work of the function `name` with log fields from the request's headers, if any."""
    import flask

    is_served = flask.has_request_context()
    in_request(name, work, flask.request.headers.get if is_served else lambda header: None)


def _event_time(event: Any, when: str) -> datetime:
    """Return the latest time at which the event can have happened: the document's update time or,
    if it was deleted, the event's time, which may be when the emulator got to it."""
    document = None if when == "deleted" else getattr(event.data, "after", event.data)
    at = document.update_time if document and document.exists else None
    if isinstance(at, datetime):
        return at
    # The emulator and Eventarc give an event's time as a text or as a datetime. The emulator cuts
    # it to the second, so a second is added: the event must not seem older than it is.
    time = datetime.fromisoformat(event.time) if isinstance(event.time, str) else event.time
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return time if time.microsecond else time + timedelta(seconds=1)


def _snapshots(data: Any, when: str) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the data before and after a Firestore event, which has one snapshot or two by its
    kind."""
    if when == "created":
        return None, data.to_dict()
    if when == "deleted":
        return data.to_dict(), None
    before = data.before.to_dict() if data.before else None
    return before, data.after.to_dict() if data.after else None
