"""What people have to do, as their conversations say it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.wire import Display, Wire
from rollcall.packs.messaging.access import Reach, reach
from rollcall.packs.messaging.documents import ACTION_ITEMS, iso, moment_of
from rollcall.packs.messaging.extraction import extract_new
from rollcall.packs.messaging.stored_findings import cite_finding, first

ConversationIds = Annotated[list[str], Field(min_length=1, max_length=50)]


class ActionItemFound(Wire):
    """One task. `deadline` is a date, or a time with its zone."""

    id: str
    conversation_id: str
    conversation_name: str
    message_id: str
    task: str
    assignee: str | None = None
    deadline: str | None = None
    priority: Literal["urgent", "high", "medium", "low", "unspecified"]
    context: str | None = None
    confidence: float
    status: str
    timestamp: str | None = None


class ConversationActionItems(Wire):
    """What get_conversation_action_items returns.

    Attributes:
        total_found: All open ones, of which the first are listed.
        searched_all: False where there were more conversations or new messages than one call
            looks at; asking again goes on from there.
        messages_read: New messages that were looked at for this answer.
    """

    action_items: list[ActionItemFound]
    total_found: int
    searched_all: bool
    messages_read: int
    timestamp: str


@capability(
    name={"en": "Action items", "he": "משימות מהשיחות"},
    category="messaging",
    keywords=[
        "action items",
        "tasks",
        "to do",
        "todo",
        "assignments",
        "deadline",
        "due",
        "follow up",
        "who is responsible",
        "what do I have to do",
        "what did I promise",
        "משימות",
        "מטלות",
        "לביצוע",
        "דדליין",
        "מועד אחרון",
        "אחראי",
        "מה אני צריך לעשות",
        "מה עליי לעשות",
        "מה הבטחתי",
    ],
    examples=[
        {"userRequest": "What action items do I have?", "parameters": {}},
        {
            "userRequest": "Which tasks came out of this conversation?",
            "parameters": {"conversationIds": ["launch-team"]},
        },
        {"userRequest": "אילו משימות פתוחות יש לי?", "parameters": {}},
    ],
    related=[
        "search_all_conversations",
        "get_user_conversations",
        "get_priority_messages",
        "get_conversation_decisions",
    ],
)
def get_conversation_action_items(
    ctx: ToolContext,
    *,
    conversation_ids: ConversationIds | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> ConversationActionItems:
    """List the open action items in the user's conversations: tasks, who does them, by when.

    Use it for questions about tasks, to-dos, deadlines, or what somebody promised or was asked
    to do. They come most pressing first, then by deadline.

    Args:
        conversation_ids: Only these conversations; all of the user's where left out.
        limit: Most action items to return, 1 to 50.
    """
    mine = reach(ctx, conversation_ids)
    extracted = extract_new(ctx, mine)
    found, total = first(
        ctx,
        mine,
        ACTION_ITEMS,
        order=[("priorityRank", "ASCENDING"), ("deadlineOrder", "ASCENDING")],
        key=lambda data: (data["priorityRank"], data["deadlineOrder"]),
        limit=limit,
        equal={"status": "open"},
    )
    items = [_item(mine, id, data) for id, data in found]
    for _, data in found:
        cite_finding(ctx, mine, data, quote=data.get("context") or data["task"])
    ctx.show(Display(type="table", columns=_COLUMNS, rows=[_row(item) for item in items]))
    return ConversationActionItems(
        action_items=items,
        total_found=total,
        searched_all=mine.is_all and extracted.is_all,
        messages_read=extracted.messages,
        timestamp=iso(ctx.now) or "",
    )


_COLUMNS = ["priority", "task", "assignee", "deadline", "conversationName"]


def _item(mine: Reach, id: str, data: dict[str, Any]) -> ActionItemFound:
    return ActionItemFound(
        id=id,
        conversation_id=data["conversationId"],
        conversation_name=mine.name(data["conversationId"]),
        message_id=data["messageId"],
        task=data["task"],
        assignee=data.get("assignee"),
        deadline=data.get("deadline"),
        priority=data["priority"],
        context=data.get("context") or None,
        confidence=data["confidence"],
        status=data["status"],
        timestamp=iso(moment_of(data.get("sourceTimestamp"))),
    )


def _row(item: ActionItemFound) -> dict[str, Any]:
    row = item.dump()
    return {column: row.get(column) for column in _COLUMNS}
