"""Conversations on the emulator, and users who ask about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client, FieldFilter

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import Conversation
from packs.messaging.ingest import IngestCounts, write_conversation
from packs.messaging.triggers import message_written
from rollcall.agent.paid_calls import MeteredEmbedder, metered
from rollcall.core.context import ToolContext, User
from rollcall.core.triggers import DocumentEvent

START = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday
TENANT = "acme"
NAMES = {"dana": "Dana Levi", "tom": "Tom Reed", "noa": "נועה כהן"}


@dataclass
class Platform:
    """A database, and models where a test brings some."""

    db: Client
    text_model: Any = None
    embedder: Any = None

    def find_user(self, uid: str) -> User | None:
        return None if uid == "gone" else User(uid, tenant=TENANT)

    def text_model_for(self, user: User) -> Any:
        return metered(self.text_model, self.db, user)

    def embedder_for(self, user: User) -> Any:
        return self.embedder and MeteredEmbedder(self.embedder, self.db, user)


@dataclass
class ScriptedModel:
    """A text model that gives the replies it was made with, and keeps what it was asked."""

    replies: list[Any]
    asked: list[str] = field(default_factory=list)
    id: str = "scripted:model"

    def generate(self, *, instructions: str, text: str, schema: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(text)
        reply = self.replies.pop(0) if self.replies else RuntimeError("nothing left to say")
        if isinstance(reply, Exception):
            raise reply
        return reply


class World:
    """What a test's Firestore holds, and ways to fill and to ask it."""

    def __init__(self, db: Client) -> None:
        self.db = db
        self.platform = Platform(db)

    def ctx(self, uid: str = "dana") -> ToolContext:
        return ToolContext(User(uid), self.platform, now=START + timedelta(days=7))

    def talk(
        self,
        id: str,
        lines: Iterable[tuple[str, str] | ChatMessage],
        *,
        people: tuple[str, ...] = ("dana", "tom"),
        name: str | None = None,
        start: datetime = START,
        encrypted: bool = False,
    ) -> IngestCounts:
        """Import a conversation of (sender, text) lines, a minute apart, with ids `{id}-{n}`."""
        conversation = Conversation(
            id=id,
            name=name or f"Talk {id}",
            participant_ids=people,
            participant_names={uid: NAMES.get(uid, uid) for uid in people},
        )
        messages = (
            line
            if isinstance(line, ChatMessage)
            else self.message(
                f"{id}-{n}", *line, at=start + timedelta(minutes=n), encrypted=encrypted
            )
            for n, line in enumerate(lines)
        )
        return write_conversation(
            self.db,
            conversation,
            messages,
            embedder=self.platform.embedder,
            text_model=self.platform.text_model,
        )

    def message(
        self, id: str, sender: str, text: str, *, at: datetime = START, encrypted: bool = False
    ) -> ChatMessage:
        return ChatMessage(id, sender, NAMES.get(sender, sender), text, at, encrypted)

    def get(self, path: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.db.document(path).get().to_dict()
        return found

    def post(self, id: str, data: dict[str, Any] | None) -> DocumentEvent:
        """Write or delete a message as a client would, and return the event it causes."""
        reference = self.db.collection("messages").document(id)
        before = reference.get().to_dict()
        if data is None:
            reference.delete()
        elif before is None:
            reference.set(data)
        else:
            reference.update(data)
        return DocumentEvent({"messageId": id}, before, reference.get().to_dict())

    def say(self, id: str, conversation: str, sender: str, text: str, **more: Any) -> DocumentEvent:
        """Post a message and let the trigger see it."""
        event = self.post(id, self.posted(conversation, sender, text, **more))
        message_written(self.platform, event)
        return event

    def posted(self, conversation: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
        """The document that a client of ours creates."""
        return {
            "conversationId": conversation,
            "senderId": sender,
            "senderName": NAMES.get(sender, sender),
            "content": text,
            "timestamp": START + timedelta(days=1),
            "encrypted": False,
            "participantIds": ["dana", "tom"],
            **more,
        }

    def shards(self, conversation: str) -> list[dict[str, Any]]:
        here = FieldFilter("conversationId", "==", conversation)
        found = self.db.collection("messageIndex").where(filter=here)
        return [snapshot.to_dict() or {} for snapshot in found.stream()]

    def indexed(self, conversation: str) -> list[str]:
        """Ids of the messages in the index, encrypted ones included."""
        return sorted(
            id
            for shard in self.shards(conversation)
            for id in (*shard["messageIds"], *shard["encryptedIds"])
        )


@pytest.fixture
def world(db: Client) -> World:
    return World(db)


@pytest.fixture
def scripted() -> Callable[..., ScriptedModel]:
    """Make a text model of the replies it is to give."""
    return lambda *replies: ScriptedModel(list(replies))
