"""Asks real questions about meeting transcripts, through search_all_conversations.

    python -m tests.evals.packs.messaging.meetings meetings.jsonl [--pieces 120]

Each line of the file is a meeting: `{"id", "turns": [{"speaker", "text"}], "queries": [{"query",
"spans": [[first, last], ...]}]}`, as in QMSum. All meetings are one user's conversations, and each
question is searched in all of them; `--pieces` makes conversations of about so many turns of them.
A question counts as answered when one of the first ten messages lies in its spans. Precision is how
many of these are in a conversation that is meant, wherever in it. Needs a Firestore emulator
(FIRESTORE_EMULATOR_HOST).

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
from tests.evals.meaning import embedder_from_environment

TOP = 10
_CUTS = (1, 3, 5)
REQUIRED = 0.75
_USER = "reader"
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True)
class DatabasePlatform:
    """A platform with a database and no language model."""

    db: Any
    text_model: None = None
    embedder: Embedder | None = None


def main() -> int:
    """Import, ask, print; 0 where enough was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("meetings", type=Path)
    parser.add_argument("--show-missed", action="store_true")
    parser.add_argument("--pieces", type=int, metavar="TURNS")
    options = parser.parse_args()
    meetings = [json.loads(line) for line in options.meetings.read_text("utf-8").splitlines()]
    db, embedder = _database(), embedder_from_environment()
    started = time.perf_counter()
    for day, meeting in enumerate(meetings):
        _import(db, meeting, day, embedder, size=options.pieces)
    turns = sum(len(meeting["turns"]) for meeting in meetings)
    print(f"imported {turns} turns of {len(meetings)} meetings", end=" ")
    print(f"at {turns / (time.perf_counter() - started):.0f} a second")
    questions = [
        question for each in meetings for question in _questions(each, size=options.pieces)
    ]
    is_enough = _ask(DatabasePlatform(db), questions, show_missed=options.show_missed)
    if embedder:
        print(f"by words and by {embedder.id}:")
        _ask(DatabasePlatform(db, embedder=embedder), questions, show_missed=options.show_missed)
    return 0 if is_enough else 1


@dataclass(frozen=True)
class Question:
    """A question with the messages of its spans and the conversations that these are in."""

    meeting: str
    text: str
    messages: frozenset[str]
    conversations: frozenset[str]


def _ask(platform: DatabasePlatform, questions: list[Question], *, show_missed: bool) -> bool:
    """Ask all, print, and say whether enough was found."""
    places: list[int] = []
    found, meant = 0, 0
    for question in questions:
        ctx = ToolContext(User(_USER), platform)
        results = search_all_conversations(ctx, query=question.text, limit=TOP).results
        found += len(results)
        meant += sum(each.conversation_id in question.conversations for each in results)
        hits = [n for n, each in enumerate(results, 1) if each.message_id in question.messages]
        places += hits[:1]
        if show_missed and not hits:
            print(f"  missed in {question.meeting}: {question.text}")
    print(f"{len(places)} of {len(questions)} questions have a message of their spans in", end=" ")
    print(f"the top {TOP} ({len(places) / len(questions):.0%}),", end=" ")
    for cut in _CUTS:
        print(f"{sum(place <= cut for place in places)} in the first {cut},", end=" ")
    print(f"MRR {sum(1 / place for place in places) / len(questions):.3f};", end=" ")
    print(f"{meant / max(1, found):.0%} of the results are in a conversation that is meant")
    return len(places) >= REQUIRED * len(questions)


def _database() -> Any:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.firestore import Client

    if "FIRESTORE_EMULATOR_HOST" not in os.environ:
        raise SystemExit("set FIRESTORE_EMULATOR_HOST: this writes to an emulator only")
    return Client(
        project=f"demo-meetings-{uuid.uuid4().hex[:8]}",
        credentials=AnonymousCredentials(),
    )


def _import(
    db: Any, meeting: dict[str, Any], day: int, embedder: Embedder | None, *, size: int | None
) -> None:
    """Write a meeting as conversations of its speakers and the reader."""
    speakers = sorted({turn["speaker"] for turn in meeting["turns"]})
    ids = {name: f"speaker-{place}" for place, name in enumerate(speakers)}
    begin = _START + timedelta(days=day)
    messages = [
        ChatMessage(
            id=f"{meeting['id']}-{place}",
            sender_id=ids[turn["speaker"]],
            sender_name=turn["speaker"],
            text=turn["text"],
            sent_at=begin + timedelta(seconds=10 * place),
        )
        for place, turn in enumerate(meeting["turns"])
    ]
    for id, places in _conversations(meeting, size):
        conversation = Conversation(
            id=id,
            name=f"Meeting {day + 1}",
            participant_ids=(_USER, *ids.values()),
            participant_names={uid: name for name, uid in ids.items()},
        )
        said = [messages[place] for place in places]
        write_conversation(db, conversation, said, embedder=embedder)


def _conversations(meeting: dict[str, Any], size: int | None) -> Iterator[tuple[str, range]]:
    """Yield the id and the turns of each conversation that a meeting is made."""
    turns = len(meeting["turns"])
    count = max(1, round(turns / size)) if size else 1
    for number in range(count):
        places = range(turns * number // count, turns * (number + 1) // count)
        yield f"{meeting['id']}~{number}", places


def _questions(meeting: dict[str, Any], *, size: int | None) -> Iterator[Question]:
    for each in meeting["queries"]:
        spans = [range(int(first), int(last) + 1) for first, last in each.get("spans", ())]
        turns = {place for span in spans for place in span}
        pieces = _conversations(meeting, size)
        if turns:
            yield Question(
                meeting["id"],
                each["query"],
                frozenset(f"{meeting['id']}-{place}" for place in turns),
                frozenset(id for id, places in pieces if not turns.isdisjoint(places)),
            )


if __name__ == "__main__":
    raise SystemExit(main())
