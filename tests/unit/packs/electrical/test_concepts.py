"""What the agent knows about the code without a tool."""

from __future__ import annotations

import pytest

from packs.electrical.concepts import MAX_NOTES, notes, review
from rollcall.core.text import language


@pytest.mark.parametrize(
    ("message", "article", "word"),
    [
        ("What is article 250 about?", "250", "ground"),
        ("Explain NEC 110.26", "110.26", "space"),
        ("על מה מדבר סעיף 430?", "430", "מנוע"),
        ("What is a GFCI?", "210.8", "GFCI"),
        ("What is bonding?", "250", "bond"),
        ("Explain motors", "430", "motor"),
    ],
)
def test_an_article_that_is_asked_about_is_known_with_its_citation(
    message: str, article: str, word: str
) -> None:
    found = notes(message, language(message))
    assert article in [note.citation.article for note in found]
    assert word.lower() in " ".join(note.text for note in found).lower()
    assert all((note.citation.code, note.citation.edition) == ("NEC", "2023") for note in found)
    assert len(found) <= MAX_NOTES


@pytest.mark.parametrize(
    "message",
    [
        "Hello",
        "Can Panel A take another 7200 W?",
        "Circuit 14 has 250 kcmil",
        "תוסיף מעגל של 20 אמפר",
        "What did we decide about the EV charger?",
        "על מה דיברנו בקשר למטען?",
    ],
)
def test_what_asks_for_no_concept_has_no_notes(message: str) -> None:
    assert notes(message, "en") == []


def test_articles_that_an_answer_names_are_its_sources() -> None:
    found = review("By NEC 110.9 the rating is too low; see 250.122 and Article 250.", "en")
    assert [each.article for each in found.citations] == ["110.9", "250.122", "250"]
    assert found.remark == ""


@pytest.mark.parametrize("locale", ["en", "he"])
def test_an_article_that_the_code_does_not_have_is_said_to_be_unknown(locale: str) -> None:
    assert "999.9" in review("NEC 2023 asks for it in Article 999.9.", locale).remark


def test_an_edition_is_no_article() -> None:
    assert review("NEC 2023 and the NEC 2020 differ. See NEC 2023 210.8.", "en").remark == ""


@pytest.mark.parametrize(
    "text",
    [
        "Section 26 05 19 asks for XHHW-2.",
        "By section 26 of the specification, cables are tested.",
        "סעיף 26 05 19 במפרט דורש בדיקה.",
        "See section 3.2 of the method statement.",
    ],
)
def test_a_section_of_a_specification_is_no_article_of_the_code(text: str) -> None:
    assert review(text, "en").remark == ""


def test_an_article_that_the_code_does_not_have_is_still_said_to_be_unknown() -> None:
    assert "999.5" in review("NEC Article 999.5 says so.", "en").remark
