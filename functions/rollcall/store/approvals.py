"""Approvals: a person's decision on one call, as a document.

The arguments are frozen as canonical JSON text with its digest. A document is pending until the
run that continues the turn has read its decision; that run marks it approved, rejected or expired
in the batch that opens it, so that one decision counts once.

What a person's yes in a thread stands for beyond its call, until the thread is cleared.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.context import Decider, User
from rollcall.core.shapes import SCHEMA_VERSION, Display, Role
from rollcall.store import paths

if TYPE_CHECKING:
    from google.cloud.firestore import Client


log = logging.getLogger("rollcall")


class ApprovalStatus(StrEnum):
    """Where an approval is."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    REPLACED = "replaced"
    """A person changed the arguments: another approval, `replacedBy`, was made of it."""


class ApprovalDecision(Struct, frozen=True):
    """A decision as it stands in the document: who said what, when."""

    approved: bool
    by: str
    at: datetime
    reason: str | None = None
    remember: str | None = None
    """The pattern that a yes stands for in its thread; given through `run_agent` alone."""

    def fields(self) -> dict[str, Any]:
        found = {"approved": self.approved, "by": self.by, "at": self.at}
        more = {"reason": self.reason, "remember": self.remember}
        return {**found, **{key: value for key, value in more.items() if value}}


class Approval(Struct, frozen=True):
    """One approval. `place` is the call's place in its step; `arguments` are frozen, and `shown`
    are the same with hidden ones masked."""

    id: str
    uid: str
    thread_id: str
    run_id: str
    turn_id: str
    agent: str
    call_id: str
    place: int
    tool: str
    version: int
    capability_digest: str
    arguments: dict[str, Any]
    shown: dict[str, Any]
    summary: str
    display: Display | None
    locale: str
    decider: Decider
    created_at: datetime
    expires_at: datetime
    status: ApprovalStatus = ApprovalStatus.PENDING
    decision: ApprovalDecision | None = None
    edited_from: str | None = None
    remember: tuple[str, ...] = ()
    """Patterns of which a yes may name one."""
    update_time: Any = None
    is_sound: bool = True
    """Its arguments are those that it was made with; others are neither shown nor run."""

    def verdict(self, now: datetime) -> ApprovalStatus:
        """What stands at `now`: a decision, or that the time for one is over."""
        if self.status is not ApprovalStatus.PENDING:
            return self.status
        if not self.is_sound:
            return ApprovalStatus.EXPIRED
        if self.decision is not None:
            approved = self.decision.approved
            return ApprovalStatus.APPROVED if approved else ApprovalStatus.REJECTED
        return ApprovalStatus.EXPIRED if now >= self.expires_at else ApprovalStatus.PENDING

    def may_be_decided_by(self, user: User) -> bool:
        """Whether this user is the decider, by id or by role."""
        decider = self.decider
        if decider.uid is not None:
            return user.uid == decider.uid
        return (
            user.uid != decider.not_uid
            and user.role.value in decider_roles(decider)
            and user.tenant == decider.tenant
        )

    def edited(
        self,
        arguments: dict[str, Any],
        *,
        shown: dict[str, Any],
        summary: str,
        by: User,
        now: datetime,
    ) -> Approval:
        """The approval of other arguments that a decider made of this one."""
        return replace(
            self,
            id=approval_id(self.id, canonical_json(arguments)),
            arguments=arguments,
            shown=shown,
            summary=summary,
            display=None,
            status=ApprovalStatus.APPROVED,
            decision=ApprovalDecision(approved=True, by=by.uid, at=now),
            edited_from=self.id,
            remember=(),
            created_at=now,
            update_time=None,
        )

    def document(self) -> dict[str, Any]:
        """The approval as it rests in Firestore; rules and clients read these fields."""
        text = canonical_json(self.arguments)
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.uid,
            "threadId": self.thread_id,
            "runId": self.run_id,
            "turnId": self.turn_id,
            "agent": self.agent,
            "callId": self.call_id,
            "place": self.place,
            "tool": self.tool,
            "version": self.version,
            "capabilityDigest": self.capability_digest,
            "arguments": text,
            "argumentsDigest": text_digest(text),
            "argumentsShown": canonical_json(self.shown),
            "summary": self.summary,
            # As text: a chart may hold lists inside lists, which Firestore refuses.
            "display": json.dumps(self.display.dump(), ensure_ascii=False)
            if self.display
            else None,
            "locale": self.locale,
            "deciderUid": self.decider.uid,
            "deciderRole": self.decider.role.value if self.decider.role else None,
            "deciderRoles": decider_roles(self.decider),
            "tenant": self.decider.tenant,
            "status": self.status.value,
            "createdAt": self.created_at,
            "expiresAt": self.expires_at,
            "decision": self.decision.fields() if self.decision else None,
            "editedFrom": self.edited_from,
            "remember": list(self.remember),
        }

    @classmethod
    def read(cls, snapshot: Any) -> Approval:
        """Read a stored approval. One whose arguments are not those that its digest was made of
        counts as expired, whatever was decided."""
        data = snapshot.to_dict()
        status = ApprovalStatus(data["status"])
        is_sound = text_digest(data["arguments"]) == data["argumentsDigest"]
        if not is_sound:
            log.error("approval %s: the arguments are not the frozen ones", snapshot.id)
            status = ApprovalStatus.EXPIRED if status is ApprovalStatus.APPROVED else status
        role = data["deciderRole"]
        return cls(
            id=snapshot.id,
            uid=data["uid"],
            thread_id=data["threadId"],
            run_id=data["runId"],
            turn_id=data["turnId"],
            agent=data["agent"],
            call_id=data["callId"],
            place=data["place"],
            tool=data["tool"],
            version=data["version"],
            capability_digest=data["capabilityDigest"],
            arguments=json.loads(data["arguments"]) if is_sound else {},
            shown=json.loads(data["argumentsShown"]),
            summary=data["summary"],
            display=Display.model_validate_json(data["display"]) if data["display"] else None,
            locale=data["locale"],
            decider=Decider(
                uid=data["deciderUid"],
                role=Role(role) if role else None,
                tenant=data["tenant"],
                not_uid=data["uid"] if role else None,
            ),
            created_at=data["createdAt"],
            expires_at=data["expiresAt"],
            status=status,
            decision=_decision(data["decision"]),
            edited_from=data.get("editedFrom"),
            remember=tuple(data.get("remember") or ()),
            update_time=snapshot.update_time,
            is_sound=is_sound,
        )


def load_approvals(
    db: Client, ids: Iterable[str], known: Mapping[str, Any] | None = None
) -> list[Approval]:
    """The approvals of these ids that exist, in their order.

    Args:
        known: Snapshots that were read before, by their paths; only others are read.
    """
    references = [paths.approval(db, id) for id in ids]
    found = dict(known or {})
    if unread := [each for each in references if each.path not in found]:
        found |= {each.reference.path: each for each in db.get_all(unread)}
    snapshots = [found[each.path] for each in references]
    return [Approval.read(each) for each in snapshots if each.exists]


def approval_id(*parts: object) -> str:
    """An id that is the same for every try of making one approval, and that nobody can guess
    from another one."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:32]


def decider_roles(decider: Decider) -> list[str]:
    """The words of the roles that may decide, for rules and queries."""
    if decider.role is None:
        return []
    order = list(Role)
    return [role.value for role in order[order.index(decider.role) :]]


def canonical_json(arguments: dict[str, Any]) -> str:
    """Arguments as the one text that equal arguments have."""
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _decision(data: dict[str, Any] | None) -> ApprovalDecision | None:
    if data is None:
        return None
    return ApprovalDecision(
        approved=data["approved"],
        by=data["by"],
        at=data["at"],
        reason=data.get("reason"),
        remember=data.get("remember"),
    )


BEFORE_IDS = "thread"
"""A yes of which it was not kept which approval it was given to."""
MOST_PATTERNS = 100
"""Of one capability; with more, the oldest are asked about again."""


class RememberedApproval(Struct, frozen=True):
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


def read_remembered(stored: Mapping[str, Any] | None) -> dict[str, RememberedApproval]:
    """The field `allowed` of a thread. At first it held digests alone, then no approvals."""
    return {tool: _read_remembered(found) for tool, found in (stored or {}).items()}


def remember_approvals(
    stored: Mapping[str, Any] | None, settled: Sequence[Approval]
) -> dict[str, dict[str, Any]]:
    """The same field with what is said yes to by these."""
    allowed = read_remembered(stored)
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
        allowed[approval.tool] = RememberedApproval(digest, approval.id, newest)
    return {tool: each.fields() for tool, each in allowed.items()}


def _read_remembered(found: Any) -> RememberedApproval:
    if isinstance(found, str):
        return RememberedApproval(found)
    patterns = found["patterns"]
    by = found.get("patternsBy") or [BEFORE_IDS] * len(patterns)
    patterns_by = dict(zip(patterns, by, strict=True))
    return RememberedApproval(found["digest"], found.get("by", BEFORE_IDS), patterns_by)
