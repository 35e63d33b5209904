"""Several rankings made one."""

from __future__ import annotations

from rollcall.core.fusion import fused


def test_what_stands_first_in_every_ranking_scores_1() -> None:
    scores = fused([["a", "b"], ["a", "c"]])
    assert scores["a"] == 1
    assert scores["b"] == scores["c"] < 0.5


def test_two_middling_places_beat_one_first_place() -> None:
    scores = fused([["a", "x", "b"], ["c", "y", "b"]])
    assert max(scores, key=scores.__getitem__) == "b"
