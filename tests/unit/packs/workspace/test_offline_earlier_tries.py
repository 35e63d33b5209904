"""A message that is asked again after its first try has written: that is told beside the yes."""

from datetime import UTC, datetime

import pytest

from rollcall.agent.prompt import instructions
from rollcall.core.context import User
from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from tests.unit.models.offline_kit import message_of
from tests.unit.packs.workspace.offline_kit import TOOLS

WRITTEN = instructions(
    AgentProfile(id="files", name={"en": "Files"}, instructions="You help.", tools=()),
    user=User("ann"),
    now=datetime(2026, 11, 21, tzinfo=UTC),
    client_context=None,
    lasting=('run_command {"command": "make"} (done)',),
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
    ("message", "told"),
    [
        ("run `make`", "You help with files."),
        ("Which files are here?", WRITTEN),
        ("run `make`", WRITTEN.replace("- run_command", "- edit_file")),
    ],
)
def test_nothing_is_said_where_nothing_was_written_or_nothing_is_to_be(
    message: str, told: str
) -> None:
    reply = _reply(message, told)
    assert reply.tool_calls
    assert "written already" not in reply.text


def _reply(message: str, told: str) -> ModelMessage:
    request = ModelRequest(told, (UserMessage.of(message),), TOOLS)
    return message_of(list(Model().stream(request)))
