"""Bringing one message and what depends on it into order, however often it is asked for.

It goes by what is stored now, not by the event that asked: events come twice, late and out of
order. A commit holds only if neither the message nor its index shard has changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from packs.messaging.access import is_id
from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    CONVERSATIONS,
    MESSAGES,
    VECTORS,
    Conversation,
    read_message,
    strings,
    text_of,
)
from packs.messaging.extraction_state import forget_items, note_late
from packs.messaging.filing import Filing, digest_of, shard_hint
from packs.messaging.prioritising import FIELDS, kept, prioritise
from packs.messaging.retries import until_unchanged
from packs.messaging.vectors import write_vectors
from rollcall.core.context import Platform

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot

Data = Mapping[str, Any]


def is_settled(before: Data | None, after: Data | None) -> bool:
    """Whether an event needs nothing done, as our own writes and an importer's do not."""
    if after is None or after.get("indexDigest") != digest_of(read_message("", dict(after))):
        return False
    return before is None or before.get("conversationId") == after.get("conversationId")


def settle(platform: Platform, message_id: str, before: Data | None) -> None:
    """Give the message its priority, index entry, vector and count; or take these away."""
    db = platform.db
    gone = text_of((before or {}).get("conversationId"))
    snapshot = db.collection(MESSAGES).document(message_id).get()
    data = snapshot.to_dict() or {}
    here = text_of(data.get("conversationId"))
    has_moved = bool(gone) and gone != here
    if has_moved and is_id(gone):
        _forget(db, read_message(message_id, dict(before or {})), gone, before)
    if not snapshot.exists or not is_id(here):
        return
    # The marks of a message that moved speak of its old conversation's index.
    if has_moved or not is_settled(None, data):
        _file(platform, snapshot, here, hint=_hint(data, before), anyway=has_moved)


def _hint(data: Data, before: Data | None) -> int | None:
    """Where the message is filed; somebody who replaced the whole document took our mark off."""
    found = shard_hint(dict(data))
    return found if found is not None else shard_hint(dict(before or {}))


def _file(
    platform: Platform,
    snapshot: DocumentSnapshot[Any],
    conversation_id: str,
    *,
    hint: int | None,
    anyway: bool,
) -> None:
    db = platform.db
    reference = snapshot.reference
    message = read_message(snapshot.id, snapshot.to_dict() or {})
    extras = _extras(platform, message, conversation_id)
    # Before the commit that marks the message as dealt with: a crash in between repeats this.
    note_late(db, conversation_id, [message], changed=hint is not None)
    if hint is not None:
        forget_items(db, message.id)

    def work() -> None:
        now = reference.get()
        data = now.to_dict() or {}
        if not now.exists or digest_of(read_message(now.id, data)) != digest_of(message):
            return  # changed again, which is another event
        if data.get("indexDigest") == digest_of(message) and not anyway:
            return
        stored = db.collection(CONVERSATIONS).document(conversation_id).get()
        if not stored.exists:
            return
        conversation = Conversation.read(conversation_id, stored.to_dict() or {})
        filing, batch = Filing(db, conversation_id), db.batch()
        marks = filing.add(message, hint=hint)
        filing.write(batch, conversation=conversation)
        changes = {**extras, **marks, **({} if message.encrypted else kept(data))}
        participants = list(conversation.participant_ids)
        if strings(data.get("participantIds")) != participants:
            changes["participantIds"] = participants
        unchanged = db.write_option(last_update_time=now.update_time)
        batch.update(reference, changes, option=unchanged)
        batch.commit()

    until_unchanged(work)


def _extras(platform: Platform, message: ChatMessage, conversation_id: str) -> dict[str, Any]:
    """A priority and a vector; an encrypted message loses what it had."""
    from google.cloud.firestore import DELETE_FIELD

    if message.encrypted:
        platform.db.collection(VECTORS).document(message.id).delete()
        return dict.fromkeys((*FIELDS, "embeddedBy"), DELETE_FIELD)
    extras = prioritise([message], text_model=platform.text_model)[message.id]
    if platform.embedder is not None and write_vectors(
        platform.db, platform.embedder, conversation_id, [message]
    ):
        extras["embeddedBy"] = platform.embedder.id
    return extras


def _forget(db: Client, message: ChatMessage, conversation_id: str, before: Data | None) -> None:
    """Undo `_file` for a message that is no longer in this conversation."""

    def work() -> bool:
        stored = db.collection(CONVERSATIONS).document(conversation_id).get()
        conversation = (
            Conversation.read(conversation_id, stored.to_dict() or {}) if stored.exists else None
        )
        filing, batch = Filing(db, conversation_id), db.batch()
        if filing.remove(message.id, hint=shard_hint(dict(before or {}))):
            filing.write(batch, conversation=conversation)
            batch.commit()
        return stored.exists

    if until_unchanged(work):
        note_late(db, conversation_id, [], changed=True)
    forget_items(db, message.id)
    db.collection(VECTORS).document(message.id).delete()
