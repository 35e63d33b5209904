"""What this thread is at work on: which request, user, run and call; for logs and traces.

It is kept in context variables, so that threads which are started with `copy_context().run` are at
work on the same, and two requests in one process never mix. A request begins in `in_request`, a run
in `apart`; what is noted inside of these ends with them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar, copy_context
from types import MappingProxyType
from typing import Any, TypeVar

T = TypeVar("T")
Y = TypeVar("Y")
Header = Callable[[str], str | None]

_NOTED: ContextVar[Mapping[str, str]] = ContextVar("rollcall_noted", default=MappingProxyType({}))
_UID: ContextVar[str] = ContextVar("rollcall_uid", default="")

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_CLOUD_TRACE = re.compile(r"([0-9a-fA-F]{32})/([0-9]{1,20})(?:;o=([01]))?")
_NO_TRACE, _NO_SPAN = "0" * 32, "0" * 16
_DIGEST_CHARS = 16


def note(**fields: str | None) -> None:
    """Note what the thread is at work on from here on; None takes a field back."""
    _NOTED.set({key: text for key, text in {**_NOTED.get(), **fields}.items() if text is not None})


def note_user(uid: str) -> None:
    """Note whom the work is for. The id itself is known only so that it can be taken out."""
    _UID.set(uid)
    note(user=user_digest(uid))


def noted() -> Mapping[str, str]:
    """What was noted: `function`, `user`, `agent`, `thread`, `turn`, `run`, `tool`, `execution`,
    `trace`, `span`, `sampled`, as far as it is known."""
    return _NOTED.get()


def without_uid(text: str) -> str:
    """The text with the digest wherever the id of the user stands in it as a word."""
    uid = _UID.get()
    if not uid or uid not in text:
        return text
    return re.sub(rf"(?<![\w-]){re.escape(uid)}(?![\w-])", f"user:{user_digest(uid)}", text)


def user_digest(uid: str) -> str:
    """What stands for a user in logs and traces: the same in all of a project, and in no other."""
    project = os.environ.get("GCLOUD_PROJECT") or os.environ.get("GOOGLE_CLOUD_PROJECT") or ""
    return hashlib.sha256(f"{project}:{uid}".encode()).hexdigest()[:_DIGEST_CHARS]


def in_request(function: str, work: Callable[[], T], header: Header) -> T:
    """Do the work of one request to `function`; what it notes is gone when it returns.

    Args:
        header: Looks a header of the request up. `traceparent` and `X-Cloud-Trace-Context` say
            which trace it is part of, `Function-Execution-Id` what functions-framework calls it.
    """

    def begin() -> T:
        execution = header("Function-Execution-Id")
        note(function=function, execution=execution, **_trace_of(header))
        return work()

    return copy_context().run(begin)


def apart(steps: Generator[Y, None, T]) -> Generator[Y, None, T]:
    """Drive a generator in a context of its own, whoever drives this one: what it notes stays with
    it between its steps, and is seen by nobody else. Closing this closes it there, too."""
    context = copy_context()
    try:
        while True:
            try:
                item = context.run(next, steps)
            except StopIteration as end:
                result: T = end.value
                return result
            yield item
    finally:
        context.run(steps.close)


def traceparent() -> str | None:
    """The header that makes another service's work part of this trace; None without a trace."""
    here = _NOTED.get()
    if "trace" not in here or "span" not in here:
        return None
    return f"00-{here['trace']}-{here['span']}-{here.get('sampled', '00')}"


def _trace_of(header: Header) -> dict[str, Any]:
    """`trace` and `span` in hexadecimal digits and `sampled` ("01" or "00"), of the caller."""
    if found := _TRACEPARENT.fullmatch(header("traceparent") or ""):
        trace, span, flags = found.groups()
        sampled = bool(int(flags, 16) & 1)
    elif found := _CLOUD_TRACE.fullmatch(header("X-Cloud-Trace-Context") or ""):
        trace, span = found[1].lower(), f"{int(found[2]) & (2**64 - 1):016x}"
        sampled = found[3] == "1"
    else:
        return {}
    if trace == _NO_TRACE or span == _NO_SPAN:
        return {}
    return {"trace": trace, "span": span, "sampled": "01" if sampled else "00"}
