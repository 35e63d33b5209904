"""Claims about the words that the search over tools compares, and about words written alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.registry.words import Trigrams, context_words, message_words, words
from tests.support.rules import for_every


@for_every(
    ("forms", "stem"),
    [
        (("city", "cities", "city's"), "city"),
        (("book", "books", "booked", "booking"), "book"),
        (("planned", "planning", "plan"), "plan"),
        (("rate", "rates", "rated", "rating"), "rat"),
        (("estimate", "estimates", "estimated", "estimating"), "estimat"),
        (("convert", "converts", "converted"), "convert"),
        (("classes", "class"), "class"),
        (("shipment", "shipments", "ship"), "ship"),
        (("status",), "status"),
        (("analysis",), "analysis"),
        (("sing",), "sing"),
    ],
)
def test_plain_endings_do_not_part_english_words(forms: tuple[str, ...], stem: str) -> None:
    assert {word for form in forms for word in words(form)} == {stem}


def test_names_are_split_and_little_words_dropped() -> None:
    assert words("getUserName of the user_profile") == ["user", "nam", "user", "profil"]


def test_hebrew_words_lose_prefixes_niqqud_and_final_letters() -> None:
    assert words("בַּתקציבים ושל ה-WhatsApp")[0] == words("תקציב")[0]
    assert "whatsapp" in words("ב-WhatsApp")


def test_words_that_ask_for_anything_count_less() -> None:
    said = message_words("Please show me the forecast")
    assert said["forecast"] == 1
    assert set(said.values()) == {1.0, 0.7}


def test_what_was_said_before_counts_less_and_less() -> None:
    said = context_words(["budget", "invoice and budget", "a", "b", "salary"])
    assert 1 > said["budget"] > said["invoic"] > 0
    assert "salary" not in said and "salari" not in said


def test_a_long_message_is_read_at_its_ends() -> None:
    said = message_words("forecast " + "x " * 50_000 + "weather")
    assert {"forecast", "weather"} <= said.keys()
    assert "middle" not in message_words("a " * 5_000 + "middle" + " a" * 5_000)


@pytest.mark.parametrize(
    ("word", "like"),
    [("investor", "invest"), ("forcast", "forecast"), ("תקציבאי", "תקציב"), ("погоды", "погода")],
)
def test_words_written_alike_are_near(word: str, like: str) -> None:
    known = ["invest", "forecast", "תקציב", "погода", "music"]
    assert [known[number] for number, _ in Trigrams(known).similar(word)] == [like]


def test_the_most_alike_come_first_and_a_word_is_not_near_itself() -> None:
    known = ["conversation", "conversion", "conserve", "convert", "conversational", "tax"]
    near = Trigrams(known).similar("conversation")
    assert 0 not in dict(near) and 5 not in dict(near)
    assert [share for _, share in near] == sorted((share for _, share in near), reverse=True)
    assert all(0 < share < 1 for _, share in near)
    assert len(near) <= 3


_letters = st.text("abcinot", min_size=1, max_size=9)


def _dice(word: str, other: str) -> float:
    pieces, others = (
        {f"^{each}$"[at : at + 3] for at in range(len(each))} for each in (word, other)
    )
    return 2 * len(pieces & others) / (len(pieces) + len(others))


@given(st.lists(_letters, max_size=60, unique=True), _letters)
def test_what_is_near_is_what_comparing_with_every_word_finds(known: list[str], word: str) -> None:
    alike = [(number, _dice(word, other)) for number, other in enumerate(known)]
    expected = sorted(
        (each for each in alike if 0.4 <= each[1] < 1), key=lambda each: (-each[1], each[0])
    )
    assert Trigrams(known).similar(word) == expected[:3]


def test_numbers_are_like_nothing() -> None:
    assert Trigrams(["2023", "sha256", "share"]).similar("2024") == []
    assert Trigrams(["sha256"]).similar("sha256sum") == []


@pytest.mark.parametrize("word", ["", "a", "é", "x" * 100_000])
def test_any_word_may_be_asked_for(word: str) -> None:
    assert Trigrams([]).similar(word) == []
    assert Trigrams(["a", "music"]).similar(word) == []
