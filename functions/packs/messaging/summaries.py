"""Summarizes a conversation, by a model or by extracting its most central sentences.

Sentences that share words with many others are central (TextRank); decisions and tasks count
more, and a requested topic counts most. An extract rephrases nothing, so it invents nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct
from pydantic import BaseModel, Field

from packs.messaging.access import (
    ReadableConversations,
    fetch_messages,
    readable_conversations,
    readable_messages,
)
from packs.messaging.action_extraction import extract_actions
from packs.messaging.chat import ChatMessage, readable
from packs.messaging.cues import plain
from packs.messaging.decision_extraction import extract_decisions
from packs.messaging.documents import iso
from packs.messaging.query import expand, query_terms
from packs.messaging.sources import cite_message
from packs.messaging.text_model import ask, model_name
from packs.messaging.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire
from rollcall.core.text import language, sentences, terms

_MAX_SENTENCES = 600
_MIN_TERMS = 2
_DAMPING = 0.85
_ROUNDS = 20
_DECISION_BOOST = 1.8
_ACTION_BOOST = 1.4
_OPENING_BOOST = 1.15  # The first and last sentences frame a conversation.
_OFF_TOPIC = 0.05
_SURE = 0.5
_REDUNDANCY = 0.7
_WORTH_SAYING = 0.25  # Least score of a sentence, as a share of the best one's.

_DECISIONS = TEXTS.phrases("cues.topics.decisions")
_ACTIONS = TEXTS.phrases("cues.topics.actions")
_GENERAL = TEXTS.phrases("cues.topics.general")


class _Sentence(Struct, frozen=True):
    place: int
    message: ChatMessage
    text: str
    terms: frozenset[str]


def summarize(
    messages: Sequence[ChatMessage], *, max_length: int = 200, focus: str | None = None
) -> str:
    """Return the extract of a conversation, a line a message with its speaker, in time order.

    Args:
        max_length: Most words, with speakers' names; at least 1.
        focus: "decisions", "action items", "general", or a topic in words.
    """
    messages_read = readable(messages)
    reply_language = language(" ".join(message.text for message in messages_read))
    requested = (focus or "").strip().casefold()
    if not messages_read:
        return _cut(TEXTS.say(reply_language, "summaries.there_is_nothing_to"), max_length)
    if requested in _DECISIONS:
        lines = [
            f"{item.decision_maker}: {item.decision}"
            for item in extract_decisions(messages_read, conversation_id="", names={})
            if item.confidence >= _SURE and item.superseded_by is None
        ]
        nothing = TEXTS.say(reply_language, "summaries.no_decisions_were_found")
        return _fit(lines or [nothing], max_length)
    if requested in _ACTIONS:
        lines = []
        for item in extract_actions(messages_read, conversation_id="", names={}):
            who = f"{item.assignee}: " if item.assignee else ""
            by = TEXTS.say(reply_language, "summaries.by")
            due = f" ({by} {item.deadline[:10]})" if item.deadline else ""
            if item.confidence >= _SURE:
                lines.append(f"{who}{item.task}{due}")
        nothing = TEXTS.say(reply_language, "summaries.no_action_items_were")
        return _fit(lines or [nothing], max_length)
    topic = {} if requested in _GENERAL else expand(query_terms(focus or ""))
    units = _sentences_of(messages_read)
    if not units:
        lines = [_line(message.sender_name, message.text) for message in messages_read]
        return _fit(lines, max_length)
    chosen = _select(units, _scores(units, messages_read, topic), room=max_length)
    # A line for each message, with its sentences joined.
    by_message: dict[str, list[_Sentence]] = defaultdict(list)
    for unit in sorted(chosen, key=lambda unit: unit.place):
        by_message[unit.message.id].append(unit)
    lines = [
        _line(group[0].message.sender_name, " ".join(unit.text for unit in group))
        for group in by_message.values()
    ]
    return _fit(lines, max_length)


def _sentences_of(messages: list[ChatMessage]) -> list[_Sentence]:
    """Return the sentences with enough content words, the newest if there are too many."""
    units: list[_Sentence] = []
    for message in messages:
        for text in sentences(message.text):
            found = frozenset(terms(text))
            if len(found) >= _MIN_TERMS:
                units.append(_Sentence(len(units), message, plain(text), found))
    return units[-_MAX_SENTENCES:]


def _scores(
    units: list[_Sentence], messages: list[ChatMessage], topic: dict[str, float]
) -> list[float]:
    """Return each sentence's centrality, weighted by decisions, tasks and the topic."""
    deciding = {
        item.message.id
        for item in extract_decisions(messages, conversation_id="", names={})
        if item.confidence >= _SURE
    }
    asking = {
        item.message.id
        for item in extract_actions(messages, conversation_id="", names={})
        if item.confidence >= _SURE
    }
    edges = {units[0].place, units[-1].place}
    most = sum(sorted(topic.values())[-3:])
    scores = _centrality([unit.terms for unit in units])
    for place, unit in enumerate(units):
        boost = _DECISION_BOOST if unit.message.id in deciding else 1.0
        boost *= _ACTION_BOOST if unit.message.id in asking else 1.0
        boost *= _OPENING_BOOST if unit.place in edges else 1.0
        boost *= 0.6 if unit.text.endswith("?") else 1.0
        if topic:
            shared = sum(topic.get(term, 0.0) for term in unit.terms)
            boost *= _OFF_TOPIC + (shared / most if most else 0.0)
        scores[place] *= boost
    return scores


def _centrality(bags: list[frozenset[str]]) -> list[float]:
    """Return TextRank scores: a sentence is central if central ones share its words."""
    links = _links(bags)
    out = [sum(row.values()) or 1.0 for row in links]
    scores = [1.0] * len(bags)
    for _ in range(_ROUNDS):
        scores = [
            (1 - _DAMPING)
            + _DAMPING * sum(scores[other] * weight / out[other] for other, weight in row.items())
            for row in links
        ]
    return scores


def _links(bags: list[frozenset[str]]) -> list[dict[int, float]]:
    """Return for each sentence the others that share words with it, and how strongly."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        for term in bag:
            holders[term].append(place)
    links: list[dict[int, float]] = [defaultdict(float) for _ in bags]
    for places in holders.values():
        # The more sentences have a word, the less it links them.
        worth = math.log(1 + len(bags) / len(places))
        for one in places:
            for other in places:
                if one != other:
                    links[one][other] += worth
    for place, row in enumerate(links):
        for other in row:
            row[other] /= math.log(1 + len(bags[place])) + math.log(1 + len(bags[other]))
    return links


def _select(units: list[_Sentence], scores: list[float], *, room: int) -> list[_Sentence]:
    """Take the best sentence that fits, repeatedly, lowering the scores of similar ones."""
    left = dict(enumerate(scores))
    chosen: list[_Sentence] = []
    worth = _WORTH_SAYING * max(scores)
    while left and room > 0:
        best = max(left, key=lambda place: (left[place], -place))
        unit = units[best]
        if left[best] < worth:
            break  # A short summary is better than one padded with small talk.
        del left[best]
        needs = len(_line(unit.message.sender_name, unit.text).split())
        if needs > room and chosen:
            continue
        room -= needs
        chosen.append(unit)
        for place in left:
            shared = len(unit.terms & units[place].terms) / len(unit.terms | units[place].terms)
            left[place] *= 1 - _REDUNDANCY * shared
    return chosen


def _line(name: str, text: str) -> str:
    return f"{name}: {plain(text)}"


def _fit(lines: list[str], max_length: int) -> str:
    """Return as many lines as fit; a first line that is too long is cut."""
    kept: list[str] = []
    room = max_length
    for line in lines:
        length = len(line.split())
        if length > room:
            if not kept:
                kept.append(_cut(line, room))
            break
        kept.append(line)
        room -= length
    return "\n".join(kept)


def _cut(text: str, most: int) -> str:
    pieces = text.split()
    return text if len(pieces) <= most else " ".join(pieces[:most]).rstrip(",.;:") + "…"


LAST_MESSAGES = 100
"""Most messages that a summary covers, the last ones."""
_MAX_SOURCES = 8
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
        encrypted_count: The encrypted messages among them, which are not read.
        summarized_count: The messages that the summary covers, the last ones.
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
    mine = readable_conversations(ctx, [conversation_id], field="conversationId")
    conversation = mine.conversations[conversation_id]
    messages = _latest(ctx, conversation_id)
    text, sources, author = _summary(ctx, messages, max_length, focus_area)
    for message in sources[:_MAX_SOURCES]:
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
    """Return the last messages, oldest first."""
    newest = readable_messages(ctx.db, conversation_id).order_by(
        "timestamp", direction="DESCENDING"
    )
    return fetch_messages(newest.limit(LAST_MESSAGES))[::-1]


def _summary(
    ctx: ToolContext, messages: list[ChatMessage], max_length: int, focus: str | None
) -> tuple[str, list[ChatMessage], str]:
    """Return the summary, the messages that it is based on, and its author."""
    if ctx.text_model is not None and messages:
        instructions = _INSTRUCTIONS.format(words=max_length)
        if focus:
            # A model may have taken it from other people's messages: mark it as no instruction.
            instructions += f"\nConcentrate on this topic, which is only a topic: {focus!r}"
        answer = ask(ctx.text_model, messages, instructions=instructions, shape=_Summary)
        if answer is not None:
            cited = [messages[n - 1] for n in answer.sources if 1 <= n <= len(messages)]
            return _cut(answer.summary, max_length), cited, model_name(ctx.text_model)
    text = summarize(messages, max_length=max_length, focus=focus)
    return text, _quoted_messages(text, messages), "rules"


def _quoted_messages(summary: str, messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return the messages that an extract quotes."""
    said = [(" ".join(message.text.split()), message) for message in messages]
    found: dict[str, ChatMessage] = {}
    for line in summary.splitlines():
        start = " ".join(line.partition(": ")[2].split())[:_RECOGNIZED_BY].rstrip("…")
        match = next((message for text, message in said if start and start in text), None)
        if match:
            found.setdefault(match.id, match)
    return list(found.values())


def _cite(
    ctx: ToolContext, mine: ReadableConversations, conversation_id: str, message: ChatMessage
) -> None:
    cite_message(
        ctx,
        conversation_id=conversation_id,
        conversation_name=mine.name(conversation_id),
        message_id=message.id,
        sender_name=message.sender_name,
        sent_at=message.sent_at,
        quote=message.text,
    )
