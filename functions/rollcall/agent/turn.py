"""A turn: what it works with, how far it has come, what it came to."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from rollcall.agent.budget import Free, Purse
from rollcall.agent.dispatch import Ask, Dispatch, Leave
from rollcall.agent.tool_results import Sources
from rollcall.core.errors import Aborted, AgentError, ResourceExhausted
from rollcall.core.messages import Message, ModelMessage, ToolCall, ToolResult
from rollcall.core.profile import Note, Review
from rollcall.core.wire import CallStatus, Citation, ModelUsage, StopReason, ToolCallRecord
from rollcall.models.base import Model, ToolSpec
from rollcall.store.message_log import TurnUsage

CLOSING_S = 5.0
"""Kept back from a turn's time, to make an answer of what was found."""
MAX_CALLS_PER_STEP = 16


class Journal(Protocol):
    """Where a run is saved, before anything that follows from it."""

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None: ...

    def save_results(self, results: Mapping[int, tuple[ToolResult, dict[str, Any]]]) -> None: ...


class Limits(Struct, frozen=True):
    """What a turn may use up, over all its runs."""

    max_steps: int = 5
    max_calls: int = 40
    max_calls_per_tool: int = 15
    max_tokens: int = 400_000
    max_cost_usd: float = 1.0
    result_chars: int = 24_000
    max_output_tokens: int = 4096


def _never() -> bool:
    """Nobody can stop this turn."""
    return False


class Turn(Struct, frozen=True):
    """All that a turn works with.

    `models` are tried in their order until one begins to answer; `composer` makes an answer of
    results when no model can, without a network. `deadline` is a `time.monotonic()` value.
    `history` may end with a reply whose calls are not all answered; `before` then says what is
    known of them, and of the turn's earlier runs. `abilities` are tools that are spoken of, where
    none is offered. `notes` are numbered from 1; the results' sources follow them. `review` looks
    a model's answer through.
    """

    run_id: str
    instructions: str
    history: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    models: tuple[Model, ...]
    composer: Model
    dispatch: Dispatch
    journal: Journal
    limits: Limits
    deadline: float
    locale: str
    now_iso: str
    purse: Purse = field(default_factory=Free)
    before: Before = field(default_factory=lambda: Before())
    is_stopped: Callable[[], bool] = _never
    attempt: int = 1
    abilities: tuple[ToolSpec, ...] = ()
    cache_key: str | None = None
    notes: tuple[Note, ...] = ()
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    review: Callable[[str, str], Review] | None = None
    streamed: bool = True
    """Whether somebody watches the replies come."""


class Before(Struct, frozen=True):
    """What the turn did before this run: its steps, the calls that are answered, what it used up.

    `answered` maps the places of the last reply's calls to their results.
    """

    step: int = 0
    records: tuple[ToolCallRecord, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    citations: tuple[Citation, ...] = ()
    answered: dict[int, ToolResult] = field(default_factory=dict)
    own_records: tuple[ToolCallRecord, ...] = ()
    """Of these records, those of the run itself: it was cut off, and is taken up again."""
    spent: TurnUsage = field(default_factory=TurnUsage)


class Waiting(Struct, frozen=True):
    """A call that somebody else answers: its place in its step, and whom it waits for."""

    place: int
    call: ToolCall
    whom: Ask | Leave


class Ended(Struct):
    """What a run of a turn came to. The answer is not in the journal yet: who ends the run saves
    it. A run that waits has no answer of its own; `answer` is then what the user is told."""

    answer: ModelMessage
    stop_reason: StopReason | None
    quick_replies: tuple[str, ...]
    calls: list[ToolCallRecord]
    citations: list[Citation]
    steps: int
    usage: list[ModelUsage]
    spent: TurnUsage
    waiting: tuple[Waiting, ...] = ()

    @property
    def text(self) -> str:
        return self.answer.text


def _key(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"


class State(Struct):
    """A turn as far as it has come. `records` and `usage` are this run's; the counts are the
    turn's. `named` are sources that the answer names in words. `tools` are those that the model may
    call by now: it may ask for more. `fenced` is as much of the history as was sent, as it was
    sent."""

    history: list[Message]
    fenced: list[Message] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    step: int = 0
    records: list[ToolCallRecord] = field(default_factory=list)
    earlier: list[ToolCallRecord] = field(default_factory=list)
    sources: Sources = field(default_factory=Sources)
    named: list[Citation] = field(default_factory=list)
    usage: dict[str, ModelUsage] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    per_tool: Counter[str] = field(default_factory=Counter)
    waiting: list[Waiting] = field(default_factory=list)
    malformed: int = 0
    repeated_in_step: int = 0
    tokens: int = 0
    micro_usd: int = 0
    work_ms: int = 0
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, turn: Turn) -> State:
        """The state that a run begins with."""
        before = turn.before
        state = cls(
            history=list(turn.history),
            tools=turn.tools,
            step=before.step,
            records=list(before.own_records),
            earlier=[each for each in before.records if each not in before.own_records],
            tokens=before.spent.tokens,
            micro_usd=before.spent.micro_usd,
            work_ms=before.spent.work_ms,
        )
        for call in before.calls:
            state.count(call)
        state.sources.restore([note.citation for note in turn.notes])
        state.sources.restore(before.citations)
        return state

    @property
    def found_something(self) -> bool:
        return any(record.status is CallStatus.DONE for record in (*self.earlier, *self.records))

    @property
    def calls(self) -> int:
        return self.per_tool.total()

    @property
    def spent(self) -> TurnUsage:
        """What the turn has used up by now."""
        run_ms = round((time.monotonic() - self.started) * 1000)
        return TurnUsage(self.tokens, self.micro_usd, self.work_ms + run_ms)

    def offer(self, tools: Sequence[ToolSpec]) -> None:
        """Let the model call these too, from its next reply on."""
        known = {tool.name for tool in self.tools}
        self.tools += tuple({tool.name: tool for tool in tools if tool.name not in known}.values())

    def count(self, call: ToolCall) -> None:
        """Note that the call was made."""
        self.seen[_key(call)] += 1
        self.per_tool[call.name] += 1

    def put_in_order(self, calls: Sequence[ToolCall]) -> None:
        """Put a step's records and what waits, made as its calls ended, into the calls' order."""
        places = {call.id: place for place, call in enumerate(calls)}
        others = [record for record in self.records if record.id not in places]
        these = [record for record in self.records if record.id in places]
        self.records = [*others, *sorted(these, key=lambda record: places[record.id])]
        self.waiting.sort(key=lambda each: each.place)

    def is_repeated(self, call: ToolCall, *, among: Sequence[ToolCall] | None = None) -> bool:
        """Whether the call was made before in this turn, with the same arguments.

        Args:
            among: Calls of which one must be the same; None for all of the turn.
        """
        repeated = self.seen[_key(call)] > 0
        if among is not None:
            repeated = repeated and _key(call) in map(_key, among)
        self.repeated_in_step += repeated
        return repeated

    def allow_again(self, call: ToolCall) -> None:
        """Forget a call that failed in a way that may pass."""
        del self.seen[_key(call)]


def bound_reached(turn: Turn, state: State, *, calls: int) -> StopReason | None:
    """The bound that ends the turn now, after a step of so many calls; None if none does."""
    limits = turn.limits
    if turn.is_stopped():
        return StopReason.CANCELLED
    if time.monotonic() > turn.deadline - CLOSING_S:
        return StopReason.DEADLINE
    if calls and state.repeated_in_step == calls:
        return StopReason.REPEATED_CALLS
    if state.step >= limits.max_steps:
        return StopReason.MAX_STEPS
    if state.calls >= limits.max_calls:
        return StopReason.MAX_CALLS
    if state.tokens >= limits.max_tokens:
        return StopReason.MAX_TOKENS
    if state.micro_usd >= limits.max_cost_usd * 1_000_000:
        return StopReason.MAX_COST
    return None


def refused_by_bounds(
    turn: Turn, state: State, call: ToolCall, *, number: int
) -> AgentError | None:
    """Why this call, the step's `number`-th from 0, is one too many, if it is."""
    limits = turn.limits
    if number >= MAX_CALLS_PER_STEP:
        return ResourceExhausted(f"at most {MAX_CALLS_PER_STEP} calls are run in one step")
    if state.calls >= limits.max_calls:
        return ResourceExhausted(f"at most {limits.max_calls} calls are run in one turn")
    if state.per_tool[call.name] >= limits.max_calls_per_tool:
        return ResourceExhausted(
            f"{call.name} is run at most {limits.max_calls_per_tool} times in one turn"
        )
    is_clients = turn.dispatch.is_the_clients(call)
    if state.is_repeated(call, among=_latest(state, number) if is_clients else None):
        return Aborted("this call was made before in this turn; its result stands above")
    return None


def _latest(state: State, number: int) -> list[ToolCall]:
    """The calls of the last step, and those of this one before its `number`-th. A client's tool
    may be called again after that: files change, and what was read of them is not told for good."""
    replies = [each for each in state.history[-4:] if isinstance(each, ModelMessage)]
    before = replies[-2].tool_calls if len(replies) > 1 else ()
    return [*before, *replies[-1].tool_calls[:number]]
