"""Health recorder: gathers the calls of a process and writes samples for `health`.

    healthSamples/{auto}   at, calls (JSON: the fields of each `ObservedCall`), expiresAt

Each sample is its own document, so a busy capability makes no document contended. Samples are
written in parallel to requests, which never wait or fail for them, at most one in `FLUSH_S`; a
failed write is retried with a later request.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct, json

from rollcall.core.errors import AgentError
from rollcall.core.options import collection_id
from rollcall.core.redaction import redacted
from rollcall.core.shapes import SCHEMA_VERSION, CallStatus

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.wire import ToolCallRecord

OWN_FAILURES = frozenset({"unavailable", "internal", "deadline-exceeded", "unknown"})
"""Codes of failures that are the capability's own. Others are errors in a request."""

SAMPLES = "healthSamples"
FLUSH_S = 20.0
MAX_CALLS = 2_000
"""How many of its newest calls a process holds, and writes in one sample."""
MESSAGE_CHARS = 160
TOO_LITTLE_MS = 5_000
"""A capability that had less time than this is not at fault for exceeding its deadline."""

Write = Callable[[str, "dict[str, Any]"], object]
"""Stores a document at a path."""

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


def short_message(message: str, arguments: Any = None) -> str:
    """Return the beginning of an error's message, without credentials and texts of arguments."""
    text = redacted(message[:2_000])  # while credentials are whole
    texts = {each for each in _texts(arguments) if len(each) > 2}  # shorter ones are in any text
    for each in sorted(texts, key=len, reverse=True):
        text = text.replace(each, "…")
    return text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - 1] + "…"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


class HealthRecorder:
    """The calls that one process observed. Safe to use from any thread.

    Args:
        now: The clock, in seconds since 1970.
    Attributes:
        calls: The calls that are in no sample yet.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.calls: deque[ObservedCall] = deque(maxlen=MAX_CALLS)
        self._now = now
        self._lock = threading.Lock()
        self._written_at = now()
        self._unsent: tuple[str, dict[str, Any]] | None = None
        self._writer: threading.Thread | None = None

    def note(
        self, id: str, *, uid: str, ms: int, error: Mapping[str, Any] | None, arguments: Any
    ) -> None:
        """Record how one call ended.

        Args:
            uid: The user whose call it was.
            error: `code` and `message` of its error; None if it returned a result.
            arguments: Its arguments; they are the user's data, so the message is stored without
                them.
        """
        code, text = None, ""
        if error is not None:
            code, text = error.get("code"), short_message(error.get("message", ""), arguments)
            is_late = code == "deadline-exceeded" and ms < TOO_LITTLE_MS
            if code not in OWN_FAILURES or is_late:
                return
        user = hashlib.sha256(f"{id}/{uid}".encode()).hexdigest()[:8]
        with self._lock:
            self.calls.append(ObservedCall(id, user, round(self._now()), ms, code, text))

    def note_calls(
        self, calls: Iterable[ToolCallRecord], *, uid: str, except_for: Collection[str]
    ) -> None:
        """Record the calls of a run.

        Args:
            uid: The user whose run it was.
            except_for: Ids of tools without health: those of the client and of the platform.
        """
        for call in calls:
            has_failed = call.status in (CallStatus.FAILED, CallStatus.UNKNOWN)
            if call.tool not in except_for and (has_failed or call.status is CallStatus.DONE):
                error = call.error or {} if has_failed else None
                self.note(call.tool, uid=uid, ms=call.ms, error=error, arguments=call.arguments)

    def flush(self, write: Write) -> threading.Thread | None:
        """Write a sample in another thread, if one is due."""
        with self._lock:
            # Between requests an instance gets no CPU, so a write may still be waiting for its
            # answer: the sample again would count twice if it was stored and folded since.
            is_busy = self._writer is not None and self._writer.is_alive()
            is_due = self._now() - self._written_at >= FLUSH_S
            if is_busy or not is_due or not (self.calls or self._unsent):
                return None
            self._written_at = self._now()
            if self._unsent is None:
                self._unsent = f"{collection_id(SAMPLES)}/{uuid.uuid4().hex[:20]}", self.sample()
            arguments = (write, *self._unsent)
            self._writer = threading.Thread(target=self._write, args=arguments, daemon=True)
            self._writer.start()
            return self._writer

    def sample(self) -> dict[str, Any]:
        """Return the gathered calls as a document, and forget them."""
        at = datetime.fromtimestamp(self._now(), UTC)
        expires_at = at + timedelta(days=1)
        calls = json.encode(list(self.calls)).decode()
        self.calls.clear()
        return {"schemaVersion": SCHEMA_VERSION, "at": at, "expiresAt": expires_at, "calls": calls}

    def _write(self, write: Write, path: str, sample: dict[str, Any]) -> None:
        """Write a sample, under the same id until it is stored, so that it is stored once."""
        try:
            write(path, sample)
            self._unsent = None
        except Exception as error:  # of any kind: nothing waits for this thread, so retry later
            log.info("a health sample is not stored yet: %r", error)


@cache
def recorder(project: str) -> HealthRecorder:
    """Return this process's recorder for a project."""
    return HealthRecorder()


def by_client(db: Client) -> Write:
    """Return a function that writes documents with Firestore's client."""
    return lambda path, data: db.document(path).set(data, retry=None, timeout=10.0)


@contextmanager
def observation(id: str, project: str, write: Write, *, uid: str, arguments: Any) -> Iterator[None]:
    """Record how a user's call inside this context ends, and write a sample before and after it if
    one is due."""
    here, began = recorder(project), time.monotonic()
    here.flush(write)

    def note(error: Mapping[str, Any] | None) -> None:
        ms = round((time.monotonic() - began) * 1000)
        here.note(id, uid=uid, ms=ms, error=error, arguments=arguments)

    try:
        yield
    except AgentError as error:
        note({"code": error.code, "message": error.message})
        raise
    except Exception as error:  # its message may hold anything, so only its class is recorded
        note({"code": AgentError.code, "message": type(error).__name__})
        raise
    else:
        note(None)
    finally:
        here.flush(write)
