"""A user's documents as the platform keeps them, and a platform that remembers its queue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from google.cloud.firestore import Client, DocumentSnapshot

from rollcall.store.runs import run_key
from tests.support.catalogs import catalog

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass
class Keeping:
    """A platform of one Firestore, whose queue is a list."""

    db: Client
    queue: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    text_model: Any = None
    embedder: Any = None
    catalog: Any = catalog

    def text_model_for(self, user: Any) -> Any:
        return self.text_model

    def embedder_for(self, user: Any) -> Any:
        return self.embedder

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        self.queue.append((queue, data))

    def find_user(self, uid: str) -> None:
        return None

    def notify(self, decider: Any, *, approval_id: str) -> None:
        """Nobody listens."""


def write_thread(
    db: Client,
    thread_id: str,
    *,
    uid: str = "ann",
    messages: int = 3,
    live_s: float | None = None,
    text: str = "hello",
) -> None:
    """A thread with a log, a run with events, a view, an approval and an effect.

    Args:
        live_s: For how many seconds more the run holds the thread; below 0, since when its time
            is over. None where it is done.
    """
    until = None if live_s is None else datetime.now(UTC) + timedelta(seconds=live_s)
    own = {"schemaVersion": 2, "uid": uid}
    here = {**own, "threadId": thread_id, "runId": "r1"}
    page = {"n": 0, "first": 0, "count": 1, "attempt": 1}
    thread = f"threads/{thread_id}"
    documents: dict[str, dict[str, Any]] = {
        thread: {
            **own,
            "agent": "messaging",
            "title": f"About {text}",
            "status": "active",
            "context": '{"secret": "plan"}',
            "lease": {"runId": "r1", "token": 3} if until else None,
            "leaseToken": 3,
            "nextMessage": messages,
            "waiting": {"runId": "r1", "approvals": [f"{thread_id}-a"]},
            "allowed": {"send_message": "digest"},
            "createdAt": NOW,
            "updatedAt": NOW,
        },
        f"{thread}/views/window": {**own, "nextMessage": messages, "documents": [{"text": text}]},
        f"{thread}/runs/r1": {
            **own,
            "status": "running" if until else "done",
            "leaseUntil": until,
            "token": 3,
            "key": run_key(uid, "r1"),
            "result": text,
        },
        f"{thread}/runs/r1/events/000000": {**own, **page, "events": f'["{text}"]'},
        f"{thread}/runs/r1/events/000001": {**own, **page, "n": 1, "first": 1, "events": "[]"},
        f"approvals/{thread_id}-a": {
            **here,
            "status": "pending",
            "arguments": f'{{"text": "{text}"}}',
            "deciderUid": uid,
            "decision": None,
        },
        f"effects/{thread_id}-e": {
            **here,
            "tool": "send_message",
            "status": "done",
            "result": text,
        },
    }
    for number in range(messages):
        path = f"{thread}/messages/{number:08d}"
        parts = [{"type": "text", "text": f"{text} {number}"}]
        documents[path] = {**own, "n": number, "role": "user", "parts": parts, "createdAt": NOW}
    write_all(db, documents)


def write_user(db: Client, uid: str) -> None:
    """What is kept about a user beside threads."""
    own = {"schemaVersion": 2, "uid": uid}
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    today = datetime.now(UTC).date().isoformat()
    documents = {
        f"devices/{uid}-phone": {**own, "token": f"token of {uid}"},
        f"runs/{uid}-k": {**own, "threadId": "t", "key": f"{uid}-k"},
        f"runKeys/{uid}-k": {**own, "threadId": "t"},
        f"budgets/u{uid}-{yesterday}": {**own, "day": yesterday, "spentMicroUsd": 5},
        f"budgets/u{uid}-{today}": {**own, "day": today, "spentMicroUsd": 7},
        f"effects/{uid}-direct": {**own, "tool": "send_message", "status": "done", "result": uid},
        f"audit/{uid.encode().hex()}": {**own, "kind": "write", "tool": "send_message", "at": NOW},
    }
    write_all(db, documents)


def trace_of_run(uid: str = "ann") -> str:
    """The path of what stays of the run in an erased thread of `write_thread`."""
    return f"runs/{run_key(uid, 'r1')}"


def write_all(db: Client, documents: dict[str, dict[str, Any]]) -> None:
    items = list(documents.items())
    for start in range(0, len(items), 400):
        batch = db.batch()
        for path, data in items[start : start + 400]:
            batch.set(db.document(path), data)
        batch.commit()


def snapshots(db: Client) -> Iterator[DocumentSnapshot]:
    """Every document of the database, those below missing ones included."""
    return db.collection_group("").stream()  # without a name it is of all collections, at any depth


def everything(db: Client) -> dict[str, dict[str, Any]]:
    """Every document of the database by its path."""
    return {each.reference.path: each.to_dict() or {} for each in snapshots(db)}


def update_times(db: Client) -> dict[str, Any]:
    """When every document of the database was changed last, by its path."""
    return {each.reference.path: each.update_time for each in snapshots(db)}


def naming(documents: dict[str, dict[str, Any]], *words: str) -> list[str]:
    """Paths of the documents in which one of these words stands, receipts aside."""
    return [
        path
        for path, data in documents.items()
        if not path.startswith("erasures/") and any(word in f"{path} {data}" for word in words)
    ]
