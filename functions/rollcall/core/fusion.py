"""Several rankings of the same things made one: by how good each thing is, or by rank alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

_RANK = 60

K = TypeVar("K")


def fused(rankings: Sequence[Iterable[K]]) -> dict[K, float]:
    """Each thing's score, 0..1: 1 where it stands first in every ranking.

    Source:
        Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
        rank learning methods", SIGIR 2009, with its constant of 60.
    """
    best = len(rankings) / (_RANK + 1)
    scores: dict[K, float] = {}
    for ranking in rankings:
        for rank, thing in enumerate(ranking, start=1):
            scores[thing] = scores.get(thing, 0.0) + 1 / (_RANK + rank) / best
    return scores


def weighed(
    words: Sequence[tuple[K, float]], near: Sequence[tuple[K, float]], *, meaning: float
) -> dict[K, float]:
    """Each thing's score, 0..1, by what it is worth beside the best of its ranking: by words its
    score, in meaning how much nearer it is than the last.

    By rank alone the tenth is nearly as good as the first, however far behind; measured with a
    real embedder, that lost to the words alone. And cosines of one embedder say nothing beside
    those of another, nor beside scores.

    Args:
        words: Things with their scores, above 0, best first.
        near: Things with their cosines, nearest first.
        meaning: What the nearest counts of what the best by words does.
    """
    scores = {thing: score / words[0][1] for thing, score in words}
    for thing, cosine in near:
        nearer = _above(near[-1][1], cosine, near[0][1])
        scores[thing] = scores.get(thing, 0.0) + meaning * nearer
    return {thing: score / (1 + meaning) for thing, score in scores.items()}


def _above(least: float, value: float, most: float) -> float:
    """Where a value lies between two others, 0..1; 1 where they are the same."""
    return (value - least) / (most - least) if most > least else 1.0
