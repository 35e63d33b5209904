"""A capability called by itself, as the Cloud Function of its name."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rollcall.core.capability import Capability
from rollcall.core.context import Platform, ToolContext, User
from rollcall.core.errors import FailedPrecondition, PermissionDenied
from rollcall.core.inputs import validate
from rollcall.core.triggers import Call
from rollcall.core.wire import CapabilityCall
from rollcall.registry.documents import at_least
from rollcall.registry.snapshot import snapshot

AGENTS_S = 100.0
"""What agents that a capability asks may take: less than its function's own time."""


def direct_call(capability: Capability) -> Callable[[Platform, Call], Any]:
    """The handler of a capability's own function, with the same checks as in the loop.

    Its data is `{arguments, context?, callKey?}`; it returns what the capability returns. A user's
    own call of a write is that user's yes.
    """

    def handle(platform: Platform, call: Call) -> Any:
        given = validate(CapabilityCall, {} if call.data is None else call.data)
        _check_allowed(capability, platform, call)
        ctx = ToolContext(
            user=call.user,
            platform=platform,
            locale=given.locale or "en",
            effect_key=given.call_key if capability.mark.effect == "write" else None,
            agents=partial(_ask_agent, platform, call.user),
        )
        return capability.call(ctx, given.arguments)

    return handle


def _ask_agent(platform: Platform, user: User, *args: Any, **options: Any) -> dict[str, Any]:
    """Most capabilities ask no agent, so the loop is imported when one does."""
    from rollcall.agent.ask import asker

    ask = asker(platform, user, deadline=time.monotonic() + AGENTS_S)
    return ask(*args, **options)


def _check_allowed(capability: Capability, platform: Platform, call: Call) -> None:
    """The registry's word on role and status counts, since an operator may have changed it."""
    if not at_least(call.user.role, capability.mark.min_role):
        raise PermissionDenied(f"{capability.id} is for the role {capability.mark.min_role}")
    entry = snapshot(platform.db).entries.get(capability.id)
    if entry is None:
        raise FailedPrecondition(
            f"{capability.id} is not in the registry yet",
            hint="run `python -m rollcall sync` in functions/",
        )
    if not entry.permits(call.user.role):
        raise PermissionDenied(f"{capability.id} is not available to you at present")
