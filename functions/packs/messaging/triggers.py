"""Triggers that keep data derived from messages and conversations current; events may repeat."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from packs.messaging.access import copy_participants, is_id
from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    ACTION_ITEMS,
    CONVERSATIONS,
    DECISIONS,
    EXTRACTION,
    INDEX,
    MESSAGES,
    VECTORS,
    Conversation,
    read_message,
    strings,
    text_of,
)
from packs.messaging.extraction import forget_items, note_late
from packs.messaging.firestore import delete_documents, fetch, until_unchanged
from packs.messaging.message_index import IndexChanges, digest_of, shard_hint
from packs.messaging.priority_rules import FIELDS, hand_set_fields, prioritise
from packs.messaging.vectors import write_vectors
from rollcall.core.context import Platform
from rollcall.core.triggers import DocumentEvent, OnDocument, bound
from rollcall.store.batches import update_unchanged, where

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot


Data = Mapping[str, Any]


def is_settled(before: Data | None, after: Data | None) -> bool:
    """Tell whether an event needs no work, since a trigger or an importer caused it."""
    if after is None or after.get("indexDigest") != digest_of(read_message("", dict(after))):
        return False
    return before is None or before.get("conversationId") == after.get("conversationId")


def update_derived(platform: Platform, message_id: str, before: Data | None) -> None:
    """Add or remove a message's priority, index entry, vector and count."""
    db = platform.db
    gone = text_of((before or {}).get("conversationId"))
    snapshot = db.collection(MESSAGES).document(message_id).get()
    data = snapshot.to_dict() or {}
    here = text_of(data.get("conversationId"))
    has_moved = bool(gone) and gone != here
    if has_moved and is_id(gone):
        _remove_derived(db, message_id, gone, before)
    if not snapshot.exists or not is_id(here):
        return
    # The marks of a message that moved refer to the index of its old conversation.
    if has_moved or not is_settled(None, data):
        # A client that replaced the whole document removed our mark.
        hints = (shard_hint(data), shard_hint(before))
        hint = next((each for each in hints if each is not None), None)
        _update_index(platform, snapshot, here, hint=hint, anyway=has_moved)


def _update_index(
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
    model_fields = _model_fields(platform, message, conversation_id)
    # Before the commit that marks the message as indexed: after a crash in between this repeats.
    note_late(db, conversation_id, [message], changed=hint is not None)
    if hint is not None:
        forget_items(db, message.id)

    def work() -> None:
        now = reference.get()
        data = now.to_dict() or {}
        if not now.exists or digest_of(read_message(now.id, data)) != digest_of(message):
            return  # changed again: another event handles it
        if data.get("indexDigest") == digest_of(message) and not anyway:
            return
        stored = db.collection(CONVERSATIONS).document(conversation_id).get()
        if not stored.exists:
            return
        conversation = Conversation.read(conversation_id, stored.to_dict() or {})
        index, batch = IndexChanges(db, conversation_id), db.batch()
        marks = index.add(message, hint=hint)
        index.write(batch, conversation=conversation)
        changes = {**model_fields, **marks, **({} if message.encrypted else hand_set_fields(data))}
        participants = list(conversation.participant_ids)
        if strings(data.get("participantIds")) != participants:
            changes["participantIds"] = participants
        update_unchanged(batch, now, changes)
        batch.commit()

    until_unchanged(work)


def _model_fields(platform: Platform, message: ChatMessage, conversation_id: str) -> dict[str, Any]:
    """Return the fields of a message's priority and vector, as deletions for an encrypted one."""
    from google.cloud.firestore import DELETE_FIELD

    if message.encrypted:
        platform.db.collection(VECTORS).document(message.id).delete()
        return dict.fromkeys((*FIELDS, "embeddedBy"), DELETE_FIELD)
    # The sender pays for models; without a known sender, rules and words do the work.
    has_models = platform.text_model is not None or platform.embedder is not None
    known = has_models and is_id(message.sender_id)
    sender = platform.find_user(message.sender_id) if known else None
    text_model = platform.text_model_for(sender) if sender else None
    embedder = platform.embedder_for(sender) if sender else None
    model_fields = prioritise([message], text_model=text_model)[message.id]
    if embedder and write_vectors(platform.db, embedder, conversation_id, [message]):
        model_fields["embeddedBy"] = embedder.id
    return model_fields


def _remove_derived(db: Client, message_id: str, conversation_id: str, before: Data | None) -> None:
    """Undo `_update_index` for a message that left this conversation."""

    def work() -> bool:
        stored = db.collection(CONVERSATIONS).document(conversation_id).get()
        conversation = (
            Conversation.read(conversation_id, stored.to_dict() or {}) if stored.exists else None
        )
        index, batch = IndexChanges(db, conversation_id), db.batch()
        if index.remove(message_id, hint=shard_hint(before)):
            index.write(batch, conversation=conversation)
            batch.commit()
        return stored.exists

    if until_unchanged(work):
        note_late(db, conversation_id, [], changed=True)
    forget_items(db, message_id)
    db.collection(VECTORS).document(message_id).delete()


_DELETES_AT_ONCE = 400
_log = logging.getLogger(__name__)


@bound(OnDocument("messages/{messageId}", when="written"))
def message_written(platform: Platform, event: DocumentEvent) -> None:
    """Set a message's priority and keep index and counters right, also on edits and deletes."""
    from google.api_core.exceptions import InvalidArgument

    if is_settled(event.before, event.after):
        return
    try:
        update_derived(platform, event.params["messageId"], event.before)
    except (ValueError, TypeError, KeyError, InvalidArgument) as error:
        # A document of an unexpected shape, or one that Firestore never accepts, would fail at
        # every retry; the message stays unindexed.
        _log.error(
            "message %s cannot be filed: %s", event.params["messageId"], type(error).__name__
        )


@bound(OnDocument("conversations/{conversationId}", when="updated"))
def conversation_updated(platform: Platform, event: DocumentEvent) -> None:
    """Copy the participants to messages and findings when somebody joins or leaves."""
    if _participants(event.before) != _participants(event.after):
        copy_participants(platform.db, event.params["conversationId"])


@bound(OnDocument("conversations/{conversationId}", when="deleted"))
def conversation_deleted(platform: Platform, event: DocumentEvent) -> None:
    """Remove the data derived from a deleted conversation; its messages stay."""
    db, conversation_id = platform.db, event.params["conversationId"]
    if db.collection(CONVERSATIONS).document(conversation_id).get([]).exists:
        return  # deleted and made again
    here = where("conversationId", "==", conversation_id)
    for collection in (INDEX, VECTORS, ACTION_ITEMS, DECISIONS):
        query = db.collection(collection).where(filter=here).select([]).limit(_DELETES_AT_ONCE)
        while found := fetch(query):
            delete_documents(db, found)
    db.collection(EXTRACTION).document(conversation_id).delete()


def _participants(data: dict[str, Any] | None) -> list[str]:
    return strings((data or {}).get("participantIds"))
