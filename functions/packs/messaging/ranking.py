"""Word search over index shards: which messages answer a question.

A message is scored by its own words (BM25) and by how the question's words lie
around it, at two scales. The nearest messages tell what it is about: in chat the
answer to "how much?" is "about forty", and only its neighbours say of what. The
wider talk tells whether this is the conversation that was meant: of many that
mention the budget, the one that for a while is about the budget, the launch and
the whole question. A message also counts by the best message of its conversation:
where one fits, its conversation is more likely the one that was meant. Then the
best are picked one by one, each pick lowering its neighbours, so that ten hits show
ten places and not one dialogue, and its conversation, so that others get a place.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush

from packs.messaging.message_index import Entry, Shard
from packs.messaging.query import Query, Scope, expand, read_query
from rollcall.core.search import best, merge, rarity, saturated

_K1 = 1.2
_B = 0.6  # Long messages are where people explain: punish length a little less than usual.
_REACH = 4  # Steps over which a word's influence fades (one standard deviation).
_STRIDE = 8  # Messages that are one step of the wider talk; a step of the nearer is one.
_NEAR_HALF = 3.0  # Mentions of a term near a message that earn half of what it can give;
_WIDE_HALF = 5.0  # of those in the wider talk, where that fills its reach,
_LEAST_ROOM = 0.2  # and in shorter talks in proportion, down to this share.
_SPEAKER_BONUS = 1.5
_SUBSTANTIAL = 4  # Topic words from which on a message is no filler.
_SPREAD = 7  # Messages over which a pick lowers its neighbours.
_REPEAT_COST = 0.5
_SAME_TALK_COST = 0.12  # By which a pick lowers all of its conversation.
_MEANING = 0.25  # What the nearest in meaning counts of what the best by words does.
_TITLE = 0.5  # What all the words of a conversation's title add to a score, as its share;
_DAY = 0.5  # and what a message gains that was sent on the day a question names.
_MAIN_WORDS = 8
_SPACER = 4 * _REACH * _STRIDE

_REPEAT = [
    _REPEAT_COST * math.exp(-((step / _SPREAD) ** 2) / 2)
    for step in range(-3 * _SPREAD, 3 * _SPREAD + 1)
]
_KERNEL = [math.exp(-((step / _REACH) ** 2) / 2) for step in range(-2 * _REACH, 2 * _REACH + 1)]

_Mentions = dict[str, list[tuple[int, int, int]]]
"""Of each term: place, times, words of the message."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message found; `score` runs from 0 to 1."""

    message_id: str
    conversation_id: str
    score: float


@dataclass(frozen=True, slots=True)
class _Line:
    """A message in its place; places of different stretches lie far apart."""

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
        shards: Those of the conversations to search, in any order.
        limit: Most hits.
        scope: Where and when the question looks.
    """
    shards = list(shards)
    lines = _lines(shards)
    names = {pair for shard in shards for pair in shard.names.items()}
    query = read_query(question, names=names)
    scores = _scores(lines, query)
    if scope and (scope.talks or scope.days):
        scores = _scoped(lines, scores, query, scope)
    return _picked(lines, _weighted_by_conversation(lines, scores), limit=limit)


def fuse(word_hits: Sequence[Hit], vector_hits: Sequence[Hit], *, limit: int = 10) -> list[Hit]:
    """Return both lists merged; scores again run from 0 to 1. Without vectors, the words' own."""
    if not vector_hits:
        return list(word_hits[:limit])
    said, near = (
        [((hit.conversation_id, hit.message_id), hit.score) for hit in hits]
        for hits in (word_hits, vector_hits)
    )
    totals = merge(said, near, meaning=_MEANING)
    return [Hit(message, talk, score) for (talk, message), score in best(totals, limit)]


def _lines(shards: Iterable[Shard]) -> list[_Line]:
    """Lay shards in order; what is not consecutive is set too far apart to mix."""
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
    """Return place to score for every message that has anything to say."""
    if not query.has_topic and query.speakers:
        return _scores_of_speakers(lines, query)
    weights = expand(query.weights) if query.has_topic else _main_words(lines, query)
    mentions = _mentions(lines, weights)
    values = {
        term: weights[term] * rarity(len(found), len(lines)) for term, found in mentions.items()
    }
    most = sum(values.values())
    own, near = _own_scores(lines, mentions, values), _near_scores(mentions, values)
    wide = _wide_scores(lines, mentions, _widened(values, query))
    scores: dict[int, float] = {}
    for line in lines:
        nearby = near.get(line.place)
        if nearby is None or not line.entry.words:
            continue
        score = own.get(line.place, 0.0) + nearby + wide[line.place // _STRIDE]
        scores[line.place] = score / (3 * most) * _trust(line.entry, query)
    return scores


def _scoped(
    lines: Sequence[_Line], scores: dict[int, float], query: Query, scope: Scope
) -> dict[int, float]:
    """Return the scores with those raised that lie where and when the question looks."""
    most = 1 + _TITLE * max(scope.talks.values(), default=0.0) + _DAY * bool(scope.days)
    lifted = {}
    for line in lines:
        title = _TITLE * scope.talks.get(line.conversation_id, 0.0)
        score = scores.get(line.place, 0.0) * (1 + title)
        sent = datetime.fromtimestamp(line.entry.sent_at_ms / 1000, UTC).date()
        if sent in scope.days and line.entry.words:
            score += _DAY * _trust(line.entry, query)
        if score:
            lifted[line.place] = score / most
    return lifted


def _mentions(lines: Sequence[_Line], weights: Iterable[str]) -> _Mentions:
    """Return where terms are said, for those that are."""
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
    """Return by place how much of the question is talked about right there."""
    scores: dict[int, float] = defaultdict(float)
    for term, found in mentions.items():
        value = values[term]
        for place, mass in _density(place for place, _, _ in found).items():
            scores[place] += value * mass / (mass + _NEAR_HALF)
    return scores


def _wide_scores(
    lines: Sequence[_Line], mentions: _Mentions, values: dict[str, float]
) -> dict[int, float]:
    """Return by step of the wider talk how much of the question it is about."""
    full = _STRIDE * sum(_KERNEL)
    filled = _density(line.place // _STRIDE for line in lines)
    half = {step: _WIDE_HALF * max(_LEAST_ROOM, mass / full) for step, mass in filled.items()}
    scores: dict[int, float] = defaultdict(float)
    for term, found in mentions.items():
        value = values[term]
        for step, mass in _density(place // _STRIDE for place, _, _ in found).items():
            scores[step] += value * mass / (mass + half[step])
    return scores


def _density(steps: Iterable[int]) -> dict[int, float]:
    """Return by step how much lies around it, each thing fading with distance."""
    density: dict[int, float] = {}
    known = density.get
    side = len(_KERNEL) // 2
    for step, times in Counter(steps).items():
        for at, mass in enumerate(_KERNEL, start=step - side):
            density[at] = known(at, 0.0) + times * mass
    return density


def _widened(values: dict[str, float], query: Query) -> dict[str, float]:
    """Return the values with those of the context in full: it says which talk is meant."""
    lifted = {
        term: value / query.weights[term] if term in query.context else value
        for term, value in values.items()
    }
    total = sum(lifted.values())
    share = sum(values.values()) / total if total else 1.0
    return {term: value * share for term, value in lifted.items()}


def _trust(entry: Entry, query: Query) -> float:
    """Return how much a message's score counts: fillers little, the speaker asked about most."""
    substance = min(1.0, len(entry.words) / _SUBSTANTIAL)
    if not query.speakers:
        return substance
    bonus = _SPEAKER_BONUS if entry.sender_id in query.speakers else 0.0
    return substance * (1 + bonus) / (1 + _SPEAKER_BONUS)


def _scores_of_speakers(lines: Sequence[_Line], query: Query) -> dict[int, float]:
    """Answer "what did Dana say": her messages, the substantial ones first."""
    return {
        line.place: len(line.entry.words) / (len(line.entry.words) + _SUBSTANTIAL)
        for line in lines
        if line.entry.sender_id in query.speakers and line.entry.words
    }


def _main_words(lines: Sequence[_Line], query: Query) -> dict[str, float]:
    """Return what to look for when the question is about everything."""
    counts = Counter(word for line in lines for word in set(line.entry.words) if len(word) > 2)
    common = {term: 0.1 for term, times in counts.most_common(_MAIN_WORDS) if times > 1}
    return {**common, **query.weights}


def _weighted_by_conversation(lines: Sequence[_Line], scores: dict[int, float]) -> dict[int, float]:
    """Return each score times that of its conversation's best message beside the best of all."""
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


def _picked(lines: Sequence[_Line], scores: dict[int, float], *, limit: int) -> list[Hit]:
    """Take the best again and again, lowering what lies around each pick."""
    line_at = {line.place: line for line in lines}
    lowered: dict[int, float] = {}
    picks: Counter[str] = Counter()
    # Of equals the newest, since places run on with time.
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
        # What makes room for others says nothing of how well this one answers.
        hits.append(Hit(line.entry.message_id, talk, min(hits[-1].score if hits else 1.0, value)))
        picks[talk] += 1
        for near, cost in enumerate(_REPEAT, start=-place - len(_REPEAT) // 2):
            lowered[near] = lowered.get(near, 1.0) * (1 - cost)
    return hits
