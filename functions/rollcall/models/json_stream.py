"""JSON as providers and the servers that imitate them really send it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rollcall.core.messages import Json

DONE: dict[str, Json] = {"type": "[DONE]"}
"""What `json_events` yields for the `[DONE]` that ends some streams."""
LINE_BYTES = 2_000_000
"""The longest line of a stream, and the longest event over several lines; a reply has less."""
PLAIN_BYTES = 8_000_000
"""The longest JSON body that is no stream."""


def json_events(chunks: Iterable[bytes]) -> Iterator[dict[str, Json]]:
    """Read the objects of a server-sent event stream, or of a plain JSON body.

    Servers asked to stream may answer with plain JSON, and few send the content type they
    should, so the first character decides. Comments and other fields are passed over.

    Raises:
        ValueError: Something that was sent as JSON is none (skipping it could lose a part of a
            tool's arguments), or is longer than `LINE_BYTES` or `PLAIN_BYTES`.
    """
    lines = _lines(chunks)
    pending: list[str] = []
    size = 0
    for line in lines:
        if line.lstrip()[:1] in ("{", "[") and not pending:
            yield from _objects(json.loads(_whole(line, lines)))
            return
        if line.startswith("data:"):
            data = line[5:].strip()
            size += len(data) + 1
            if size > LINE_BYTES:
                raise ValueError("an event of the stream is too long")
            value = parsed(data, ...) if not pending else ...
            if data == "[DONE]" and not pending:
                yield DONE
            elif value is not ...:
                yield from _objects(value)
            else:
                pending.append(data)
                continue
        elif not line and any(pending):
            yield from _objects(json.loads("\n".join(pending)))
        elif line:
            continue
        pending, size = [], 0
    if any(pending):
        yield from _objects(json.loads("\n".join(pending)))


def _whole(first: str, lines: Iterator[str]) -> str:
    """A JSON body that began with the line `first`."""
    body, size = [first], len(first)
    for line in lines:
        body.append(line)
        size += len(line) + 1
        if size > PLAIN_BYTES:
            raise ValueError("the answer is too long")
    return "\n".join(body)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Split at CR, LF and CRLF only: JSON text may hold the other line ends of Unicode."""
    buffer = b""
    for chunk in chunks:
        complete, found, rest = (buffer + chunk).rpartition(b"\n")
        buffer = rest
        if len(buffer) > LINE_BYTES or (found and len(complete) > 2 * LINE_BYTES):
            raise ValueError("a line of the stream is too long")
        for line in (complete + found).splitlines():
            yield line.decode("utf-8", "replace").lstrip("\ufeff")
    for line in buffer.splitlines():
        yield line.decode("utf-8", "replace").lstrip("\ufeff")


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            yield each


def parsed(text: str | bytes, default: Json = None) -> Json:
    """The value of a JSON text; the default if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return default


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
