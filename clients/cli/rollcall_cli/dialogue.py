"""A dialogue with an agent, run after run, without a screen.

    dialogue = Dialogue(functions, stored, agent="messaging")
    result = yield from dialogue.message("What are my priorities?")

Each run is a generator of its AG-UI events that returns its result.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any

from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.run_stream import Replay, no_replay, stream_run
from rollcall_cli.store import Event, Result
from rollcall_cli.wording import error_text

Interrupt = dict[str, Any]
Call = dict[str, Any]
"""A tool call's record, as a result holds it: `{id, tool, arguments, ...}`."""
Content = str | list[dict[str, Any]]
"""Of a message: text, or parts."""
Events = Generator[Event, None, Result]

_STOPPING_S = 10.0
_POLL_S = 0.3


class Dialogue:
    """One thread with one agent.

    Attributes:
        thread_id: None until the first run has begun.
        turn_id: The newest turn; `retry` and `replaces` name it.
        run_id: The newest run that has a result.
        waiting: The interrupts of that run that wait for a decision.
        pending: The calls that it left to this client.

    Args:
        replay: Returns the stored events of a run whose stream was lost.
        take: Claims the pending calls of a run, by thread id and run id; whether they may be run.
        client_tools: Ids of the tools that this client can run.
        client_id: Identifies this client among the user's.
        locale: "en" or "he"; None for the language of each message.
    """

    def __init__(
        self,
        functions: Functions,
        *,
        agent: str,
        replay: Replay = no_replay,
        take: Callable[[str, str], bool] = lambda thread_id, run_id: True,
        client_tools: Collection[str] = (),
        client_id: str | None = None,
        context: Mapping[str, str] | None = None,
        locale: str | None = None,
    ) -> None:
        self.agent = agent
        self._functions = functions
        self._replay = replay
        self._take_calls = take
        self._options: dict[str, Any] = {"context": dict(context or {}), "locale": locale}
        if client_tools:
            self._options["clientTools"] = list(client_tools)
            self._options["clientId"] = client_id or f"cli-{uuid.uuid4().hex[:12]}"
        self.start_over()

    def start_over(self) -> None:
        """Start a new thread with the next message."""
        self.thread_id: str | None = None
        self.turn_id: str | None = None
        self.run_id: str | None = None
        self.waiting: list[Interrupt] = []
        self.pending: list[Call] = []
        self._data: dict[str, Any] = {}
        self._active_run_id = ""  # the run that `cancel` stops
        self._call_ids: list[str] = []  # ids of calls, as the model made them
        self._is_abandoned = False

    def enter(self, thread_id: str, result: Result | None) -> None:
        """Continue an existing thread from the result of its newest run."""
        self.start_over()
        self.thread_id = thread_id
        if result is not None:
            self._take(result)

    @property
    def incidents(self) -> Sequence[dict[str, str]]:
        """Failures of the last run, which functions on emulators report for developers."""
        return self._functions.incidents

    @property
    def next_run_id(self) -> str:
        """The id of the continuation of the newest run."""
        turn, mark, number = (self.run_id or "").rpartition("~")
        return f"{turn}~{int(number) + 1}" if mark and number.isdigit() else f"{self.run_id}~1"

    def message(self, content: Content, *, replaces: str | None = None) -> Events:
        """Send a message, which closes what waited.

        Args:
            replaces: The newest turn, if the message replaces it.
        """
        data: dict[str, Any] = {"message": content, "runId": _new_id()}
        if replaces:
            data["replaces"] = replaces
        return self._begin(data)

    def retry(self) -> Events:
        """Ask again the message of the newest turn."""
        return self._begin({"retry": self.turn_id, "runId": _new_id()})

    def resume(self, entries: Sequence[dict[str, Any]]) -> Events:
        """Decide all interrupts."""
        return self._run({"resume": list(entries)}, run_id=self.next_run_id)

    def take_calls(self) -> None:
        """Claim the pending calls, before running any that does not only read.

        Raises:
            CallError: Another client of the user has claimed them.
        """
        if not self._take_calls(self.thread_id or "", self.run_id or ""):
            raise CallError("aborted", error_text("taken"), {"hint": error_text("taken.hint")})

    def answer_calls(self, results: Sequence[dict[str, Any]]) -> Events:
        """Send the results of the pending calls."""
        run_id = self.next_run_id  # fixed, so that retries are one run
        return self._run({"toolResults": list(results), "runId": run_id}, run_id=run_id)

    def follow(self, stored: Iterable[Event]) -> Events:
        """Follow the turn's continuation elsewhere, from its stored events."""
        for event in stored:
            yield event
            if event["type"] == "RUN_FINISHED":
                result: Result = event["result"]
                self._take(result)
                return result
            if event["type"] == "RUN_ERROR":
                raise CallError(event["code"], event["message"])
        raise CallError("data-loss", error_text("no_end"))

    def cancel(self) -> None:
        """Stop the active run, or close what waits. The text so far is kept.

        Raises:
            CallError: It could not be stopped; the next message supersedes it.
        """
        self.waiting, self.pending = [], []
        self._is_abandoned = True  # if it does not end in time, the next message supersedes it
        deadline = time.monotonic() + _STOPPING_S
        if self.thread_id is None:  # not known yet; repeating the request returns it
            self.thread_id = next(self._functions.stream("run_agent", self._data))["threadId"]
        about = {"threadId": self.thread_id, "runId": self._active_run_id}
        while self._functions.call("cancel_run", about)["status"] == "cancelling":
            if time.monotonic() > deadline:
                return
            time.sleep(_POLL_S)
        self._is_abandoned = False

    def _begin(self, data: dict[str, Any]) -> Events:
        """Start a run of a new turn."""
        self.waiting, self.pending = [], []
        if self._is_abandoned:
            data["whenBusy"] = "supersede"
        return self._run(data, run_id=data["runId"])

    def _run(self, data: dict[str, Any], *, run_id: str) -> Events:
        always = {key: value for key, value in self._options.items() if value}
        data = {**data, **always, "agent": self.agent}
        if self.thread_id:
            data["threadId"] = self.thread_id
        self._data, self._active_run_id = data, run_id
        stream = stream_run(self._functions, data, replay=self._replay)
        while True:
            try:
                event = next(stream)
            except StopIteration as end:
                result: Result = end.value
                self._is_abandoned = False
                self._take(result)
                return result
            # Known early, so that a message after an interrupted one stays in the thread.
            if event.get("type") == "RUN_STARTED":
                self.thread_id, self._active_run_id = event["threadId"], event["runId"]
            elif event.get("type") == "TOOL_CALL_START":
                self._call_ids.append(event["toolCallId"])
            yield event

    def _take(self, result: Result) -> None:
        self.thread_id, self.run_id = result["threadId"], result["runId"]
        self.turn_id = result["turnId"]
        self._active_run_id = result["runId"]
        self.waiting = result["outcome"].get("interrupts") or []
        pending = result["outcome"].get("pendingToolCallIds") or []
        records = {call["id"]: call for call in result["toolCalls"] if call["status"] == "client"}
        # The result of a partial answer names pending calls without their records.
        known = {call["id"]: call for call in self.pending} | records
        left = [known[id] for id in dict.fromkeys(pending) if id in known]
        place = {id: at for at, id in enumerate(self._call_ids)}
        self.pending = sorted(left, key=lambda call: place.get(call["id"], len(place)))


def _new_id() -> str:
    return uuid.uuid4().hex
