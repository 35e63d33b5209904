"""Word index of the tools.

A word's weight in a tool depends on the fields that have it: a name counts more than a description,
long fields count less, and repetitions saturate (BM25F). Words of a tool that needs many arguments
weigh a little less, since a message seldom contains that much. A message's score for a tool is the
sum of its words' rarities times their weights there; words of similar spelling count less. If a
message has several clauses, a tool also counts by how well it fits one of them, since each may be a
request of its own.

The stems are simpler than those of `core.text.terms`: an English word loses only its plainest
endings, in plain Python and without the stemmer's import. `Trigrams` joins what remains apart
("invest" and "investor").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Self

from msgspec import Struct

from rollcall.core.search import (
    Postings,
    best,
    field_weights,
    pack_sections,
    rarity,
    unpack_sections,
)
from rollcall.core.text import fold, hebrew_stem, is_stopword, tokens
from rollcall.core.texts import TEXTS

# A request is at a message's beginning or end; the rest of a longer one is a pasted document.
_HEAD, _TAIL = 2_000, 4_000
_CONTEXT_MESSAGES, _CONTEXT_LENGTH = 4, 500
# An earlier message counts a fifth of the current one, and less the older it is.
_CONTEXT, _FADING = 0.2, 0.6
# Words of requests in general ("show me") count less.
_REQUEST = 0.7
_MIN_LETTERS = 4
# Clauses of a message: the fewest words of one, the most clauses, the longest message with any.
_MIN_WORDS, _MAX_CLAUSES, _MAX_REQUEST = 2, 8, 1_000
# Similar words share at least this much of their trigrams; only the most similar ones count, and
# long words are compared by their beginnings.
_MIN_SIMILARITY, _MAX_SIMILAR, _LONGEST = 0.4, 3, 40


def words(text: str) -> list[str]:
    """Return the stems of the words that carry a topic, in order."""
    return [stem for token in tokens(text) if (stem := _topic(token))]


def message_words(message: str) -> dict[str, float]:
    """Return the words of a message with their weights, 0..1."""
    if len(message) > _HEAD + _TAIL:
        message = f"{message[:_HEAD]}\n{message[-_TAIL:]}"
    weights = dict.fromkeys(words(message), 1.0)
    for word in _request_words().intersection(weights):
        weights[word] = _REQUEST
    return weights


def clause_words(message: str) -> list[dict[str, float]]:
    """Return the weighted words of each clause of a message; none if it has only one clause."""
    if len(message) > _MAX_REQUEST:
        return []
    clauses = map(message_words, _connective().split(message.lower()))
    long = [words for words in clauses if len(words) >= _MIN_WORDS]
    return long[:_MAX_CLAUSES] if len(long) > 1 else []


@cache
def _connective() -> re.Pattern[str]:
    """Return the pattern of what separates clauses: marks, words, the Hebrew prefix "and"."""
    words = "|".join(map(re.escape, sorted(TEXTS.phrases("words.connectives"), key=len)[::-1]))
    return re.compile(rf"[,.?!;:\n]+(?=\s|$)|\s(?:{words})(?=\s)|\sו(?=[א-ת]{{3}})")


def context_words(messages: Sequence[str]) -> dict[str, float]:
    """Return the words of the earlier messages, newest first, with their weights."""
    weights: dict[str, float] = {}
    for age, message in enumerate(messages[:_CONTEXT_MESSAGES]):
        factor = _CONTEXT * _FADING**age
        for word, weight in message_words(message[:_CONTEXT_LENGTH]).items():
            weights.setdefault(word, factor * weight)
    return weights


@cache
def _request_words() -> frozenset[str]:
    return frozenset(_stem(fold(word)) for word in TEXTS.words("words.requests"))


@lru_cache(maxsize=65_536)
def _topic(word: str) -> str | None:
    """Return the stem of a word that carries a topic; None for a stopword."""
    return None if is_stopword(word) else _stem(word)


def _stem(word: str) -> str:
    if "א" <= word[0] <= "ת":
        return hebrew_stem(word)
    word = word.removesuffix("'s")
    return _english_stem(word) if word.isascii() and word.isalpha() else word


def _english_stem(word: str) -> str:
    """Return a word without the endings of number, tense and derivation ("citi" for "cities")."""
    if word.endswith("ies") and len(word) > _MIN_LETTERS:
        word = word[:-3] + "y"
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and not set(root).isdisjoint("aeiouy"):
            is_doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"
            word = root[:-1] if is_doubled else root
            break
    if len(word) >= _MIN_LETTERS:
        word = word.removesuffix("e")
    for ending in ("ation", "ment", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_LETTERS:
            return word.removesuffix(ending)
    return word[:-1] + "i" if word.endswith("y") and len(word) > _MIN_LETTERS else word


class Trigrams:
    """Finds words of a vocabulary with similar spelling, in any alphabet.

    "Investor" finds "invest", and a misspelt word the right one. The similarity of two words is
    Dice's coefficient: twice their shared trigrams over the trigrams of both.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._sizes: list[int] = []
        self._words: dict[str, list[int]] = {}
        for number, word in enumerate(vocabulary):
            found = _trigrams(word)
            self._sizes.append(len(found))
            for trigram in found:
                self._words.setdefault(trigram, []).append(number)

    def similar(self, word: str) -> list[tuple[int, float]]:
        """Return the few words most similar to another, without the word itself: their numbers in
        the vocabulary, and their similarities.

        A word with digits has no similar ones: 2023 is not 2024.
        """
        if not word.isalpha():
            return []
        own = _trigrams(word)
        # A word that shares fewer trigrams cannot be similar at any length.
        fewest = _MIN_SIMILARITY * (len(own) + 1) / 2
        holders = (self._words.get(trigram, ()) for trigram in own)
        similarities = {
            number: 2 * shared / (len(own) + self._sizes[number])
            for number, shared in Counter(chain.from_iterable(holders)).items()
            if shared >= fewest
        }
        near = {n: each for n, each in similarities.items() if _MIN_SIMILARITY <= each < 1}
        return best(near, _MAX_SIMILAR)


def _trigrams(word: str) -> set[str]:
    padded = f"^{word[:_LONGEST]}$"
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


# By field, how much a word counts there, and how strongly the field's length lowers that.
_FIELD_WEIGHTS = {
    "name": (2.5, 0.4),
    "keywords": (2.5, 0.4),
    "examples": (1.5, 0.5),
    "description": (1.0, 0.4),
    "parameters": (0.6, 0.5),
}
_SATURATION = 1.5
# By how much each required argument lowers the weights, and how many arguments count.
_REQUIRED, _MAX_REQUIRED = 0.07, 8
# The weight of a similar word relative to the word itself.
_SIMILAR = 0.7
# By how much of the distance a clause's best tool is raised towards the message's best one. A
# clause that fits no tool this well is not a request. This many tools of a clause are raised.
_CLAUSE, _MIN_CLAUSE_FIT = 0.5, 0.3
_OF_CLAUSE = 100
# A word of more tools finds enough by itself; its similar words would cost a third more time.
_COMMON = 40


class Searchable(Struct, frozen=True):
    """The searchable fields of a tool.

    Attributes:
        names: Display names in all languages.
        examples: What users say when they want it.
        parameters: Names, each with its description and allowed values.
        required: The number of required arguments.
    """

    id: str
    names: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    required: int = 0

    @property
    def texts(self) -> dict[str, str]:
        """The searched text of each field."""
        parts = {
            "name": [self.id, *self.names],
            "keywords": self.keywords,
            "examples": self.examples,
            "description": [self.description],
            "parameters": [part for parameter in self.parameters for part in parameter],
        }
        return {field: "\n".join(some) for field, some in parts.items()}


class Match(Struct, frozen=True):
    """A tool that a search found.

    Attributes:
        place: Its position in the sequence the index was built from.
        score: Ranks the matches of one query; without a unit.
        fit: How strongly the message itself indicates this tool, 0..1, comparable between messages:
            0.5 means one word that is only this tool's, in its name; 0.67 means two of them. The
            thread's earlier messages do not count.
        share: How much of the message's total word worth this tool matches, 0..1; it can be high
            for a message of few words that many tools have.
        lead: How well it fits relative to the best tool, 0..1, even if that one may not be offered:
            a request for another tool is not one for this.
    """

    place: int
    score: float
    fit: float
    share: float = 0.0
    lead: float = 1.0


class Index:
    """Tools by the words that find them. Any number of threads may search it."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._similar = lru_cache(maxsize=4_096)(Trigrams(postings.words).similar)
        self._rarities = [
            rarity(last - first, postings.size) for first, last in pairwise(postings.starts)
        ]
        self._rarity_of_unknown = rarity(0, postings.size)

    @classmethod
    def build(cls, tools: Sequence[Searchable]) -> Self:
        """Index tools; a match's `place` counts in their order."""
        fields = [
            {name: Counter(words(text)) for name, text in tool.texts.items()} for tool in tools
        ]
        weights = field_weights(fields, _FIELD_WEIGHTS, k=_SATURATION)
        demands = [1 + _REQUIRED * min(tool.required, _MAX_REQUIRED) for tool in tools]
        return cls(
            Postings.build(
                [
                    {word: weight / demand for word, weight in own.items()}
                    for own, demand in zip(weights, demands, strict=True)
                ]
            )
        )

    def dump(self) -> bytes:
        """Return the index as compressed bytes, the same for the same tools."""
        size = self._postings.size.to_bytes(4, "little")
        return pack_sections([size, *self._postings.dump()])

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index from the bytes that `dump` made.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        size, *sections = unpack_sections(data, 5)
        return cls(Postings.load(int.from_bytes(size, "little"), sections))

    def search(
        self,
        text: str,
        *,
        limit: int,
        allowed: bytes | bytearray | None = None,
        context: Sequence[str] = (),
    ) -> list[Match]:
        """Return the at most `limit` tools that fit a message best, best first.

        Args:
            allowed: By place, true where the tool may be offered; None allows all.
            context: The thread's recent messages, newest first: weaker evidence.
        """
        size = self._postings.size
        if allowed is not None and len(allowed) != size:
            raise ValueError(f"allowed has {len(allowed)} places, the index {size}")
        weights = message_words(text)
        own = self._postings.scores_of(self._worths(weights))
        scores = dict(own)
        earlier = {word: n for word, n in context_words(context).items() if word not in weights}
        for place, score in self._postings.scores_of(self._worths(earlier)).items():
            scores[place] = scores.get(place, 0.0) + score
        if allowed is not None:
            scores = {place: score for place, score in scores.items() if allowed[place]}
        if scores:
            self._add_clauses(scores, text, allowed)
        numbers = ((self._postings.number(word), weight) for word, weight in weights.items())
        most = sum(
            weight * (self._rarity_of_unknown if number is None else self._rarities[number])
            for number, weight in numbers
        )
        highest = max(own.values(), default=0.0)
        matches = []
        for place, score in best(scores, limit):
            by_message = own.get(place, 0.0)
            fit = by_message / (by_message + self._rarity_of_unknown)
            share = min(by_message / most, 1.0) if most else 0.0
            lead = by_message / highest if highest else 0.0
            matches.append(Match(place, score, fit, share, lead))
        return matches

    def _add_clauses(
        self,
        scores: dict[int, float],
        text: str,
        allowed: bytes | bytearray | None,
    ) -> None:
        """Raise the scores of tools that fit one of several requests towards the best score."""
        requests: list[dict[int, float]] = []
        for clause in clause_words(text):
            own = self._postings.scores_of(self._worths(clause))
            if allowed is not None:
                own = {place: score for place, score in own.items() if allowed[place]}
            ranked = best(own, _OF_CLAUSE)
            most = ranked[0][1] if ranked else 0.0
            if most / (most + self._rarity_of_unknown) >= _MIN_CLAUSE_FIT:
                requests.append({place: score / most for place, score in ranked})
        if len(requests) < 2:
            return
        highest = max(scores.values())
        for place in set().union(*requests):
            share = max(request.get(place, 0.0) for request in requests)
            scores[place] += _CLAUSE * share * (highest - scores[place])

    def _worths(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Return the worth of each indexed word that matches a message's words, by its number.

        Args:
            weights: The words of the message with their weights.
        """
        worths: dict[int, float] = {}
        starts, rarities = self._postings.starts, self._rarities
        for word, weight in weights.items():
            number, worth = self._postings.number(word), self._rarity_of_unknown
            if number is not None:
                worth = rarities[number]
                worths[number] = worths.get(number, 0.0) + weight * worth
                if starts[number + 1] - starts[number] > _COMMON:
                    continue
            for other, similarity in self._similar(word):
                value = weight * _SIMILAR * similarity * min(worth, rarities[other])
                worths[other] = worths.get(other, 0.0) + value
        return worths
