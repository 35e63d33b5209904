"""Filing messages: into the word index and the conversation's counters, in one commit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import CONVERSATIONS, Conversation
from packs.messaging.shards import ShardLedger

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore_v1.types import WriteResult


def digest_of(message: ChatMessage) -> str:
    """What the index knows of a message: the same digest, nothing to do.

    That of an encrypted message says nothing of its content.
    """
    sent_at_ms = round(message.sent_at.timestamp() * 1000)
    if message.encrypted:
        return f"encrypted {sent_at_ms}"
    known = f"{sent_at_ms}\0{message.sender_id}\0{message.sender_name}\0{message.text}"
    return hashlib.sha256(known.encode("utf-8", "replace")).hexdigest()[:16]


def shard_hint(data: dict[str, Any] | None) -> int | None:
    """The shard a stored message says it is in."""
    number = (data or {}).get("indexShard")
    return number if isinstance(number, int) and not isinstance(number, bool) else None


class Filing:
    """Changes to one conversation's index and counters, gathered for a commit."""

    def __init__(self, db: Client, conversation_id: str) -> None:
        self._db = db
        self._conversation_id = conversation_id
        self._ledger = ShardLedger(db, conversation_id)
        self._messages = self._encrypted = 0
        self._newest: datetime | None = None

    def add(self, message: ChatMessage, *, hint: int | None) -> dict[str, Any]:
        """File a message, or file it anew; return the marks its document carries from now on."""
        place = self._ledger.place_of(message.id, hint=hint)
        if place is None:
            self._messages += 1
            self._encrypted += message.encrypted
        else:
            was_encrypted = self._ledger.is_encrypted(message.id, place=place)
            self._encrypted += message.encrypted - was_encrypted
        if self._newest is None or message.sent_at > self._newest:
            self._newest = message.sent_at
        number = self._ledger.put(message, place=place)
        return {"indexShard": number, "indexDigest": digest_of(message)}

    def remove(self, message_id: str, *, hint: int | None) -> bool:
        """Take a message out; return False where it was not, or no longer, filed."""
        place = self._ledger.place_of(message_id, hint=hint)
        if place is None:
            return False
        self._messages -= 1
        self._encrypted -= self._ledger.drop(message_id, place=place)
        return True

    def write(self, batch: WriteBatch, *, conversation: Conversation | None) -> None:
        """Add shards and counters to a batch; no conversation, no counters."""
        from google.cloud.firestore import Increment

        self._ledger.write(batch)
        if conversation is None:
            return
        changes: dict[str, Any] = {}
        if self._messages:
            changes["messageCount"] = Increment(self._messages)
        if self._encrypted:
            changes["encryptedCount"] = Increment(self._encrypted)
        known = conversation.last_message_at
        if self._newest and (known is None or self._newest > known):
            changes["lastMessageAt"] = self._newest
        if changes:
            batch.update(self._db.collection(CONVERSATIONS).document(conversation.id), changes)

    def committed(self, results: Sequence[WriteResult]) -> None:
        """Go on after a commit, with what it returned."""
        self._ledger.committed(results)
        self._messages = self._encrypted = 0
