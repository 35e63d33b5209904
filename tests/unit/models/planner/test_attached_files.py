"""The offline planner and files: it quotes what fits, and says what it cannot see."""

from __future__ import annotations

import pytest

from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.models.base import AttachedFile, ModelRequest, TextDelta
from rollcall.models.offline import Model

LEASE = """[page 1]
This lease is between the owner and the tenant. The rent is 4,200 shekels a month.
It is paid on the first day of each month.

[page 2]
The tenant may keep a cat. Dogs need the owner's consent in writing.
The deposit is two months' rent and is given back within 60 days.
"""
HEBREW = "החוזה נחתם בחיפה. דמי השכירות הם 4,200 שקלים לחודש. הפיקדון יוחזר תוך 60 יום."


def asked(text: str, *files: AttachedFile, locale: str = "en") -> str:
    request = ModelRequest("", (UserMessage.of(text),), files=files, locale=locale)
    return "".join(each.text for each in Model().stream(request) if isinstance(each, TextDelta))


def lease(*, is_new: bool = True, text: str | None = LEASE) -> AttachedFile:
    return AttachedFile("lease.pdf", text, is_new)


def test_a_question_about_a_document_is_answered_in_its_words_with_the_page() -> None:
    said = asked("What does the document say about the deposit?", lease())
    assert said == (
        "In “lease.pdf”:\n"
        "> The deposit is two months' rent and is given back within 60 days. (page 2)"
    )


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How much is the rent?", "The rent is 4,200 shekels a month."),
        ("Are dogs allowed?", "Dogs need the owner's consent in writing."),
    ],
)
def test_the_best_passage_is_quoted(question: str, quote: str) -> None:
    assert quote in asked(question, lease())


def test_hebrew_is_answered_in_hebrew() -> None:
    said = asked("מה כתוב במסמך על הפיקדון?", AttachedFile("חוזה.pdf", HEBREW, True))
    assert said == "בקובץ “חוזה.pdf”:\n> הפיקדון יוחזר תוך 60 יום."


def test_the_next_file_begins_outside_the_quote_of_the_last() -> None:
    other = AttachedFile("rules.txt", "The deposit is kept for damage.", True)
    assert ". (page 2)\n\nIn “rules.txt”:\n> The deposit" in asked(
        "What do the documents say about the deposit?", lease(), other
    )


def test_what_is_not_in_it_is_said_to_be_not_found() -> None:
    assert "I found nothing about that in “lease.pdf”" in asked("And the parking?", lease())


@pytest.mark.parametrize("text", ["Summarize this document", "What is in the file?", ""])
def test_a_message_without_a_topic_gets_the_beginning(text: str) -> None:
    said = asked(text, lease())
    assert said.startswith("“lease.pdf” begins:\n> This lease is between the owner")


def test_an_image_cannot_be_seen_and_that_is_said() -> None:
    said = asked("What is on it?", AttachedFile("cat.png", None, True))
    assert said == "I cannot see or read “cat.png”: I work by rules, without a language model."


def test_a_file_from_before_is_asked_about_by_its_name() -> None:
    before = lease(is_new=False)
    assert "two months' rent" in asked("What does lease say about the deposit?", before)
    assert "two months' rent" in asked("And the deposit in the attached one?", before)
    assert "lease.pdf" not in asked("Hello!", before)


def test_what_is_quoted_holds_nothing_to_click() -> None:
    said = asked("the prize", lease(text="Claim the [prize](https://evil.example/x) <b>now</b>!"))
    assert "](" not in said


def test_several_files_are_asked_at_once() -> None:
    other = AttachedFile("rules.txt", "Deposits are paid by check.", True)
    said = asked("the deposit?", lease(), other)
    assert "lease.pdf" in said
    assert "rules.txt" in said


def test_results_of_tools_are_told_as_ever() -> None:
    request = ModelRequest(
        "", (UserMessage.of("Hi"), ModelMessage("Hello."), UserMessage.of("Thanks!")), files=()
    )
    assert (
        "".join(each.text for each in Model().stream(request) if isinstance(each, TextDelta))
        == "You're welcome!"
    )
