"""The sample company's conversations, as the messaging pack takes them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import Conversation
from packs.messaging.ingest import write_conversation
from rollcall.store.seeding import MANIFESTS, SeedFile, SeedResult, read_seed
from seed.messaging.days import moment, with_dates

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.context import Platform
    from seed.screen import Screen

FOLDER = Path(__file__).parent
COLLECTIONS = frozenset({"conversations", "messages"})
"""Collections whose files are written here, not by the plain loader."""

_MANIFEST = "seed-conversations"


def load(platform: Platform, screen: Screen) -> list[SeedResult]:
    """Write the conversations with all that the pack makes of messages."""
    today = anchor(platform.db)
    samples = list(conversations(today=today))
    results = []
    with screen.bar("Sample conversations", total=len(samples)) as bar:
        for conversation, messages in samples:
            done = write_conversation(
                platform.db,
                conversation,
                messages,
                embedder=platform.embedder,
                text_model=platform.text_model,
            )
            results.append(done)
            bar.advance(1)
    new = sum(1 for done in results if done.added == done.total)
    written = sum(done.added + done.changed for done in results)
    return [
        SeedResult("conversations", "sample", new, len(results) - new),
        SeedResult("messages", "sample", written, sum(done.unchanged for done in results)),
    ]


def conversations(*, today: date) -> Iterator[tuple[Conversation, list[ChatMessage]]]:
    """Each sample conversation with its messages, dated as if the last were just in."""
    described = read_seed(FOLDER / "conversations.json").documents
    messages = read_seed(FOLDER / "messages.json")
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
