"""The rules' reading of single messages, in English and Hebrew."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from packs.messaging.chat import ChatMessage
from packs.messaging.decision_extraction import extract_decisions
from packs.messaging.priority_rules import classify

CASES = json.loads(Path(__file__).with_name("rule_cases.json").read_text("utf-8"))
AT = datetime(2026, 11, 22, 9, tzinfo=UTC)


def decisions_in(text: str) -> list[str]:
    message = ChatMessage(id="m", sender_id="ann", sender_name="Ann", text=text, sent_at=AT)
    found = extract_decisions([message], conversation_id="c", names={"ann": "Ann", "ben": "Ben"})
    return [decision.decision for decision in found]


@pytest.mark.parametrize("text", CASES["urgent"])
def test_danger_to_people_is_urgent(text: str) -> None:
    assert classify(text, said_at=AT).level == "urgent"


@pytest.mark.parametrize("text", CASES["calm"])
def test_words_of_danger_alone_are_not(text: str) -> None:
    assert classify(text, said_at=AT).level not in ("urgent", "high")


@pytest.mark.parametrize("text", CASES["decisions"])
def test_a_refusal_and_what_is_called_final_are_decisions(text: str) -> None:
    assert decisions_in(text)


@pytest.mark.parametrize("text", CASES["no_decisions"])
def test_what_depends_on_something_is_no_decision(text: str) -> None:
    assert decisions_in(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We're going with the second vendor unless anybody objects",
        "הולכים על הספק השני, אלא אם מישהו מתנגד",
    ],
)
def test_what_only_an_objection_would_stop_is_a_decision(text: str) -> None:
    assert decisions_in(text)
