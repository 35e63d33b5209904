"""What teachers say of material that they have is no wish for new material, without a model."""

from __future__ import annotations

import pytest

from rollcall.agent.tool_calls import ASK_USER_SPEC
from rollcall.core.messages import UserMessage
from rollcall.core.shapes import ASK_USER
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from tests.support.catalogs import catalog
from tests.unit.models.planner.kit import message_of
from tests.unit.models.planner.test_examples import spec

TOOLS = tuple(spec(catalog.find_capability(id)) for id in catalog.agents()["education"].tools)


def calls(message: str) -> list[str]:
    wanted = ModelRequest("", (UserMessage.of(message),), (*TOOLS, ASK_USER_SPEC), locale="he")
    return [each.name for each in message_of(list(Model().stream(wanted))).tool_calls]


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("תבדקי את דף העבודה", "run_qa_tests"),
        ("תבדקי את איכות החומר", "run_qa_tests"),
        ("תמחקי את דף העבודה", ASK_USER),
        ("תמחק את המבחן", ASK_USER),
        ("תפרסמי את דף העבודה לכיתה", ASK_USER),
        ("פרסמי את המבחן לכיתה", ASK_USER),
        ("צרי לי דף עבודה על שברים לכיתה ד", "generate_static_content"),
    ],
)
def test_checking_deleting_and_publishing_make_nothing_new(message: str, call: str) -> None:
    assert calls(message) == [call]
