"""A deployment of the test pack `office_pack`: real Firestore, real functions, scripted model.
The events of every run are checked."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ag_ui.core import Event as AgUiEvent
from google.cloud.firestore import Client
from msgspec.structs import replace
from pydantic import TypeAdapter

from rollcall.agent import run_setup
from rollcall.agent.continuation import continue_run
from rollcall.core.capability import Capability
from rollcall.core.context import Call, User
from rollcall.core.errors import AgentError
from rollcall.core.messages import ModelMessage, ToolMessage
from rollcall.core.profile import AgentProfile
from rollcall.core.triggers import DocumentEvent
from rollcall.core.wire import Role
from rollcall.endpoints.agui import agui
from rollcall.endpoints.cancel_run import cancel_run
from rollcall.endpoints.continuation import approval_written, continuerun, sweep
from rollcall.endpoints.run_agent import run_agent
from rollcall.models.base import Delta, ModelRequest, load_model
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from rollcall.store import paths
from rollcall.store.open_run import OpenRun
from rollcall.testing import StaticCatalog, calls, says
from tests.support import office_pack
from tests.support.local_functions import Callables, Functions, LocalPlatform, use_emulator_tokens
from tests.support.office_pack import CLIENT_TOOLS, PROFILE, Hooks, client_tool, office_capabilities
from tests.support.registries import publish, reload_registry
from tests.support.run_times import leave_day_start

_AG_UI = TypeAdapter(AgUiEvent)
_ENDS = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
}

Reply = list[Delta] | AgentError | Callable[[ModelRequest], Iterator[Delta]]


class ProcessDeath(BaseException):
    """Ends a call as the death of its process does: no `except Exception` sees it."""


@dataclass
class Script:
    """A scripted model: it gives its replies one after another, and then says "Done."."""

    id: str = "scripted:office"
    replies: list[Reply] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        self.requests.append(request)
        reply = self.replies.pop(0) if self.replies else says("Done.")
        if isinstance(reply, AgentError):
            raise reply
        yield from reply(request) if callable(reply) else reply

    def tool_results(self, number: int = -1) -> list[dict[str, Any]]:
        """The tool results that a request ends with, parsed from JSON."""
        last = self.requests[number].messages[-1]
        assert isinstance(last, ToolMessage)
        return [json.loads(result.content) for result in last.results]


@dataclass
class RunResponse:
    """The response to one call of `run_agent`."""

    events: list[dict[str, Any]]
    result: dict[str, Any] | None
    error: dict[str, Any] | None

    @property
    def interrupts(self) -> list[dict[str, Any]]:
        assert self.result is not None, self.error
        found: list[dict[str, Any]] = self.result["outcome"].get("interrupts") or []
        return found

    @property
    def code(self) -> str | None:
        return self.error["details"]["code"] if self.error else None

    @property
    def field(self) -> str | None:
        return self.error["details"].get("field") if self.error else None

    @property
    def done(self) -> dict[str, Any]:
        """The result of a run that must have one."""
        assert self.result is not None, self.error
        return self.result

    @property
    def thread(self) -> str:
        return str(self.done["threadId"])

    def statuses(self) -> list[str]:
        return [call["status"] for call in self.done["toolCalls"]]


class Office:
    """A deployment with `office_pack` alone."""

    by_hand: Sequence[dict[str, Any]] = tuple(client_tool(id) for id in CLIENT_TOOLS)
    """What an operator registered."""

    def __init__(self, db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.db = db
        self.platform = LocalPlatform(db)
        self.platform.users[TEACHER.uid] = TEACHER
        self.model = Script()
        self.patch = monkeypatch
        self.hooks = Hooks()
        self._ids = itertools.count(1)
        monkeypatch.setattr(office_pack, "hooks", self.hooks)
        use_emulator_tokens(monkeypatch.setenv)
        leave_day_start(monkeypatch)
        known, profile = self.pack()
        self.platform.catalog = StaticCatalog(known, [profile])
        self._unwritten = [publish(db, known.values(), [profile], by_hand=self.by_hand)]
        endpoints = {each.__name__: each for each in (run_agent, agui, cancel_run)}
        own = {id: capability.function for id, capability in office_capabilities().items()}
        self.functions = Functions(Callables({**endpoints, **own}, lambda: self.platform))
        monkeypatch.setattr(
            run_setup,
            "load_model",
            lambda id: self.model if id == self.model.id else load_model(id),
        )

    def pack(
        self, profile: AgentProfile | None = None, **changes: Any
    ) -> tuple[dict[str, Capability], AgentProfile]:
        """The capabilities and the profile that are deployed, the profile with `changes`."""
        return office_capabilities(), replace(profile or PROFILE, **changes)

    def write_documents(self) -> None:
        """Write the registry's documents, which runs do without: capabilities' own functions read
        them, and operators change them."""
        while self._unwritten:
            self._unwritten.pop()()

    def declare(self, profile: AgentProfile | None = None, **changes: Any) -> None:
        """Deploy the pack again, its profile with `changes`."""
        known, profile = self.pack(profile, **changes)
        self.platform.catalog = StaticCatalog(known, [profile])
        self.write_documents()
        sync(self.db, list(known.values()), [profile])
        snapshot.forget()

    def redeclare(self, capability: Any) -> None:
        """Deploy another version of one capability."""
        known = {**office_capabilities(), capability.id: capability}
        self.platform.catalog = StaticCatalog(known, self.platform.catalog.agents().values())
        self.write_documents()
        sync(self.db, list(known.values()), [PROFILE])
        snapshot.forget()

    def override(self, path: str, **overrides: Any) -> None:
        """Write an operator's overrides into a document of the registry."""
        self.write_documents()
        self.db.document(path).set({"overrides": overrides}, merge=True)
        reload_registry(self.db)

    # Clients

    def ask(self, *replies: Reply, message: str = "Please.", **more: Any) -> RunResponse:
        """Send a message; the model gives these replies."""
        return self.send({"message": message}, *replies, **more)

    def send(
        self,
        data: dict[str, Any],
        *replies: Reply,
        uid: str = "ann",
        claims: dict[str, Any] | None = None,
        **more: Any,
    ) -> RunResponse:
        """Call `run_agent`, streaming."""
        self.model.replies = list(replies)
        return self.call({"agent": "office", **data, **more}, uid=uid, claims=claims)

    def call(
        self, data: dict[str, Any], *, uid: str = "ann", claims: dict[str, Any] | None = None
    ) -> RunResponse:
        """Call `run_agent` and check its stream; the model keeps its replies."""
        frames = self.functions.stream("run_agent", data, uid=uid, claims=claims)
        events = [frame["message"] for frame in frames[:-1]]
        ran = RunResponse(events, frames[-1].get("result"), frames[-1].get("error"))
        check_events(events, ended=ran.result is not None)
        return ran

    def resume(
        self,
        waiting: RunResponse,
        *replies: Reply,
        answers: list[dict[str, Any]] | None = None,
        **more: Any,
    ) -> RunResponse:
        """Answer all interrupts of a run: approve them, or give `answers` in their order."""
        given = answers or [{"approved": True}] * len(waiting.interrupts)
        entries = [
            {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}
            for interrupt, payload in zip(waiting.interrupts, given, strict=True)
        ]
        return self.send({"resume": entries}, *replies, **{"threadId": waiting.thread, **more})

    def decide(self, approval_id: str, *, approved: bool, by: str, reason: str = "") -> None:
        """Write a decision as a client may, and run its trigger."""
        reference = paths.approval(self.db, approval_id)
        before = reference.get().to_dict()
        decision = {"approved": approved, "by": by, "at": datetime.now(UTC)}
        reference.update({"decision": {**decision, **({"reason": reason} if reason else {})}})
        after = reference.get().to_dict()
        approval_written(self.platform, DocumentEvent({"approvalId": approval_id}, before, after))

    # The backend

    def run_queue(self, *replies: Reply) -> None:
        """Run the tasks in the queue, each twice."""
        self.model.replies = list(replies)
        tasks, self.platform.queue = self.platform.queue, []
        for queue, data in tasks:
            assert queue == "continuerun"
            continuerun(self.platform, data)
            continuerun(self.platform, data)

    def sweep(self, *replies: Reply, after: timedelta = timedelta(0)) -> int:
        """Sweep as of a later time, and run what that enqueues; the number of runs found."""
        found = sweep(self.platform, now=datetime.now(UTC) + after)
        self.run_queue(*replies)
        return found

    def crash(
        self, data: dict[str, Any], *replies: Reply, at: str, before: bool, uid: str = "ann"
    ) -> None:
        """Have the process die in a call of `run_agent`, before or after the first call of the
        method `at` of `OpenRun`. Nothing is tidied up, and the lease stays."""
        self.model.replies = list(replies)
        original = getattr(OpenRun, at)

        def dying(opened: OpenRun, *args: Any, **options: Any) -> None:
            if not before:
                original(opened, *args, **options)
            raise ProcessDeath

        with self.patch.context() as patched:
            patched.setattr(OpenRun, at, dying)
            with pytest.raises(ProcessDeath):
                for _ in run_agent(self.platform, Call(User(uid), {"agent": "office", **data})):
                    pass
        self.model.replies = []

    def continue_run(self, thread_id: str, run_id: str) -> str:
        return continue_run(self.platform, thread_id, run_id, until=time.monotonic() + 60)

    # Stored state

    def done(self, tool: str | None = None) -> list[dict[str, Any]]:
        """What tools wrote, by tool if one is named."""
        found = [each.to_dict() or {} for each in self.db.collection("done").stream()]
        return [each for each in found if tool in (None, each["tool"])]

    def document(self, path: str) -> dict[str, Any]:
        return self.db.document(path).get().to_dict() or {}

    def run(self, thread_id: str, run_id: str) -> dict[str, Any]:
        return paths.run(self.db, thread_id, run_id).get().to_dict() or {}

    def result(self, thread_id: str, run_id: str) -> dict[str, Any]:
        """The stored result of a run."""
        found: dict[str, Any] = json.loads(self.run(thread_id, run_id)["result"])
        return found

    def runs(self, thread_id: str) -> list[str]:
        return sorted(each.id for each in self.db.collection(f"threads/{thread_id}/runs").stream())

    def messages(self, thread_id: str) -> list[dict[str, Any]]:
        """The log, in its order."""
        stream = self.db.collection(f"threads/{thread_id}/messages").order_by("n").stream()
        return [each.to_dict() or {} for each in stream]

    def approvals(self) -> dict[str, dict[str, Any]]:
        return {each.id: each.to_dict() or {} for each in self.db.collection("approvals").stream()}

    def effects(self) -> list[dict[str, Any]]:
        return [each.to_dict() or {} for each in self.db.collection("effects").stream()]

    def stored_events(self, thread_id: str, run_id: str) -> list[dict[str, Any]]:
        """A run's events as another client reads them, checked for validity and gaps."""
        found: list[dict[str, Any]] = []
        stream = self.db.collection(f"threads/{thread_id}/runs/{run_id}/events").order_by("n")
        for each in stream.stream():
            data = each.to_dict() or {}
            assert data["first"] == len(found)
            found += json.loads(data["events"])
            assert data["first"] + data["count"] == len(found)
        check_events(found, ended=False)
        return found

    def check_history(self) -> None:
        """Check that in the model's last request every call has one result, in the next message."""
        messages = self.model.requests[-1].messages
        for number, message in enumerate(messages):
            if isinstance(message, ModelMessage) and message.tool_calls:
                after = messages[number + 1]
                assert isinstance(after, ToolMessage)
                asked = [call.id for call in message.tool_calls]
                assert [result.call_id for result in after.results] == asked


def check_events(events: list[dict[str, Any]], *, ended: bool) -> None:
    """Check that events are valid AG-UI, numbered without gaps or repeats, that nothing ends that
    was not begun, and that a run that has ended leaves nothing open."""
    unclosed = unclosed_events(events)
    numbers = [event["metadata"]["n"] for event in events if "metadata" in event]
    assert numbers == list(range(len(numbers)))
    if events:
        assert events[0]["type"] == "RUN_STARTED"
        assert [event["type"] for event in events].count("RUN_STARTED") == 1
    if ended and events:
        assert (events[-1]["type"], unclosed) == ("RUN_FINISHED", set())


def unclosed_events(events: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Check that events are valid AG-UI and end nothing that was not begun; return the ends that
    are missing, each with the id of what it would end."""
    unclosed: set[tuple[str, str]] = set()
    for event in events:
        _AG_UI.validate_python(event)
        kind = event["type"]
        if kind in _ENDS:
            end, key = _ENDS[kind]
            assert (end, event[key]) not in unclosed
            unclosed.add((end, event[key]))
        for end, key in _ENDS.values():
            if kind == end:
                unclosed.remove((end, event[key]))
    return unclosed


def run_concurrently(number: int, work: Callable[[int], Any]) -> list[Any]:
    """Run `work` that many times at once; what each returned, or the `AgentError` it raised."""

    def one(turn: int) -> Any:
        try:
            return work(turn)
        except AgentError as error:
            return error

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def payment(amount: float = 5, to: str = "bob") -> list[Delta]:
    """A reply that calls `pay`."""
    return calls(("pay", {"amountUsd": amount, "to": to}))


TEACHER = User("tess", role=Role.TEACHER)
"""Somebody who may decide where a second person has to."""


@pytest.fixture
def office(db: Client, monkeypatch: pytest.MonkeyPatch) -> Office:
    return Office(db, monkeypatch)
