"""Steps that did not work, as sentences: what could not be done, and why."""

from __future__ import annotations

from rollcall.core.text import language as language_of
from rollcall.models._offline.fields import isolated, one_line
from rollcall.models._offline.files.words import say
from rollcall.models._offline.history import Step
from rollcall.models._offline.phrases import say as say_of_approvals
from rollcall.models._offline.reasons import in_hebrew

DECIDED = ("rejected", "expired", "unknown")


def trouble(step: Step, deed: str, language: str, **what: object) -> str:
    """A sentence for a step that failed.

    Args:
        deed: What was tried: "look", "edit" or another of the phrases.
        what: The path, query or command.
    """
    done = say(deed, language, **what)
    code = str(step.error.get("code") or "")
    if code in DECIDED:
        because = one_line(str(step.error.get("reason") or "")).rstrip(". ")
        reason = say_of_approvals("reason", language, why=isolated(because)) if because else ""
        return f"{say(code, language, deed=done)} {reason}".strip()
    said = one_line(_without_path(step)).rstrip(". ")
    why = in_hebrew(step.error, message=said, by_words=True) if language == "he" else _clause(said)
    return (
        say("failed", language, deed=done, why=why)
        if why
        else say("failed_plain", language, deed=done)
    )


def _without_path(step: Step) -> str:
    """The reason given, without the path that it begins with: the sentence names it already."""
    said = str(step.error.get("message") or "")
    path = str((step.call.arguments or {}).get("path") or "")
    named, colon, why = said.partition(": ")
    return why if colon and f"{path}/".startswith(f"{named}/") else said


def is_refused(step: Step) -> bool:
    """Whether the user said no to a step, or nobody said yes."""
    return str(step.error.get("code") or "") in ("rejected", "expired")


def _clause(said: str) -> str:
    """A sentence as a clause: without its capital, unless that belongs to the word."""
    if language_of(said) == "he":
        return isolated(said)
    return said[:1].lower() + said[1:] if said[1:2].islower() else said
