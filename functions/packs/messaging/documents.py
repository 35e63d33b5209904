"""The pack's documents: where they are, what they hold, and how they are read.

conversations/{c}   who talks where, with counters
messages/{m}        one message; the server adds priority and the index's mark
actionItems/{id}    extracted from messages, as are
decisions/{id}
messageIndex/{s}    word index, `messageVectors/{m}` embeddings, `extraction/{c}` how far
                    extraction has come: the server's alone
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from packs.messaging.chat import ChatMessage

CONVERSATIONS = "conversations"
MESSAGES = "messages"
ACTION_ITEMS = "actionItems"
DECISIONS = "decisions"
INDEX = "messageIndex"
VECTORS = "messageVectors"
EXTRACTION = "extraction"

SCHEMA_VERSION = 1
CONTENT_CHARS = 32_000
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Conversation:
    """People talking to people.

    Attributes:
        participant_names: Names by user id, as the conversation shows them.
        source: Where it was imported from, such as "slack"; None for one made in the app.
    """

    id: str
    name: str
    participant_ids: tuple[str, ...]
    participant_names: dict[str, str] = field(default_factory=dict)
    type: Literal["direct", "group"] = "group"
    last_message_at: datetime | None = None
    message_count: int = 0
    encrypted_count: int = 0
    created_at: datetime | None = None
    created_by: str | None = None
    source: str | None = None

    @staticmethod
    def read(id: str, data: dict[str, Any]) -> Conversation:
        """Read a stored conversation; whatever has a wrong shape counts as missing."""
        ids = data.get("participantIds")
        names = data.get("participantNames")
        return Conversation(
            id=id,
            name=text_of(data.get("name")),
            participant_ids=tuple(strings(ids)),
            participant_names={
                uid: name
                for uid, name in (names.items() if isinstance(names, dict) else ())
                if isinstance(name, str)
            },
            type="direct" if data.get("type") == "direct" else "group",
            last_message_at=moment_of(data.get("lastMessageAt")),
            message_count=count_of(data.get("messageCount")),
            encrypted_count=count_of(data.get("encryptedCount")),
            created_at=moment_of(data.get("createdAt")),
            created_by=text_of(data.get("createdBy")) or None,
            source=text_of(data.get("source")) or None,
        )

    def title(self, reader: str = "") -> str:
        """What to call it: its name, or the people in it other than the reader."""
        others = [uid for uid in self.participant_ids if uid != reader]
        return self.name or ", ".join(self.participant_names.get(uid, uid) for uid in others)

    def description(self) -> dict[str, Any]:
        """The fields to store that say what the conversation is; counters are kept apart."""
        found: dict[str, Any] = {
            "schemaVersion": SCHEMA_VERSION,
            "name": self.name,
            "type": self.type,
            "participantIds": list(self.participant_ids),
            "participantNames": dict(self.participant_names),
        }
        if self.source:
            found["source"] = self.source
        return found


def read_message(id: str, data: dict[str, Any]) -> ChatMessage:
    """Read a stored message; the text of an encrypted one is left out, here and for good.

    Anything but a clear `encrypted: false` is taken for encrypted.
    """
    encrypted = data.get("encrypted") is not False
    content = data.get("content")
    return ChatMessage(
        id=id,
        sender_id=text_of(data.get("senderId")),
        sender_name=text_of(data.get("senderName")),
        text="" if encrypted else text_of(content)[:CONTENT_CHARS],
        sent_at=moment_of(data.get("timestamp")) or _BEGINNING,
        encrypted=encrypted,
    )


def text_of(value: Any) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def strings(value: Any) -> list[str]:
    """The texts in a list; nothing if it is none."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def count_of(value: Any) -> int:
    """The value if it is a count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def moment_of(value: Any) -> datetime | None:
    """The value if it is a time, in UTC."""
    if not isinstance(value, datetime):
        return None
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def iso(moment: datetime | None) -> str | None:
    """A time as the wire writes it: ISO 8601, UTC, milliseconds."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def in_words(moment: datetime | None) -> str:
    """A time as a citation's title shows it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if moment else "?"
