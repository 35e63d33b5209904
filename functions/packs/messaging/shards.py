"""A conversation's word index in Firestore: `messageIndex/{conversation}~{number}`.

The shards are also the ledger of which messages have been counted: a message is in one of them
exactly when the conversation's counters include it, since both change in one commit. Encrypted
messages stand there by id alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import INDEX, strings
from packs.messaging.index import Shard, append, decode, encode, new_shard, remove

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot
    from google.cloud.firestore_v1.types import WriteResult

MOST_ENCRYPTED = 400
"""Encrypted messages that one shard lists."""


@dataclass(slots=True)
class _Open:
    """A shard being worked on. `version` is the update time it was read at, None for a new one."""

    shard: Shard
    encrypted: set[str]
    version: Any = None
    changed: bool = False

    def holds(self, message_id: str) -> bool:
        return message_id in self.encrypted or any(
            entry.message_id == message_id for entry in self.shard.entries
        )

    @property
    def is_full(self) -> bool:
        return self.shard.is_full or len(self.encrypted) >= MOST_ENCRYPTED


class ShardLedger:
    """The shards of one conversation, changed in memory and written with preconditions.

    Every writer of a conversation changes its last shard, so a commit that holds `write`'s
    writes fails whenever somebody else was faster; then start again with a new ledger.
    """

    def __init__(self, db: Client, conversation_id: str) -> None:
        self._db = db
        self._conversation_id = conversation_id
        self._open: dict[int, _Open] = {}
        self._last: int | None = None
        self._written: list[tuple[int, int]] = []

    def place_of(self, message_id: str, *, hint: int | None) -> int | None:
        """The number of the shard that holds a message, if the hinted one or an open one does."""
        if hint is not None:
            self._load(hint)
        for number, item in self._open.items():
            if item.holds(message_id):
                return number
        return None

    def put(self, message: ChatMessage, *, place: int | None) -> int:
        """Add a message to the last shard, or replace it where it is; return the number."""
        number = self._number_with_room() if place is None else place
        item = self._open[number]
        item.shard = append(item.shard, message)
        item.encrypted.discard(message.id)
        if message.encrypted:
            item.encrypted.add(message.id)
        item.changed = True
        return number

    def drop(self, message_id: str, *, place: int) -> bool:
        """Take a message out of a shard; return whether it was encrypted."""
        item = self._open[place]
        was_encrypted = message_id in item.encrypted
        item.shard = remove(item.shard, message_id)
        item.encrypted.discard(message_id)
        item.changed = True
        return was_encrypted

    def is_encrypted(self, message_id: str, *, place: int) -> bool:
        """Whether the ledger knows the message as an encrypted one."""
        return message_id in self._open[place].encrypted

    def write(self, batch: WriteBatch) -> None:
        """Add all changes to a batch."""
        self._written = []
        for number, item in self._open.items():
            if not item.changed:
                continue
            self._written.append((number, len(batch)))
            reference, document = self._reference(number), _document(item)
            if item.version is None:
                batch.create(reference, document)
            else:
                unchanged = self._db.write_option(last_update_time=item.version)
                batch.update(reference, document, option=unchanged)

    def committed(self, results: Sequence[WriteResult]) -> None:
        """Go on after a commit: only the last shard stays in memory."""
        for number, position in self._written:
            item = self._open[number]
            item.version, item.changed = results[position].update_time, False
        self._written = []
        kept = max(self._open, default=None)
        self._open = {number: item for number, item in self._open.items() if number == kept}

    def _number_with_room(self) -> int:
        if self._last is None:
            self._last = self._load_last()
        if self._open[self._last].is_full:
            self._last += 1
            self._open[self._last] = _Open(
                new_shard(self._conversation_id, number=self._last), set()
            )
        return self._last

    def _load(self, number: int) -> None:
        if number not in self._open:
            snapshot = self._reference(number).get()
            if snapshot.exists:
                self._open[number] = _read(snapshot)

    def _load_last(self) -> int:
        from google.cloud.firestore import FieldFilter

        here = FieldFilter("conversationId", "==", self._conversation_id)
        newest = self._db.collection(INDEX).where(filter=here)
        for snapshot in newest.order_by("number", direction="DESCENDING").limit(1).stream():
            number = int(snapshot.get("number"))
            self._open.setdefault(number, _read(snapshot))
            return number
        self._open[0] = _Open(new_shard(self._conversation_id), set())
        return 0

    def _reference(self, number: int) -> Any:
        return self._db.collection(INDEX).document(f"{self._conversation_id}~{number}")


def _document(item: _Open) -> dict[str, Any]:
    entries = item.shard.entries
    return {
        **encode(item.shard),
        "encryptedIds": sorted(item.encrypted),
        "newestMs": entries[-1].sent_at_ms if entries else 0,
    }


def _read(snapshot: DocumentSnapshot[Any]) -> _Open:
    data = snapshot.to_dict() or {}
    return _Open(decode(data), set(strings(data.get("encryptedIds"))), snapshot.update_time)
