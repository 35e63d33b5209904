"""The triggers of messages and conversations that clients write."""

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import FieldFilter

from packs.messaging.action_items import get_conversation_action_items
from packs.messaging.search import search_all_conversations
from packs.messaging.triggers import (
    conversation_deleted,
    conversation_updated,
    message_written,
)
from rollcall.agent.paid_calls import max_input
from rollcall.core.text import text_tokens
from rollcall.core.triggers import DocumentEvent
from rollcall.models.base import Delta, Finish, FinishReason, ModelRequest, TextDelta, Usage
from rollcall.models.structured import StructuredText
from rollcall.store import budgets
from rollcall.store.paths import user_day

from .conftest import START, TENANT, World

URGENT = "URGENT: the production server is down"


def search_ids(world: World, query: str) -> list[str]:
    return [item.message_id for item in search_all_conversations(world.ctx(), query=query).results]


def counts(world: World, conversation: str = "c") -> tuple[int, int]:
    data = world.get(f"conversations/{conversation}") or {}
    return data["messageCount"], data["encryptedCount"]


def test_a_new_message_gets_priority_index_and_count(world: World) -> None:
    world.talk("c", [("tom", "Hello")])
    world.say("m", "c", "tom", URGENT)
    message = world.get("messages/m") or {}
    assert (message["priority"], message["prioritySource"]) == ("urgent", "rules")
    assert search_ids(world, "production server")[0] == "m"
    assert counts(world) == (2, 0)
    assert (world.get("conversations/c") or {})["lastMessageAt"] == START + timedelta(days=1)


class PricedModel:
    """A model with a price, which rates every message low."""

    id = "openai:gpt-5.5"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        yield TextDelta(json.dumps({"ratings": [{"n": 1, "priority": "low", "confidence": 0.9}]}))
        yield Finish(FinishReason.STOP, Usage(input_tokens=300, output_tokens=20))


def source(world: World, id: str) -> str:
    return str((world.get(f"messages/{id}") or {})["prioritySource"])


def test_a_model_that_rates_a_message_is_paid_by_its_sender_and_at_their_limit_rules_do(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.talk("c", [])
    world.db.document("budgets/limits").set({"users": {"tom": {"usdPerDay": 0}}})
    budgets.forget_limits()
    world.platform.text_model = StructuredText(PricedModel())
    world.say("m1", "c", "dana", URGENT)
    assert source(world, "m1") == PricedModel.id
    day = user_day(world.db, "dana", datetime.now(UTC).date()).get()
    assert day.get("spentMicroUsd") > 0
    world.say("m2", "c", "tom", URGENT)
    assert source(world, "m2") == "rules"
    assert "going by rules" in caplog.text
    budgets.forget_limits()


class CountedEmbedder:
    """An embedder that knows one vector, and how often it was asked."""

    id, dimensions, asked = "test:counted", 4, 0

    def embed(self, texts: list[str], *, task: Any) -> list[list[float]]:
        self.asked += 1
        return [[1.0, 0.0, 0.0, 0.0] for _ in texts]


@pytest.mark.parametrize("whose", ["users", "tenants"])
def test_a_vector_is_paid_by_the_sender_and_their_tenant_and_left_out_at_the_limit(
    world: World, caplog: pytest.LogCaptureFixture, whose: str
) -> None:
    world.talk("c", [])
    tokens = text_tokens(URGENT)
    room_for_one = {"tokensPerDay": max_input(tokens) + tokens - 1}
    name = "tom" if whose == "users" else TENANT
    world.db.document("budgets/limits").set({whose: {name: room_for_one}})
    budgets.forget_limits()
    embedder = world.platform.embedder = CountedEmbedder()
    for id in ("m1", "m2"):
        world.say(id, "c", "tom", URGENT)
    assert embedder.asked == 1
    assert (world.get("messages/m1") or {})["embeddedBy"] == embedder.id
    assert "embeddedBy" not in (world.get("messages/m2") or {})
    assert "embeds no more" in caplog.text
    days = world.db.collection("budgets").where(filter=FieldFilter("uid", "==", "tom")).stream()
    assert sum(day.get("spentTokens") for day in days) == tokens
    world.platform.embedder = None
    assert {"m1", "m2"} <= set(search_ids(world, "production server"))
    budgets.forget_limits()


def test_a_message_of_an_account_that_is_gone_goes_by_rules_and_words(world: World) -> None:
    world.talk("c", [], people=("dana", "gone"))
    world.platform.text_model = StructuredText(PricedModel())
    world.platform.embedder = CountedEmbedder()
    world.say("m", "c", "gone", URGENT)
    message = world.get("messages/m") or {}
    assert message["prioritySource"] == "rules"
    assert "embeddedBy" not in message


def test_its_own_write_needs_nothing_done(world: World) -> None:
    world.talk("c", [])
    event = world.say("m", "c", "tom", URGENT)
    written = world.db.document("messages/m").get()
    echo = DocumentEvent(event.params, event.after, written.to_dict())
    message_written(world.platform, echo)
    assert world.db.document("messages/m").get().update_time == written.update_time


def test_an_event_that_comes_again_changes_nothing(world: World) -> None:
    world.talk("c", [])
    event = world.say("m", "c", "tom", URGENT)
    before = (world.get("messages/m"), world.get("conversations/c"), world.shards("c"))
    for _ in range(3):
        message_written(world.platform, event)
    assert (world.get("messages/m"), world.get("conversations/c"), world.shards("c")) == before


def test_imported_messages_are_left_alone(world: World) -> None:
    world.talk("c", [("tom", URGENT)])
    snapshot = world.db.document("messages/c-0").get()
    message_written(world.platform, DocumentEvent({"messageId": "c-0"}, None, snapshot.to_dict()))
    assert world.db.document("messages/c-0").get().update_time == snapshot.update_time
    assert counts(world) == (1, 0)


def test_an_edit_is_found_by_its_new_words_only(world: World) -> None:
    world.talk("c", [])
    world.say("m", "c", "tom", URGENT)
    message_written(world.platform, world.post("m", {"content": "lunch at the pizzeria?"}))
    assert search_ids(world, "pizzeria") == ["m"]
    assert search_ids(world, "production server") == []
    assert (world.get("messages/m") or {})["priority"] != "urgent"
    assert counts(world) == (1, 0)


def test_a_deleted_message_leaves_index_and_count_once(world: World) -> None:
    world.talk("c", [("tom", "Hello")])
    world.say("m", "c", "tom", URGENT)
    event = world.post("m", None)
    for _ in range(3):
        message_written(world.platform, event)
    assert world.indexed("c") == ["c-0"]
    assert counts(world) == (1, 0)


def test_a_deletion_that_overtakes_the_creation_leaves_nothing(world: World) -> None:
    world.talk("c", [])
    created = world.post("m", world.posted("c", "tom", URGENT))
    deleted = world.post("m", None)
    message_written(world.platform, deleted)
    message_written(world.platform, created)
    assert (world.indexed("c"), counts(world)) == ([], (0, 0))


def test_encrypted_messages_are_counted_and_nothing_else(world: World) -> None:
    world.talk("c", [])
    world.say("m", "c", "tom", "ZHJvd3NzYXA", encrypted=True)
    assert counts(world) == (1, 1)
    assert "priority" not in (world.get("messages/m") or {})
    assert "ZHJvd3NzYXA" not in str(world.shards("c"))
    message_written(world.platform, world.post("m", None))
    assert counts(world) == (0, 0)


def test_a_message_that_becomes_encrypted_leaves_no_trace_of_its_text(world: World) -> None:
    world.talk("c", [])
    world.say("m", "c", "tom", "Dana, please open the sesame vault by Friday")
    get_conversation_action_items(world.ctx())
    message_written(world.platform, world.post("m", {"encrypted": True, "content": "eHh4"}))
    assert "sesam" not in str(world.shards("c"))
    assert get_conversation_action_items(world.ctx()).action_items == []
    assert "priority" not in (world.get("messages/m") or {})
    assert counts(world) == (1, 1)


def test_many_messages_at_once_are_all_indexed_and_counted(world: World) -> None:
    world.talk("c", [])
    events = [world.post(f"m{n:02}", world.posted("c", "tom", f"word{n} said")) for n in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda event: message_written(world.platform, event), events * 2))
    assert world.indexed("c") == [f"m{n:02}" for n in range(24)]
    assert counts(world) == (24, 0)


def test_full_shards_are_followed_by_new_ones(world: World) -> None:
    world.talk("c", [("tom", f"line {n}") for n in range(399)])
    world.say("m1", "c", "tom", "the last of its shard")
    world.say("m2", "c", "tom", "the first of the next")
    assert sorted(shard["number"] for shard in world.shards("c")) == [0, 1, 2]
    assert (world.get("messages/m2") or {})["indexShard"] == 2


def test_a_message_carries_the_conversations_current_participants(world: World) -> None:
    world.talk("c", [], people=("dana", "noa"))
    world.say("m", "c", "noa", "hi", participantIds=["dana", "noa", "tom"])
    assert (world.get("messages/m") or {})["participantIds"] == ["dana", "noa"]


def test_a_message_of_no_conversation_is_left_alone(world: World) -> None:
    world.say("m", "nowhere", "tom", URGENT)
    assert "indexShard" not in (world.get("messages/m") or {})
    assert world.shards("nowhere") == []


@pytest.mark.parametrize(
    "garbage",
    [
        {"conversationId": 7},
        {"conversationId": "a/b"},
        {"conversationId": "__x__"},
        {"content": ["not", "text"]},
        {"content": None, "senderId": 5, "senderName": {}},
        {"timestamp": "yesterday"},
        {"timestamp": math.nan},
        {"encrypted": "no"},
        {"participantIds": "everybody"},
        {"indexShard": "first", "indexDigest": 9},
        {"indexShard": -5},
        {"content": "x" * 900_000},
    ],
)
def test_garbage_never_makes_the_trigger_fail(world: World, garbage: dict[str, Any]) -> None:
    world.talk("c", [])
    world.say("m", "c", "tom", URGENT, **garbage)
    message_written(world.platform, world.post("m", None))
    assert (world.indexed("c"), counts(world)) == ([], (0, 0))


def test_a_replaced_document_is_not_counted_twice(world: World) -> None:
    world.talk("c", [])
    world.say("m", "c", "tom", URGENT)
    before = world.get("messages/m")
    world.db.document("messages/m").set(world.posted("c", "tom", "Something else"))
    message_written(
        world.platform, DocumentEvent({"messageId": "m"}, before, world.get("messages/m"))
    )
    assert (world.indexed("c"), counts(world)) == (["m"], (1, 0))


def test_a_message_moved_to_another_conversation_moves_in_the_index(world: World) -> None:
    world.talk("c", [])
    world.talk("d", [])
    world.say("m", "c", "tom", URGENT)
    message_written(world.platform, world.post("m", {"conversationId": "d"}))
    assert (world.indexed("c"), world.indexed("d")) == ([], ["m"])
    assert (counts(world, "c"), counts(world, "d")) == ((0, 0), (1, 0))


def change(world: World, participants: list[str]) -> DocumentEvent:
    before = world.get("conversations/c")
    world.db.document("conversations/c").update({"participantIds": participants})
    return DocumentEvent({"conversationId": "c"}, before, world.get("conversations/c"))


def test_who_joins_or_leaves_is_copied_to_all_that_was_said(world: World) -> None:
    lines = [("tom", "Dana, please send the report by Friday"), ("dana", "We decided to hire Ann.")]
    world.talk("c", [*lines, *[("tom", "ok")] * 320])
    get_conversation_action_items(world.ctx())
    conversation_updated(world.platform, change(world, ["dana", "noa"]))
    for collection in ("messages", "actionItems", "decisions"):
        copies = [s.get("participantIds") for s in world.db.collection(collection).stream()]
        assert copies and all(copy == ["dana", "noa"] for copy in copies)


def test_events_out_of_order_leave_the_current_participants(world: World) -> None:
    world.talk("c", [("tom", "Hello")])
    first = change(world, ["dana", "noa"])
    second = change(world, ["dana"])
    conversation_updated(world.platform, second)
    conversation_updated(world.platform, first)
    assert (world.get("messages/c-0") or {})["participantIds"] == ["dana"]


def test_other_changes_of_a_conversation_touch_no_message(world: World) -> None:
    world.talk("c", [("tom", "Hello")])
    before = world.get("conversations/c") or {}
    written = world.db.document("messages/c-0").get().update_time
    event = DocumentEvent({"conversationId": "c"}, before, {**before, "name": "New"})
    conversation_updated(world.platform, event)
    assert world.db.document("messages/c-0").get().update_time == written


def test_who_left_finds_nothing_any_more(world: World) -> None:
    world.talk("c", [("tom", URGENT)])
    conversation_updated(world.platform, change(world, ["tom"]))
    assert search_ids(world, "production server") == []


def test_a_deleted_conversation_leaves_nothing_derived(world: World) -> None:
    world.talk("c", [("tom", "Dana, please send the report by Friday")])
    get_conversation_action_items(world.ctx())
    before = world.get("conversations/c")
    world.db.document("conversations/c").delete()
    event = DocumentEvent({"conversationId": "c"}, before, None)
    for _ in range(2):
        conversation_deleted(world.platform, event)
    for collection in ("messageIndex", "actionItems", "decisions", "extraction"):
        assert list(world.db.collection(collection).stream()) == []


def test_a_deletion_heard_of_late_spares_a_conversation_made_again(world: World) -> None:
    world.talk("c", [("tom", URGENT)])
    event = DocumentEvent({"conversationId": "c"}, world.get("conversations/c"), None)
    conversation_deleted(world.platform, event)
    assert search_ids(world, "production server") == ["c-0"]
