"""Isolates in bidirectional lines, checked by the Unicode bidirectional algorithm."""

from __future__ import annotations

import pytest
from bidi import get_display
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.render.bidi import cleaned, isolated, runs
from tests.support.full_form import amount

CASES = [
    ("חשבו: 120 − 30 = 90.", ["120 − 30 = 90"]),
    ("נכון ש-3 < 4?", ["3 < 4"]),
    ("אורך של 25 mm ורוחב 3.5 cm", ["25 mm", "3.5 cm"]),
    ("2 × (3 + 4) = ___ השלימו", ["2 × (3 + 4) = ___"]),
    ("___ + 5 = 8 השלימו", ["___ + 5 = 8"]),
    ("1 3/4 + 2 1/2 = 4 1/4 שלמים", ["1 3/4 + 2 1/2 = 4 1/4"]),
    ("הטמפרטורה −5°C בחוץ, 100 °C בסיר", ["−5°C", "100 °C"]),
    ("12 : 3 = 4 ולכן", ["12 : 3 = 4"]),
    ("√16 = 4 וגם |−3| = 3", ["√16 = 4", "|−3| = 3"]),
    ("f(x, y) = x² + y² היא פונקציה", ["f(x, y) = x² + y²"]),
    ("בכיתה Google Classroom ו-iPhone 15", ["Google Classroom", "iPhone 15"]),
    ("ראו https://a.co/b?x=1 ואמרו Hello, world!", ["https://a.co/b?x=1", "Hello, world"]),
    ("H₂O → H⁺ + OH⁻ היא תגובה", ["H₂O → H⁺ + OH⁻"]),
    ("המספרים 1, 2, 3 ו-4", ["1", "2", "3", "4"]),
    ("כיתה ד 4: 12 תלמידים, 5 %", ["4", "12", "5 %"]),
    ("<", ["<"]),
    ("ב. >", [">"]),
    ("השלימו: < או >", ["<", ">"]),
    ("< 5", ["< 5"]),
    ("מספרים ≥ 5", ["≥ 5"]),
    ("השלימו: 873 □ 378", ["873 □ 378"]),
    ("3 + 4 __ 2 × 5 השלימו", ["3 + 4 __ 2 × 5"]),
    ("? + 4 = 7", ["? + 4 = 7"]),
    ("השלימו: □ + (? − 1) = 7", ["□ + (? − 1) = 7"]),
    ("כמה? 3 + ? = 7", ["3 + ? = 7"]),
    ("חשבו: 59 + 13 = ", ["59 + 13 ="]),
    ("חשבו: (2/3) : (1/6) =", ["(2/3) : (1/6) ="]),
    ("3 + 4 = כמה הם", ["3 + 4"]),
    ("השטח = 5 מטר, א > ב", ["5"]),
    ("3. 25 mm  ____", ["25 mm"]),
    ("____  the cat", ["the cat"]),
    ("She is ____", ["She is ____"]),
    ("____ is here.", ["____ is here."]),
]


@pytest.mark.parametrize(("line", "kept"), CASES)
def test_what_runs_from_left_to_right_is_shown_so_in_a_hebrew_line(
    line: str, kept: list[str]
) -> None:
    assert [each.text for each in runs(line, "rtl") if each.isolated] == kept
    shown = get_display(isolated(line, "rtl"), base_dir="R")
    assert all(each in cleaned(shown) for each in kept)


def test_without_isolates_the_algorithm_turns_a_formula_round() -> None:
    assert "90 = 30 − 120" in get_display("חשבו: 120 − 30 = 90", base_dir="R")


def test_an_english_line_keeps_its_hebrew_together() -> None:
    line = 'The word "שלום עולם 3 פעמים" is Hebrew, 3 times.'
    assert [each.text for each in runs(line, "ltr") if each.isolated] == ["שלום עולם 3 פעמים"]


def test_a_list_without_hebrew_letters_keeps_the_order_of_the_line() -> None:
    assert isolated("3.", "rtl") == "\u20663\u2069."


def test_direction_marks_and_characters_that_no_file_holds_are_left_out() -> None:
    assert cleaned("\u202eabc\u200f\x00\ud800\r\nd") == "abc\ufffd\ufffd\nd"


@pytest.mark.long
@settings(max_examples=amount(50, full=300), deadline=None)
@given(st.text(st.sampled_from("אבג abX19+−=<>(){}|,.?:-/_%°√²\n*^½₪"), max_size=60))
def test_isolates_change_no_letter(text: str) -> None:
    for direction in ("rtl", "ltr"):
        parts = runs(text, direction)  # type: ignore[arg-type]
        assert "".join(each.text for each in parts) == cleaned(text)
        assert cleaned(isolated(text, direction)) == text  # type: ignore[arg-type]


@pytest.mark.long
def test_a_formula_that_never_ends_is_given_up_after_200_tokens() -> None:
    line = "א " + "(? + " * amount(600, full=3_000)
    assert "".join(run.text for run in runs(line, "rtl")) == line
