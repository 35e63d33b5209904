"""BM25 over a tool's words, stemmed, without stopwords: the baseline of the word search.

Nothing of the search itself is in it: one field of name, description and parameters, Snowball
stems, k1 = 1.5, b = 0.75.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from heapq import nlargest

from rollcall.core.text import terms
from rollcall.registry.index import Searchable

_K1, _B = 1.5, 0.75
_SAMPLES = 10_000


class Bm25:
    """Tools ranked by BM25."""

    def __init__(self, tools: Sequence[Searchable]) -> None:
        texts = [terms(_text(tool)) for tool in tools]
        mean = sum(map(len, texts)) / max(len(texts), 1) or 1.0
        self._size = len(tools)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for place, words in enumerate(texts):
            length = _K1 * (1 - _B + _B * len(words) / mean)
            for word, times in Counter(words).items():
                weight = times * (_K1 + 1) / (times + length)
                self._postings.setdefault(word, []).append((place, weight))

    def search(self, text: str, limit: int) -> list[int]:
        """Return the places of the best tools, best first."""
        scores: dict[int, float] = {}
        for word in terms(text):
            found = self._postings.get(word, ())
            rarity = math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            for place, weight in found:
                scores[place] = scores.get(place, 0.0) + rarity * weight
        best = nlargest(limit, ((score, -place) for place, score in scores.items()))
        return [-place for _, place in best]


def chance(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the p of a paired bootstrap: how often resampled queries favour not ours.

    One-sided, over 10,000 samples; the same figures give the same p.
    """
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    draw = random.Random(0)
    count = len(differences)
    not_better = sum(sum(draw.choices(differences, k=count)) <= 0 for _ in range(_SAMPLES))
    return not_better / _SAMPLES


def _text(tool: Searchable) -> str:
    described = (part for parameter in tool.parameters for part in parameter)
    return "\n".join([tool.id, tool.description, *described])
