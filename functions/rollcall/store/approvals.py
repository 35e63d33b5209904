"""Approvals: people's decisions on calls, as documents, and what they cover beyond one call.

    approvals/{a}            the fields of `Approval`; arguments and argumentsShown as JSON text,
                             argumentsDigest, the decider's fields, decision, replacedBy, endedAt
    threads/{t}, `allowed`   {tool: {digest, by, patterns, patternsBy}}

The arguments are frozen as text with a digest. A document is pending until the run that continues
the turn has read its decision. The batch that opens that run marks the approval approved, rejected
or expired, so that a decision counts once.
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
from msgspec.structs import asdict, replace

from rollcall.core.context import Decider, User
from rollcall.core.shapes import SCHEMA_VERSION, Display, Role
from rollcall.store import paths
from rollcall.store.batches import read_all

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

MAX_PATTERNS = 100
"""How many patterns a thread remembers for one capability; the oldest are dropped first."""

log = logging.getLogger("rollcall")


class ApprovalStatus(StrEnum):
    """Status of an approval."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    REPLACED = "replaced"
    """A person edited the arguments, which made another approval, `replacedBy`."""


class ApprovalDecision(Struct, frozen=True):
    """A decision, as stored.

    Attributes:
        by: The id of the user who decided.
        remember: A pattern that the approval also covers in its thread; only `run_agent` sets one.
    """

    approved: bool
    by: str
    at: datetime
    reason: str | None = None
    remember: str | None = None

    def fields(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}

    @classmethod
    def read(cls, data: dict[str, Any]) -> ApprovalDecision:
        more = (data.get("reason"), data.get("remember"))
        return cls(data["approved"], data["by"], data["at"], *more)


class Translation(Struct, frozen=True):
    """The summary and display of a card in another language than that of the request."""

    summary: str
    display: Display | None
    """None if the card has none, or has it in the language of the request only."""


class Card(Struct, frozen=True):
    """A call's arguments, and what a person is shown to decide on it.

    Attributes:
        arguments: The frozen arguments.
        shown: The same with hidden arguments masked.
        complete: Whether summary and display show every character of the arguments. If not, a
            client shows the arguments as well.
        translations: Summary and display in other languages, by language.
    """

    arguments: dict[str, Any]
    shown: dict[str, Any]
    summary: str
    display: Display | None
    complete: bool = False
    translations: dict[str, Translation] = field(default_factory=dict)


class Approval(Card, frozen=True, kw_only=True, rename="camel"):
    """One approval.

    Attributes:
        place: The call's place in its step.
        edited_from: The approval whose arguments were edited into this one's.
        remember: Patterns, of which the decision may name one.
        is_sound: Whether the stored arguments match their digest; otherwise they are neither shown
            nor run.
    """

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
    locale: str
    decider: Decider
    created_at: datetime
    expires_at: datetime
    status: ApprovalStatus = ApprovalStatus.PENDING
    decision: ApprovalDecision | None = None
    edited_from: str | None = None
    remember: tuple[str, ...] = ()
    update_time: Any = None
    is_sound: bool = True

    def status_at(self, now: datetime) -> ApprovalStatus:
        """Return the status at `now`, taking a decision or the expiry into account."""
        if self.status is not ApprovalStatus.PENDING:
            return self.status
        if not self.is_sound:
            return ApprovalStatus.EXPIRED
        if self.decision is not None:
            approved = self.decision.approved
            return ApprovalStatus.APPROVED if approved else ApprovalStatus.REJECTED
        return ApprovalStatus.EXPIRED if now >= self.expires_at else ApprovalStatus.PENDING

    def may_be_decided_by(self, user: User) -> bool:
        """Whether this user is the decider, by id or role."""
        decider = self.decider
        if decider.uid is not None:
            return user.uid == decider.uid
        return (
            user.uid != decider.not_uid
            and user.role.value in _decider_roles(decider)
            and user.tenant == decider.tenant
        )

    def edited(self, card: Card, *, by: User, now: datetime) -> Approval:
        """Return the approval that replaces this one when a decider edits the arguments."""
        return replace(
            self,
            **asdict(card),
            id=approval_id(self.id, canonical_json(card.arguments)),
            status=ApprovalStatus.APPROVED,
            decision=ApprovalDecision(approved=True, by=by.uid, at=now),
            edited_from=self.id,
            remember=(),
            created_at=now,
            update_time=None,
        )

    def update(self, batch: WriteBatch, db: Client, fields: dict[str, Any]) -> None:
        """Add an update to a batch, which fails if the approval has changed since it was read."""
        option = db.write_option(last_update_time=self.update_time)
        batch.update(paths.approval(db, self.id), fields, option=option)

    def document(self) -> dict[str, Any]:
        """Return the approval's document; security rules and clients read its fields."""
        text = canonical_json(self.arguments)
        # As text: a chart may hold lists inside lists, which Firestore refuses.
        display = json.dumps(self.display.dump(), ensure_ascii=False) if self.display else None
        translations = {
            language: {
                "summary": each.summary,
                "display": each.display.dump() if each.display else None,
            }
            for language, each in self.translations.items()
        }
        return {
            "schemaVersion": SCHEMA_VERSION,
            **{key: getattr(self, name) for name, key in _PLAIN_FIELDS.items()},
            "arguments": text,
            "argumentsDigest": _digest(text),
            "argumentsShown": canonical_json(self.shown),
            "display": display,
            "deciderUid": self.decider.uid,
            "deciderRole": self.decider.role.value if self.decider.role else None,
            "deciderRoles": _decider_roles(self.decider),
            "tenant": self.decider.tenant,
            "status": self.status.value,
            "decision": self.decision.fields() if self.decision else None,
            "complete": self.complete,
            "remember": list(self.remember),
            "translations": json.dumps(translations, ensure_ascii=False),
        }

    @classmethod
    def read(cls, snapshot: Any) -> Approval:
        """Read a stored approval. It counts as expired if its arguments do not match their
        digest."""
        data = {"editedFrom": None, **snapshot.to_dict()}
        status = ApprovalStatus(data["status"])
        is_sound = _digest(data["arguments"]) == data["argumentsDigest"]
        if not is_sound:
            log.error("approval %s: the arguments are not the frozen ones", snapshot.id)
            status = ApprovalStatus.EXPIRED if status is ApprovalStatus.APPROVED else status
        decision = data["decision"]
        return cls(
            id=snapshot.id,
            **{name: data[key] for name, key in _PLAIN_FIELDS.items()},
            arguments=json.loads(data["arguments"]) if is_sound else {},
            shown=json.loads(data["argumentsShown"]),
            display=Display.model_validate_json(data["display"]) if data["display"] else None,
            decider=read_decider(data),
            status=status,
            decision=ApprovalDecision.read(decision) if decision else None,
            complete=bool(data.get("complete")),
            remember=tuple(data.get("remember") or ()),
            translations={
                language: Translation(
                    each["summary"],
                    Display.model_validate(each["display"]) if each["display"] else None,
                )
                for language, each in json.loads(data.get("translations") or "{}").items()
            },
            update_time=snapshot.update_time,
            is_sound=is_sound,
        )


_OTHER_FIELDS = {
    *("id", "arguments", "shown", "display", "decider", "status", "decision", "complete"),
    *("remember", "translations", "update_time", "is_sound"),
}
_PLAIN_FIELDS = {
    name: key
    for name, key in zip(Approval.__struct_fields__, Approval.__struct_encode_fields__, strict=True)
    if name not in _OTHER_FIELDS
}
"""Attributes of an `Approval` that are stored unchanged, with their stored names."""


def load_approvals(
    db: Client, ids: Iterable[str], known: Mapping[str, Any] | None = None
) -> list[Approval]:
    """Read approvals by id, in the order of the ids, without those that do not exist.

    Args:
        known: Snapshots that were already read, by their paths; only others are read.
    """
    references = [paths.approval(db, id) for id in ids]
    by_path = dict(known or {})
    unread = [each for each in references if each.path not in by_path]
    by_path |= {each.reference.path: each for each in read_all(db, *unread)}
    snapshots = [by_path[each.path] for each in references]
    return [Approval.read(each) for each in snapshots if each.exists]


def read_decider(data: Mapping[str, Any]) -> Decider:
    """Return who may decide an approval, from its document."""
    role = data["deciderRole"]
    return Decider(
        uid=data["deciderUid"],
        role=Role(role) if role else None,
        tenant=data["tenant"],
        not_uid=data["uid"] if role else None,
    )


def approval_id(*parts: object) -> str:
    """Return an id that is the same for every attempt at making one approval, and that nobody can
    guess from another one."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:32]


def canonical_json(arguments: Mapping[str, Any]) -> str:
    """Return arguments as JSON text that is the same for equal arguments."""
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def arguments_digest(arguments: Mapping[str, Any]) -> str:
    """Return a digest by which calls with the same arguments are recognized."""
    return _digest(canonical_json(arguments))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _decider_roles(decider: Decider) -> list[str]:
    """Return the names of the roles that may decide, for rules and queries."""
    if decider.role is None:
        return []
    return [role.value for role in Role if role.at_least(decider.role)]


class RememberedApproval(Struct, frozen=True):
    """What approvals in a thread cover for one capability beyond their calls, until the thread is
    cleared.

    Attributes:
        digest: The capability's digest when it was approved; calls of other versions are not
            covered.
        by: The id of the latest approval.
        patterns: The approved patterns, each with the id of its approval.
    """

    digest: str
    by: str
    patterns: Mapping[str, str] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        return {
            "digest": self.digest,
            "by": self.by,
            "patterns": list(self.patterns),
            "patternsBy": list(self.patterns.values()),
        }


def read_remembered(stored: Mapping[str, Any] | None) -> dict[str, RememberedApproval]:
    """Read a thread's field `allowed`. One without the ids of its approvals is left out."""
    return {
        tool: RememberedApproval(
            each["digest"], each["by"], dict(zip(each["patterns"], each["patternsBy"], strict=True))
        )
        for tool, each in (stored or {}).items()
        if isinstance(each, dict) and "by" in each and "patternsBy" in each
    }


def remember_approvals(
    stored: Mapping[str, Any] | None, settled: Sequence[Approval]
) -> dict[str, dict[str, Any]]:
    """Return a thread's field `allowed`, extended by what these approvals cover."""
    remembered = read_remembered(stored)
    for approval in settled:
        if approval.status is not ApprovalStatus.APPROVED or approval.edited_from is not None:
            continue
        before = remembered.get(approval.tool)
        digest = approval.capability_digest
        patterns = dict(before.patterns) if before is not None and before.digest == digest else {}
        new = approval.decision.remember if approval.decision else None
        if new is not None and new in approval.remember:
            patterns.pop(new, None)
            patterns[new] = approval.id
        newest = dict(list(patterns.items())[-MAX_PATTERNS:])
        remembered[approval.tool] = RememberedApproval(digest, approval.id, newest)
    return {tool: each.fields() for tool, each in remembered.items()}
