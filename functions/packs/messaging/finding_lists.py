"""Lists stored action items and decisions, sorted over all conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest
from typing import Annotated, Any

from msgspec import Struct
from pydantic import Field

from packs.messaging.access import ReadableConversations
from packs.messaging.documents import iso, text_of
from packs.messaging.extraction import extract_new
from packs.messaging.firestore import IN_VALUES, chunks, count, fetch, side_by_side
from packs.messaging.sources import cite_finding
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire
from rollcall.store.batches import where

ConversationIds = Annotated[list[str], Field(min_length=1, max_length=50)]
Limit = Annotated[int, Field(ge=1, le=50)]
Offset = Annotated[int, Field(ge=0, le=500)]
MAX_FILTERED = 300
"""Most findings that are read to apply a condition that Firestore cannot."""
Found = tuple[str, dict[str, Any]]


class Counts(Wire):
    """Totals and coverage of a list.

    Attributes:
        total_found: How many match in all; the list has the first of them.
        searched_all: False where there were more conversations or new messages than one call
            reads; the next call continues.
        messages_read: New messages that this call read.
        next_offset: The offset of the next page; None on the last one.
    """

    total_found: int
    searched_all: bool
    messages_read: int
    next_offset: int | None = None
    timestamp: str


class Listing(Struct, frozen=True):
    """A page of stored findings, as (id, document), and its counts."""

    found: list[Found]
    counts: dict[str, Any]


def listing(
    ctx: ToolContext,
    mine: ReadableConversations,
    collection: str,
    *,
    order: Sequence[tuple[str, str]],
    key: Callable[[dict[str, Any]], Any],
    limit: int,
    offset: int = 0,
    where: Mapping[str, Sequence[str]] | None = None,
    fits: Callable[[dict[str, Any]], bool] | None = None,
) -> Listing:
    """Extract from new messages of these conversations, then return a page of findings, cited.

    Args:
        offset: How many of the first findings to skip.
        order: (field, "ASCENDING" or "DESCENDING") for Firestore's sort.
        key: The same order, for merging the batches' results.
        where: Further conditions: a field, and the values it may have.
        fits: A further condition, applied to the first `MAX_FILTERED` findings.
    """
    extracted = extract_new(ctx, mine)
    most = MAX_FILTERED if fits else offset + limit
    found, total = _first(ctx, mine, collection, order, key, most, where or {})
    is_all = mine.is_all and extracted.is_all
    if fits:
        is_all = is_all and total == len(found)
        found = [item for item in found if fits(item[1])]
        total = len(found)
    found = found[offset : offset + limit]
    for _, data in found:
        name = mine.name(text_of(data.get("conversationId")))
        cite_finding(ctx, data, conversation_name=name)
    counts = Counts(
        total_found=total,
        searched_all=is_all,
        messages_read=extracted.messages,
        next_offset=next_offset(offset, len(found), total),
        timestamp=iso(ctx.now) or "",
    )
    return Listing(found, counts.model_dump())


def next_offset(offset: int, shown: int, total: int) -> int | None:
    """Return the offset of the next page, or None if this one reaches `total`."""
    return offset + shown if shown and offset + shown < total else None


def _first(
    ctx: ToolContext,
    mine: ReadableConversations,
    collection: str,
    order: Sequence[tuple[str, str]],
    key: Callable[[dict[str, Any]], Any],
    limit: int,
    conditions: Mapping[str, Sequence[str]],
) -> tuple[list[Found], int]:
    """Return the first documents in an order, and the total number."""
    queries = []
    for ids in chunks(mine.ids, IN_VALUES):
        every: Any = ctx.db.collection(collection)
        every = every.where(filter=where("conversationId", "in", ids))
        for field, values in conditions.items():
            every = every.where(filter=where(field, "in", list(values)))
        queries.append(every)

    def page(query: Any) -> list[Found]:
        for field, direction in order:
            query = query.order_by(field, direction=direction)
        return [(item.id, item.to_dict() or {}) for item in fetch(query.limit(limit))]

    pages = side_by_side(page, queries)
    found = nsmallest(limit, (item for some in pages for item in some), lambda one: key(one[1]))
    total = len(found) if len(found) < limit else sum(side_by_side(count, queries))
    return found, total
