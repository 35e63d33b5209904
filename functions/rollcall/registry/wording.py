"""The words of tools and of messages, cut so that they can be compared.

Lighter than `core.text.terms`: an English word loses its plainest endings only, in plain Python and
without the stemmer's import. What that leaves apart ("invest" and "investor") `likeness` joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from rollcall.core.text import fold, hebrew_stem, is_stopword, tokens

# A message's beginning and end hold its request; more is a document pasted into it.
_HEAD, _TAIL = 2_000, 4_000
_CONTEXT_MESSAGES, _CONTEXT_LENGTH = 4, 500
# What was said before counts a fifth of what is said now, and less the longer ago it was.
_CONTEXT, _FADING = 0.2, 0.6
# Words that ask for anything at all say less of what is asked for.
_ASKING = 0.7
_ASKING_WORDS = """
able according advice answer ask assist available based believe bring comprehensive consider current
currently detail detailed discover effective ensure example exact explain explore find follow give
go good great guide hello help hope idea include inform information interested keep know latest
learn like look make many mind need new offer please plan possible prefer provide question recent
recommend regard related relevant search see share show specific suggest suggestion take talk tell
think today try understand use various want way wish wonder work
בבקשה חפש למצוא מידע מעוניין מעוניינת עזור עזרה פרטים רוצה תגיד תמצא תן תראה
"""
_FEWEST_LETTERS = 4
# Of what stands between two spaces, so much is kept as it was cut before.
_LONGEST_KEPT = 40
_PUNCTUATION = '.,:;!?()[]"'


def words(text: str) -> list[str]:
    """Return the stems of the words that carry a topic, in order."""
    pieces = text.split()
    is_usual = max(map(len, pieces), default=0) <= _LONGEST_KEPT
    return [*chain.from_iterable(map(_kept_cut if is_usual else _cut, pieces))]


def asked(message: str) -> dict[str, float]:
    """Return the words of a message with how much each counts, 0..1."""
    found = dict.fromkeys(words(_essence(message)), 1.0)
    for word in _asking_stems().intersection(found):
        found[word] = _ASKING
    return found


def mentioned(context: Sequence[str]) -> dict[str, float]:
    """Return the words of the messages before, newest first, with how much each counts."""
    found: dict[str, float] = {}
    for age, message in enumerate(context[:_CONTEXT_MESSAGES]):
        weight = _CONTEXT * _FADING**age
        for word, counts in asked(message[:_CONTEXT_LENGTH]).items():
            found.setdefault(word, weight * counts)
    return found


def _essence(text: str) -> str:
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def _cut(piece: str) -> Sequence[str]:
    """The stems of what stands between two spaces; what a word is cut by reaches no farther."""
    bare = piece.strip(_PUNCTUATION)
    if bare.isascii() and bare.isalpha() and bare[1:].islower():
        word = bare.lower()
        return () if is_stopword(word) else (_stem(word),)
    return [_stem(token) for token in tokens(piece) if not is_stopword(token)]


_kept_cut = lru_cache(maxsize=16_384)(_cut)


@lru_cache(maxsize=1)
def _asking_stems() -> frozenset[str]:
    return frozenset(_stem(fold(word)) for word in _ASKING_WORDS.split())


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if "א" <= word[0] <= "ת":
        return hebrew_stem(word)
    word = word.removesuffix("'s")
    return _english_stem(word) if word.isascii() and word.isalpha() else word


def _english_stem(word: str) -> str:
    """A word without the endings of number, tense and plain derivation: "cities" is "citi"."""
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
