"""Extracts action items and decisions from new messages, in steps that read each message once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, Field

from packs.messaging.access import ReadableConversations, fetch_messages, readable_messages
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
from packs.messaging.findings import (
    ActionItem,
    ActionPriority,
    Decision,
    Finding,
    ImpactLevel,
    finding_id,
    write_findings,
)
from packs.messaging.firestore import (
    chunks,
    delete_documents,
    fetch,
    side_by_side,
    until_unchanged,
)
from packs.messaging.people import People
from packs.messaging.text_model import ask, model_name
from rollcall.core.context import TextModel, ToolContext
from rollcall.store.batches import where, write_unchanged

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
    priority: ActionPriority = "unspecified"
    context: str = ""
    confidence: float = Field(ge=0, le=1)


class _Decision(BaseModel):
    n: int
    decision: str = Field(min_length=1)
    decision_maker: str = ""
    impact: ImpactLevel | None = None
    context: str = ""
    confidence: float = Field(ge=0, le=1)


class _ModelFindings(BaseModel):
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
    if not messages:
        return [], f"rules/{VERSION}"
    new = {message.id for message in messages}
    context = [message for message in context if message.id not in new]
    if text_model is not None:
        everything = [*context, *messages]
        first = len(context) + 1
        instructions = _INSTRUCTIONS.format(first=first)
        answer = ask(text_model, everything, instructions=instructions, shape=_ModelFindings)
        if answer is not None:
            found = _from_model(answer, everything, conversation, first=first)
            return found, f"{model_name(text_model)}/{VERSION}"
    id, names = conversation.id, conversation.participant_names
    actions = extract_actions(messages, conversation_id=id, names=names, context=context)
    decisions = extract_decisions(messages, conversation_id=id, names=names, context=context)
    return [*actions, *decisions], f"rules/{VERSION}"


def _from_model(
    answer: _ModelFindings, messages: list[ChatMessage], conversation: Conversation, *, first: int
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
                ActionItem(
                    id=finding_id(conversation.id, message, item.task),
                    message=message,
                    task=item.task,
                    assignee_id=person.id if person else None,
                    assignee=person.name if person else item.assignee,
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
                Decision(
                    id=finding_id(conversation.id, message, decision.decision),
                    message=message,
                    decision=decision.decision,
                    decision_maker_id=None,
                    decision_maker=decision.decision_maker or message.sender_name,
                    decided_at=message.sent_at,
                    context=decision.context,
                    impact=decision.impact,
                    confidence=decision.confidence,
                )
            )
    return found


def _date(text: str | None) -> str | None:
    """Return the deadline if it is a date; any other text of a model is dropped."""
    try:
        return date.fromisoformat(text[:10]).isoformat() if text else None
    except ValueError:
        return None


BEGINNING = (datetime(1970, 1, 1, tzinfo=UTC), "")
MAX_PENDING = 50
"""Most late messages that are kept by id; with more, the cursor moves back."""
SEEN_IDS = 20
"""How many of the last messages read are kept by id: a neighbour that is not among them is new."""


class State(Struct, frozen=True):
    """The progress of extraction in a conversation.

    Attributes:
        cursor: (timestamp, id) of the last message read.
        drained_count: The conversation's `messageCount` when no message was left, else None.
        snapshot: The stored state, which may not exist yet.
    """

    snapshot: DocumentSnapshot[Any]
    cursor: tuple[datetime, str] = BEGINNING
    seen: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    extractor: str = ""
    drained_count: int | None = None
    drained_at: datetime | None = None

    @staticmethod
    def read(snapshot: DocumentSnapshot[Any]) -> State:
        """Read a stored state; a missing document is the beginning."""
        data = snapshot.to_dict() or {}
        moment = moment_of(data.get("cursorTimestamp"))
        drained = data.get("drainedCount")
        return State(
            snapshot,
            cursor=(moment, text_of(data.get("cursorMessageId"))) if moment else BEGINNING,
            seen=tuple(strings(data.get("seenIds"))),
            pending=tuple(strings(data.get("pendingIds"))),
            extractor=text_of(data.get("extractor")),
            drained_count=count_of(drained) if drained is not None else None,
            drained_at=moment_of(data.get("drainedAt")),
        )

    def write(self, batch: WriteBatch) -> None:
        """Add this state to a batch that fails if the stored one has changed since it was read."""
        document = {
            "schemaVersion": SCHEMA_VERSION,
            "conversationId": self.snapshot.id,
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
        write_unchanged(batch, self.snapshot, document)


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
        pending = (*state.pending, *(item.id for item in late))
        if len(pending) <= MAX_PENDING:
            changed_state = replace(state, pending=pending, drained_count=None)
        else:
            cursor = min(state.cursor, (min(item.sent_at for item in late), ""))
            changed_state = replace(state, cursor=cursor, seen=(), drained_count=None)
        batch = db.batch()
        changed_state.write(batch)
        batch.commit()

    until_unchanged(work)


def forget_items(db: Client, message_id: str) -> None:
    """Delete the findings of a message that was edited, deleted or encrypted.

    Call `note_late(..., changed=True)` before, so that no old finding is written afterwards.
    """
    for collection in (ACTION_ITEMS, DECISIONS):
        of_message = where("messageId", "==", message_id)
        query = db.collection(collection).where(filter=of_message)
        delete_documents(db, fetch(query.select([])))


MAX_MESSAGES = 2_000
"""Most new messages of one conversation that one call reads."""
MAX_SECONDS = 40.0
PAGE = 300
MODEL_PAGE = 80
_PENDING_AT_ONCE = 10
_CONVERSATIONS_AT_ONCE = 8


class ExtractionResult(Struct, frozen=True):
    """How many messages were read; `is_all` is False if some are left."""

    messages: int
    is_all: bool


def extract_new(ctx: ToolContext, mine: ReadableConversations) -> ExtractionResult:
    """Bring the action items and decisions of these conversations up to date."""
    due = _undrained(ctx, mine)
    if not due:
        return ExtractionResult(0, is_all=True)
    ends = time.monotonic() + MAX_SECONDS
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
    undrained = []
    for id, conversation in mine.conversations.items():
        state = states[id]
        if not state.snapshot.exists:
            is_drained = conversation.message_count == 0
        else:
            is_drained = (
                state.extractor == VERSION
                and not state.pending
                and state.drained_count == conversation.message_count
                and state.drained_at == conversation.last_message_at
            )
        if not is_drained:
            undrained.append(conversation)
    return undrained


def _extract_conversation(
    ctx: ToolContext, conversation: Conversation, *, ends: float
) -> ExtractionResult:
    looked_at = 0
    while looked_at < MAX_MESSAGES and time.monotonic() < ends:
        work = partial(_step, ctx, conversation, MAX_MESSAGES - looked_at)
        # A model may take longer for a page than a write may wait for its turn.
        step = until_unchanged(work, within_s=MAX_SECONDS)
        looked_at += step.messages
        if step.is_all:
            return ExtractionResult(looked_at, is_all=True)
    return ExtractionResult(looked_at, is_all=False)


def _step(ctx: ToolContext, conversation: Conversation, room: int) -> ExtractionResult:
    """Read the next page of messages and some late ones; write what was found in one commit."""
    db = ctx.db
    state = State.read(db.collection(EXTRACTION).document(conversation.id).get())
    if state.extractor != VERSION:
        # Read by older rules or never: start from the beginning.
        if state.extractor:
            _forget_open_items(db, conversation.id)
        state = State(state.snapshot, extractor=VERSION)
    size = min(room, PAGE if ctx.text_model is None else MODEL_PAGE)
    page = fetch_messages(_query_after(db, conversation.id, state).limit(size))
    context = _context_before(db, conversation.id, state) if page else []
    missed = [message for message in context if state.seen and message.id not in state.seen]
    pending = state.pending[:_PENDING_AT_ONCE]
    is_last = len(page) < size and len(pending) == len(state.pending)
    after = replace(
        state,
        pending=state.pending[_PENDING_AT_ONCE:],
        drained_count=conversation.message_count if is_last else None,
        drained_at=conversation.last_message_at if is_last else None,
    )
    if page:
        seen = tuple(message.id for message in (*context, *page))[-SEEN_IDS:]
        after = replace(after, cursor=(page[-1].sent_at, page[-1].id), seen=seen)
    batch = db.batch()
    after.write(batch)
    model = ctx.text_model
    findings, extractor = read_findings(
        [*missed, *page], context=context, conversation=conversation, text_model=model
    )
    references = [db.collection(MESSAGES).document(id) for id in pending]
    for snapshot in db.get_all(references) if references else ():
        # A late message may have been deleted, moved or encrypted since.
        late = read_message(snapshot.id, data := snapshot.to_dict() or {})
        if data.get("conversationId") == conversation.id and not late.encrypted:
            forget_items(db, late.id)
            findings += read_findings(
                [late], context=(), conversation=conversation, text_model=model
            )[0]
    write_findings(db, batch, findings, conversation, extractor=extractor)
    batch.commit()
    return ExtractionResult(len(page) + len(missed) + len(pending), is_last)


def _forget_open_items(db: Client, conversation_id: str) -> None:
    """Delete the findings of an older version; items marked done stay."""
    here = where("conversationId", "==", conversation_id)
    for collection in (ACTION_ITEMS, DECISIONS):
        found = fetch(db.collection(collection).where(filter=here).select(["status"]))
        open_ones = [item for item in found if (item.to_dict() or {}).get("status") != "done"]
        delete_documents(db, open_ones)


def _query_after(db: Client, conversation_id: str, state: State) -> BaseQuery:
    """Return the query for the messages after the cursor."""
    moment, message_id = state.cursor
    query = readable_messages(db, conversation_id).order_by("timestamp").order_by("__name__")
    if not message_id:
        return query.start_at({"timestamp": moment})
    reference = db.collection(MESSAGES).document(message_id)
    return query.start_after({"timestamp": moment, "__name__": reference})


def _context_before(db: Client, conversation_id: str, state: State) -> list[ChatMessage]:
    """Return the last messages up to the cursor, oldest first."""
    moment, message_id = state.cursor
    if not message_id:
        return []
    query = readable_messages(db, conversation_id).order_by("timestamp", direction="DESCENDING")
    query = query.order_by("__name__", direction="DESCENDING")
    reference = db.collection(MESSAGES).document(message_id)
    query = query.start_at({"timestamp": moment, "__name__": reference}).limit(SEEN_IDS)
    return fetch_messages(query)[::-1]
