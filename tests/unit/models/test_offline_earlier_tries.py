"""A message that is asked again after its first try has written: that is told beside the yes."""

import pytest

from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from tests.unit.models.offline_kit import message_of
from tests.unit.models.workspace_kit import TOOLS

WRITTEN = (
    "You help.\n\nThe user asked again, or changed what they had asked. What was written "
    "for the first try is not shown above, and stays as it is. Do not write it a second time:\n"
    '<data>\n- run_command {"command": "make"} (done)\n</data>'
)


@pytest.mark.parametrize(
    ("message", "told"),
    [("run `make`", "has written already"), ("הרץ `make`", "הניסיון הקודם כבר כתב")],
)
def test_what_the_first_try_wrote_is_said_beside_the_same_write(message: str, told: str) -> None:
    reply = _reply(message, WRITTEN)
    assert [call.name for call in reply.tool_calls] == ["run_command"]
    assert told in reply.text
    assert 'run_command {"command": "make"} (done)' in reply.text


@pytest.mark.parametrize(
    ("message", "instructions"),
    [
        ("run `make`", "You help with files."),
        ("Which files are here?", WRITTEN),
        ("run `make`", WRITTEN.replace("- run_command", "- edit_file")),
    ],
)
def test_nothing_is_said_where_nothing_was_written_or_nothing_is_to_be(
    message: str, instructions: str
) -> None:
    reply = _reply(message, instructions)
    assert reply.tool_calls
    assert "written already" not in reply.text


def _reply(message: str, instructions: str) -> ModelMessage:
    request = ModelRequest(instructions, (UserMessage.of(message),), TOOLS)
    return message_of(list(Model().stream(request)))
