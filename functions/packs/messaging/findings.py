"""Findings: the action items and decisions extracted from messages, and how they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from msgspec import Struct

from packs.messaging.chat import ChatMessage, readable
from packs.messaging.documents import (
    ACTION_ITEMS,
    DECISIONS,
    SCHEMA_VERSION,
    Conversation,
    text_of,
)
from packs.messaging.firestore import BRANCHES, chunks, fetch
from packs.messaging.people import People
from packs.messaging.sources import QUOTE_CHARS
from rollcall.core.text import excerpt, terms
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import Client

ActionPriority = Literal["high", "medium", "low", "unspecified"]
ImpactLevel = Literal["high", "medium", "low"]
_PRIORITIES = ("urgent", "high", "medium", "low", "unspecified")
_IMPACTS = ("high", "medium", "low", None)
_NO_DEADLINE = "9999"
"""Sorts tasks without a deadline after all that have one."""
_MARKS = ["status", "doneBy", "doneAt"]
_TEXT_CHARS = 500
_WRITES = 350


class ActionItem(Struct, frozen=True):
    """A task.

    Attributes:
        id: The same whenever the same message is read again.
        assignee_id: None where the assignee is unknown or no participant.
        deadline: "2026-11-30", or with a time and zone.
        context: The sentence, with the reply that accepted it.
        confidence: 0 to 1; 0 for a request that its assignee refused.
    """

    collection: ClassVar[str] = ACTION_ITEMS

    id: str
    message: ChatMessage
    task: str
    assignee_id: str | None
    assignee: str | None
    deadline: str | None
    priority: ActionPriority
    context: str
    confidence: float

    @property
    def text(self) -> str:
        """The task, as long as it is stored."""
        return self.task[:_TEXT_CHARS]

    def fields(self) -> dict[str, Any]:
        """Return the fields to store, with the sort keys: priority, then deadline."""
        return {
            "task": self.text,
            "assignee": self.assignee,
            "assigneeId": self.assignee_id,
            "deadline": self.deadline,
            "priority": self.priority,
            "context": self.context[:_TEXT_CHARS],
            "confidence": self.confidence,
            "priorityRank": _PRIORITIES.index(self.priority),
            "deadlineOrder": self.deadline or _NO_DEADLINE,
        }


class Decision(Struct, frozen=True):
    """A decision.

    Attributes:
        id: The same whenever the same message is read again.
        decision_maker: A name: the speaker where a group ("we") decided, the first to agree
            where it was a proposal.
        context: The message, with the one it answers or the reply that agreed.
        confidence: 0 to 1; lower once `superseded_by` names a later decision, 0 for a
            tentative one that was later stated as a decision.
        is_tentative: Whether it is an accepted proposal or a choice, which a later plain
            decision may restate.
    """

    collection: ClassVar[str] = DECISIONS

    id: str
    message: ChatMessage
    decision: str
    decision_maker_id: str | None
    decision_maker: str
    decided_at: datetime
    context: str
    impact: ImpactLevel | None
    confidence: float
    superseded_by: str | None = None
    is_tentative: bool = False

    @property
    def text(self) -> str:
        """The decision, as long as it is stored."""
        return self.decision[:_TEXT_CHARS]

    def fields(self) -> dict[str, Any]:
        """Return the fields to store, with the sort keys: impact, then time."""
        return {
            "decision": self.text,
            "decisionMaker": self.decision_maker,
            "decisionMakerId": self.decision_maker_id,
            "supersededBy": self.superseded_by,
            "decidedAt": self.decided_at,
            "impactLevel": self.impact,
            "context": self.context[:_TEXT_CHARS],
            "confidence": self.confidence,
            "impactRank": _IMPACTS.index(self.impact),
        }


Finding = ActionItem | Decision
F = TypeVar("F", ActionItem, Decision)


def finding_id(conversation_id: str, message: ChatMessage, text: str) -> str:
    """Return a finding's id: the same whenever the same message is read again."""
    return sha256(f"{conversation_id}|{message.id}|{text.lower()}".encode()).hexdigest()[:20]


def new_findings(
    read: Callable[[list[ChatMessage], People, str], list[F]],
    messages: Sequence[ChatMessage],
    *,
    conversation_id: str,
    names: Mapping[str, str],
    context: Sequence[ChatMessage],
) -> list[F]:
    """Return what `read` finds in new messages, in time order.

    Args:
        names: Participant id to name; senders are added to it.
        context: Earlier messages, read before. Their findings are returned only where a new message
            changed them, with confidence 0 where it withdrew them.
    """
    everything = readable([*context, *messages])
    people = People({**{message.sender_id: message.sender_name for message in everything}, **names})
    before = {item.id: item for item in read(readable(context), people, conversation_id)}
    new = {message.id for message in messages}
    return [
        item
        for item in read(everything, people, conversation_id)
        if (item.confidence if item.message.id in new else before.get(item.id) != item)
    ]


def write_findings(
    db: Client,
    batch: Any,
    findings: list[Finding],
    conversation: Conversation,
    *,
    extractor: str,
) -> None:
    """Add findings to a batch; those that do not fit into it are committed at once.

    Ids are stable, so writing again does no harm, and an item that was marked done stays done. A
    finding that repeats another message's in the same words is not written. A withdrawn finding
    is deleted, unless it was marked done.
    """
    findings = _without_repeats(db, findings, conversation.id)
    references = [
        db.collection(ACTION_ITEMS).document(finding.id)
        for finding in findings
        if isinstance(finding, ActionItem)
    ]
    marks = {
        snapshot.id: snapshot.to_dict() or {}
        for snapshot in (db.get_all(references, field_paths=_MARKS) if references else ())
        if snapshot.exists
    }
    last = max(0, len(findings) - _WRITES)
    for start in range(0, last, _WRITES):
        full_batch = db.batch()
        for finding in findings[start : min(start + _WRITES, last)]:
            _set(db, full_batch, finding, conversation, marks.get(finding.id, {}), extractor)
        full_batch.commit()
    for finding in findings[last:]:
        _set(db, batch, finding, conversation, marks.get(finding.id, {}), extractor)


def _without_repeats(db: Client, findings: list[Finding], conversation_id: str) -> list[Finding]:
    first: dict[tuple[str, str], str] = {}
    for collection in (ACTION_ITEMS, DECISIONS):
        keys = [_text_key(finding) for finding in findings if finding.collection == collection]
        here = where("conversationId", "==", conversation_id)
        for some in chunks(dict.fromkeys(keys), BRANCHES):
            query = db.collection(collection).where(filter=here)
            query = query.where(filter=where("textKey", "in", some)).select(["textKey"])
            for snapshot in fetch(query):
                first[collection, text_of(snapshot.get("textKey"))] = snapshot.id
    return [
        finding
        for finding in findings
        if not finding.confidence
        or first.setdefault((finding.collection, _text_key(finding)), finding.id) == finding.id
    ]


def _text_key(finding: Finding) -> str:
    """Return the key that repeats of a finding share: its words and, for a task, its deadline."""
    words = sorted(set(terms(finding.text)))
    deadline = finding.deadline if isinstance(finding, ActionItem) else None
    said = f"{' '.join(words)}|{deadline}"
    return sha256(said.encode("utf-8", "replace")).hexdigest()[:20]


def _set(
    db: Client,
    batch: Any,
    finding: Finding,
    conversation: Conversation,
    marks: dict[str, Any],
    extractor: str,
) -> None:
    reference = db.collection(finding.collection).document(finding.id)
    if not finding.confidence and marks.get("status") != "done":
        batch.delete(reference)
        return
    document = {
        "schemaVersion": SCHEMA_VERSION,
        "conversationId": conversation.id,
        "conversationName": conversation.title(),
        "participantIds": list(conversation.participant_ids),
        "messageId": finding.message.id,
        "senderId": finding.message.sender_id,
        "senderName": finding.message.sender_name,
        "sourceTimestamp": finding.message.sent_at,
        "extractor": extractor,
        "textKey": _text_key(finding),
        "quote": excerpt(finding.message.text, terms(finding.text), length=QUOTE_CHARS),
        **finding.fields(),
    }
    if isinstance(finding, ActionItem):
        document |= {"status": "open", **marks}
    batch.set(reference, document)
