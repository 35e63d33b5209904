"""The offline planner and files: it says that it cannot read them."""

from __future__ import annotations

from rollcall.core.messages import Media, Message, ModelMessage, Text, UserMessage
from rollcall.models.base import ModelRequest, TextDelta
from rollcall.models.offline import Model

LEASE = Media("document", "text/plain", "VGhlIHJlbnQgaXMgNCwyMDA=", "lease.pdf")


def answer(*messages: Message, locale: str = "en") -> str:
    request = ModelRequest("", messages, locale=locale)
    return "".join(each.text for each in Model().stream(request) if isinstance(each, TextDelta))


def test_a_new_file_is_said_not_to_be_read() -> None:
    said = answer(UserMessage((Text("How much is the rent?"), LEASE)))
    assert said.startswith("I cannot see or read “lease.pdf”")
    assert "4,200" not in said


def test_it_is_said_in_hebrew() -> None:
    said = answer(UserMessage((Text("כמה דמי השכירות?"), LEASE)), locale="he")
    assert "אין לי אפשרות לראות או לקרוא את “lease.pdf”" in said


def test_a_file_from_before_keeps_nothing_from_being_answered() -> None:
    before = UserMessage((Text("Here is my lease."), LEASE))
    said = answer(before, ModelMessage("Thank you."), UserMessage.of("thanks"))
    assert said == "You're welcome!"
