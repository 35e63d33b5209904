"""Runs in an office of its own: a real Firestore, real functions, and a model that says what a test
tells it to. Every event of every run is checked."""

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
from tests.support.calling import Callables, Functions, Here, emulate
from tests.support.midnight import later_in_the_day
from tests.support.office_pack import CLIENT_TOOLS, PROFILE, Hooks, client_tool, office_capabilities
from tests.support.registries import publish, renew

_AG_UI = TypeAdapter(AgUiEvent)
_OPEN = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
}

Reply = list[Delta] | AgentError | Callable[[ModelRequest], Iterator[Delta]]


class Died(BaseException):
    """The process is no more."""


@dataclass
class Script:
    """A model that gives its replies one after another, and then says "Done."."""

    id: str = "scripted:office"
    replies: list[Reply] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        self.requests.append(request)
        reply = self.replies.pop(0) if self.replies else says("Done.")
        if isinstance(reply, AgentError):
            raise reply
        yield from reply(request) if callable(reply) else reply

    def told(self, number: int = -1) -> list[dict[str, Any]]:
        """What the newest results of a request say, as JSON."""
        last = self.requests[number].messages[-1]
        assert isinstance(last, ToolMessage)
        return [json.loads(result.content) for result in last.results]


@dataclass
class Ran:
    """What came of one call of `run_agent`."""

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
    """A deployment with the office's pack alone."""

    by_hand: Sequence[dict[str, Any]] = tuple(client_tool(id) for id in CLIENT_TOOLS)
    """What an operator registered."""

    def __init__(self, db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.db = db
        self.here = Here(db)
        self.here.users[TEACHER.uid] = TEACHER
        self.model = Script()
        self.patch = monkeypatch
        self.hooks = Hooks()
        self._ids = itertools.count(1)
        monkeypatch.setattr(office_pack, "hooks", self.hooks)
        emulate(monkeypatch.setenv)
        later_in_the_day(monkeypatch)
        known, profile = self.pack()
        self.here.catalog = StaticCatalog(known, [profile])
        self._unwritten = [publish(db, known.values(), [profile], by_hand=self.by_hand)]
        endpoints = {each.__name__: each for each in (run_agent, agui, cancel_run)}
        own = {id: capability.function for id, capability in office_capabilities().items()}
        self.functions = Functions(Callables({**endpoints, **own}, lambda: self.here))
        monkeypatch.setattr(
            run_setup,
            "load_model",
            lambda id: self.model if id == self.model.id else load_model(id),
        )

    def pack(
        self, profile: AgentProfile | None = None, **changes: Any
    ) -> tuple[dict[str, Capability], AgentProfile]:
        """What is deployed; `changes` are of its profile."""
        return office_capabilities(), replace(profile or PROFILE, **changes)

    def write_documents(self) -> None:
        """Write the registry's documents, for capabilities' own functions and who changes them."""
        while self._unwritten:
            self._unwritten.pop()()

    def declare(self, profile: AgentProfile | None = None, **changes: Any) -> None:
        """Deploy the pack anew; `changes` are of its profile."""
        known, profile = self.pack(profile, **changes)
        self.here.catalog = StaticCatalog(known, [profile])
        self.write_documents()
        sync(self.db, list(known.values()), [profile])
        snapshot.forget()

    def redeclare(self, capability: Any) -> None:
        """Deploy another version of one capability."""
        known = {**office_capabilities(), capability.id: capability}
        self.here.catalog = StaticCatalog(known, self.here.catalog.agents().values())
        self.write_documents()
        sync(self.db, list(known.values()), [PROFILE])
        snapshot.forget()

    def overrule(self, path: str, **overrides: Any) -> None:
        """What an operator writes into a document of the registry."""
        self.write_documents()
        self.db.document(path).set({"overrides": overrides}, merge=True)
        renew(self.db)

    # what clients do

    def ask(self, *replies: Reply, message: str = "Please.", **more: Any) -> Ran:
        """Send a message, to which the model replies so."""
        return self.send({"message": message}, *replies, **more)

    def send(
        self,
        data: dict[str, Any],
        *replies: Reply,
        uid: str = "ann",
        claims: dict[str, Any] | None = None,
        **more: Any,
    ) -> Ran:
        """Call `run_agent`, streaming."""
        self.model.replies = list(replies)
        return self.call({"agent": "office", **data, **more}, uid=uid, claims=claims)

    def call(
        self, data: dict[str, Any], *, uid: str = "ann", claims: dict[str, Any] | None = None
    ) -> Ran:
        """Call `run_agent`, and check what it streams; the model goes on as it is."""
        frames = self.functions.stream("run_agent", data, uid=uid, claims=claims)
        events = [frame["message"] for frame in frames[:-1]]
        ran = Ran(events, frames[-1].get("result"), frames[-1].get("error"))
        check_events(events, ended=ran.result is not None)
        return ran

    def resume(
        self,
        waiting: Ran,
        *replies: Reply,
        answers: list[dict[str, Any]] | None = None,
        **more: Any,
    ) -> Ran:
        """Answer all that a run waits for: yes, or `answers` in their order."""
        given = answers or [{"approved": True}] * len(waiting.interrupts)
        entries = [
            {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}
            for interrupt, payload in zip(waiting.interrupts, given, strict=True)
        ]
        return self.send({"resume": entries}, *replies, **{"threadId": waiting.thread, **more})

    def decide(self, approval_id: str, *, approved: bool, by: str, reason: str = "") -> None:
        """Write a decision as a client may, and have the trigger see it."""
        reference = paths.approval(self.db, approval_id)
        before = reference.get().to_dict()
        decision = {"approved": approved, "by": by, "at": datetime.now(UTC)}
        reference.update({"decision": {**decision, **({"reason": reason} if reason else {})}})
        after = reference.get().to_dict()
        approval_written(self.here, DocumentEvent({"approvalId": approval_id}, before, after))

    # what happens behind them

    def run_queue(self, *replies: Reply) -> None:
        """Let the task queue do what it was given, each task twice."""
        self.model.replies = list(replies)
        tasks, self.here.queue = self.here.queue, []
        for queue, data in tasks:
            assert queue == "continuerun"
            continuerun(self.here, data)
            continuerun(self.here, data)

    def sweep(self, *replies: Reply, after: timedelta = timedelta(0)) -> int:
        """Sweep as of a later time, and work off what was found."""
        found = sweep(self.here, now=datetime.now(UTC) + after)
        self.run_queue(*replies)
        return found

    def crash(
        self, data: dict[str, Any], *replies: Reply, at: str, before: bool, uid: str = "ann"
    ) -> None:
        """Have the process die in a call of `run_agent`, around the first save of a kind: `at` is
        a method of `OpenRun`. Nothing is tidied up, and the lease stays."""
        self.model.replies = list(replies)
        original = getattr(OpenRun, at)

        def dying(opened: OpenRun, *args: Any, **options: Any) -> None:
            if not before:
                original(opened, *args, **options)
            raise Died

        with self.patch.context() as patched:
            patched.setattr(OpenRun, at, dying)
            with pytest.raises(Died):
                for _ in run_agent(self.here, Call(User(uid), {"agent": "office", **data})):
                    pass
        self.model.replies = []

    def continue_run(self, thread_id: str, run_id: str) -> str:
        return continue_run(self.here, thread_id, run_id, until=time.monotonic() + 60)

    # what is there afterwards

    def done(self, tool: str | None = None) -> list[dict[str, Any]]:
        """What was really done."""
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
        """A run's events as another tab reads them; they must be valid, and without gaps."""
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
        """What the model was shown last is valid: every call is answered, once, right after."""
        messages = self.model.requests[-1].messages
        for number, message in enumerate(messages):
            if isinstance(message, ModelMessage) and message.tool_calls:
                after = messages[number + 1]
                assert isinstance(after, ToolMessage)
                asked = [call.id for call in message.tool_calls]
                assert [result.call_id for result in after.results] == asked


def check_events(events: list[dict[str, Any]], *, ended: bool) -> None:
    """Valid AG-UI, numbered without gaps or repeats, nothing ended that was not begun, and, of a
    run that has ended, nothing left open."""
    open_ones: set[tuple[str, str]] = set()
    for event in events:
        _AG_UI.validate_python(event)
        kind = event["type"]
        if kind in _OPEN:
            end, key = _OPEN[kind]
            assert (end, event[key]) not in open_ones
            open_ones.add((end, event[key]))
        for end, key in _OPEN.values():
            if kind == end:
                open_ones.remove((end, event[key]))
    numbers = [event["metadata"]["n"] for event in events if "metadata" in event]
    assert numbers == list(range(len(numbers)))
    if events:
        assert events[0]["type"] == "RUN_STARTED"
        assert [event["type"] for event in events].count("RUN_STARTED") == 1
    if ended and events:
        assert (events[-1]["type"], open_ones) == ("RUN_FINISHED", set())


def at_once(number: int, work: Callable[[int], Any]) -> list[Any]:
    """Do it that many times at the same time; what each returned or raised."""

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
"""Somebody who may decide where four eyes are asked for."""


@pytest.fixture
def office(db: Client, monkeypatch: pytest.MonkeyPatch) -> Office:
    return Office(db, monkeypatch)
