"""Importing conversations."""

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import Conversation
from packs.messaging.ingest import PAGE_MESSAGES, write_conversation
from rollcall.core.errors import InvalidArgument
from tests.support.full_form import amount
from tests.support.indexes import indexed_times, stored_times

from .conftest import START, World

MANY = amount(2_000, full=10_000)

LINES = [("tom", "Shall we move the launch to May?"), ("dana", "Yes, May it is."), ("tom", "Good.")]


def test_the_same_twice_changes_nothing(world: World) -> None:
    first = world.talk("c", LINES)
    before = [snapshot.to_dict() for snapshot in world.db.collection("messages").stream()]
    again = world.talk("c", LINES)
    assert (first.added, first.unchanged) == (3, 0)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 3)
    assert [s.to_dict() for s in world.db.collection("messages").stream()] == before
    assert (world.get("conversations/c") or {})["messageCount"] == 3
    assert world.indexed("c") == ["c-0", "c-1", "c-2"]


def test_more_messages_later_are_added_to_those_there(world: World) -> None:
    world.talk("c", LINES)
    later = world.talk("c", [*LINES, ("dana", "One more thing")])
    conversation = world.get("conversations/c") or {}
    assert (later.added, later.unchanged) == (1, 3)
    assert conversation["messageCount"] == 4
    assert conversation["lastMessageAt"] == START + timedelta(minutes=3)


def test_times_of_messages_have_no_index_of_their_own(world: World) -> None:
    world.talk("c", LINES)
    world.say("late", "c", "tom", "Decision: we launch in May.")
    own = {("messages", "timestamp"), ("conversations", "lastMessageAt")}
    assert own <= set(stored_times(world.db))
    assert indexed_times(world.db) == set()


def test_a_changed_text_is_indexed_anew(world: World) -> None:
    world.talk("c", LINES)
    changed = world.talk("c", [("tom", "Shall we move the launch to June?"), *LINES[1:]])
    (shard,) = world.shards("c")
    assert (changed.changed, changed.unchanged) == (1, 2)
    assert "june" in shard["terms"]
    assert sorted(shard["messageIds"]) == ["c-0", "c-1", "c-2"]


def test_a_changed_time_is_a_change(world: World) -> None:
    world.talk("c", LINES)
    moved = world.talk("c", LINES, start=START + timedelta(hours=1))
    (shard,) = world.shards("c")
    assert (moved.changed, moved.unchanged) == (3, 0)
    assert (world.get("messages/c-0") or {})["timestamp"] == START + timedelta(hours=1)
    assert shard["sentAtMs"][0] == round((START + timedelta(hours=1)).timestamp() * 1000)


def test_a_changed_ciphertext_is_a_change(world: World) -> None:
    world.talk("c", [("tom", "c2VzYW1l"), ("tom", "b3Blbg==")], encrypted=True)
    again = world.talk("c", [("tom", "c2VzYW1l"), ("tom", "c2h1dA==")], encrypted=True)
    assert (again.changed, again.unchanged) == (1, 1)
    assert (world.get("messages/c-1") or {})["content"] == "c2h1dA=="
    assert (world.get("conversations/c") or {})["encryptedCount"] == 2


def test_one_id_twice_in_a_stream_is_one_message(world: World) -> None:
    twice = [world.message("m", "tom", "first"), world.message("m", "tom", "second")]
    done = world.talk("c", twice)
    assert done.added == 1
    assert (world.get("messages/m") or {})["content"] == "second"
    assert (world.get("conversations/c") or {})["messageCount"] == 1


def test_a_message_of_another_conversation_is_not_taken_over(world: World) -> None:
    world.talk("c", LINES)
    with pytest.raises(InvalidArgument, match="another conversation"):
        world.talk("d", [world.message("c-0", "tom", "mine now")])
    assert (world.get("messages/c-0") or {})["conversationId"] == "c"


@pytest.mark.parametrize("id", ["", "a/b", "..", "__x__", "x" * 2000])
def test_ids_that_cannot_be_are_refused_before_anything_is_written(world: World, id: str) -> None:
    with pytest.raises(InvalidArgument, match="id"):
        world.talk(id, [("tom", "hi")])
    assert list(world.db.collection("conversations").stream()) == []


def test_text_that_cannot_be_stored_is_mended(world: World) -> None:
    world.talk("c", [("tom", "half \ud83d a face"), ("tom", "x" * 50_000)])
    assert (world.get("messages/c-0") or {})["content"] == "half ? a face"
    assert len((world.get("messages/c-1") or {})["content"]) == 32_000


def test_a_conversation_without_messages_is_there(world: World) -> None:
    assert world.talk("c", []).total == 0
    assert (world.get("conversations/c") or {})["messageCount"] == 0


def test_encrypted_messages_stand_in_the_index_by_id_alone(world: World) -> None:
    world.talk("c", [("tom", "sesame"), ("tom", "sesame")], encrypted=True)
    (shard,) = world.shards("c")
    assert shard["encryptedIds"] == ["c-0", "c-1"]
    assert shard["terms"] == [] and "sesame" not in str(shard)
    assert world.indexed("c") == ["c-0", "c-1"]


def test_long_messages_with_many_people_stay_within_a_commits_size(world: World) -> None:
    people = tuple(f"person-with-a-long-id-{n:04}" for n in range(300))
    lines = [("tom", f"{n} " + "שלום עולם " * 1_000) for n in range(40)]
    assert world.talk("c", lines, people=people).added == 40


def test_new_participants_reach_the_messages_already_there(world: World) -> None:
    world.talk("c", LINES)
    world.talk("c", LINES, people=("dana", "tom", "noa"))
    assert (world.get("messages/c-0") or {})["participantIds"] == ["dana", "tom", "noa"]


@pytest.mark.long
def test_thousands_of_messages_stream_through_a_page_at_a_time(world: World) -> None:
    people = Conversation("big", "Big", ("dana", "tom"))
    done: list[int] = [0]
    ahead: list[int] = []

    def messages() -> Iterator[ChatMessage]:
        for n in range(MANY):
            ahead.append(n - done[-1])
            text = f"Message {n} about the launch of part {n % 97}, as agreed"
            yield world.message(f"m{n}", "tom", text, at=START + timedelta(seconds=n))

    started = time.perf_counter()
    result = write_conversation(world.db, people, messages(), on_progress=done.append)
    print(f"\n{MANY:,} messages: {MANY / (time.perf_counter() - started):.0f} a second")
    assert result.added == done[-1] == MANY
    assert max(ahead) <= PAGE_MESSAGES
