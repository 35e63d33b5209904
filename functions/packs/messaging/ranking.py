"""Ranks the messages in index shards by how well they answer a question.

A message is scored by its own words (BM25) and by the question's words around it, at two scales.
The nearest messages show what it is about: in chat the answer to "how much?" is "about forty", and
only its neighbours say of what. The wider discussion shows whether it is the one that was meant: of
many that mention the budget, the one that for a while is about the budget, the launch and the
whole question. The score is then multiplied by that of the best message of its conversation: where
one message fits, its conversation is more likely the one that was meant. The best messages are
picked one by one. Each pick lowers the scores of its neighbours, so that ten hits show ten places
and not one dialogue, and of its conversation, so that other conversations appear.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush

from msgspec import Struct

from packs.messaging.message_index import Entry, Shard
from packs.messaging.query import Query, Scope, expand, read_query
from rollcall.core.search import best, merge, rarity, saturated

_K1 = 1.2
_B = 0.6  # People explain in long messages: penalize length a little less than usual.
_REACH = 4  # Standard deviation, in steps, over which a word's influence fades.
_STRIDE = 8  # Messages per step of the wider discussion; the nearer scale has one per step.
_NEAR_HALF = 3.0  # Mentions of a term near a message that give half of its full value.
_WIDE_HALF = 5.0  # The same for the wider discussion, if it fills its reach,
_MIN_ROOM = 0.2  # and in proportion for a shorter one, down to this share.
_SPEAKER_BONUS = 1.5
_SUBSTANTIAL = 4  # Words from which on a message counts in full.
_SPREAD = 7  # Standard deviation, in messages, over which a pick lowers its neighbours.
_REPEAT_COST = 0.5
_SAME_TALK_COST = 0.12  # Share by which a pick lowers the rest of its conversation.
_MEANING = 0.25  # Weight of the nearest by meaning, relative to the best by words.
_TITLE = 0.5  # Share that all words of a conversation's title add to a score.
_DAY = 0.5  # What a message gains that was sent on a day that the question names.
_SPACER = 4 * _REACH * _STRIDE

_REPEAT = [
    _REPEAT_COST * math.exp(-((step / _SPREAD) ** 2) / 2)
    for step in range(-3 * _SPREAD, 3 * _SPREAD + 1)
]
_KERNEL = [math.exp(-((step / _REACH) ** 2) / 2) for step in range(-2 * _REACH, 2 * _REACH + 1)]

_Mentions = dict[str, list[tuple[int, int, int]]]
"""Term to its mentions: (place, times, words of the message)."""


class Hit(Struct, frozen=True):
    """A ranked message; `score` runs from 0 to 1."""

    message_id: str
    conversation_id: str
    score: float


class _Line(Struct, frozen=True):
    """A message and its place; places of messages that are not consecutive lie far apart."""

    place: int
    conversation_id: str
    entry: Entry


def rank(
    shards: Iterable[Shard],
    question: str,
    *,
    limit: int = 10,
    scope: Scope | None = None,
) -> list[Hit]:
    """Return the messages that answer a question best, best first.

    Args:
        shards: The shards of the conversations to search, in any order.
        limit: Most hits.
        scope: The conversations and days that the question refers to.
    """
    shards = list(shards)
    lines = _lines(shards)
    names = {pair for shard in shards for pair in shard.names.items()}
    query = read_query(question, names=names)
    scores = _scores(lines, query)
    if scope and (scope.title_shares or scope.days):
        scores = _with_scope(lines, scores, query, scope)
    return _diverse_picks(lines, _weighted_by_conversation(lines, scores), limit=limit)


def fuse(word_hits: Sequence[Hit], vector_hits: Sequence[Hit], *, limit: int = 10) -> list[Hit]:
    """Merge both lists, with scores from 0 to 1; without vector hits, return the word hits."""
    if not vector_hits:
        return list(word_hits[:limit])
    by_words, by_meaning = (
        [((hit.conversation_id, hit.message_id), hit.score) for hit in hits]
        for hits in (word_hits, vector_hits)
    )
    totals = merge(by_words, by_meaning, meaning=_MEANING)
    return [Hit(message, talk, score) for (talk, message), score in best(totals, limit)]


def _lines(shards: Iterable[Shard]) -> list[_Line]:
    """Place messages in order; those that are not consecutive lie too far apart to interact."""
    lines: list[_Line] = []
    place, last = 0, ("", -1)
    for shard in sorted(shards, key=lambda shard: (shard.conversation_id, shard.number)):
        if (shard.conversation_id, shard.number - 1) != last:
            place += _SPACER
        last = (shard.conversation_id, shard.number)
        for entry in shard.entries:
            lines.append(_Line(place, shard.conversation_id, entry))
            place += 1
    return lines


def _scores(lines: Sequence[_Line], query: Query) -> dict[int, float]:
    """Return place to score for every relevant message."""
    if not query.weights:
        return {}
    if not query.has_topic and query.speakers:
        # "What did Dana say": the speaker's messages, long ones higher.
        return {
            line.place: len(line.entry.words) / (len(line.entry.words) + _SUBSTANTIAL)
            for line in lines
            if line.entry.sender_id in query.speakers and line.entry.words
        }
    weights = expand(query.weights)
    mentions = _mentions(lines, weights)
    values = {
        term: weights[term] * rarity(len(found), len(lines)) for term, found in mentions.items()
    }
    most = sum(values.values())
    own, near = _own_scores(lines, mentions, values), _near_scores(mentions, values)
    wide = _wide_scores(lines, mentions, _with_full_context(values, query))
    scores: dict[int, float] = {}
    for line in lines:
        nearby = near.get(line.place)
        if nearby is None or not line.entry.words:
            continue
        score = own.get(line.place, 0.0) + nearby + wide[line.place // _STRIDE]
        scores[line.place] = score / (3 * most) * _message_weight(line.entry, query)
    return scores


def _with_scope(
    lines: Sequence[_Line], scores: dict[int, float], query: Query, scope: Scope
) -> dict[int, float]:
    """Return the scores, raised for messages in the question's conversations and days."""
    most = 1 + _TITLE * max(scope.title_shares.values(), default=0.0) + _DAY * bool(scope.days)
    raised = {}
    for line in lines:
        title = _TITLE * scope.title_shares.get(line.conversation_id, 0.0)
        score = scores.get(line.place, 0.0) * (1 + title)
        sent = datetime.fromtimestamp(line.entry.sent_at_ms / 1000, UTC).date()
        if sent in scope.days and line.entry.words:
            score += _DAY * _message_weight(line.entry, query)
        if score:
            raised[line.place] = score / most
    return raised


def _mentions(lines: Sequence[_Line], weights: Iterable[str]) -> _Mentions:
    """Return the mentions of terms, without terms that are never mentioned."""
    wanted = frozenset(weights)
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for line in lines:
        words = line.entry.words
        if not wanted.isdisjoint(words):
            for term, times in Counter(word for word in words if word in wanted).items():
                found[term].append((line.place, times, len(words)))
    return found


def _own_scores(
    lines: Sequence[_Line],
    mentions: _Mentions,
    values: dict[str, float],
) -> dict[int, float]:
    """Return BM25 by place, each term counting from 0 to 1."""
    average = sum(len(line.entry.words) for line in lines) / max(1, len(lines)) or 1.0
    scores: dict[int, float] = defaultdict(float)
    for term, found in mentions.items():
        for place, times, length in found:
            scores[place] += values[term] * saturated(times, length / average, k=_K1, b=_B)
    return scores


def _near_scores(mentions: _Mentions, values: dict[str, float]) -> dict[int, float]:
    """Return by place how much of the question the nearest messages mention."""
    scores: dict[int, float] = defaultdict(float)
    for term, found in mentions.items():
        value = values[term]
        for place, mass in _density(place for place, _, _ in found).items():
            scores[place] += value * mass / (mass + _NEAR_HALF)
    return scores


def _wide_scores(
    lines: Sequence[_Line], mentions: _Mentions, values: dict[str, float]
) -> dict[int, float]:
    """Return by step how much of the question the wider discussion mentions."""
    full = _STRIDE * sum(_KERNEL)
    filled = _density(line.place // _STRIDE for line in lines)
    half = {step: _WIDE_HALF * max(_MIN_ROOM, mass / full) for step, mass in filled.items()}
    scores: dict[int, float] = defaultdict(float)
    for term, found in mentions.items():
        value = values[term]
        for step, mass in _density(place // _STRIDE for place, _, _ in found).items():
            scores[step] += value * mass / (mass + half[step])
    return scores


def _density(steps: Iterable[int]) -> dict[int, float]:
    """Return the density of mentions by step, each weighted by its distance."""
    density: dict[int, float] = {}
    known = density.get
    side = len(_KERNEL) // 2
    for step, times in Counter(steps).items():
        for at, mass in enumerate(_KERNEL, start=step - side):
            density[at] = known(at, 0.0) + times * mass
    return density


def _with_full_context(values: dict[str, float], query: Query) -> dict[str, float]:
    """Return the values with context terms at full weight: they say which discussion is meant."""
    raised = {
        term: value / query.weights[term] if term in query.context else value
        for term, value in values.items()
    }
    total = sum(raised.values())
    share = sum(values.values()) / total if total else 1.0
    return {term: value * share for term, value in raised.items()}


def _message_weight(entry: Entry, query: Query) -> float:
    """Return the weight of a message: low for fillers, highest for the speaker in question."""
    substance = min(1.0, len(entry.words) / _SUBSTANTIAL)
    if not query.speakers:
        return substance
    bonus = _SPEAKER_BONUS if entry.sender_id in query.speakers else 0.0
    return substance * (1 + bonus) / (1 + _SPEAKER_BONUS)


def _weighted_by_conversation(lines: Sequence[_Line], scores: dict[int, float]) -> dict[int, float]:
    """Return each score times its conversation's best score, relative to the best of all."""
    best_of: dict[str, float] = defaultdict(float)
    for line in lines:
        talk = line.conversation_id
        best_of[talk] = max(best_of[talk], scores.get(line.place, 0.0))
    most = max(best_of.values(), default=0.0)
    return {
        line.place: scores[line.place] * best_of[line.conversation_id] / most
        for line in lines
        if scores.get(line.place)
    }


def _diverse_picks(lines: Sequence[_Line], scores: dict[int, float], *, limit: int) -> list[Hit]:
    """Pick the best message repeatedly, lowering the scores around each pick."""
    line_at = {line.place: line for line in lines}
    lowered: dict[int, float] = {}
    picks: Counter[str] = Counter()
    # Among equals the newest comes first, since places increase with time.
    waiting = [(-score, -place) for place, score in scores.items()]
    heapify(waiting)
    hits: list[Hit] = []
    while waiting and len(hits) < limit:
        promised, place = heappop(waiting)
        line, talk = line_at[-place], line_at[-place].conversation_id
        value = scores[-place] * lowered.get(-place, 1.0)
        worth = value * (1 - _SAME_TALK_COST) ** picks[talk]
        if worth < -promised:
            heappush(waiting, (-worth, place))
            continue
        # The hit's score leaves out the conversation's cost, which says nothing of its relevance.
        hits.append(Hit(line.entry.message_id, talk, min(hits[-1].score if hits else 1.0, value)))
        picks[talk] += 1
        for neighbour, cost in enumerate(_REPEAT, start=-place - len(_REPEAT) // 2):
            lowered[neighbour] = lowered.get(neighbour, 1.0) * (1 - cost)
    return hits
