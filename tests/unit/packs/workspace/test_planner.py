"""Which tool of the workspace the offline planner calls for what a user says."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.messages import UserMessage
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from tests.support.catalogs import catalog
from tests.unit.models.planner.kit import message_of
from tests.unit.models.planner.test_examples import spec

TOOLS = tuple(spec(each) for each in catalog.capabilities() if each.mark.category == "workspace")


@pytest.mark.parametrize(
    ("message", "tool", "arguments"),
    [
        ("Which files are in src?", "list_directory", {"path": "src"}),
        ("What files are in src?", "list_directory", {"path": "src"}),
        ("Which files use load_config?", "search_files", {"query": "load_config"}),
        ("אילו קבצים יש בתיקייה src?", "list_directory", {"path": "src"}),
        ("באילו קבצים מופיע load_config?", "search_files", {"query": "load_config"}),
    ],
)
def test_which_files_there_are_is_told_from_which_have_a_word(
    message: str, tool: str, arguments: dict[str, Any]
) -> None:
    reply = message_of(list(Model().stream(ModelRequest("", (UserMessage.of(message),), TOOLS))))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [(tool, arguments)]
