"""What a process observes of capabilities' health, gathered in memory and written now and then.

    healthSamples/{auto}   at, counts (JSON: {capability id: Observations}), expiresAt

A sample is a document of its own, so however busy a capability is, no document is. It is written
beside a request and never waited for: nothing is slower or fails for it, and what could not be
written goes with a later request. At most one is written in `FLUSH_S`, or in `SOON_S` once there
were failures.

Failures are counted by user as well, so that one who makes a capability fail at will is one voice
and no more. Of a user a short digest is kept, of each capability's own, never the id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
import uuid
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from rollcall.core.errors import AgentError
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION, CallStatus
from rollcall.registry.breaker import OWN_FAILURES

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.wire import ToolCallRecord

SAMPLES = "healthSamples"
FLUSH_S = 20.0
SOON_S = 5.0
KEPT = timedelta(days=1)
"""For how long a sample waits to be folded."""
MAX_CAPABILITIES = 500
"""In one sample; the others come with the next."""
MAX_USERS = 10
"""Of each capability in one sample; the calls of more users that fail count with the last one's."""
LATENCY_BOUNDS_MS = (10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
"""Upper ends of the classes in which calls are counted by their time; the last class has none."""
MESSAGE_CHARS = 160
_KEPT_CHARS = 2_000
_LEAST_CHARS = 3
"""Shorter texts are in any message."""
TOO_LITTLE_MS = 5_000
"""Being late with less time than this is no fault of the capability."""
WRITE_S = 10.0
"""What storing one may take."""
_DIGEST_CHARS = 8

Row = dict[str, int]
"""Failures since the last success, by user."""
ByUser = dict[str, list[int]]
"""`[ok, failed]` of the calls of users of whom one failed, since it did."""
Create = Callable[[str, "dict[str, Any]"], None]
"""Stores a document at a path, unless it is there already."""

log = logging.getLogger("rollcall")


class Failure(Struct, frozen=True):
    """An error as operators see it. `at` is seconds since 1970."""

    code: str
    message: str
    at: float

    def shortened(self) -> Failure:
        """Return the same without credentials, and cut."""
        from rollcall.core.redaction import redacted

        text = redacted(self.message)
        cut = text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - 1] + "…"
        return replace(self, message=cut)


def no_latencies() -> list[int]:
    """Return the counts of no calls, by class of `LATENCY_BOUNDS_MS`."""
    return [0] * (len(LATENCY_BOUNDS_MS) + 1)


class Observations(Struct):
    """What one process observed of a capability since its last sample.

    Attributes:
        at: When the last of its calls ended, seconds since 1970.
        ok: Calls that came to a result.
        failed: Calls that failed by the capability's own fault.
        row: The failures after the last success, by the digest of their user.
        users: The calls of users of whom one failed, by the same digest.
        ms: How many calls there were of each class of time.
    """

    at: float
    ok: int = 0
    failed: int = 0
    row: Row = field(default_factory=dict)
    users: ByUser = field(default_factory=dict)
    ms: list[int] = field(default_factory=no_latencies)
    failure: Failure | None = None

    def add_success(self, user: str, *, ms: int, at: float) -> None:
        """Count a call that came to a result.

        Args:
            user: See `user_of`.
        """
        self.ms[bisect_left(LATENCY_BOUNDS_MS, ms)] += 1
        self.at = at
        self.ok += 1
        self.row.clear()
        if user in self.users:
            self.users[user][0] += 1

    def add_failure(self, user: str, failure: Failure, *, ms: int) -> None:
        """Count a call that failed."""
        self.ms[bisect_left(LATENCY_BOUNDS_MS, ms)] += 1
        self.at = failure.at
        self.failed += 1
        self.failure = failure
        if user not in self.users and len(self.users) == MAX_USERS:
            user = next(reversed(self.users))
        self.users.setdefault(user, [0, 0])[1] += 1
        self.row[user] = self.row.get(user, 0) + 1


def user_of(uid: str, capability_id: str) -> str:
    """Return what a user is counted under: alike for all processes, and another for each
    capability, so that nobody's use of several can be put together."""
    return hashlib.sha256(f"{capability_id}/{uid}".encode()).hexdigest()[:_DIGEST_CHARS]


class HealthRecorder:
    """The counts of one process. Safe to use from any thread."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._now = now
        self._lock = threading.Lock()
        self._written_at = clock()
        self._observed: dict[str, Observations] = {}
        self._has_failures = False
        self._unsent: tuple[str, dict[str, Any]] | None = None
        self._is_writing = False

    def note(
        self,
        id: str,
        *,
        uid: str,
        ms: int,
        code: str | None = None,
        message: str = "",
        arguments: Any = None,
    ) -> None:
        """Note how one call ended.

        Args:
            uid: Whose call it was.
            code: Its error's; None where it came to a result.
            arguments: What it was called with: these are the user's, and taken out of the message.
        """
        is_late = code == "deadline-exceeded" and ms < TOO_LITTLE_MS
        if code is not None and (code not in OWN_FAILURES or is_late):
            return
        at, user = self._now(), user_of(uid, id)
        if code is not None:
            message = _impersonal(message[:_KEPT_CHARS], arguments)
        with self._lock:
            observed = self._observed.setdefault(id, Observations(at))
            if code is None:
                observed.add_success(user, ms=ms, at=at)
            else:
                observed.add_failure(user, Failure(code, message, at), ms=ms)
                self._has_failures = True

    def note_calls(
        self, calls: Iterable[ToolCallRecord], *, uid: str, except_for: Collection[str]
    ) -> None:
        """Note the calls of a run.

        Args:
            uid: Whose run it was.
            except_for: Ids of what has no health: tools of the client and of the platform itself.
        """
        for call in calls:
            if call.tool in except_for:
                continue
            if call.status is CallStatus.DONE:
                self.note(call.tool, uid=uid, ms=call.ms)
            elif call.status in (CallStatus.FAILED, CallStatus.UNKNOWN):
                error = call.error or {}
                self.note(
                    call.tool,
                    uid=uid,
                    ms=call.ms,
                    code=str(error.get("code")),
                    message=str(error.get("message", "")),
                    arguments=call.arguments,
                )

    def flush(self, create: Create) -> threading.Thread | None:
        """Write a sample in a thread of its own, if it is time for one."""
        with self._lock:
            wait_s = SOON_S if self._has_failures else FLUSH_S
            is_due = self._clock() - self._written_at >= wait_s
            if self._is_writing or not is_due or not (self._observed or self._unsent):
                return None
            self._is_writing, self._written_at = True, self._clock()
            if self._unsent is None:
                self._unsent = f"{collection_id(SAMPLES)}/{uuid.uuid4().hex[:20]}", self._sample()
        thread = threading.Thread(target=self._write, args=(create, *self._unsent), daemon=True)
        thread.start()
        return thread

    def _sample(self) -> dict[str, Any]:
        counts = {}
        for id in list(self._observed)[:MAX_CAPABILITIES]:
            observed = self._observed.pop(id)
            if observed.failure:
                observed.failure = observed.failure.shortened()
            counts[id] = to_builtins(observed)
        self._has_failures = any(each.failed for each in self._observed.values())
        at = datetime.fromtimestamp(self._now(), UTC)
        return {
            "schemaVersion": SCHEMA_VERSION,
            "at": at,
            "counts": json.dumps(counts, ensure_ascii=False, separators=(",", ":")),
            "expiresAt": at + KEPT,
        }

    def _write(self, create: Create, path: str, sample: dict[str, Any]) -> None:
        """Write a sample under the same id until it is stored, so that it is stored once."""
        is_stored = True
        try:
            create(path, sample)
        except Exception as error:  # nobody waits for this thread: whatever it was, try again later
            log.info("a health sample is not stored yet: %r", error)
            is_stored = False
        with self._lock:
            self._is_writing = False
            if is_stored:
                self._unsent = None


def _impersonal(message: str, arguments: Any) -> str:
    """Return a message without credentials, while these are still whole, and without the texts and
    numbers that the call was given."""
    from rollcall.core.redaction import redacted

    message = redacted(message)
    given = {text for text in _texts(arguments) if len(text) >= _LEAST_CHARS}
    for text in sorted(given, key=len, reverse=True):
        message = message.replace(text, "…")
    return message


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


_recorders: dict[str, HealthRecorder] = {}
_lock = threading.Lock()


def recorder(project: str) -> HealthRecorder:
    """Return this process's own, for one project."""
    with _lock:
        return _recorders.setdefault(project, HealthRecorder())


def forget() -> None:
    """Begin anew, with nothing gathered."""
    with _lock:
        _recorders.clear()


def by_client(db: Client) -> Create:
    """Return what creates documents by Firestore's client."""

    def create(path: str, data: dict[str, Any]) -> None:
        from google.api_core.exceptions import AlreadyExists

        try:
            db.document(path).create(data, retry=None, timeout=WRITE_S)
        except AlreadyExists:
            log.info("%s was stored before", path)

    return create


@contextmanager
def recorded(id: str, project: str, create: Create, *, uid: str, arguments: Any) -> Iterator[None]:
    """Note how a user's call ends that is made inside, with these arguments; write a sample, before
    and after it, if it is time."""
    here = recorder(project)
    here.flush(create)
    began = time.monotonic()
    code, message = None, ""
    is_noted = True
    try:
        yield
    except Exception as error:
        code = error.code if isinstance(error, AgentError) else AgentError.code
        # What is not ours may say anything, so only its kind is noted.
        message = error.message if isinstance(error, AgentError) else type(error).__name__
        raise
    except BaseException:
        is_noted = False
        raise
    finally:
        if is_noted:
            ms = round((time.monotonic() - began) * 1000)
            here.note(id, uid=uid, ms=ms, code=code, message=message, arguments=arguments)
        here.flush(create)
