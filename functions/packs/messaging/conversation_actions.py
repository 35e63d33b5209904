"""What people have to do, as their conversations say it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from packs.messaging.access import Reach, reach
from packs.messaging.documents import ACTION_ITEMS, iso, moment_of
from packs.messaging.people import namesakes
from packs.messaging.stored_findings import ConversationIds, Counts, Limit, listing
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire

_MOST_NAMESAKES = 3
"""With ten conversations in one query, thirty branches: Firestore's bound."""
_ME = frozenset(["me", "myself", "אני"])


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


class ConversationActionItems(Counts):
    """What get_conversation_action_items returns: open ones only."""

    action_items: list[ActionItemFound]


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
        "my tasks",
        "משימות",
        "מטלות",
        "לביצוע",
        "דדליין",
        "מועד אחרון",
        "אחראי",
        "מה אני צריך לעשות",
        "מה עליי לעשות",
        "מה הבטחתי",
        "המשימות שלי",
        "to-do list",
        "on my list",
        "on my plate",
        "still have to",
        "owe",
        "commitments",
        "assigned to",
        "hand in",
        "by when",
        "על הראש",
        "נשאר לי",
        "חייב לי",
        "התחייבתי",
        "להגיש",
        "מי מטפל",
        "עד מתי",
    ],
    examples=[
        {"userRequest": "What action items do I have?", "parameters": {"assignee": "me"}},
        {"userRequest": "Which tasks are open, whoever does them?", "parameters": {}},
        {
            "userRequest": "Which tasks came out of this conversation?",
            "parameters": {"conversationIds": ["launch-team"]},
        },
        {"userRequest": "אילו משימות פתוחות יש לי?", "parameters": {"assignee": "me"}},
        {"userRequest": "מה המשימות של עומר?", "parameters": {"assignee": "עומר"}},
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
    limit: Limit = 20,
    assignee: Annotated[str, Field(min_length=1, max_length=200)] | None = None,
) -> ConversationActionItems:
    """List the open action items in the user's conversations: tasks, who does them, by when.

    Use it for questions about tasks, to-dos, deadlines, or what somebody promised or was asked
    to do. They come most pressing first, then by deadline.

    Args:
        conversation_ids: Only these conversations; all of the user's where left out.
        limit: Most action items to return, 1 to 50.
        assignee: "me" for the user's own, or somebody's name; everybody's where left out.
    """
    mine = reach(ctx, conversation_ids)
    listed = listing(
        ctx,
        mine,
        ACTION_ITEMS,
        order=[("priorityRank", "ASCENDING"), ("deadlineOrder", "ASCENDING")],
        key=lambda data: (data["priorityRank"], data["deadlineOrder"]),
        limit=limit,
        where={"status": ["open"], **_of(assignee, mine)},
    )
    items = [_item(mine, id, data) for id, data in listed.found]
    ctx.show(Display(type="table", columns=_COLUMNS, rows=[_row(item) for item in items]))
    return ConversationActionItems(action_items=items, **listed.counts)


_COLUMNS = ["priority", "task", "assignee", "deadline", "conversationName"]


def _of(assignee: str | None, mine: Reach) -> dict[str, list[str]]:
    """Whose items: those of a participant by id, of anybody else as the messages name them."""
    if assignee is None:
        return {}
    if assignee.strip().casefold() in _ME:
        return {"assigneeId": [mine.reader]}
    pairs = (
        pair for talk in mine.conversations.values() for pair in talk.participant_names.items()
    )
    found = namesakes(assignee, pairs)[:_MOST_NAMESAKES]
    return {"assigneeId": found} if found else {"assignee": [assignee.strip()]}


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
