"""Finding action items and decisions in messages: by a model where there is one, else by rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, Field

from packs.messaging.actions import extract_actions
from packs.messaging.asking import ask, model_name
from packs.messaging.chat import ChatMessage
from packs.messaging.decisions import extract_decisions
from packs.messaging.documents import Conversation
from packs.messaging.findings import Finding, action_finding, decision_finding
from packs.messaging.people import People
from rollcall.core.context import TextModel

VERSION = "2"
"""Counted up when what is found changes so much that all conversations should be read again."""
_INSTRUCTIONS = """
List the action items and the decisions in a chat.
An action item is something a person is to do and has not done: the task in a few words, who is to
do it, by when (an ISO date, worked out from the date of the message), how pressing it is.
A decision is something settled, not merely proposed: what was decided, who decided or agreed, and
its impact. Say in `context` why it came up, in one sentence, and give a confidence from 0 to 1.
Write in the language of the messages. `n` is the message that says it. Messages before number
{first} were dealt with earlier: use them to understand the rest, and list nothing from them.
""".strip()


class _Action(BaseModel):
    n: int
    task: str = Field(min_length=1)
    assignee: str | None = None
    deadline: str | None = None
    priority: Literal["high", "medium", "low", "unspecified"] = "unspecified"
    context: str = ""
    confidence: float = Field(ge=0, le=1)


class _Decision(BaseModel):
    n: int
    decision: str = Field(min_length=1)
    decision_maker: str = ""
    impact: Literal["high", "medium", "low"] | None = None
    context: str = ""
    confidence: float = Field(ge=0, le=1)


class _Found(BaseModel):
    action_items: list[_Action] = []
    decisions: list[_Decision] = []


def read_findings(
    messages: Sequence[ChatMessage],
    *,
    context: Sequence[ChatMessage],
    conversation: Conversation,
    text_model: TextModel | None,
) -> tuple[list[Finding], str]:
    """Return what new messages hold, and who says so.

    Args:
        context: Messages right before them, looked at already.
    """
    if text_model is not None:
        everything = [*context, *messages]
        instructions = _INSTRUCTIONS.format(first=len(context) + 1)
        answer = ask(text_model, everything, instructions=instructions, shape=_Found)
        if answer is not None:
            found = _from_model(answer, everything, conversation, first=len(context) + 1)
            return found, f"{model_name(text_model)}/{VERSION}"
    return _by_rules(messages, context, conversation), f"rules/{VERSION}"


def _by_rules(
    messages: Sequence[ChatMessage], context: Sequence[ChatMessage], conversation: Conversation
) -> list[Finding]:
    names = conversation.participant_names
    source = {message.id: message for message in (*context, *messages)}
    actions = extract_actions(
        messages, conversation_id=conversation.id, names=names, context=context
    )
    decisions = extract_decisions(
        messages, conversation_id=conversation.id, names=names, context=context
    )
    return [
        *(
            action_finding(
                id=item.id,
                message=source[item.message_id],
                task=item.task,
                assignee=item.assignee,
                assignee_id=item.assignee_id,
                deadline=item.deadline,
                priority=item.priority,
                context=item.context,
                confidence=item.confidence,
            )
            for item in actions
        ),
        *(
            decision_finding(
                id=item.id,
                message=source[item.message_id],
                decision=item.decision,
                decision_maker=item.decision_maker,
                decision_maker_id=item.decision_maker_id,
                superseded_by=item.superseded_by,
                decided_at=item.decided_at,
                impact=item.impact,
                context=item.context,
                confidence=item.confidence,
            )
            for item in decisions
        ),
    ]


def _from_model(
    answer: _Found, messages: list[ChatMessage], conversation: Conversation, *, first: int
) -> list[Finding]:
    """Keep what refers to a message that was sent and is new; whatever else it says is dropped."""
    people = People(conversation.participant_names)
    new = range(first, len(messages) + 1)
    found: list[Finding] = []
    for item in answer.action_items:
        if item.n in new:
            message = messages[item.n - 1]
            person = people.find(item.assignee or "")
            found.append(
                action_finding(
                    id=_id(conversation.id, message.id, item.task),
                    message=message,
                    task=item.task,
                    assignee=person.name if person else item.assignee,
                    assignee_id=person.id if person else None,
                    deadline=_date(item.deadline),
                    priority=item.priority,
                    context=item.context,
                    confidence=item.confidence,
                )
            )
    for made in answer.decisions:
        if made.n in new:
            message = messages[made.n - 1]
            found.append(
                decision_finding(
                    id=_id(conversation.id, message.id, made.decision),
                    message=message,
                    decision=made.decision,
                    decision_maker=made.decision_maker or message.sender_name,
                    decided_at=message.sent_at,
                    impact=made.impact,
                    context=made.context,
                    confidence=made.confidence,
                )
            )
    return found


def _id(conversation_id: str, message_id: str, text: str) -> str:
    return sha256(f"{conversation_id}|{message_id}|{text.lower()}".encode()).hexdigest()[:20]


def _date(text: str | None) -> str | None:
    """The deadline if it is a real date; a model's other words are no deadline."""
    try:
        return date.fromisoformat(text[:10]).isoformat() if text else None
    except ValueError:
        return None
