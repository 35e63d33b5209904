"""Several rankings made one."""

from __future__ import annotations

import pytest

from rollcall.core.fusion import fused, weighed


def test_what_stands_first_in_every_ranking_scores_1() -> None:
    scores = fused([["a", "b"], ["a", "c"]])
    assert scores["a"] == 1
    assert scores["b"] == scores["c"] < 0.5


def test_two_middling_places_beat_one_first_place() -> None:
    scores = fused([["a", "x", "b"], ["c", "y", "b"]])
    assert max(scores, key=scores.__getitem__) == "b"


def test_the_best_of_both_has_the_full_score_and_the_last_in_meaning_adds_nothing() -> None:
    scores = weighed([("a", 4.0), ("b", 2.0)], [("a", 0.7), ("c", 0.6), ("b", 0.5)], meaning=0.5)
    assert scores["a"] == 1
    assert scores["b"] == pytest.approx(0.5 / 1.5)
    assert scores["c"] == pytest.approx(0.25 / 1.5)


@pytest.mark.parametrize(("raised", "stretched"), [(0.4, 1.0), (0.0, 3.0)])
def test_the_scale_of_neither_ranking_matters(raised: float, stretched: float) -> None:
    words, near = [("a", 4.0), ("b", 3.0)], [("b", 0.5), ("a", 0.2), ("c", 0.1)]
    other = [(thing, raised + stretched * cosine) for thing, cosine in near]
    louder = [(thing, 10 * score) for thing, score in words]
    assert weighed(louder, other, meaning=0.75) == pytest.approx(weighed(words, near, meaning=0.75))


def test_with_one_ranking_alone_its_order_stays_when_scores_are_weighed() -> None:
    assert weighed([("a", 4.0), ("b", 1.0)], [], meaning=1) == {"a": 0.5, "b": 0.125}
    assert weighed([], [("a", 0.4)], meaning=1) == {"a": 0.5}
    assert weighed([], [], meaning=1) == {}
