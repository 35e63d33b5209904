"""Messages sent and withdrawn, action items completed and reopened, priorities set by hand."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from google.api_core.exceptions import AlreadyExists
from google.api_core.exceptions import FailedPrecondition as Refused
from google.cloud.firestore import DELETE_FIELD
from msgspec.structs import replace

from packs.messaging.action_items import (
    complete_action_item,
    get_conversation_action_items,
    reopen_action_item,
)
from packs.messaging.priorities import set_message_priority
from packs.messaging.sending import send_message, withdraw_message
from packs.messaging.triggers import message_written
from rollcall.agent.targets import local_target
from rollcall.core.capability import Capability, plain
from rollcall.core.context import ToolContext
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.triggers import DocumentEvent
from rollcall.store.effects import Effect, perform_once

from .conftest import World

CALM = "Nice lunch!"
TASK = "Tom, please send the signed contract to Acme by Friday"


def writing(world: World, uid: str = "dana", *, key: str = "e1", locale: str = "en") -> ToolContext:
    """A call of an atomic write, as the ledger makes it."""
    ctx = replace(world.ctx(uid), effect_key=key, effects=world.db.batch())
    ctx.locale = locale
    return ctx


def write(
    world: World, capability: Any, uid: str = "dana", *, key: str = "e1", **given: Any
) -> Any:
    """Call a write and commit what it put into the batch; return its result as plain JSON."""
    ctx = writing(world, uid, key=key)
    result = plain(capability(ctx, **given))
    ctx.batch.commit()
    return result


def preview(capability: Any, ctx: ToolContext, **given: Any) -> Any:
    ask = Capability.of(capability).mark.preview
    assert ask is not None
    return ask(ctx, **given).display


def undo(world: World, capability: Any, given: dict[str, Any], result: Any) -> Any:
    """Take a write back as the platform does; return what that returned."""
    back = Capability.of(capability).mark.undo
    assert back is not None
    tool = {
        "withdraw_message": withdraw_message,
        "reopen_action_item": reopen_action_item,
        "complete_action_item": complete_action_item,
        "set_message_priority": set_message_priority,
    }[back.tool]
    ctx = writing(world, key="undo")
    answer = Capability.of(tool).call(ctx, back.arguments(given, result))
    ctx.batch.commit()
    return answer


def settle(world: World, id: str, before: dict[str, Any] | None = None) -> None:
    message_written(
        world.platform, DocumentEvent({"messageId": id}, before, world.get(f"messages/{id}"))
    )


def the_item(world: World) -> str:
    (item,) = get_conversation_action_items(world.ctx()).action_items
    return item.id


# ---- Sending ----


def test_a_message_is_sent_as_the_users_own_client_would(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    sent = write(world, send_message, conversation_id="c", content="I will be late")
    stored = world.get(f"messages/{sent['messageId']}") or {}
    by_client = {**world.posted("c", "dana", "I will be late"), "schemaVersion": 1}
    assert {**stored, "timestamp": None} == {**by_client, "timestamp": None, "sentBy": "agent"}
    assert sent["done"] == "Sent to \u2068Talk c\u2069: “\u2068I will be late\u2069”"


def test_a_sent_message_is_counted_and_found(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    sent = write(world, send_message, conversation_id="c", content="The heron has landed")
    settle(world, sent["messageId"])
    assert world.indexed("c") == sorted(["c-0", sent["messageId"]])
    assert (world.get("conversations/c") or {})["messageCount"] == 2


@pytest.mark.parametrize("delay_ms", range(0, 60, 3))
def test_a_message_can_be_withdrawn_while_the_index_marks_it(world: World, delay_ms: int) -> None:
    world.talk("c", [("tom", CALM)])
    sent = write(world, send_message, conversation_id="c", content="Hello")
    target = local_target(Capability.of(withdraw_message), None, is_write=True)
    ctx = replace(world.ctx(), effect_key="withdrawal")
    effect = Effect("withdrawal", "dana", "withdraw_message", 1, "digest")
    withdrawal = target.ledger_write(ctx, {"messageId": sent["messageId"]})
    with ThreadPoolExecutor() as at_once:
        marks = at_once.submit(settle, world, sent["messageId"])
        time.sleep(delay_ms / 1000)
        done = perform_once(world.db, effect, withdrawal, waits_for_others=True)
        marks.result()
    assert done["messageId"] == sent["messageId"]
    assert world.get(f"messages/{sent['messageId']}") is None


def test_a_repeat_of_one_effect_is_the_same_message(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    sent = write(world, send_message, conversation_id="c", content="Once")
    with pytest.raises(AlreadyExists):
        write(world, send_message, conversation_id="c", content="Once")
    other = write(world, send_message, key="e2", conversation_id="c", content="Once")
    theirs = write(world, send_message, "tom", conversation_id="c", content="Once")
    assert len({sent["messageId"], other["messageId"], theirs["messageId"]}) == 3


def test_sending_needs_an_effect_key_and_a_batch(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    with pytest.raises(FailedPrecondition, match=r"ctx\.new_id"):
        send_message(writing(world, key=""), conversation_id="c", content="Hi")
    with pytest.raises(FailedPrecondition, match="atomic"):
        send_message(replace(world.ctx(), effect_key="e"), conversation_id="c", content="Hi")


@pytest.mark.parametrize("conversation", ["theirs", "none", "a/b", "__x__"])
def test_nobody_writes_to_a_conversation_of_others(world: World, conversation: str) -> None:
    world.talk("theirs", [("tom", CALM)], people=("tom", "noa"))
    for call in (send_message, Capability.of(send_message).mark.preview):
        assert call is not None
        with pytest.raises(PermissionDenied, match="you are not in a conversation"):
            call(writing(world), conversation_id=conversation, content="Hi")


@pytest.mark.parametrize("content", [" \n", "half \ud800"])
def test_a_text_that_is_none_is_refused(world: World, content: str) -> None:
    world.talk("c", [("tom", CALM)])
    with pytest.raises(InvalidArgument) as caught:
        preview(send_message, world.ctx(), conversation_id="c", content=content)
    assert caught.value.field == "content"


@pytest.mark.parametrize("content", ["", "x" * 32_001])
def test_a_text_has_1_to_32000_characters(world: World, content: str) -> None:
    world.talk("c", [("tom", CALM)])
    with pytest.raises(InvalidArgument, match="content"):
        Capability.of(send_message).frozen({"conversationId": "c", "content": content})
    assert Capability.of(send_message).frozen({"conversationId": "c", "content": "x" * 32_000})


def test_plain_text_does_not_go_into_an_encrypted_conversation(world: World) -> None:
    world.talk("c", [("tom", CALM)], encrypted=True)
    with pytest.raises(FailedPrecondition, match="encrypted"):
        send_message(writing(world), conversation_id="c", content="Hi")


def test_who_is_asked_sees_everyone_and_the_whole_text(world: World) -> None:
    world.talk("c", [("tom", CALM)], people=("dana", "tom", "noa"), name="תקציב")
    text = "All of it. " * 100
    shown = preview(send_message, world.ctx(), conversation_id="c", content=text)
    assert shown.type == "confirmation"
    assert shown.title == "Send to \u2068תקציב\u2069"
    assert text in shown.text
    assert "Tom Reed" in shown.text
    assert "נועה כהן" in shown.text
    assert "Dana" not in shown.text


def test_of_two_people_the_other_is_named_once(world: World) -> None:
    world.talk("c", [("tom", CALM)], people=("dana", "tom"), name="Tom Reed")
    shown = preview(send_message, world.ctx(), conversation_id="c", content="Late")
    assert (shown.title, shown.rows) == (None, None)
    assert shown.text == "To: \u2068Tom Reed\u2069\n\n\u2068Late\u2069"


def test_hebrew_is_asked_and_told_in_hebrew(world: World) -> None:
    world.talk("c", [("tom", CALM)], name="Budget")
    ctx = writing(world, locale="he")
    shown = preview(send_message, ctx, conversation_id="c", content="אני מאחר")
    sent = send_message(ctx, conversation_id="c", content="אני מאחר")
    assert shown.title == "שליחה אל \u2068Budget\u2069"
    assert sent.done == "נשלח אל \u2068Budget\u2069: „\u2068אני מאחר\u2069”"


# ---- Withdrawing ----


def test_a_sent_message_is_withdrawn_by_its_undo(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    given = {"conversationId": "c", "content": "Oops"}
    sent = write(world, send_message, conversation_id="c", content="Oops")
    settle(world, sent["messageId"])
    before = world.get(f"messages/{sent['messageId']}")
    answer = undo(world, send_message, given, sent)
    settle(world, sent["messageId"], before)
    assert answer["conversationName"] == "Talk c"
    assert world.get(f"messages/{sent['messageId']}") is None
    assert world.indexed("c") == ["c-0"]


@pytest.mark.parametrize("id", ["c-0", "theirs-0", "none", "a/b"])
def test_only_ones_own_message_is_withdrawn(world: World, id: str) -> None:
    world.talk("c", [("tom", CALM)])
    world.talk("theirs", [("dana", CALM)], people=("tom", "noa"))
    for call in (withdraw_message, Capability.of(withdraw_message).mark.preview):
        assert call is not None
        with pytest.raises(PermissionDenied):
            call(writing(world), message_id=id)


def test_a_withdrawal_refuses_what_was_edited_meanwhile(world: World) -> None:
    world.talk("c", [("dana", CALM)])
    ctx = writing(world)
    withdraw_message(ctx, message_id="c-0")
    world.post("c-0", {"content": "Something else"})
    with pytest.raises(Refused):
        ctx.batch.commit()


def test_an_encrypted_message_is_withdrawn_unseen(world: World) -> None:
    world.talk("c", [("dana", "the secret")], encrypted=True)
    shown = preview(withdraw_message, world.ctx(), message_id="c-0")
    write(world, withdraw_message, message_id="c-0")
    assert "secret" not in str(shown.dump())
    assert world.get("messages/c-0") is None


# ---- Completing ----


def test_an_action_item_is_completed_and_reopened(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    item = the_item(world)
    done = write(world, complete_action_item, action_item_id=item)
    stored = world.get(f"actionItems/{item}") or {}
    assert (stored["status"], stored["doneBy"]) == ("done", "dana")
    assert done["done"].startswith("Marked as done: “")
    assert get_conversation_action_items(world.ctx()).action_items == []
    undo(world, complete_action_item, {"actionItemId": item}, done)
    assert the_item(world) == item
    assert "doneBy" not in (world.get(f"actionItems/{item}") or {})


def test_what_is_done_already_is_refused_and_says_by_whom(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    item = the_item(world)
    write(world, complete_action_item, "tom", action_item_id=item)
    with pytest.raises(FailedPrecondition, match="already by Tom Reed on 2026-03-09"):
        complete_action_item(writing(world), action_item_id=item)
    with pytest.raises(FailedPrecondition, match="done already"):
        preview(complete_action_item, world.ctx(), action_item_id=item)


def test_what_is_open_is_not_reopened(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    with pytest.raises(FailedPrecondition, match="open already"):
        reopen_action_item(writing(world), action_item_id=the_item(world))


def test_nobody_completes_what_others_have_to_do_elsewhere(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    item = the_item(world)
    for id in (item, "none"):
        with pytest.raises(PermissionDenied, match="there is no action item"):
            complete_action_item(writing(world, "noa"), action_item_id=id)


def test_extraction_keeps_who_completed_an_item(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    item = the_item(world)
    write(world, complete_action_item, action_item_id=item)
    world.db.document("extraction/c").delete()
    get_conversation_action_items(world.ctx())
    stored = world.get(f"actionItems/{item}") or {}
    assert (stored["status"], stored["doneBy"]) == ("done", "dana")


def test_two_who_complete_one_item_do_so_once(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    item = the_item(world)
    slow = writing(world, "tom", key="e2")
    complete_action_item(slow, action_item_id=item)
    write(world, complete_action_item, action_item_id=item)
    with pytest.raises(Refused):
        slow.batch.commit()
    assert (world.get(f"actionItems/{item}") or {})["doneBy"] == "dana"


def test_who_is_asked_sees_the_task_and_where_it_comes_from(world: World) -> None:
    world.talk("c", [("dana", TASK)])
    shown = preview(complete_action_item, world.ctx(), action_item_id=the_item(world))
    (row,) = shown.rows
    assert "contract" in row["Task"]
    assert row["Conversation"] == "Talk c"


# ---- Priorities ----


def test_a_priority_is_set_by_hand_and_taken_back(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    rated = write(world, set_message_priority, message_id="c-0", priority="urgent")
    stored = world.get("messages/c-0") or {}
    assert (stored["priority"], stored["prioritySource"]) == ("urgent", "user")
    assert (stored["priorityConfidence"], stored["prioritySetBy"]) == (1.0, "dana")
    assert rated["previousPriority"] == "automatic"
    back = undo(world, set_message_priority, {"messageId": "c-0", "priority": "urgent"}, rated)
    stored = world.get("messages/c-0") or {}
    assert (stored["priority"], stored["prioritySource"]) == ("unspecified", "rules")
    assert "prioritySetBy" not in stored
    assert back["previousPriority"] == "urgent"


def test_a_hand_set_priority_is_what_undo_returns_to(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    write(world, set_message_priority, message_id="c-0", priority="low")
    rated = write(world, set_message_priority, message_id="c-0", priority="high")
    undo(world, set_message_priority, {"messageId": "c-0", "priority": "high"}, rated)
    assert (world.get("messages/c-0") or {})["priority"] == "low"


def test_a_hand_set_priority_survives_edits_and_imports(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    write(world, set_message_priority, message_id="c-0", priority="low")
    message_written(world.platform, world.post("c-0", {"content": "URGENT: the server is down"}))
    assert (world.get("messages/c-0") or {})["priority"] == "low"
    world.talk("c", [("tom", "URGENT: the server is down, customers can't pay")])
    stored = world.get("messages/c-0") or {}
    assert (stored["priority"], stored["prioritySetBy"]) == ("low", "dana")


def test_a_priority_set_before_the_trigger_ran_survives_it(world: World) -> None:
    world.talk("c", [])
    event = world.post("new", world.posted("c", "tom", "URGENT: the server is down"))
    write(world, set_message_priority, message_id="new", priority="low")
    message_written(world.platform, event)
    assert (world.get("messages/new") or {})["priority"] == "low"


def test_a_message_encrypted_since_loses_its_priority(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    write(world, set_message_priority, message_id="c-0", priority="high")
    message_written(world.platform, world.post("c-0", {"encrypted": True}))
    assert not {"priority", "prioritySetBy"} & set(world.get("messages/c-0") or {})


@pytest.mark.parametrize(
    ("id", "priority", "error"),
    [
        ("c-0", "automatic", FailedPrecondition),
        ("secret-0", "high", FailedPrecondition),
        ("theirs-0", "high", PermissionDenied),
        ("none", "high", PermissionDenied),
    ],
)
def test_a_priority_that_cannot_be_set_is_refused_before_asking(
    world: World, id: str, priority: str, error: type[AgentError]
) -> None:
    world.talk("c", [("tom", CALM)])
    world.talk("secret", [("tom", CALM)], encrypted=True)
    world.talk("theirs", [("tom", CALM)], people=("tom", "noa"))
    for call in (set_message_priority, Capability.of(set_message_priority).mark.preview):
        assert call is not None
        with pytest.raises(error):
            call(writing(world), message_id=id, priority=priority)


def test_who_is_asked_sees_the_message_and_both_priorities(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    ctx = writing(world, locale="he")
    shown = preview(set_message_priority, ctx, message_id="c-0", priority="high")
    (row,) = shown.rows
    assert (row["הודעה"], row["לפני"], row["אחרי"]) == (CALM, "רגילה", "גבוהה")
    assert shown.title == "עדיפות: מרגילה לגבוהה"


def test_a_message_without_any_priority_yet_can_be_rated(world: World) -> None:
    world.talk("c", [("tom", CALM)])
    world.db.document("messages/c-0").update({"priority": DELETE_FIELD})
    rated = write(world, set_message_priority, message_id="c-0", priority="medium")
    assert rated["previousPriority"] == "automatic"
