"""`ask_user`, the platform's own tool with which a model asks the user back.

A call of it ends the turn with its question as the answer. Calls beside it in the same reply run
first, and where one waits for a person or the client, the question follows when that is settled.
Whoever asks twice in one reply has the first question asked and is refused the second.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from rollcall.agent.dispatch import CallOutcome, CallOutput
from rollcall.core.errors import Aborted, AgentError, InvalidArgument
from rollcall.core.inputs import validate
from rollcall.core.messages import ToolCall
from rollcall.core.shapes import CallStatus, Wire
from rollcall.core.wire import ToolCallRecord
from rollcall.models.base import ASK_USER, ToolSpec

QUESTION_CHARS = 2_000
MAX_REPLIES = 8
REPLY_CHARS = 100
DATA_CHARS = 4_000

_REPLIES = "Up to 8 short answers that the user may tap, in the user's language."
_DATA = "What the user has told so far of what you need, by name: for the app, such as a form."

ASKER = ToolSpec(
    ASK_USER,
    "Ask the user for what is missing and cannot be found with a tool. It ends your turn; the "
    "user's next message is the answer. Do not repeat the question in your text.",
    {
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "One question, in the user's language."},
            "quickReplies": {
                "type": "array",
                "items": {"type": "string"},
                "description": _REPLIES,
            },
            "collectedData": {"type": "object", "description": _DATA},
        },
        "required": ["question"],
        "additionalProperties": False,
    },
)


def _small(data: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(data, ensure_ascii=False)) > DATA_CHARS:
        raise ValueError(f"at most {DATA_CHARS:,} characters of JSON are taken")
    return data


_Said = StringConstraints(strip_whitespace=True, min_length=1, max_length=QUESTION_CHARS)
_Reply = StringConstraints(strip_whitespace=True, min_length=1, max_length=REPLY_CHARS)


class Question(Wire):
    """The arguments of `ask_user`."""

    question: Annotated[str, _Said]
    quick_replies: list[Annotated[str, _Reply]] = Field(default=[], max_length=MAX_REPLIES)
    collected_data: Annotated[dict[str, Any], AfterValidator(_small)] | None = None


def check_question(call: ToolCall, before: Iterable[ToolCall]) -> CallOutcome | AgentError:
    """Return the outcome of a call of `ask_user`.

    Args:
        before: The calls before it in the same reply.
    """
    if any(each.name == ASK_USER for each in before):
        return Aborted("one question is asked at a time, and there is one in this reply already")
    try:
        validate(Question, call.arguments)
    except InvalidArgument as error:
        return error
    return CallOutput({"asked": True})


def find_question(records: Iterable[ToolCallRecord], step: int) -> Question | None:
    """Return the question that a step asked, if it did."""
    for record in records:
        if record.tool == ASK_USER and record.step == step and record.status is CallStatus.DONE:
            return validate(Question, record.arguments)
    return None
