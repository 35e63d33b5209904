"""All shapes that cross the wire or are stored in a platform collection.

Keys are camelCase on the wire; snake_case is accepted as well. Inputs refuse unknown keys.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rollcall.core.shapes import ID, FileId
from rollcall.core.shapes import SCHEMA_VERSION as SCHEMA_VERSION
from rollcall.core.shapes import CallStatus as CallStatus
from rollcall.core.shapes import CapabilityCall as CapabilityCall
from rollcall.core.shapes import Citation as Citation
from rollcall.core.shapes import Display as Display
from rollcall.core.shapes import FileRef as FileRef
from rollcall.core.shapes import Id as Id
from rollcall.core.shapes import Locale as Locale
from rollcall.core.shapes import Role as Role
from rollcall.core.shapes import Status as Status
from rollcall.core.shapes import Wire as Wire

MESSAGE_CHARS = 32_000
"""The longest text of one message."""

MESSAGE_PARTS = 20
"""The most parts of one message."""

REASON_CHARS = 500
"""The longest reason of a decision."""

COMMENT_CHARS = 1_000
"""The longest comment on an answer."""

RunId = Annotated[str, Field(pattern=rf"^{ID.pattern}(~1){{0,20}}(~[1-9][0-9]{{0,4}})?$")]
"""The id of a run, made by the client or the server. The runs that continue its turn end with `~1`,
`~2` and so on; in older ids each continuation added a `~1`."""


CallId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:\-]{0,63}$")]
"""The id of a tool call, chosen by the model's provider, such as "functions.open_file:0"."""


class RunStatus(StrEnum):
    """Status of a run. One that waits for a person or client is done; its outcome says so."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StopReason(StrEnum):
    """The limit that ended a turn before the model did."""

    MAX_STEPS = "max_steps"
    MAX_CALLS = "max_calls"
    MAX_TOKENS = "max_tokens"
    MAX_COST = "max_cost"
    BUDGET = "budget"
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    REPEATED_CALLS = "repeated_calls"
    LENGTH = "length"
    BLOCKED = "blocked"
    MODEL_UNAVAILABLE = "model_unavailable"


class TextPart(Wire):
    """Text of a message."""

    type: Literal["text"]
    text: str = Field(max_length=MESSAGE_CHARS)


class MediaPart(Wire):
    """An image or a document inside a message: a small one as base64 text in `data` with its
    `media_type`, or the `file_id` of one of the user's uploads."""

    type: Literal["image", "document"]
    media_type: str | None = Field(default=None, pattern=r"^[a-z]+/[a-z0-9.+-]{1,80}$")
    data: str | None = Field(
        default=None, min_length=1, max_length=1_000_000, pattern=r"^[A-Za-z0-9+/]*={0,2}$"
    )
    file_id: FileId | None = None
    name: str | None = Field(default=None, max_length=200)

    @model_validator(mode="after")
    def _is_whole(self) -> MediaPart:
        inline = self.data is not None and self.media_type is not None
        if inline == (self.file_id is not None) or (self.data is None) != (self.media_type is None):
            raise ValueError("send mediaType and data, or the fileId of an upload")
        return self


MessagePart = Annotated[TextPart | MediaPart, Field(discriminator="type")]


class Decision(Wire):
    """A person's answer to an approval, as the payload of a `resume` entry.

    `remember` is one of the patterns that the interrupt offered (`metadata.remember`): calls that
    it matches need no further approval in this thread.
    """

    approved: bool
    reason: str | None = Field(default=None, max_length=REASON_CHARS)
    edited_arguments: dict[str, Any] | None = None
    remember: str | None = Field(default=None, max_length=500)

    @model_validator(mode="after")
    def _remembers_an_approval(self) -> Decision:
        if self.remember is not None and not self.approved:
            raise ValueError("remember goes with an approval, not a rejection")
        return self


class ResumeEntry(Wire):
    """An answer to one interrupt, in AG-UI's form; "cancelled" counts as a rejection."""

    interrupt_id: Id
    status: Literal["resolved", "cancelled"]
    payload: Decision | None = None

    @model_validator(mode="after")
    def _resolved_has_payload(self) -> ResumeEntry:
        if self.status == "resolved" and self.payload is None:
            raise ValueError('send a payload, such as {"approved": true}')
        return self


class ClientToolResult(Wire):
    """The result of a client's tool."""

    tool_call_id: CallId
    content: Any = None
    error: str | None = Field(default=None, max_length=4_000)


class RunRequest(Wire):
    """The data of `run_agent`.

    `retry` names the thread's newest turn and runs its message again. With `replaces`, the message
    replaces that turn. The log keeps both turns; models see only the new one.
    """

    agent: Id
    thread_id: Id | None = None
    run_id: RunId | None = None
    retry: RunId | None = None
    replaces: RunId | None = None
    message: Annotated[str, Field(max_length=MESSAGE_CHARS)] | list[MessagePart] | None = None
    resume: list[ResumeEntry] | None = Field(default=None, max_length=50)
    tool_results: list[ClientToolResult] | None = Field(default=None, max_length=50)
    context: dict[str, Any] | None = None
    client_id: Id | None = None
    client_tools: list[Id] | None = Field(default=None, max_length=50)
    when_busy: Literal["reject", "supersede"] = "reject"
    locale: Locale | None = None

    @model_validator(mode="after")
    def _one_input(self) -> RunRequest:
        inputs = (self.message, self.resume, self.tool_results, self.retry)
        if sum(given is not None for given in inputs) != 1:
            raise ValueError("send exactly one of message, resume, toolResults and retry")
        if self.replaces is not None and self.message is None:
            raise ValueError("replaces goes with the message that takes the turn's place")
        if (self.retry or self.replaces) and self.thread_id is None:
            raise ValueError("retry and replaces name a turn of a thread: send its threadId")
        return self


class ListRequest(Wire):
    """The data of `list_capabilities`. `after` is the `next` of the previous page."""

    locale: Locale | None = None
    after: str | None = Field(default=None, max_length=100)
    limit: int = Field(default=200, ge=1, le=500)


class CancelRequest(Wire):
    """The data of `cancel_run`."""

    thread_id: Id
    run_id: RunId


class RateRequest(Wire):
    """The data of `rate_message`: the user's rating of a run's answer. It names the run, or one of
    the run's documents in the log; a rating of null withdraws the rating."""

    thread_id: Id
    run_id: RunId | None = None
    message_id: Annotated[str, Field(pattern=r"^[0-9]{8}$")] | None = None
    rating: Literal["up", "down"] | None
    comment: str | None = Field(default=None, max_length=COMMENT_CHARS)

    @model_validator(mode="after")
    def _one_answer(self) -> RateRequest:
        if (self.run_id is None) == (self.message_id is None):
            raise ValueError("send exactly one of runId and messageId")
        if self.rating is None and self.comment is not None:
            raise ValueError("a comment goes with a rating")
        return self


class ThreadRequest(Wire):
    """The data of `clear_thread` and `delete_thread`."""

    thread_id: Id


class Interrupt(Wire):
    """An approval that a run waits for, in AG-UI's form. `id` is the approval's."""

    id: str
    reason: Literal["approval"] = "approval"
    message: str
    tool_call_id: str
    response_schema: dict[str, Any]
    expires_at: str
    metadata: dict[str, Any]
    """`{tool, arguments, display?, complete, remember?, decider: {uid} or {role}}`.

    If `complete` is false, `message` and `display` leave out some of the arguments, and a client
    must show these too before anybody can approve. `remember` lists patterns, narrowest first; an
    approval may name one of them."""


class Outcome(Wire):
    """How a run ended."""

    type: Literal["success", "interrupt", "cancelled"]
    interrupts: list[Interrupt] | None = None
    pending_tool_call_ids: list[str] | None = None


class ToolCallRecord(Wire):
    """A tool call in a run's result."""

    id: str
    tool: str
    arguments: dict[str, Any]
    status: CallStatus
    result: Any = None
    error: dict[str, Any] | None = None
    display: Display | None = None
    files: list[FileRef] | None = None
    """Files that the call made, readable with `get_file`. `result` names them without their ids."""
    approval_id: str | None = None
    allowed_by: str | None = None
    """Why a write needed no approval: "policy", or the id of the approval that covered it
    ("thread" for an approval from before ids were stored)."""
    undo: dict[str, Any] | None = None
    """`{tool, arguments}`: the write that reverses this one."""
    step: int
    ms: int


class ModelUsage(Wire):
    """Tokens and cost of one model in a run. `cost_usd` is set only if the price is known,
    `estimated` if a count from the provider was missing or impossible."""

    provider: str
    model: str
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool | None = None


class RunResult(Wire):
    """The result of `run_agent`."""

    thread_id: str
    turn_id: str
    run_id: str
    agent: str
    outcome: Outcome
    stop_reason: StopReason | None = None
    type: Literal["info", "question", "result", "action"]
    message: str
    quick_replies: list[str] = Field(default_factory=list)
    collected_data: dict[str, Any] | None = None
    tool_calls: list[ToolCallRecord] = Field(default_factory=list)
    citations: list[Citation] = Field(default_factory=list)
    steps: int
    usage: list[ModelUsage] = Field(default_factory=list)
