"""Right-to-left text as it is seen: expected orders are what browsers show."""

from __future__ import annotations

import pytest

from rollcall_cli.bidi import display_order, isolated, orders_itself, reads_from_right
from tests.support.for_every import for_every


def _displayed(line: str, *, from_right: bool) -> str:
    return "".join(char for _, char in display_order(line, from_right=from_right))


@for_every(
    ("line", "from_right", "seen"),
    [
        ("plain text, 12%", False, "plain text, 12%"),
        ("שלום", True, "םולש"),
        ("שלום עולם", True, "םלוע םולש"),
        # A number keeps its digits' order, with its separators and sign.
        ("הוצאנו 1,400 עד היום", True, "םויה דע 1,400 ונאצוה"),
        ("עלה 22% השנה", True, "הנשה 22% הלע"),
        # A foreign name inside, and brackets that face the other way.
        ("אמר Dan אתמול", True, "לומתא Dan רמא"),
        ("(שלום) [2]", True, "[2] (םולש)"),
        # Hebrew inside an English line.
        ("said רינה חדד today", False, "said דדח הניר today"),
        # Blanks at the end stay on the far side.
        ("שלום  ", True, "  םולש"),
        ("שלום  ", False, "םולש  "),
    ],
)
def test_line_is_seen_in_the_order_browsers_show(line: str, from_right: bool, seen: str) -> None:
    assert _displayed(line, from_right=from_right) == seen


@pytest.mark.parametrize(
    ("line", "from_right", "seen"),
    [
        # What is inside goes by its own first letter, and its marks are not seen.
        ("נשלח אל \u2068Maya (R&D)\u2069: \u2068late!\u2069", True, "late! :Maya (R&D) לא חלשנ"),
        ("Sent to \u2068רינה 12\u2069: \u2068שלום!\u2069", False, "Sent to 12 הניר: !םולש"),
        ("\u2068„\u2068אני\u2069”\u2069", True, "”ינא„"),
        # Cut by the end of a line, before and behind.
        ("a \u2068שלום", False, "a םולש"),
        ("שלום\u2069 a", False, "םולש a"),
    ],
)
def test_isolate_is_put_in_order_by_itself(line: str, from_right: bool, seen: str) -> None:
    assert _displayed(line, from_right=from_right) == seen


def test_vowel_points_stay_on_their_letters() -> None:
    assert _displayed("שָׁלוֹם", from_right=True) == "םוֹלשָׁ"


def test_every_place_is_seen_once() -> None:
    line = "תקציב (Q1): 9,500 ₪ 🤫 [1], [2]"
    for from_right in (True, False):
        places = [place for place, _ in display_order(line, from_right=from_right)]
        assert sorted(places) == list(range(len(line)))


def test_empty_line_has_nothing_to_order() -> None:
    assert display_order("", from_right=True) == []


def test_direction_is_the_first_letters() -> None:
    assert reads_from_right("• [1] שלום Dan")
    assert not reads_from_right("12: Dan אמר")
    assert not reads_from_right("12%")


def test_part_of_a_text_reads_as_the_whole_does_unless_it_is_all_foreign() -> None:
    assert not reads_from_right("- דחוף — Maya", within=False)
    assert reads_from_right("- Maya אמרה", within=True)
    assert reads_from_right("- דחוף", within=False)
    assert not reads_from_right("- Maya", within=True)
    assert reads_from_right("- 12", within=True)


def test_only_right_to_left_text_is_isolated() -> None:
    assert isolated("Dan") == "Dan"
    assert isolated("רינה") == "\u2068רינה\u2069"


def test_no_text_ends_the_isolate_that_it_stands_in() -> None:
    assert isolated("רי\u2069נה\u2067") == "\u2068רינה\u2069"
    assert isolated("a\u2067b") == "ab"


@pytest.mark.parametrize(
    ("env", "orders"),
    [
        ({}, True),
        ({"VTE_VERSION": "6800"}, True),
        ({"VTE_VERSION": "5202"}, False),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, True),
        ({"TERM_PROGRAM": "vscode"}, False),
        ({"XTERM_VERSION": "XTerm(390)"}, False),
        ({"XTERM_VERSION": "XTerm(390)", "TMUX": "/tmp/x"}, True),
        ({"VTE_VERSION": "6800", "ROLLCALL_BIDI": "no"}, False),
        ({"TERM_PROGRAM": "vscode", "ROLLCALL_BIDI": "yes"}, True),
    ],
)
def test_terminals_that_order_text_are_known(env: dict[str, str], orders: bool) -> None:
    assert orders_itself(env) is orders
