"""Access to conversations: a user's membership is checked before anything else is read."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    ACTION_ITEMS,
    CONVERSATIONS,
    DECISIONS,
    MESSAGES,
    Conversation,
    read_message,
    strings,
)
from packs.messaging.firestore import fetch
from packs.messaging.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.errors import PermissionDenied
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import Client
    from google.cloud.firestore_v1.base_query import BaseQuery


MAX_CONVERSATIONS = 300
"""Most conversations of a user that are read, those with the newest messages first."""


class ReadableConversations(Struct, frozen=True):
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

    @property
    def people(self) -> list[tuple[str, str]]:
        """The participants' ids and names."""
        named = (each.participant_names.items() for each in self.conversations.values())
        return list(chain.from_iterable(named))

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
    uid = ctx.user.uid
    if conversation_ids:
        ids = list(dict.fromkeys(conversation_ids))
        references = [ctx.db.collection(CONVERSATIONS).document(id) for id in ids if is_id(id)]
        stored = {
            snapshot.id: Conversation.read(snapshot.id, snapshot.to_dict() or {})
            for snapshot in ctx.db.get_all(references)
            if snapshot.exists
        }
        for id in ids:
            if id not in stored or uid not in stored[id].participant_ids:
                message = TEXTS.text("errors.not_in_conversation", id=id[:80])
                raise PermissionDenied(message, field=field)
        return ReadableConversations({id: stored[id] for id in ids}, is_all=True, reader=uid)
    found = fetch(newest_query(ctx, limit=MAX_CONVERSATIONS + 1))
    return ReadableConversations(
        {
            snapshot.id: Conversation.read(snapshot.id, snapshot.to_dict() or {})
            for snapshot in found[:MAX_CONVERSATIONS]
        },
        is_all=len(found) <= MAX_CONVERSATIONS,
        reader=uid,
    )


def newest_query(ctx: ToolContext, *, limit: int) -> BaseQuery:
    """Return the query for the user's conversations, those with the newest messages first."""
    return query_of_user(ctx).order_by("lastMessageAt", direction="DESCENDING").limit(limit)


def query_of_user(ctx: ToolContext) -> BaseQuery:
    """Return the query for all conversations that the user takes part in."""
    mine = where("participantIds", "array_contains", ctx.user.uid)
    return ctx.db.collection(CONVERSATIONS).where(filter=mine)


def is_id(text: str) -> bool:
    """Whether Firestore accepts the text as a document's id."""
    return (
        0 < len(text.encode("utf-8", "replace")) <= 1500
        and "/" not in text
        and text not in {".", ".."}
        and not (text.startswith("__") and text.endswith("__"))
        and not any("\ud800" <= char <= "\udfff" for char in text)
    )


def readable_messages(db: Client, conversation_id: str) -> BaseQuery:
    """Return the query for a conversation's messages without encrypted ones, whose content is
    never read."""
    here = where("conversationId", "==", conversation_id)
    query = db.collection(MESSAGES).where(filter=here)
    return query.where(filter=where("encrypted", "==", False))


def fetch_messages(query: BaseQuery) -> list[ChatMessage]:
    """Return the messages that a query finds."""
    return [read_message(snapshot.id, snapshot.to_dict() or {}) for snapshot in fetch(query)]


_PAGE = 300


def copy_participants(db: Client, conversation_id: str) -> int:
    """Copy a conversation's participants to its messages, action items and decisions.

    Only documents that differ are written. Afterwards the conversation is read again, and the
    copy repeated if its participants changed, so that concurrent runs end with the current ones.

    Returns:
        The number of documents written.
    """
    written = 0
    here = where("conversationId", "==", conversation_id)
    current = _participants(db, conversation_id)
    while current is not None:
        for collection in (MESSAGES, ACTION_ITEMS, DECISIONS):
            query = db.collection(collection).where(filter=here).select(["participantIds"])
            query = query.order_by("__name__").limit(_PAGE)
            page = fetch(query)
            while page:
                batch = db.batch()
                for snapshot in page:
                    if strings((snapshot.to_dict() or {}).get("participantIds")) != current:
                        batch.update(snapshot.reference, {"participantIds": current})
                written += len(batch)
                if len(batch):
                    batch.commit()
                page = fetch(query.start_after(page[-1])) if len(page) == _PAGE else []
        latest = _participants(db, conversation_id)
        if latest == current:
            break
        current = latest
    return written


def _participants(db: Client, conversation_id: str) -> list[str] | None:
    snapshot = db.collection(CONVERSATIONS).document(conversation_id).get(["participantIds"])
    return strings((snapshot.to_dict() or {}).get("participantIds")) if snapshot.exists else None
