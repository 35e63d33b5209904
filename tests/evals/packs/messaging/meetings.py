"""Ask meeting transcripts what people asked about them, through search_all_conversations.

    python -m tests.evals.packs.messaging.meetings meetings.jsonl

Each line of the file is a meeting: `{"id", "turns": [{"speaker", "text"}], "queries": [{"query",
"spans": [[first, last], ...]}]}`, as in QMSum. All meetings are one user's conversations, and each
question is searched in all of them. A question counts as answered when one of the first ten
messages lies in its spans. Needs a Firestore emulator (FIRESTORE_EMULATOR_HOST).

EMBEDDER=<provider>:<name> (`meaning.py`) embeds the messages too, and asks all again by words and
vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from packs.messaging.chat import ChatMessage
from packs.messaging.documents import Conversation
from packs.messaging.ingest import write_conversation
from packs.messaging.search import search_all_conversations
from rollcall.core.context import Embedder, ToolContext, User
from tests.evals.meaning import embedder_named

TOP = 10
REQUIRED = 0.75
_USER = "reader"
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Here:
    """A platform with a database and no language model."""

    db: Any
    text_model: None = None
    embedder: Embedder | None = None


def main() -> int:
    """Import, ask, print; 0 where enough was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("meetings", type=Path)
    parser.add_argument("--show-missed", action="store_true")
    options = parser.parse_args()
    meetings = [json.loads(line) for line in options.meetings.read_text("utf-8").splitlines()]
    db, embedder = _database(), embedder_named()
    started = time.perf_counter()
    turns = sum(_import(db, meeting, day, embedder) for day, meeting in enumerate(meetings))
    print(f"imported {turns} turns of {len(meetings)} meetings", end=" ")
    print(f"at {turns / (time.perf_counter() - started):.0f} a second")
    is_enough = _ask(Here(db), meetings, show_missed=options.show_missed)
    if embedder:
        print(f"by words and by {embedder.id}:")
        _ask(Here(db, embedder=embedder), meetings, show_missed=options.show_missed)
    return 0 if is_enough else 1


def _ask(platform: Here, meetings: list[dict[str, Any]], *, show_missed: bool) -> bool:
    """Ask all, print, and say whether enough was found."""
    ranks: list[int | None] = []
    for meeting, question in _questions(meetings):
        ranks.append(_rank(platform, meeting, question))
        if show_missed and ranks[-1] is None:
            print(f"  missed in {meeting['id']}: {question['query']}")
    found = [rank for rank in ranks if rank is not None]
    print(f"{len(found)} of {len(ranks)} questions have a message of their spans in the", end=" ")
    print(f"top {TOP} ({len(found) / len(ranks):.0%}),", end=" ")
    print(f"{found.count(1)} in the first; MRR {sum(1 / each for each in found) / len(ranks):.3f}")
    return len(found) >= REQUIRED * len(ranks)


def _database() -> Any:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.firestore import Client

    if "FIRESTORE_EMULATOR_HOST" not in os.environ:
        raise SystemExit("set FIRESTORE_EMULATOR_HOST: this writes to an emulator only")
    return Client(
        project=f"demo-meetings-{uuid.uuid4().hex[:8]}",
        credentials=AnonymousCredentials(),
    )


def _import(db: Any, meeting: dict[str, Any], day: int, embedder: Embedder | None) -> int:
    """Write a meeting as a conversation of its speakers and the reader."""
    speakers = sorted({turn["speaker"] for turn in meeting["turns"]})
    ids = {name: f"speaker-{place}" for place, name in enumerate(speakers)}
    conversation = Conversation(
        id=meeting["id"],
        name=f"Meeting {day + 1}",
        participant_ids=(_USER, *ids.values()),
        participant_names={uid: name for name, uid in ids.items()},
    )
    begin = _START + timedelta(days=day)
    messages = (
        ChatMessage(
            id=f"{meeting['id']}-{place}",
            sender_id=ids[turn["speaker"]],
            sender_name=turn["speaker"],
            text=turn["text"],
            sent_at=begin + timedelta(seconds=10 * place),
        )
        for place, turn in enumerate(meeting["turns"])
    )
    return write_conversation(db, conversation, messages, embedder=embedder).total


def _questions(
    meetings: list[dict[str, Any]],
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for meeting in meetings:
        for question in meeting["queries"]:
            if question.get("spans"):
                yield meeting, question


def _rank(platform: Here, meeting: dict[str, Any], question: dict[str, Any]) -> int | None:
    """The place of the first result in the question's spans, from 1."""
    ctx = ToolContext(User(_USER), platform)
    answer = search_all_conversations(ctx, query=question["query"], limit=TOP)
    for place, result in enumerate(answer.results, start=1):
        if result.conversation_id == meeting["id"]:
            turn = int(result.message_id.rpartition("-")[2])
            if any(int(first) <= turn <= int(last) for first, last in question["spans"]):
                return place
    return None


if __name__ == "__main__":
    raise SystemExit(main())
