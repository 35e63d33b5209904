"""Searches all of a user's conversations, by words and, with an embedder, by meaning."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from packs.messaging.access import ReadableConversations, readable_conversations
from packs.messaging.documents import MESSAGES, iso, read_message, text_of
from packs.messaging.finding_lists import next_offset
from packs.messaging.message_index import ShardReads, read_shards
from packs.messaging.query import read_query, read_scope
from packs.messaging.ranking import Hit, fuse, rank
from packs.messaging.sources import QUOTE_CHARS, cite_message, shown
from packs.messaging.vectors import nearest
from packs.messaging.wording import table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.text import excerpt, terms

MAX_FOUND = 100
"""Most hits that are ranked."""
_SPARE = 20
"""Messages read beyond the page: some were deleted, and some with all topic words move up."""
_TOPIC_WEIGHT = 0.5
"""Least weight of a topic word; lighter ones only frame the question."""


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
        total_found: How many messages have all of the topic's words or, if none has, any of
            them; at least the number of results, which may only be near such words.
        more_found: Whether there may be more than were counted.
        searched_all: False where the account is too large to search whole: then the question's
            rarest words were searched everywhere, and the others in the newest messages.
        shards_read: Index documents that were read.
        next_offset: The offset of the next page; None on the last one.
    """

    results: list[SearchResult]
    total_found: int
    more_found: bool
    searched_all: bool
    shards_read: int
    next_offset: int | None = None
    query: str
    timestamp: str


@capability(
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
    offset: Annotated[int, Field(ge=0, le=50)] = 0,
) -> SearchResults:
    """Search all of the user's conversations for messages about a topic, most relevant first.

    Use it whenever a question names a topic, a person's words or a thing said earlier. The
    conversation ids in its results can then be given to the tools for decisions, action items
    and summaries. Encrypted messages are not searched.

    Args:
        query: What to look for: the question as asked, or its key words, in any language.
        limit: Most messages to return, 1 to 50.
        offset: How many of the first to leave out: `nextOffset` of an earlier search goes on.
    """
    mine = readable_conversations(ctx)
    question = read_query(query, names=set(mine.people))
    reads = read_shards(ctx.db, mine.ids, question)
    hits = _hits(ctx, mine, reads, query)
    read = hits[: offset + limit + _SPARE]
    looked_at = _results(ctx, mine, read)
    topic = frozenset(word for word, weight in question.weights.items() if weight >= _TOPIC_WEIGHT)
    ranked = _literal_first(looked_at, topic)
    results = ranked[offset : offset + limit]
    gone = {hit.message_id for hit in read} - {m.message_id for m in looked_at}
    holding = reads.holding(topic, by=question.speakers) - gone
    for result in results:
        _cite(ctx, result, query)
    ctx.show(Display(type="table", **table(ctx.locale, _COLUMNS, map(Wire.dump, results))))
    searched_all = reads.is_all and mine.is_all
    return SearchResults(
        results=results,
        total_found=max(len(holding), len(results)),
        more_found=not searched_all,
        searched_all=searched_all,
        shards_read=reads.documents,
        next_offset=next_offset(offset, len(results), len(ranked)),
        query=query,
        timestamp=iso(ctx.now) or "",
    )


_COLUMNS = ["conversationName", "senderName", "content", "timestamp"]


def _hits(
    ctx: ToolContext, mine: ReadableConversations, reads: ShardReads, question: str
) -> list[Hit]:
    """Rank by words, and fuse with the nearest in meaning where there is an embedder."""
    titles = {id: mine.name(id) for id in mine.ids}
    scope = read_scope(question, titles=titles, now=ctx.now)
    found = rank(reads.shards.values(), question, limit=MAX_FOUND, scope=scope)
    if ctx.embedder is None or not mine.ids:
        return found
    near = nearest(ctx.db, ctx.embedder, mine.ids, question, limit=MAX_FOUND // 2)
    return fuse(found, near, limit=MAX_FOUND)


def _results(ctx: ToolContext, mine: ReadableConversations, hits: list[Hit]) -> list[SearchResult]:
    """Read the messages of the hits, and check each again: the index may lag behind."""
    references = [ctx.db.collection(MESSAGES).document(hit.message_id) for hit in hits]
    stored = {
        snapshot.id: snapshot.to_dict() or {}
        for snapshot in ctx.db.get_all(references)
        if snapshot.exists
    }
    results = []
    for hit in hits:
        data = stored.get(hit.message_id, {})
        message = read_message(hit.message_id, data)
        conversation_id = text_of(data.get("conversationId"))
        if message.encrypted or conversation_id not in mine.conversations:
            continue
        results.append(
            SearchResult(
                message_id=message.id,
                conversation_id=conversation_id,
                conversation_name=mine.name(conversation_id),
                sender_id=message.sender_id,
                sender_name=message.sender_name,
                content=shown(message.text),
                relevance_score=round(min(1.0, max(0.0, hit.score)), 4),
                timestamp=iso(message.sent_at) or "",
            )
        )
    return results


def _literal_first(results: list[SearchResult], topic: frozenset[str]) -> list[SearchResult]:
    """Put messages that have every topic word before those that are only near such words.

    In chat the best answer is often near the word, but a search for one word means that word.
    """
    if not topic:
        return results
    literal: list[SearchResult] = []
    rest: list[SearchResult] = []
    for result in results:
        is_literal = topic <= set(terms(result.content))
        score = round((is_literal + result.relevance_score) / 2, 4)
        scored = result.model_copy(update={"relevance_score": score})
        (literal if is_literal else rest).append(scored)
    return [*literal, *rest]


def _cite(ctx: ToolContext, result: SearchResult, query: str) -> None:
    cite_message(
        ctx,
        conversation_id=result.conversation_id,
        conversation_name=result.conversation_name,
        message_id=result.message_id,
        sender_name=result.sender_name,
        sent_at=datetime.fromisoformat(result.timestamp),
        quote=excerpt(result.content, terms(query), length=QUOTE_CHARS),
    )
