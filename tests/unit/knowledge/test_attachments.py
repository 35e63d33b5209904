"""The text of files that come with messages."""

from __future__ import annotations

import pytest

from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.knowledge import reader
from rollcall.knowledge.reader import text_of
from tests.support.pdfs import pdf

PDF = "application/pdf"


def test_a_pdf_is_read_by_page_and_empty_pages_are_left_out() -> None:
    content = pdf([["The rent is 4,200."], [], ["The deposit is two months' rent."]])
    said = "[page 1]\nThe rent is 4,200.\n\n[page 3]\nThe deposit is two months' rent."
    assert text_of(PDF, content) == said


def test_more_than_is_wanted_of_a_pdf_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "ATTACHED_CHARS", 20)
    assert "[page 3]" not in text_of(PDF, pdf([["A page of words."]] * 3))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.7 and nothing more", "damaged or cut off"),
        (b"no pdf at all", "not of the type"),
        (b"", "empty"),
        (pdf([[]]), "no text was found"),
    ],
)
def test_a_pdf_without_text_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(InvalidArgument, match=reason):
        text_of(PDF, content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1255"])
def test_texts_are_read_whatever_their_letters_are_written_in(encoding: str) -> None:
    assert text_of("text/csv", "פריט,מחיר\r\nמנורה,40\r\n".encode(encoding)) == (
        "פריט,מחיר\nמנורה,40\n"
    )


@pytest.mark.parametrize("letter", ["a", "ש", "€", "😀"])
@pytest.mark.parametrize("before", ["", ".", "..", "..."])
def test_of_a_large_text_the_beginning_is_read(
    letter: str, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "ATTACHED_BYTES", 100)
    text = before + letter * 200
    found = text_of("text/plain", text.encode())
    assert text.startswith(found)
    assert 97 <= len(found.encode()) <= 100


def test_who_waits_too_long_for_others_is_told_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "READ_S", 0.01)
    with reader._one_at_a_time, pytest.raises(Unavailable, match="other documents"):
        text_of(PDF, pdf([["Words."]]))


def test_only_one_file_is_read_at_a_time() -> None:
    with reader._one_at_a_time:
        assert not reader._one_at_a_time.acquire(blocking=False)
    assert text_of(PDF, pdf([["Free again."]])) == "[page 1]\nFree again."
