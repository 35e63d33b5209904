"""A turn: its configuration, its state, its end, and the bounds that end it."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from rollcall.agent.budget import Budget
from rollcall.agent.dispatch import ClientCall, Dispatcher, NeedsApproval
from rollcall.core.errors import Aborted, AgentError, ResourceExhausted
from rollcall.core.messages import Message, ModelMessage, ToolCall, ToolResult
from rollcall.core.profile import AgentProfile
from rollcall.core.texts import TEXTS
from rollcall.core.wire import CallStatus, Citation, ModelUsage, StopReason, ToolCallRecord
from rollcall.models.base import Model, ModelRequest, ToolSpec
from rollcall.store.message_log import TurnUsage

CLOSING_S = 5.0
"""The part of a turn's time that is reserved for a closing answer."""
MAX_CALLS_PER_STEP = 16
MAX_CITATIONS = 100
_MARK = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")


class Journal(Protocol):
    """Saves a run's progress, always before anything that depends on it."""

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None: ...

    def save_results(self, results: Mapping[int, tuple[ToolResult, dict[str, Any]]]) -> None: ...


class WaitingCall(Struct, frozen=True):
    """A call that a person or the client answers later.

    Attributes:
        place: The call's place in its step, from 0.
    """

    place: int
    call: ToolCall
    needs: NeedsApproval | ClientCall


class TurnEnd(Struct):
    """How a run of a turn ended.

    The caller saves `answer`, which is not in the journal yet. In a run that waits, `answer` is
    only shown to the user.

    Attributes:
        is_question: Whether the model asked the user with `ask_user`; `collected_data` is then the
            data that it has collected so far.
    """

    answer: ModelMessage
    stop_reason: StopReason | None
    quick_replies: tuple[str, ...]
    calls: list[ToolCallRecord]
    citations: list[Citation]
    steps: int
    usage: list[ModelUsage]
    spent: TurnUsage
    waiting: tuple[WaitingCall, ...] = ()
    is_question: bool = False
    collected_data: dict[str, Any] | None = None


class Sources:
    """The citations of a turn, each numbered once.

    Args:
        known: Citations that were numbered earlier in the turn.
        notes: Citations of passages that were retrieved before the first step.
    """

    def __init__(self, known: Iterable[Citation] = (), notes: Iterable[Citation] = ()) -> None:
        self._numbers: dict[Citation | str, Citation] = {_source_key(each): each for each in notes}
        self._only_notes = set(self._numbers)
        for citation in known:
            self._numbers.setdefault(_source_key(citation), citation)
            self._only_notes.discard(_source_key(citation))

    @property
    def citations(self) -> list[Citation]:
        """All citations, in the order in which they were added."""
        return list(self._numbers.values())

    def number(self, citations: Sequence[Citation]) -> list[Citation]:
        """Return the citations with their numbers. Beyond `MAX_CITATIONS` in a turn, new ones are
        left out."""
        numbered = []
        for citation in citations:
            key = _source_key(citation)
            if key not in self._numbers:
                if len(self._numbers) >= MAX_CITATIONS:
                    continue
                n = max((known.n for known in self._numbers.values()), default=0) + 1
                self._numbers[key] = citation.model_copy(update={"n": n})
            numbered.append(self._numbers[key])
            self._only_notes.discard(key)
        return numbered

    def referred_to(self, text: str) -> list[Citation]:
        """Return the citations that `text` refers to by their numbers; if it refers to none, those
        of results."""
        marks = {int(n) for found in _MARK.findall(text) for n in found.split(",")}
        of_results = [each for key, each in self._numbers.items() if key not in self._only_notes]
        return [each for each in self.citations if each.n in marks] or of_results


def _source_key(citation: Citation) -> Citation | str:
    """Return a key that all citations of one source share."""
    if citation.message_id is not None:
        return citation.message_id
    return citation.model_copy(update={"n": 0, "quote": None, "timestamp": None})


def _call_key(call: ToolCall) -> str:
    """Return a key that calls with the same arguments share."""
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"


class TurnState(Struct):
    """The progress of a turn.

    Attributes:
        history: The messages of the turn's request and all that follow.
        sent: The part of the history that was sent to a model, in the form in which it was sent.
        tools: The tools that the model may call by now, including those that it found.
        records: The calls that this run has answered.
        earlier: The calls that the turn's earlier runs have answered.
        answered: Results of the last reply's calls that were answered before this run, by place.
        named: Citations of sources that the answer names in words.
        call_counts: How often each call was made in the turn, by its tool and arguments.
        per_tool: How often each tool was called in the turn.
        before: The turn's usage before this process; `tokens` and `micro_usd` are added to it.
    """

    history: list[Message] = field(default_factory=list)
    sent: list[Message] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    step: int = 0
    records: list[ToolCallRecord] = field(default_factory=list)
    earlier: list[ToolCallRecord] = field(default_factory=list)
    answered: dict[int, ToolResult] = field(default_factory=dict)
    sources: Sources = field(default_factory=Sources)
    named: list[Citation] = field(default_factory=list)
    usage: dict[str, ModelUsage] = field(default_factory=dict)
    call_counts: Counter[str] = field(default_factory=Counter)
    per_tool: Counter[str] = field(default_factory=Counter)
    waiting: list[WaitingCall] = field(default_factory=list)
    malformed: int = 0
    repeated_in_step: int = 0
    before: TurnUsage = field(default_factory=TurnUsage)
    tokens: int = 0
    micro_usd: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def has_results(self) -> bool:
        """Whether any call of the turn has succeeded."""
        return any(record.status is CallStatus.DONE for record in (*self.earlier, *self.records))

    @property
    def spent(self) -> TurnUsage:
        """The turn's usage so far."""
        before, ms = self.before, round((time.monotonic() - self.started) * 1000)
        return TurnUsage(
            before.tokens + self.tokens, before.micro_usd + self.micro_usd, before.work_ms + ms
        )

    def offer(self, tools: Sequence[ToolSpec]) -> None:
        """Add tools that the model may call from its next reply on."""
        known = {tool.name for tool in self.tools}
        self.tools += tuple({tool.name: tool for tool in tools if tool.name not in known}.values())

    def count(self, call: ToolCall) -> None:
        """Count a call that is made."""
        self.call_counts[_call_key(call)] += 1
        self.per_tool[call.name] += 1

    def allow_again(self, call: ToolCall) -> None:
        """Forget a call after a transient failure, so that it does not count as repeated."""
        del self.call_counts[_call_key(call)]


class Turn(Struct, frozen=True):
    """All that the loop needs to run a turn, and the turn's state.

    Attributes:
        request: The first model request. Its messages may end with a reply whose calls are not all
            answered; `state` then has the results so far.
        profile: The agent's profile; its bounds apply to all of the turn's runs together.
        models: The models, tried in order until one begins to answer.
        composer: The model that writes an answer from the results when no other can be called; it
            needs no network.
        deadline: The `time.monotonic()` value by which the turn has to end.
        journal: Saves the progress; None in a run that is part of another one's tool call.
    """

    run_id: str
    request: ModelRequest
    models: tuple[Model, ...]
    composer: Model
    dispatch: Dispatcher
    profile: AgentProfile
    deadline: float
    journal: Journal | None = None
    budget: Budget = field(default_factory=Budget)
    state: TurnState = field(default_factory=TurnState)
    is_stopped: Callable[[], bool] = lambda: False
    attempt: int = 1


def reached_bound(turn: Turn, *, calls: int) -> StopReason | None:
    """Return the bound that ends the turn now, after a step of so many calls; None if none does."""
    profile, state = turn.profile, turn.state
    if turn.is_stopped():
        return StopReason.CANCELLED
    if time.monotonic() > turn.deadline - CLOSING_S:
        return StopReason.DEADLINE
    if calls and state.repeated_in_step == calls:
        return StopReason.REPEATED_CALLS
    if state.step >= profile.max_steps:
        return StopReason.MAX_STEPS
    if state.per_tool.total() >= profile.max_calls:
        return StopReason.MAX_CALLS
    if state.spent.tokens >= profile.max_tokens:
        return StopReason.MAX_TOKENS
    if state.spent.micro_usd >= profile.max_cost_usd * 1_000_000:
        return StopReason.MAX_COST
    return None


def refused_by_bound(turn: Turn, call: ToolCall, *, number: int) -> AgentError | None:
    """Return why a bound refuses this call, the step's `number`-th from 0; None if none does."""
    profile, state = turn.profile, turn.state
    if number >= MAX_CALLS_PER_STEP:
        return ResourceExhausted(TEXTS.text("errors.calls_of_step", most=MAX_CALLS_PER_STEP))
    if state.per_tool.total() >= profile.max_calls:
        return ResourceExhausted(TEXTS.text("errors.calls_of_turn", most=profile.max_calls))
    if state.per_tool[call.name] >= profile.max_calls_per_tool:
        return ResourceExhausted(
            TEXTS.text("errors.calls_of_tool", name=call.name, most=profile.max_calls_per_tool)
        )
    is_repeated = state.call_counts[_call_key(call)] > 0
    if is_repeated and turn.dispatch.is_client_tool(call):
        # A client's files change, so its tools may be called again with the same arguments, but not
        # in the next step, nor twice in one.
        replies = [each for each in state.history[-4:] if isinstance(each, ModelMessage)]
        before = replies[-2].tool_calls if len(replies) > 1 else ()
        is_repeated = _call_key(call) in map(_call_key, (*before, *replies[-1].tool_calls[:number]))
    if is_repeated:
        state.repeated_in_step += 1
        return Aborted(TEXTS.text("errors.called_before"))
    return None
