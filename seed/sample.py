"""The sample company's conversations, as the messaging pack takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import Conversation
from rollcall.store.seeding import MANIFESTS, SeedFile, read_file
from seed.days import moment, with_dates

if TYPE_CHECKING:
    from google.cloud.firestore import Client

FOLDER = Path(__file__).parent
COLLECTIONS = frozenset({"conversations", "messages", "projects"})
"""Collections whose files are written by their packs, not by the plain loader."""

_MANIFEST = "seed-conversations"


@dataclass(frozen=True, slots=True)
class DemoUser:
    """Who looks at the sample data: Noa, who is in all conversations but two."""

    uid: str = "demo"
    name: str = "Noa Levi"
    email: str = "demo@rollcall.example"
    password: str = "water-the-lemons"


DEMO_USER = DemoUser()


def conversations(*, today: date) -> Iterator[tuple[Conversation, list[ChatMessage]]]:
    """Each sample conversation with its messages, dated as if the last were just in."""
    described = read_file(FOLDER / "conversations.json").documents
    messages = read_file(FOLDER / "messages.json")
    for id, own in groupby(messages.documents, key=lambda m: _conversation_of(messages, m)):
        names = described[id]["participantNames"]
        read = [_message(m, messages.documents[m], names, today=today) for m in own]
        yield _conversation(id, described[id], created_at=read[0].sent_at), read


def anchor(db: Client) -> date:
    """The day that dates count from: the first seeding's, so that a second changes nothing."""
    place = db.collection(MANIFESTS).document(_MANIFEST)
    known = (place.get().to_dict() or {}).get("today")
    if isinstance(known, str):
        return date.fromisoformat(known)
    today = datetime.now(UTC).date()
    place.set({"schemaVersion": 1, "today": today.isoformat()})
    return today


def _conversation_of(messages: SeedFile, id: str) -> str:
    found: str = messages.documents[id]["conversationId"]
    return found


def _conversation(id: str, data: dict[str, Any], *, created_at: datetime) -> Conversation:
    return Conversation(
        id=id,
        name=data["name"],
        participant_ids=tuple(data["participantNames"]),
        participant_names=data["participantNames"],
        type=data["type"],
        created_at=created_at,
        created_by=data["createdBy"],
        source="sample",
    )


def _message(id: str, data: dict[str, Any], names: dict[str, str], *, today: date) -> ChatMessage:
    return ChatMessage(
        id=id,
        sender_id=data["senderId"],
        sender_name=names[data["senderId"]],
        text=with_dates(data["content"], today=today),
        sent_at=moment(data["workdaysAgo"], data["time"], today=today),
        encrypted=data.get("encrypted", False),
    )
