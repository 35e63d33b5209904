"""A dialogue with the planner about a copy of the sample folder, run hop by hop as a client does:
its tools run where the files are, and a person says yes or no to what would change them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dev.paths import ROOT
from packs.workspace.tools import (
    edit_file,
    list_directory,
    read_file,
    run_command,
    search_files,
    write_file,
)
from rollcall.core.capability import Capability
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.workspace import Workspace
from tests.unit.models.offline_kit import finish_of, message_of

SAMPLE = ROOT / "dev/sample_workspace"
FUNCTIONS = (list_directory, read_file, search_files, write_file, edit_file, run_command)
MOST_HOPS = 20
Says = Callable[[ToolCall], bool]


def _spec(function: Any) -> Any:
    document = capability_document(Capability.of(function))
    return read_capability({**document, "status": "active"}).spec


TOOLS = tuple(_spec(function) for function in FUNCTIONS)
WRITES = {tool.name for tool in TOOLS if tool.writes}


def yes(call: ToolCall) -> bool:
    return True


def no(call: ToolCall) -> bool:
    return False


@dataclass
class Desk:
    """A copy of the sample folder with somebody at it.

    `calls` are those of the last message, hop by hop; `asked` those that were to be decided.
    """

    folder: Path
    says: Says = yes
    tools: tuple[Any, ...] = TOOLS
    locale: str = "en"
    history: list[Message] = field(default_factory=list)
    calls: list[list[ToolCall]] = field(default_factory=list)
    asked: list[ToolCall] = field(default_factory=list)
    quick_replies: tuple[str, ...] = ()
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, **more: Any) -> Desk:
        shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        return cls(folder, **more)

    def say(self, message: str) -> str:
        """Put a message, and hop until the planner answers; the answer with what was said before
        the calls."""
        self.history.append(UserMessage.of(message))
        self.calls, self.asked, said = [], [], []
        with Workspace(self.folder) as workspace:
            for _ in range(MOST_HOPS):
                reply = self._step()
                said.append(reply.text)
                if not reply.tool_calls:
                    return "\n\n".join(filter(None, said))
                self.calls.append(list(reply.tool_calls))
                results = [self._result(call, workspace) for call in reply.tool_calls]
                self.history.append(ToolMessage(tuple(results)))
        raise AssertionError("the planner did not come to an end")

    def text(self, path: str) -> str:
        return (self.folder / path).read_text()

    @property
    def called(self) -> list[str]:
        return [call.name for hop in self.calls for call in hop]

    def _step(self) -> ModelMessage:
        # As in the service, each run reads the history anew.
        request = ModelRequest("", tuple(self.history), self.tools, locale=self.locale)
        deltas = list(Model().stream(request))
        reply = message_of(deltas)
        self.history.append(reply)
        self.quick_replies = finish_of(deltas).quick_replies
        return reply

    def _result(self, call: ToolCall, workspace: Workspace) -> ToolResult:
        body = self._run(call, workspace)
        return ToolResult(call.id, call.name, json.dumps(body), is_error="error" in body)

    def _run(self, call: ToolCall, workspace: Workspace) -> dict[str, Any]:
        given = dict(call.arguments or {})
        if call.name in WRITES:
            self.asked.append(call)
            if not self.says(call):
                return {"error": {"code": "rejected", "message": "the user said no"}}
        if call.name in ("write_file", "edit_file") and given["path"] in self._digests:
            given["digest"] = self._digests[given["path"]]
        try:
            output = workspace.run(call.name, given)
        except ToolError as error:
            return {"error": {"message": str(error)}}
        if "digest" in output:
            self._digests[output["path"]] = output["digest"]
        return {"output": output}


def leads_to(desk: Desk, message: str, want: tuple[tuple[str, dict[str, Any]], ...] | str) -> str:
    """Put a message and check what it leads to; the answer.

    Args:
        want: Calls that are made in this order, with these arguments among theirs: reading may
            come before, but nothing else is written or run. Or `MODEL`: nothing is called.
    """
    answer = desk.say(message)
    made = [(call.name, call.arguments or {}) for hop in desk.calls for call in hop]
    if isinstance(want, str):
        assert not made
        assert "GEMINI_API_KEY" in answer
        return answer
    left = iter(made)
    for name, given in want:
        assert any(name == n and given.items() <= g.items() for n, g in left), (name, given, made)
    assert [n for n, _ in made if n in WRITES] == [n for n, _ in want if n in WRITES]
    return answer
