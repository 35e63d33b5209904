"""Blocks and keys that fit each other, and those that do not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from packs.education.blocks import Block, Item, choices, item
from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import validate


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ({"kind": "choice", "stem": " "}, "stem"),
        ({"kind": "choice", "stem": "?", "options": [{"id": "a", "text": "1"}]}, "2 options"),
        ({"kind": "match", "stem": "?", "options": choices(["1", "2"])}, "targets"),
        ({"kind": "order", "stem": "?", "options": [{"id": "a", "text": "1"}] * 2}, "one id"),
        ({"kind": "cloze", "stem": "no gap"}, "gap"),
        ({"kind": "cloze", "stem": "{{2}} then {{1}}"}, "reading order"),
        ({"kind": "table", "rows": [["a", "b"], ["c"]]}, "one length"),
        ({"kind": "image"}, "image"),
        ({"kind": "cards"}, "cards"),
        ({"kind": "essay", "stem": "?"}, "kind"),
    ],
)
def test_a_block_without_what_its_kind_needs_is_refused(block: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Block.model_validate(block)


@pytest.mark.parametrize(
    ("kind", "key", "says"),
    [
        ("choice", {"correct": ["z"]}, "one of its options"),
        ("choice", {"correct": ["a", "b"]}, "one of its options"),
        ("multi_choice", {"correct": []}, "some of its options"),
        ("order", {"correct": ["a"]}, "each of its options once"),
        ("true_false", {}, "truth"),
        ("match", {"pairs": {"a": "a"}}, "pairs each option"),
        ("cloze", {"gaps": {"2": ["x"]}}, "each of its gaps"),
        ("numeric", {}, "value"),
        ("numeric", {"value": "many"}, "a number is written"),
    ],
)
def test_a_key_of_another_block_is_refused(kind: Any, key: dict[str, Any], says: str) -> None:
    two = choices(["1", "2"])
    with pytest.raises(ValidationError, match=says):
        item(kind, "x {{1}}", options=two, targets=two, key=key)


def test_a_key_that_is_no_number_is_refused_in_the_teachers_language() -> None:
    given = {"block": {"kind": "numeric", "stem": "?"}, "key": {"value": "\u2069\u202ethree"}}
    with pytest.raises(InvalidArgument) as caught:
        validate(Item, given)
    assert caught.value.message.endswith(', 3/4 or 1 1/2, not "three"')
    assert caught.value.say("he").endswith(', לא "\u2068three\u2069"')


def test_an_item_is_camel_case_on_the_wire_and_read_back() -> None:
    picture = {"file_id": "f", "alt": "a circle"}
    made = item("choice", "?", options=choices(["1", "2"]), image=picture, key={"correct": ["a"]})
    stored = made.dump()
    assert stored["block"]["image"]["fileId"] == "f"
    assert Item.model_validate(stored) == made
    assert "correct" not in stored["block"]
