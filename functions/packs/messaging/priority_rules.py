"""Rates the priority of messages, by a model where there is one, otherwise by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct
from pydantic import BaseModel, Field

from packs.messaging.chat import ChatMessage
from packs.messaging.cues import pattern, plain
from packs.messaging.dates import find_deadline
from packs.messaging.firestore import chunks
from packs.messaging.text_model import ask, model_name
from rollcall.core.context import TextModel
from rollcall.core.text import sentences

Level = Literal["urgent", "high", "medium", "low", "unspecified"]

LEVELS: tuple[Level, ...] = ("urgent", "high", "medium", "low", "unspecified")

_HIGH_WITHIN_DAYS = 0


class Priority(Struct, frozen=True):
    """A level, the confidence in it (0 to 1), and the words that it is based on."""

    level: Level
    confidence: float
    reasons: tuple[str, ...] = ()


def order(level: str) -> int:
    """Return the sort key of a level, most urgent first; unknown ones last."""
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def classify(text: str, *, said_at: datetime | None = None) -> Priority:
    """Return the priority of a message, by its words.

    In a message with a "but" ("not urgent, but please send it today"), the last part counts.

    Args:
        said_at: When it was sent; if given, dates in the text count as deadlines.
    """
    clauses = (
        clause
        for sentence in sentences(text)
        for clause in pattern("priorities.turn").split(plain(sentence))
        if clause.strip()
    )
    rated = [_of_clause(clause, said_at=said_at) for clause in clauses]
    found = [priority for priority in rated if priority.level != "unspecified"]
    if not found:
        return Priority("unspecified", 0.5)
    strongest = min(found, key=lambda priority: order(priority.level))
    relaxed = pattern("priorities.relaxed").search(" ".join(found[-1].reasons)) is not None
    return found[-1] if relaxed and strongest.level != "urgent" else strongest


def _of_clause(clause: str, *, said_at: datetime | None) -> Priority:
    low = pattern("priorities.low").search(clause)
    # Remove negations first: "not urgent" contains "urgent".
    rest = pattern("priorities.mention").sub(" ", pattern("priorities.low").sub(" ", clause))
    over, supposed = pattern("priorities.over").search(rest), pattern("priorities.if").search(rest)
    asks = pattern("talk.request").search(rest) is not None
    for level, cue, confidence in _strong_cues(rest, asks=asks):
        if over:
            return Priority("low", 0.6, (over[0],))
        if supposed and supposed.start() < cue.start() and not asks:
            return Priority("low", 0.5, (supposed[0], cue[0]))
        sure = confidence - (0.2 if supposed and supposed.start() < cue.start() else 0.0)
        return Priority(level, round(sure, 2), (cue[0].strip(),))
    if low:
        return Priority("low", 0.85, (low[0],))
    if said_at and pattern("talk.request").search(clause):
        deadline = find_deadline(clause, said_at=said_at)
        if deadline is not None:
            days = (deadline.day - said_at.date()).days
            level = "high" if days <= _HIGH_WITHIN_DAYS else "medium"
            return Priority(level, 0.7, (deadline.phrase,))
    is_small_talk = pattern("priorities.small_talk").search(rest) is not None
    if asks and not is_small_talk:
        return Priority("medium", 0.65, ("asks for something",))
    if pattern("priorities.question").search(rest + " ") and not is_small_talk:
        return Priority("medium", 0.45, ("asks a question",))
    return Priority("unspecified", 0.5)


def _strong_cues(text: str, *, asks: bool) -> Iterator[tuple[Level, re.Match[str], float]]:
    """Yield the cues of urgency in a text, the strongest first."""
    if cue := pattern("priorities.incident").search(text):
        yield "urgent", cue, 0.9
    if cue := pattern("priorities.urgent").search(text):
        yield "urgent", cue, 0.9
    if (cue := pattern("priorities.now").search(text)) and asks:
        yield "urgent", cue, 0.75
    if cue := pattern("priorities.high").search(text):
        yield "high", cue, 0.8
    if (cue := pattern("priorities.soon").search(text)) and asks:
        yield "high", cue, 0.7
    if (cue := pattern("priorities.or_else").search(text)) and asks:
        yield "high", cue, 0.65


RULES = "rules"
BY_HAND = "user"
SET_BY = "prioritySetBy"
"""The field with the id of the user who set the priority; rules and models leave that one alone."""
FIELDS = ("priority", "priorityConfidence", "prioritySource", SET_BY)
"""The priority fields of a message's document."""
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
    priority: Level
    confidence: float = Field(ge=0, le=1)


class _Ratings(BaseModel):
    ratings: list[_Rating]


def prioritise(
    messages: Sequence[ChatMessage], *, text_model: TextModel | None = None
) -> dict[str, dict[str, Any]]:
    """Return the priority fields of each message's document, by id; encrypted ones get none."""
    readable = [message for message in messages if not message.encrypted]
    found: dict[str, dict[str, Any]] = {}
    for message in readable:
        rated = classify(message.text, said_at=message.sent_at)
        found[message.id] = _fields(rated.level, rated.confidence, RULES)
    if text_model is not None:
        for chunk in chunks((item for item in readable if item.text.strip()), _AT_ONCE):
            answer = ask(text_model, chunk, instructions=_INSTRUCTIONS, shape=_Ratings)
            # Messages that the model leaves out keep the rating by rules.
            for rating in answer.ratings if answer else ():
                if 1 <= rating.n <= len(chunk):
                    source = model_name(text_model)
                    fields = _fields(rating.priority, rating.confidence, source)
                    found[chunk[rating.n - 1].id] = fields
    return found


def set_by_hand(priority: str, uid: str) -> dict[str, Any]:
    """Return the priority fields of a message whose priority a person sets."""
    return {**_fields(priority, 1.0, BY_HAND), SET_BY: uid}


def is_set_by_hand(stored: Mapping[str, Any]) -> bool:
    """Whether a person set the priority of a stored message."""
    return isinstance(stored.get(SET_BY), str) and isinstance(stored.get("priority"), str)


def hand_set_fields(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the priority fields that rewriting a stored message must keep: those set by hand."""
    if not is_set_by_hand(stored):
        return {}
    return {name: stored[name] for name in FIELDS if name in stored}


def _fields(priority: str, confidence: float, source: str) -> dict[str, Any]:
    return {"priority": priority, "priorityConfidence": confidence, "prioritySource": source}
