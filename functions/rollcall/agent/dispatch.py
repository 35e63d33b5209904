"""How the loop reaches a capability, and what it is told: an answer, or whom to wait for."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from msgspec import Struct, field

from rollcall.core.context import Decider, Progress
from rollcall.core.errors import AgentError, OutcomeUnknown
from rollcall.core.messages import ToolCall
from rollcall.core.shapes import CallStatus, Citation, Display
from rollcall.models.base import ToolSpec


class Answer(Struct, frozen=True):
    """What a capability returned, as plain JSON, and what it said about it.

    Attributes:
        arguments: Those it was run with, as they may be shown, where they are not the model's: a
            person changed them, or the capability completed them.
        undo: `{tool, arguments}` of the write that takes this one back.
        offers: Tools that the model may call from now on, beside those it was offered.
    """

    output: Any
    citations: list[Citation] = field(default_factory=list)
    display: Display | None = None
    arguments: dict[str, Any] | None = None
    undo: dict[str, Any] | None = None
    offers: tuple[ToolSpec, ...] = ()


class Ask(Struct, frozen=True):
    """The call needs a person's yes: what exactly, and whose."""

    tool: str
    arguments: dict[str, Any]
    shown: dict[str, Any]
    """The arguments as they may be shown: hidden ones masked."""
    summary: str
    display: Display | None
    decider: Decider
    expires_s: int
    version: int
    capability_digest: str
    remember: tuple[str, ...] = ()
    """Patterns of which a yes may name one, to stand for its thread."""


class Leave(Struct, frozen=True):
    """The user's own client runs the call, with these arguments."""

    arguments: dict[str, Any]
    shown: dict[str, Any]


class Permit(Struct, frozen=True):
    """Why a write may happen: a person's yes to this very call, or what stood for one.

    Attributes:
        approval_id: The approval of this call.
        allowed_by: Where nobody was asked: as in `ToolCallRecord`.
    """

    approval_id: str | None = None
    allowed_by: str | None = None


class Dispatch(Protocol):
    """Runs one tool call, the step's `place`-th from 0.

    Raises:
        AgentError: The call failed in a way the model can be told.
    """

    def __call__(self, place: int, call: ToolCall, progress: Progress) -> Answer | Ask | Leave: ...

    def is_decided(self, call: ToolCall) -> bool:
        """Whether somebody has decided this very call already, or the client has answered it."""

    def writes(self, call: ToolCall) -> bool:
        """Whether the call may change something."""

    def permit(self, call: ToolCall) -> Permit:
        """By whose yes, or by what else, the call was let through; of a read, or of one that was
        not let through, nothing."""

    def is_the_clients(self, call: ToolCall) -> bool:
        """Whether the client runs it, so that its result may be another one each time."""

    def shown(self, call: ToolCall) -> dict[str, Any]:
        """The call's arguments as they may be shown and noted: hidden ones masked."""


class Verdict(AgentError):
    """A call's end that somebody else decided."""

    status: ClassVar[CallStatus]


class Rejected(Verdict):
    """A person said no."""

    code = "rejected"
    status = CallStatus.REJECTED

    def __init__(self, reason: str | None) -> None:
        super().__init__(
            "the user said no to this; nothing was written",
            hint="do not ask for the same again; say that it was not done",
        )
        self.reason = reason

    @property
    def details(self) -> dict[str, Any]:
        found = super().details
        return {**found, "reason": self.reason} if self.reason else found


class Expired(Verdict):
    """Nobody decided or answered in time."""

    code = "expired"
    status = CallStatus.EXPIRED


class Unheard(Expired):
    """The client that a call was left to did not answer in time, and may have run it or not."""

    code = "unknown"


class Unanswerable(Verdict):
    """The client's own tool failed, or the client refused to run it."""

    code = "failed"
    status = CallStatus.FAILED


class Unknown(Verdict):
    """A write was begun, and nobody knows whether it happened."""

    code = "unknown"
    status = CallStatus.UNKNOWN


def status_of(error: AgentError) -> CallStatus:
    """The status that a call ends with by this error."""
    if isinstance(error, OutcomeUnknown):
        return CallStatus.UNKNOWN
    return error.status if isinstance(error, Verdict) else CallStatus.FAILED


def as_told(error: AgentError) -> AgentError:
    """The error as the model is told it: what is unknown is called so."""
    if isinstance(error, OutcomeUnknown):
        return Unknown(error.message, hint=error.hint)
    return error
