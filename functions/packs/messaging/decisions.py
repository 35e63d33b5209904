"""Lists the decisions made in conversations."""

from __future__ import annotations

from typing import Any, Literal

from packs.messaging.access import ReadableConversations, readable_conversations
from packs.messaging.documents import DECISIONS, iso, moment_of
from packs.messaging.finding_lists import ConversationIds, Counts, Limit, Offset, listing
from packs.messaging.wording import table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire


class ListedDecision(Wire):
    """One decision; `supersededBy` is the id of a later one that replaced it."""

    id: str
    conversation_id: str
    conversation_name: str
    message_id: str
    decision: str
    decision_maker: str
    decided_at: str
    context: str
    impact_level: Literal["high", "medium", "low"] | None = None
    confidence: float
    superseded_by: str | None = None


class ConversationDecisions(Counts):
    """What get_conversation_decisions returns."""

    decisions: list[ListedDecision]


@capability(
    related=[
        "search_all_conversations",
        "get_user_conversations",
        "summarize_conversation",
        "get_conversation_action_items",
    ],
)
def get_conversation_decisions(
    ctx: ToolContext,
    *,
    conversation_ids: ConversationIds | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> ConversationDecisions:
    """List the decisions made in the user's conversations: what, who decided, when, and why.

    Use it for questions about what was decided, agreed, approved or chosen. For decisions about
    a topic, search for the topic first and give the ids of the conversations found. They come
    those of high impact first, and of these the newest first.

    Args:
        conversation_ids: Only these conversations; all of the user's where left out.
        limit: Most decisions to return, 1 to 50.
        offset: How many of the first to leave out: `nextOffset` of an earlier list goes on.
    """
    mine = readable_conversations(ctx, conversation_ids)
    listed = listing(
        ctx,
        mine,
        DECISIONS,
        order=[("impactRank", "ASCENDING"), ("decidedAt", "DESCENDING")],
        key=lambda data: (data["impactRank"], -data["decidedAt"].timestamp()),
        limit=limit,
        offset=offset,
    )
    items = [_decision(mine, id, data) for id, data in listed.found]
    ctx.show(Display(type="table", **table(ctx.locale, _COLUMNS, map(Wire.dump, items))))
    return ConversationDecisions(decisions=items, **listed.counts)


_COLUMNS = ["impactLevel", "decision", "decisionMaker", "decidedAt", "conversationName"]


def _decision(mine: ReadableConversations, id: str, data: dict[str, Any]) -> ListedDecision:
    return ListedDecision(
        id=id,
        conversation_id=data["conversationId"],
        conversation_name=mine.name(data["conversationId"]),
        message_id=data["messageId"],
        decision=data["decision"],
        decision_maker=data["decisionMaker"],
        decided_at=iso(moment_of(data["decidedAt"])) or "",
        context=data.get("context") or "",
        impact_level=data.get("impactLevel"),
        confidence=data["confidence"],
        superseded_by=data.get("supersededBy"),
    )
