"""Keys that follow from their checks, and keys that do not."""

from __future__ import annotations

from typing import Any

import pytest

from packs.education.blocks import choices, item
from packs.education.key_check import check_problem

FOUR = choices(["3/8", "5/8", "7/8", "1"])
CASES: list[tuple[Any, str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("numeric", "3/4 + 1/8", {}, {"value": "7/8"}, {"value": "4/12"}),
    ("true_false", "3/4 > 2/3", {}, {"truth": True}, {"truth": False}),
    ("choice", "3/4 + 1/8", {"options": FOUR}, {"correct": ["c"]}, {"correct": ["a"]}),
    (
        "choice",
        "1/3 ? 1/2",
        {"options": choices(["<", ">"])},
        {"correct": ["a"]},
        {"correct": ["b"]},
    ),
    (
        "multi_choice",
        "x > 1/2",
        {"options": FOUR},
        {"correct": ["d", "b", "c"]},
        {"correct": ["b"]},
    ),
    (
        "order",
        "descending",
        {"options": choices(["5", "7"])},
        {"correct": ["b", "a"]},
        {"correct": ["a", "b"]},
    ),
    (
        "match",
        "equal",
        {"options": choices(["1/2", "1 m"]), "targets": choices(["100 cm", "0.5"])},
        {"pairs": {"a": "b", "b": "a"}},
        {"pairs": {"a": "a", "b": "b"}},
    ),
    (
        "cloze",
        "2*3; 8-1",
        {},
        {"gaps": {"1": ["6"], "2": ["7"]}},
        {"gaps": {"1": ["6"], "2": ["8"]}},
    ),
]


@pytest.mark.parametrize(("kind", "check", "block", "right", "wrong"), CASES)
def test_a_key_is_held_to_its_check(
    kind: Any, check: str, block: dict[str, Any], right: Any, wrong: Any
) -> None:
    stem = "{{1}}, {{2}}" if kind == "cloze" else "?"
    assert check_problem(item(kind, stem, key={**right, "check": check}, **block)) is None
    assert check_problem(item(kind, stem, key={**wrong, "check": check}, **block))


@pytest.mark.parametrize(
    ("kind", "check", "texts"),
    [
        ("choice", "1/2", ["1/2", "2/4"]),
        ("choice", "1/2", ["half", "1/2"]),
        ("order", "ascending", ["1/2", "2/4"]),
        ("order", "by size", ["1", "2"]),
    ],
)
def test_two_right_options_and_unreadable_ones_are_told(
    kind: Any, check: str, texts: list[str]
) -> None:
    correct = ["a"] if kind == "choice" else ["a", "b"]
    made = item(kind, "?", options=choices(texts), key={"correct": correct, "check": check})
    assert check_problem(made)
