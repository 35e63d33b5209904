"""What went wrong that nobody foresaw: logged under an id, which is all that a caller is told."""

from __future__ import annotations

import logging
import uuid

from rollcall.core.errors import AgentError, Internal, Unavailable

log = logging.getLogger("rollcall")


def known(error: Exception) -> AgentError:
    """The error as one of ours; what is not is logged under an id."""
    return error if isinstance(error, AgentError) else _explained(error)


def _explained(error: Exception) -> AgentError:
    from google.api_core.exceptions import Aborted, ServerError, TooManyRequests

    incident = uuid.uuid4().hex[:12]
    log.error("incident %s", incident, exc_info=error)
    if isinstance(error, Aborted | ServerError | TooManyRequests):
        message = f"the database did not answer in time (incident {incident})"
        return Unavailable(message, hint="try again", retry_after_s=2)
    return Internal(f"something went wrong on our side (incident {incident})")
