"""A front end that speaks AG-UI 1.0, as its clients do: it sends all it knows with every run, and
takes in what comes. Every input and every event is checked against the protocol's models."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from ag_ui.core import Event, RunAgentInput
from pydantic import TypeAdapter

from tests.support.calling import frames
from tests.support.office import Office, Reply

EVENT: TypeAdapter[Any] = TypeAdapter(Event)
_OPEN = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
}
_OUTCOMES = {
    "success": {"type", "pendingToolCallIds"},
    "interrupt": {"type", "interrupts"},
    "cancelled": {"type"},
}
PATH_SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "maxLength": 100}}}
OPEN_FILE = {
    "name": "open_file",
    "description": "Whatever the app says.",
    "parameters": {**PATH_SCHEMA, "required": ["path"]},
}


@dataclass
class Told:
    """What came of one request: a stream, or a refusal."""

    status: int
    events: list[dict[str, Any]]
    error: dict[str, Any] | None

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]

    @property
    def outcome(self) -> dict[str, Any]:
        assert self.last["type"] == "RUN_FINISHED", self.error or self.events
        found: dict[str, Any] = self.last["outcome"]
        return found

    @property
    def pending(self) -> list[str]:
        found: list[str] = self.outcome.get("pendingToolCallIds", [])
        return found

    @property
    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = self.last["result"]
        return found

    @property
    def notes(self) -> dict[str, Any]:
        """What the start says beside the protocol."""
        found: dict[str, Any] = self.events[0]["metadata"]["rollcall"]
        return found

    @property
    def text(self) -> str:
        return "".join(each["delta"] for each in self.of("TEXT_MESSAGE_CONTENT"))

    @property
    def refusal(self) -> tuple[int, str, str | None]:
        assert self.error is not None, self.events
        return self.status, self.error["code"], self.error["details"].get("field")

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


@dataclass
class Front:
    """One user's front end, in one thread."""

    office: Office
    uid: str = "ann"
    thread: str = "3f8c4f0e-9a55-4b44-9a0e-0d3a3a3f6f11"
    messages: list[dict[str, Any]] = field(default_factory=list)
    ids: Any = field(default_factory=lambda: itertools.count(1))

    def say(self, text: str, *replies: Reply, **more: Any) -> Told:
        """Say something, to which the model replies so."""
        self.messages.append({"id": f"m{next(self.ids)}", "role": "user", "content": text})
        return self.run(*replies, **more)

    def answer(self, told: Told, content: str = '{"text": "hello"}') -> None:
        """Have the app's tools answer what is pending."""
        for call in told.pending:
            self.messages.append(
                {"id": f"t{next(self.ids)}", "role": "tool", "toolCallId": call, "content": content}
            )

    def resume(self, told: Told, *replies: Reply, **more: Any) -> Told:
        """Answer every interrupt: yes, unless `payload` says otherwise."""
        payload = more.pop("payload", {"approved": True})
        entries = [
            {"interruptId": each["id"], "status": "resolved", "payload": payload}
            for each in told.outcome["interrupts"]
        ]
        return self.run(*replies, resume=entries, **more)

    def run(self, *replies: Reply, **more: Any) -> Told:
        """Send all there is, and take in what comes."""
        body = {
            "threadId": self.thread,
            "runId": f"run_{self.uid}_{len(self.thread)}_{next(self.ids)}",
            "protocolVersion": "1.0",
            "state": {},
            "messages": self.messages,
            "tools": [],
            "context": [],
            "forwardedProps": {},
            **more,
        }
        RunAgentInput.model_validate(body)
        self.office.model.replies = list(replies)
        told = self.send(body)
        if told.error is None:
            check(told.events, thread=body["threadId"], run=body["runId"])
            self.take_in(told.events)
        return told

    def send(self, body: Any, *, agent: str = "office", **more: Any) -> Told:
        """Send a body as it is."""
        path = f"agui/{agent}" if agent else "agui"
        response = self.office.functions.send(path, body, uid=self.uid, **more)
        if response.mimetype == "text/event-stream":
            return Told(response.status_code, frames(response), None)
        return Told(response.status_code, [], (response.json or {}).get("error"))

    def take_in(self, events: list[dict[str, Any]]) -> None:
        """Keep the messages that come, as AG-UI's clients do."""
        known = {message["id"]: message for message in self.messages}
        for event in events:
            kind = event["type"]
            if kind in ("TEXT_MESSAGE_START", "TOOL_CALL_START"):
                id = event.get("messageId") or event["parentMessageId"]
                if id not in known:
                    known[id] = {"id": id, "role": "assistant", "content": ""}
                    self.messages.append(known[id])
            if kind == "TEXT_MESSAGE_CONTENT":
                known[event["messageId"]]["content"] += event["delta"]
            if kind == "TOOL_CALL_START":
                function = {"name": event["toolCallName"], "arguments": ""}
                call = {"id": event["toolCallId"], "type": "function", "function": function}
                known[event["parentMessageId"]].setdefault("toolCalls", []).append(call)
            if kind == "TOOL_CALL_RESULT":
                names = {"id": "messageId", "toolCallId": "toolCallId", "content": "content"}
                result = {key: event[name] for key, name in names.items()}
                self.messages.append({**result, "role": "tool"})


def check(events: list[dict[str, Any]], *, thread: str, run: str) -> None:
    """The events are AG-UI's, of this thread and run; what is begun is ended, and what a finished
    run names as pending is what it started and did not answer."""
    open_ones: set[tuple[str, str]] = set()
    assert events[0]["type"] in ("RUN_STARTED", "RUN_ERROR")
    for event in events:
        EVENT.validate_python(event)
        kind = event["type"]
        if kind in _OPEN:
            end, key = _OPEN[kind]
            assert (end, event[key]) not in open_ones
            open_ones.add((end, event[key]))
        for end, key in _OPEN.values():
            if kind == end:
                open_ones.remove((end, event[key]))
        if kind in ("RUN_STARTED", "RUN_FINISHED"):
            assert (event["threadId"], event["runId"]) == (thread, run)
    kinds = [event["type"] for event in events]
    assert kinds.count("RUN_STARTED") <= 1
    assert kinds[-1] in ("RUN_FINISHED", "RUN_ERROR")
    assert sum(kind in ("RUN_FINISHED", "RUN_ERROR") for kind in kinds) == 1
    if kinds[-1] == "RUN_FINISHED":
        outcome = events[-1]["outcome"]
        assert open_ones == set()
        assert set(outcome) <= _OUTCOMES[outcome["type"]]
        assert ("result" in events[-1]) is (outcome["type"] != "cancelled")
