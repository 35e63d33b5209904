"""The shards of the word index."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from packs.messaging.chat import ChatMessage
from packs.messaging.message_index import (
    MAX_MESSAGES,
    Shard,
    append,
    decode,
    encode,
    remove,
)

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def message(number: int, text: str, *, encrypted: bool = False) -> ChatMessage:
    sent_at = START + timedelta(minutes=number)
    return ChatMessage(f"m{number}", "u1", "Dana", text, sent_at, encrypted)


def shard_of(*texts: str) -> Shard:
    shard = Shard("c1", 3)
    for number, text in enumerate(texts):
        shard = append(shard, message(number, text))
    return shard


def deepest_array(value: Any) -> int:
    if isinstance(value, list):
        return 1 + max((deepest_array(item) for item in value), default=0)
    if isinstance(value, dict):
        return max((deepest_array(item) for item in value.values()), default=0)
    return 0


def test_a_document_gives_the_shard_back() -> None:
    shard = shard_of("The budget is late", "התקציב מאחר", "ok")
    assert decode(encode(shard)) == shard


def test_a_document_has_no_arrays_in_arrays() -> None:
    assert deepest_array(encode(shard_of("The budget is late", "budget again"))) == 1


def test_terms_are_distinct_stems() -> None:
    assert encode(shard_of("Budgets and budget", "the budget"))["terms"] == ["budget"]


def test_an_empty_shard_survives_encoding() -> None:
    assert decode(encode(Shard("c1", 0))) == Shard("c1", 0)


def test_an_encrypted_message_is_never_indexed() -> None:
    shard = append(Shard("c1", 0), message(1, "the secret launch", encrypted=True))
    assert encode(shard)["terms"] == []
    assert encode(shard)["messageIds"] == []


def test_a_message_that_became_encrypted_is_taken_out() -> None:
    shard = append(shard_of("secret launch", "lunch"), message(0, "secret", encrypted=True))
    assert shard.terms == ["lunch"]


def test_the_same_message_twice_is_one_entry_with_its_newest_words() -> None:
    shard = append(shard_of("old words", "lunch"), message(0, "fresh text"))
    assert [entry.message_id for entry in shard.entries] == ["m0", "m1"]
    assert "old" not in shard.terms and "fresh" in shard.terms


def test_removing_a_message_removes_its_words_and_sender() -> None:
    shard = remove(shard_of("the secret launch"), "m0")
    assert shard.terms == [] and shard.names == {}


def test_removing_an_unknown_message_changes_nothing() -> None:
    shard = shard_of("lunch")
    assert remove(shard, "other") is shard


def test_late_messages_take_their_place_in_time() -> None:
    shard = append(shard_of("a1", "b2", "c3"), message(-5, "earlier"))
    assert shard.entries[0].message_id == "m-5"


def test_a_shard_fills_up_by_messages() -> None:
    shard = shard_of(*["word"] * MAX_MESSAGES)
    assert shard.is_full and not remove(shard, "m7").is_full


def test_the_worst_shard_stays_far_below_the_document_limit() -> None:
    shard, number = Shard("c1", 0), 0
    while not shard.is_full:
        text = " ".join(f"{'א' * 30}{number}x{word}" for word in range(600))
        shard = append(shard, message(number, text))
        number += 1
    size = sum(
        len(str(item).encode()) + 1
        for column in encode(shard).values()
        for item in (column if isinstance(column, list) else [column])
    )
    assert size < 500_000
    assert len(shard.terms) <= 6_000


def test_a_newer_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="schema"):
        decode({**encode(shard_of("lunch")), "schemaVersion": 99})
