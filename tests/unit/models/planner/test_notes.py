"""Questions of what something is: answered from notes, without a tool."""

from __future__ import annotations

import pytest

from rollcall.core.explanation import asks_what_it_is
from rollcall.core.messages import UserMessage
from rollcall.core.profile import Note
from rollcall.core.wire import Citation
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from tests.support.for_every import for_every
from tests.unit.models.planner.kit import ELECTRICAL, message_of

NOTE = Note("Article 250: grounding and bonding.", Citation(n=1, type="code", title="Article 250"))


def replied(message: str, *notes: Note) -> tuple[str, list[str]]:
    request = ModelRequest("", (UserMessage.of(message),), ELECTRICAL, notes=notes)
    made = message_of(list(Model().stream(request)))
    return made.text, [call.name for call in made.tool_calls]


@for_every(
    "message",
    [
        "What is article 250 about?",
        "What is NEC article 250 about?",
        "what does 250.66 say?",
        "Explain article 250",
        "What is grounding?",
        "What's a grounding electrode conductor?",
        "על מה מדבר סעיף 250?",
        "מה זה הארקה?",
        "תסביר לי את סעיף 250",
    ],
)
def test_a_concept_is_told_from_what_is_known_and_cited(message: str) -> None:
    text, called = replied(message, NOTE)
    assert (text, called) == ("Article 250: grounding and bonding. [1]", [])


@for_every(
    "message",
    [
        "What does the 2014 edition say about grounding?",
        "What is grounding, other than bonding?",
        "What's circuit 3? What is grounding?",
    ],
)
def test_what_notes_do_not_answer_is_not_told_from_them(message: str) -> None:
    assert NOTE.text not in replied(message, NOTE)[0]


@pytest.mark.parametrize(
    "message",
    [
        "What is the voltage drop on circuit 14?",
        "What's the fault current at panel A?",
        "what is my worst voltage drop",
        "Check the conductor sizing of circuit 3 by 310.16",
        "What is 80 A at 240 V?",
        "מה מפל המתח במעגל 14?",
    ],
)
def test_a_question_for_a_figure_is_not_one(message: str) -> None:
    assert not asks_what_it_is(message)


def test_where_nothing_is_known_tools_are_asked() -> None:
    assert replied("What is article 250 about?")[0] != NOTE.text


@pytest.mark.parametrize(
    ("message", "lead"),
    [
        ("Why is grounding required?", "I can't explain that"),
        ("מה ההבדל בין הארקה לגישור?", "אין לי הסבר לכך"),
    ],
)
def test_a_note_that_gives_no_reason_is_not_passed_off_as_one(message: str, lead: str) -> None:
    note = Note(f"{NOTE.text} It is required so that faults clear.", NOTE.citation)
    note = NOTE if message.startswith("Why") else note  # a reason tells no difference
    text, called = replied(message, note)
    assert text.startswith(lead) and note.text in text
    assert called == []


@pytest.mark.parametrize(
    "message",
    [
        "Why does the dishwasher breaker keep tripping?",
        "What is grounding and why do I need it?",
        "מה זו הארקה ולמה צריך אותה?",
    ],
)
def test_a_question_for_a_reason_is_told_no_note_about_something_else(message: str) -> None:
    assert NOTE.text not in replied(message, NOTE)[0]
