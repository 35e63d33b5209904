"""Lists a user's conversations."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from packs.messaging import access
from packs.messaging.documents import Conversation, iso
from packs.messaging.firestore import count, fetch
from packs.messaging.wording import table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire


class ConversationSummary(Wire):
    """One conversation, without its messages."""

    id: str
    name: str
    type: str
    participant_ids: list[str]
    participant_names: list[str]
    last_message_at: str | None
    message_count: int
    encrypted_count: int


class UserConversations(Wire):
    """What get_user_conversations returns."""

    conversations: list[ConversationSummary]
    total_count: int
    timestamp: str


@capability(related=["summarize_conversation", "search_all_conversations"])
def get_user_conversations(
    ctx: ToolContext, *, limit: Annotated[int, Field(ge=1, le=50)] = 50
) -> UserConversations:
    """List the conversations the user takes part in, those with the newest messages first.

    Use it to learn which conversations there are, who is in them, and their ids; it returns no
    messages. To analyze conversations, call it first and then summarize those that matter.

    Args:
        limit: Most conversations to return, 1 to 50.
    """
    found = [
        Conversation.read(snapshot.id, snapshot.to_dict() or {})
        for snapshot in fetch(access.newest_query(ctx, limit=limit))
    ]
    total = len(found) if len(found) < limit else count(access.query_of_user(ctx))
    rows = [_summary(conversation, ctx.user.uid) for conversation in found]
    ctx.show(Display(type="table", **table(ctx.locale, _COLUMNS, map(_row, rows))))
    return UserConversations(conversations=rows, total_count=total, timestamp=iso(ctx.now) or "")


_COLUMNS = ["name", "participants", "messages", "lastMessageAt"]


def _summary(conversation: Conversation, reader: str) -> ConversationSummary:
    return ConversationSummary(
        id=conversation.id,
        name=conversation.title(reader),
        type=conversation.type,
        participant_ids=list(conversation.participant_ids),
        participant_names=conversation.names(),
        last_message_at=iso(conversation.last_message_at),
        message_count=conversation.message_count,
        encrypted_count=conversation.encrypted_count,
    )


def _row(item: ConversationSummary) -> dict[str, Any]:
    return {
        "name": item.name,
        "participants": ", ".join(item.participant_names),
        "messages": item.message_count,
        "lastMessageAt": item.last_message_at,
    }
