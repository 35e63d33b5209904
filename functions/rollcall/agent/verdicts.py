"""What became of a call that did not simply succeed or fail, as errors that a model is told.

They never reach the wire: in a run they are a call's result.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rollcall.core.errors import AgentError, OutcomeUnknown
from rollcall.core.shapes import CallStatus


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
