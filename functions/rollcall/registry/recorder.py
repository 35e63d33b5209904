"""Health recorder: gathers the calls of a process and writes samples for `health`.

    healthSamples/{auto}   at, calls (JSON: the fields of each `ObservedCall`), expiresAt

Each sample is its own document, so a busy capability makes no document contended. Samples are
written in parallel to requests, which never wait or fail for them; a failed write is retried with a
later request. At most one is written in `FLUSH_S`, or in `SOON_S` after failures.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, json

from rollcall.core.errors import AgentError
from rollcall.core.options import collection_id
from rollcall.core.redaction import redacted
from rollcall.core.shapes import SCHEMA_VERSION, CallStatus
from rollcall.registry.breaker import OWN_FAILURES

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.wire import ToolCallRecord

SAMPLES = "healthSamples"
FLUSH_S = 20.0
SOON_S = 5.0
KEPT = timedelta(days=1)
"""How long a sample is stored if it is not folded."""
MAX_CALLS = 2_000
"""How many of its newest calls a process holds, and writes in one sample."""
MESSAGE_CHARS = 160
_READ_CHARS = 2_000
_MIN_CHARS = 3
"""Shorter arguments are not removed from messages: any message may contain them."""
TOO_LITTLE_MS = 5_000
"""A capability that had less time than this is not at fault for exceeding its deadline."""
WRITE_S = 10.0
"""The timeout for storing a sample."""
_DIGEST_CHARS = 8

Create = Callable[[str, "dict[str, Any]"], None]
"""Stores a document at a path, unless it exists."""

log = logging.getLogger("rollcall")


class ObservedCall(Struct, frozen=True, array_like=True, omit_defaults=True):
    """How one call of a capability ended.

    Attributes:
        id: The capability's.
        user: A digest of its id and the user's: the same in all processes, but different for each
            capability, so that one user's calls of several cannot be linked.
        at: When it ended, whole seconds since 1970.
        code: Its error's code; None if it returned a result.
    """

    id: str
    user: str
    at: float
    ms: int
    code: str | None = None
    message: str = ""


def short_message(message: str) -> str:
    """Return an error's message, shortened and without credentials."""
    text = redacted(message)
    return text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - 1] + "…"


class HealthRecorder:
    """The calls that one process observed. Safe to use from any thread.

    Args:
        now: The clock, in seconds since 1970.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._calls: deque[ObservedCall] = deque(maxlen=MAX_CALLS)
        self._written_at = now()
        self._unsent: tuple[str, dict[str, Any]] | None = None
        self._is_writing = False

    @property
    def calls(self) -> list[ObservedCall]:
        """The calls that are in no sample yet."""
        return list(self._calls)

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
        """Record how one call ended.

        Args:
            uid: The user whose call it was.
            code: Its error's code; None if it returned a result.
            arguments: Its arguments; they are the user's data, so the message is stored without
                them.
        """
        is_late = code == "deadline-exceeded" and ms < TOO_LITTLE_MS
        if code is not None and (code not in OWN_FAILURES or is_late):
            return
        user = hashlib.sha256(f"{id}/{uid}".encode()).hexdigest()[:_DIGEST_CHARS]
        text = ""
        if code:
            # Credentials are removed while they are still whole, then the arguments.
            text = redacted(message[:_READ_CHARS])
            texts = {each for each in _texts(arguments) if len(each) >= _MIN_CHARS}
            for each in sorted(texts, key=len, reverse=True):
                text = text.replace(each, "…")
            text = short_message(text)
        with self._lock:
            self._calls.append(ObservedCall(id, user, round(self._now()), ms, code, text))

    def note_calls(
        self, calls: Iterable[ToolCallRecord], *, uid: str, except_for: Collection[str]
    ) -> None:
        """Record the calls of a run.

        Args:
            uid: The user whose run it was.
            except_for: Ids of tools without health: those of the client and of the platform.
        """
        for call in calls:
            is_done = call.status is CallStatus.DONE
            has_failed = call.status in (CallStatus.FAILED, CallStatus.UNKNOWN)
            if call.tool not in except_for and (is_done or has_failed):
                error = call.error or {}
                self.note(
                    call.tool,
                    uid=uid,
                    ms=call.ms,
                    code=None if is_done else str(error.get("code")),
                    message=str(error.get("message", "")),
                    arguments=call.arguments,
                )

    def flush(self, create: Create) -> threading.Thread | None:
        """Write a sample in another thread, if one is due."""
        with self._lock:
            wait_s = SOON_S if any(call.code for call in self._calls) else FLUSH_S
            is_due = self._now() - self._written_at >= wait_s
            if self._is_writing or not is_due or not (self._calls or self._unsent):
                return None
            self._is_writing, self._written_at = True, self._now()
            if self._unsent is None:
                self._unsent = f"{collection_id(SAMPLES)}/{uuid.uuid4().hex[:20]}", self.sample()
        thread = threading.Thread(target=self._write, args=(create, *self._unsent), daemon=True)
        thread.start()
        return thread

    def sample(self) -> dict[str, Any]:
        """Return the gathered calls as a document, and forget them."""
        at = datetime.fromtimestamp(self._now(), UTC)
        calls = json.encode(self.calls).decode()
        self._calls.clear()
        fields = {"schemaVersion": SCHEMA_VERSION, "at": at, "expiresAt": at + KEPT}
        return {**fields, "calls": calls}

    def _write(self, create: Create, path: str, sample: dict[str, Any]) -> None:
        """Write a sample under the same id until it is stored, so that it is stored once."""
        unsent: tuple[str, dict[str, Any]] | None = None
        try:
            create(path, sample)
        except Exception as error:  # of any kind: nothing waits for this thread, so retry later
            log.info("a health sample is not stored yet: %r", error)
            unsent = path, sample
        with self._lock:
            self._is_writing, self._unsent = False, unsent


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


_recorders: dict[str, HealthRecorder] = {}
_lock = threading.Lock()


def recorder(project: str) -> HealthRecorder:
    """Return this process's recorder for a project."""
    with _lock:
        return _recorders.setdefault(project, HealthRecorder())


def forget() -> None:
    """Forget all gathered calls."""
    with _lock:
        _recorders.clear()


def by_client(db: Client) -> Create:
    """Return a function that creates documents with Firestore's client."""

    def create(path: str, data: dict[str, Any]) -> None:
        from google.api_core.exceptions import AlreadyExists

        try:
            db.document(path).create(data, retry=None, timeout=WRITE_S)
        except AlreadyExists:
            log.info("%s was stored before", path)

    return create


@contextmanager
def observation(
    id: str, project: str, create: Create, *, uid: str, arguments: Any
) -> Iterator[None]:
    """Record how a user's call inside this context ends, and write a sample before and after it if
    one is due."""
    here, began = recorder(project), time.monotonic()
    here.flush(create)

    def note(code: str | None = None, message: str = "") -> None:
        ms = round((time.monotonic() - began) * 1000)
        here.note(id, uid=uid, ms=ms, code=code, message=message, arguments=arguments)

    try:
        yield
    except AgentError as error:
        note(error.code, error.message)
        raise
    except Exception as error:  # its message may hold anything, so only its class is recorded
        note(AgentError.code, type(error).__name__)
        raise
    else:
        note()
    finally:
        here.flush(create)
