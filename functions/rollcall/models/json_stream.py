"""Lenient reading of JSON and event streams, as providers and compatible servers really send
them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rollcall.core.messages import Json

DONE: dict[str, Json] = {"type": "[DONE]"}
"""The event that `json_events` yields for `[DONE]`, which ends some streams."""
LINE_BYTES = 2_000_000
"""The longest line of a stream, and the longest event over several lines; real ones are shorter."""
PLAIN_BYTES = 8_000_000
"""The longest JSON body that is not a stream."""


def json_events(chunks: Iterable[bytes]) -> Iterator[dict[str, Json]]:
    """Read the objects of a server-sent event stream, or of a plain JSON body.

    A server may answer a streaming request with plain JSON, and few send the right content type, so
    the first character decides. Comments and other fields are ignored.

    Raises:
        ValueError: Data is not valid JSON (skipping it could lose a part of a tool's arguments), or
            is longer than `LINE_BYTES` or `PLAIN_BYTES`.
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
            value = parse_json(data, ...) if not pending else ...
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
    """Return the JSON body that began with the line `first`."""
    body, size = [first], len(first)
    for line in lines:
        body.append(line)
        size += len(line) + 1
        if size > PLAIN_BYTES:
            raise ValueError("the answer is too long")
    return "\n".join(body)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Split at CR, LF and CRLF only, since JSON text may contain Unicode's other line breaks."""
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


def parse_json(text: str | bytes, default: Json = None) -> Json:
    """Return the value of a JSON text; the default if it is not valid JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return default


def mapping(value: Any) -> dict[str, Json]:
    """Return a value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Json]:
    """Return a value if it is an array, otherwise an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """Return a value if it is text, the joined texts of an array of parts, or otherwise ""."""
    if isinstance(value, list):
        return "".join(text(mapping(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """Return a value if it is an integer, otherwise 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def rest_of(whole: str, sent: str) -> str:
    """Return the part of `whole` after `sent`; "" if it does not begin with it."""
    return whole[len(sent) :] if whole.startswith(sent) else ""
