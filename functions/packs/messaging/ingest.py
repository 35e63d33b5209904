"""Bringing a conversation in whole: messages, priorities, index, vectors and counters.

Messages stream through in pages, so memory stays bounded, and each page is one commit. Ids are
the importer's; writing the same again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from packs.messaging.access import is_id, propagate
from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    CONTENT_CHARS,
    CONVERSATIONS,
    MESSAGES,
    SCHEMA_VERSION,
    Conversation,
)
from packs.messaging.extraction import forget_items, note_late
from packs.messaging.firestore import until_unchanged
from packs.messaging.message_index import Filing, digest_of, shard_hint
from packs.messaging.priority_rules import FIELDS, kept, prioritise
from packs.messaging.vectors import write_vectors
from rollcall.core.context import Embedder, TextModel
from rollcall.core.errors import InvalidArgument

if TYPE_CHECKING:
    from google.cloud.firestore import Client

PAGE_MESSAGES = 250
PAGE_BYTES = 1_500_000
"""With its index shards a page stays under the emulator's 4 MiB."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of the messages given: `unchanged` ones were there already, just so."""

    conversation_id: str
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    encrypted: int = 0

    @property
    def total(self) -> int:
        return self.added + self.changed + self.unchanged


def write_conversation(
    db: Client,
    conversation: Conversation,
    messages: Iterable[ChatMessage],
    *,
    embedder: Embedder | None = None,
    text_model: TextModel | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Ingested:
    """Write a conversation and its messages; safe to repeat, and to go on with after a crash.

    Args:
        conversation: Its counters and times are kept by the server, not taken from here.
        messages: In the order of time, as far as possible; read once.
        on_progress: Told, after each page, how many messages have been dealt with.

    Raises:
        InvalidArgument: An id cannot be one, or belongs to another conversation's message.
    """
    _check_id(conversation.id)
    first, messages = _first(messages)
    known = describe(db, conversation, begun_at=first.sent_at if first else None)
    writer = _Writer(db, known, embedder, text_model)
    done = Ingested(conversation.id)
    for page in _pages(messages, known):
        added, changed, encrypted = writer.write(page)
        done = replace(
            done,
            added=done.added + added,
            changed=done.changed + changed,
            unchanged=done.unchanged + len(page) - added - changed,
            encrypted=done.encrypted + encrypted,
        )
        if on_progress:
            on_progress(done.total)
    return done


def describe(
    db: Client, conversation: Conversation, *, begun_at: datetime | None = None
) -> Conversation:
    """Store what a conversation is, leaving its counters alone, and return it as stored."""
    reference = db.collection(CONVERSATIONS).document(conversation.id)
    snapshot = reference.get()
    if snapshot.exists:
        before = Conversation.read(conversation.id, snapshot.to_dict() or {})
        if {**before.description(), **conversation.description()} != before.description():
            reference.update(conversation.description())
        if before.participant_ids != conversation.participant_ids:
            propagate(db, conversation.id)
    else:
        created = conversation.created_at or begun_at or datetime.now(UTC)
        owner = conversation.created_by or next(iter(conversation.participant_ids), None)
        counters = {"messageCount": 0, "encryptedCount": 0}
        # A conversation without messages still has its place in the list: its creation.
        times = {"createdAt": created, "createdBy": owner, "lastMessageAt": created}
        reference.set({**conversation.description(), **counters, **times})
    return Conversation.read(conversation.id, reference.get().to_dict() or {})


def _first(messages: Iterable[ChatMessage]) -> tuple[ChatMessage | None, Iterable[ChatMessage]]:
    """Look at the first message without losing it."""
    rest = iter(messages)
    first = next(rest, None)
    return first, rest if first is None else chain([first], rest)


def _pages(
    messages: Iterable[ChatMessage], conversation: Conversation
) -> Iterator[list[ChatMessage]]:
    """Cut into pages; of messages with one id in a page, the last counts."""
    # What a message's document holds beside its content, and what the index holds of it.
    beside = 600 + sum(len(uid.encode()) + 1 for uid in conversation.participant_ids)
    page: dict[str, ChatMessage] = {}
    size = 0
    for message in messages:
        clean = _clean(message, conversation.participant_names)
        page[clean.id] = clean
        size += beside + 2 * len(clean.text.encode())
        if len(page) >= PAGE_MESSAGES or size >= PAGE_BYTES:
            yield list(page.values())
            page, size = {}, 0
    if page:
        yield list(page.values())


def _clean(message: ChatMessage, names: dict[str, str]) -> ChatMessage:
    """The message as it can be stored: half characters replaced, over-long text cut."""
    _check_id(message.id)
    sender = _storable(message.sender_id)
    moment = message.sent_at
    return replace(
        message,
        sender_id=sender,
        sender_name=_storable(message.sender_name) or names.get(sender, sender),
        text=_storable(message.text[:CONTENT_CHARS]),
        sent_at=moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC),
    )


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _check_id(id: str) -> None:
    if not is_id(id):
        raise InvalidArgument(f"{id[:80]!r} cannot be the id of a document", field="id")


@dataclass(frozen=True, slots=True)
class _Page:
    """What a page comes to: messages to write, with what is stored of them."""

    todo: list[ChatMessage]
    stored: dict[str, dict[str, Any]]


class _Writer:
    """Writes pages of one conversation, keeping the open index shard between them."""

    def __init__(
        self,
        db: Client,
        conversation: Conversation,
        embedder: Embedder | None,
        text_model: TextModel | None,
    ) -> None:
        self._db = db
        self._conversation = conversation
        self._embedder = embedder
        self._text_model = text_model
        self._filing: Filing | None = None

    def write(self, messages: list[ChatMessage]) -> tuple[int, int, int]:
        """Write a page; return how many messages were new, changed, and new and encrypted."""
        page = self._compare(messages)
        if not page.todo:
            return 0, 0, 0
        extras = self._extras(page.todo)
        changed = [message for message in page.todo if message.id in page.stored]
        note_late(self._db, self._conversation.id, page.todo, changed=bool(changed))
        for message in changed:
            forget_items(self._db, message.id)
        until_unchanged(lambda: self._commit(page, extras))
        note_late(self._db, self._conversation.id, page.todo)
        encrypted = sum(m.encrypted for m in page.todo if m.id not in page.stored)
        return len(page.todo) - len(changed), len(changed), encrypted

    def _compare(self, messages: list[ChatMessage]) -> _Page:
        """Leave out what is stored just so already."""
        stored: dict[str, dict[str, Any]] = {}
        references = [self._db.collection(MESSAGES).document(item.id) for item in messages]
        fields = ["conversationId", "indexShard", "indexDigest", "embeddedBy", "content", *FIELDS]
        for snapshot in self._db.get_all(references, field_paths=fields):
            if snapshot.exists:
                stored[snapshot.id] = snapshot.to_dict() or {}
                if stored[snapshot.id].get("conversationId") != self._conversation.id:
                    raise InvalidArgument(
                        f"message {snapshot.id!r} belongs to another conversation", field="id"
                    )
        todo = [item for item in messages if not self._is_done(item, stored.get(item.id))]
        return _Page(todo, stored)

    def _is_done(self, message: ChatMessage, stored: dict[str, Any] | None) -> bool:
        if stored is None or stored.get("indexDigest") != digest_of(message):
            return False
        if message.encrypted and stored.get("content") != message.text:
            return False  # which the digest does not know: it says nothing of secret content
        wants_vector = self._embedder is not None and not message.encrypted
        return not wants_vector or stored.get("embeddedBy") == getattr(self._embedder, "id", None)

    def _extras(self, messages: Sequence[ChatMessage]) -> dict[str, dict[str, Any]]:
        """What models add to each message: a priority, and the mark of a vector."""
        extras = prioritise(messages, text_model=self._text_model)
        if self._embedder is not None:
            for message_id in write_vectors(
                self._db, self._embedder, self._conversation.id, messages
            ):
                extras.setdefault(message_id, {})["embeddedBy"] = self._embedder.id
        return extras

    def _commit(self, page: _Page, extras: dict[str, dict[str, Any]]) -> None:
        filing, self._filing = self._filing or self._fresh(), None
        batch = self._db.batch()
        marks = {
            item.id: filing.add(item, hint=shard_hint(page.stored.get(item.id)))
            for item in page.todo
        }
        filing.write(batch, conversation=self._conversation)
        for item in page.todo:
            reference = self._db.collection(MESSAGES).document(item.id)
            by_hand = {} if item.encrypted else kept(page.stored.get(item.id, {}))
            document = self._document(item) | marks[item.id] | extras.get(item.id, {})
            batch.set(reference, document | by_hand)
        filing.committed(batch.commit())
        self._filing = filing  # only after a commit is what it holds known to be true

    def _fresh(self) -> Filing:
        reference = self._db.collection(CONVERSATIONS).document(self._conversation.id)
        stored = reference.get().to_dict() or {}
        self._conversation = Conversation.read(self._conversation.id, stored)
        return Filing(self._db, self._conversation.id)

    def _document(self, message: ChatMessage) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "conversationId": self._conversation.id,
            "senderId": message.sender_id,
            "senderName": message.sender_name,
            "content": message.text,
            "timestamp": message.sent_at,
            "encrypted": message.encrypted,
            "participantIds": list(self._conversation.participant_ids),
        }
