"""Access to conversations: a user's membership is checked before anything else is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packs.messaging.documents import (
    ACTION_ITEMS,
    CONVERSATIONS,
    DECISIONS,
    MESSAGES,
    Conversation,
    strings,
)
from packs.messaging.firestore import fetch
from packs.messaging.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.errors import PermissionDenied

if TYPE_CHECKING:
    from google.cloud.firestore import Client
    from google.cloud.firestore_v1.base_query import BaseQuery


MAX_CONVERSATIONS = 300
"""Most conversations of a user that are read, those with the newest messages first."""


@dataclass(frozen=True, slots=True)
class ReadableConversations:
    """Conversations that the user takes part in, newest first.

    Attributes:
        is_all: False where the user has more than `MAX_CONVERSATIONS`.
        reader: The user's id.
    """

    conversations: dict[str, Conversation]
    is_all: bool
    reader: str

    @property
    def ids(self) -> list[str]:
        return list(self.conversations)

    def name(self, conversation_id: str) -> str:
        """The conversation's name as this user knows it."""
        return self.conversations[conversation_id].title(self.reader)


def readable_conversations(
    ctx: ToolContext, conversation_ids: list[str] | None = None, *, field: str = "conversationIds"
) -> ReadableConversations:
    """Return the conversations with these ids, or all of the user's.

    Args:
        field: The argument that holds the ids.

    Raises:
        PermissionDenied: One of them is not the user's or does not exist; the error does not
            say which.
    """
    if conversation_ids:
        return _by_id(ctx, list(dict.fromkeys(conversation_ids)), field)
    found = fetch(newest_query(ctx, limit=MAX_CONVERSATIONS + 1))
    newest_found = found[:MAX_CONVERSATIONS]
    return ReadableConversations(
        {
            snapshot.id: Conversation.read(snapshot.id, snapshot.to_dict() or {})
            for snapshot in newest_found
        },
        is_all=len(found) <= MAX_CONVERSATIONS,
        reader=ctx.user.uid,
    )


def newest_query(ctx: ToolContext, *, limit: int) -> BaseQuery:
    """Return the query for the user's conversations, those with the newest messages first."""
    return query_of_user(ctx).order_by("lastMessageAt", direction="DESCENDING").limit(limit)


def query_of_user(ctx: ToolContext) -> BaseQuery:
    """Return the query for all conversations that the user takes part in."""
    from google.cloud.firestore import FieldFilter

    mine = FieldFilter("participantIds", "array_contains", ctx.user.uid)
    return ctx.db.collection(CONVERSATIONS).where(filter=mine)


def _by_id(ctx: ToolContext, ids: list[str], field: str) -> ReadableConversations:
    found: dict[str, Conversation] = {}
    references = [ctx.db.collection(CONVERSATIONS).document(id) for id in ids if is_id(id)]
    for snapshot in ctx.db.get_all(references):
        if snapshot.exists:
            found[snapshot.id] = Conversation.read(snapshot.id, snapshot.to_dict() or {})
    for id in ids:
        if id not in found or ctx.user.uid not in found[id].participant_ids:
            raise PermissionDenied(
                TEXTS.text("errors.not_in_conversation", id=id[:80]),
                field=field,
            )
    return ReadableConversations({id: found[id] for id in ids}, is_all=True, reader=ctx.user.uid)


def is_id(text: str) -> bool:
    """Whether Firestore accepts the text as a document's id."""
    return (
        0 < len(text.encode("utf-8", "replace")) <= 1500
        and "/" not in text
        and text not in {".", ".."}
        and not (text.startswith("__") and text.endswith("__"))
        and not any("\ud800" <= char <= "\udfff" for char in text)
    )


_PAGE = 300


def copy_participants(db: Client, conversation_id: str) -> int:
    """Copy a conversation's participants to its messages, action items and decisions.

    Only documents that differ are written. Afterwards the conversation is read again, and the
    copy repeated if its participants changed, so that concurrent runs end with the current ones.

    Returns:
        The number of documents written.
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
