"""`agui/{agent}`: the runs of `run_agent` for any front end that speaks AG-UI 1.0 over HTTP.

A client can say something, answer calls of its own tools, answer interrupts and offer registered
client tools. Nothing else of what it sends is believed: the dialogue is the one in our log. A run's
events are sent under the ids that the client chose, and with nothing that the protocol does not
know.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Sequence
from contextlib import closing
from itertools import compress
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.platform import preload
from rollcall.agent.resume import client_results
from rollcall.agent.run import RunEvents, function_end
from rollcall.agent.run_setup import find_agent
from rollcall.core import events
from rollcall.core.context import Call, Platform, User
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from rollcall.core.events import Event
from rollcall.core.inputs import digest, validate
from rollcall.core.logs import as_agent_error
from rollcall.core.shapes import ID
from rollcall.core.texts import TEXTS
from rollcall.core.triggers import OnRequest, bound
from rollcall.core.wire import MESSAGE_PARTS, RunRequest
from rollcall.endpoints.agui_input import (
    AGUI_EDITS,
    OUR_EDITS,
    ClientThread,
    ContextEntry,
    Props,
    RunInput,
    UserInput,
    agui_field,
    answered_call_ids,
    find_client_thread,
    last_user_message,
    last_user_messages,
    message_parts,
    offered_tools,
    read_messages,
    resume_entry,
    run_input,
    tool_answers,
)
from rollcall.endpoints.run_agent import RUN_AGENT_S, AcceptedRequest, answer_request, join_run
from rollcall.registry.entries import Entry
from rollcall.registry.selection import ToolRequest, permitted
from rollcall.registry.snapshot import snapshot
from rollcall.store import paths
from rollcall.store.run_closing import cancel
from rollcall.store.runs import run_erased, run_id_taken, state_for_repeat

MAX_BYTES = 8_000_000
"""The whole dialogue comes with every run, although most of it is not looked at."""
MAX_CLIENT_TOOLS = 50
CANCEL_S = 8.0
"""How long a run whose client closed the connection has to save its end; the server waits a little
longer than that (`LEAVE_S`)."""
_FIELDS = {
    "data": "messages",
    "message": "messages",
    "toolResults": "messages",
    "clientTools": "tools",
    "clientId": "forwardedProps.clientId",
    "locale": "forwardedProps.locale",
    "whenBusy": "forwardedProps.whenBusy",
}
"""What fields of a `RunRequest` are called in a `RunAgentInput`."""


@bound(OnRequest(timeout_s=RUN_AGENT_S, max_bytes=MAX_BYTES, at_start=preload))
def agui(platform: Platform, call: Call) -> dict[str, Any] | Generator[Event | None, None, None]:
    """Answer an AG-UI `RunAgentInput` with a stream of events, and a GET with the agent's
    `AgentCapabilities`."""
    agent = call.path
    if not ID.fullmatch(agent):
        raise InvalidArgument(
            "the URL names no agent; send to agui/{agent}, such as agui/assistant", field="agent"
        )
    if call.data is None:
        return agent_capabilities(platform, call.user, agent)
    return _run(platform, call, agent)


def _run(platform: Platform, call: Call, agent: str) -> Generator[Event | None, None, None]:
    given, history = run_input(call.data), read_messages(call.data)
    tools, left_out = offered_tools(snapshot(platform.db), given.tools or ())
    thread = find_client_thread(platform.db, call.user.uid, given.thread_id, run_id=given.run_id)
    request = _RunRequest(platform, call, agent, given, history, thread, tools)
    renderer = EventRenderer(given.thread_id, given.run_id)
    if left_out:
        renderer.notes["toolsLeftOut"] = left_out
    with closing(renderer.render(request.events(renderer))) as stream:
        try:
            for event in stream:  # noqa: UP028 - `yield from` would close the stream first
                yield event
        except AgentError as error:
            if given.forwarded_props and given.forwarded_props.locale in TEXTS.languages:
                error.translate(given.forwarded_props.locale)
            if error.field:  # as the client knows it
                error.field = _FIELDS.get(error.field.split(".")[0], agui_field(error.field))
            raise
        except GeneratorExit:  # AG-UI's front ends have no other stop than to close the connection
            if renderer.run is not None and not renderer.has_ended and not request.keeps_running():
                cancel(platform.db, call.user.uid, *renderer.run)
                # It saves its end; what takes longer ends in the task queue.
                until = time.monotonic() + CANCEL_S
                for _ in stream:
                    if time.monotonic() > until:
                        break
            raise


class _RunRequest(Struct, frozen=True):
    """What a `RunAgentInput` requests, of which thread."""

    platform: Platform
    call: Call
    agent: str
    given: RunInput
    history: Sequence[dict[str, Any]]
    thread: ClientThread
    tools: Sequence[str]

    def events(self, renderer: EventRenderer) -> RunEvents:
        """Do what is requested; what the client should know of it goes into `renderer`."""
        if self.thread.run_thread_id is not None:
            renderer.answered = answered_call_ids(self.history)
            return (yield from self._repeat(self.thread.run_thread_id))
        waiting = self.thread.waiting
        results = tool_answers(self.history, waiting.get("calls") or ())
        said = last_user_messages(self.history)
        known = self.thread.message_keys
        new = [message for message in said if message.key not in known]
        renderer.answered = results.keys()
        if self.given.resume:
            return (yield from self._send_decisions(new, results))
        if said:
            # Of messages that are all known, those that the newest turn began with are asked again;
            # or else the last one counts as something new.
            newest = self.thread.newest_turn[1]
            again = [message for message in said if message.key in newest] or said[-1:]
            return (yield from self._send_message(new or again, results, renderer))
        if results:
            return (yield from self._send_results(results))
        if calls := waiting.get("calls"):
            raise InvalidArgument(
                f"these calls wait for a tool message each: {', '.join(calls)}", field="messages"
            )
        if self.history and self.history[-1]["role"] == "tool":
            raise FailedPrecondition(
                "nothing in this thread waits for these tool messages (any more)",
                field="messages",
            )
        raise InvalidArgument(
            "there is nothing new: end the messages with one of the user's, or send resume",
            field="messages",
        )

    def keeps_running(self) -> bool:
        """Whether the run goes on when its client closes the connection."""
        props = self.given.forwarded_props
        if props is not None and props.rollcall.keep_running:
            return True
        return find_agent(self.platform, self.agent, user=self.call.user).keep_running

    def _repeat(self, run_thread_id: str) -> RunEvents:
        """Join a run that was requested before."""
        run_id = self.given.run_id
        if run_thread_id != self.thread.id:
            raise run_id_taken(run_id)
        run = paths.run(self.platform.db, run_thread_id, run_id).get()
        if not run.exists:
            raise run_erased()
        found = state_for_repeat(
            run.to_dict() or {}, run, uid=self.call.user.uid, request_digest=self._digest()
        )
        until = function_end(RUN_AGENT_S)
        return (yield from join_run(self.platform, self.call, found, until=until))

    def _send_message(
        self,
        said: Sequence[UserInput],
        results: dict[str, dict[str, Any]],
        renderer: EventRenderer,
    ) -> RunEvents:
        """Send what the user says, and what their tools answered before it."""
        if len(said) > MESSAGE_PARTS:
            raise InvalidArgument(
                f"the user says {len(said):,} new messages at once; "
                f"at most {MESSAGE_PARTS} are accepted",
                field="messages",
            )
        parts, left_out = message_parts(said)
        if left_out:
            renderer.notes["partsLeftOut"] = left_out
        if not parts:
            raise InvalidArgument(
                f"nothing in this message can be used: {', '.join(left_out) or 'it has no parts'}",
                field="messages",
                hint="send text, or images and documents as data",
            )
        keys = tuple(message.key for message in said)
        turn, newest = self.thread.newest_turn
        replaces = {"replaces": turn} if keys == newest else {}
        sent = replace(self._request(message=parts, **replaces), message_keys=keys)
        if results:
            listed = self._request(toolResults=_listed(results)).request
            answers = client_results(
                listed,
                {**self.thread.waiting, "calls": list(results)},
                self.platform.catalog,
            )
            sent = replace(sent, answers=answers)
        return (yield from answer_request(self.platform, self.call, sent))

    def _send_results(self, results: dict[str, dict[str, Any]]) -> RunEvents:
        """Send what the client's tools answered."""
        missing = [call for call in self.thread.waiting["calls"] if call not in results]
        if missing:
            raise InvalidArgument(
                f"each call that waits needs a tool message; missing: {', '.join(missing)}",
                field="messages",
            )
        sent = self._request(toolResults=_listed(results))
        return (yield from answer_request(self.platform, self.call, sent))

    def _send_decisions(
        self, new: Sequence[UserInput], results: dict[str, dict[str, Any]]
    ) -> RunEvents:
        """Send decisions, with results of the client's tools where the step had both."""
        if new:
            raise InvalidArgument(
                "a run answers interrupts or says something new, not both",
                field="messages",
                hint="answer the interrupts, and send the message in the next run",
            )
        waiting = self.thread.waiting
        if results and not (waiting.get("isAnswered") or waiting.get("isLate")):
            noting = self._send_results(results)
            try:
                first = next(noting)
            except StopIteration:
                pass  # they are noted: a decision is still open
            else:
                yield first
                return (yield from noting)
        entries = [resume_entry(answer) for answer in self.given.resume or ()]
        return (yield from answer_request(self.platform, self.call, self._request(resume=entries)))

    def _request(self, **asked: Any) -> AcceptedRequest:
        """Return the request as `run_agent` takes it."""
        given, props = self.given, self.given.forwarded_props or Props()
        data = {
            "agent": self.agent,
            "threadId": self.thread.id,
            "runId": given.run_id,
            "clientTools": list(self.tools)[:MAX_CLIENT_TOOLS],
            **({"context": _context(given.context)} if given.context else {}),
            **props.model_dump(by_alias=True, exclude_none=True, exclude={"rollcall"}),
            **asked,
        }
        return AcceptedRequest(
            validate(RunRequest, data), self._digest(), is_new=self.thread.is_new
        )

    def _digest(self) -> str:
        """Return a digest that is the same for the same input, whatever became of its thread."""
        said = last_user_message(self.history)
        return digest(
            {
                "agent": self.agent,
                "thread": self.given.thread_id,
                "said": said.model_dump() if said else None,
                "resume": [entry.model_dump() for entry in self.given.resume or ()],
                "context": [entry.model_dump() for entry in self.given.context or ()],
            }
        )


def _listed(results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"toolCallId": call, **result} for call, result in results.items()]


def _context(entries: Sequence[ContextEntry]) -> dict[str, Any]:
    """Return AG-UI's descriptions and values as our context; what is described alike is a list."""
    values: dict[str, list[str]] = {}
    for entry in entries:
        values.setdefault(entry.description, []).append(entry.value)
    return {key: each[0] if len(each) == 1 else each for key, each in values.items()}


def agent_capabilities(platform: Platform, user: User, agent_id: str) -> dict[str, Any]:
    """Return what this agent can do for this user, as AG-UI's `AgentCapabilities`, so that a front
    end shows what there is. `custom.clientTools` are the tools that a client may offer.

    Raises:
        NotFound, PermissionDenied: There is no such agent, or not for this user.
    """
    profile = find_agent(platform, agent_id, user=user)
    registry = snapshot(platform.db)
    entries = registry.content.entries
    request = ToolRequest(profile, user, "", client_tools=frozenset(entries))
    allowed = compress(entries.ids, permitted(registry, request))
    tools = [entries[id] for id in allowed]
    own = [entry for entry in tools if entry.execution.type != "client"]
    clients = [entry for entry in tools if entry.execution.type == "client"]
    return {
        "identity": {"name": profile.names["en"], "type": "rollcall"},
        "transport": {"streaming": True, "websocket": False, "httpBinary": False},
        "tools": {
            "supported": bool(tools),
            "items": [_tool_spec(entry) for entry in own],
            "parallelCalls": True,
            "clientProvided": bool(clients),
        },
        "state": {"snapshots": False, "deltas": False, "persistentState": False},
        "reasoning": {"supported": False},
        "execution": {
            "maxIterations": profile.max_steps,
            "maxExecutionTime": int(profile.deadline_s * 1000),
        },
        "humanInTheLoop": {
            "supported": True,
            "approvals": True,
            "interrupts": True,
            "approveWithEdits": True,
        },
        "custom": {"agent": profile.id, "clientTools": [_tool_spec(entry) for entry in clients]},
    }


def _tool_spec(entry: Entry) -> dict[str, Any]:
    spec = entry.spec
    return {"name": spec.name, "description": spec.description, "parameters": spec.parameters}


OURS = "rollcall"
"""The key of our own in an event's metadata."""


class EventRenderer(Struct):
    """Renders the events of one run for an AG-UI client.

    Attributes:
        thread_id: The client's name of the thread.
        run_id: The run that the client asked for.
        run: Our ids of the thread and the run, once it has begun.
        notes: Metadata of the start event: which of its input was left out.
        answered: Calls that the client itself answered; it has their results.
    """

    thread_id: str
    run_id: str
    run: tuple[str, str] | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    answered: Collection[str] = ()
    has_begun: bool = False
    has_ended: bool = False

    def render(self, stream: RunEvents) -> Generator[Event | None, None, None]:
        """Yield the run's events to its end, whatever that is.

        Raises:
            AgentError: It was refused before any event.
        """
        result: dict[str, Any]
        with closing(stream):
            try:
                while True:
                    try:
                        event = next(stream)
                    except StopIteration as end:
                        result = end.value
                        break
                    if event is not None:
                        is_result = event["type"] == "TOOL_CALL_RESULT"
                        if is_result and event["toolCallId"] in self.answered:
                            continue  # the client has it
                        event = self._translated(event)
                    self.has_begun = True
                    yield event
            except Exception as error:
                if not self.has_begun:
                    raise
                if not self.has_ended:
                    ours = as_agent_error(error)
                    failed = events.run_error(message=ours.message, code=ours.code)
                    yield _with(failed, ours.details)
                return
        # What the stream lacked, as that of a run that was done before or only noted an answer.
        ids = {"thread_id": result["threadId"], "run_id": result["runId"]}
        if not self.has_begun:
            yield self._translated(events.run_started(**ids))
        if not self.has_ended:
            yield self._translated(events.run_finished(**ids, result=result))

    def _translated(self, event: Event) -> Event:
        kind = event["type"]
        self.has_ended = kind in ("RUN_FINISHED", "RUN_ERROR")
        if kind == "RUN_STARTED":
            self.run = (event["threadId"], event["runId"])
            ours = {"threadId": event["threadId"], "runId": event["runId"], **self.notes}
            event = _with(event, ours)
        elif kind == "RUN_FINISHED":
            event = _finished(event)
        else:
            return event
        return {**event, "threadId": self.thread_id, "runId": self.run_id}


def _finished(event: Event) -> Event:
    """Return the end event with one of the protocol's three outcomes. A stopped run has no result
    there, so its reason and message go into the metadata."""
    outcome, result = event["outcome"], event["result"]
    if interrupts := outcome.get("interrupts"):
        told = []
        for interrupt in interrupts:
            schema = interrupt["responseSchema"]
            named = {
                AGUI_EDITS if k == OUR_EDITS else k: v for k, v in schema["properties"].items()
            }
            schema = {**schema, "properties": named}  # with AG-UI's name for changed arguments
            told.append({**interrupt, "reason": "tool_call", "responseSchema": schema})
        return {**event, "outcome": {"type": "interrupt", "interrupts": told}}
    if outcome["type"] == "cancelled":
        stopped = {key: result[key] for key in ("stopReason", "message") if key in result}
        bare = {key: value for key, value in event.items() if key != "result"}
        return _with({**bare, "outcome": {"type": "cancelled"}}, stopped)
    pending = outcome.get("pendingToolCallIds")
    named = {"pendingToolCallIds": pending} if pending else {}
    return {**event, "outcome": {"type": "success", **named}}


def _with(event: Event, ours: dict[str, Any]) -> Event:
    return {**event, "metadata": {**event.get("metadata", {}), OURS: ours}}
