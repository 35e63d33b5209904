"""The question that the README asks a new app is answered without a model."""

from __future__ import annotations

from typing import Any

from rollcall.commands.init.app_code import EXAMPLE, QUESTION, capability_files
from rollcall.core.capability import Capability
from rollcall.core.messages import UserMessage
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.offline import Model
from tests.unit.models.planner.kit import message_of


def example() -> ToolSpec:
    names: dict[str, Any] = {"__name__": "capabilities.meetings"}
    exec(capability_files()["meetings.py"], names)
    declared = Capability.of(names[EXAMPLE])
    return ToolSpec(
        EXAMPLE,
        declared.description,
        declared.json_schema,
        keywords=declared.keywords,
        examples=declared.examples,
    )


def test_the_question_to_a_new_app_calls_its_example() -> None:
    request = ModelRequest("", (UserMessage.of(QUESTION),), (example(),))
    (call,) = message_of(list(Model().stream(request))).tool_calls
    assert (call.name, call.arguments) == (EXAMPLE, {"people": 6, "hours": 2})
