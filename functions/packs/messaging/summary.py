"""A summary made of what people said: the most central sentences, with their speakers.

Sentences that share words with many others are central (TextRank); decisions
and tasks count more, and a topic asked for counts most. Nothing is rephrased,
so nothing is made up.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from packs.messaging.action_items import ActionItem
from packs.messaging.actions import extract_actions
from packs.messaging.chat import ChatMessage, readable
from packs.messaging.cues import plain
from packs.messaging.decisions import extract_decisions
from packs.messaging.query import expand, query_terms
from rollcall.core.text import Language, language, sentences, terms

_MOST_SENTENCES = 600
_FEWEST_TERMS = 2
_DAMPING = 0.85
_ROUNDS = 20
_DECISION_BOOST = 1.8
_ACTION_BOOST = 1.4
_OPENING_BOOST = 1.15  # What a conversation starts and ends with frames it.
_OFF_TOPIC = 0.05
_SURE = 0.5
_REDUNDANCY = 0.7
_WORTH_SAYING = 0.25  # Of the best sentence's score.

_DECISIONS = frozenset(["decisions", "decision", "החלטות", "החלטה", "ההחלטות"])
_ACTIONS = frozenset(
    ["action items", "action item", "actions", "tasks", "todo", "משימות", "המשימות", "מטלות"]
)
_GENERAL = frozenset(["", "general", "everything", "all", "כללי", "הכל", "הכול"])

_NOTHING = {
    "decisions": {"en": "No decisions were found.", "he": "לא נמצאו החלטות."},
    "actions": {"en": "No action items were found.", "he": "לא נמצאו משימות."},
    "messages": {"en": "There is nothing to summarize.", "he": "אין מה לסכם."},
}
_BY = {"en": "by", "he": "עד"}
_CUT = "…"


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    message: ChatMessage
    text: str
    terms: frozenset[str]


def summarize(
    messages: Sequence[ChatMessage], *, max_length: int = 200, focus: str | None = None
) -> str:
    """Return what matters in a conversation, one speaker's words a line, in time order.

    Args:
        max_length: Most words, speakers' names included; at least 1.
        focus: "decisions", "action items", "general", or a topic in words.
    """
    spoken = readable(messages)
    tongue = language(" ".join(message.text for message in spoken))
    wanted = (focus or "").strip().casefold()
    if not spoken:
        return _cut(_NOTHING["messages"][tongue], max_length)
    if wanted in _DECISIONS:
        lines = _decision_lines(spoken)
        return _filled(lines or [_NOTHING["decisions"][tongue]], max_length)
    if wanted in _ACTIONS:
        lines = _action_lines(spoken, tongue)
        return _filled(lines or [_NOTHING["actions"][tongue]], max_length)
    topic = {} if wanted in _GENERAL else expand(query_terms(focus or ""))
    return _extracted(spoken, topic, max_length=max_length)


def _decision_lines(messages: list[ChatMessage]) -> list[str]:
    found = extract_decisions(messages, conversation_id="", names={})
    return [
        f"{item.decision_maker}: {item.decision}"
        for item in found
        if item.confidence >= _SURE and item.superseded_by is None
    ]


def _action_lines(messages: list[ChatMessage], tongue: Language) -> list[str]:
    found = extract_actions(messages, conversation_id="", names={})
    return [_action_line(item, tongue) for item in found if item.confidence >= _SURE]


def _action_line(item: ActionItem, tongue: Language) -> str:
    who = f"{item.assignee}: " if item.assignee else ""
    due = f" ({_BY[tongue]} {item.deadline[:10]})" if item.deadline else ""
    return f"{who}{item.task}{due}"


def _extracted(messages: list[ChatMessage], topic: dict[str, float], *, max_length: int) -> str:
    units = _units(messages)
    if not units:
        return _filled(
            [_line(message.sender_name, message.text) for message in messages], max_length
        )
    scores = _weighed(units, messages, topic)
    chosen = _chosen(units, scores, room=max_length)
    return _filled(_lines(sorted(chosen, key=lambda unit: unit.place)), max_length)


def _units(messages: list[ChatMessage]) -> list[_Sentence]:
    """Return the sentences with something to say, the newest if there are too many."""
    units: list[_Sentence] = []
    for message in messages:
        for text in sentences(message.text):
            found = frozenset(terms(text))
            if len(found) >= _FEWEST_TERMS:
                units.append(_Sentence(len(units), message, plain(text), found))
    return units[-_MOST_SENTENCES:]


def _weighed(
    units: list[_Sentence], messages: list[ChatMessage], topic: dict[str, float]
) -> list[float]:
    """Return each sentence's centrality, raised by what it settles and by the topic."""
    deciding = {
        item.message_id
        for item in extract_decisions(messages, conversation_id="", names={})
        if item.confidence >= _SURE
    }
    asking = {
        item.message_id
        for item in extract_actions(messages, conversation_id="", names={})
        if item.confidence >= _SURE
    }
    edges = {units[0].place, units[-1].place}
    scores = _centrality([unit.terms for unit in units])
    for place, unit in enumerate(units):
        boost = _DECISION_BOOST if unit.message.id in deciding else 1.0
        boost *= _ACTION_BOOST if unit.message.id in asking else 1.0
        boost *= _OPENING_BOOST if unit.place in edges else 1.0
        boost *= 0.6 if unit.text.endswith("?") else 1.0
        if topic:
            boost *= _OFF_TOPIC + _relevance(unit.terms, topic)
        scores[place] *= boost
    return scores


def _relevance(found: Collection[str], topic: dict[str, float]) -> float:
    most = sum(sorted(topic.values())[-3:])
    return sum(topic.get(term, 0.0) for term in found) / most if most else 0.0


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
    """Return for each sentence the others that share words, by how much."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        for term in bag:
            holders[term].append(place)
    links: list[dict[int, float]] = [defaultdict(float) for _ in bags]
    for places in holders.values():
        # A word of everyone links nobody in particular.
        worth = math.log(1 + len(bags) / len(places))
        for one in places:
            for other in places:
                if one != other:
                    links[one][other] += worth
    for place, row in enumerate(links):
        for other in row:
            row[other] /= math.log(1 + len(bags[place])) + math.log(1 + len(bags[other]))
    return links


def _chosen(units: list[_Sentence], scores: list[float], *, room: int) -> list[_Sentence]:
    """Take the best sentence that fits, again and again, avoiding what is said already."""
    left = dict(enumerate(scores))
    chosen: list[_Sentence] = []
    worth = _WORTH_SAYING * max(scores)
    while left and room > 0:
        best = max(left, key=lambda place: (left[place], -place))
        unit = units[best]
        if left[best] < worth:
            break  # Better short than padded with small talk.
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


def _lines(units: list[_Sentence]) -> list[str]:
    """Return a line for each message, its sentences together."""
    by_message: dict[str, list[_Sentence]] = defaultdict(list)
    for unit in units:
        by_message[unit.message.id].append(unit)
    return [
        _line(group[0].message.sender_name, " ".join(unit.text for unit in group))
        for group in by_message.values()
    ]


def _line(name: str, text: str) -> str:
    return f"{name}: {plain(text)}"


def _filled(lines: list[str], max_length: int) -> str:
    """Return as many lines as fit, the first one cut if it alone is too long."""
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
    return text if len(pieces) <= most else " ".join(pieces[:most]).rstrip(",.;:") + _CUT
