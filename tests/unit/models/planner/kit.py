"""Tools of several domains, and a loop that lets the offline planner use them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models.base import (
    ArgumentsDelta,
    CallStart,
    Delta,
    Finish,
    ModelRequest,
    TextDelta,
    ToolSpec,
)
from rollcall.models.offline import Model

MAX_STEPS = 10

Tool = Callable[[str, dict[str, Any]], Any]


def spec(
    name: str, description: str, properties: dict[str, Any], *required: str, **more: Any
) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, description, schema, **more)


def text(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def number(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "number", "description": description, **more}


LIMIT = {"type": "integer", "description": "Most to return", "default": 20, "maximum": 50}
WHERE = {"type": "array", "items": {"type": "string"}, "description": "Only these conversations"}
LEVELS = {"type": "string", "enum": ["urgent", "high", "both"], "default": "both"}

MESSAGING = (
    spec(
        "get_user_conversations",
        "Get a list of the user's conversations.",
        {},
        keywords=("conversations", "chats", "analyze my conversations", "שיחות"),
    ),
    spec(
        "get_priority_messages",
        "Get messages marked as high or urgent priority.",
        {"priorityLevel": LEVELS, "limit": LIMIT},
        keywords=("priorities", "urgent", "עדיפויות", "דחוף"),
    ),
    spec(
        "get_conversation_action_items",
        "Get action items from specific conversations or all conversations.",
        {"conversationIds": WHERE, "limit": LIMIT},
        keywords=("action items", "tasks", "משימות"),
    ),
    spec(
        "get_conversation_decisions",
        "Get decisions from specific conversations or all conversations.",
        {"conversationIds": WHERE, "limit": LIMIT},
        keywords=("decisions", "decided", "החלטות", "הוחלט"),
        related=("search_all_conversations",),
    ),
    spec(
        "summarize_conversation",
        "Summarize a specific conversation.",
        {
            "conversationId": text("The conversation"),
            "maxLength": {"type": "integer", "description": "Longest summary", "default": 200},
            "focusArea": text("What to look at"),
        },
        "conversationId",
        keywords=("summarize", "recap", "סכם"),
        related=("get_user_conversations",),
    ),
    spec(
        "search_all_conversations",
        "Search all of the user's conversations for messages about a topic.",
        {"query": text("What to look for"), "limit": LIMIT},
        "query",
        keywords=("search", "who said", "חפש"),
    ),
)

SIZES = ["14", "12", "10", "8", "1/0"]
ELECTRICAL = (
    spec(
        "calculate_voltage_drop",
        "Calculate the voltage drop of a circuit.",
        {
            "circuitNumber": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "panelName": {"anyOf": [text("Panel, such as LP-1"), {"type": "null"}]},
            "lengthFt": number("One-way length, ft", exclusiveMinimum=0),
            "loadAmps": number("Load current, A"),
            "conductorSize": text("AWG size", enum=SIZES),
            "selector": text("Or one of these", enum=["longest", "highest_load", "worst"]),
        },
        keywords=("voltage drop", "מפל מתח"),
        aliases={"circuitNumber": ("מעגל",), "panelName": ("לוח",)},
    ),
    spec(
        "check_conductor_sizing",
        "Verify that a conductor is sized for its load.",
        {"loadAmps": number("Load, A"), "conductorSize": text("AWG size as printed")},
        "loadAmps",
        "conductorSize",
        keywords=("wire size", "conductor size"),
    ),
    spec(
        "add_circuit",
        "Propose a new circuit for a panel.",
        {"panelName": text(), "description": text("What it feeds"), "loadWatts": number("W")},
        "panelName",
        "description",
        "loadWatts",
        writes=True,
    ),
)

EDUCATION = (
    spec(
        "generate_static_content",
        "יצירת דף עבודה, מבחן להדפסה, מכתב או מערך שיעור",
        {
            "contentType": text("סוג התוכן", enum=["worksheet", "test", "letter", "lesson_plan"]),
            "topic": text("הנושא"),
            "grade": text("כיתה"),
        },
        "contentType",
        "topic",
        keywords=("דף עבודה", "מכתב", "מערך שיעור", "צרי"),
        aliases={"worksheet": ("דף עבודה",), "letter": ("מכתב",), "grade": ("כיתה",)},
        examples=({"userRequest": "צרי לי דף עבודה על שברים לכיתה ד"},),
    ),
    spec(
        "generate_interactive_activity",
        "יצירת פעילות דיגיטלית עם שאלות ומשחקים",
        {
            "topic": text("הנושא"),
            "grade": text("כיתה", enum=["א", "ב", "ג", "ד", "ה", "ו"]),
            "includeBot": {"type": "boolean", "description": "האם לצרף בוט"},
        },
        "topic",
        "grade",
        keywords=("פעילות", "משחק", "צרי"),
        aliases={"grade": ("כיתה",)},
    ),
)

WORKSPACE = (
    spec("read_file", "Read a file of the workspace.", {"path": text("The file")}, "path"),
    spec("run_command", "Run a shell command.", {"command": text("The command")}, "command"),
    spec("list_directory", "List the files of a directory.", {"path": text()}, "path"),
)

CONVERSATIONS = [
    {
        "id": f"conv_{at}",
        "name": name,
        "participantNames": ["Dana", "Noa"],
        "lastMessageAt": "2025-11-03T10:00:00Z",
        "messageCount": 12,
    }
    for at, name in enumerate(("Launch room", "Finance", "Design", "Lunch"), 1)
]
FIRE = {
    "id": "m1",
    "conversationId": "conv_1",
    "conversationName": "Launch room",
    "senderName": "Dana",
    "content": "The server is down",
    "priority": "urgent",
    "timestamp": "2025-11-03T10:00:00Z",
}
SOURCE = {"n": 1, "type": "message", "conversationId": "conv_1", "messageId": "m1"}
TASK = {
    "id": "a1",
    "conversationId": "conv_1",
    "task": "Send the press kit",
    "assignee": "Dana",
    "deadline": "2025-11-07",
    "priority": "high",
}
HIRE = {"id": "d1", "conversationId": "conv_2", "decision": "Hire a designer"}
BUDGET = {
    "id": "d2",
    "conversationId": "conv_2",
    "decision": "The budget is 50k",
    "decisionMaker": "Noa",
    "decidedAt": "2025-11-01T10:00:00Z",
}
FOUND = {"messageId": "m7", "conversationId": "conv_2", "content": "The budget is final"}


def messaging(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Answer as the messaging tools do."""
    if name == "summarize_conversation":
        of = next(c for c in CONVERSATIONS if c["id"] == arguments["conversationId"])
        summary = f"Talk about {of['name']}."
        return {"output": {"summary": summary, "conversationName": of["name"]}}
    return {
        "get_user_conversations": {"output": {"conversations": CONVERSATIONS, "totalCount": 4}},
        "get_priority_messages": {
            "output": {"messages": [FIRE], "totalFound": 1},
            "citations": [SOURCE],
        },
        "get_conversation_action_items": {"output": {"actionItems": [TASK], "totalFound": 1}},
        "get_conversation_decisions": {"output": {"decisions": [HIRE, BUDGET], "totalFound": 2}},
        "search_all_conversations": {"output": {"results": [FOUND], "totalFound": 1}},
    }[name]


@dataclass
class Talk:
    """A thread with the planner: what it called, step by step, and what it said at the end."""

    tools: tuple[ToolSpec, ...]
    run: Tool = messaging
    history: list[Message] = field(default_factory=list)
    calls: list[list[tuple[str, dict[str, Any]]]] = field(default_factory=list)
    quick_replies: tuple[str, ...] = ()

    def say(self, message: str) -> str:
        """Put a message and let the planner work until it answers."""
        self.history.append(UserMessage.of(message))
        self.calls = []
        for _ in range(MAX_STEPS):
            reply = self._step()
            if not reply.tool_calls:
                return reply.text
        raise AssertionError("the planner did not come to an end")

    def _step(self) -> ModelMessage:
        request = ModelRequest("", tuple(self.history), self.tools)
        deltas = list(Model().stream(request))
        reply = message_of(deltas)
        self.history.append(reply)
        self.quick_replies = finish_of(deltas).quick_replies
        if reply.tool_calls:
            self.calls.append([(call.name, call.arguments or {}) for call in reply.tool_calls])
            results = [self._result(call) for call in reply.tool_calls]
            self.history.append(ToolMessage(tuple(results)))
        return reply

    def _result(self, call: ToolCall) -> ToolResult:
        value = self.run(call.name, call.arguments or {})
        content = json.dumps(value, ensure_ascii=False)
        return ToolResult(call.id, call.name, content, is_error="error" in value)


def ask(message: str, tools: tuple[ToolSpec, ...], run: Tool = messaging) -> Talk:
    """Put one message in a new thread; `answer_of` tells what was said."""
    talk = Talk(tools, run)
    talk.say(message)
    return talk


def answer_of(talk: Talk) -> str:
    last = talk.history[-1]
    assert isinstance(last, ModelMessage)
    return last.text


def unmarked(text: str) -> str:
    """Return a text without the marks around words of another direction."""
    return re.sub("[\u2068\u2069]", "", text)


def message_of(deltas: list[Delta]) -> ModelMessage:
    """Put a reply together from its deltas."""
    said = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    started = [delta for delta in deltas if isinstance(delta, CallStart)]
    pieces = [delta for delta in deltas if isinstance(delta, ArgumentsDelta)]
    calls = (
        ToolCall.parse(
            id=start.id,
            name=start.name,
            text="".join(piece.text for piece in pieces if piece.id == start.id),
        )
        for start in started
    )
    return ModelMessage(said, tuple(calls))


def finish_of(deltas: list[Delta]) -> Finish:
    assert isinstance(deltas[-1], Finish)
    return deltas[-1]
