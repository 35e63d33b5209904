"""Search in all of a user's conversations, by words and, with an embedder, by meaning."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.text import excerpt, terms
from rollcall.core.wire import Display, Wire
from rollcall.packs.messaging.access import Reach, reach
from rollcall.packs.messaging.documents import MESSAGES, iso, read_message, text_of
from rollcall.packs.messaging.query import read_query
from rollcall.packs.messaging.ranking import Hit, fuse, rank
from rollcall.packs.messaging.shard_reads import read_shards
from rollcall.packs.messaging.sources import cite_message, shown
from rollcall.packs.messaging.vectors import nearest

MOST_FOUND = 200
"""Hits that are ranked, and so counted in `totalFound`."""


class SearchResult(Wire):
    """One message found; `relevanceScore` runs from 0 to 1."""

    message_id: str
    conversation_id: str
    conversation_name: str
    sender_id: str
    sender_name: str
    content: str
    relevance_score: float
    timestamp: str


class SearchResults(Wire):
    """What search_all_conversations returns.

    Attributes:
        total_found: Messages found; where `searched_all` is false there may be more.
        shards_read: Index documents read for it.
    """

    results: list[SearchResult]
    total_found: int
    searched_all: bool
    shards_read: int
    query: str
    timestamp: str


@capability(
    name={"en": "Search conversations", "he": "חיפוש בשיחות"},
    category="messaging",
    keywords=[
        "search",
        "find",
        "look for",
        "mention",
        "who said",
        "what did they say about",
        "discussed",
        "talk about",
        "about the budget",
        "topic",
        "when did we",
        "חפש",
        "חיפוש",
        "מצא",
        "מי אמר",
        "מה אמרו על",
        "דיברו על",
        "הזכיר",
        "בנושא",
        "לגבי",
        "מה נאמר",
    ],
    examples=[
        {"userRequest": "What did Dana say about the budget?", "parameters": {"query": "budget"}},
        {
            "userRequest": "Find messages about the Berlin trip",
            "parameters": {"query": "Berlin trip", "limit": 10},
        },
        {"userRequest": "מה אמרו על התקציב?", "parameters": {"query": "תקציב"}},
    ],
    related=[
        "get_conversation_decisions",
        "get_conversation_action_items",
        "get_user_conversations",
        "summarize_conversation",
    ],
)
def search_all_conversations(
    ctx: ToolContext,
    *,
    query: Annotated[str, Field(min_length=1, max_length=1_000)],
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> SearchResults:
    """Search all of the user's conversations for messages about a topic, most relevant first.

    Use it whenever a question names a topic, a person's words or a thing said earlier. The
    conversation ids in its results can then be given to the tools for decisions, action items
    and summaries. Encrypted messages are not searched.

    Args:
        query: What to look for: the question as asked, or its key words, in any language.
        limit: Most messages to return, 1 to 50.
    """
    mine = reach(ctx)
    hits, is_all, shards_read = _hits(ctx, mine, query)
    looked_at = _results(ctx, mine, hits[: limit + _SPARE])
    results = [result for result in looked_at if result is not None]
    total = len(hits) - (len(looked_at) - len(results))
    results = results[:limit]
    for result in results:
        _cite(ctx, result, query)
    ctx.show(Display(type="table", columns=_COLUMNS, rows=[_row(item) for item in results]))
    return SearchResults(
        results=results,
        total_found=total,
        searched_all=is_all and mine.is_all and len(hits) < MOST_FOUND,
        shards_read=shards_read,
        query=query,
        timestamp=iso(ctx.now) or "",
    )


_COLUMNS = ["conversationName", "senderName", "content", "timestamp"]
_SPARE = 10
"""Read beside what is asked for, for hits that turn out to be gone."""


def _hits(ctx: ToolContext, mine: Reach, question: str) -> tuple[list[Hit], bool, int]:
    """Rank by words, and fuse with the nearest in meaning where there is an embedder."""
    names = {
        pair for talk in mine.conversations.values() for pair in talk.participant_names.items()
    }
    reads = read_shards(ctx.db, mine.ids, read_query(question, names=names))
    found = rank(reads.shards.values(), question, limit=MOST_FOUND)
    if ctx.embedder is not None and mine.ids:
        near = nearest(ctx.db, ctx.embedder, mine.ids, question, limit=MOST_FOUND // 4)
        found = fuse(found, near, limit=MOST_FOUND)
    return found, reads.is_all, reads.documents


def _results(ctx: ToolContext, mine: Reach, hits: list[Hit]) -> list[SearchResult | None]:
    """Read the messages hit, and check each again: the index may lag behind."""
    references = [ctx.db.collection(MESSAGES).document(hit.message_id) for hit in hits]
    stored = {
        snapshot.id: snapshot.to_dict() or {}
        for snapshot in ctx.db.get_all(references)
        if snapshot.exists
    }
    return [_result(mine, hit, stored.get(hit.message_id)) for hit in hits]


def _result(mine: Reach, hit: Hit, data: dict[str, Any] | None) -> SearchResult | None:
    if data is None:
        return None
    message = read_message(hit.message_id, data)
    conversation_id = text_of(data.get("conversationId"))
    if message.encrypted or conversation_id not in mine.conversations:
        return None
    return SearchResult(
        message_id=message.id,
        conversation_id=conversation_id,
        conversation_name=mine.name(conversation_id),
        sender_id=message.sender_id,
        sender_name=message.sender_name,
        content=shown(message.text),
        relevance_score=round(min(1.0, max(0.0, hit.score)), 4),
        timestamp=iso(message.sent_at) or "",
    )


def _cite(ctx: ToolContext, result: SearchResult, query: str) -> None:
    from datetime import datetime

    cite_message(
        ctx,
        conversation_id=result.conversation_id,
        conversation_name=result.conversation_name,
        message_id=result.message_id,
        sender_name=result.sender_name,
        sent_at=datetime.fromisoformat(result.timestamp),
        quote=excerpt(result.content, terms(query), length=200),
    )


def _row(item: SearchResult) -> dict[str, Any]:
    row = item.dump()
    return {column: row[column] for column in _COLUMNS}
