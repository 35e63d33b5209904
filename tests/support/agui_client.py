"""An AG-UI 1.0 client: it sends its whole history with every run, and appends the messages that
come. Every input and every event is checked against the protocol's models."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from ag_ui.core import RunAgentInput

from tests.support.local_functions import frames
from tests.support.office import Office, Reply, unclosed_events

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
class AguiResponse:
    """The response to one request: a stream of events, or an error."""

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
        """Rollcall's own fields of the first event."""
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
class AguiClient:
    """A client of one user, in one thread."""

    office: Office
    uid: str = "ann"
    thread: str = "3f8c4f0e-9a55-4b44-9a0e-0d3a3a3f6f11"
    messages: list[dict[str, Any]] = field(default_factory=list)
    ids: Any = field(default_factory=lambda: itertools.count(1))

    def say(self, text: str, *replies: Reply, **more: Any) -> AguiResponse:
        """Send a message; the model gives these replies."""
        self.messages.append({"id": f"m{next(self.ids)}", "role": "user", "content": text})
        return self.run(*replies, **more)

    def answer(self, told: AguiResponse, content: str = '{"text": "hello"}') -> None:
        """Append results of the app's tools to the calls that are pending."""
        for call in told.pending:
            self.messages.append(
                {"id": f"t{next(self.ids)}", "role": "tool", "toolCallId": call, "content": content}
            )

    def resume(self, told: AguiResponse, *replies: Reply, **more: Any) -> AguiResponse:
        """Answer every interrupt with `payload`, by default an approval."""
        payload = more.pop("payload", {"approved": True})
        entries = [
            {"interruptId": each["id"], "status": "resolved", "payload": payload}
            for each in told.outcome["interrupts"]
        ]
        return self.run(*replies, resume=entries, **more)

    def run(self, *replies: Reply, **more: Any) -> AguiResponse:
        """Send the history, and append the messages that come."""
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
            self.append_messages(told.events)
        return told

    def send(self, body: Any, *, agent: str = "office", **more: Any) -> AguiResponse:
        """Send a body as it is."""
        path = f"agui/{agent}" if agent else "agui"
        response = self.office.functions.send(path, body, uid=self.uid, **more)
        if response.mimetype == "text/event-stream":
            return AguiResponse(response.status_code, frames(response), None)
        return AguiResponse(response.status_code, [], (response.json or {}).get("error"))

    def append_messages(self, events: list[dict[str, Any]]) -> None:
        """Append the messages of these events to the history, as AG-UI's clients do."""
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
    """Check that the events are valid AG-UI, of this thread and run, that a finished run leaves
    nothing open, and that its outcome has the protocol's fields."""
    unclosed = unclosed_events(events)
    kinds = [event["type"] for event in events]
    assert kinds[0] in ("RUN_STARTED", "RUN_ERROR")
    assert kinds.count("RUN_STARTED") <= 1
    assert kinds[-1] in ("RUN_FINISHED", "RUN_ERROR")
    assert sum(kind in ("RUN_FINISHED", "RUN_ERROR") for kind in kinds) == 1
    for event in events:
        if event["type"] in ("RUN_STARTED", "RUN_FINISHED"):
            assert (event["threadId"], event["runId"]) == (thread, run)
    if kinds[-1] == "RUN_FINISHED":
        outcome = events[-1]["outcome"]
        assert unclosed == set()
        assert set(outcome) <= _OUTCOMES[outcome["type"]]
        assert ("result" in events[-1]) is (outcome["type"] != "cancelled")
