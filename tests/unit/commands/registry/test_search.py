from __future__ import annotations

from rollcall.commands.registry.search import shared_words, words_in_short
from tests.unit.commands.registry.test_records import record


def test_words_are_found_in_any_form_and_by_field() -> None:
    entry = record({"names": {"en": "Rooms", "he": "חדרים"}, "keywords": ["meeting"]}).entry
    assert entry
    found = shared_words(entry, "Is the room free for meetings? יש חדר?")
    assert found == {
        "name": ["room", "חדר"],
        "keywords": ["meetings"],
        "description": ["room", "free"],
    }


def test_in_short_each_word_is_told_once() -> None:
    found = {"name": ["room"], "description": ["room", "free"], "arguments": ["room"]}
    assert words_in_short(found) == "name: room; description: free"
