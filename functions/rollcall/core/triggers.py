"""Triggers: a function is reached by a call, an HTTP request, the clock, a document or a queue.

A trigger is a value; `@bound(trigger)` marks a function with one, and `bind` makes the Cloud
Function of it. Firebase's trigger modules are imported there, since they are slow to import.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar

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


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """A document was written, at `time` at the latest. `before` and `after` are its data, None
    where there was none."""

    params: dict[str, str]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


class Trigger(Protocol):
    """Base of all triggers."""

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        """Make the Cloud Function `name` of `handler`."""


def bound(trigger: Trigger) -> Callable[[F], F]:
    """Mark a function as a Cloud Function reached by `trigger`."""

    def decorate(function: F) -> F:
        setattr(function, _MARK, trigger)
        return function

    return decorate


def trigger_of(function: object) -> Trigger | None:
    """The trigger that `@bound` gave this function, if any."""
    found: Trigger | None = getattr(function, _MARK, None)
    return found


@dataclass(frozen=True, slots=True)
class OnCall:
    """Called by `httpsCallable(functions, name)(data)`: `handler(platform, call) -> JSON`.

    A handler that is a generator streams: it yields chunks and returns the result, for
    `httpsCallable(functions, name).stream(data)`.

    Args:
        timeout_s: How long one call may take.
        at_start: Done before a process that serves the function takes its first call.
    """

    timeout_s: int = 120
    at_start: Callable[[], None] | None = None

    def bind(self, name: str, handler: CallHandler, platform: Callable[[], Platform]) -> Any:
        from rollcall.core.http import bind_callable

        return bind_callable(name, lambda call: handler(platform(), call), timeout_s=self.timeout_s)


@dataclass(frozen=True, slots=True)
class OnRequest:
    """Reached by plain HTTP at `{name}/{path}`: `handler(platform, call) -> JSON`. `call.path` is
    that path, and `call.data` the JSON object that a POST carried, None for a GET.

    A handler that is a generator streams server-sent events. What it raises before the first is
    refused with an HTTP status; after that it must tell of failures in its stream.

    Args:
        timeout_s: How long one request may take.
        max_bytes: The largest body.
        at_start: Done before a process that serves the function takes its first request.
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


@dataclass(frozen=True, slots=True)
class OnSchedule:
    """Run by the clock, for example `OnSchedule("every day 03:00")`: `handler(platform)`."""

    when: str
    timeout_s: int = 540

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        from firebase_functions import scheduler_fn

        def run(event: scheduler_fn.ScheduledEvent) -> None:
            _begun(name, lambda: handler(platform()))

        run.__name__ = name
        return scheduler_fn.on_schedule(
            schedule=self.when, timeout_sec=self.timeout_s, **function_options(name)
        )(run)


@dataclass(frozen=True, slots=True)
class OnDocument:
    """A document at `path` (as in "messages/{messageId}") was created, updated, deleted, or any
    of these ("written"): `handler(platform, event)`.

    Args:
        platform: The path's collection is one of the platform's, which `ROLLCALL_PREFIX` names
            anew.
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
            written = DocumentEvent(dict(event.params), before, after, _at(event, self.when))
            _begun(name, lambda: handler(platform(), written))

        run.__name__ = name
        decorate = getattr(firestore_fn, f"on_document_{self.when}")
        options = {"timeout_sec": self.timeout_s, **function_options(name)}
        path = collection_id(self.path) if self.platform else self.path
        function = decorate(document=path, **options)(run)
        # FirestoreOptions has no `retry` yet; the deployed manifest does.
        function.__firebase_endpoint__.eventTrigger["retry"] = self.retry
        return function


@dataclass(frozen=True, slots=True)
class OnTask:
    """Work from the queue of the function's name, delivered at least once: `handler(platform,
    data)`.

    `platform.enqueue(name, data)` puts it there. A failure that may pass is tried again, at most
    `max_attempts` times in all; any other is logged, and the task is over.

    Args:
        max_attempts: How often one task is begun.
        timeout_s: How long one attempt may take, at most 1800.
        max_concurrent: How many tasks of this queue run at once, unless `ROLLCALL_MAX_TASKS` says.
        alone: Each in an instance of its own, with all of that one's memory.
    """

    max_attempts: int = 5
    timeout_s: int = 540
    max_concurrent: int = 50
    alone: bool = False

    def bind(self, name: str, handler: Callable[..., Any], platform: Callable[[], Platform]) -> Any:
        """Make the task function.

        Raises:
            ValueError: The name cannot be a queue's, which takes no underscore.
        """
        from firebase_functions import options, tasks_fn

        if not re.fullmatch(r"[A-Za-z0-9-]+", name):
            raise ValueError(f"a queue's name has letters, digits and hyphens only: {name!r}")

        def run(request: Any) -> None:
            if not isinstance(request.data, dict):
                log.error("task %s: its data is no object; dropped", name)
                return
            try:
                _begun(name, lambda: handler(platform(), request.data))
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


def _begun(name: str, work: Callable[[], Any]) -> None:
    """Do the work of the function `name`, noted as that and with the headers it was reached by."""
    import flask

    is_served = flask.has_request_context()
    in_request(name, work, flask.request.headers.get if is_served else lambda header: None)


def _at(event: Any, when: str) -> datetime:
    """When it happened, at the latest: as the document says that was written. One that was deleted
    says nothing of it, and an event's own time may be that at which the emulator gets to it."""
    written = None if when == "deleted" else getattr(event.data, "after", event.data)
    at = written.update_time if written and written.exists else None
    if isinstance(at, datetime):
        return at
    # The emulator and Eventarc say an event's time as a text or as a time. The emulator cuts it to
    # the second: what happened within that must not pass for older than it is.
    time = datetime.fromisoformat(event.time) if isinstance(event.time, str) else event.time
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return time if time.microsecond else time + timedelta(seconds=1)


def _snapshots(data: Any, when: str) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """What a Firestore event carries is one snapshot or a change of two, by kind of event."""
    if when == "created":
        return None, data.to_dict()
    if when == "deleted":
        return data.to_dict(), None
    before = data.before.to_dict() if data.before else None
    return before, data.after.to_dict() if data.after else None
