"""Writes of the electrical pack, called as the platform calls them."""

from __future__ import annotations

from typing import Any

from rollcall.core.capability import Capability, plain
from rollcall.core.context import ToolContext


def write(ctx: ToolContext, capability: Any, /, **given: Any) -> dict[str, Any]:
    """Call an atomic write and commit its batch; return its result as plain JSON."""
    result: dict[str, Any] = plain(capability(ctx, **given))
    ctx.batch.commit()
    return result


def preview(ctx: ToolContext, capability: Any, /, **given: Any) -> Any:
    """What a person is shown before a write."""
    return Capability.of(capability).preview(ctx, given)


def undo(ctx: ToolContext, capability: Any, tool: Any, given: Any, result: Any) -> Any:
    """Take a write back as the platform does; None where it cannot be."""
    back = Capability.of(capability).undo(given, result)
    if back is None:
        return None
    assert back["tool"] == tool.__name__
    answer = Capability.of(tool).call(ctx, back["arguments"])
    ctx.batch.commit()
    return answer
