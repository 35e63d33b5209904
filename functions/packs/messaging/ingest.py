"""Imports a whole conversation: messages, priorities, index, vectors and counters.

Messages are read in pages, so memory stays bounded, and each page is one commit. The importer
chooses the ids; importing the same messages again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from packs.messaging.access import copy_participants, is_id
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
from packs.messaging.message_index import IndexChanges, digest_of, shard_hint
from packs.messaging.priority_rules import FIELDS, hand_set_fields, prioritise
from packs.messaging.vectors import write_vectors
from rollcall.core.context import Embedder, TextModel
from rollcall.core.errors import InvalidArgument

if TYPE_CHECKING:
    from google.cloud.firestore import Client

PAGE_MESSAGES = 250
PAGE_BYTES = 1_500_000
"""With its index shards a page stays under the emulator's 4 MiB."""


class IngestCounts(Struct, frozen=True):
    """Counts of imported messages; `unchanged` ones were stored before."""

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
) -> IngestCounts:
    """Write a conversation and its messages; safe to repeat, also after a crash.

    Args:
        conversation: Its counters and times are ignored: the server keeps them.
        messages: In time order as far as possible; read once.
        on_progress: Called after each page with the number of messages processed.

    Raises:
        InvalidArgument: An id is not valid, or belongs to a message of another conversation.
    """
    _check_id(conversation.id)
    rest = iter(messages)
    first = next(rest, None)
    known = describe(db, conversation, begun_at=first.sent_at if first else None)
    writer = _Writer(db, known, embedder, text_model)
    done = IngestCounts(conversation.id)
    for page in _pages(rest if first is None else chain([first], rest), known):
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
    """Store a conversation's description without its counters, and return it as stored."""
    reference = db.collection(CONVERSATIONS).document(conversation.id)
    snapshot = reference.get()
    if snapshot.exists:
        before = Conversation.read(conversation.id, snapshot.to_dict() or {})
        if {**before.description(), **conversation.description()} != before.description():
            reference.update(conversation.description())
        if before.participant_ids != conversation.participant_ids:
            copy_participants(db, conversation.id)
    else:
        created = conversation.created_at or begun_at or datetime.now(UTC)
        owner = conversation.created_by or next(iter(conversation.participant_ids), None)
        counters = {"messageCount": 0, "encryptedCount": 0}
        # A conversation without messages is listed by its creation time.
        times = {"createdAt": created, "createdBy": owner, "lastMessageAt": created}
        reference.set({**conversation.description(), **counters, **times})
    return Conversation.read(conversation.id, reference.get().to_dict() or {})


def _pages(
    messages: Iterable[ChatMessage], conversation: Conversation
) -> Iterator[list[ChatMessage]]:
    """Cut messages into pages; of those with the same id in a page, the last counts."""
    # Bytes of a message's document beside its content; the content is also in the index.
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
    """Return a message that can be stored: lone surrogates replaced, long text cut."""
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
        self._index: IndexChanges | None = None

    def write(self, messages: list[ChatMessage]) -> tuple[int, int, int]:
        """Write a page; return how many messages were new, changed, and new and encrypted."""
        stored = self._stored(messages)
        todo = [item for item in messages if not self._is_done(item, stored.get(item.id))]
        if not todo:
            return 0, 0, 0
        model_fields = prioritise(todo, text_model=self._text_model)
        if self._embedder is not None:
            for message_id in write_vectors(self._db, self._embedder, self._conversation.id, todo):
                model_fields.setdefault(message_id, {})["embeddedBy"] = self._embedder.id
        changed = [message for message in todo if message.id in stored]
        note_late(self._db, self._conversation.id, todo, changed=bool(changed))
        for message in changed:
            forget_items(self._db, message.id)
        until_unchanged(lambda: self._commit(todo, stored, model_fields))
        note_late(self._db, self._conversation.id, todo)
        encrypted = sum(message.encrypted for message in todo if message.id not in stored)
        return len(todo) - len(changed), len(changed), encrypted

    def _stored(self, messages: list[ChatMessage]) -> dict[str, dict[str, Any]]:
        """Return the index marks, priority and content of those messages that are stored."""
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
        return stored

    def _is_done(self, message: ChatMessage, stored: dict[str, Any] | None) -> bool:
        if stored is None or stored.get("indexDigest") != digest_of(message):
            return False
        if message.encrypted and stored.get("content") != message.text:
            return False  # the digest of an encrypted message does not cover its content
        wants_vector = self._embedder is not None and not message.encrypted
        return not wants_vector or stored.get("embeddedBy") == getattr(self._embedder, "id", None)

    def _commit(
        self,
        todo: list[ChatMessage],
        stored: dict[str, dict[str, Any]],
        model_fields: dict[str, dict[str, Any]],
    ) -> None:
        index, self._index = self._index, None
        if index is None:
            reference = self._db.collection(CONVERSATIONS).document(self._conversation.id)
            stored_conversation = reference.get().to_dict() or {}
            self._conversation = Conversation.read(self._conversation.id, stored_conversation)
            index = IndexChanges(self._db, self._conversation.id)
        batch = self._db.batch()
        marks = {item.id: index.add(item, hint=shard_hint(stored.get(item.id))) for item in todo}
        index.write(batch, conversation=self._conversation)
        for item in todo:
            document = {
                "schemaVersion": SCHEMA_VERSION,
                "conversationId": self._conversation.id,
                "senderId": item.sender_id,
                "senderName": item.sender_name,
                "content": item.text,
                "timestamp": item.sent_at,
                "encrypted": item.encrypted,
                "participantIds": list(self._conversation.participant_ids),
                **marks[item.id],
                **model_fields.get(item.id, {}),
                **({} if item.encrypted else hand_set_fields(stored.get(item.id, {}))),
            }
            batch.set(self._db.collection(MESSAGES).document(item.id), document)
        index.committed(batch.commit())
        self._index = index  # kept only after a commit, which confirms its content
