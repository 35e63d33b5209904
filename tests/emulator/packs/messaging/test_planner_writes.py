"""The offline planner with the messaging writes: from a sentence to the stored document."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore_v1.base_query import FieldFilter
from msgspec.structs import replace

from packs.messaging.triggers import message_written
from rollcall.core.capability import Capability
from rollcall.core.errors import AgentError
from rollcall.core.text import language
from tests.support.packs.messaging.tools import FUNCTIONS, TOOLS
from tests.unit.models.planner.kit import Talk

from .conftest import World


class Approved(Talk):
    """A thread with the planner in which every write is approved and made."""

    def __init__(self, world: World) -> None:
        super().__init__(TOOLS, self._call)
        self.world, self.language = world, "en"

    def say(self, message: str) -> str:
        self.language = language(message)
        return super().say(message)

    def _call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        capability = Capability.of(FUNCTIONS[name])
        ctx = replace(self.world.ctx(), locale=self.language)
        if capability.mark.effect == "write":
            key = f"{len(self.history)}"
            ctx = replace(ctx, effect_key=key, effects=self.world.db.batch())
        try:
            output = capability.call(ctx, arguments)
        except AgentError as error:
            return {"error": {"message": error.message, **error.details}}
        if ctx.effects is not None:
            ctx.effects.commit()
        numbered = [c.model_copy(update={"n": n}) for n, c in enumerate(ctx.citations, 1)]
        return {"output": output, "citations": [citation.dump() for citation in numbered]}


@pytest.fixture
def talk(world: World) -> Approved:
    world.talk(
        "budget",
        [
            ("tom", "The budget draft is in the folder"),
            ("tom", "Dana, please review the vendor contract by Friday"),
        ],
        name="Budget team",
    )
    world.talk("mgmt", [("noa", "בוקר טוב לכולם")], people=("dana", "noa"), name="הנהלה")
    world.talk("lunch", [("tom", "Pizza today?")], name="Lunch")
    return Approved(world)


def sent_to(world: World, conversation: str) -> list[str]:
    found = world.db.collection("messages").stream()
    every = [snapshot.to_dict() or {} for snapshot in found]
    return [
        item["content"]
        for item in every
        if item["conversationId"] == conversation and item.get("sentBy") == "agent"
    ]


@pytest.mark.parametrize(
    ("message", "conversation", "content", "answer"),
    [
        (
            "Send 'I will be late' to the Budget team",
            "budget",
            "I will be late",
            "Sent to \u2068Budget team\u2069: “\u2068I will be late\u2069” [1]",
        ),
        (
            "תגיד להנהלה שאני מאחרת",
            "mgmt",
            "אני מאחרת",
            "נשלח אל \u2068הנהלה\u2069: „\u2068אני מאחרת\u2069” [1]",
        ),
    ],
)
def test_a_sentence_becomes_a_message(
    world: World, talk: Approved, message: str, conversation: str, content: str, answer: str
) -> None:
    assert talk.say(message) == answer
    assert sent_to(world, conversation) == [content]


def test_what_was_sent_is_withdrawn_again(world: World, talk: Approved) -> None:
    talk.say("Send 'I will be late' to the Budget team")
    (sent,) = (
        world.db.collection("messages").where(filter=FieldFilter("sentBy", "==", "agent")).get()
    )
    done = talk.run("withdraw_message", {"messageId": sent.id})["output"]["done"]
    assert done.startswith("Withdrawn from \u2068Budget team\u2069")
    assert sent_to(world, "budget") == []


def test_a_task_is_completed_and_reopened(world: World, talk: Approved) -> None:
    answer = talk.say("Mark the action item about the vendor contract as done")
    assert answer.startswith("Marked as done: “")
    assert "vendor contract" in answer
    (item,) = world.db.collection("actionItems").stream()
    assert item.get("status") == "done"
    reopened = talk.run("reopen_action_item", {"actionItemId": item.id})["output"]["done"]
    assert reopened.startswith("Open again: “")
    (item,) = world.db.collection("actionItems").stream()
    assert item.get("status") == "open"


def test_a_message_is_rated_and_stays_so(world: World, talk: Approved) -> None:
    answer = talk.say("קבע את העדיפות של ההודעה על pizza לדחופה")
    assert answer.startswith("העדיפות היא עכשיו דחופה")
    message_written(world.platform, world.post("lunch-0", {"content": "Pizza, now with cheese"}))
    assert (world.get("messages/lunch-0") or {})["priority"] == "urgent"


def test_the_same_again_is_refused_and_said(talk: Approved) -> None:
    talk.say("Mark the message about pizza as urgent")
    answer = talk.say("Mark the message about pizza as urgent")
    assert "already" in answer
    assert answer.startswith("This did not work (set message priority)")
