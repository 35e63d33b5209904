"""Two leaf capabilities: one that computes, one that reads a document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(name={"en": "Power"}, category="bench")
def bench_power(
    ctx: ToolContext,
    *,
    volts: Annotated[float, Field(gt=0)],
    amps: Annotated[float, Field(gt=0)],
) -> dict[str, Any]:
    """Tell the power of a load.

    Args:
        volts: Voltage, V.
        amps: Current, A.
    """
    return {"uid": ctx.user.uid, "watts": volts * amps}


@capability(name={"en": "Note"}, category="bench")
def bench_note(ctx: ToolContext, *, id: Annotated[str, Field(min_length=1)]) -> dict[str, Any]:
    """Read a note.

    Args:
        id: The note's id.
    """
    note = ctx.db.collection("benchNotes").document(id).get()
    return {"uid": ctx.user.uid, **(note.to_dict() or {})}
