"""Errors with a code for programs and a message for people.

AgentError
├── InvalidArgument      the caller sent something that cannot be used
├── Unauthenticated      nobody is signed in, or the token is not valid
├── PermissionDenied     signed in, but not allowed
├── NotFound             no such agent, thread, capability, document
├── AlreadyExists        the id was used before, for something else
├── FailedPrecondition   right call, wrong state (or a key is not configured)
├── Aborted              another request has what this needs; try again
├── ResourceExhausted    a rate, a budget or a size is used up
├── Unavailable          a service did not answer; retrying is safe
│   └── OutcomeUnknown   a write was sent but not answered: it may or may not have happened
├── DeadlineExceeded     the allowed time is over
└── Internal             our own fault; the caller sees only a logged id

Raise an error where the fact is known, and say what was wrong, the value, and what would be
accepted. `core/http.py` translates errors to the wire and to HTTP statuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:  # `make setup` runs with a Python that has no packages yet
    from rollcall.core.texts import Text

ENGLISH = "en"


class AgentError(Exception):
    """An error with a message for a person and details for a program.

    An error that a user of the app can cause has a `Text` as its message, such as
    `TEXTS.text("errors.no_panels")`. It is in English until the code that answers the caller, and
    so knows the caller's language, calls `translate`.

    Args:
        message: What was wrong and what would be accepted, in plain words.
        field: Wire name of the input at fault, such as "message" or "arguments.limit".
        hint: What to do about it.
        retry_after_s: Seconds to wait before trying again.
    """

    code: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str | Text,
        *,
        field: str | None = None,
        hint: str | Text | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        self.text, self.hint_text = message, hint
        self.message = _localized(message, ENGLISH)
        self.hint = None if hint is None else _localized(hint, ENGLISH)
        super().__init__(self.message)
        self.field = field
        self.retry_after_s = retry_after_s

    def say(self, locale: str) -> str:
        """Return the message in a locale's language, or in English if it has no translation."""
        return _localized(self.text, locale)

    def translate(self, locale: str) -> Self:
        """Translate message and hint, for good, and return the error. `str(error)`, which logs use,
        stays English."""
        self.text = self.message = self.say(locale)
        if self.hint_text is not None:
            self.hint_text = self.hint = _localized(self.hint_text, locale)
        return self

    @property
    def details(self) -> dict[str, Any]:
        """The details for programs: `{code, field?, hint?, retryAfterS?}`."""
        details = {
            "code": self.code,
            "field": self.field,
            "hint": self.hint,
            "retryAfterS": self.retry_after_s,
        }
        return {key: value for key, value in details.items() if value is not None}


def _localized(text: str | Text, locale: str) -> str:
    return text if isinstance(text, str) else text.plain(locale)


class InvalidArgument(AgentError):
    code = "invalid-argument"


class Unauthenticated(AgentError):
    code = "unauthenticated"


class PermissionDenied(AgentError):
    code = "permission-denied"


class NotFound(AgentError):
    code = "not-found"


class AlreadyExists(AgentError):
    code = "already-exists"


class FailedPrecondition(AgentError):
    code = "failed-precondition"


class Aborted(AgentError):
    code = "aborted"


class ResourceExhausted(AgentError):
    code = "resource-exhausted"


class Unavailable(AgentError):
    code = "unavailable"


class OutcomeUnknown(Unavailable):
    """Nobody knows whether a write happened. Repeat it only under an idempotency key, or after
    checking."""


class DeadlineExceeded(AgentError):
    code = "deadline-exceeded"


class Internal(AgentError):
    code = "internal"


def error_from(stored: dict[str, Any]) -> AgentError:
    """Rebuild an error from its message and details; Internal for an unknown code."""
    kinds = AgentError.__subclasses__()  # those of other modules are in no answer
    classes = {each.code: each for each in kinds if each.__module__ == __name__}
    kind = classes.get(stored.get("code", ""), Internal)
    return kind(
        str(stored.get("message") or "this ended without an answer"),
        field=stored.get("field"),
        hint=stored.get("hint"),
        retry_after_s=stored.get("retryAfterS"),
    )


FAILED, USAGE = 1, 2
"""Exit codes of commands."""


class Problem(Exception):
    """An error that a person at the keyboard can fix; the message says what and how."""

    def __init__(self, message: str, *, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
