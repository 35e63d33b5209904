"""Misspelled words of tools: "prioritys", "desicions", "acton itmes"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from rollcall.core.text import HEBREW_PREFIXES, stopwords, tokens
from rollcall.models._offline.lexicon import concept_words, features, spaced
from rollcall.models.base import ToolSpec

_LONG, _FEWEST, _FEWEST_HEBREW = 8, 6, 5
_WORD = re.compile(r"(?<![\w'])[a-z]{6,}(?![\w'])|(?<![\w\"])[א-ת]{5,}(?![\w\"])")
_PAIR = re.compile(r"(?<![\w'])(?=([a-z]{4,}) ([a-z]{4,})(?![\w']))")
_INNER_FINAL = re.compile(r"[ךםןףץ](?=[א-ת])")
# Letters that sound alike or, as vav and yod do, look alike.
_ALIKE = tuple(map(frozenset, ("טת", "כק", "חכ", "אע", "סש", "בו", "וי", "אה")))
_VOWELS = frozenset("וי")

Texts = tuple[tuple[str, tuple[str, ...]], ...]


def corrected(text: str, tools: Sequence[ToolSpec]) -> str:
    """Return a text with slips in long words of the tools' names and keywords mended.

    A slip is one letter too many or too few, or the right letters in a wrong order; the first
    letter has to be right. One letter for another makes another word ("shipping", "shopping"),
    unless the two sound alike in Hebrew. Two words that are both a slip away from a keyword of
    two words may be shorter.
    """
    if not tools:
        return text
    of = tuple((tool.name, tool.keywords) for tool in tools)
    every = tuple(tool.description for tool in tools)
    for first, second in dict.fromkeys(_PAIR.findall(text)):
        mended = _mended_pair(first, second, of)
        if mended != f"{first} {second}":
            text = text.replace(f"{first} {second}", mended)
    return _WORD.sub(lambda match: _mended(match[0], _known(of), every), text)


@lru_cache(maxsize=256)
def _known(tools: Texts) -> frozenset[str]:
    texts = (text for name, keywords in tools for text in (spaced(name), *keywords))
    said = {word for text in texts for word in tokens(text)}
    meant = {feature for word in said for feature in features(word)}
    alike = {word for word in concept_words() if meant.intersection(features(word))}
    return frozenset(word for word in said | alike if len(word) >= _fewest(word))


@lru_cache(maxsize=256)
def _pairs(tools: Texts) -> tuple[tuple[str, str], ...]:
    texts = (text for name, keywords in tools for text in (spaced(name), *keywords))
    every = [tokens(text) for text in texts]
    return tuple({(a, b): None for said in every for a, b in pairwise(said)})


@lru_cache(maxsize=4096)
def _mended_pair(first: str, second: str, tools: Texts) -> str:
    """Return two words as the keyword they are a slip away from; as they are without one."""
    if stopwords() & {first, second}:
        return f"{first} {second}"
    near = (
        f"{a} {b}"
        for a, b in _pairs(tools)
        if _is_short_slip(first, a) and _is_short_slip(second, b)
    )
    return next(near, f"{first} {second}")


def _is_short_slip(word: str, other: str) -> bool:
    return word == other or _is_slip(word, other) or _is_swapped(word, other)


@lru_cache(maxsize=4096)
def _mended(word: str, known: frozenset[str], every: tuple[str, ...]) -> str:
    token = next(iter(tokens(word)), word)
    if token in known or token in concept_words() or token in stopwords() or not known:
        return word
    in_hebrew = _is_hebrew(token)
    near = _near_hebrew(word, known) if in_hebrew else _near(token, known)
    if not near or (_is_said(token, every) and not _INNER_FINAL.search(word)):
        return word
    return near


def _near(token: str, known: frozenset[str]) -> str | None:
    found = (other for other in sorted(known) if _is_slip(token, other))
    swapped = (other for other in sorted(known) if _is_swapped(token, other))
    return next(found, None) or next(swapped, None)


def _near_hebrew(word: str, known: frozenset[str]) -> str | None:
    """Return the known word that is meant, with the letters glued in front of it."""
    token = next(iter(tokens(word)), word)
    prefixes = [""] + [token[:size] for size in (1, 2) if set(token[:size]) <= HEBREW_PREFIXES]
    if any(token.removeprefix(prefix) in known for prefix in prefixes):
        return None
    broken = _INNER_FINAL.search(word) is not None
    for prefix in prefixes:
        rest = token[len(prefix) :]
        for other in sorted(known) if len(rest) >= _FEWEST_HEBREW else ():
            slip = _is_slip(rest, other) or _is_swapped(rest, other)
            if slip or _is_hebrew_slip(rest, other, broken=broken):
                return prefix + other
    return None


def _is_hebrew_slip(word: str, other: str, *, broken: bool) -> bool:
    """Tell whether a word has one wrong letter that sounds alike, or lacks a vowel's letter.

    Args:
        word: The word as written.
        other: The word it may be.
        broken: Whether it was written with a final letter inside: no word is, so any will do.
    """
    if not _is_hebrew(other) or word[0] != other[0]:
        return False
    if len(word) == len(other):
        wrong = [frozenset(pair) for pair in zip(word, other, strict=True) if pair[0] != pair[1]]
        return len(wrong) == 1 and (broken or wrong[0] in _ALIKE)
    left_out = [at for at in range(1, len(other)) if other[:at] + other[at + 1 :] == word]
    return any(other[at] in _VOWELS for at in left_out)


def _fewest(word: str) -> int:
    return _FEWEST_HEBREW if _is_hebrew(word) else _FEWEST


def _is_hebrew(word: str) -> bool:
    return "א" <= word[0] <= "ת"


def _is_said(token: str, texts: tuple[str, ...]) -> bool:
    wanted = set(features(token))
    return any(wanted <= set(features(text)) for text in texts)


def _is_swapped(word: str, other: str) -> bool:
    """Tell whether two letters beside each other, the first one left out, are swapped."""
    if len(word) != len(other) or word[0] != other[0]:
        return False
    wrong = [at for at in range(len(word)) if word[at] != other[at]]
    return len(wrong) == 2 and wrong[1] == wrong[0] + 1 and sorted(word) == sorted(other)


def _is_slip(word: str, other: str) -> bool:
    if word[0] != other[0] or abs(len(word) - len(other)) > 1 or word == other:
        return False
    if sorted(word) == sorted(other):
        return len(word) >= _LONG
    if _is_hebrew(word):
        return False  # one more letter makes another Hebrew word
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if start is None:
        return word.rstrip("s") != other.rstrip("s")
    long_, short = (word, other) if len(word) >= len(other) else (other, word)
    return len(long_) > len(short) and long_[start + 1 :] == short[start:]
