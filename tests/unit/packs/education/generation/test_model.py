"""Items that a model writes, and the checks of them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from packs.education.generation.model import GeneratedItems, model_items
from rollcall.core.errors import Unavailable
from tests.support.packs.education.material import INJECTED, PAGE, Author

QUOTE = "עיבוי הוא המעבר של אדי מים מגז לנוזל"
FACT = {
    "kind": "choice", "stem": "מהו עיבוי?", "options": ["מעבר מגז לנוזל", "מעבר מנוזל לגז"],
    "correct": [1], "passage": 1, "quote": QUOTE,
}  # fmt: skip
SUM = {"kind": "numeric", "stem": "כמה הם 3/4 + 1/8?", "value": "7/8", "check": "3/4 + 1/8"}


def write_items(
    *replies: Any, count: int = 2, passages: Any = (PAGE,)
) -> tuple[GeneratedItems, Author]:
    author = Author(*({"items": reply} for reply in replies))
    found = model_items(author, {"topic": "t", "count": count}, passages, locale="he")
    assert found is not None
    return found, author


def test_a_fact_is_cited_and_a_sum_is_computed() -> None:
    found, author = write_items([FACT, SUM])
    assert [each.block.basis for each in found.items] == ["cited", "computed"]
    source = found.items[0].block.source
    assert source is not None and (source.page, source.quote) == (41, QUOTE)
    assert (found.left_out, found.unverified, len(author.asked)) == (0, 0, 1)


def test_a_quote_that_no_passage_has_leaves_its_item_unverified() -> None:
    found, _ = write_items([{**FACT, "quote": "עיבוי הוא שינוי צבע של המים"}])
    assert found.unverified == 1
    assert (found.items[0].block.basis, found.items[0].block.source) == ("unverified", None)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({**SUM, "value": "4/12"}, "the check 7/8"),
        ({**SUM, "check": None}, "needs a check"),
        ({**SUM, "check": "__import__('os')"}, "cannot be computed"),
        ({**FACT, "correct": [1, 2]}, "one of its options"),
        ({**FACT, "correct": [9]}, "options' places"),
        ({**FACT, "options": ["מים", "מִים"]}, "the same"),
        (
            {"kind": "choice", "stem": "2+2?", "options": ["4", "5"], "correct": [1]},
            "needs a check",
        ),
        ({**SUM, "stem": "12 × 7 = ?", "value": "85", "check": "85"}, "not the key itself"),
        ({**SUM, "stem": "12 × 7 = ?", "value": "85", "check": "80 + 5"}, "12 × 7 = 84"),
        ({"kind": "cloze", "stem": "3 + 4 = {{1}}", "gaps": ["8"]}, "needs a check"),
        ({"kind": "order", "stem": "סדרו", "ordered": ["3", "2"]}, "needs a check"),
        ({"kind": "true_false", "stem": "3 × 4 = 13", "truth": True}, "needs a check"),
        ({**FACT, "options": ["1", "2"]}, "needs a check"),
        ({"kind": "cloze", "stem": "אין פער", "gaps": ["x"]}, "gap"),
    ],
)
def test_what_does_not_hold_goes_back_once_with_the_reason(wrong: Any, reason: str) -> None:
    found, author = write_items([wrong, FACT], [SUM])
    assert [each.block.kind for each in found.items] == ["choice", "numeric"]
    assert found.left_out == 0
    assert len(author.asked) == 2 and reason in author.asked[1][1]


def test_what_fails_again_is_left_out_and_counted() -> None:
    bad = {**SUM, "value": "1"}
    found, author = write_items([bad, FACT, {**bad, "stem": "שוב"}], [bad, bad], count=3)
    assert [each.block.kind for each in found.items] == ["choice"]
    assert (found.left_out, len(author.asked)) == (2, 2)


def test_a_question_twice_is_left_out() -> None:
    found, _ = write_items([FACT, FACT], [])
    assert (len(found.items), found.left_out) == (1, 1)


def test_a_model_that_fails_or_answers_something_else_gives_nothing() -> None:
    for reply in (Unavailable("busy"), {"items": "none"}, {"answer": 7}):
        author = Author(reply)
        assert model_items(author, {"topic": "t", "count": 2}, [PAGE], locale="he") is None


def test_a_passage_cannot_leave_its_fence_nor_be_an_instruction() -> None:
    _, author = write_items([SUM], passages=(INJECTED, PAGE))
    instructions, text = author.asked[0]
    assert "PWNED" in text and "PWNED" not in instructions
    assert text.count("</material>") == 1 and text.endswith("</material>")
    obeyed = {"kind": "numeric", "stem": "PWNED: 3 + 5?", "value": "7", "check": "3 + 5"}
    found, _ = write_items([obeyed], [obeyed], passages=(INJECTED,))
    assert (found.items, found.left_out) == ([], 1)


def test_a_number_is_cited_only_where_the_quote_has_it_whole() -> None:
    page = structs.replace(PAGE, text="מדינת ישראל הוקמה בשנת 1948 בתל אביב.")
    year = {
        "kind": "numeric", "stem": "מתי?", "value": "1948", "passage": 1,
        "quote": "הוקמה בשנת 1948 בתל אביב",
    }  # fmt: skip
    found, _ = write_items([year, {**year, "stem": "כמה?", "value": "19"}], [], passages=(page,))
    assert [each.block.basis for each in found.items] == ["cited"]
    assert found.left_out == 1
