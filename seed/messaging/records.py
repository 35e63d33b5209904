"""What an importer yields: records, removals, and notes and problems about the rest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

CONTENT_CHARS = 32_000
NAME_CHARS = 200
ID_CHARS = 128
_FIRST_YEAR, _LAST_YEAR = 1970, 2199

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|z|[+-]\d\d:?\d\d)?")


@dataclass(frozen=True, slots=True)
class Record:
    """One message to import, with what the source says of its conversation.

    Attributes:
        place: Where it was read, such as "line 12" or "general/2026-01-02.json #5".
        key: Its id within the conversation; None where the source gives none.
        participants: Names by user id, of those the record says are in the conversation.
        replaces: It is an edit: a message with its key read before gives way.
    """

    place: str
    conversation: str
    conversation_name: str
    sender: str
    sender_name: str
    content: str
    sent_at: datetime
    encrypted: bool = False
    key: str | None = None
    participants: dict[str, str] = field(default_factory=dict)
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Removal:
    """A message of the source that was deleted there, read before or after the message itself."""

    conversation: str
    key: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not imported as it stands, where it is, and why."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something left out or repaired on purpose, such as "channel joins"; counted, not listed."""

    what: str


Item = Record | Removal | Problem | Note


def document_id(text: str) -> str:
    """A document id that clients may send: the text itself, or its beginning with a digest."""
    if _SAFE_ID.fullmatch(text) and not text.startswith("__"):
        return text
    start = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:40].lower()
    return f"{start or 'id'}-{digest(text)[:16]}"


def digest(*parts: str) -> str:
    """A digest of some texts together, the same on every run."""
    joined = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()


def fit_text(text: str) -> Iterator[Note | str]:
    """Yield a note for each change that storing the text needs, then the text as it is stored."""
    storable = replace_surrogates(text)
    if storable != text:
        yield Note("texts with half characters replaced")
    if len(storable) > CONTENT_CHARS:
        yield Note(f"texts cut to {CONTENT_CHARS:,} characters")
    yield storable[:CONTENT_CHARS]


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def parse_moment(text: str) -> datetime:
    """Read an ISO 8601 time; without a zone it is taken for UTC.

    Raises:
        ValueError: The text is no such time.
    """
    if not _MOMENT.fullmatch(text):
        raise ValueError("no ISO 8601 time")
    read = datetime.fromisoformat(_micro(text).upper())
    if not _FIRST_YEAR <= read.year <= _LAST_YEAR:
        raise ValueError(f"outside the years {_FIRST_YEAR} to {_LAST_YEAR}")
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def _micro(text: str) -> str:
    """Cut fractions of a second to the six digits that are kept."""
    return re.sub(r"([.,]\d{6})\d+", r"\1", text)
