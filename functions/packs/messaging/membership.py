"""Who takes part in a conversation, copied to where list rules need it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from packs.messaging.documents import (
    ACTION_ITEMS,
    CONVERSATIONS,
    DECISIONS,
    MESSAGES,
    strings,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_PAGE = 300


def propagate(db: Client, conversation_id: str) -> int:
    """Write the conversation's current participants to all that was said in it.

    Only what differs is written. The conversation is looked at again at the end, and the work
    done again if it has changed: of several runs at once the last to end leaves what is true.

    Returns:
        How many documents were written.
    """
    written = 0
    current = _participants(db, conversation_id)
    while current is not None:
        for collection in (MESSAGES, ACTION_ITEMS, DECISIONS):
            for page in _pages(db, collection, conversation_id):
                written += _write(db, page, current)
        latest = _participants(db, conversation_id)
        if latest == current:
            break
        current = latest
    return written


def _participants(db: Client, conversation_id: str) -> list[str] | None:
    snapshot = db.collection(CONVERSATIONS).document(conversation_id).get(["participantIds"])
    return strings((snapshot.to_dict() or {}).get("participantIds")) if snapshot.exists else None


def _pages(db: Client, collection: str, conversation_id: str) -> Iterator[list[Any]]:
    from google.cloud.firestore import FieldFilter

    here = FieldFilter("conversationId", "==", conversation_id)
    query = db.collection(collection).where(filter=here).select(["participantIds"])
    query = query.order_by("__name__").limit(_PAGE)
    page = list(query.stream())
    while page:
        yield page
        page = list(query.start_after(page[-1]).stream()) if len(page) == _PAGE else []


def _write(db: Client, page: list[Any], participants: list[str]) -> int:
    batch = db.batch()
    stale = [
        snapshot
        for snapshot in page
        if strings((snapshot.to_dict() or {}).get("participantIds")) != participants
    ]
    for snapshot in stale:
        batch.update(snapshot.reference, {"participantIds": participants})
    if stale:
        batch.commit()
    return len(stale)
