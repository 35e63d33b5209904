"""How texts are cut into comparable words."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from rollcall.core.text import (
    excerpt,
    language,
    sentences,
    stopwords,
    terms,
    text_tokens,
    tokens,
    words,
)


def test_words_share_a_stem_across_number_and_possession() -> None:
    assert words("budget budgets budget's") == ["budget"] * 3


@pytest.mark.parametrize(
    "form", ["תקציב", "בתקציב", "והתקציב", "כשהתקציב", "שבתקציב", "תקציבים", "לתקציבים"]
)
def test_hebrew_prefixes_and_plurals_share_a_stem(form: str) -> None:
    assert words(form) == words("תקציב")


@pytest.mark.parametrize(
    ("form", "base"),
    [("המשימות", "משימה"), ("בהחלטות", "החלטה"), ("מהשולחן", "שולחן"), ("לכיתת", "כיתה")],
)
def test_hebrew_words_that_begin_like_a_prefix_are_not_cut(form: str, base: str) -> None:
    assert words(form) == words(base)
    assert words(base)[0][0] == base[0]


def test_any_hebrew_word_meets_its_prefixed_forms() -> None:
    for word in ("גלידה", "מיכאל", "בנימין", "הילה", "שלגון", "וטרינר", "רשת"):
        for prefix in ("ב", "ל", "ה", "ו", "ש", "כ", "מ", "וה", "שב", "כשה", "ומה"):
            assert words(prefix + word) == words(word), prefix + word


def test_forms_of_a_hebrew_word_meet_and_unlike_words_do_not() -> None:
    pairs = json.loads(Path(__file__).with_name("hebrew_pairs.json").read_text("utf-8"))
    met = {
        kind: [pair for pair in some if len({*words(pair)}) == 1] for kind, some in pairs.items()
    }
    assert len(pairs["same"]) == 50 and len(met["same"]) >= 48
    assert len(pairs["unlike"]) == 40 and not met["unlike"]


def test_niqqud_and_final_letters_do_not_matter() -> None:
    assert words("שָׁלוֹם") == words("שלום")
    assert words("מנכ״ל") == words('מנכ"ל') == words("מנכל")


def test_a_hebrew_prefix_on_a_latin_word_or_number_is_dropped() -> None:
    assert words("ב-API") == words("הAPI") == ["api"]
    assert words("ב-15") == ["15"]


def test_a_grade_letter_is_kept() -> None:
    assert tokens("כיתה ה'") == ["כיתה", "ה"]


def test_identifiers_are_split() -> None:
    assert tokens("getUserConversations") == ["get", "user", "conversations"]
    assert tokens("voltage_drop") == ["voltage", "drop"]
    assert tokens("HTTPServerError") == ["http", "server", "error"]


def test_names_in_camel_case_are_also_kept_whole() -> None:
    assert "whatsapp" in tokens("WhatsApp")
    assert "iphone" in tokens("iPhone")


def test_spelled_out_letters_are_one_word() -> None:
    assert tokens("an L_C_D_ screen") == ["an", "lcd", "screen"]


def test_numbers_keep_their_value() -> None:
    assert tokens("1,000 and 2.5 at 10:30") == ["1000", "and", "2.5", "at", "10:30"]


def test_terms_drop_function_words_of_both_languages() -> None:
    assert terms("What did they say about the budget?") == ["say", "budget"]
    assert terms("מה הם אמרו על התקציב ושל מי הוא") == [*words("אמרו"), *words("תקציב")]
    assert {"the", "what", "של", "מה"} <= stopwords()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Meet with דנה tomorrow morning", "en"),
        ("תעלה את ה-API ל-production", "he"),
        ("123 !!", "en"),
        ("שלום", "he"),
    ],
)
def test_language_follows_the_script(text: str, expected: str) -> None:
    assert language(text) == expected


def test_sentences_survive_abbreviations_and_decimals() -> None:
    assert sentences("Dr. Cohen paid 3.5 dollars. Really?\nכן. מצוין!") == [
        "Dr. Cohen paid 3.5 dollars.",
        "Really?",
        "כן.",
        "מצוין!",
    ]


def test_sentences_of_an_empty_text_are_none() -> None:
    assert sentences(" \n ") == []


def test_excerpt_shows_where_the_query_is_answered() -> None:
    text = "nothing here " * 30 + "the budget was cut by half " + "and more " * 30
    shown = excerpt(text, terms("budget cuts"), length=60)
    assert "budget was cut" in shown
    assert len(shown) <= 60
    assert shown.startswith("…") and shown.endswith("…")


def test_excerpt_keeps_a_short_text() -> None:
    assert excerpt("short  text", ["x"], length=60) == "short text"


def test_excerpt_of_one_endless_word_is_cut() -> None:
    assert len(excerpt("x" * 500, ["x"], length=50)) <= 50


COUNTS = Path(__file__).parents[2] / "evals" / "token_counts.jsonl"
ROWS = [json.loads(line) for line in COUNTS.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.parametrize(
    ("kind", "most"), [("english", 0.10), ("hebrew", 0.15), ("json", 0.15), ("code", 0.15)]
)
def test_an_estimate_is_near_the_count_for_nearly_each_text(kind: str, most: float) -> None:
    rows = [row for row in ROWS if row["kind"] == kind]
    off = [abs(text_tokens(row["text"]) - row["tokens"]) / row["tokens"] for row in rows]
    assert len(rows) >= 25
    assert sum(each <= most for each in off) >= 0.95 * len(rows)
    assert statistics.mean(off) <= most / 2
    assert abs(sum(text_tokens(r["text"]) for r in rows) / sum(r["tokens"] for r in rows) - 1) <= (
        most / 2
    )


def test_nothing_has_few_tokens_and_more_has_more() -> None:
    assert text_tokens("") <= 1
    assert text_tokens("a" * 1000) > text_tokens("a" * 100)
    assert text_tokens("\ud800 half a letter") > 0
