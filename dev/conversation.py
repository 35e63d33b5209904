"""A dialogue with an agent: questions to `run_agent`, in one thread, and answers to its own."""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text

from dev.approvals import Answer, Card
from dev.callable import CallError, Functions
from dev.show import RunView, Screen

_OFFLINE = "offline"
_STOPPING_S = 10.0
_POLL_S = 0.3

Interrupt = dict[str, Any]
Result = dict[str, Any]


class Conversation:
    """Asks, and shows what comes back. `waiting` is what the last run left to be decided.

    Args:
        uid: Who asks.
    """

    def __init__(
        self,
        functions: Functions,
        screen: Screen,
        *,
        agent: str,
        uid: str,
        context: Mapping[str, str] | None = None,
    ) -> None:
        self.waiting: list[Interrupt] = []
        self.thread_id: str | None = None
        self._functions = functions
        self._screen = screen
        self._agent = agent
        self._uid = uid
        self._context = dict(context or {})
        self._left_one = False
        self._question = ""
        self._run_id = ""

    @property
    def next_run_id(self) -> str:
        """The run that goes on from what waits, if nobody names it otherwise."""
        return f"{self._run_id}~1"

    def start_over(self) -> None:
        """Put the next question into a new thread."""
        self.thread_id = None
        self.waiting = []

    def ask(self, message: str) -> Result | None:
        """Ask, show the answer as it comes, and return the result; None if there was none.

        What waited for a decision is thereby closed.
        """
        self._question = message
        self.waiting = []
        data: dict[str, Any] = {"message": message, "runId": uuid.uuid4().hex}
        if self._left_one:
            data["whenBusy"] = "supersede"
        return self._called(data, run_id=data["runId"], decided=())

    def answer(self, answers: Sequence[Answer]) -> Result | None:
        """Answer what waits, in its order, and show how the turn goes on."""
        decided = [_as_decided(*both) for both in zip(self.waiting, answers, strict=True)]
        entries = [each.entry(about) for about, each in zip(self.waiting, answers, strict=True)]
        return self._called({"resume": entries}, run_id=self.next_run_id, decided=decided)

    def follow(self, stored: Iterable[dict[str, Any]]) -> Result | None:
        """Show how the turn goes on elsewhere, from the events that are stored of it."""
        return self._shown(_with_result(stored), decided=self.waiting)

    def _called(
        self, data: dict[str, Any], *, run_id: str, decided: Sequence[Interrupt]
    ) -> Result | None:
        data["agent"] = self._agent
        if self._context:
            data["context"] = self._context
        if self.thread_id:
            data["threadId"] = self.thread_id
        try:
            return self._shown(self._functions.stream("run_agent", data), decided=decided)
        except KeyboardInterrupt:
            self._stop(data, run_id)
            raise

    def _shown(
        self, stream: Generator[Any, None, Result], *, decided: Sequence[Interrupt]
    ) -> Result | None:
        started = time.monotonic()
        try:
            result = self._drained(stream, decided)
        except CallError as error:
            self._screen.failure(error)
            return None
        self._left_one = False
        self.thread_id, self._run_id = result["threadId"], result["runId"]
        self._screen.sources(result["citations"], answer=result["message"])
        self.waiting = result["outcome"].get("interrupts") or []
        for interrupt in self.waiting:
            self._screen.say()
            self._screen.say(Card(interrupt, self._screen.order, self._uid))
        self._screen.footnote(_summary(result, time.monotonic() - started))
        for call in result["toolCalls"]:
            if undo := call.get("undo"):
                self._screen.footnote(f"{call['tool']} can be taken back by {undo['tool']}")
        if result["quickReplies"]:
            self._screen.footnote("You could say: " + " · ".join(result["quickReplies"]))
        return result

    def _drained(
        self, stream: Generator[Any, None, Result], decided: Sequence[Interrupt]
    ) -> Result:
        with RunView(self._screen, self._question, decided=decided) as view:
            while True:
                try:
                    event = next(stream)
                except StopIteration as end:
                    result: Result = end.value
                    return result
                # Known early, so that a question after an interrupted one stays in the thread.
                if event.get("type") == "RUN_STARTED":
                    self.thread_id = event["threadId"]
                view.take(event)

    def _stop(self, data: dict[str, Any], run_id: str) -> None:
        """Have the run stopped where it is at work; what was said so far stays in the thread."""
        self.waiting = []
        self._left_one = True  # should it not end in time, the next question takes the thread
        deadline = time.monotonic() + _STOPPING_S
        try:
            if self.thread_id is None:  # it was not told yet; the same runId is the same run
                self.thread_id = next(self._functions.stream("run_agent", data))["threadId"]
            about = {"threadId": self.thread_id, "runId": run_id}
            while self._functions.call("cancel_run", about)["status"] == "cancelling":
                if time.monotonic() > deadline:
                    return
                time.sleep(_POLL_S)
        except CallError as error:
            self._screen.failure(error)
            return
        self._left_one = False


def _as_decided(interrupt: Interrupt, answer: Answer) -> Interrupt:
    """The interrupt with the arguments that were approved."""
    if answer.edited is None:
        return interrupt
    return {**interrupt, "metadata": {**interrupt["metadata"], "arguments": answer.edited}}


def _with_result(stored: Iterable[dict[str, Any]]) -> Generator[Any, None, Result]:
    """Stored events as a stream, which ends with the run's result."""
    for event in stored:
        yield event
        if event["type"] == "RUN_FINISHED":
            result: Result = event["result"]
            return result
        if event["type"] == "RUN_ERROR":
            raise CallError(event["code"], event["message"])
    raise CallError("data-loss", "the stored events have no end")


def _summary(result: Result, seconds: float) -> Text:
    """Who answered, in how many steps, how long it took, and what it cost where it cost."""
    parts = [*(_model(used) for used in result["usage"]), _steps(result["steps"])]
    parts.append(f"{seconds:.1f} s")
    if reason := result.get("stopReason"):
        parts.append(f"stopped early: {reason.replace('_', ' ')}")
    return Text(" · ".join(parts))


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _model(used: dict[str, Any]) -> str:
    if used["provider"] == _OFFLINE:
        return "offline planner, no language model"
    tokens = f"{used['inputTokens']:,} tokens in, {used['outputTokens']:,} out"
    cost = f", ${used['costUsd']:.4f}" if used.get("costUsd") is not None else ""
    return f"{used['provider']} {used['model']} ({tokens}{cost})"
