"""Reads conversations from JSON Lines: one message a line, conversations in any order.

The format is described in docs/import.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from seed.errors import UnusableInput
from seed.messaging.records import (
    ID_CHARS,
    NAME_CHARS,
    Item,
    Note,
    Problem,
    Record,
    fit_text,
    parse_moment,
    replace_surrogates,
)

LINE_BYTES = 1_000_000
"""A longer line is reported and passed over without being held in memory."""

_REQUIRED = ("conversationId", "conversationName", "senderId", "senderName", "content", "timestamp")
_PARTICIPANTS = 1_000

Read = Callable[[int], None]


def read_jsonl(path: Path, *, on_read: Read = lambda count: None) -> Iterator[Item]:
    """Read a file line by line; `on_read` is told how many bytes each took.

    Raises:
        UnusableInput: There is no such file, or it is no JSON Lines file at all.
    """
    try:
        with path.open("rb") as file:
            _refuse_other_encodings(file)
            for number, line in _lines(file):
                on_read(len(line))
                yield from _read_line(f"line {number}", line)
    except OSError as error:
        raise UnusableInput(f"{path} cannot be read: {error.strerror}") from error


def _refuse_other_encodings(file: BinaryIO) -> None:
    start = file.read(4)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnusableInput("the file is UTF-16; save it as UTF-8")
    if start.startswith(b"PK\x03\x04"):
        raise UnusableInput("the file is a zip; for a Slack export name --format slack")
    file.seek(3 if start.startswith(b"\xef\xbb\xbf") else 0)


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines by number, each cut to just over the longest allowed."""
    number = 0
    while line := file.readline(LINE_BYTES + 1):
        number += 1
        yield number, line
        while len(line) > LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(LINE_BYTES)
            if not line:
                return


def _read_line(place: str, line: bytes) -> Iterator[Item]:
    if not line.strip():
        return
    if len(line) > LINE_BYTES:
        yield Problem(place, f"longer than {LINE_BYTES:,} bytes")
        return
    try:
        data = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        yield Problem(place, f"not UTF-8 at byte {error.start + 1}")
    except RecursionError:
        yield Problem(place, "nested too deep")
    except ValueError as error:
        yield Problem(place, f"not JSON: {error}")
    else:
        yield from _read_object(place, data)


def _read_object(place: str, data: Any) -> Iterator[Item]:
    if not isinstance(data, dict):
        yield Problem(place, f"has to be a JSON object, not {_type_name(data)}")
        return
    reason = next(_problems(data), None)
    if reason:
        yield Problem(place, reason)
        return
    *notes, content = fit_text(data["content"])
    yield from (note for note in notes if isinstance(note, Note))
    yield Record(
        place=place,
        conversation=data["conversationId"],
        conversation_name=replace_surrogates(data["conversationName"]),
        sender=data["senderId"],
        sender_name=replace_surrogates(data["senderName"]),
        content=str(content),
        sent_at=parse_moment(data["timestamp"]),
        encrypted=data.get("encrypted") or False,
        key=data.get("id"),
        participants=dict.fromkeys(data.get("participantIds") or (), ""),
    )


def _problems(data: dict[str, Any]) -> Iterator[str]:
    missing = [name for name in _REQUIRED if data.get(name) is None]
    if missing:
        yield f"{', '.join(missing)} missing"
        return
    for name in ("conversationId", "senderId", "id"):
        yield from _id_problems(name, data.get(name))
    for name, longest in (
        ("conversationName", NAME_CHARS),
        ("senderName", NAME_CHARS),
        ("content", LINE_BYTES),
    ):
        yield from _text_problems(name, data[name], longest=longest)
    yield from _time_problems(data["timestamp"])
    if not isinstance(data.get("encrypted"), bool | None):
        yield f"encrypted has to be true or false, not {_type_name(data['encrypted'])}"
    yield from _participant_problems(data.get("participantIds"))


def _id_problems(name: str, value: Any) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(value, str):
        yield f"{name} has to be text, not {_type_name(value)}"
    elif not value.strip() or len(value) > ID_CHARS:
        yield f"{name} has to have 1 to {ID_CHARS} characters, not {len(value):,}"
    elif replace_surrogates(value) != value or not value.isprintable():
        yield f"{name} has characters that an id cannot have"


def _text_problems(name: str, value: Any, *, longest: int) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{name} has to be text, not {_type_name(value)}"
    elif not value.strip() and name != "content":  # transcripts and exports have empty messages
        yield f"{name} is empty"
    elif len(value) > longest:
        yield f"{name} has {len(value):,} characters; at most {longest:,} are kept"


def _time_problems(value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"timestamp has to be text in ISO 8601, not {_type_name(value)}"
        return
    try:
        parse_moment(value)
    except ValueError as error:
        yield f"timestamp {value[:40]!r} is no time in ISO 8601: {error}"


def _participant_problems(value: Any) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(value, list) or len(value) > _PARTICIPANTS:
        yield f"participantIds has to be a list of at most {_PARTICIPANTS:,} ids"
        return
    for item in value:
        if item is None:
            yield "participantIds holds null"
        yield from _id_problems("participantIds", item)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _type_name(value: Any) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "null")
