"""Types of tool calls: the dispatcher and the outcomes of a call."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from msgspec import Struct, field

from rollcall.core.context import Decider, Progress
from rollcall.core.errors import AgentError
from rollcall.core.messages import ToolCall
from rollcall.core.shapes import CallStatus, Citation, Display, FileRef
from rollcall.core.texts import TEXTS
from rollcall.models.base import ToolSpec
from rollcall.store.approvals import Card


class CallOutput(Struct, frozen=True):
    """A capability's result as plain JSON, with citations and display.

    Attributes:
        arguments: The arguments of the run call, as they may be shown, if they differ from the
            model's: a person changed them, or the capability completed them.
        undo: `{tool, arguments}` of the write that takes this one back.
        offers: Tools that the model may call from now on, beside those it was offered.
        files: Files that the call made; the output names them without their ids.
    """

    output: Any
    citations: list[Citation] = field(default_factory=list)
    display: Display | None = None
    arguments: dict[str, Any] | None = None
    undo: dict[str, Any] | None = None
    offers: tuple[ToolSpec, ...] = ()
    files: tuple[FileRef, ...] = ()


class NeedsApproval(Card, frozen=True, kw_only=True):
    """The call waits for an approval: the card that is shown, and who decides.

    Attributes:
        remember: Patterns of later calls; an approval may name one, to cover them in its thread.
    """

    tool: str
    decider: Decider
    expires_s: int
    version: int
    capability_digest: str
    remember: tuple[str, ...] = ()


class ClientCall(Struct, frozen=True):
    """The call is left to the user's client, with these arguments."""

    arguments: dict[str, Any]
    shown: dict[str, Any]


CallOutcome = CallOutput | NeedsApproval | ClientCall


class Permit(Struct, frozen=True):
    """Why a write may run.

    Attributes:
        approval_id: The approval of this very call.
        allowed_by: What allowed the call if nobody was asked, as in `ToolCallRecord`.
    """

    approval_id: str | None = None
    allowed_by: str | None = None


class Dispatcher(Protocol):
    """Runs one tool call, the step's `place`-th from 0.

    Raises:
        AgentError: The call failed; the model gets the error as its result.
    """

    def __call__(self, place: int, call: ToolCall, progress: Progress) -> CallOutcome: ...

    def is_decided(self, call: ToolCall) -> bool:
        """Whether somebody has decided this very call already, or the client has answered it."""

    def writes(self, call: ToolCall) -> bool:
        """Whether the call may change something."""

    def permit(self, call: ToolCall) -> Permit:
        """Why the call was allowed; an empty permit for a read, or for a call that was not
        allowed."""

    def is_client_tool(self, call: ToolCall) -> bool:
        """Whether the client runs it, so that its result may be another one each time."""

    def shown(self, call: ToolCall) -> dict[str, Any]:
        """The call's arguments as they may be shown and stored: hidden ones masked."""


class CallError(AgentError):
    """A call that ended without a result of its tool. The model gets the error as the call's
    result; it never reaches the wire."""

    code = "failed"
    status: ClassVar[CallStatus] = CallStatus.FAILED


class Rejected(CallError):
    """A person rejected the call."""

    code = "rejected"
    status = CallStatus.REJECTED

    def __init__(self, reason: str | None) -> None:
        super().__init__(
            TEXTS.text("errors.rejected"),
            hint="do not ask for the same again; say that it was not done",
        )
        self.reason = reason

    @property
    def details(self) -> dict[str, Any]:
        details = super().details
        return {**details, "reason": self.reason} if self.reason else details


class Expired(CallError):
    """Nobody decided or answered in time."""

    code = "expired"
    status = CallStatus.EXPIRED


class ClientSilent(Expired):
    """The client did not answer in time; whether it ran the call is unknown."""

    code = "unknown"


class ClientFailed(CallError):
    """The client's tool failed, or the client refused to run it."""


class WriteUnknown(CallError):
    """A write was started and its outcome is unknown."""

    code = "unknown"
    status = CallStatus.UNKNOWN
