"""Text files: their encodings, and files that are no text."""

from __future__ import annotations

import pytest

from rollcall.core.text import decoded_text
from rollcall.knowledge.pages import (
    MAX_CHARS,
    PIECE_CHARS,
    CannotRead,
    Page,
    in_pieces,
    read_plain,
)

HEBREW = "מוליך ההארקה של הלוח"
FRENCH = "Le conducteur protégé est relié à la borne"


def text_of(data: bytes) -> str:
    return "".join(page.text for page in read_plain(data) if isinstance(page, Page))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1255"])
def test_hebrew_is_read_in_every_encoding_it_comes_in(encoding: str) -> None:
    assert decoded_text(HEBREW.encode(encoding)) == HEBREW


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_accented_letters_are_not_taken_for_hebrew(encoding: str) -> None:
    assert decoded_text(FRENCH.encode(encoding)) == FRENCH


def test_control_characters_are_dropped_and_line_ends_made_one() -> None:
    assert text_of(b"one\r\ntwo\x00\x1b\rthree" + b" and more words" * 10) == (
        "one\ntwo\nthree" + " and more words" * 10
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"%PDF-1.7 ...", "wrong_type"),
        (bytes(range(256)) * 4, "wrong_type"),
        (b"\xef\xbb\xbf \n", "no_text"),
        (b"a" * (MAX_CHARS + 1), "too_much_text"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(CannotRead) as refused:
        list(read_plain(data))
    assert refused.value.problem == problem


def test_a_long_text_comes_in_pieces_that_end_where_lines_do() -> None:
    text = "\n".join(f"line {number}" for number in range(50_000))
    count, *found = read_plain(text.encode())
    assert count == len(found) > 1
    assert "\n".join(page.text for page in found if isinstance(page, Page)) == text


def test_a_line_longer_than_a_piece_is_cut_and_its_large_letters_are_kept() -> None:
    count, *pieces = in_pieces([("first", False), ("x" * (PIECE_CHARS + 1), True), ("", True)])
    assert count == 3
    assert [len(page.text) for page in pieces if isinstance(page, Page)] == [5, PIECE_CHARS, 2]
    assert [set(page.large) for page in pieces if isinstance(page, Page)] == [set(), {0}, {0}]
