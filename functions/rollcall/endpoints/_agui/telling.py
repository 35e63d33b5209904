"""A run's events as AG-UI 1.0 has them: under the ids that its client chose, and with nothing that
the protocol does not know."""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import closing
from typing import Any

from msgspec import Struct, field

from rollcall.agent.run import Events
from rollcall.core import events
from rollcall.core.errors import AgentError
from rollcall.core.events import Event
from rollcall.core.incidents import known
from rollcall.endpoints._agui.interrupts import told as interrupt_as_told

OURS = "rollcall"
"""The key of our own in an event's metadata."""


class Telling(Struct):
    """Tells one run.

    Attributes:
        thread_id: The client's name of the thread.
        run_id: The run that the client asked for.
        notes: What it is told beside the start: what of its input was left out.
        answered: Calls that the client itself answered; it has their results.
    """

    thread_id: str
    run_id: str
    notes: dict[str, Any] = field(default_factory=dict)
    answered: Collection[str] = ()
    has_begun: bool = False
    has_ended: bool = False

    def told(self, stream: Events) -> Generator[Event | None, None, None]:
        """The run's events to its end, whatever that is.

        Raises:
            AgentError: It was refused before anything was told.
        """
        with closing(stream):
            try:
                result = yield from self._told(stream)
            except Exception as error:
                if not self.has_begun:
                    raise
                if not self.has_ended:
                    yield _failed(known(error))
                return
        yield from self._rest(result)

    def _told(self, stream: Events) -> Events:
        while True:
            try:
                event = next(stream)
            except StopIteration as end:
                result: dict[str, Any] = end.value
                return result
            if event is None or not self._is_left_out(event):
                self.has_begun = True
                yield event if event is None else self._translated(event)

    def _is_left_out(self, event: Event) -> bool:
        return event["type"] == "TOOL_CALL_RESULT" and event["toolCallId"] in self.answered

    def _translated(self, event: Event) -> Event:
        kind = event["type"]
        self.has_ended = kind in ("RUN_FINISHED", "RUN_ERROR")
        if kind == "RUN_STARTED":
            ours = {"threadId": event["threadId"], "runId": event["runId"], **self.notes}
            return self._named(_with(event, ours))
        if kind == "RUN_FINISHED":
            return self._named(_finished(event))
        return event

    def _named(self, event: Event) -> Event:
        return {**event, "threadId": self.thread_id, "runId": self.run_id}

    def _rest(self, result: dict[str, Any]) -> Generator[Event, None, None]:
        """What a run that was done before, or that only noted an answer, does not tell itself."""
        ids = {"thread_id": result["threadId"], "run_id": result["runId"]}
        if not self.has_begun:
            yield self._translated(events.run_started(**ids))
        if not self.has_ended:
            yield self._translated(events.run_finished(**ids, result=result))


def _finished(event: Event) -> Event:
    """The end with one of the three outcomes of the protocol. A run that was stopped has no result
    there, so that what it came to goes into the metadata."""
    outcome, result = event["outcome"], event["result"]
    if interrupts := outcome.get("interrupts"):
        told = [interrupt_as_told(each) for each in interrupts]
        return {**event, "outcome": {"type": "interrupt", "interrupts": told}}
    if outcome["type"] == "cancelled":
        stopped = {key: result[key] for key in ("stopReason", "message") if key in result}
        bare = {key: value for key, value in event.items() if key != "result"}
        return _with({**bare, "outcome": {"type": "cancelled"}}, stopped)
    pending = outcome.get("pendingToolCallIds")
    named = {"pendingToolCallIds": pending} if pending else {}
    return {**event, "outcome": {"type": "success", **named}}


def _failed(error: AgentError) -> Event:
    event = events.run_error(message=error.message, code=error.code)
    return _with(event, error.details)


def _with(event: Event, ours: dict[str, Any]) -> Event:
    return {**event, "metadata": {**event.get("metadata", {}), OURS: ours}}
