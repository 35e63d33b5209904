"""Ranks a teacher's items by the words of a query, with the engine's own search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rollcall.core.search import Postings, best, field_weights, rarity
from rollcall.core.text import terms

_LENGTH_DAMPING = 0.5
_HALF_WEIGHT = 1.2
_MIN_SHARE = 0.3
"""Least score of a result, as a share of the best one's; below it only common words match."""


def ranked(
    query: str, items: Sequence[Mapping[str, str]], boosts: Mapping[str, float], *, limit: int
) -> list[tuple[int, float]]:
    """Return the positions of the items that match the query, best first, with scores.

    Args:
        items: The texts of each item, by field.
        boosts: The weight of a word in each field.
    """
    query_terms = list(dict.fromkeys(terms(query)))
    counted = [{name: Counter(terms(item.get(name, ""))) for name in boosts} for item in items]
    if not query_terms or not counted:
        return []
    fields = {name: (boost, _LENGTH_DAMPING) for name, boost in boosts.items()}
    postings = Postings.build(field_weights(counted, fields, k=_HALF_WEIGHT))
    worths = {word: rarity(postings.count(word), postings.size) for word in query_terms}
    found = best(postings.scores(worths), limit)
    least = found[0][1] * _MIN_SHARE if found else 0.0
    most = sum(worths.values())
    return [(place, round(score / most, 4)) for place, score in found if score >= least]
