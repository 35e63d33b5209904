"""The search over words and vectors finds what adding up every item finds."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from operator import mul

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.core.search import (
    FULL_WEIGHT,
    Postings,
    best,
    merge,
    pack_sections,
    quantized,
    rarity,
    saturated,
    unpack_sections,
)
from tests.support.full_form import amount

SHARES = (0.001, 0.005, 0.02, 0.05, 0.2, 0.6, 1.0)
Items = list[dict[str, float]]


def random_items(size: int, words: int, draw: random.Random) -> Items:
    """Items with their words: some words are in one of a thousand items, some in each."""
    items: Items = [{} for _ in range(size)]
    for word in range(words):
        for place in draw.sample(range(size), max(1, round(size * draw.choice(SHARES)))):
            items[place][f"w{word}"] = draw.choice((1, 80, draw.randint(1, 255), 255)) / FULL_WEIGHT
    return items


def sums_of_all(items: Items, worths: Mapping[str, float]) -> dict[int, float]:
    found = ({word: item[word] for word in worths if word in item} for item in items)
    return {
        place: sum(worths[word] * weight for word, weight in each.items())
        for place, each in enumerate(found)
        if each
    }


@pytest.mark.long
@settings(max_examples=amount(10, full=40), deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from((1, 30, 40, 700)))
def test_the_scores_are_those_that_adding_up_every_item_gives(
    draw: random.Random, size: int
) -> None:
    items = random_items(size, 30, draw)
    postings = Postings.build(items)
    for _ in range(5):
        words = draw.sample(range(32), draw.randint(0, 30))
        worths = {f"w{word}": draw.uniform(0.01, 9) for word in words}
        assert postings.scores(worths) == pytest.approx(sums_of_all(items, worths))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(0, 99), st.sampled_from((1.0, 2.0, 2.5, 3.0))), st.integers(0, 9)
)
def test_the_best_come_first_and_of_one_score_the_earlier(
    scores: dict[int, float], limit: int
) -> None:
    assert (
        best(scores, limit) == sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit]
    )


def test_a_word_counts_its_items_and_knows_their_places() -> None:
    postings = Postings.build([{"a": 1}, {}, {"a": 0.5, "b": 0.001}])
    assert [list(postings.places_of(word)) for word in ("a", "b", "c")] == [[0, 2], [2], []]
    assert [postings.count(word) for word in ("a", "b", "c")] == [2, 1, 0]
    assert postings.number("b") == 1 and postings.number("c") is None
    assert min(postings.weights) == 1


@pytest.mark.parametrize("kind", ["H", "I"])
def test_dumped_and_loaded_postings_find_the_same(kind: str) -> None:
    items = random_items(40, 20, random.Random(3))
    postings = Postings.build(items)
    loaded = Postings.load(40, postings.dump(kind), kind)  # type: ignore[arg-type]
    worths = {f"w{word}": 1.0 for word in range(20)}
    assert loaded.scores(worths) == postings.scores(worths)
    assert loaded.dump(kind) == postings.dump(kind)  # type: ignore[arg-type]
    assert Postings.load(0, Postings.build([]).dump()).scores({"a": 1}) == {}


def test_threads_that_ask_at_once_are_answered_as_one_is() -> None:
    draw = random.Random(2)
    items = random_items(500, 60, draw)
    asked = [
        {f"w{word}": draw.uniform(1, 9) for word in draw.sample(range(60), 12)} for _ in range(100)
    ]
    postings = Postings.build(items)
    expected = [postings.scores(worths) for worths in asked]
    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(postings.scores, asked * 3)] == expected * 3


def test_columns_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="do not belong together"):
        Postings(2, ["a"], array("I", [0, 2]), array("I", [0, 2]), b"\1\1")
    with pytest.raises(ValueError, match="do not belong together"):
        Postings(3, ["a"], array("I", [0, 1]), array("I", [0, 2]), b"\1\1")
    with pytest.raises(ValueError, match="do not belong together"):
        Postings(3, ["a", "b"], array("I", [0, 2]), array("I", [0, 2]), b"\1\1")


def test_rare_words_and_repeated_ones_count_more() -> None:
    assert rarity(0, 10) > rarity(1, 10) > rarity(10, 10) > 0
    assert saturated(1, k=1.2, b=0.6) == pytest.approx(1 / 2.2)
    assert saturated(2, 1.0, k=1.2, b=0.6) > saturated(1, 1.0, k=1.2, b=0.6)
    assert saturated(1, 2.0, k=1.2, b=0.6) < saturated(1, 1.0, k=1.2, b=0.6)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-10],
        lambda data: data[:40] + b"\0\0\0" + data[43:],
        lambda data: data + data,
    ],
)
def test_damaged_and_foreign_blocks_are_refused(damage) -> None:  # type: ignore[no-untyped-def]
    data = pack_sections([b"one", b"", b"three" * 20])
    assert unpack_sections(data, 3) == [b"one", b"", b"three" * 20]
    with pytest.raises(ValueError, match="index"):
        unpack_sections(damage(data), 3)
    with pytest.raises(ValueError, match="3 sections instead of 2"):
        unpack_sections(data, 2)


def test_the_best_of_both_has_the_full_score_and_the_last_in_meaning_adds_nothing() -> None:
    scores = merge([("a", 4.0), ("b", 2.0)], [("a", 0.7), ("c", 0.6), ("b", 0.5)], meaning=0.5)
    assert scores["a"] == 1
    assert scores["b"] == pytest.approx(0.5 / 1.5)
    assert scores["c"] == pytest.approx(0.25 / 1.5)


@pytest.mark.parametrize(("raised", "stretched"), [(0.4, 1.0), (0.0, 3.0)])
def test_the_scale_of_neither_ranking_matters(raised: float, stretched: float) -> None:
    words, near = [("a", 4.0), ("b", 3.0)], [("b", 0.5), ("a", 0.2), ("c", 0.1)]
    other = [(thing, raised + stretched * cosine) for thing, cosine in near]
    louder = [(thing, 10 * score) for thing, score in words]
    assert merge(louder, other, meaning=0.75) == pytest.approx(merge(words, near, meaning=0.75))


def test_with_one_ranking_alone_its_order_stays_when_scores_are_merge() -> None:
    assert merge([("a", 4.0), ("b", 1.0)], [], meaning=1) == {"a": 0.5, "b": 0.125}
    assert merge([], [("a", 0.4)], meaning=1) == {"a": 0.5}
    assert merge([], [], meaning=1) == {}


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50).filter(lambda v: max(map(abs, v)) > 0.1))
def test_the_numbers_times_the_scale_have_length_1(vector: list[float]) -> None:
    scale, numbers = quantized(vector)
    assert math.isclose(scale * math.sqrt(sum(map(mul, numbers, numbers))), 1, rel_tol=1e-9)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_a_vector_that_has_no_direction_has_no_scale(vector: list[float]) -> None:
    assert quantized(vector)[0] == 0
