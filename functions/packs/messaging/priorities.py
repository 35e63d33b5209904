"""Lists urgent messages, and sets a message's priority by hand."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from packs.messaging.access import ReadableConversations, readable_conversations
from packs.messaging.documents import MESSAGES, iso, moment_of, read_message, text_of
from packs.messaging.finding_lists import Offset, next_offset
from packs.messaging.firestore import IN_VALUES, chunks, count, fetch, side_by_side
from packs.messaging.priority_rules import SET_BY, is_set_by_hand, prioritise, set_by_hand
from packs.messaging.sending import DocumentId, Target, find_target
from packs.messaging.sources import cite_message, shown
from packs.messaging.wording import TEXTS, table
from rollcall.core.capability import Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text, isolated, short
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_query import BaseQuery


Priority = Literal["urgent", "high", "medium", "low", "automatic"]
AUTOMATIC = "automatic"
_FIELD = "messageId"


class MessagePriority(Wire):
    """What set_message_priority returns.

    Attributes:
        priority: The message's priority now; after "automatic", the one by rules or the model.
        previous_priority: The priority set by hand before, "automatic" if there was none.
    """

    done: str
    message_id: str
    conversation_id: str
    conversation_name: str
    priority: str
    previous_priority: Priority
    timestamp: str


def _ratable_message(ctx: ToolContext, message_id: str, priority: str) -> Target:
    """Return the message, if its priority can be set to this.

    Raises:
        PermissionDenied: It is in none of the user's conversations.
        FailedPrecondition: It is encrypted, or has this priority already.
    """
    target = find_target(ctx, MESSAGES, message_id, field=_FIELD)
    if target.data.get("encrypted") is not False:
        raise FailedPrecondition(TEXTS.text("errors.encrypted_message"), field=_FIELD)
    if _priority_by_hand(target) == priority:
        message = TEXTS.text("errors.has_priority", priority=_level(priority))
        raise FailedPrecondition(message, field="priority")
    return target


def _priority_by_hand(target: Target) -> Priority:
    """Return the priority that a person set, "automatic" if nobody did."""
    priority: Priority = target.data["priority"] if is_set_by_hand(target.data) else "automatic"
    return priority


def _level(priority: str) -> Text:
    return TEXTS.text(f"priorities.levels.{priority}")


def _preview(ctx: ToolContext, *, message_id: str, priority: str) -> Preview:
    """Show the message, and its priority before and after."""
    target = _ratable_message(ctx, message_id, priority)
    message = read_message(message_id, target.data)
    before = text_of(target.data.get("priority")) or "unspecified"
    title = TEXTS.say(
        ctx.locale,
        "priorities.priority",
        before=_level(before),
        after=_level(priority),
    )
    row = {
        "content": shown(message.text),
        "senderName": message.sender_name,
        "conversationName": target.conversation_name,
        "before": before,
        "after": priority,
    }
    display = Display(
        type="confirmation",
        title=title,
        text=isolated(message.text),
        **table(ctx.locale, list(row), [row]),
    )
    summary = TEXTS.say(
        ctx.locale, "priorities.set", message=short(message.text), priority=_level(priority)
    )
    return Preview(display, summary=summary, shows=("messageId", "priority"))


def _summarize(arguments: dict[str, Any]) -> dict[str, str]:
    message, priority = short(str(arguments["messageId"])), str(arguments["priority"])
    return TEXTS.by_language("priorities.set", message=message, priority=_level(priority))


@capability(
    related=["get_priority_messages", "search_all_conversations"],
    effect="write",
    atomic=True,
    summary=_summarize,
    preview=_preview,
    undo=Undo(
        "set_message_priority",
        lambda given, result: {
            "messageId": result["messageId"],
            "priority": result["previousPriority"],
        },
    ),
)
def set_message_priority(
    ctx: ToolContext, *, message_id: DocumentId, priority: Priority
) -> MessagePriority:
    """Set a message's priority by hand, for everyone in the conversation.

    Use it only where the user asks to change how urgent or important a message is. What is set
    by hand stays, also when the message is edited, until somebody sets it to "automatic".

    Args:
        message_id: The message; its id comes from a search or a list of messages.
        priority: "urgent", "high", "medium" or "low"; "automatic" to have it worked out again.
    """
    target = _ratable_message(ctx, message_id, priority)
    changes = _changes(ctx, target, priority)
    target.update(ctx, changes)
    message = read_message(message_id, target.data)
    name = target.conversation_name
    cite_message(
        ctx,
        conversation_id=target.conversation.id,
        conversation_name=name,
        message_id=message_id,
        sender_name=message.sender_name,
        sent_at=moment_of(target.data.get("timestamp")),
        quote=message.text,
    )
    return MessagePriority(
        done=TEXTS.say(
            ctx.locale,
            "priorities.priority_is_now",
            priority=_level(changes["priority"]),
            text=short(message.text),
        ),
        message_id=message_id,
        conversation_id=target.conversation.id,
        conversation_name=name,
        priority=changes["priority"],
        previous_priority=_priority_by_hand(target),
        timestamp=iso(ctx.now) or "",
    )


def _changes(ctx: ToolContext, target: Target, priority: str) -> dict[str, Any]:
    """Return the message's new priority fields."""
    from google.cloud.firestore import DELETE_FIELD

    if priority != AUTOMATIC:
        return set_by_hand(priority, ctx.user.uid)
    message = read_message(target.snapshot.id, target.data)
    rated = prioritise([message], text_model=ctx.text_model)[message.id]
    return {**rated, SET_BY: DELETE_FIELD}


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
    """What get_priority_messages returns; `totalFound` counts all that match.

    `nextOffset` is the offset of the next page, None on the last one.
    """

    messages: list[PriorityMessage]
    total_found: int
    searched_all: bool
    next_offset: int | None = None
    timestamp: str


@capability(related=["get_conversation_action_items", "get_user_conversations"])
def get_priority_messages(
    ctx: ToolContext,
    *,
    priority_level: Literal["urgent", "high", "both"] = "both",
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
    offset: Offset = 0,
) -> PriorityMessages:
    """Find the urgent and high-priority messages that others sent the user, newest first.

    Use it for questions about priorities, urgent or important matters, or what needs attention
    first. Encrypted messages have no priority and are never among them, nor are the user's own.

    Args:
        priority_level: "urgent", "high", or "both".
        limit: Most messages to return, 1 to 50.
        offset: How many of the newest to leave out: `nextOffset` of an earlier list goes on.
    """
    mine = readable_conversations(ctx)
    most = offset + limit
    queries = [_query(ctx, ids, _LEVELS[priority_level]) for ids in chunks(mine.ids, IN_VALUES)]
    pages = side_by_side(lambda query: _of_others(query, mine.reader, most), queries)
    newest = nlargest(
        most,
        (found for page in pages for found in page),
        key=lambda found: (found[1]["timestamp"], found[0]),
    )
    total = len(newest)
    if total == most:
        sent_by_reader = where("senderId", "==", mine.reader)
        own = [query.where(filter=sent_by_reader) for query in queries]
        total = sum(side_by_side(count, queries)) - sum(side_by_side(count, own))
    messages = [_message(ctx, mine, id, data) for id, data in newest[offset:]]
    ctx.show(Display(type="table", **table(ctx.locale, _COLUMNS, map(Wire.dump, messages))))
    return PriorityMessages(
        messages=messages,
        total_found=total,
        searched_all=mine.is_all,
        next_offset=next_offset(offset, len(messages), total),
        timestamp=iso(ctx.now) or "",
    )


_COLUMNS = ["priority", "conversationName", "senderName", "content", "timestamp"]


def _query(ctx: ToolContext, ids: list[str], levels: list[str]) -> BaseQuery:
    query = ctx.db.collection(MESSAGES).where(filter=where("conversationId", "in", ids))
    query = query.where(filter=where("encrypted", "==", False))
    return query.where(filter=where("priority", "in", levels))


def _of_others(query: BaseQuery, uid: str, limit: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the newest messages of a query that others sent."""
    query = query.order_by("timestamp", direction="DESCENDING")
    found: list[tuple[str, dict[str, Any]]] = []
    last: Any = None
    while True:
        missing = limit - len(found)
        page = fetch((query.start_after(last) if last else query).limit(missing))
        read = [(snapshot.id, snapshot.to_dict() or {}) for snapshot in page]
        found += [(id, data) for id, data in read if data.get("senderId") != uid]
        if len(found) == limit or len(page) < missing:
            return found
        last = page[-1]


def _message(
    ctx: ToolContext, mine: ReadableConversations, id: str, data: dict[str, Any]
) -> PriorityMessage:
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
