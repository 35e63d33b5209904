"""Findings: the action items and decisions extracted from messages, and how they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    ACTION_ITEMS,
    DECISIONS,
    SCHEMA_VERSION,
    Conversation,
    text_of,
)
from packs.messaging.firestore import chunks, fetch
from packs.messaging.sources import QUOTE_CHARS
from rollcall.core.text import excerpt, terms

if TYPE_CHECKING:
    from google.cloud.firestore import Client

ACTION_PRIORITIES = ("urgent", "high", "medium", "low", "unspecified")
IMPACTS = ("high", "medium", "low")
NO_DEADLINE = "9999"
"""Sorts tasks without a deadline after all that have one."""
_MARKS = ["status", "doneBy", "doneAt"]
_TEXT_CHARS = 500
_WRITES = 350
IN_VALUES = 30


@dataclass(frozen=True, slots=True)
class Finding:
    """An action item or decision found in a message, by rules or a model."""

    collection: str
    id: str
    message: ChatMessage
    fields: dict[str, Any]

    @property
    def is_withdrawn(self) -> bool:
        """Whether a later message withdrew it: a refused request, or a proposal since decided."""
        return self.fields.get("confidence") == 0

    @property
    def text(self) -> str:
        """The task or the decision."""
        return str(self.fields.get("task") or self.fields.get("decision"))

    @property
    def text_key(self) -> str:
        """A key that repeats of a finding share, by its words and, for a task, its deadline."""
        words = sorted(set(terms(self.text)))
        said = f"{' '.join(words)}|{self.fields.get('deadline')}"
        return sha256(said.encode("utf-8", "replace")).hexdigest()[:20]


def action_finding(
    *,
    id: str,
    message: ChatMessage,
    task: str,
    assignee: str | None,
    assignee_id: str | None,
    deadline: str | None,
    priority: str,
    context: str,
    confidence: float,
) -> Finding:
    """Return the finding of a task, with its sort keys: priority, then deadline."""
    known = priority if priority in ACTION_PRIORITIES else "unspecified"
    fields = {
        "task": task[:_TEXT_CHARS],
        "assignee": assignee,
        "assigneeId": assignee_id,
        "deadline": deadline,
        "priority": known,
        "context": context[:_TEXT_CHARS],
        "confidence": confidence,
        "priorityRank": ACTION_PRIORITIES.index(known),
        "deadlineOrder": deadline or NO_DEADLINE,
    }
    return Finding(ACTION_ITEMS, id, message, fields)


def decision_finding(
    *,
    id: str,
    message: ChatMessage,
    decision: str,
    decision_maker: str,
    decided_at: datetime,
    decision_maker_id: str | None = None,
    superseded_by: str | None = None,
    impact: str | None,
    context: str,
    confidence: float,
) -> Finding:
    """Return the finding of a decision, with its sort keys: impact, then time."""
    known = impact if impact in IMPACTS else None
    fields = {
        "decision": decision[:_TEXT_CHARS],
        "decisionMaker": decision_maker,
        "decisionMakerId": decision_maker_id,
        "supersededBy": superseded_by,
        "decidedAt": decided_at,
        "impactLevel": known,
        "context": context[:_TEXT_CHARS],
        "confidence": confidence,
        "impactRank": IMPACTS.index(known) if known else len(IMPACTS),
    }
    return Finding(DECISIONS, id, message, fields)


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
    stored = _stored_marks(db, findings)
    last = findings[-_WRITES:]
    for start in range(0, len(findings) - len(last), _WRITES):
        full_batch = db.batch()
        for finding in findings[start : min(start + _WRITES, len(findings) - len(last))]:
            _set(db, full_batch, finding, conversation, stored, extractor)
        full_batch.commit()
    for finding in last:
        _set(db, batch, finding, conversation, stored, extractor)


def _without_repeats(db: Client, findings: list[Finding], conversation_id: str) -> list[Finding]:
    from google.cloud.firestore import FieldFilter

    first: dict[tuple[str, str], str] = {}
    for collection in (ACTION_ITEMS, DECISIONS):
        keys = [finding.text_key for finding in findings if finding.collection == collection]
        here = FieldFilter("conversationId", "==", conversation_id)
        for some in chunks(dict.fromkeys(keys), IN_VALUES):
            query = db.collection(collection).where(filter=here)
            query = query.where(filter=FieldFilter("textKey", "in", some)).select(["textKey"])
            for snapshot in fetch(query):
                first[collection, text_of(snapshot.get("textKey"))] = snapshot.id
    return [
        finding
        for finding in findings
        if finding.is_withdrawn
        or first.setdefault((finding.collection, finding.text_key), finding.id) == finding.id
    ]


def _stored_marks(db: Client, findings: list[Finding]) -> dict[str, dict[str, Any]]:
    """Return the status fields of action items that are stored already."""
    references = [
        db.collection(ACTION_ITEMS).document(finding.id)
        for finding in findings
        if finding.collection == ACTION_ITEMS
    ]
    return {
        snapshot.id: snapshot.to_dict() or {}
        for snapshot in (db.get_all(references, field_paths=_MARKS) if references else ())
        if snapshot.exists
    }


def _set(
    db: Client,
    batch: Any,
    finding: Finding,
    conversation: Conversation,
    stored: dict[str, dict[str, Any]],
    extractor: str,
) -> None:
    reference = db.collection(finding.collection).document(finding.id)
    marks = stored.get(finding.id, {})
    if finding.is_withdrawn and marks.get("status") != "done":
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
        "textKey": finding.text_key,
        "quote": excerpt(finding.message.text, terms(finding.text), length=QUOTE_CHARS),
        **finding.fields,
    }
    if finding.collection == ACTION_ITEMS:
        document |= {"status": "open", **marks}
    batch.set(reference, document)
