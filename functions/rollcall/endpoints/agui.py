"""`agui/{agent}`: the runs of `run_agent` for any front end that speaks AG-UI 1.0 over HTTP.

A client can add messages, answer calls of its own tools, answer interrupts and offer registered
client tools. Everything else in its input is ignored: our log is the record of the dialogue. A
run's events have the ids that the client chose, and only fields of the protocol.
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
"""The size limit of a request: it has the whole dialogue, although most of it is not read."""
MAX_CLIENT_TOOLS = 50
CANCEL_S = 8.0
"""How long a run has to save its end after its client closed the connection; the server waits a
little longer (`LEAVE_S`)."""
_FIELDS = {
    "data": "messages",
    "message": "messages",
    "toolResults": "messages",
    "clientTools": "tools",
    "clientId": "forwardedProps.clientId",
    "locale": "forwardedProps.locale",
    "whenBusy": "forwardedProps.whenBusy",
}
"""The names of a `RunRequest`'s fields in a `RunAgentInput`."""


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
    """Run the agent, and yield the run's events for the AG-UI client."""
    input, history = run_input(call.data), read_messages(call.data)
    tools, left_out = offered_tools(snapshot(platform.db), input.tools or ())
    thread = find_client_thread(platform.db, call.user.uid, input.thread_id, run_id=input.run_id)
    request = _RunRequest(platform, call, agent, input, history, thread, tools)
    renderer = EventRenderer(input.thread_id, input.run_id)
    if left_out:
        renderer.notes["toolsLeftOut"] = left_out
    with closing(renderer.render(request.events(renderer))) as stream:
        try:
            for event in stream:  # noqa: UP028 - `yield from` would close the stream first
                yield event
        except AgentError as error:
            if input.forwarded_props and input.forwarded_props.locale in TEXTS.languages:
                error.translate(input.forwarded_props.locale)
            if ours := error.field:  # by its name in AG-UI
                error.field = _FIELDS.get(ours.split(".")[0], agui_field(ours))
                if error.message.startswith(f"{ours}:"):
                    error.text = error.message = error.field + error.message.removeprefix(ours)
            raise
        except GeneratorExit:  # AG-UI front ends stop a run by closing the connection
            if renderer.run is not None and not renderer.has_ended and not request.keeps_running():
                cancel(platform.db, call.user.uid, *renderer.run)
                # Let it save its end here; a run that takes longer ends in the task queue.
                until = time.monotonic() + CANCEL_S
                for _ in stream:
                    if time.monotonic() > until:
                        break
            raise


class _RunRequest(Struct, frozen=True):
    """The request in a `RunAgentInput`, and the thread that it is for."""

    platform: Platform
    call: Call
    agent: str
    input: RunInput
    history: Sequence[dict[str, Any]]
    thread: ClientThread
    tools: Sequence[str]

    def events(self, renderer: EventRenderer) -> RunEvents:
        """Handle the request: yield the run's events, and return its result. Notes for the client
        are added to `renderer`."""
        if self.thread.run_thread_id is not None:
            renderer.answered = answered_call_ids(self.history)
            return (yield from self._repeat(self.thread.run_thread_id))
        waiting = self.thread.waiting
        results = tool_answers(self.history, waiting.get("calls") or ())
        messages = last_user_messages(self.history)
        known = self.thread.message_keys
        new = [message for message in messages if message.key not in known]
        renderer.answered = results.keys()
        if self.input.resume:
            return (yield from self._send_decisions(new, results))
        if messages:
            # If all messages are known, those that the newest turn began with are asked again; if
            # there are none of these, the last message counts as new.
            newest = self.thread.newest_turn[1]
            again = [message for message in messages if message.key in newest] or messages[-1:]
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
        props = self.input.forwarded_props
        if props is not None and props.rollcall.keep_running:
            return True
        return find_agent(self.platform, self.agent, user=self.call.user).keep_running

    def _repeat(self, run_thread_id: str) -> RunEvents:
        """Join the run that an earlier request with this run id has opened."""
        run_id = self.input.run_id
        if run_thread_id != self.thread.id:
            raise run_id_taken(run_id)
        run = paths.run(self.platform.db, run_thread_id, run_id).get()
        if not run.exists:
            raise run_erased()
        state = state_for_repeat(
            run.to_dict() or {}, run, uid=self.call.user.uid, request_digest=self._digest()
        )
        until = function_end(RUN_AGENT_S)
        return (yield from join_run(self.platform, self.call, state, until=until))

    def _send_message(
        self,
        messages: Sequence[UserInput],
        results: dict[str, dict[str, Any]],
        renderer: EventRenderer,
    ) -> RunEvents:
        """Send the user's messages as one, with results of the client's tools from before it."""
        if len(messages) > MESSAGE_PARTS:
            raise InvalidArgument(
                f"the user says {len(messages):,} new messages at once; "
                f"at most {MESSAGE_PARTS} are accepted",
                field="messages",
            )
        parts, left_out = message_parts(messages)
        if left_out:
            renderer.notes["partsLeftOut"] = left_out
        if not parts:
            raise InvalidArgument(
                f"nothing in this message can be used: {', '.join(left_out) or 'it has no parts'}",
                field="messages",
                hint="send text, or images and documents as data",
            )
        keys = tuple(message.key for message in messages)
        turn, newest = self.thread.newest_turn
        replaces = {"replaces": turn} if keys == newest else {}
        accepted = replace(self._request(message=parts, **replaces), message_keys=keys)
        if results:
            request = self._request(toolResults=_tool_results(results)).request
            waiting, catalog = self.thread.waiting, self.platform.catalog
            answers = client_results(request, waiting, catalog, only=results)
            accepted = replace(accepted, answers=answers)
        return (yield from answer_request(self.platform, self.call, accepted))

    def _send_results(self, results: dict[str, dict[str, Any]]) -> RunEvents:
        """Send the results of the client's tools."""
        missing = [call for call in self.thread.waiting["calls"] if call not in results]
        if missing:
            raise InvalidArgument(
                f"each call that waits needs a tool message; missing: {', '.join(missing)}",
                field="messages",
            )
        accepted = self._request(toolResults=_tool_results(results))
        return (yield from answer_request(self.platform, self.call, accepted))

    def _send_decisions(
        self, new: Sequence[UserInput], results: dict[str, dict[str, Any]]
    ) -> RunEvents:
        """Send decisions, after results of the client's tools if the step waits for both."""
        if new:
            raise InvalidArgument(
                "a run answers interrupts or says something new, not both",
                field="messages",
                hint="answer the interrupts, and send the message in the next run",
            )
        waiting = self.thread.waiting
        if results and not (waiting.get("isAnswered") or waiting.get("isLate")):
            stream = self._send_results(results)
            try:
                first = next(stream)
            except StopIteration:
                pass  # the results are stored, since a decision is still open
            else:
                yield first
                return (yield from stream)
        entries = [resume_entry(answer) for answer in self.input.resume or ()]
        return (yield from answer_request(self.platform, self.call, self._request(resume=entries)))

    def _request(self, **content: Any) -> AcceptedRequest:
        """Return the request in the form of `run_agent`, with this content."""
        input, props = self.input, self.input.forwarded_props or Props()
        context: dict[str, list[str]] = {}  # AG-UI's entries as ours, by description
        for entry in input.context or ():
            context.setdefault(entry.description, []).append(entry.value)
        values = {key: each[0] if len(each) == 1 else each for key, each in context.items()}
        data = {
            "agent": self.agent,
            "threadId": self.thread.id,
            "runId": input.run_id,
            "clientTools": list(self.tools)[:MAX_CLIENT_TOOLS],
            **({"context": values} if values else {}),
            **props.model_dump(by_alias=True, exclude_none=True, exclude={"rollcall"}),
            **content,
        }
        return AcceptedRequest(
            validate(RunRequest, data), self._digest(), is_new=self.thread.is_new
        )

    def _digest(self) -> str:
        """Return a digest of the input, which does not depend on the state of its thread."""
        last = last_user_message(self.history)
        return digest(
            {
                "agent": self.agent,
                "thread": self.input.thread_id,
                "said": last.model_dump() if last else None,
                "resume": [entry.model_dump() for entry in self.input.resume or ()],
                "context": [entry.model_dump() for entry in self.input.context or ()],
            }
        )


def _tool_results(results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"toolCallId": call, **result} for call, result in results.items()]


def agent_capabilities(platform: Platform, user: User, agent_id: str) -> dict[str, Any]:
    """Return AG-UI's `AgentCapabilities` of an agent for this user, for a front end to show.
    `custom.clientTools` are the tools that a client may offer.

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
"""The key of our own data in an event's metadata."""


class EventRenderer(Struct):
    """Renders the events of one run for an AG-UI client.

    Attributes:
        thread_id: The client's name of the thread.
        run_id: The client's id of the run.
        run: Our ids of the thread and the run, once it has begun.
        notes: Metadata of the start event: the parts of the input that were left out.
        answered: Calls that the client answered itself; their results are not sent back.
    """

    thread_id: str
    run_id: str
    run: tuple[str, str] | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    answered: Collection[str] = ()
    has_begun: bool = False
    has_ended: bool = False

    def render(self, stream: RunEvents) -> Generator[Event | None, None, None]:
        """Yield the run's events, with an end event also if it fails.

        Raises:
            AgentError: The run was refused before any event.
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
                        event = self._for_client(event)
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
        # A run that had ended before, or that only stored an answer, has no events of its own.
        ids = {"thread_id": result["threadId"], "run_id": result["runId"]}
        if not self.has_begun:
            yield self._for_client(events.run_started(**ids))
        if not self.has_ended:
            yield self._for_client(events.run_finished(**ids, result=result))

    def _for_client(self, event: Event) -> Event:
        """Return an event with the client's ids and AG-UI's fields, and note a start or an end."""
        kind = event["type"]
        self.has_ended = kind in ("RUN_FINISHED", "RUN_ERROR")
        if kind == "RUN_STARTED":
            self.run = (event["threadId"], event["runId"])
            ours = {"threadId": event["threadId"], "runId": event["runId"], **self.notes}
            event = _with(event, ours)
        elif kind == "RUN_FINISHED":
            event = _end_event(event)
        else:
            return event
        return {**event, "threadId": self.thread_id, "runId": self.run_id}


def _end_event(event: Event) -> Event:
    """Return the end event with one of the protocol's three outcomes. The protocol has no result
    for a stopped run, so its reason and message go into the metadata."""
    outcome, result = event["outcome"], event["result"]
    if interrupts := outcome.get("interrupts"):
        rendered = []
        for interrupt in interrupts:
            schema = interrupt["responseSchema"]
            properties = {
                AGUI_EDITS if k == OUR_EDITS else k: v for k, v in schema["properties"].items()
            }
            schema = {**schema, "properties": properties}
            rendered.append({**interrupt, "reason": "tool_call", "responseSchema": schema})
        return {**event, "outcome": {"type": "interrupt", "interrupts": rendered}}
    if outcome["type"] == "cancelled":
        stopped = {key: result[key] for key in ("stopReason", "message") if key in result}
        bare = {key: value for key, value in event.items() if key != "result"}
        return _with({**bare, "outcome": {"type": "cancelled"}}, stopped)
    pending = outcome.get("pendingToolCallIds")
    calls = {"pendingToolCallIds": pending} if pending else {}
    return {**event, "outcome": {"type": "success", **calls}}


def _with(event: Event, ours: dict[str, Any]) -> Event:
    """Return an event with our own data in its metadata."""
    return {**event, "metadata": {**event.get("metadata", {}), OURS: ours}}
