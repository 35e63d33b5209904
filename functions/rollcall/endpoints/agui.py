"""`agui/{agent}`: the runs of `run_agent` for any front end that speaks AG-UI 1.0 over HTTP.

A client can say something, answer calls of its own tools, answer interrupts and offer registered
client tools. Nothing else of what it sends is believed: the dialogue is the one in our log.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent.platform import import_sdks
from rollcall.agent.resume import contents_of
from rollcall.agent.run import Events, function_end
from rollcall.core.capability import digest
from rollcall.core.context import Call, Platform
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from rollcall.core.events import Event
from rollcall.core.inputs import validate
from rollcall.core.triggers import OnRequest, bound
from rollcall.core.wire import MESSAGE_PARTS, RunRequest
from rollcall.endpoints._agui import interrupts, messages
from rollcall.endpoints._agui.declaring import declared
from rollcall.endpoints._agui.shapes import ContextEntry, RunInput, Said, run_input
from rollcall.endpoints._agui.telling import Telling
from rollcall.endpoints._agui.tools import offered
from rollcall.endpoints.run_agent import RUN_AGENT_S, Sent, answered, joined
from rollcall.registry.snapshot import snapshot
from rollcall.store import paths
from rollcall.store.runs import run_erased, run_id_taken, state_for_repeat
from rollcall.store.threads import ClientThread, find_client_thread

MAX_BYTES = 8_000_000
"""The whole dialogue comes with every run, although most of it is not looked at."""
MAX_CLIENT_TOOLS = 50
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
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


@bound(OnRequest(timeout_s=RUN_AGENT_S, max_bytes=MAX_BYTES, at_start=import_sdks))
def agui(platform: Platform, call: Call) -> dict[str, Any] | Generator[Event | None, None, None]:
    """Run an agent for a `RunAgentInput`, as a stream of AG-UI events; or, asked without one, say
    what the agent can do, as AG-UI's `AgentCapabilities`."""
    agent = call.path
    if not _AGENT.fullmatch(agent):
        raise InvalidArgument(
            "the URL names no agent; send to agui/{agent}, such as agui/assistant", field="agent"
        )
    if call.data is None:
        return declared(platform, call.user, agent)
    return _run(platform, call, agent)


def _run(platform: Platform, call: Call, agent: str) -> Generator[Event | None, None, None]:
    given, history = run_input(call.data), messages.listed(call.data)
    tools, left_out = offered(snapshot(platform.db), given.tools or ())
    thread = find_client_thread(platform.db, call.user.uid, given.thread_id, run_id=given.run_id)
    asking = _Asking(platform, call, agent, given, history, thread, tools)
    telling = Telling(given.thread_id, given.run_id)
    if left_out:
        telling.notes["toolsLeftOut"] = left_out
    try:
        yield from telling.told(asking.events(telling))
    except AgentError as error:
        error.field = _renamed(error.field)
        raise


class _Asking(Struct, frozen=True):
    """What an input asks for, of which thread."""

    platform: Platform
    call: Call
    agent: str
    given: RunInput
    history: Sequence[dict[str, Any]]
    thread: ClientThread
    tools: Sequence[str]

    def events(self, telling: Telling) -> Events:
        """Do what is asked for; what the client should know of it goes into `telling`."""
        if self.thread.run_thread_id is not None:
            telling.answered = messages.answered_calls(self.history)
            return (yield from self._again(self.thread.run_thread_id))
        waiting = self.thread.waiting
        results = messages.answers(self.history, waiting.get("calls") or ())
        said = messages.said_last(self.history)
        known = self.thread.message_keys
        new = [message for message in said if message.key not in known]
        telling.answered = results.keys()
        if self.given.resume:
            return (yield from self._resumed(new, results))
        if said:
            return (yield from self._told(new or self._again_said(said), results, telling))
        if results:
            return (yield from self._answered(results))
        raise self._nothing_new()

    def _again(self, run_thread_id: str) -> Events:
        """A run that was asked for before."""
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
        return (yield from joined(self.platform, self.call, found, until=until))

    def _again_said(self, said: Sequence[Said]) -> Sequence[Said]:
        """Of messages that are all known: what the newest turn began with, which is asked again;
        or else the last one, as something new."""
        _, newest = self.thread.newest_turn
        return [message for message in said if message.key in newest] or said[-1:]

    def _told(
        self, said: Sequence[Said], results: dict[str, dict[str, Any]], telling: Telling
    ) -> Events:
        """Something that the user says, and what their tools answered before it."""
        if len(said) > MESSAGE_PARTS:
            raise InvalidArgument(
                f"the user says {len(said):,} new messages at once; "
                f"at most {MESSAGE_PARTS} are accepted",
                field="messages",
            )
        parts, left_out = messages.parts(said)
        if left_out:
            telling.notes["partsLeftOut"] = left_out
        if not parts:
            raise InvalidArgument(
                f"nothing in this message can be used: {', '.join(left_out) or 'it has no parts'}",
                field="messages",
                hint="send text, or images and documents as data",
            )
        keys = tuple(message.key for message in said)
        turn, newest = self.thread.newest_turn
        replaces = {"replaces": turn} if keys == newest else {}
        sent = replace(self._sent(message=parts, **replaces), message_keys=keys)
        if results:
            listed = self._sent(toolResults=_listed(results)).request
            answers = contents_of(
                listed,
                {**self.thread.waiting, "calls": list(results)},
                self.platform.catalog,
            )
            sent = replace(sent, answers=answers)
        return (yield from answered(self.platform, self.call, sent))

    def _answered(self, results: dict[str, dict[str, Any]]) -> Events:
        """What the client's tools answered."""
        missing = [call for call in self.thread.waiting["calls"] if call not in results]
        if missing:
            raise InvalidArgument(
                f"each call that waits needs a tool message; missing: {', '.join(missing)}",
                field="messages",
            )
        sent = self._sent(toolResults=_listed(results))
        return (yield from answered(self.platform, self.call, sent))

    def _resumed(self, new: Sequence[Said], results: dict[str, dict[str, Any]]) -> Events:
        """Decisions, with results of the client's tools where the step had both."""
        if new:
            raise InvalidArgument(
                "a run answers interrupts or says something new, not both",
                field="messages",
                hint="answer the interrupts, and send the message in the next run",
            )
        waiting = self.thread.waiting
        if results and not (waiting.get("isAnswered") or waiting.get("isLate")):
            noting = self._answered(results)
            try:
                first = next(noting)
            except StopIteration:
                pass  # they are noted: a decision is still open
            else:
                yield first
                return (yield from noting)
        entries = [interrupts.entry(answer) for answer in self.given.resume or ()]
        return (yield from answered(self.platform, self.call, self._sent(resume=entries)))

    def _nothing_new(self) -> AgentError:
        if calls := self.thread.waiting.get("calls"):
            return InvalidArgument(
                f"these calls wait for a tool message each: {', '.join(calls)}", field="messages"
            )
        if self.history and self.history[-1]["role"] == "tool":
            return FailedPrecondition(
                "nothing in this thread waits for these tool messages (any more)",
                field="messages",
            )
        return InvalidArgument(
            "there is nothing new: end the messages with one of the user's, or send resume",
            field="messages",
        )

    def _sent(self, **asked: Any) -> Sent:
        """The request as `run_agent` takes it."""
        given, props = self.given, self.given.forwarded_props
        data = {
            "agent": self.agent,
            "threadId": self.thread.id,
            "runId": given.run_id,
            "clientTools": list(self.tools)[:MAX_CLIENT_TOOLS],
            **({"context": _context(given.context)} if given.context else {}),
            **(props.model_dump(by_alias=True, exclude_none=True) if props else {}),
            **asked,
        }
        return Sent(validate(RunRequest, data), self._digest(), is_new=self.thread.is_new)

    def _digest(self) -> str:
        """The same for the same input, whatever has become of its thread meanwhile."""
        said = messages.last_of_user(self.history)
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
    """AG-UI's descriptions and values as ours; what is described alike is a list."""
    values: dict[str, list[str]] = {}
    for entry in entries:
        values.setdefault(entry.description, []).append(entry.value)
    return {key: each[0] if len(each) == 1 else each for key, each in values.items()}


def _renamed(field: str | None) -> str | None:
    """What the client knows a field of ours as."""
    return _FIELDS.get(field.split(".")[0], interrupts.renamed(field)) if field else field
