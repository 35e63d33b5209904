"""What a person's yes in a thread stands for beyond its call, until the thread is cleared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from rollcall.store.approvals import Approval, ApprovalStatus

BEFORE_IDS = "thread"
"""A yes of which it was not kept which approval it was given to."""
MOST_PATTERNS = 100
"""Of one capability; with more, the oldest are asked about again."""


class Allowed(Struct, frozen=True):
    """What was allowed of one capability, as it was then.

    Attributes:
        digest: The capability's at that time: another one's calls are not meant.
        by: The approval of the latest yes to it.
        patterns: What the user let a yes stand for, each with that yes's approval.
    """

    digest: str
    by: str = BEFORE_IDS
    patterns: Mapping[str, str] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        return {
            "digest": self.digest,
            "by": self.by,
            "patterns": list(self.patterns),
            "patternsBy": list(self.patterns.values()),
        }


def read_allowed(stored: Mapping[str, Any] | None) -> dict[str, Allowed]:
    """The field `allowed` of a thread. At first it held digests alone, then no approvals."""
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
        kept = dict(before.patterns) if before is not None and before.digest == digest else {}
        new = approval.decision.remember if approval.decision else None
        if new is not None and new in approval.remember:
            kept.pop(new, None)
            kept[new] = approval.id
        newest = dict(list(kept.items())[-MOST_PATTERNS:])
        allowed[approval.tool] = Allowed(digest, approval.id, newest)
    return {tool: each.fields() for tool, each in allowed.items()}


def _read(found: Any) -> Allowed:
    if isinstance(found, str):
        return Allowed(found)
    patterns = found["patterns"]
    by = found.get("patternsBy") or [BEFORE_IDS] * len(patterns)
    patterns_by = dict(zip(patterns, by, strict=True))
    return Allowed(found["digest"], found.get("by", BEFORE_IDS), patterns_by)
