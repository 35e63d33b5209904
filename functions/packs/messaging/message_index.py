"""The word index of conversations, stored in shards of consecutive messages."""

from __future__ import annotations

import hashlib
from bisect import insort
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import CONVERSATIONS, INDEX, Conversation, strings
from packs.messaging.firestore import BRANCHES, chunks, count, fetch, side_by_side
from packs.messaging.query import Query
from rollcall.core.text import terms
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot
    from google.cloud.firestore_v1.base_query import BaseQuery
    from google.cloud.firestore_v1.types import WriteResult


SCHEMA_VERSION = 1
MAX_MESSAGES = 200
# Every distinct term is an index entry of the document; Firestore allows 40,000.
MAX_TERMS = 6_000
_MAX_WORDS_OF_ONE_MESSAGE = 400
_MAX_TERM = 40


class Entry(Struct, frozen=True):
    """The words of one message in order, without stopwords."""

    sent_at_ms: int
    message_id: str
    sender_id: str
    words: tuple[str, ...]


class Shard(Struct, frozen=True):
    """Up to `MAX_MESSAGES` consecutive messages of one conversation, in time order."""

    conversation_id: str
    number: int
    entries: tuple[Entry, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def terms(self) -> list[str]:
        """The distinct words, in order of first use."""
        return list(dict.fromkeys(word for entry in self.entries for word in entry.words))

    @property
    def is_full(self) -> bool:
        """Whether the next message belongs to a new shard."""
        if len(self.entries) >= MAX_MESSAGES:
            return True
        return len(self.terms) + _MAX_WORDS_OF_ONE_MESSAGE > MAX_TERMS


def append(shard: Shard, message: ChatMessage) -> Shard:
    """Return the shard with a message added, or replaced if it has its id.

    An encrypted message is never added, and one that became encrypted is removed.
    """
    shard = remove(shard, message.id)
    if message.encrypted:
        return shard
    words = terms(message.text)[:_MAX_WORDS_OF_ONE_MESSAGE]
    cut = tuple(word[:_MAX_TERM] for word in words)
    entries = list(shard.entries)
    entry = Entry(_milliseconds(message.sent_at), message.id, message.sender_id, cut)
    insort(entries, entry, key=lambda each: (each.sent_at_ms, each.message_id))
    names = {**shard.names, message.sender_id: message.sender_name}
    return replace(shard, entries=tuple(entries), names=names)


def remove(shard: Shard, message_id: str) -> Shard:
    """Return the shard without a message, its words and, if now unused, its sender."""
    entries = tuple(entry for entry in shard.entries if entry.message_id != message_id)
    if len(entries) == len(shard.entries):
        return shard
    senders = {entry.sender_id for entry in entries}
    names = {sender: name for sender, name in shard.names.items() if sender in senders}
    return replace(shard, entries=entries, names=names)


def encode(shard: Shard) -> dict[str, Any]:
    """Return the shard as a Firestore document, far below its size limit."""
    vocabulary = shard.terms
    number_of = {term: str(number) for number, term in enumerate(vocabulary)}
    senders = list(shard.names)
    place = {sender: number for number, sender in enumerate(senders)}
    return {
        "schemaVersion": SCHEMA_VERSION,
        "conversationId": shard.conversation_id,
        "number": shard.number,
        "messageCount": len(shard.entries),
        "terms": vocabulary,
        "senderIds": senders,
        "senderNames": [shard.names[sender] for sender in senders],
        "messageIds": [entry.message_id for entry in shard.entries],
        "sentAtMs": [entry.sent_at_ms for entry in shard.entries],
        "senders": [place[entry.sender_id] for entry in shard.entries],
        "words": [" ".join(map(number_of.__getitem__, entry.words)) for entry in shard.entries],
    }


def decode(document: Mapping[str, Any]) -> Shard:
    """Return the shard that `encode` wrote.

    Raises:
        ValueError: The document has another schema, or its columns do not match.
    """
    if document.get("schemaVersion") != SCHEMA_VERSION:
        raise ValueError(f"unknown index schema {document.get('schemaVersion')!r}")
    senders, word_at = document["senderIds"], document["terms"].__getitem__
    columns = (document[name] for name in ("sentAtMs", "messageIds", "senders", "words"))
    entries = tuple(
        Entry(sent_at, message, senders[sender], tuple(map(word_at, map(int, words.split()))))
        for sent_at, message, sender, words in zip(*columns, strict=True)
    )
    names = dict(zip(senders, document["senderNames"], strict=True))
    return Shard(document["conversationId"], document["number"], entries, names)


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


MAX_ENCRYPTED = 400
"""Most encrypted messages that one shard lists."""


class _OpenShard(Struct):
    """A shard in memory. `version` is the update time it was read at, None for a new one."""

    shard: Shard
    encrypted: set[str]
    version: Any = None
    changed: bool = False


MAX_SHARDS = 60
"""Most shards read for one question; about 12,000 messages."""
MAX_RARE_TERMS = 8
"""Most words of a question that are looked up, those with the highest weight first."""


class ShardReads(Struct):
    """The shards read for a question.

    Attributes:
        documents: Shards read, with repeated reads counted.
        is_all: Whether every shard that could matter was read.
    """

    shards: dict[str, Shard] = field(default_factory=dict)
    documents: int = 0
    is_all: bool = True

    def take(self, pages: list[list[Any]]) -> None:
        """Add shards; one that cannot be decoded is left out."""
        for snapshot in (snapshot for page in pages for snapshot in page):
            self.documents += 1
            try:
                self.shards[snapshot.id] = decode(snapshot.to_dict() or {})
            except (ValueError, KeyError):
                self.is_all = False

    def holding(self, words: frozenset[str], *, by: frozenset[str] = frozenset()) -> set[str]:
        """Return the ids of messages with all of these words or, if none has all, any of them.

        Args:
            words: Stems; if empty, all messages of the senders in `by` are returned.
            by: Ids of senders.
        """
        entries = [entry for shard in self.shards.values() for entry in shard.entries]
        if not words:
            return {entry.message_id for entry in entries if entry.sender_id in by}
        held = {entry.message_id: words.intersection(entry.words) for entry in entries}
        every = {id for id, found in held.items() if found == words}
        return every or {id for id, found in held.items() if found}


def read_shards(db: Client, conversation_ids: Sequence[str], query: Query) -> ShardReads:
    """Read the shards of these conversations that are most relevant to a question."""
    batches: list[BaseQuery] = [
        db.collection(INDEX).where(filter=where("conversationId", "in", ids))
        for ids in chunks(conversation_ids, BRANCHES)
    ]
    reads = ShardReads()
    numbers = side_by_side(count, batches)
    if sum(numbers) <= MAX_SHARDS:
        reads.take(side_by_side(fetch, batches))
    elif not query.has_topic:
        # A question without a topic, or about a person: read the newest shards.
        reads.is_all = False
        reads.take(_newest(batches, numbers, room=MAX_SHARDS))
    else:
        _read_by_words(reads, batches, query)
    return reads


def _read_by_words(reads: ShardReads, batches: list[BaseQuery], query: Query) -> None:
    words = sorted(query.weights, key=lambda term: -query.weights[term])[:MAX_RARE_TERMS]
    queries = [
        batch.where(filter=where("terms", "array_contains", word))
        for word in words
        for batch in batches
    ]
    numbers = side_by_side(count, queries)
    width = len(batches)
    per_word = [
        (queries[start : start + width], numbers[start : start + width])
        for start in range(0, len(queries), width)
    ]
    for of_word, found in sorted(per_word, key=lambda item: sum(item[1])):
        room = MAX_SHARDS - reads.documents
        if sum(found) > room:
            reads.is_all = False
        if room > 0:
            reads.take(_newest(of_word, found, room=room))


def _newest(queries: list[BaseQuery], numbers: list[int], *, room: int) -> list[list[Any]]:
    """Read the newest shards of each query, the room shared in proportion to its shards."""
    total = sum(numbers)
    shares = list(numbers) if total <= room else [room * n // total for n in numbers]
    limited = [
        query.order_by("newestMs", direction="DESCENDING").limit(share)
        for query, share in zip(queries, shares, strict=True)
        if share
    ]
    return side_by_side(fetch, limited)


def digest_of(message: ChatMessage) -> str:
    """Return a digest of what the index stores of a message; the same digest needs no update.

    The digest of an encrypted message depends only on its time.
    """
    sent_at_ms = _milliseconds(message.sent_at)
    if message.encrypted:
        return f"encrypted {sent_at_ms}"
    known = f"{sent_at_ms}\0{message.sender_id}\0{message.sender_name}\0{message.text}"
    return hashlib.sha256(known.encode("utf-8", "replace")).hexdigest()[:16]


def shard_hint(data: Mapping[str, Any] | None) -> int | None:
    """Return the shard number that a stored message's mark names, if any."""
    number = (data or {}).get("indexShard")
    return number if isinstance(number, int) and not isinstance(number, bool) else None


class IndexChanges:
    """Changes to one conversation's index and counters, collected for a commit.

    Every writer of a conversation changes its last shard, so a commit with the writes of `write`
    fails if another writer came first; then start again with new changes.
    """

    def __init__(self, db: Client, conversation_id: str) -> None:
        self._db = db
        self._conversation_id = conversation_id
        self._open: dict[int, _OpenShard] = {}
        self._last: int | None = None
        self._written: list[tuple[int, int]] = []
        self._messages = self._encrypted = 0
        self._newest: datetime | None = None

    def add(self, message: ChatMessage, *, hint: int | None) -> dict[str, Any]:
        """Add a message to the last shard, or replace it in its own; return the index marks for
        its document.

        Args:
            hint: The number of the shard that it may be in.
        """
        number = self._place_of(message.id, hint)
        if number is None:
            self._messages += 1
            number = self._number_with_room()
        item = self._open[number]
        self._encrypted += message.encrypted - (message.id in item.encrypted)
        if self._newest is None or message.sent_at > self._newest:
            self._newest = message.sent_at
        item.shard = append(item.shard, message)
        item.encrypted.discard(message.id)
        if message.encrypted:
            item.encrypted.add(message.id)
        item.changed = True
        return {"indexShard": number, "indexDigest": digest_of(message)}

    def remove(self, message_id: str, *, hint: int | None) -> bool:
        """Remove a message; return False if it was not in the index."""
        number = self._place_of(message_id, hint)
        if number is None:
            return False
        item = self._open[number]
        self._messages -= 1
        self._encrypted -= message_id in item.encrypted
        item.shard = remove(item.shard, message_id)
        item.encrypted.discard(message_id)
        item.changed = True
        return True

    def write(self, batch: WriteBatch, *, conversation: Conversation | None) -> None:
        """Add shards to a batch, and counters unless the conversation is None."""
        from google.cloud.firestore import Increment

        self._written = []
        for number, item in self._open.items():
            if not item.changed:
                continue
            self._written.append((number, len(batch)))
            reference, entries = self._reference(number), item.shard.entries
            document = {
                **encode(item.shard),
                "encryptedIds": sorted(item.encrypted),
                "newestMs": entries[-1].sent_at_ms if entries else 0,
            }
            if item.version is None:
                batch.create(reference, document)
            else:
                unchanged = self._db.write_option(last_update_time=item.version)
                batch.update(reference, document, option=unchanged)
        if conversation is None:
            return
        changes: dict[str, Any] = {}
        if self._messages:
            changes["messageCount"] = Increment(self._messages)
        if self._encrypted:
            changes["encryptedCount"] = Increment(self._encrypted)
        known = conversation.last_message_at
        if self._newest and (known is None or self._newest > known):
            changes["lastMessageAt"] = self._newest
        if changes:
            batch.update(self._db.collection(CONVERSATIONS).document(conversation.id), changes)

    def committed(self, results: Sequence[WriteResult]) -> None:
        """Take over the results of a commit, to collect further changes; only the last shard stays
        in memory."""
        for number, position in self._written:
            item = self._open[number]
            item.version, item.changed = results[position].update_time, False
        self._written = []
        last = max(self._open, default=None)
        self._open = {number: item for number, item in self._open.items() if number == last}
        self._messages = self._encrypted = 0

    def _place_of(self, message_id: str, hint: int | None) -> int | None:
        """Return the number of a message's shard, if it is the hinted one or an open one."""
        if hint is not None and hint not in self._open:
            snapshot = self._reference(hint).get()
            if snapshot.exists:
                self._open[hint] = _read(snapshot)
        for number, item in self._open.items():
            if message_id in item.encrypted or any(
                entry.message_id == message_id for entry in item.shard.entries
            ):
                return number
        return None

    def _number_with_room(self) -> int:
        """Return the number of the last shard, or of a new one where the last is full."""
        if self._last is None:
            self._last = self._load_last()
        last = self._open[self._last]
        if last.shard.is_full or len(last.encrypted) >= MAX_ENCRYPTED:
            self._last += 1
            self._open[self._last] = _OpenShard(Shard(self._conversation_id, self._last), set())
        return self._last

    def _load_last(self) -> int:
        here = where("conversationId", "==", self._conversation_id)
        newest = self._db.collection(INDEX).where(filter=here)
        for snapshot in newest.order_by("number", direction="DESCENDING").limit(1).stream():
            number = int(snapshot.get("number"))
            self._open.setdefault(number, _read(snapshot))
            return number
        self._open[0] = _OpenShard(Shard(self._conversation_id, 0), set())
        return 0

    def _reference(self, number: int) -> Any:
        return self._db.collection(INDEX).document(f"{self._conversation_id}~{number}")


def _read(snapshot: DocumentSnapshot[Any]) -> _OpenShard:
    data = snapshot.to_dict() or {}
    return _OpenShard(decode(data), set(strings(data.get("encryptedIds"))), snapshot.update_time)
