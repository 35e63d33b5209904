"""What a process sees of capabilities' health, gathered in memory and told now and then.

    healthSamples/{auto}   at, counts (JSON: {capability id: Seen}), expiresAt

A sample is a document of its own, so however busy a capability is, no document is. It is written
beside a request and never waited for: nothing is slower or fails for it, and what could not be told
is told with a later request. At most one is written in `FLUSH_S`, or in `SOON_S` once there were
failures.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rollcall.core.errors import AgentError
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION, CallStatus
from rollcall.registry.breaker import OWN_FAILURES
from rollcall.registry.seen import Failure, Seen, shortened, user_of

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
MESSAGE_CHARS = 160
_KEPT_CHARS = 2_000
_LEAST_CHARS = 3
"""Shorter texts are in any message."""
TOO_LITTLE_MS = 5_000
"""Being late with less time than this is no fault of the capability."""
WRITE_S = 10.0
"""What storing one may take."""

Create = Callable[[str, "dict[str, Any]"], None]
"""Stores a document at a path, unless it is there already."""

log = logging.getLogger("rollcall")


class Witness:
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
        self._told_at = clock()
        self._seen: dict[str, Seen] = {}
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
        if code is not None and not _is_own(code, ms):
            return
        at, user = self._now(), user_of(uid, id)
        if code is not None:
            message = _impersonal(_clean(message[:_KEPT_CHARS]), arguments)
        with self._lock:
            seen = self._seen.setdefault(id, Seen(at))
            if code is None:
                seen.done(user, ms=ms, at=at)
            else:
                seen.went_wrong(user, Failure(code, message, at), ms=ms)
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
                code, message = str(error.get("code")), str(error.get("message", ""))
                self.note(
                    call.tool,
                    uid=uid,
                    ms=call.ms,
                    code=code,
                    message=message,
                    arguments=call.arguments,
                )

    def tell(self, create: Create) -> threading.Thread | None:
        """Write a sample in a thread of its own, if it is time for one."""
        with self._lock:
            wait_s = SOON_S if self._has_failures else FLUSH_S
            is_due = self._clock() - self._told_at >= wait_s
            if self._is_writing or not is_due or not (self._seen or self._unsent):
                return None
            self._is_writing, self._told_at = True, self._clock()
            if self._unsent is None:
                self._unsent = f"{collection_id(SAMPLES)}/{uuid.uuid4().hex[:20]}", self._sample()
        thread = threading.Thread(target=self._write, args=(create, *self._unsent), daemon=True)
        thread.start()
        return thread

    def _sample(self) -> dict[str, Any]:
        ids = list(self._seen)[:MAX_CAPABILITIES]
        counts = {id: _to_tell(self._seen.pop(id)).document() for id in ids}
        self._has_failures = any(each.failed for each in self._seen.values())
        at = datetime.fromtimestamp(self._now(), UTC)
        return {
            "schemaVersion": SCHEMA_VERSION,
            "at": at,
            "counts": json.dumps(counts, ensure_ascii=False, separators=(",", ":")),
            "expiresAt": at + KEPT,
        }

    def _write(self, create: Create, path: str, sample: dict[str, Any]) -> None:
        """Under the same id until it is stored, so that it is stored once."""
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


def _to_tell(seen: Seen) -> Seen:
    """The same with its error's message cleaned and cut, which is not worth doing for each."""
    if seen.failure is None:
        return seen
    from rollcall.core.redaction import redacted

    failure = replace(seen.failure, message=redacted(seen.failure.message))
    return replace(seen, failure=shortened(failure, MESSAGE_CHARS))


def _clean(message: str) -> str:
    """A message without credentials, while these are still whole."""
    from rollcall.core.redaction import redacted

    return redacted(message)


def _impersonal(message: str, arguments: Any) -> str:
    """A message without the texts and numbers that the call was given."""
    given = {text for text in _texts(arguments) if len(text) >= _LEAST_CHARS}
    for text in sorted(given, key=len, reverse=True):
        message = message.replace(text, "…")
    return message


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def _is_own(code: str, ms: int) -> bool:
    return code in OWN_FAILURES and not (code == "deadline-exceeded" and ms < TOO_LITTLE_MS)


_witnesses: dict[str, Witness] = {}
_lock = threading.Lock()


def witness(project: str) -> Witness:
    """This process's own, for one project."""
    with _lock:
        return _witnesses.setdefault(project, Witness())


def forget() -> None:
    """Begin anew, with nothing gathered."""
    with _lock:
        _witnesses.clear()


def by_client(db: Client) -> Create:
    """Create documents by Firestore's client."""

    def create(path: str, data: dict[str, Any]) -> None:
        from google.api_core.exceptions import AlreadyExists

        try:
            db.document(path).create(data, retry=None, timeout=WRITE_S)
        except AlreadyExists:
            log.info("%s was stored before", path)

    return create


@contextmanager
def watched(id: str, project: str, create: Create, *, uid: str, arguments: Any) -> Iterator[None]:
    """Note how a user's call ends that is made inside, with these arguments; tell, before and
    after it, if it is time."""
    seeing = witness(project)
    seeing.tell(create)
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        code, message = _told(error)
        took = _since(began)
        seeing.note(id, uid=uid, ms=took, code=code, message=message, arguments=arguments)
        raise
    else:
        seeing.note(id, uid=uid, ms=_since(began))
    finally:
        seeing.tell(create)


def _told(error: Exception) -> tuple[str, str]:
    """Code and message of an error; what is not ours may say anything, so only its kind is told."""
    if isinstance(error, AgentError):
        return error.code, error.message
    return AgentError.code, type(error).__name__


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
