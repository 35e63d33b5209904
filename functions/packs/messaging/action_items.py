"""One action item, and what later messages make of it: taken up, refused, said again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from packs.messaging import action_cues as cues
from packs.messaging.chat import ChatMessage
from packs.messaging.cues import agrees, plain, refuses
from packs.messaging.people import People, Person
from rollcall.core.text import terms

ActionPriority = Literal["high", "medium", "low", "unspecified"]

LEAST_CONFIDENCE = 0.5
_MOST_CONFIDENCE = 0.97
_REPLIES_WITHIN = timedelta(hours=24)
_REPLIES_LOOKED_AT = 4
_SAME_TASK = 0.6
_SAME_OBJECT = 0.75
_SAID_AGAIN_WITHIN = timedelta(hours=2)
_REFUSED = 0.0
_LESS_LIKELY = 0.5  # Of what nobody in particular was asked, once somebody said no.


@dataclass(frozen=True, slots=True)
class ActionItem:
    """Something to be done.

    Attributes:
        id: The same whenever the same message is read again.
        assignee_id: None where nobody, or nobody of the chat, is known to do it.
        deadline: "2026-11-30", or with a time and zone.
        context: What was said, the reply that settled it included.
        confidence: 0 to 1; 0 for what was asked of somebody who refused.
    """

    id: str
    conversation_id: str
    message_id: str
    task: str
    assignee_id: str | None
    assignee: str | None
    deadline: str | None
    priority: ActionPriority
    context: str
    confidence: float
    said_at: datetime


def points_back(item: ActionItem) -> bool:
    """Tell whether an item only says who, of what was asked before: "I'll do that"."""
    return cues.POINTS_BACK.match(item.task) is not None


def open_before(items: list[ActionItem], message: ChatMessage) -> int | None:
    """Return the place of the last item that this message may take up."""
    for place in range(len(items) - 1, max(-1, len(items) - 4), -1):
        item = items[place]
        fresh = message.sent_at - item.said_at <= _REPLIES_WITHIN
        if (
            fresh
            and item.message_id != message.id
            and item.assignee_id in (None, message.sender_id)
        ):
            return place
    return None


def after_replies(
    item: ActionItem, message: ChatMessage, later: Sequence[ChatMessage], people: People
) -> ActionItem:
    """Return the item as the replies to it leave it."""
    for reply in later[:_REPLIES_LOOKED_AT]:
        if reply.sent_at - message.sent_at > _REPLIES_WITHIN:
            break
        if reply.sender_id == message.sender_id:
            continue
        if item.assignee_id == message.sender_id:
            break  # A promise needs no one's yes.
        if item.assignee_id not in (None, reply.sender_id):
            continue
        if refuses(reply.text):
            of_them = item.assignee_id == reply.sender_id
            left = _REFUSED if of_them else item.confidence * _LESS_LIKELY
            return replace(item, confidence=round(left, 2))
        if agrees(reply.text):
            return accepted(item, people.of(reply.sender_id), reply.text)
    return item


def is_refused(settled: ActionItem, item: ActionItem) -> bool:
    """Tell whether an item worth keeping was refused: those who stored it have to know."""
    return settled.confidence == _REFUSED and item.confidence >= LEAST_CONFIDENCE


def accepted(item: ActionItem, person: Person, reply: str) -> ActionItem:
    """Return an item that somebody said yes to."""
    return replace(
        item,
        assignee_id=item.assignee_id or person.id,
        assignee=item.assignee or person.name,
        confidence=round(min(_MOST_CONFIDENCE, item.confidence + 0.1), 2),
        context=f"{item.context} / {person.name}: {plain(reply)[:120]}",
    )


def add_item(items: list[ActionItem], item: ActionItem) -> None:
    """Add an item, or complete the earlier one that it repeats."""
    words = set(terms(item.task))
    for place, known in enumerate(items):
        same_person = None in (known.assignee_id, item.assignee_id) or (
            known.assignee_id == item.assignee_id
        )
        if known.confidence == _REFUSED or item.confidence == _REFUSED or not same_person:
            continue
        if not _is_repeated(known, item, words):
            continue
        items[place] = replace(
            known,
            assignee_id=known.assignee_id or item.assignee_id,
            assignee=known.assignee or item.assignee,
            deadline=item.deadline or known.deadline,
            confidence=round(
                min(_MOST_CONFIDENCE, max(known.confidence, item.confidence) + 0.03), 2
            ),
        )
        return
    items.append(item)


def _is_repeated(known: ActionItem, item: ActionItem, words: set[str]) -> bool:
    """Tell whether an item says an earlier one again; in other words only right after it."""
    other = set(terms(known.task))
    if not words or not other:
        return False
    if _overlap(words, other) >= _SAME_TASK:
        return True
    shorter = min(len(words), len(other))
    return (
        known.assignee_id == item.assignee_id is not None
        and item.said_at - known.said_at <= _SAID_AGAIN_WITHIN
        and shorter >= 2
        and len(words & other) / shorter >= _SAME_OBJECT
    )


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
