"""The word index of a conversation, cut into shards of consecutive messages.

A shard holds all that ranking needs (who, when, which words in which order), so
a search reads a few shards and no messages. Its document is columns of equal
length, since Firestore takes no arrays in arrays, beside the distinct `terms`,
by which `array_contains_any` finds the shards that matter.
"""

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from packs.messaging.chat import ChatMessage
from rollcall.core.text import terms

SCHEMA_VERSION = 1
MOST_MESSAGES = 200
# Every distinct term is an index entry of the document; Firestore allows 40,000.
MOST_TERMS = 6_000
_MOST_WORDS_OF_ONE_MESSAGE = 400
_LONGEST_TERM = 40


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """The words of one message, stopwords left out, in order."""

    sent_at_ms: int
    message_id: str
    sender_id: str = field(compare=False)
    words: tuple[str, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Shard:
    """Up to `MOST_MESSAGES` consecutive messages of one conversation, in time order."""

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
        if len(self.entries) >= MOST_MESSAGES:
            return True
        return len(self.terms) + _MOST_WORDS_OF_ONE_MESSAGE > MOST_TERMS


def new_shard(conversation_id: str, *, number: int = 0) -> Shard:
    """Return an empty shard; numbers count up within a conversation."""
    return Shard(conversation_id, number)


def append(shard: Shard, message: ChatMessage) -> Shard:
    """Return the shard with a message added, or replaced where its id is known.

    An encrypted message is never added, and a message that became encrypted is
    taken out.
    """
    shard = remove(shard, message.id)
    if message.encrypted:
        return shard
    entries = list(shard.entries)
    insort(entries, _entry(message))
    names = {**shard.names, message.sender_id: message.sender_name}
    return replace(shard, entries=tuple(entries), names=names)


def remove(shard: Shard, message_id: str) -> Shard:
    """Return the shard without a message, its words and, if unused now, its sender."""
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
        ValueError: The document is of a newer schema, or its columns do not fit.
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


def _entry(message: ChatMessage) -> Entry:
    words = terms(message.text)[:_MOST_WORDS_OF_ONE_MESSAGE]
    cut = tuple(word[:_LONGEST_TERM] for word in words)
    return Entry(_milliseconds(message.sent_at), message.id, message.sender_id, cut)


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
