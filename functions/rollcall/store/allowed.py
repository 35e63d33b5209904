"""What a person's yes in a thread stands for beyond its call, until the thread is cleared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rollcall.store.approvals import Approval, ApprovalStatus

MOST_PATTERNS = 100
"""Of one capability; with more, the oldest are asked about again."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What was allowed of one capability, as it was then.

    Attributes:
        digest: The capability's at that time: another one's calls are not meant.
        patterns: What the user let a yes stand for.
    """

    digest: str
    patterns: tuple[str, ...] = ()


def read_allowed(stored: Mapping[str, Any] | None) -> dict[str, Allowed]:
    """The field `allowed` of a thread. Before patterns were remembered it held digests alone."""
    return {tool: _read(found) for tool, found in (stored or {}).items()}


def allowed_after(
    stored: Mapping[str, Any] | None, settled: Sequence[Approval]
) -> dict[str, dict[str, Any]]:
    """The same field with what is said yes to by these."""
    allowed = read_allowed(stored)
    for approval in settled:
        if approval.status is not ApprovalStatus.APPROVED or approval.edited_from is not None:
            continue
        before = allowed.get(approval.tool)
        digest = approval.capability_digest
        kept = before.patterns if before is not None and before.digest == digest else ()
        new = approval.decision.remember if approval.decision else None
        if new is not None and new in approval.remember:
            kept = (*(each for each in kept if each != new), new)[-MOST_PATTERNS:]
        allowed[approval.tool] = Allowed(digest, kept)
    return {
        tool: {"digest": each.digest, "patterns": list(each.patterns)}
        for tool, each in allowed.items()
    }


def _read(found: Any) -> Allowed:
    if isinstance(found, str):
        return Allowed(found)
    return Allowed(found["digest"], tuple(found["patterns"]))
