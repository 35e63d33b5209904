"""Words of tools and messages in a form that can be compared, and words of similar spelling.

Lighter than `core.text.terms`: an English word loses its plainest endings only, in plain Python and
without the stemmer's import. What that leaves apart ("invest" and "investor") `Trigrams` joins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from rollcall.core.search import best
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
    word = _singular(word)
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


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _FEWEST_LETTERS:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


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
