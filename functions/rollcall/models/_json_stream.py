"""JSON as providers and the servers that imitate them really send it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rollcall.core.messages import Json
from rollcall.models.base import Clock

DONE: dict[str, Json] = {"type": "[DONE]"}
"""What `json_events` yields for the `[DONE]` that ends some streams."""


def timely(chunks: Iterable[bytes], clock: Clock, limit_s: float) -> Iterator[bytes]:
    """The chunks, while there is time.

    Raises:
        DeadlineExceeded: There is none left.
    """
    for chunk in chunks:
        clock.left_s(at_most=limit_s)
        yield chunk


def json_events(chunks: Iterable[bytes]) -> Iterator[dict[str, Json]]:
    """Read the objects of a server-sent event stream, or of a plain JSON body.

    Servers asked to stream may answer with plain JSON, and few send the content type they
    should, so the first character decides. Comments and other fields are passed over.

    Raises:
        ValueError: Something that was sent as JSON is none. Skipping it could lose a part of a
            tool's arguments.
    """
    lines = _lines(chunks)
    pending = ""
    for line in lines:
        if line.lstrip()[:1] in ("{", "[") and not pending:
            yield from _objects(json.loads("\n".join([line, *lines])))
            return
        if line.startswith("data:"):
            pending += ("\n" if pending else "") + line[5:].strip()
            if pending == "[DONE]":
                pending = ""
                yield DONE
                continue
            value = _complete(pending)
            if value is not None:
                pending = ""
                yield from _objects(value)
        elif not line and pending:
            raise ValueError("a chunk of the stream is not JSON")
    if pending:
        raise ValueError("the last chunk of the stream is not JSON")


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Split at CR, LF and CRLF only: JSON text may hold the other line ends of Unicode."""
    buffer = b""
    for chunk in chunks:
        complete, found, rest = (buffer + chunk).rpartition(b"\n")
        buffer = rest
        for line in (complete + found).splitlines():
            yield line.decode("utf-8", "replace").lstrip("\ufeff")
    for line in buffer.splitlines():
        yield line.decode("utf-8", "replace").lstrip("\ufeff")


def _complete(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            yield each


def mapping(value: Any) -> dict[str, Json]:
    """The value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Json]:
    """The value if it is an array, otherwise an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is text; the texts of an array of parts; otherwise none."""
    if isinstance(value, list):
        return "".join(text(mapping(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """The value if it is a whole number, otherwise 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def rest_of(whole: str, sent: str) -> str:
    """What of `whole` has not been sent; nothing if it does not begin with what was."""
    return whole[len(sent) :] if whole.startswith(sent) else ""
