"""The pack's collections, and readers of their documents.

conversations/{c}   participants and counters
messages/{m}        one message; the server adds its priority and index marks
actionItems/{id}    extracted from messages
decisions/{id}      extracted from messages
messageIndex/{s}    word index, for the server only, like
messageVectors/{m}  embeddings, and
extraction/{c}      the progress of extraction
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from msgspec import Struct, field

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


class Conversation(Struct, frozen=True):
    """People talking to people.

    Attributes:
        participant_names: Names by user id, as the conversation shows them.
        source: Where it was imported from, such as "slack"; None if it was created in the app.
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
        """Read a stored conversation; a field of the wrong type counts as missing."""
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
        """Return its name, or the names of the others where it has none, or the reader's own, as a
        chat of two has that the other one named."""
        others = ", ".join(self.names(without=reader))
        is_own = self.name == self.participant_names.get(reader)
        return others or self.name if is_own else self.name or others

    def names(self, *, without: str = "") -> list[str]:
        """Return the names of its participants, or their ids, without that of a reader."""
        ids = self.participant_ids
        return [self.participant_names.get(uid, uid) for uid in ids if uid != without]

    def description(self) -> dict[str, Any]:
        """Return the fields to store, without counters and times."""
        fields: dict[str, Any] = {
            "schemaVersion": SCHEMA_VERSION,
            "name": self.name,
            "type": self.type,
            "participantIds": list(self.participant_ids),
            "participantNames": dict(self.participant_names),
        }
        if self.source:
            fields["source"] = self.source
        return fields


def read_message(id: str, data: dict[str, Any]) -> ChatMessage:
    """Read a stored message, without the text of an encrypted one.

    A message counts as encrypted unless it has `encrypted: false`.
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
    """Return the value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def strings(value: Any) -> list[str]:
    """Return the strings in the value if it is a list, else an empty list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def count_of(value: Any) -> int:
    """Return the value if it is a positive int, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def moment_of(value: Any) -> datetime | None:
    """Return the value in UTC if it is a datetime, else None."""
    if not isinstance(value, datetime):
        return None
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def iso(moment: datetime | None) -> str | None:
    """Format a time for the wire: ISO 8601, UTC, milliseconds."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def in_words(moment: datetime | None) -> str:
    """Format a time for a citation's title: UTC, minutes; "?" for None."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if moment else "?"
