"""The messaging pack's own tools, as the offline planner is offered them."""

from __future__ import annotations

from typing import Any

from packs.messaging.action_items import (
    complete_action_item,
    get_conversation_action_items,
    reopen_action_item,
)
from packs.messaging.conversations import get_user_conversations
from packs.messaging.decisions import get_conversation_decisions
from packs.messaging.priorities import get_priority_messages, set_message_priority
from packs.messaging.search import search_all_conversations
from packs.messaging.sending import send_message, withdraw_message
from packs.messaging.summaries import summarize_conversation
from rollcall.core.capability import Capability
from rollcall.models.base import ToolSpec
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document

FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        complete_action_item,
        get_conversation_action_items,
        get_conversation_decisions,
        get_priority_messages,
        get_user_conversations,
        reopen_action_item,
        search_all_conversations,
        send_message,
        set_message_priority,
        summarize_conversation,
        withdraw_message,
    )
}


def _spec(function: Any) -> ToolSpec:
    document = capability_document(Capability.of(function))
    return read_capability({**document, "status": "active"}).spec


TOOLS = tuple(_spec(function) for function in FUNCTIONS.values())
WRITES = {tool.name for tool in TOOLS if tool.writes}
