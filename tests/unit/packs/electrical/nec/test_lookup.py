"""Questions about tables, parsed by rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec.conductors import SIZES, label
from packs.electrical.nec.lookup import edition_in, motor_kind, parse_query
from tests.support.for_every import for_every


@for_every(
    ("text", "table"),
    [
        ("310.15(B)(16) for 12 AWG", "310.16"),
        ("what does Table 220.45 say", "220.42"),
        ("ch. 9 table 8", "Chapter 9 Table 8"),
        ("grounding electrode conductor", "250.66"),
        ("EGC for a 60 A breaker", "250.122"),
        ("equipment ground for 60 A", "250.122"),
        ("range demand for 5 ranges", "220.55"),
        ("breaker for a motor", "430.52"),
        ("motor full-load current", "430.250"),
        ("5 hp 230 V single phase full load current", "430.248"),
        ("full-load current of a 1-phase motor of 3 hp", "430.248"),
        ('זרם עומס מלא של מנוע 5 כ"ס חד-פאזי', "430.248"),
        ("10 hp at 460 V", "430.250"),
        ("10 hp three-phase motor", "430.250"),
        ("דירוג תקני אחרי 45 אמפר", "240.6(A)"),
        ("circular mils of 4/0", "Chapter 9 Table 8"),
        ("C value of 500 kcmil", "C values"),
        ("מקדם ביקוש לתאורה", "220.42"),
        ("מייבשי כביסה", "220.54"),
        ("התנגדות של מוליך", "Chapter 9 Table 9"),
        ("hello", None),
        ("", None),
    ],
)
def test_a_text_names_its_table(text: str, table: str | None) -> None:
    assert parse_query(text).table == table


@given(st.sampled_from(SIZES))
def test_a_labelled_size_is_parse_query(size: str) -> None:
    assert parse_query(f"ampacity of {label(size)} copper").size == size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#6 cu", {"size": "6", "material": "copper"}),
        ("2/0 aluminium service", {"size": "2/0", "material": "aluminum"}),
        ("copper or aluminum", {"material": None}),
        ("the 90 °C column", {"rating": 90}),
        ("12/2 cable at 120/240 V", {"size": None}),
        ("a 2017 house", {"edition": 2017}),
    ],
)
def test_a_text_says_what_it_says(text: str, expected: dict[str, Any]) -> None:
    found = parse_query(text, table="310.16")
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "ambient_c", "rating"),
    [
        ("correction at 40 °C for 90 °C insulation", 40, 90),
        ("90 °C insulation at 40 °C", 40, 90),
        ("correction at 110 °F", 43.3, None),
        ("ambient of 104 degrees F, 75 °C column", 40, 75),
        ("מקדם תיקון ב-45 מעלות", 45, None),
        ("correction for 90 °C wire", None, 90),
        ("ambient -10 °C", -10, None),
    ],
)
def test_the_ambient_temperature_is_told_from_the_insulations(
    text: str, ambient_c: float | None, rating: int | None
) -> None:
    found = parse_query(text, table="310.15(B)(1)(1)")
    assert (found.value, found.rating) == (ambient_c, rating)


@pytest.mark.parametrize(
    ("text", "table", "value"),
    [
        ("a 1,200 A switchboard", "250.122", 1200),
        ("100-amp breaker", "250.122", 100),
        ("7-1/2 hp", "430.250", 7.5),
        ("1/2 hp", "430.248", 0.5),
        ("12 ranges", "220.55", 12),
        ("9 current-carrying conductors", "310.15(C)(1)", 9),
        ("1/0 hp", "430.250", None),
        ("100 feet", "250.122", None),
        ("100 A", "310.16", None),
    ],
)
def test_a_table_is_entered_by_its_own_unit(text: str, table: str, value: float | None) -> None:
    assert parse_query(text, table=table).value == value


@given(st.text(max_size=80))
def test_any_text_is_parse_query(text: str) -> None:
    parse_query(text)


def test_motors_and_editions_are_known_by_their_words() -> None:
    assert motor_kind("a wound-rotor motor") == "wound_rotor"
    assert motor_kind("מנוע חד-פאזי") == "single_phase"
    assert motor_kind("toaster") is None
    assert edition_in("the 2020 edition") == 2020
    assert edition_in("2017 or 2020") is None
    assert edition_in("2014 and 2400 A") is None


def test_a_size_is_read_before_its_metal() -> None:
    assert (parse_query("ampacity 14 aluminum").size, parse_query("500 copper").size) == (
        "14",
        "500",
    )
    assert parse_query("adjustment for 6 copper conductors").size is None


@pytest.mark.parametrize(
    ("text", "above"),
    [
        ("next standard size above 110 A", True),
        ("standard breaker larger than 110 A", True),
        ("standard breaker for 110 A", False),
        ("דירוג תקני אחרי 45 אמפר", True),
        ("250.122 above 100 A", False),
    ],
)
def test_what_is_above_a_rating_is_told_from_the_rating(text: str, above: bool) -> None:
    assert parse_query(text).above is above
