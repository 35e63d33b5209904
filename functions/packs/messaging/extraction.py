"""Extraction, a step at a time: only messages that were not looked at before.

A step reads a page of new messages after the cursor, and writes what is in them together with the
new cursor. The write holds only if nobody else moved the cursor: the loser of two starts over.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from packs.messaging.access import Reach
from packs.messaging.batches import chunks, fetch, side_by_side
from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    EXTRACTION,
    MESSAGES,
    Conversation,
    read_message,
)
from packs.messaging.extraction_state import (
    SEEN_IDS,
    State,
    forget_all_items,
    forget_items,
)
from packs.messaging.findings import Finding, write_findings
from packs.messaging.reading import VERSION, read_findings
from packs.messaging.retries import until_unchanged
from rollcall.core.context import ToolContext

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_query import BaseQuery

MOST_MESSAGES = 2_000
"""New messages of one conversation that one call looks at."""
MOST_SECONDS = 40.0
PAGE = 300
MODEL_PAGE = 80
_PENDING_AT_ONCE = 10
_CONVERSATIONS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a call did: `is_all` is False where messages are left for the next call."""

    messages: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class _Step:
    messages: int
    is_last: bool


def extract_new(ctx: ToolContext, mine: Reach) -> Extracted:
    """Bring the action items and decisions of these conversations up to date."""
    due = _due(ctx, mine)
    if not due:
        return Extracted(0, is_all=True)
    ends = time.monotonic() + MOST_SECONDS
    results: list[Extracted] = []
    for some in chunks(due, _CONVERSATIONS_AT_ONCE):
        results += side_by_side(lambda item: _conversation(ctx, item, ends=ends), some)
        ctx.progress("reading new messages", done=len(results), total=len(due))
    return Extracted(
        sum(found.messages for found in results), all(found.is_all for found in results)
    )


def _due(ctx: ToolContext, mine: Reach) -> list[Conversation]:
    """The conversations in which something has happened since they were last drained."""
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


def _conversation(ctx: ToolContext, conversation: Conversation, *, ends: float) -> Extracted:
    looked_at = 0
    while looked_at < MOST_MESSAGES and time.monotonic() < ends:
        step = until_unchanged(partial(_step, ctx, conversation, MOST_MESSAGES - looked_at))
        looked_at += step.messages
        if step.is_last:
            return Extracted(looked_at, is_all=True)
    return Extracted(looked_at, is_all=False)


def _step(ctx: ToolContext, conversation: Conversation, room: int) -> _Step:
    db = ctx.db
    state = State.read(db.collection(EXTRACTION).document(conversation.id).get())
    if state.extractor != VERSION:
        # Read by older rules, or not at all yet: from the beginning.
        if state.extractor:
            forget_all_items(db, conversation.id)
        state = State(version=state.version, extractor=VERSION)
    size = min(room, PAGE if ctx.text_model is None else MODEL_PAGE)
    found = fetch(_after(ctx, conversation.id, state).limit(size))
    page = [read_message(snapshot.id, snapshot.to_dict() or {}) for snapshot in found]
    context = _before(ctx, conversation.id, state) if page else []
    missed = [message for message in context if state.seen and message.id not in state.seen]
    pending = state.pending[:_PENDING_AT_ONCE]
    is_last = len(page) < size and len(pending) == len(state.pending)
    batch = db.batch()
    _next(state, page, context, conversation, is_last=is_last).write(db, batch, conversation.id)
    findings, extractor = _read(ctx, conversation, [*missed, *page], context)
    for late in _stored(ctx, conversation.id, pending):
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


def _next(
    state: State,
    page: list[ChatMessage],
    context: list[ChatMessage],
    conversation: Conversation,
    *,
    is_last: bool,
) -> State:
    """The state after a page."""
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
    """Encrypted messages are left out by the query: their content never comes here."""
    from google.cloud.firestore import FieldFilter

    query = ctx.db.collection(MESSAGES).where(
        filter=FieldFilter("conversationId", "==", conversation_id)
    )
    return query.where(filter=FieldFilter("encrypted", "==", False))


def _after(ctx: ToolContext, conversation_id: str, state: State) -> BaseQuery:
    moment, message_id = state.cursor
    query: BaseQuery = _readable(ctx, conversation_id).order_by("timestamp").order_by("__name__")
    if not message_id:
        return query.start_at({"timestamp": moment})
    reference = ctx.db.collection(MESSAGES).document(message_id)
    return query.start_after({"timestamp": moment, "__name__": reference})


def _before(ctx: ToolContext, conversation_id: str, state: State) -> list[ChatMessage]:
    """The last messages up to the cursor, oldest first."""
    moment, message_id = state.cursor
    if not message_id:
        return []
    query = _readable(ctx, conversation_id).order_by("timestamp", direction="DESCENDING")
    query = query.order_by("__name__", direction="DESCENDING")
    reference = ctx.db.collection(MESSAGES).document(message_id)
    found = fetch(query.start_at({"timestamp": moment, "__name__": reference}).limit(SEEN_IDS))
    return [read_message(snapshot.id, snapshot.to_dict() or {}) for snapshot in reversed(found)]


def _stored(
    ctx: ToolContext, conversation_id: str, message_ids: Sequence[str]
) -> list[ChatMessage]:
    """Messages by id, without those that are gone, encrypted or elsewhere."""
    references = [ctx.db.collection(MESSAGES).document(id) for id in message_ids]
    found = ctx.db.get_all(references) if references else ()
    return [
        read_message(snapshot.id, data)
        for snapshot in found
        if (data := snapshot.to_dict() or {}).get("conversationId") == conversation_id
        and data.get("encrypted") is False
    ]
