"""Which index shards a question reads: a bounded number, those with its rare words first.

An account of up to `MOST_SHARDS` shards is read whole. Of a larger one the shards of each word are
counted (one read a count), and the words with the fewest are read first, so that a rare word is
found however long ago it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packs.messaging.batches import chunks, count, fetch, side_by_side
from packs.messaging.documents import INDEX
from packs.messaging.index import Shard, decode
from packs.messaging.query import Query

if TYPE_CHECKING:
    from google.cloud.firestore import Client
    from google.cloud.firestore_v1.base_query import BaseQuery

MOST_SHARDS = 60
"""Shards read for one question; about 12,000 messages."""
MOST_TERMS = 8
"""Words of a question that are looked up, the weightiest first."""
IN_VALUES = 30
"""Conversations of one query: it has one other filter of one value."""


@dataclass(slots=True)
class ShardReads:
    """The shards found, and what finding them cost.

    Attributes:
        documents: Shards read, those read twice counted twice.
        counts: Counting queries, each a read.
        is_all: Whether every shard that could matter was read.
    """

    shards: dict[str, Shard] = field(default_factory=dict)
    documents: int = 0
    counts: int = 0
    is_all: bool = True

    def take(self, pages: list[list[Any]]) -> None:
        """Keep what was read; a shard that cannot be read any more is left out."""
        for snapshot in (snapshot for page in pages for snapshot in page):
            self.documents += 1
            try:
                self.shards[snapshot.id] = decode(snapshot.to_dict() or {})
            except (ValueError, KeyError):
                self.is_all = False

    def holding(self, words: frozenset[str], *, by: frozenset[str] = frozenset()) -> set[str]:
        """The ids of the messages that hold all these words or, where none does, any of them.

        Args:
            words: Stems; without any it is all that was said by those in `by`.
            by: Ids of senders.
        """
        entries = [entry for shard in self.shards.values() for entry in shard.entries]
        if not words:
            return {entry.message_id for entry in entries if entry.sender_id in by}
        held = {entry.message_id: words.intersection(entry.words) for entry in entries}
        every = {id for id, found in held.items() if found == words}
        return every or {id for id, found in held.items() if found}


def read_shards(db: Client, conversation_ids: Sequence[str], query: Query) -> ShardReads:
    """Read the shards of these conversations that answer a question best."""
    batches = [_of(db, ids) for ids in chunks(conversation_ids, IN_VALUES)]
    reads = ShardReads()
    numbers = side_by_side(count, batches)
    reads.counts += len(batches)
    if sum(numbers) <= MOST_SHARDS:
        reads.take(side_by_side(fetch, batches))
    elif not query.has_topic:
        # About everything, or about a person: what was said last.
        reads.is_all = False
        reads.take(_newest(batches, numbers, room=MOST_SHARDS))
    else:
        _read_by_words(reads, batches, query)
    return reads


def _read_by_words(reads: ShardReads, batches: list[BaseQuery], query: Query) -> None:
    terms = sorted(query.weights, key=lambda term: -query.weights[term])[:MOST_TERMS]
    asked = [(term, [_with(batch, term) for batch in batches]) for term in terms]
    every = [with_term for _, queries in asked for with_term in queries]
    numbers = side_by_side(count, every)
    reads.counts += len(every)
    width = len(batches)
    per_term = [
        (queries, numbers[place * width : (place + 1) * width])
        for place, (_, queries) in enumerate(asked)
    ]
    for queries, found in sorted(per_term, key=lambda item: sum(item[1])):
        room = MOST_SHARDS - reads.documents
        if sum(found) > room:
            reads.is_all = False
        if room > 0:
            reads.take(_newest(queries, found, room=room))


def _newest(queries: list[BaseQuery], numbers: list[int], *, room: int) -> list[list[Any]]:
    """The newest shards of each query: a share of the room by how many it has."""
    total = sum(numbers)
    shares = list(numbers) if total <= room else [room * n // total for n in numbers]
    limited = [
        query.order_by("newestMs", direction="DESCENDING").limit(share)
        for query, share in zip(queries, shares, strict=True)
        if share
    ]
    return side_by_side(fetch, limited)


def _of(db: Client, ids: list[str]) -> BaseQuery:
    from google.cloud.firestore import FieldFilter

    return db.collection(INDEX).where(filter=FieldFilter("conversationId", "in", ids))


def _with(batch: BaseQuery, term: str) -> BaseQuery:
    from google.cloud.firestore import FieldFilter

    return batch.where(filter=FieldFilter("terms", "array_contains", term))
