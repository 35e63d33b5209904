"""Misspelled words of tools: "prioritys", "desicions"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rollcall.core.text import tokens
from rollcall.models._offline.lexicon import concept_words, features, spaced
from rollcall.models.base import ToolSpec

_LONG = 8
_WORD = re.compile(r"(?<![\w'])[a-z]{6,}(?![\w'])|(?<![\w\"])[א-ת]{6,}(?![\w\"])")


def corrected(text: str, tools: Sequence[ToolSpec]) -> str:
    """Return a text with slips in long words of the tools' names and keywords mended.

    A slip is one letter too many or too few, or the right letters in a wrong order; the first
    letter has to be right. One letter for another makes another word: "shipping", "shopping".
    """
    if not tools:
        return text
    known = _known(tuple((tool.name, tool.keywords) for tool in tools))
    every = tuple(tool.description for tool in tools)
    return _WORD.sub(lambda match: _mended(match[0], known, every), text)


@lru_cache(maxsize=256)
def _known(tools: tuple[tuple[str, tuple[str, ...]], ...]) -> frozenset[str]:
    texts = (text for name, keywords in tools for text in (spaced(name), *keywords))
    said = {word for text in texts for word in tokens(text)}
    meant = {feature for word in said for feature in features(word)}
    alike = {word for word in concept_words() if meant.intersection(features(word))}
    return frozenset(word for word in said | alike if len(word) >= 6)


@lru_cache(maxsize=4096)
def _mended(word: str, known: frozenset[str], every: tuple[str, ...]) -> str:
    token = next(iter(tokens(word)), word)
    if token in known or token in concept_words() or not known:
        return word
    near = [other for other in sorted(known) if _is_slip(token, other)]
    if not near or _is_said(token, every):
        return word
    return near[0]


def _is_said(token: str, texts: tuple[str, ...]) -> bool:
    wanted = set(features(token))
    return any(wanted <= set(features(text)) for text in texts)


def _is_slip(word: str, other: str) -> bool:
    if word[0] != other[0] or abs(len(word) - len(other)) > 1 or word == other:
        return False
    if sorted(word) == sorted(other):
        return len(word) >= _LONG
    if "א" <= word[0] <= "ת":
        return False  # one more letter makes another Hebrew word
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if start is None:
        return word.rstrip("s") != other.rstrip("s")
    long_, short = (word, other) if len(word) >= len(other) else (other, word)
    return len(long_) > len(short) and long_[start + 1 :] == short[start:]
