"""Looks whether a capability can be reached, without running it."""

from __future__ import annotations

from rollcall.core.context import Catalog
from rollcall.core.errors import AgentError, NotFound, Unavailable
from rollcall.registry.entries import Entry

PROBE_S = 10.0
"""A function that nobody called for long needs some seconds to start."""
_NOT_IMPLEMENTED = 501
"""What some servers say to a method that they do not know: they are there."""


def probe(entry: Entry, catalog: Catalog) -> None:
    """Look whether the capability is there: its code can be loaded, or its server answers with
    anything below 500.

    Raises:
        Unavailable: It is not, or its server has a problem of its own.
        DeadlineExceeded: Its server did not answer in time.
        AgentError: It could not be looked at.
    """
    if entry.execution.type == "internal_service":
        _load(entry.id, catalog)
        return
    if entry.execution.type == "firebase_function":
        from rollcall.agent.remote.function import reach_function

        status = reach_function(entry.execution, timeout_s=PROBE_S)
    else:
        from rollcall.agent.remote.endpoint import reach_endpoint

        status = reach_endpoint(entry.execution, timeout_s=PROBE_S)
    if status >= 500 and status != _NOT_IMPLEMENTED:
        raise Unavailable(f"its server answers HTTP {status}")


def _load(id: str, catalog: Catalog) -> None:
    """Import the capability's module and read its declaration, as a call does first."""
    try:
        _ = catalog.find_capability(id).json_schema
    except NotFound as error:
        raise Unavailable(f"the code of {id} is not deployed") from error
    except AgentError:
        raise
    except Exception as error:  # whatever a module raises while it is imported
        raise Unavailable(f"the code of {id} cannot be loaded: {type(error).__name__}") from error
