"""Ask meeting transcripts what people asked about them, through search_all_conversations.

    python -m tests.evals.meetings meetings.jsonl

Each line of the file is a meeting: `{"id", "turns": [{"speaker", "text"}], "queries": [{"query",
"spans": [[first, last], ...]}]}`, as in QMSum. All meetings are one user's conversations, and each
question is searched in all of them. A question counts as answered when one of the first ten
messages lies in its spans. Needs a Firestore emulator (FIRESTORE_EMULATOR_HOST).
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

from rollcall.core.context import ToolContext, User
from rollcall.packs.messaging.chat import ChatMessage
from rollcall.packs.messaging.documents import Conversation
from rollcall.packs.messaging.ingest import write_conversation
from rollcall.packs.messaging.search import search_all_conversations

TOP = 10
REQUIRED = 0.75
_USER = "reader"
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Here:
    """A platform with a database and no models."""

    db: Any
    text_model: None = None
    embedder: None = None


def main() -> int:
    """Import, ask, print; 0 where enough was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("meetings", type=Path)
    parser.add_argument("--show-missed", action="store_true")
    options = parser.parse_args()
    meetings = [json.loads(line) for line in options.meetings.read_text("utf-8").splitlines()]
    db = _database()
    started = time.perf_counter()
    turns = sum(_import(db, meeting, day) for day, meeting in enumerate(meetings))
    print(f"imported {turns} turns of {len(meetings)} meetings", end=" ")
    print(f"at {turns / (time.perf_counter() - started):.0f} a second")
    found, asked = 0, 0
    for meeting, question in _questions(meetings):
        asked += 1
        rank = _rank(db, meeting, question)
        found += rank is not None
        if options.show_missed and rank is None:
            print(f"  missed in {meeting['id']}: {question['query']}")
    print(f"{found} of {asked} questions have a message of their spans in the top {TOP}", end=" ")
    print(f"({found / asked:.0%})")
    return 0 if found >= REQUIRED * asked else 1


def _database() -> Any:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.firestore import Client

    if "FIRESTORE_EMULATOR_HOST" not in os.environ:
        raise SystemExit("set FIRESTORE_EMULATOR_HOST: this writes to an emulator only")
    return Client(
        project=f"demo-meetings-{uuid.uuid4().hex[:8]}",
        credentials=AnonymousCredentials(),
    )


def _import(db: Any, meeting: dict[str, Any], day: int) -> int:
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
    return write_conversation(db, conversation, messages).total


def _questions(
    meetings: list[dict[str, Any]],
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for meeting in meetings:
        for question in meeting["queries"]:
            if question.get("spans"):
                yield meeting, question


def _rank(db: Any, meeting: dict[str, Any], question: dict[str, Any]) -> int | None:
    """The place of the first result in the question's spans, from 1."""
    ctx = ToolContext(User(_USER), Here(db))
    answer = search_all_conversations(ctx, query=question["query"], limit=TOP)
    for place, result in enumerate(answer.results, start=1):
        if result.conversation_id == meeting["id"]:
            turn = int(result.message_id.rpartition("-")[2])
            if any(int(first) <= turn <= int(last) for first, last in question["spans"]):
                return place
    return None


if __name__ == "__main__":
    raise SystemExit(main())
