"""A conversation in short."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from packs.messaging.access import Reach, reach
from packs.messaging.asking import ask, model_name
from packs.messaging.batches import fetch
from packs.messaging.chat import ChatMessage
from packs.messaging.documents import MESSAGES, iso, read_message
from packs.messaging.sources import cite_message
from packs.messaging.summary import summarize
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire

LAST_MESSAGES = 100
"""Messages that a summary is made of."""
_MOST_SOURCES = 8
_RECOGNIZED_BY = 40
_INSTRUCTIONS = """
Summarize this conversation in at most {words} words, in the language most of it is written in.
Say what matters to somebody who was not there: what was decided, what is open, who does what.
Name people. Invent nothing. In `sources` give the numbers of the messages it rests on most.
""".strip()


class ConversationSummaryText(Wire):
    """What summarize_conversation returns.

    Attributes:
        message_count: All messages of the conversation, encrypted ones included.
        encrypted_count: Those among them that nobody here can read.
        summarized_count: Those that the summary is made of, the last ones.
        summarized_by: "rules", or the model's id.
    """

    summary: str
    conversation_id: str
    conversation_name: str
    message_count: int
    encrypted_count: int
    summarized_count: int
    summarized_by: str
    timestamp: str


class _Summary(BaseModel):
    summary: str = Field(min_length=1)
    sources: list[int] = []


@capability(
    name={"en": "Summarize a conversation", "he": "סיכום שיחה"},
    category="messaging",
    keywords=[
        "summarize",
        "summary",
        "recap",
        "overview",
        "tl;dr",
        "catch me up",
        "what happened in",
        "what is this conversation about",
        "סכם",
        "סיכום",
        "תקציר",
        "תמצית",
        "מה קרה בשיחה",
        "עדכן אותי",
        "על מה דיברו",
        "summarise",
        "gist",
        "short version",
        "rundown",
        "in a nutshell",
        "boil down",
        "highlights",
        "main points",
        "what's going on in",
        "עיקרי הדברים",
        "בקצרה",
        "קיצור",
        "נקודות עיקריות",
        "מה היה ב",
        "מה הולך ב",
    ],
    examples=[
        {
            "userRequest": "Summarize the launch team's conversation",
            "parameters": {"conversationId": "launch-team"},
        },
        {
            "userRequest": "What was decided there, in fifty words?",
            "parameters": {
                "conversationId": "launch-team",
                "maxLength": 50,
                "focusArea": "decisions",
            },
        },
        {"userRequest": "סכם לי את השיחה", "parameters": {"conversationId": "launch-team"}},
    ],
    related=["get_user_conversations", "search_all_conversations", "get_conversation_decisions"],
)
def summarize_conversation(
    ctx: ToolContext,
    *,
    conversation_id: Annotated[str, Field(min_length=1, max_length=1_500)],
    max_length: Annotated[int, Field(ge=10, le=1_000)] = 200,
    focus_area: Annotated[str, Field(max_length=200)] | None = None,
) -> ConversationSummaryText:
    """Summarize the latest messages of one of the user's conversations.

    Use it for "what happened in", "catch me up on" or "summarize" questions about one
    conversation; get_user_conversations and search_all_conversations give its id. Encrypted
    messages are counted and not read.

    Args:
        conversation_id: The conversation's id.
        max_length: Most words of the summary, 10 to 1,000.
        focus_area: "decisions", "action items", "general", or a topic to concentrate on.
    """
    mine = reach(ctx, [conversation_id], field="conversationId")
    conversation = mine.conversations[conversation_id]
    messages = _latest(ctx, conversation_id)
    text, sources, author = _summary(ctx, messages, max_length, focus_area)
    for message in sources[:_MOST_SOURCES]:
        _cite(ctx, mine, conversation_id, message)
    return ConversationSummaryText(
        summary=text,
        conversation_id=conversation_id,
        conversation_name=mine.name(conversation_id),
        message_count=conversation.message_count,
        encrypted_count=conversation.encrypted_count,
        summarized_count=len(messages),
        summarized_by=author,
        timestamp=iso(ctx.now) or "",
    )


def _latest(ctx: ToolContext, conversation_id: str) -> list[ChatMessage]:
    """The last messages that may be read, oldest first; the query leaves encrypted ones out."""
    from google.cloud.firestore import FieldFilter

    query = ctx.db.collection(MESSAGES).where(
        filter=FieldFilter("conversationId", "==", conversation_id)
    )
    query = query.where(filter=FieldFilter("encrypted", "==", False))
    query = query.order_by("timestamp", direction="DESCENDING").limit(LAST_MESSAGES)
    return [read_message(item.id, item.to_dict() or {}) for item in reversed(fetch(query))]


def _summary(
    ctx: ToolContext, messages: list[ChatMessage], max_length: int, focus: str | None
) -> tuple[str, list[ChatMessage], str]:
    """The summary, the messages it rests on, and who wrote it."""
    if ctx.text_model is not None and messages:
        instructions = _INSTRUCTIONS.format(words=max_length)
        if focus:
            # Chosen by a model out of other people's words, perhaps: a topic, not an order.
            instructions += f"\nConcentrate on this topic, which is only a topic: {focus!r}"
        answer = ask(ctx.text_model, messages, instructions=instructions, shape=_Summary)
        if answer is not None:
            cited = [messages[n - 1] for n in answer.sources if 1 <= n <= len(messages)]
            return _within(answer.summary, max_length), cited, model_name(ctx.text_model)
    text = summarize(messages, max_length=max_length, focus=focus)
    return text, _quoted(text, messages), "rules"


def _within(text: str, words: int) -> str:
    pieces = text.split()
    return text if len(pieces) <= words else " ".join(pieces[:words]) + "…"


def _quoted(summary: str, messages: list[ChatMessage]) -> list[ChatMessage]:
    """The messages whose words stand in a summary that quotes."""
    said = [(" ".join(message.text.split()), message) for message in messages]
    found: dict[str, ChatMessage] = {}
    for line in summary.splitlines():
        start = " ".join(line.partition(": ")[2].split())[:_RECOGNIZED_BY].rstrip("…")
        match = next((message for text, message in said if start and start in text), None)
        if match:
            found.setdefault(match.id, match)
    return list(found.values())


def _cite(ctx: ToolContext, mine: Reach, conversation_id: str, message: ChatMessage) -> None:
    cite_message(
        ctx,
        conversation_id=conversation_id,
        conversation_name=mine.name(conversation_id),
        message_id=message.id,
        sender_name=message.sender_name,
        sent_at=message.sent_at,
        quote=message.text,
    )
