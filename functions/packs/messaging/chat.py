"""One message of a conversation, as the language algorithms read it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message somebody sent.

    Attributes:
        sent_at: When, with a time zone.
        encrypted: True where `text` is not for reading; such messages are
            skipped by everything here, whatever their text holds.
    """

    id: str
    sender_id: str
    sender_name: str
    text: str
    sent_at: datetime
    encrypted: bool = False


def readable(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the messages that may be read, in time order."""
    kept = [message for message in messages if not message.encrypted and message.text.strip()]
    return sorted(kept, key=lambda message: (message.sent_at, message.id))
