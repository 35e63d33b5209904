"""Reading stored action items and decisions, sorted over all conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Annotated, Any

from pydantic import Field

from packs.messaging.access import Reach
from packs.messaging.documents import iso, moment_of, text_of
from packs.messaging.extraction import extract_new
from packs.messaging.firestore import IN_VALUES, chunks, count, fetch, side_by_side
from packs.messaging.sources import cite_message
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire

ConversationIds = Annotated[list[str], Field(min_length=1, max_length=50)]
Limit = Annotated[int, Field(ge=1, le=50)]
Found = tuple[str, dict[str, Any]]


class Counts(Wire):
    """How much there is, and how far it was looked for.

    Attributes:
        total_found: All that fit, of which the first are listed.
        searched_all: False where there were more conversations or new messages than one call
            looks at; asking again goes on from there.
        messages_read: New messages that were looked at for this answer.
    """

    total_found: int
    searched_all: bool
    messages_read: int
    timestamp: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The first of the stored findings, as (id, document), and the counts that go with them."""

    found: list[Found]
    counts: dict[str, Any]


def listing(
    ctx: ToolContext,
    mine: Reach,
    collection: str,
    *,
    order: Sequence[tuple[str, str]],
    key: Callable[[dict[str, Any]], Any],
    limit: int,
    where: Mapping[str, Sequence[str]] | None = None,
) -> Listing:
    """Read what is new in these conversations, then return the first findings, cited.

    Args:
        order: (field, "ASCENDING" or "DESCENDING") as Firestore sorts.
        key: The same order, for merging the batches' results.
        where: Further conditions: a field, and the values it may have.
    """
    extracted = extract_new(ctx, mine)
    found, total = _first(ctx, mine, collection, order, key, limit, where or {})
    for _, data in found:
        _cite(ctx, mine, data)
    counts = Counts(
        total_found=total,
        searched_all=mine.is_all and extracted.is_all,
        messages_read=extracted.messages,
        timestamp=iso(ctx.now) or "",
    )
    return Listing(found, counts.model_dump())


def _first(
    ctx: ToolContext,
    mine: Reach,
    collection: str,
    order: Sequence[tuple[str, str]],
    key: Callable[[dict[str, Any]], Any],
    limit: int,
    where: Mapping[str, Sequence[str]],
) -> tuple[list[Found], int]:
    """Return the first documents in an order, and how many there are in all."""
    queries = [_query(ctx, collection, ids, where) for ids in chunks(mine.ids, IN_VALUES)]

    def page(query: Any) -> list[Found]:
        for field, direction in order:
            query = query.order_by(field, direction=direction)
        return [(item.id, item.to_dict() or {}) for item in fetch(query.limit(limit))]

    pages = side_by_side(page, queries)
    found = nsmallest(limit, (item for some in pages for item in some), lambda one: key(one[1]))
    total = len(found) if len(found) < limit else sum(side_by_side(count, queries))
    return found, total


def _cite(ctx: ToolContext, mine: Reach, data: dict[str, Any]) -> None:
    """Cite the message that a stored finding comes from."""
    conversation_id = text_of(data.get("conversationId"))
    cite_message(
        ctx,
        conversation_id=conversation_id,
        conversation_name=mine.name(conversation_id),
        message_id=text_of(data.get("messageId")),
        sender_name=text_of(data.get("senderName")),
        sent_at=moment_of(data.get("sourceTimestamp")),
        quote=text_of(data.get("quote")),
    )


def _query(
    ctx: ToolContext, collection: str, ids: list[str], where: Mapping[str, Sequence[str]]
) -> Any:
    from google.cloud.firestore import FieldFilter

    query: Any = ctx.db.collection(collection)
    query = query.where(filter=FieldFilter("conversationId", "in", ids))
    for field, values in where.items():
        query = query.where(filter=FieldFilter(field, "in", list(values)))
    return query
