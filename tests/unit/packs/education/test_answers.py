"""Answers of pupils, checked against keys."""

from __future__ import annotations

from typing import Any

import pytest

from packs.education.answers import AnswerCheck, check_answer, same_text
from packs.education.blocks import Item, choices, item
from packs.education.quantities import read_number, write_number
from rollcall.core.errors import InvalidArgument
from rollcall.core.texts import without_isolates

CHOICE = item(
    "choice", "2 + 2 = ?", options=choices(["3", "4", "5"]), key={"correct": ["b"]}, points=5
)
MULTI = item(
    "multi_choice", "אילו מספרים זוגיים?", options=choices(["2", "3", "4", "5"]), points=4,
    key={"correct": ["a", "c"]},
)  # fmt: skip
TRUE = item("true_false", "3/4 > 2/3", key={"truth": True})
MATCH = item(
    "match", "חברו", options=choices(["1/2", "1/4"]), targets=choices(["0.25", "0.5", "0.75"]),
    key={"pairs": {"a": "b", "b": "a"}}, points=4,
)  # fmt: skip
ORDER = item(
    "order", "סדרו מהקטן לגדול", options=choices(["7", "3", "5"]), points=6,
    key={"correct": ["b", "c", "a"]},
)  # fmt: skip
CLOZE = item(
    "cloze",
    "בירת ישראל היא {{1}}, ובצפון נמצא {{2}}.",
    key={"gaps": {"1": ["ירושלים"], "2": ["ים כנרת", "הכנרת"]}},
)
LENGTH = item("numeric", "מה אורך הקטע?", unit="ס״מ", key={"value": "5/2"})
SHARE = item("numeric", "איזה חלק?", key={"value": "3/4"})
OPEN = item("open", "מדוע?", key={"sample": "כי כך."})


def check(of: Item, answer: Any) -> AnswerCheck:
    return check_answer(of.block, of.key, answer)


@pytest.mark.parametrize(
    ("of", "right", "wrong"),
    [
        (CHOICE, "b", "a"),
        (MULTI, ["c", "a"], ["a"]),
        (TRUE, True, False),
        (MATCH, {"a": "b", "b": "a"}, {"a": "a", "b": "b"}),
        (ORDER, ["b", "c", "a"], ["a", "b", "c"]),
        (CLOZE, {"1": "ירושלים", "2": "הכנרת"}, {"1": "חיפה", "2": "הכנרת"}),
        (LENGTH, "2.5", "3"),
    ],
    ids=lambda given: given.block.kind if isinstance(given, Item) else None,
)
def test_an_answer_to_each_kind_is_right_or_wrong(of: Item, right: Any, wrong: Any) -> None:
    assert check(of, right).correct is True
    assert check(of, right).points == of.block.points
    assert check(of, wrong).correct is False


def test_parts_that_are_right_count() -> None:
    assert check(CLOZE, {"1": "ירושלים"}).parts == {"1": True, "2": False}
    assert check(MATCH, {"a": "b"}).points == 2
    assert check(ORDER, ["b", "a", "c"]).points == 4
    assert check(MULTI, ["a"]).points == 2


def test_choosing_every_option_earns_nothing() -> None:
    assert check(MULTI, ["a", "b", "c", "d"]).points == 0


def test_an_open_answer_is_left_to_a_person() -> None:
    assert check(OPEN, "כי הקשבנו") == AnswerCheck(correct=None)


@pytest.mark.parametrize(
    "text", ["5/2", "5 / 2", "2 1 / 2", "2 1/2", "2½", "02.50", '2.5 ס"מ', "2.5cm", "25 מ״מ", 2.5]
)
def test_a_number_may_be_written_in_any_usual_way(text: Any) -> None:
    assert check(LENGTH, text).correct is True


@pytest.mark.parametrize(
    ("answer", "english", "hebrew"),
    [
        (
            "about ten",
            'a number is written like 12, 1,250, -0.5, 3/4 or 1 1/2, not "about ten"',
            'מספר כותבים כמו 12, 1,250, -0.5, 3/4 או 1 1/2, לא "about ten"',
        ),
        ("1/0", "a fraction's denominator must not be 0", "המכנה של שבר אינו 0"),
        (
            None,
            'the answer is a number, or a text such as "3/4" or "2.5 cm", not \'None\'',
            'התשובה היא מספר, או טקסט כמו "3/4" או "2.5 ס״מ", לא \'None\'',
        ),
    ],
)
def test_what_is_no_number_is_told_in_both_languages(
    answer: Any, english: str, hebrew: str
) -> None:
    number = item("numeric", "How many?", key={"value": "3"})
    with pytest.raises(InvalidArgument) as caught:
        check_answer(number.block, number.key, answer)
    assert (caught.value.message, without_isolates(caught.value.say("he"))) == (english, hebrew)


def test_a_whole_number_may_come_as_a_float() -> None:
    of = item("numeric", "1 + 1 = ?", key={"value": "2"})
    assert check(of, 2.0).correct is True and check(of, -2.0).correct is False


def test_a_number_of_another_unit_is_wrong_and_a_share_may_be_a_percent() -> None:
    assert check(LENGTH, "2.5 ק״ג").correct is False
    assert check(SHARE, "75%").correct is True
    assert check(SHARE, "0.75").correct is True


@pytest.mark.parametrize(
    ("of", "answer"),
    [
        (CHOICE, "z"), (CHOICE, ["b"]), (CHOICE, None), (MULTI, "a"), (MULTI, ["a", "a"]),
        (MULTI, [{}]),
        (TRUE, "true"), (TRUE, 1), (MATCH, {"a": "zz"}), (MATCH, {"a": ["b"]}), (MATCH, []),
        (ORDER, ["b"]), (ORDER, ["b", "b", "a"]), (CLOZE, {"3": "x"}), (CLOZE, {"1": 4}),
        (CLOZE, ["x"]),
        (LENGTH, "two"), (LENGTH, "1 2"), (LENGTH, "1/0"), (LENGTH, True), (LENGTH, float("nan")),
        (LENGTH, "9" * 5000), (LENGTH, float("inf")), (LENGTH, "1e9"), (LENGTH, 10**30),
        (LENGTH, 10**400),
        (SHARE, "3 apples"), (SHARE, '3 "'),
        (OPEN, 3), (OPEN, "x" * 10_001), (item("text", "קראו"), "x"),
    ],
)  # fmt: skip
def test_an_answer_of_a_wrong_shape_is_refused_with_what_is_accepted(of: Item, answer: Any) -> None:
    with pytest.raises(InvalidArgument) as refused:
        check(of, answer)
    assert refused.value.field in ("answer", "blockId")
    assert len(refused.value.message) < 300


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("שָׁלוֹם", "שלום"),
        ("שלומ", "שלום"),
        (" בית  ספר ", "בית-ספר"),
        ("צה״ל", 'צה"ל'),
        ("The Sun.", "the sun"),
    ],
)
def test_texts_that_differ_in_spelling_alone_are_one(one: str, other: str) -> None:
    assert same_text(one, other)
    assert not same_text(one, other + "א")
    assert not same_text("<", ">")


@pytest.mark.parametrize(
    ("one", "other"),
    [("-5", "5"), ("3.5", "3-5"), ("3.5", "35"), ("2/4", "½"), ("x = -5", "x = 5")],
)
def test_a_sign_and_a_decimal_point_make_another_answer(one: str, other: str) -> None:
    assert not same_text(one, other)
    of = item("cloze", "= {{1}}", key={"gaps": {"1": [one]}})
    assert check(of, [one]).correct and not check(of, [other]).correct


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-5", "\u22125"),
        ("5", "5.0"),
        ("1,000", "1000"),
        ("ב-5", "ב 5"),
        ("1939-1945", "1939–1945"),
        ("3/4", "3 / 4"),
        ("1 1/2", "1½"),
        ("1/2 ליטר", "½ ליטר"),
    ],
)
def test_a_number_written_another_way_is_the_same_answer(one: str, other: str) -> None:
    assert same_text(one, other)


@pytest.mark.parametrize("text", ["12 ס״מ²", "12 cm²", "12cm2", "12 סמ״ר", 12])
def test_units_of_area_may_have_a_raised_digit(text: Any) -> None:
    of = item("numeric", "מה השטח?", unit="ס״מ²", key={"value": "12"})
    assert check(of, text).correct is True
    with pytest.raises(InvalidArgument):
        check(of, "12 13")


@pytest.mark.parametrize("text", ["12", "-7", "1/3", "2 3/4", "-1 1/2", "0.125", "1,250,000"])
def test_a_number_is_written_as_it_is_read(text: str) -> None:
    number = read_number(text)
    assert read_number(write_number(number)) == number
    assert read_number(write_number(number, mixed=False)) == number
