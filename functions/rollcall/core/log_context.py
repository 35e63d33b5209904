"""What a thread is working on (request, user, run and call), for logs and traces.

It is kept in context variables: threads started with `copy_context().run` share it, and two
requests in one process never mix. A request begins in `in_request`, a run in `isolated_context`;
fields that are set inside end with them."""

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


def set_fields(**fields: str | None) -> None:
    """Set fields of what the thread works on from here; None removes a field."""
    _NOTED.set({key: text for key, text in {**_NOTED.get(), **fields}.items() if text is not None})


def set_user(uid: str) -> None:
    """Set the user whom the work is for. Logs get a digest; the id is kept only to be removed."""
    _UID.set(uid)
    set_fields(user=user_digest(uid))


def log_fields() -> Mapping[str, str]:
    """Return the fields that are set, of `function`, `user`, `agent`, `thread`, `turn`, `run`,
    `tool`, `execution`, `trace`, `span` and `sampled`."""
    return _NOTED.get()


def without_uid(text: str) -> str:
    """Return a text with the user's digest in place of the user's id, where it is a word."""
    uid = _UID.get()
    if not uid or uid not in text:
        return text
    return re.sub(rf"(?<![\w-]){re.escape(uid)}(?![\w-])", f"user:{user_digest(uid)}", text)


def user_digest(uid: str) -> str:
    """Return what stands for a user in logs and traces; it differs from project to project."""
    project = os.environ.get("GCLOUD_PROJECT") or os.environ.get("GOOGLE_CLOUD_PROJECT") or ""
    return hashlib.sha256(f"{project}:{uid}".encode()).hexdigest()[:_DIGEST_CHARS]


def in_request(function: str, work: Callable[[], T], header: Header) -> T:
    """Do the work of one request to `function`; the fields it sets are gone when it returns.

    Args:
        header: Looks a header of the request up. `traceparent` and `X-Cloud-Trace-Context` say
            which trace it is part of, `Function-Execution-Id` what functions-framework calls it.
    """

    def begin() -> T:
        execution = header("Function-Execution-Id")
        set_fields(function=function, execution=execution, **_trace_of(header))
        return work()

    return copy_context().run(begin)


def isolated_context(steps: Generator[Y, None, T]) -> Generator[Y, None, T]:
    """Drive a generator in a context of its own: the fields it sets last from step to step, and
    nobody else sees them. Closing this closes the generator in that context."""
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
    """Return the header that makes another service's work part of this trace, if there is one."""
    here = _NOTED.get()
    if "trace" not in here or "span" not in here:
        return None
    return f"00-{here['trace']}-{here['span']}-{here.get('sampled', '00')}"


def _trace_of(header: Header) -> dict[str, Any]:
    """Return the caller's `trace` and `span` in hexadecimal, and `sampled` ("01" or "00")."""
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
