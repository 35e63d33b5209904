"""Extracts action items and decisions from new messages, in steps that read each message once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from packs.messaging.access import ReadableConversations
from packs.messaging.action_extraction import extract_actions
from packs.messaging.chat import ChatMessage
from packs.messaging.decision_extraction import extract_decisions
from packs.messaging.documents import (
    ACTION_ITEMS,
    DECISIONS,
    EXTRACTION,
    MESSAGES,
    SCHEMA_VERSION,
    Conversation,
    count_of,
    moment_of,
    read_message,
    strings,
    text_of,
)
from packs.messaging.findings import Finding, action_finding, decision_finding, write_findings
from packs.messaging.firestore import chunks, fetch, side_by_side, until_unchanged
from packs.messaging.people import People
from packs.messaging.text_model import ask, model_name
from rollcall.core.context import TextModel, ToolContext

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot
    from google.cloud.firestore_v1.base_query import BaseQuery


VERSION = "2"
"""Increase it when the rules change so much that all conversations should be read again."""
_INSTRUCTIONS = """
List the action items and the decisions in a chat.
An action item is something a person is to do and has not done: the task in a few words, who is to
do it, by when (an ISO date, worked out from the date of the message), how pressing it is.
A decision is something settled, not merely proposed: what was decided, who decided or agreed, and
its impact. Say in `context` why it came up, in one sentence, and give a confidence from 0 to 1.
Write in the language of the messages. `n` is the message that says it. Messages before number
{first} were dealt with earlier: use them to understand the rest, and list nothing from them.
""".strip()


class _Action(BaseModel):
    n: int
    task: str = Field(min_length=1)
    assignee: str | None = None
    deadline: str | None = None
    priority: Literal["high", "medium", "low", "unspecified"] = "unspecified"
    context: str = ""
    confidence: float = Field(ge=0, le=1)


class _Decision(BaseModel):
    n: int
    decision: str = Field(min_length=1)
    decision_maker: str = ""
    impact: Literal["high", "medium", "low"] | None = None
    context: str = ""
    confidence: float = Field(ge=0, le=1)


class _Found(BaseModel):
    action_items: list[_Action] = []
    decisions: list[_Decision] = []


def read_findings(
    messages: Sequence[ChatMessage],
    *,
    context: Sequence[ChatMessage],
    conversation: Conversation,
    text_model: TextModel | None,
) -> tuple[list[Finding], str]:
    """Return the findings in new messages, and the extractor that made them.

    Args:
        context: The messages right before them, read in an earlier step.
    """
    if text_model is not None:
        everything = [*context, *messages]
        instructions = _INSTRUCTIONS.format(first=len(context) + 1)
        answer = ask(text_model, everything, instructions=instructions, shape=_Found)
        if answer is not None:
            found = _from_model(answer, everything, conversation, first=len(context) + 1)
            return found, f"{model_name(text_model)}/{VERSION}"
    return _by_rules(messages, context, conversation), f"rules/{VERSION}"


def _by_rules(
    messages: Sequence[ChatMessage], context: Sequence[ChatMessage], conversation: Conversation
) -> list[Finding]:
    names = conversation.participant_names
    source = {message.id: message for message in (*context, *messages)}
    actions = extract_actions(
        messages, conversation_id=conversation.id, names=names, context=context
    )
    decisions = extract_decisions(
        messages, conversation_id=conversation.id, names=names, context=context
    )
    return [
        *(
            action_finding(
                id=item.id,
                message=source[item.message_id],
                task=item.task,
                assignee=item.assignee,
                assignee_id=item.assignee_id,
                deadline=item.deadline,
                priority=item.priority,
                context=item.context,
                confidence=item.confidence,
            )
            for item in actions
        ),
        *(
            decision_finding(
                id=item.id,
                message=source[item.message_id],
                decision=item.decision,
                decision_maker=item.decision_maker,
                decision_maker_id=item.decision_maker_id,
                superseded_by=item.superseded_by,
                decided_at=item.decided_at,
                impact=item.impact,
                context=item.context,
                confidence=item.confidence,
            )
            for item in decisions
        ),
    ]


def _from_model(
    answer: _Found, messages: list[ChatMessage], conversation: Conversation, *, first: int
) -> list[Finding]:
    """Return the model's findings in new messages; those with any other number are dropped."""
    people = People(conversation.participant_names)
    new = range(first, len(messages) + 1)
    found: list[Finding] = []
    for item in answer.action_items:
        if item.n in new:
            message = messages[item.n - 1]
            person = people.find(item.assignee or "")
            found.append(
                action_finding(
                    id=_id(conversation.id, message.id, item.task),
                    message=message,
                    task=item.task,
                    assignee=person.name if person else item.assignee,
                    assignee_id=person.id if person else None,
                    deadline=_date(item.deadline),
                    priority=item.priority,
                    context=item.context,
                    confidence=item.confidence,
                )
            )
    for decision in answer.decisions:
        if decision.n in new:
            message = messages[decision.n - 1]
            found.append(
                decision_finding(
                    id=_id(conversation.id, message.id, decision.decision),
                    message=message,
                    decision=decision.decision,
                    decision_maker=decision.decision_maker or message.sender_name,
                    decided_at=message.sent_at,
                    impact=decision.impact,
                    context=decision.context,
                    confidence=decision.confidence,
                )
            )
    return found


def _id(conversation_id: str, message_id: str, text: str) -> str:
    return sha256(f"{conversation_id}|{message_id}|{text.lower()}".encode()).hexdigest()[:20]


def _date(text: str | None) -> str | None:
    """Return the deadline if it is a date; any other text of a model is dropped."""
    try:
        return date.fromisoformat(text[:10]).isoformat() if text else None
    except ValueError:
        return None


BEGINNING = (datetime(1970, 1, 1, tzinfo=UTC), "")
MOST_PENDING = 50
"""Most late messages that are kept by id; with more, the cursor moves back."""
SEEN_IDS = 20
"""How many of the last messages read are kept by id: a neighbour that is not among them is new."""
_DELETES = 400


@dataclass(frozen=True, slots=True)
class State:
    """The progress of extraction in a conversation.

    Attributes:
        cursor: (timestamp, id) of the last message read.
        drained_count: The conversation's `messageCount` when no message was left, else None.
        version: Update time of the stored state, None where there is none.
    """

    cursor: tuple[datetime, str] = BEGINNING
    seen: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    extractor: str = ""
    drained_count: int | None = None
    drained_at: datetime | None = None
    version: Any = None

    @staticmethod
    def read(snapshot: DocumentSnapshot[Any]) -> State:
        """Read a stored state; a missing document is the beginning."""
        data = snapshot.to_dict() or {}
        if not snapshot.exists:
            return State()
        moment = moment_of(data.get("cursorTimestamp"))
        drained = data.get("drainedCount")
        return State(
            cursor=(moment, text_of(data.get("cursorMessageId"))) if moment else BEGINNING,
            seen=tuple(strings(data.get("seenIds"))),
            pending=tuple(strings(data.get("pendingIds"))),
            extractor=text_of(data.get("extractor")),
            drained_count=count_of(drained) if drained is not None else None,
            drained_at=moment_of(data.get("drainedAt")),
            version=snapshot.update_time,
        )

    def write(self, db: Client, batch: WriteBatch, conversation_id: str) -> None:
        """Add this state to a batch that fails if the stored one is not `version` any more."""
        document = {
            "schemaVersion": SCHEMA_VERSION,
            "conversationId": conversation_id,
            "cursorTimestamp": self.cursor[0],
            "cursorMessageId": self.cursor[1],
            "seenIds": list(self.seen),
            "pendingIds": list(self.pending),
            "extractor": self.extractor,
            "drainedCount": self.drained_count,
            "drainedAt": self.drained_at,
            # A write without any change would not change the update time.
            "revision": secrets.token_hex(8),
        }
        reference = db.collection(EXTRACTION).document(conversation_id)
        if self.version is None:
            batch.create(reference, document)
        else:
            unchanged = db.write_option(last_update_time=self.version)
            batch.update(reference, document, option=unchanged)


def note_late(
    db: Client, conversation_id: str, messages: Sequence[ChatMessage], *, changed: bool = False
) -> None:
    """Queue messages that were written behind the cursor for extraction.

    Args:
        changed: The messages were edited or deleted: then a running extraction must start over
            too, since it may have read the old versions.
    """

    def work() -> None:
        state = State.read(db.collection(EXTRACTION).document(conversation_id).get())
        late = [item for item in messages if (item.sent_at, item.id) <= state.cursor]
        late = [item for item in late if not item.encrypted and item.id not in state.pending]
        if not late and not changed:
            return
        batch = db.batch()
        _with_late(state, late).write(db, batch, conversation_id)
        batch.commit()

    until_unchanged(work)


def _with_late(state: State, late: list[ChatMessage]) -> State:
    pending = (*state.pending, *(item.id for item in late))
    if len(pending) <= MOST_PENDING:
        return replace(state, pending=pending, drained_count=None)
    first = min(item.sent_at for item in late)
    return replace(state, cursor=min(state.cursor, (first, "")), seen=(), drained_count=None)


def forget_items(db: Client, message_id: str) -> None:
    """Delete the findings of a message that was edited, deleted or encrypted.

    Call `note_late(..., changed=True)` before, so that no old finding is written afterwards.
    """
    from google.cloud.firestore import FieldFilter

    batch = db.batch()
    for collection in (ACTION_ITEMS, DECISIONS):
        of_message = FieldFilter("messageId", "==", message_id)
        for snapshot in db.collection(collection).where(filter=of_message).select([]).stream():
            batch.delete(snapshot.reference)
    batch.commit()


def forget_all_items(db: Client, conversation_id: str) -> None:
    """Delete the findings of an older version; items marked done stay."""
    from google.cloud.firestore import FieldFilter

    here = FieldFilter("conversationId", "==", conversation_id)
    for collection in (ACTION_ITEMS, DECISIONS):
        found = fetch(db.collection(collection).where(filter=here).select(["status"]))
        open_ones = [item for item in found if (item.to_dict() or {}).get("status") != "done"]
        for some in chunks(open_ones, _DELETES):
            batch = db.batch()
            for snapshot in some:
                batch.delete(snapshot.reference)
            batch.commit()


MOST_MESSAGES = 2_000
"""Most new messages of one conversation that one call reads."""
MOST_SECONDS = 40.0
PAGE = 300
MODEL_PAGE = 80
_PENDING_AT_ONCE = 10
_CONVERSATIONS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """How many messages a call read; `is_all` is False if some are left for the next call."""

    messages: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class _Step:
    messages: int
    is_last: bool


def extract_new(ctx: ToolContext, mine: ReadableConversations) -> ExtractionResult:
    """Bring the action items and decisions of these conversations up to date."""
    due = _undrained(ctx, mine)
    if not due:
        return ExtractionResult(0, is_all=True)
    ends = time.monotonic() + MOST_SECONDS
    results: list[ExtractionResult] = []
    for some in chunks(due, _CONVERSATIONS_AT_ONCE):
        results += side_by_side(lambda item: _extract_conversation(ctx, item, ends=ends), some)
        ctx.progress("reading new messages", done=len(results), total=len(due))
    return ExtractionResult(
        sum(found.messages for found in results), all(found.is_all for found in results)
    )


def _undrained(ctx: ToolContext, mine: ReadableConversations) -> list[Conversation]:
    """Return the conversations that have messages which extraction has not read."""
    references = [ctx.db.collection(EXTRACTION).document(id) for id in mine.ids]
    states = {snapshot.id: State.read(snapshot) for snapshot in ctx.db.get_all(references)}
    return [
        conversation
        for id, conversation in mine.conversations.items()
        if not _is_drained(states.get(id, State()), conversation)
    ]


def _is_drained(state: State, conversation: Conversation) -> bool:
    if state.version is None:
        return conversation.message_count == 0
    return (
        state.extractor == VERSION
        and not state.pending
        and state.drained_count == conversation.message_count
        and state.drained_at == conversation.last_message_at
    )


def _extract_conversation(
    ctx: ToolContext, conversation: Conversation, *, ends: float
) -> ExtractionResult:
    looked_at = 0
    while looked_at < MOST_MESSAGES and time.monotonic() < ends:
        step = until_unchanged(partial(_step, ctx, conversation, MOST_MESSAGES - looked_at))
        looked_at += step.messages
        if step.is_last:
            return ExtractionResult(looked_at, is_all=True)
    return ExtractionResult(looked_at, is_all=False)


def _step(ctx: ToolContext, conversation: Conversation, room: int) -> _Step:
    db = ctx.db
    state = State.read(db.collection(EXTRACTION).document(conversation.id).get())
    if state.extractor != VERSION:
        # Read by older rules or never: start from the beginning.
        if state.extractor:
            forget_all_items(db, conversation.id)
        state = State(version=state.version, extractor=VERSION)
    size = min(room, PAGE if ctx.text_model is None else MODEL_PAGE)
    found = fetch(_query_after(ctx, conversation.id, state).limit(size))
    page = [read_message(snapshot.id, snapshot.to_dict() or {}) for snapshot in found]
    context = _context_before(ctx, conversation.id, state) if page else []
    missed = [message for message in context if state.seen and message.id not in state.seen]
    pending = state.pending[:_PENDING_AT_ONCE]
    is_last = len(page) < size and len(pending) == len(state.pending)
    batch = db.batch()
    _next_state(state, page, context, conversation, is_last=is_last).write(
        db, batch, conversation.id
    )
    findings, extractor = _read(ctx, conversation, [*missed, *page], context)
    for late in _messages_by_id(ctx, conversation.id, pending):
        forget_items(db, late.id)
        findings += _read(ctx, conversation, [late], [])[0]
    write_findings(db, batch, findings, conversation, extractor=extractor)
    batch.commit()
    return _Step(len(page) + len(missed) + len(pending), is_last)


def _read(
    ctx: ToolContext,
    conversation: Conversation,
    messages: Sequence[ChatMessage],
    context: Sequence[ChatMessage],
) -> tuple[list[Finding], str]:
    if not messages:
        return [], f"rules/{VERSION}"
    new = {message.id for message in messages}
    return read_findings(
        messages,
        context=[message for message in context if message.id not in new],
        conversation=conversation,
        text_model=ctx.text_model,
    )


def _next_state(
    state: State,
    page: list[ChatMessage],
    context: list[ChatMessage],
    conversation: Conversation,
    *,
    is_last: bool,
) -> State:
    """Return the state after a page."""
    seen = [message.id for message in (*context, *page)][-SEEN_IDS:]
    return replace(
        state,
        cursor=(page[-1].sent_at, page[-1].id) if page else state.cursor,
        seen=tuple(seen) if page else state.seen,
        pending=state.pending[_PENDING_AT_ONCE:],
        drained_count=conversation.message_count if is_last else None,
        drained_at=conversation.last_message_at if is_last else None,
    )


def _readable(ctx: ToolContext, conversation_id: str) -> Any:
    """Return the query for a conversation's messages without encrypted ones, whose content is
    never read."""
    from google.cloud.firestore import FieldFilter

    query = ctx.db.collection(MESSAGES).where(
        filter=FieldFilter("conversationId", "==", conversation_id)
    )
    return query.where(filter=FieldFilter("encrypted", "==", False))


def _query_after(ctx: ToolContext, conversation_id: str, state: State) -> BaseQuery:
    moment, message_id = state.cursor
    query: BaseQuery = _readable(ctx, conversation_id).order_by("timestamp").order_by("__name__")
    if not message_id:
        return query.start_at({"timestamp": moment})
    reference = ctx.db.collection(MESSAGES).document(message_id)
    return query.start_after({"timestamp": moment, "__name__": reference})


def _context_before(ctx: ToolContext, conversation_id: str, state: State) -> list[ChatMessage]:
    """Return the last messages up to the cursor, oldest first."""
    moment, message_id = state.cursor
    if not message_id:
        return []
    query = _readable(ctx, conversation_id).order_by("timestamp", direction="DESCENDING")
    query = query.order_by("__name__", direction="DESCENDING")
    reference = ctx.db.collection(MESSAGES).document(message_id)
    found = fetch(query.start_at({"timestamp": moment, "__name__": reference}).limit(SEEN_IDS))
    return [read_message(snapshot.id, snapshot.to_dict() or {}) for snapshot in reversed(found)]


def _messages_by_id(
    ctx: ToolContext, conversation_id: str, message_ids: Sequence[str]
) -> list[ChatMessage]:
    """Return messages by id, without those that were deleted, encrypted or moved."""
    references = [ctx.db.collection(MESSAGES).document(id) for id in message_ids]
    found = ctx.db.get_all(references) if references else ()
    return [
        read_message(snapshot.id, data)
        for snapshot in found
        if (data := snapshot.to_dict() or {}).get("conversationId") == conversation_id
        and data.get("encrypted") is False
    ]
