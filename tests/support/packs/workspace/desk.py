"""The workspace agent, with a client that keeps its files in a dictionary."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec.structs import replace

from packs.workspace import tools
from packs.workspace.agents import TOOLS, WORKSPACE
from rollcall.core.capability import Capability
from rollcall.core.profile import AgentProfile
from tests.support.office import Office, RunResponse
from tests.support.office_pack import office_capabilities

_FUNCTIONS = (
    tools.list_directory,
    tools.read_file,
    tools.search_files,
    tools.write_file,
    tools.edit_file,
    tools.run_command,
)


def digest(text: str) -> str:
    """As the clients make it of a file's bytes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def capabilities() -> dict[str, Capability]:
    """The workspace's capabilities, beside those of the test pack."""
    mine = {function.__name__: Capability.of(function) for function in _FUNCTIONS}
    return {**office_capabilities(), **mine}


class Desk(Office):
    """A deployment whose agent `office` is the workspace's agent."""

    by_hand = ()  # the office's client tools: one has a name of the workspace's

    def pack(
        self, profile: AgentProfile | None = None, **changes: Any
    ) -> tuple[dict[str, Capability], AgentProfile]:
        agent = replace(WORKSPACE, id="office", models=(self.model.id,), allow_unpriced=True)
        return capabilities(), replace(agent, **changes)


@dataclass
class Folder:
    """A client, and the files it has. It does what the terminal's does, by the same contract."""

    desk: Desk
    files: dict[str, str] = field(default_factory=dict)
    id: str = "laptop"
    tools: tuple[str, ...] = TOOLS
    ran: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def ask(self, *replies: Any, message: str = "Please.", **more: Any) -> RunResponse:
        return self.desk.ask(*replies, message=message, **self._self, **more)

    def answer(self, ran: RunResponse, *replies: Any, **more: Any) -> RunResponse:
        """Run the calls that are left to this client, and send their results."""
        return self.send(ran, self.results(ran), *replies, **more)

    def send(
        self, ran: RunResponse, results: list[dict[str, Any]], *replies: Any, **more: Any
    ) -> RunResponse:
        data = {"threadId": ran.thread, "toolResults": results, **self._self, **more}
        return self.desk.send(data, *replies)

    def decide(
        self, ran: RunResponse, *replies: Any, answers: Any = None, **more: Any
    ) -> RunResponse:
        return self.desk.resume(ran, *replies, answers=answers, **self._self, **more)

    def results(self, ran: RunResponse) -> list[dict[str, Any]]:
        records = {call["id"]: call for call in ran.done["toolCalls"]}
        return [self._result(records[id]) for id in pending(ran)]

    @property
    def _self(self) -> dict[str, Any]:
        return {"clientId": self.id, "clientTools": list(self.tools)}

    def _result(self, call: dict[str, Any]) -> dict[str, Any]:
        assert call["status"] == "client"
        self.ran.append((call["tool"], call["arguments"]))
        work: Callable[..., Any] = getattr(self, f"_{call['tool']}")
        try:
            arguments = call["arguments"]
            if "path" in arguments:
                arguments = {**arguments, "path": arguments["path"].removeprefix("./")}
            return {"toolCallId": call["id"], "content": work(**arguments)}
        except ValueError as error:
            return {"toolCallId": call["id"], "error": str(error)}

    def _list_directory(self, path: str = ".", depth: int = 1) -> dict[str, Any]:
        entries = [
            {"path": name, "type": "file", "size": len(text.encode())}
            for name, text in self.files.items()
        ]
        return {"path": path, "entries": entries}

    def _search_files(self, query: str) -> dict[str, Any]:
        matches = [
            {"path": path, "line": number, "text": line}
            for path, text in self.files.items()
            for number, line in enumerate(text.splitlines(), start=1)
            if query in line
        ]
        files = len({each["path"] for each in matches})
        return {"query": query, "matches": matches, "files": files, "total": len(matches)}

    def _read_file(self, path: str, startLine: int = 1, endLine: int = 0) -> dict[str, Any]:  # noqa: N803
        if path not in self.files:
            raise ValueError(f"there is no file {path}")
        text = self.files[path]
        lines = text.count("\n") + 1
        shown = {"content": text, "lines": lines, "startLine": 1, "endLine": lines}
        return {**self._state(path), **shown}

    def _write_file(self, path: str, content: str, digest: str | None = None) -> dict[str, Any]:
        created = path not in self.files
        if not created and digest is None:
            raise ValueError(f"{path} exists and was not read: read it first")
        self._check(path, digest)
        self.files[path] = content
        return {**self._state(path), "created": created}

    def _edit_file(
        self,
        path: str,
        oldText: str,  # noqa: N803
        newText: str,  # noqa: N803
        replaceAll: bool = False,  # noqa: N803
        digest: str | None = None,
    ) -> dict[str, Any]:
        self._check(path, digest)
        places = self.files[path].count(oldText)
        if places != 1 and not (replaceAll and places):
            raise ValueError(f"ambiguous: {places} places")
        self.files[path] = self.files[path].replace(oldText, newText)
        return {**self._state(path), "replaced": places}

    def _run_command(self, command: str, timeoutS: int = 60) -> dict[str, Any]:  # noqa: N803
        return {"command": command, "exitCode": 0, "output": "ok\n", "ms": 5}

    def _check(self, path: str, known: str | None) -> None:
        if known is not None and digest(self.files.get(path, "")) != known:
            raise ValueError(f"{path} changed since it was read: read it again")

    def _state(self, path: str) -> dict[str, Any]:
        text = self.files[path]
        return {"path": path, "size": len(text.encode()), "digest": digest(text)}


def pending(ran: RunResponse) -> list[str]:
    """The calls that a run left to its client."""
    found: list[str] = ran.done["outcome"].get("pendingToolCallIds") or []
    return found


def told(desk: Desk) -> dict[str, Any]:
    """What the model was told of the newest call."""
    found: dict[str, Any] = desk.model.tool_results()[0]
    return found


@pytest.fixture
def desk(db: Client, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(db, monkeypatch)


@pytest.fixture
def folder(desk: Desk) -> Folder:
    """A client with a small project."""
    return Folder(desk, {"app.py": "total = 1\n", "src/lib.py": "a\nb\nc\n", "docs/a.md": "# A\n"})
