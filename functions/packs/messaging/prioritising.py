"""A priority for each message: by a model where there is one, else by rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from packs.messaging.asking import ask, model_name
from packs.messaging.batches import chunks
from packs.messaging.chat import ChatMessage
from packs.messaging.priority import classify
from rollcall.core.context import TextModel

RULES = "rules"
BY_HAND = "user"
SET_BY = "prioritySetBy"
"""Who set the priority by hand: then it stays, whatever rules and models say."""
FIELDS = ("priority", "priorityConfidence", "prioritySource", SET_BY)
"""What a message's document says of its priority."""
_AT_ONCE = 50
_INSTRUCTIONS = """
Rate how pressing each message is for those who get it.
urgent: something is broken, or must be done at once. high: matters and is due within two days, or
blocks somebody. medium: asks for something without hurry. low: for information, or said not to
be urgent. unspecified: none of these, such as small talk.
Give every message exactly one rating, with your confidence from 0 to 1.
""".strip()


class _Rating(BaseModel):
    n: int
    priority: Literal["urgent", "high", "medium", "low", "unspecified"]
    confidence: float = Field(ge=0, le=1)


class _Ratings(BaseModel):
    ratings: list[_Rating]


def prioritise(
    messages: Sequence[ChatMessage], *, text_model: TextModel | None = None
) -> dict[str, dict[str, Any]]:
    """Return the priority fields of each message's document, by id; encrypted ones get none."""
    readable = [message for message in messages if not message.encrypted]
    found = {message.id: _by_rules(message) for message in readable}
    if text_model is not None:
        for chunk in chunks((item for item in readable if item.text.strip()), _AT_ONCE):
            found.update(_by_model(chunk, text_model))
    return found


def set_by_hand(priority: str, uid: str) -> dict[str, Any]:
    """Return the priority fields of a message that a person rated."""
    return {**_fields(priority, 1.0, BY_HAND), SET_BY: uid}


def is_set_by_hand(stored: Mapping[str, Any]) -> bool:
    """Whether a stored message's priority is a person's."""
    return isinstance(stored.get(SET_BY), str) and isinstance(stored.get("priority"), str)


def kept(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the priority fields of a stored message that writing it anew must leave alone."""
    if not is_set_by_hand(stored):
        return {}
    return {name: stored[name] for name in FIELDS if name in stored}


def _by_rules(message: ChatMessage) -> dict[str, Any]:
    rated = classify(message.text, said_at=message.sent_at)
    return _fields(rated.level, rated.confidence, RULES)


def _by_model(messages: list[ChatMessage], model: TextModel) -> dict[str, dict[str, Any]]:
    """What the model says of these messages; those it leaves out keep what the rules say."""
    answer = ask(model, messages, instructions=_INSTRUCTIONS, shape=_Ratings)
    return {
        messages[rating.n - 1].id: _fields(rating.priority, rating.confidence, model_name(model))
        for rating in (answer.ratings if answer else ())
        if 1 <= rating.n <= len(messages)
    }


def _fields(priority: str, confidence: float, source: str) -> dict[str, Any]:
    return {"priority": priority, "priorityConfidence": confidence, "prioritySource": source}
