"""Claims about the best items for words: they are those that adding up every item finds."""

from __future__ import annotations

import random
from array import array
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.core.postings import Postings

SHARES = (0.001, 0.005, 0.02, 0.05, 0.2, 0.6, 1.0)
Items = list[dict[int, int]]


def made(size: int, words: int, draw: random.Random) -> Items:
    """Each word's items with its weights: of some words one in a thousand has it, of some each."""
    found = []
    for _ in range(words):
        count = max(1, round(size * draw.choice(SHARES)))
        places = sorted(draw.sample(range(size), count))
        found.append({place: draw.choice((1, 80, draw.randint(1, 255), 255)) for place in places})
    return found


def postings_of(size: int, items: Items) -> Postings:
    return Postings.of(size, [[*word.items()] for word in items])


def best_of_all(
    items: Items, values: Mapping[int, int], limit: int, allowed: bytes | None
) -> list[tuple[int, int]]:
    scores: dict[int, int] = {}
    for word, value in values.items():
        for place, weight in items[word].items():
            if allowed is None or allowed[place]:
                scores[place] = scores.get(place, 0) + value * weight
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit]


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from((1, 30, 40, 700, 2_000)))
def test_the_best_are_those_that_adding_up_every_item_finds(draw: random.Random, size: int) -> None:
    items = made(size, 30, draw)
    postings = postings_of(size, items)
    for _ in range(5):
        words = draw.sample(range(30), draw.randint(0, 30))
        most = draw.choice((1, 50, 9_000, 10**7))
        values = {word: draw.randint(1, most) for word in words}
        share = draw.choice((None, 0, 0.01, 0.5, 1))
        allowed = None if share is None else bytes(draw.random() < share for _ in range(size))
        limit = draw.choice((1, 8, 20, size))
        expected = best_of_all(items, values, limit, allowed)
        assert postings.best(values, limit, allowed) == expected
        for place, score in expected[:3]:
            assert postings.score(values, place) == score


def test_hundreds_of_frequent_words_are_added_up_too() -> None:
    draw = random.Random(1)
    items = [
        {place: draw.randint(1, 255) for place in sorted(draw.sample(range(200), 100))}
        for _ in range(300)
    ]
    values = {word: draw.randint(1, 5_000) for word in range(300)}
    found = postings_of(200, items).best(values, 10, None)
    assert found == best_of_all(items, values, 10, None)


def test_what_rounding_up_brings_forward_does_not_hide_what_is_better() -> None:
    draw = random.Random(3)
    items = [
        {place: 255 if place == word else draw.randint(1, 60) for place in range(400)}
        for word in range(12)
    ]
    allowed = bytes(12) + b"\1" * 388
    postings = postings_of(400, items)
    for _ in range(50):
        values = {word: draw.randint(1, 5_000) for word in range(12)}
        expected = best_of_all(items, values, 3, allowed)
        assert postings.best(values, 3, allowed) == expected


def test_items_of_one_score_come_in_their_order_however_many_there_are() -> None:
    items = [dict.fromkeys(range(2000), 90), dict.fromkeys(range(5, 2000), 90)]
    found = postings_of(2_000, items).best({0: 700, 1: 300}, 4, None)
    assert found == [(place, 90_000) for place in (5, 6, 7, 8)]


def test_of_one_score_the_earlier_comes_first_whichever_was_thought_better() -> None:
    frequent = dict.fromkeys(range(1, 63), 1) | {63: 255}
    rare = {0: 100}
    items = [frequent, rare]
    # 1000 of the frequent word is rounded up, 1000 of the rare one is not.
    found = postings_of(64, items).best({0: 1_000, 1: 10}, 2, None)
    assert found == [(63, 255_000), (0, 1_000)]


@pytest.mark.parametrize("others", [0, 12, 160])
@pytest.mark.parametrize("most", [40, 4_000])
def test_words_that_were_made_ready_find_the_same(others: int, most: int) -> None:
    draw = random.Random(f"{others} {most}")
    # Of 5,000 items 35 have a rare word, 60 one that is made ready, 300 a frequent one.
    items = [
        {place: draw.randint(1, 255) for place in sorted(draw.sample(range(5_000), count))}
        for count in (*[35] * 20, *[60] * 30, *[300] * 120)
    ]
    postings = postings_of(5_000, items)
    own = [draw.randint(1, 4_000) for _ in items]
    postings.warm(own)
    for _ in range(20):
        values = {word: own[word] for word in draw.sample(range(170), draw.randint(2, 20))}
        # Words of other values than they were made ready for, and more than fit into their unit.
        values |= {word: draw.randint(1, most) for word in draw.sample(range(170), others)}
        allowed = draw.choice((None, bytes(draw.random() < 0.1 for _ in range(5_000))))
        assert postings.best(values, 8, allowed) == best_of_all(items, values, 8, allowed)


def test_threads_that_ask_at_once_are_answered_as_one_is() -> None:
    draw = random.Random(2)
    items = made(2_000, 60, draw)
    asked = [
        {word: draw.randint(1, 9_000) for word in draw.sample(range(60), 12)} for _ in range(200)
    ]
    expected = [best_of_all(items, values, 8, None) for values in asked]
    postings = postings_of(2_000, items)
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(lambda values: postings.best(values, 8, None), asked * 3)
        assert [*answers] == expected * 3


def test_columns_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="do not belong together"):
        Postings(2, array("I", [0, 2]), array("I", [0, 2]), b"\1\1", b"\1")
    with pytest.raises(ValueError, match="do not belong together"):
        Postings(3, array("I", [0, 1]), array("I", [0, 2]), b"\1\1", b"\1")
