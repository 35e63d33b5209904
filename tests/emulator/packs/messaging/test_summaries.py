"""summarize_conversation."""

from typing import Any

import pytest

from packs.messaging.summaries import summarize_conversation
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument, PermissionDenied

from .conftest import World

LINES = [
    ("tom", "The launch needs a bigger marketing budget"),
    ("dana", "We decided to raise the marketing budget to forty thousand."),
    ("tom", "Dana, please send the new budget to the bank by Friday"),
]


def test_a_summary_says_what_it_is_made_of(world: World) -> None:
    world.talk("c", LINES)
    found = summarize_conversation(world.ctx(), conversation_id="c")
    assert "budget" in found.summary
    assert (found.conversation_id, found.conversation_name) == ("c", "Talk c")
    assert (found.message_count, found.encrypted_count, found.summarized_count) == (3, 0, 3)
    assert found.summarized_by == "rules"


@pytest.mark.parametrize(
    ("focus", "said"), [("decisions", "forty thousand"), ("action items", "2026-03-06")]
)
def test_a_focus_area_chooses_what_is_said(world: World, focus: str, said: str) -> None:
    world.talk("c", LINES)
    found = summarize_conversation(world.ctx(), conversation_id="c", focus_area=focus)
    assert said in found.summary


def test_only_the_last_hundred_readable_messages_are_read(world: World) -> None:
    readable = [("tom", f"Remark {n} about the launch") for n in range(130)]
    world.talk("c", readable)
    world.say("secret", "c", "tom", "Y2lwaGVy", encrypted=True)
    found = summarize_conversation(world.ctx(), conversation_id="c")
    assert (found.message_count, found.encrypted_count) == (131, 1)
    assert found.summarized_count == 100
    assert "Remark 12 " not in found.summary and "Y2lwaGVy" not in found.summary


def test_an_encrypted_conversation_is_counted_and_not_sent_anywhere(
    world: World, scripted: Any
) -> None:
    world.talk("c", LINES, encrypted=True)
    world.platform.text_model = scripted({"summary": "leaked"})
    found = summarize_conversation(world.ctx(), conversation_id="c")
    assert (found.encrypted_count, found.summarized_count) == (3, 0)
    assert world.platform.text_model.asked == []
    assert found.summary


def test_hebrew_is_summarized_in_hebrew(world: World) -> None:
    world.talk("c", [("noa", "החלטנו להעלות את תקציב השיווק לארבעים אלף")], people=("dana", "noa"))
    assert "תקציב" in summarize_conversation(world.ctx(), conversation_id="c").summary


@pytest.mark.parametrize("id", ["theirs", "unknown", "a/b", "__x__", "\ud800"])
def test_others_conversations_are_refused_like_unknown_ones(world: World, id: str) -> None:
    world.talk("theirs", LINES, people=("tom", "noa"))
    with pytest.raises(PermissionDenied) as refused:
        summarize_conversation(world.ctx(), conversation_id=id)
    assert refused.value.field == "conversationId"
    assert "you are not in a conversation" in refused.value.message


def test_a_model_writes_where_there_is_one(world: World, scripted: Any) -> None:
    world.talk("c", LINES)
    world.platform.text_model = scripted({"summary": "Budget raised. " * 30, "sources": [2, 99]})
    ctx = world.ctx()
    found = summarize_conversation(ctx, conversation_id="c", max_length=20)
    assert len(found.summary.split()) == 20
    assert found.summarized_by == "scripted:model"
    assert [citation.message_id for citation in ctx.citations] == ["c-1"]


def test_rules_write_where_the_model_fails(world: World, scripted: Any) -> None:
    world.talk("c", LINES)
    world.platform.text_model = scripted(ConnectionError())
    found = summarize_conversation(world.ctx(), conversation_id="c")
    assert found.summarized_by == "rules"
    assert "budget" in found.summary


def test_quoted_messages_are_cited(world: World) -> None:
    world.talk("c", LINES)
    ctx = world.ctx()
    summarize_conversation(ctx, conversation_id="c")
    assert "c-1" in [citation.message_id for citation in ctx.citations]


@pytest.mark.parametrize(
    "wrong",
    [{}, {"conversationId": "c", "maxLength": 0}, {"conversationId": "c", "maxLength": 9999}],
)
def test_arguments_out_of_range_are_refused(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        Capability.of(summarize_conversation).call(world.ctx(), wrong)
