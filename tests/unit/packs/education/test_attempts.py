"""Items to be put in order, as a pupil sees them."""

from __future__ import annotations

from random import Random

import pytest

from packs.education.blocks import Option, choices, item, shuffled


def mixed(texts: list[str], seed: int) -> list[Option]:
    options = choices(texts)
    order = item("order", "?", options=options, key={"correct": [each.id for each in options]})
    return shuffled(order.block, order.key, Random(seed))[0]


@pytest.mark.parametrize("texts", [["1", "2"], ["1", "2", "3"], ["1", "1", "2"]])
def test_an_order_never_comes_in_the_right_order(texts: list[str]) -> None:
    for seed in range(50):
        found = [each.text for each in mixed(texts, seed)]
        assert found != texts and sorted(found) == texts


@pytest.mark.parametrize("texts", [["1", "1"], ["1", "1", "1"]])
def test_what_has_one_order_alone_is_left_in_it(texts: list[str]) -> None:
    assert [each.text for each in mixed(texts, 1)] == texts
