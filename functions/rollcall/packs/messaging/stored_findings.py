"""Reading stored action items and decisions, sorted over all conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import nsmallest
from typing import Any

from rollcall.core.context import ToolContext
from rollcall.packs.messaging.access import Reach
from rollcall.packs.messaging.batches import IN_VALUES, chunks, count, fetch, side_by_side
from rollcall.packs.messaging.documents import moment_of, text_of
from rollcall.packs.messaging.sources import cite_message

Found = tuple[str, dict[str, Any]]


def first(
    ctx: ToolContext,
    mine: Reach,
    collection: str,
    *,
    order: Sequence[tuple[str, str]],
    key: Callable[[dict[str, Any]], Any],
    limit: int,
    equal: dict[str, str] | None = None,
) -> tuple[list[Found], int]:
    """Return the first documents in an order, and how many there are in all.

    Args:
        order: (field, "ASCENDING" or "DESCENDING") as Firestore sorts.
        key: The same order, for merging the batches' results.
        equal: Further conditions.
    """
    queries = [_query(ctx, collection, ids, equal or {}) for ids in chunks(mine.ids, IN_VALUES)]

    def page(query: Any) -> list[Found]:
        for field, direction in order:
            query = query.order_by(field, direction=direction)
        return [(item.id, item.to_dict() or {}) for item in fetch(query.limit(limit))]

    pages = side_by_side(page, queries)
    found = nsmallest(limit, (item for some in pages for item in some), lambda one: key(one[1]))
    total = len(found) if len(found) < limit else sum(side_by_side(count, queries))
    return found, total


def cite_finding(ctx: ToolContext, mine: Reach, data: dict[str, Any], *, quote: str) -> None:
    """Cite the message that a stored finding comes from."""
    conversation_id = text_of(data.get("conversationId"))
    cite_message(
        ctx,
        conversation_id=conversation_id,
        conversation_name=mine.name(conversation_id),
        message_id=text_of(data.get("messageId")),
        sender_name=text_of(data.get("senderName")),
        sent_at=moment_of(data.get("sourceTimestamp")),
        quote=quote,
    )


def _query(ctx: ToolContext, collection: str, ids: list[str], equal: dict[str, str]) -> Any:
    from google.cloud.firestore import FieldFilter

    query: Any = ctx.db.collection(collection)
    query = query.where(filter=FieldFilter("conversationId", "in", ids))
    for field, value in equal.items():
        query = query.where(filter=FieldFilter(field, "==", value))
    return query
