"""The offline planner and files: it says that it cannot read them."""

from __future__ import annotations

import pytest

from rollcall.core.messages import UserMessage
from rollcall.models.base import AttachedFile, ModelRequest, TextDelta
from rollcall.models.offline import Model


def asked(text: str, *files: AttachedFile, locale: str = "en") -> str:
    request = ModelRequest("", (UserMessage.of(text),), files=files, locale=locale)
    return "".join(each.text for each in Model().stream(request) if isinstance(each, TextDelta))


@pytest.mark.parametrize("text", ["The rent is 4,200 shekels a month.", None])
def test_a_new_file_is_said_not_to_be_read(text: str | None) -> None:
    said = asked("How much is the rent?", AttachedFile("lease.pdf", text, is_new=True))
    assert said.startswith("I cannot see or read “lease.pdf”")
    assert "4,200" not in said


def test_it_is_said_in_hebrew() -> None:
    said = asked("כמה דמי השכירות?", AttachedFile("lease.pdf", "4,200", is_new=True), locale="he")
    assert "אין לי אפשרות לראות או לקרוא את “lease.pdf”" in said


def test_a_file_from_before_keeps_nothing_from_being_answered() -> None:
    said = asked("thanks", AttachedFile("lease.pdf", "text", is_new=False))
    assert said == "You're welcome!"
