"""What happens by itself when messages and conversations are written."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from packs.messaging.batches import chunks, fetch
from packs.messaging.documents import (
    ACTION_ITEMS,
    CONVERSATIONS,
    DECISIONS,
    EXTRACTION,
    INDEX,
    VECTORS,
    strings,
)
from packs.messaging.membership import propagate
from packs.messaging.settling import is_settled, settle
from rollcall.core.context import Platform
from rollcall.core.triggers import DocumentEvent, OnDocument, bound

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_DELETES_AT_ONCE = 400
_log = logging.getLogger(__name__)


@bound(OnDocument("messages/{messageId}", when="written"))
def message_written(platform: Platform, event: DocumentEvent) -> None:
    """Set a message's priority and keep index and counters right, also on edits and deletes."""
    if is_settled(event.before, event.after):
        return
    try:
        settle(platform, event.params["messageId"], event.before)
    except (ValueError, TypeError, KeyError, _refused()) as error:
        # A shape nobody foresaw would fail again at every retry; the message stays unindexed.
        _log.error(
            "message %s cannot be filed: %s", event.params["messageId"], type(error).__name__
        )


@bound(OnDocument("conversations/{conversationId}", when="updated"))
def conversation_updated(platform: Platform, event: DocumentEvent) -> None:
    """Copy the participants to what was said, when somebody joins or leaves."""
    if _participants(event.before) != _participants(event.after):
        propagate(platform.db, event.params["conversationId"])


@bound(OnDocument("conversations/{conversationId}", when="deleted"))
def conversation_deleted(platform: Platform, event: DocumentEvent) -> None:
    """Remove what was derived from a conversation that is gone; its messages are left alone."""
    db, conversation_id = platform.db, event.params["conversationId"]
    if db.collection(CONVERSATIONS).document(conversation_id).get([]).exists:
        return  # deleted and made again
    for collection in (INDEX, VECTORS, ACTION_ITEMS, DECISIONS):
        _delete_all(db, collection, conversation_id)
    db.collection(EXTRACTION).document(conversation_id).delete()


def _refused() -> type[Exception]:
    """What Firestore raises for a document it will never take."""
    from google.api_core.exceptions import InvalidArgument

    return InvalidArgument


def _participants(data: dict[str, Any] | None) -> list[str]:
    return strings((data or {}).get("participantIds"))


def _delete_all(db: Client, collection: str, conversation_id: str) -> None:
    from google.cloud.firestore import FieldFilter

    here = FieldFilter("conversationId", "==", conversation_id)
    query = db.collection(collection).where(filter=here).select([]).limit(_DELETES_AT_ONCE)
    while found := fetch(query):
        for part in chunks(found, _DELETES_AT_ONCE):
            batch = db.batch()
            for snapshot in part:
                batch.delete(snapshot.reference)
            batch.commit()
