"""Unexpected errors: logged under an id, which is all that the caller is told.

On the emulators the answer of the request brings the traceback as well, beside the result or in the
error's details, for whoever develops the app. It is part of nothing that is stored or that a model
is told.
"""

from __future__ import annotations

import logging
import os
import traceback
import uuid
from contextvars import ContextVar
from typing import Any

from rollcall.core.errors import AgentError, Internal, Unavailable
from rollcall.core.redaction import redacted

TRACEBACK_CHARS = 8_000

_COLLECTED: ContextVar[list[dict[str, str]] | None] = ContextVar("rollcall_incidents", default=None)

log = logging.getLogger("rollcall")


def collect() -> None:
    """Collect this request's incidents for its answer, on the emulators."""
    _COLLECTED.set([] if os.environ.get("FUNCTIONS_EMULATOR") == "true" else None)


def incidents_of_request() -> dict[str, Any]:
    """Return `{"incidents": [{id, traceback}]}` of this request so far; empty without incidents."""
    incidents = _COLLECTED.get()
    return {"incidents": list(incidents)} if incidents else {}


def report(error: BaseException, what: str = "") -> str:
    """Log an unexpected error, such as "the tool meeting_cost failed", and return its id."""
    incident = uuid.uuid4().hex[:12]
    log.error("incident %s%s", incident, f": {what}" if what else "", exc_info=error)
    incidents = _COLLECTED.get()
    if incidents is not None:
        text = "".join(traceback.format_exception(error))[-TRACEBACK_CHARS:]
        incidents.append({"id": incident, "traceback": redacted(text)})
    return incident


def as_agent_error(error: Exception) -> AgentError:
    """Return an error as one of ours; an unexpected one is logged under an id."""
    return error if isinstance(error, AgentError) else _unforeseen(error)


def _unforeseen(error: Exception) -> AgentError:
    from google.api_core.exceptions import Aborted, ServerError, TooManyRequests

    incident = report(error)
    if isinstance(error, Aborted | ServerError | TooManyRequests):
        message = f"the database did not answer in time (incident {incident})"
        return Unavailable(message, hint="try again", retry_after_s=2)
    return Internal(f"something went wrong on our side (incident {incident})")
