"""The message that ranking, extraction and summaries read."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct


class ChatMessage(Struct, frozen=True):
    """A message of a conversation.

    Attributes:
        sent_at: Has a time zone.
        encrypted: True where `text` must not be read: every reader skips such messages,
            whatever their text holds.
    """

    id: str
    sender_id: str
    sender_name: str
    text: str
    sent_at: datetime
    encrypted: bool = False


def readable(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the messages that may be read, in time order."""
    found = [message for message in messages if not message.encrypted and message.text.strip()]
    return sorted(found, key=lambda message: (message.sent_at, message.id))
