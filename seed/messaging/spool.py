"""Sorts records into conversations on disk, so that memory stays bounded.

Interleaved conversations and edits that come after what they change are why an importer cannot
simply write as it reads. The file is private to the process and goes when it closes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from packs.messaging.chat import ChatMessage
from seed.messaging.records import Note, Problem, Record, Removal, digest, document_id

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_CACHE_KB = 48_000
_TABLES = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, number INTEGER, name TEXT) WITHOUT ROWID;
CREATE TABLE participants (conversation TEXT, uid TEXT, name TEXT,
    PRIMARY KEY (conversation, uid)) WITHOUT ROWID;
CREATE TABLE repeats (conversation TEXT, key TEXT, times INTEGER,
    PRIMARY KEY (conversation, key)) WITHOUT ROWID;
CREATE TABLE removals (conversation TEXT, key TEXT,
    PRIMARY KEY (conversation, key)) WITHOUT ROWID;
CREATE TABLE messages (conversation TEXT, key TEXT, sent_us INTEGER, number INTEGER, place TEXT,
    sender TEXT, sender_name TEXT, content TEXT, encrypted INTEGER,
    PRIMARY KEY (conversation, key));
"""


@dataclass(frozen=True, slots=True)
class SpooledConversation:
    """A conversation of the spool, without its messages."""

    id: str
    name: str
    participants: dict[str, str]
    messages: int
    started_at: datetime


class Spool:
    """Records on disk, by conversation and time. Use it as a context manager."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="rollcall-import-")
        path = Path(self._folder.name) / "spool.sqlite"
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        self._db.executescript(_TABLES)
        self._db.execute("BEGIN")
        self._number = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()
        self._folder.cleanup()

    def add(self, record: Record) -> Problem | Note | None:
        """Add a record; return a note or problem if its key is there already."""
        self._number += 1
        conversation = document_id(record.conversation)
        if record.key is not None:
            before = self._with_key(conversation, record.key)
            if before and not record.replaces:
                return _repetition(record, before)
        self._describe(conversation, record)
        row = (
            conversation,
            record.key or self._derived_key(conversation, record),
            (record.sent_at - _EPOCH) // _MICROSECOND,
            self._number,
            record.place,
            record.sender,
            record.sender_name,
            record.content,
            record.encrypted,
        )
        self._db.execute("INSERT OR REPLACE INTO messages VALUES (?,?,?,?,?,?,?,?,?)", row)
        return None

    def remove(self, removal: Removal) -> None:
        """Leave out a message, whether it was added already or comes later."""
        place = (document_id(removal.conversation), removal.key)
        self._db.execute("INSERT OR IGNORE INTO removals VALUES (?,?)", place)

    def count(self) -> int:
        """How many messages are to be written, now that all has been read."""
        self._db.execute(
            "DELETE FROM messages WHERE (conversation, key) IN "
            "(SELECT conversation, key FROM removals)"
        )
        found: int = self._db.execute("SELECT count(*) FROM messages").fetchone()[0]
        return found

    def conversations(self) -> Iterator[SpooledConversation]:
        """The conversations that have messages, in the order in which they first came."""
        rows = self._db.execute("SELECT id, name FROM conversations ORDER BY number").fetchall()
        for id, name in rows:
            count, first_us = self._db.execute(
                "SELECT count(*), min(sent_us) FROM messages WHERE conversation = ?", (id,)
            ).fetchone()
            people = self._db.execute(
                "SELECT uid, name FROM participants WHERE conversation = ?", (id,)
            )
            if count:
                started = _EPOCH + timedelta(microseconds=first_us)
                yield SpooledConversation(id, name, dict(people), count, started)

    def messages(self, conversation: str) -> Iterator[ChatMessage]:
        """A conversation's messages, oldest first; those of one moment as they were read.

        Times are moved on by microseconds where needed, because Firestore has no other order.
        """
        rows = self._db.execute(
            "SELECT key, sent_us, sender, sender_name, content, encrypted FROM messages "
            "WHERE conversation = ? ORDER BY sent_us, number",
            (conversation,),
        )
        last_us: int | None = None
        for key, sent_us, sender, sender_name, content, encrypted in rows:
            last_us = sent_us if last_us is None else max(sent_us, last_us + 1)
            yield ChatMessage(
                id=f"{conversation}.{document_id(key)}",
                sender_id=sender,
                sender_name=sender_name,
                text=content,
                sent_at=_EPOCH + timedelta(microseconds=last_us),
                encrypted=bool(encrypted),
            )

    def _with_key(self, conversation: str, key: str) -> tuple[str, str, str, int] | None:
        found: tuple[str, str, str, int] | None = self._db.execute(
            "SELECT place, sender, content, sent_us FROM messages "
            "WHERE conversation = ? AND key = ?",
            (conversation, key),
        ).fetchone()
        return found

    def _derived_key(self, conversation: str, record: Record) -> str:
        """An id made of what was said; the same words at the same moment count up."""
        key = digest(record.sender, record.sent_at.isoformat(), record.content)[:20]
        times: int = self._db.execute(
            "INSERT INTO repeats VALUES (?,?,1) "
            "ON CONFLICT DO UPDATE SET times = times + 1 RETURNING times",
            (conversation, key),
        ).fetchone()[0]
        return key if times == 1 else f"{key}-{times}"

    def _describe(self, conversation: str, record: Record) -> None:
        self._db.execute(
            "INSERT INTO conversations VALUES (?,?,?) "
            "ON CONFLICT DO UPDATE SET name = excluded.name",
            (conversation, self._number, record.conversation_name),
        )
        people = {**record.participants, record.sender: record.sender_name}
        self._db.executemany(
            "INSERT INTO participants VALUES (?,?,?) ON CONFLICT DO UPDATE "
            "SET name = excluded.name WHERE excluded.name != ''",
            [(conversation, uid, name) for uid, name in people.items()],
        )


def _repetition(record: Record, before: tuple[str, str, str, int]) -> Problem | Note:
    place, *same = before
    sent_us = (record.sent_at - _EPOCH) // _MICROSECOND
    if same == [record.sender, record.content, sent_us]:
        return Note("repeated lines")
    return Problem(record.place, f"id {record.key!r} was used before, at {place}")
