"""The index of articles: by number, in a text, by words of either language."""

from __future__ import annotations

import pytest

from packs.electrical.nec.articles import Article, all_articles, find, mentioned, ranked
from packs.electrical.nec.editions import Edition
from rollcall.core.text import language
from tests.support.for_every import for_every

ARTICLES = all_articles()
MAX_ABOUT = 140
"""One line of our own; anything longer would begin to be the code's text."""


def _about(words: str, limit: int = 5, edition: Edition | None = None) -> list[Article]:
    return [article for article, _ in ranked(words, limit, edition)]


def test_the_index_covers_the_code() -> None:
    numbers = {article.number for article in ARTICLES}
    assert len(numbers) == len(ARTICLES) >= 150
    wanted = """90 100 110 110.9 110.14(C) 110.16 110.24 110.26 210 210.8 210.11(C) 210.12 210.19
        210.20 210.52 215 215.2 220 225 230 230.42 230.71 230.79 240 240.4 240.6 240.21 240.24
        250 250.4 250.24 250.28 250.30 250.50 250.52 250.53 250.66 250.102 250.104 250.122 250.148
        300 300.5 310 310.12 310.15 310.16 314.16 334.80 406.4 406.12 408.3 408.4 408.36 422 424.3
        430 430.6 430.22 430.24 430.32 430.52 430.62 430.102 440 445 450.3 450.9 480 517 547 550
        590 625.40 625.41 625.42 625.48 680 690 695 700 701 702 705 706 725 760 770 800 840"""
    assert set(wanted.split()) <= numbers


@for_every("article", ARTICLES, ids=lambda article: article.number)
def test_an_entry_is_one_line_in_both_languages(article: Article) -> None:
    assert article.title and language(article.title) == "en"
    en, he = (article.about.say(locale) for locale in ("en", "he"))
    assert 0 < len(en) <= MAX_ABOUT and "\n" not in en
    assert 0 < len(he) <= MAX_ABOUT and language(he) == "he"


@for_every(
    ("text", "number"),
    [
        ("Article 250", "250"),
        ("NEC 250.66(A)", "250.66"),
        ("סעיף 250", "250"),
        ("§ 110.26", "110.26"),
        ("NEC 2023 Table 310.16", "310.16"),
        ("310.15(B)(16)", "310.16"),
        ("120.55", "220.55"),
        ("110.14 (C)", "110.14(C)"),
        ("110.14(c)", "110.14(C)"),
        ("210.8(A)(1)", "210.8"),
        ("220.42", "220.42"),
    ],
)
def test_an_article_is_found_as_people_write_it(text: str, number: str) -> None:
    found = find(text)
    assert found is not None and found.number == number


@pytest.mark.parametrize("text", ["", "250.999", "9999", "Article", "12 AWG", "(A)"])
def test_what_is_no_article_is_not_found(text: str) -> None:
    assert find(text) is None


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("What is article 250 about?", ["250"]),
        ("see 110.9, NEC 250.66(A) and Section 430.52.", ["110.9", "250.66", "430.52"]),
        ("על מה מדבר סעיף 250?", ["250"]),
        ("לפי סעיפים 210.8", ["210.8"]),
        ("Article 250.97 and 250.97", ["250"]),
        ("210.8 and again 210.8", ["210.8"]),
        ("it draws 110.9 V at 250.4 A, 220.5 volts", []),
        ("circuit 14 at 240 V, 100 ft", []),
        ("in 2023 we paid 1250.66", []),
    ],
)
def test_the_articles_that_a_text_names_are_found(text: str, numbers: list[str]) -> None:
    assert [article.number for article in mentioned(text)] == numbers


@for_every(
    ("words", "number"),
    [
        ("GFCI in bathrooms", "210.8"),
        ("working space around a panel", "110.26"),
        ("interrupting rating", "110.9"),
        ("burial depth of a cable", "300.5"),
        ("box fill", "314.16"),
        ("panel directory", "408.4"),
        ("arc flash label", "110.16"),
        ("tap rules", "240.21"),
        ("AFCI in bedrooms", "210.12"),
        ("temperature rating of terminals", "110.14(C)"),
        ("הארקת יסוד", "250.52"),
        ("מרחב עבודה מול לוח חשמל", "110.26"),
        ("עומק קבורה של כבל", "300.5"),
        ("מפסק פחת במטבח", "210.8"),
        ("הגנת עומס יתר למנוע", "430.32"),
        ("כושר ניתוק של מפסק", "110.9"),
    ],
)
def test_words_of_either_language_find_the_section(words: str, number: str) -> None:
    assert _about(words, limit=1)[0].number == number


def test_a_number_comes_before_words() -> None:
    found = ranked("does 250.66 speak of water heaters", limit=5)
    assert (found[0][0].number, found[0][1]) == ("250.66", 1.0)
    assert "422.13" in [article.number for article, _ in found]


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert _about("hello world") == []
    assert _about("") == []


def test_an_edition_has_what_was_there_by_then_under_its_own_number() -> None:
    assert "220.57" not in [article.number for article in _about("EV charger load", 20, 2020)]
    evse = find("220.57")
    ampacities = find("310.16")
    assert evse is not None and ampacities is not None
    assert (evse.number_in(2023), evse.number_in(2026)) == ("220.57", "120.57")
    assert (ampacities.number_in(2017), ampacities.number_in(2023)) == ("310.15(B)(16)", "310.16")


def test_scores_fall_and_keep_to_the_limit() -> None:
    scores = [score for _, score in ranked("grounding electrode conductor", limit=4)]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0


def test_brackets_without_end_are_no_number() -> None:
    """Each of them was taken away in turn: a message of nothing else took a minute."""
    assert find("250.66(C)(2)(a)") == find("250.66") is not None
    assert find("250.66" + "(a)" * 30) is None
    assert [article.number for article in mentioned("250.66" + "(a)" * 10_000)] == ["250.66"]
