"""Word index of the tools.

A word weighs in a tool by the fields it stands in, a name more than a description, long fields
damped, and saturated (BM25F). A tool that needs many arguments weighs a little less: a message
seldom says that much. A message scores a tool by the rarity of its words times their weights there,
and by the words that are written like them, which count less. Where a message has several clauses,
a tool also counts by how well it fits one of them: it may be one of several requests.

The words are lighter than those of `core.text.terms`: an English word loses its plainest endings
only, in plain Python and without the stemmer's import. What that leaves apart ("invest" and
"investor") `Trigrams` joins.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import NamedTuple, Self

from msgspec import Struct

from rollcall.core.search import (
    FULL_WEIGHT,
    Postings,
    best,
    field_weights,
    pack_array,
    pack_sections,
    rarity,
    unpack_array,
    unpack_sections,
)
from rollcall.core.text import fold, hebrew_stem, is_stopword, tokens
from rollcall.core.texts import TEXTS

# A message's beginning and end hold its request; more is a document pasted into it.
_HEAD, _TAIL = 2_000, 4_000
_CONTEXT_MESSAGES, _CONTEXT_LENGTH = 4, 500
# What was said before counts a fifth of what is said now, and less the longer ago it was.
_CONTEXT, _FADING = 0.2, 0.6
# Words that ask for anything at all say less of what is asked for.
_REQUEST = 0.7
_FEWEST_LETTERS = 4
# Clauses of a message: how many words one has at least, and how many are looked at.
_FEWEST_WORDS, _MOST_CLAUSES, _LONGEST_REQUEST = 2, 8, 1_000
# Words are similar that share this much of their trigrams; a few of them count, and long words are
# compared by their beginnings.
_LEAST_SIMILARITY, _MOST_SIMILAR, _LONGEST = 0.4, 3, 40


def words(text: str) -> list[str]:
    """Return the stems of the words that carry a topic, in order."""
    return [stem for token in tokens(text) if (stem := _topic(token))]


def message_words(message: str) -> dict[str, float]:
    """Return the words of a message with their weights, 0..1."""
    if len(message) > _HEAD + _TAIL:
        message = f"{message[:_HEAD]}\n{message[-_TAIL:]}"
    found = dict.fromkeys(words(message), 1.0)
    for word in _request_words().intersection(found):
        found[word] = _REQUEST
    return found


def clause_words(message: str) -> list[dict[str, float]]:
    """Return the words of each clause of a message, as `message_words` does; none if it is one."""
    if len(message) > _LONGEST_REQUEST:
        return []
    clauses = map(message_words, _connective().split(message.lower()))
    found = [words for words in clauses if len(words) >= _FEWEST_WORDS]
    return found[:_MOST_CLAUSES] if len(found) > 1 else []


@cache
def _connective() -> re.Pattern[str]:
    """The pattern of what stands between clauses: marks, words, a glued Hebrew "and"."""
    said = "|".join(map(re.escape, sorted(TEXTS.phrases("words.connectives"), key=len)[::-1]))
    return re.compile(rf"[,.?!;:\n]+(?=\s|$)|\s(?:{said})(?=\s)|\sו(?=[א-ת]{{3}})")


def context_words(messages: Sequence[str]) -> dict[str, float]:
    """Return the words of the earlier messages, newest first, with their weights."""
    found: dict[str, float] = {}
    for age, message in enumerate(messages[:_CONTEXT_MESSAGES]):
        weight = _CONTEXT * _FADING**age
        for word, counts in message_words(message[:_CONTEXT_LENGTH]).items():
            found.setdefault(word, weight * counts)
    return found


@cache
def _request_words() -> frozenset[str]:
    return frozenset(_stem(fold(word)) for word in TEXTS.words("words.requests"))


@lru_cache(maxsize=65_536)
def _topic(word: str) -> str | None:
    """Return the stem of a word that carries a topic; None of any other."""
    return None if is_stopword(word) else _stem(word)


def _stem(word: str) -> str:
    if "א" <= word[0] <= "ת":
        return hebrew_stem(word)
    word = word.removesuffix("'s")
    return _english_stem(word) if word.isascii() and word.isalpha() else word


def _english_stem(word: str) -> str:
    """Return a word without the endings of number, tense and derivation ("citi" for "cities")."""
    if word.endswith("ies") and len(word) > _FEWEST_LETTERS:
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
    if len(word) >= _FEWEST_LETTERS:
        word = word.removesuffix("e")
    for ending in ("ation", "ment", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= _FEWEST_LETTERS:
            return word.removesuffix(ending)
    return word[:-1] + "i" if word.endswith("y") and len(word) > _FEWEST_LETTERS else word


class SimilarWord(NamedTuple):
    """A word by its number in a vocabulary, and how similar it is to another, below 1."""

    number: int
    similarity: float


class Trigrams:
    """Finds words of a vocabulary with similar spelling, in any alphabet.

    "Investor" finds "invest", and a typing error the word that was meant. The similarity of two
    words is Dice's: twice the trigrams they share over the trigrams of both.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._sizes: list[int] = []
        self._words: dict[str, list[int]] = {}
        for number, word in enumerate(vocabulary):
            found = _trigrams(word)
            self._sizes.append(len(found))
            for trigram in found:
                self._words.setdefault(trigram, []).append(number)

    def similar(self, word: str) -> list[SimilarWord]:
        """Return the few words most similar to another, which itself is not among them.

        What has digits in it is like nothing else: 2023 is not 2024.
        """
        if not word.isalpha():
            return []
        own = _trigrams(word)
        # Whoever shares fewer is too unlike at any length.
        fewest = _LEAST_SIMILARITY * (len(own) + 1) / 2
        holders = (self._words.get(trigram, ()) for trigram in own)
        similarities = {
            number: 2 * shared / (len(own) + self._sizes[number])
            for number, shared in Counter(chain.from_iterable(holders)).items()
            if shared >= fewest
        }
        near = {n: each for n, each in similarities.items() if _LEAST_SIMILARITY <= each < 1}
        return [SimilarWord(*each) for each in best(near, _MOST_SIMILAR)]


def _trigrams(word: str) -> set[str]:
    padded = f"^{word[:_LONGEST]}$"
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


# How much a word counts by the field it stands in, and how far the field's length damps it.
_FIELD_WEIGHTS = {
    "name": (2.5, 0.4),
    "keywords": (2.5, 0.4),
    "examples": (1.5, 0.5),
    "description": (1.0, 0.4),
    "parameters": (0.6, 0.5),
}
_SATURATION = 1.5
# By how much each required argument damps, and how many do.
_REQUIRED, _MOST_REQUIRED = 0.07, 8
# What a similar word counts of the word itself.
_SIMILAR = 0.7
# How much nearer the best tool of a clause comes to the message's best one. A clause that fits no
# tool as well as this is no request; so many of its tools are raised.
_CLAUSE, _LEAST_CLAUSE_FIT = 0.5, 0.3
_OF_CLAUSE = 100
# A word that more tools have finds enough by itself; looking for words like it costs a third more.
_COMMON = 40


class Searchable(Struct, frozen=True):
    """What the index holds of a tool.

    Attributes:
        names: Display names, of all languages.
        examples: What users say when they want it.
        parameters: Names, each with its description and allowed values.
        required: How many arguments a call must have.
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
        """What is searched, by field."""
        parts = {
            "name": [self.id, *self.names],
            "keywords": self.keywords,
            "examples": self.examples,
            "description": [self.description],
            "parameters": [part for parameter in self.parameters for part in parameter],
        }
        return {field: "\n".join(found) for field, found in parts.items()}


class Match(Struct, frozen=True):
    """A tool that was found.

    Attributes:
        place: Its position in the sequence the index was built from.
        score: Ranks the matches of one query; no unit.
        fit: How strongly the message itself speaks for this tool, 0..1, comparable between
            messages: 0.5 is as much as one word that is this tool's alone and its very name,
            0.67 as much as two of them. The thread's earlier messages do not count.
        share: How much of what the message itself says this tool answers, 0..1: also of one that
            says little, in words that many tools have.
        lead: How well it fits beside the tool that fits best, 0..1, also where that one may not be
            offered: what another tool is for is no request for this one.
    """

    place: int
    score: float
    fit: float
    share: float = 0.0
    lead: float = 1.0


class Index:
    """Tools by the words that find them. Any number of threads may search it."""

    def __init__(
        self,
        postings: Postings,
        trigrams: Trigrams,
        similar: tuple[array[int], array[int], bytes],
    ) -> None:
        """Take the words with their tools, and the words that are similar to each.

        Args:
            similar: Where each word's similar words begin in the next, and after the last their
                end; their numbers; how similar each is, 1..FULL_WEIGHT.
        """
        self._postings = postings
        self._similar = similar
        self._similar_to_unknown = lru_cache(maxsize=4_096)(trigrams.similar)
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
        demands = [1 + _REQUIRED * min(tool.required, _MOST_REQUIRED) for tool in tools]
        postings = Postings.build(
            [
                {word: weight / demand for word, weight in found.items()}
                for found, demand in zip(weights, demands, strict=True)
            ]
        )
        trigrams = Trigrams(postings.words)
        starts, near, similarities = array("I", [0]), array("I"), bytearray()
        for word in postings.words:
            for found in trigrams.similar(word):
                near.append(found.number)
                similarities.append(round(FULL_WEIGHT * found.similarity))
            starts.append(len(near))
        return cls(postings, trigrams, (starts, near, bytes(similarities)))

    def dump(self) -> bytes:
        """Return the index as compressed bytes, the same for the same tools."""
        starts, near, similarities = self._similar
        sizes = pack_array("I", [self._postings.size])
        similar = [pack_array("I", starts), pack_array("I", near), similarities]
        return pack_sections([sizes, *self._postings.dump(), *similar])

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index that `dump` made bytes of.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        size, *sections, starts, near, similarities = unpack_sections(data, 8)
        postings = Postings.load(int.from_bytes(size, "little"), sections)
        similar = (unpack_array("I", starts), unpack_array("I", near), similarities)
        whole = (
            len(postings.words) == len(similar[0]) - 1
            and similar[0][-1] == len(similar[1]) == len(similarities)
            and max(similar[1], default=-1) < len(postings.words)
        )
        if not whole:
            raise ValueError("a damaged index: its words do not belong together")
        return cls(postings, Trigrams(postings.words), similar)

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
        said = message_words(text)
        own = self._postings.scores_of(self._worths(said))
        scores = dict(own)
        before = {word: n for word, n in context_words(context).items() if word not in said}
        for place, score in self._postings.scores_of(self._worths(before)).items():
            scores[place] = scores.get(place, 0.0) + score
        if allowed is not None:
            scores = {place: score for place, score in scores.items() if allowed[place]}
        if scores:
            self._add_clauses(scores, text, allowed)
        numbers = ((self._postings.number(word), counts) for word, counts in said.items())
        most = sum(
            counts * (self._rarity_of_unknown if number is None else self._rarities[number])
            for number, counts in numbers
        )
        highest = max(own.values(), default=0.0)
        matches = []
        for place, score in best(scores, limit):
            met = own.get(place, 0.0)
            fit = met / (met + self._rarity_of_unknown)
            share = min(met / most, 1.0) if most else 0.0
            matches.append(Match(place, score, fit, share, met / highest if highest else 0.0))
        return matches

    def _add_clauses(
        self,
        scores: dict[int, float],
        text: str,
        allowed: bytes | bytearray | None,
    ) -> None:
        """Raise tools that fit one of several requests towards the score of the best one."""
        requests: list[dict[int, float]] = []
        for clause in clause_words(text):
            found = self._postings.scores_of(self._worths(clause))
            if allowed is not None:
                found = {place: score for place, score in found.items() if allowed[place]}
            ranked = best(found, _OF_CLAUSE)
            most = ranked[0][1] if ranked else 0.0
            if most / (most + self._rarity_of_unknown) >= _LEAST_CLAUSE_FIT:
                requests.append({place: score / most for place, score in ranked})
        if len(requests) < 2:
            return
        highest = max(scores.values())
        for place in set().union(*requests):
            share = max(request.get(place, 0.0) for request in requests)
            scores[place] += _CLAUSE * share * (highest - scores[place])

    def _worths(self, said: Mapping[str, float]) -> dict[int, float]:
        """Return the words of tools that a message's words meet, with what each is worth.

        Args:
            said: The words of the message, with how much each counts.
        """
        worths: dict[int, float] = {}
        starts, rarities = self._postings.starts, self._rarities
        first, near, similarities = self._similar
        for word, counts in said.items():
            number = self._postings.number(word)
            if number is None:
                worth, similar = self._rarity_of_unknown, self._similar_to_unknown(word)
            else:
                worth = rarities[number]
                worths[number] = worths.get(number, 0.0) + counts * worth
                is_common = starts[number + 1] - starts[number] > _COMMON
                places = () if is_common else range(first[number], first[number + 1])
                similar = [SimilarWord(near[at], similarities[at] / FULL_WEIGHT) for at in places]
            for other, similarity in similar:
                value = counts * _SIMILAR * similarity * min(worth, rarities[other])
                worths[other] = worths.get(other, 0.0) + value
        return worths
