"""Reciprocal rank fusion: several rankings of the same things made one."""

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
