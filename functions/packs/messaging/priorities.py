"""Messages that should not wait."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from packs.messaging.access import Reach, reach
from packs.messaging.batches import IN_VALUES, chunks, count, fetch, side_by_side
from packs.messaging.documents import MESSAGES, iso, moment_of, read_message, text_of
from packs.messaging.sources import cite_message, shown
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_query import BaseQuery

_LEVELS = {"urgent": ["urgent"], "high": ["high"], "both": ["urgent", "high"]}


class PriorityMessage(Wire):
    """One message of high or urgent priority."""

    id: str
    conversation_id: str
    conversation_name: str
    sender_id: str
    sender_name: str
    content: str
    priority: Literal["urgent", "high"]
    priority_confidence: float
    timestamp: str


class PriorityMessages(Wire):
    """What get_priority_messages returns; `totalFound` counts all there are."""

    messages: list[PriorityMessage]
    total_found: int
    searched_all: bool
    timestamp: str


@capability(
    name={"en": "Priority messages", "he": "הודעות בעדיפות גבוהה"},
    category="messaging",
    keywords=[
        "priority",
        "priorities",
        "urgent",
        "important",
        "critical",
        "asap",
        "emergency",
        "what needs my attention",
        "what should I do first",
        "what did I miss",
        "דחוף",
        "דחופות",
        "חשוב",
        "עדיפות",
        "עדיפויות",
        "סדר עדיפויות",
        "בהול",
        "מה דורש את תשומת ליבי",
        "מה פספסתי",
        "on fire",
        "burning",
        "pressing",
        "cannot wait",
        "needs a quick answer",
        "most important",
        "right away",
        "בוער",
        "לחוץ",
        "קריטי",
        "לא יכול לחכות",
        "לענות מהר",
        "מיידי",
        "הכי חשוב",
        "צריך תשובה",
    ],
    examples=[
        {"userRequest": "What are my priorities?", "parameters": {}},
        {
            "userRequest": "Show me the five latest urgent messages",
            "parameters": {"priorityLevel": "urgent", "limit": 5},
        },
        {"userRequest": "מה דחוף לי היום?", "parameters": {"priorityLevel": "urgent"}},
    ],
    related=["get_conversation_action_items", "get_user_conversations"],
)
def get_priority_messages(
    ctx: ToolContext,
    *,
    priority_level: Literal["urgent", "high", "both"] = "both",
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> PriorityMessages:
    """Find the urgent and high-priority messages in the user's conversations, newest first.

    Use it for questions about priorities, urgent or important matters, or what needs attention
    first. Encrypted messages have no priority and are never among them.

    Args:
        priority_level: "urgent", "high", or "both".
        limit: Most messages to return, 1 to 50.
    """
    mine = reach(ctx)
    queries = [_query(ctx, ids, _LEVELS[priority_level]) for ids in chunks(mine.ids, IN_VALUES)]
    pages = side_by_side(lambda query: _page(query, limit), queries)
    newest = nlargest(
        limit,
        (found for page in pages for found in page),
        key=lambda found: (found[1]["timestamp"], found[0]),
    )
    messages = [_message(ctx, mine, id, data) for id, data in newest]
    total = len(messages)
    if len(messages) == limit:
        total = sum(side_by_side(count, queries))
    ctx.show(Display(type="table", columns=_COLUMNS, rows=[_row(item) for item in messages]))
    return PriorityMessages(
        messages=messages,
        total_found=total,
        searched_all=mine.is_all,
        timestamp=iso(ctx.now) or "",
    )


_COLUMNS = ["priority", "conversationName", "senderName", "content", "timestamp"]


def _query(ctx: ToolContext, ids: list[str], levels: list[str]) -> BaseQuery:
    from google.cloud.firestore import FieldFilter

    query = ctx.db.collection(MESSAGES).where(filter=FieldFilter("conversationId", "in", ids))
    query = query.where(filter=FieldFilter("encrypted", "==", False))
    return query.where(filter=FieldFilter("priority", "in", levels))


def _page(query: BaseQuery, limit: int) -> list[tuple[str, dict[str, Any]]]:
    newest = query.order_by("timestamp", direction="DESCENDING").limit(limit)
    return [(snapshot.id, snapshot.to_dict() or {}) for snapshot in fetch(newest)]


def _message(ctx: ToolContext, mine: Reach, id: str, data: dict[str, Any]) -> PriorityMessage:
    message = read_message(id, data)
    conversation_id = text_of(data.get("conversationId"))
    name = mine.name(conversation_id)
    cite_message(
        ctx,
        conversation_id=conversation_id,
        conversation_name=name,
        message_id=id,
        sender_name=message.sender_name,
        sent_at=moment_of(data.get("timestamp")),
        quote=message.text,
    )
    return PriorityMessage(
        id=id,
        conversation_id=conversation_id,
        conversation_name=name,
        sender_id=message.sender_id,
        sender_name=message.sender_name,
        content=shown(message.text),
        priority=data["priority"],
        priority_confidence=float(data.get("priorityConfidence") or 0.0),
        timestamp=iso(message.sent_at) or "",
    )


def _row(item: PriorityMessage) -> dict[str, Any]:
    row = item.dump()
    return {column: row[column] for column in _COLUMNS}
