"""Test helpers for an app's capabilities and agents, without Firestore, network or key.

    def test_six_people_for_two_hours_cost_720() -> None:
        assert meeting_cost(context(), people=6, hours=2) == {"usd": 720}

    def test_the_agent_looks_the_cost_up() -> None:
        model = ScriptedModel([calls(("meeting_cost", {"people": 6, "hours": 2})), "720 dollars."])
        result = run(OFFICE, "What does it cost?", model=model, capabilities=[meeting_cost])
        assert result.calls[0].result == {"usd": 720}

What reads or writes Firestore is tested on the emulator: `context(db=...)` takes its client.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.dispatch import ClientCall, NeedsApproval, Permit
from rollcall.agent.loop import run as run_loop
from rollcall.agent.prompt import instructions
from rollcall.agent.router import Router
from rollcall.agent.targets import Target
from rollcall.agent.tool_calls import ASK_USER_SPEC
from rollcall.agent.turn import Turn, TurnEnd
from rollcall.core.capability import Capability
from rollcall.core.context import (
    Decider,
    Embedder,
    KeepFile,
    Progress,
    TextModel,
    ToolContext,
    User,
)
from rollcall.core.errors import AgentError, FailedPrecondition, NotFound
from rollcall.core.events import Event
from rollcall.core.messages import Message, ToolCall, UserMessage
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import FileRef, Role
from rollcall.core.user_data import UserData
from rollcall.core.wire import Citation, StopReason, ToolCallRecord
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    TextDelta,
    Usage,
    load_model,
)
from rollcall.models.provider import OFFLINE
from rollcall.registry.access import is_named
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document
from rollcall.store.effects import Effect, Write
from rollcall.store.made_files import keeper

if TYPE_CHECKING:
    from google.cloud.firestore import Client

Reply = str | list[Delta] | AgentError
"""A scripted model's reply to one request: text, deltas, or an error to raise."""


def says(text: str, *, reason: FinishReason = FinishReason.STOP) -> list[Delta]:
    """Return a reply of text, in two deltas."""
    half = len(text) // 2
    return [TextDelta(text[:half]), TextDelta(text[half:]), Finish(reason, Usage(10, 0, 5))]


def calls(*wanted: tuple[str, dict[str, Any] | str]) -> list[Delta]:
    """Return a reply that calls tools, each `(name, arguments)`; arguments in a string are sent
    unchanged."""
    deltas: list[Delta] = []
    for number, (name, arguments) in enumerate(wanted):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        id = f"c{crc32(f'{number} {name} {text}'.encode())}"
        deltas += [CallStart(id, name), ArgumentsDelta(id, text[:3]), ArgumentsDelta(id, text[3:])]
        deltas.append(CallEnd(id))
    return [*deltas, Finish(FinishReason.TOOL_CALLS, Usage(10, 4, 5))]


class ScriptedModel(Struct):
    """A model that gives its replies one after another, and repeats the last.

    Attributes:
        requests: The requests that it got, in order.
    """

    replies: Sequence[Reply]
    id: str = "scripted:test"
    requests: list[ModelRequest] = field(default_factory=list)

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, AgentError):
            raise reply
        for delta in says(reply) if isinstance(reply, str) else reply:
            if isinstance(delta, AgentError):
                raise delta
            if isinstance(delta, CallStart | ArgumentsDelta | CallEnd) and len(self.requests) > 1:
                # The id of a call must not repeat in another step.
                delta = replace(delta, id=f"{delta.id}-{len(self.requests)}")
            yield delta


def context(
    user: str = "ann",
    *,
    role: Literal["user", "student", "teacher", "admin"] = "user",
    tenant: str | None = None,
    name: str | None = None,
    locale: str = "en",
    now: datetime | None = None,
    context: Mapping[str, Any] | None = None,
    db: Client | None = None,
    text_model: TextModel | None = None,
    embedder: Embedder | None = None,
    files: dict[str, bytes] | None = None,
) -> ToolContext:
    """Return the `ToolContext` of a call by this user.

    Args:
        user: The user's id.
        now: The time of the call; by default the current time.
        context: The client's context, such as `{"projectId": "house"}`.
        db: A Firestore client, on the emulator. Without one `ctx.db` raises FailedPrecondition.
        text_model: The model of `ctx.text_model`.
        embedder: The embedder of `ctx.embedder`.
        files: Receives the content of files that `ctx.keep_file` keeps, by name; by default they
            are stored in `db`.
    """
    platform = _Platform(db, text_model, embedder)
    at = now or datetime.now(UTC)
    return ToolContext(
        user=User(user, Role(role), tenant, name),
        platform=platform,
        locale=locale,
        now=at,
        context=context or {},
        file_keeper=keeper(lambda: platform.db, user, now=at)
        if files is None
        else _file_list(files),
    )


def _file_list(contents: dict[str, bytes]) -> KeepFile:
    """Return a `KeepFile` that puts contents into a dictionary."""

    def keep(name: str, content_type: str, data: bytes, *, of: str | None = None) -> FileRef:
        contents[name] = data
        id = hashlib.md5(name.encode() + data, usedforsecurity=False).hexdigest()
        return FileRef(file_id=id, name=name, content_type=content_type, bytes=len(data))

    return keep


class Result(Struct, frozen=True):
    """The result of a run.

    Attributes:
        text: The answer, or the text that the user sees while the run waits.
        calls: The calls, in order, each with `tool`, `arguments`, `status`, and `result` or
            `error`.
        interrupts: The writes that wait for a person: `tool`, `arguments`, `summary`, `display`.
        client_calls: Calls that are left to the user's client: `name` and `arguments`.
        events: The AG-UI events that a client would see.
        is_question: Whether the model asked the user with `ask_user`; `quick_replies` are answers
            to tap, and `collected_data` the data that it has collected so far.
    """

    text: str
    calls: list[ToolCallRecord]
    interrupts: list[NeedsApproval]
    client_calls: list[ToolCall]
    citations: list[Citation]
    stop_reason: StopReason | None
    steps: int
    events: list[Event]
    is_question: bool = False
    quick_replies: tuple[str, ...] = ()
    collected_data: dict[str, Any] | None = None


def run(
    agent: AgentProfile,
    message: str,
    *,
    model: Model | str,
    capabilities: Sequence[Callable[..., Any]],
    ctx: ToolContext | None = None,
    approved: Collection[str] = (),
    history: Sequence[Message] = (),
) -> Result:
    """Run an agent on a message in the same loop as in production, without a thread.

    Args:
        agent: Its instructions, tools and limits apply; its models, briefing and notes do not.
        model: A `ScriptedModel`, or a name such as "offline:planner".
        capabilities: The functions that it may call, if its `tools` name them and the user's role
            allows them.
        ctx: The user, and the context of the capabilities; by default `context()`.
        approved: Ids of writes that run as if the user had approved them. Other writes that need an
            approval wait, in the result's `interrupts`.
        history: The earlier messages of the thread.

    Raises:
        AgentError: The model failed, and no result is there to answer with.
    """
    ctx = ctx or context()
    dispatch = _router(agent, ctx, capabilities, frozenset(approved))
    entries = list(dispatch.entries.values())
    specs = [entry.spec for entry in entries]
    turn = Turn(
        run_id="test-run",
        request=ModelRequest(
            instructions=instructions(
                agent,
                entries=entries,
                locale=ctx.locale,
                user=ctx.user,
                now=ctx.now,
                client_context=dict(ctx.context) or None,
            ),
            messages=(*history, UserMessage.of(message)),
            tools=tuple(sorted((*specs, ASK_USER_SPEC), key=lambda tool: tool.name)),
            locale=ctx.locale,
            max_output_tokens=agent.max_output_tokens,
        ),
        models=(load_model(model) if isinstance(model, str) else model,),
        composer=load_model(OFFLINE),
        dispatch=dispatch,
        profile=agent,
        deadline=time.monotonic() + agent.deadline_s,
    )
    events: list[Event] = []
    steps = run_loop(turn)
    while True:
        try:
            event = next(steps)
        except StopIteration as end:
            ended: TurnEnd = end.value
            break
        if event is not None:
            events.append(event)
    needs = [each.needs for each in ended.waiting]
    return Result(
        text=ended.answer.text,
        calls=ended.calls,
        interrupts=[each for each in needs if isinstance(each, NeedsApproval)],
        client_calls=[each.call for each in ended.waiting if isinstance(each.needs, ClientCall)],
        citations=ended.citations,
        stop_reason=ended.stop_reason,
        steps=ended.steps,
        events=events,
        is_question=ended.is_question,
        quick_replies=ended.quick_replies,
        collected_data=ended.collected_data,
    )


class _Router(Router, frozen=True, kw_only=True):
    """The router of a test's run: it uses the test's context, and no ledger.

    Attributes:
        approved: Ids of writes that run as if the user had approved them.
    """

    approved: frozenset[str]

    def tool_context(
        self, place: int, call: ToolCall, target: Target, progress: Progress
    ) -> ToolContext:
        key = f"test-{call.id}" if target.writes else None
        return replace(
            self.ctx, progress=progress, effect_key=key, citations=[], files=[], display=None
        )

    def target(self, name: str) -> Target:
        target = super().target(name)
        if name not in self.approved:
            return target
        # Nobody is asked, so no preview is needed.
        return replace(target, preview=lambda ctx, arguments: None)

    def policy(self, name: str, target: Target) -> ApprovalPolicy:
        if name in self.approved:
            return ApprovalPolicy(ask="never")
        return super().policy(name, target)

    def permit(self, call: ToolCall) -> Permit:
        return Permit(allowed_by="test" if call.name in self.approved else None)

    def perform(self, effect: Effect, write: Write) -> Any:
        batch = self.ctx.db.batch() if write.atomic else None
        output = write.work(batch)
        if batch is not None:
            batch.commit()
        return output


def _router(
    agent: AgentProfile,
    ctx: ToolContext,
    functions: Sequence[Callable[..., Any]],
    approved: frozenset[str],
) -> _Router:
    """Return a router with the functions that the agent may call for this user."""
    capabilities = {each.id: each for each in map(Capability.of, functions)}
    if unknown := sorted(approved - capabilities.keys()):
        raise NotFound(f"approved: there is no capability {unknown[0]!r} among those given")
    known = [  # as the registry would offer them
        read_capability(capability_document(each) | {"status": each.mark.status.value})
        for each in capabilities.values()
    ]
    return _Router(
        platform=_Platform(None, None, None, StaticCatalog(capabilities)),
        ctx=ctx,
        deadline=time.monotonic() + agent.deadline_s,
        effect_key=lambda place: f"test-{place}",
        client_tools=frozenset(capabilities),
        entries={
            each.id: each
            for each in sorted(known, key=lambda entry: entry.id)
            if is_named(each.id, each.category, frozenset(agent.tools)) and each.permits(ctx.user)
        },
        policies=dict(agent.approvals),
        approved=approved,
    )


class StaticCatalog:
    """A catalog of these capabilities and agents."""

    folder = "."

    def __init__(
        self, capabilities: Mapping[str, Capability], agents: Iterable[AgentProfile] = ()
    ) -> None:
        self._capabilities = dict(capabilities)
        self._agents = {agent.id: agent for agent in agents}

    def find_capability(self, capability_id: str) -> Capability:
        if capability_id not in self._capabilities:
            raise NotFound(f"there is no capability {capability_id!r} in this codebase")
        return self._capabilities[capability_id]

    def capabilities(self) -> list[Capability]:
        return list(self._capabilities.values())

    def agents(self) -> Mapping[str, AgentProfile]:
        return self._agents

    def user_data(self) -> list[UserData]:
        return []


class _Platform(Struct):
    """A deployment that has only what the test passes in."""

    firestore: Client | None
    text_model: TextModel | None
    embedder: Embedder | None
    catalog: StaticCatalog = field(default_factory=lambda: StaticCatalog({}))

    @property
    def db(self) -> Client:
        if self.firestore is None:
            raise FailedPrecondition(
                "this test has no Firestore: start the emulator and give context(db=...) a client"
            )
        return self.firestore

    def text_model_for(self, user: User) -> TextModel | None:
        return self.text_model

    def embedder_for(self, user: User) -> Embedder | None:
        return self.embedder

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        raise FailedPrecondition(f"this test has no queue {queue!r}")

    def find_user(self, uid: str) -> User | None:
        return User(uid)

    def notify(self, decider: Decider, *, approval_id: str) -> None:
        """Do nothing: a test has no devices."""
