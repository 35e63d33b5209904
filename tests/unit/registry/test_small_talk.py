"""Telling small talk from what a tool could be about."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from rollcall.registry.small_talk import MOST_WORDS, chattiness, features, is_small_talk
from tests.evals.registry.learning import learned, requests, small_talk, write


@pytest.mark.parametrize(
    "text", ["Hello!", "thank you very much", "good night", "מה נשמע?", "תודה רבה", "lol", "ביי"]
)
def test_greetings_thanks_and_laughter_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello! What is the voltage drop on circuit 14?",
        "When is the launch?",
        "yes, go ahead",
        "the second one",
        "תשלחי לדנה שאני מאחר",
        "כן, תעשה את זה",
        "thanks, and now send it to Ruth",
        "write thank you in the group",
        "What's new?",
        "help me",
        "נסה שוב",
        "מה חדש?",
    ],
)
def test_requests_are_not_however_politely_they_are_put(text: str) -> None:
    assert not is_small_talk(text)


def test_what_a_tool_answers_is_wanted_however_chatty_it_is() -> None:
    assert is_small_talk("how are you?")
    assert not is_small_talk("how are you?", fit=0.9)


@pytest.mark.parametrize("text", ["", "   ", "?!", "\u200f", "word " * (MOST_WORDS + 1)])
def test_nothing_and_much_are_no_small_talk(text: str) -> None:
    assert features(text) == []
    assert chattiness(text) == -math.inf
    assert not is_small_talk(text)


def test_a_very_long_word_costs_no_more_than_a_long_one() -> None:
    assert len(features("a" * 1000)) <= len(features("ab" * 15)) + 4


def test_the_stored_weights_are_what_the_phrases_give() -> None:
    weights = learned(small_talk(), requests())
    for text in [*small_talk()[::7], *requests()[::7]]:
        found = features(text)
        if found:
            assert weights.of(found) == pytest.approx(chattiness(text), abs=0.05)


def test_written_weights_read_back_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollcall.registry import small_talk as module

    weights = learned(["hello", "thanks"], ["send it", "open the file"])
    path = tmp_path / "weights.json"
    write(weights, path)
    monkeypatch.setattr(module, "LEARNED", path)
    monkeypatch.setattr(module, "_learned", module._learned.__wrapped__)
    assert chattiness("hello") == pytest.approx(weights.of(features("hello")), abs=1e-3)
    assert chattiness("hello") > 0 > chattiness("open the file")
