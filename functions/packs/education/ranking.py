"""Ranking of a teacher's things by the words of a question, with the engine's own search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rollcall.core.search import Postings, best, field_weights, rarity
from rollcall.core.text import terms

_LENGTH_DAMPING = 0.5
_HALF_WEIGHT = 1.2
_LEAST_SHARE = 0.3
"""Of the best one's score; what has less only shares a common word with the question."""


def ranked(
    query: str, items: Sequence[Mapping[str, str]], boosts: Mapping[str, float], *, limit: int
) -> list[tuple[int, float]]:
    """Return the places of the items that have words of the query, best first, with scores.

    Args:
        items: Their texts by field.
        boosts: What a word counts in each field.
    """
    asked = list(dict.fromkeys(terms(query)))
    counted = [{name: Counter(terms(item.get(name, ""))) for name in boosts} for item in items]
    if not asked or not counted:
        return []
    fields = {name: (boost, _LENGTH_DAMPING) for name, boost in boosts.items()}
    postings = Postings.build(field_weights(counted, fields, k=_HALF_WEIGHT))
    worths = {word: rarity(postings.count(word), postings.size) for word in asked}
    found = best(postings.scores(worths), limit)
    least = found[0][1] * _LEAST_SHARE if found else 0.0
    most = sum(worths.values())
    return [(place, round(score / most, 4)) for place, score in found if score >= least]
