"""Versions of a question that keep its answer."""

from __future__ import annotations

import pytest

from packs.education.blocks import choices, item
from packs.education.generation.passages import text_items
from packs.education.generation.variants import (
    VariantType,
    is_equivalent,
    make_variants,
)
from tests.evals.packs.education.mathematics import draw_items
from tests.support.packs.education.material import PAGE

ITEMS = [each for _, _, each in draw_items(200, "variants")]
ITEMS += [
    each for each in text_items([PAGE], count=20, seed="a", locale="he") if each.block.is_question
]


@pytest.mark.parametrize("variant_type", ["havana", "haamaka"])
def test_every_question_has_versions_that_keep_its_answer(variant_type: VariantType) -> None:
    for original in ITEMS:
        found = list(make_variants(original, variant_type, "he"))
        assert found
        level = "support" if variant_type == "havana" else "enrichment"
        for variant in found:
            assert is_equivalent(original, variant), (original, variant)
            assert variant.block.level == level


def test_a_number_to_write_becomes_one_to_choose_and_back() -> None:
    written = item("numeric", "כמה הם 6 × 7?", key={"value": "42", "check": "6*7"})
    easier = next(make_variants(written, "havana", "he"))
    assert easier.block.kind == "choice" and len(easier.block.options) == 3
    assert easier.key.hint == "אפשר להתחיל כך: 6×7"
    harder = next(make_variants(easier, "haamaka", "he"))
    assert (harder.block.kind, harder.key.value) == ("numeric", "42")


def test_a_question_that_cannot_be_changed_in_kind_has_its_other_versions() -> None:
    product = item(
        "choice", "12?", options=choices(["3 × 4", "5 × 5"]), key={"correct": ["a"], "check": "12"}
    )
    assert [each.block.kind for each in make_variants(product, "haamaka", "he")] == ["choice"] * 2
    cold = item("numeric", "?", key={"value": "-100", "check": "-50 * 2"})
    assert next(make_variants(cold, "havana", "he")).block.kind == "choice"


@pytest.mark.parametrize(
    "stem",
    ["כמה הם 6 + 7?", "כמה הם 7 × 6?", "כמה הם 6 × 8?", "כמה אינם 6 × 7?", "כמה הם 6?"],
)
def test_a_version_that_states_something_else_is_none(stem: str) -> None:
    original = item("numeric", "כמה הם 6 × 7?", key={"value": "42", "check": "6*7"})
    changed = item("numeric", stem, key={"value": "42", "check": "6*7"})
    assert not is_equivalent(original, changed)
    assert is_equivalent(original, item("numeric", "חשבו בבקשה: 6 × 7.", key={"value": "42"}))
