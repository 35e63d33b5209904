"""Documents of a user as the platform stores them, and what a database holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from google.cloud.firestore import Client, DocumentSnapshot

from rollcall.store.runs import run_key

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


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
        live_s: For how many seconds the run's lease still lasts; below 0 where it has ended, None
            where the run is done.
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
        f"budgets/u{uid}-{yesterday}": {**own, "day": yesterday, "spentMicroUsd": 5},
        f"budgets/u{uid}-{today}": {**own, "day": today, "spentMicroUsd": 7},
        f"effects/{uid}-direct": {**own, "tool": "send_message", "status": "done", "result": uid},
        f"audit/{uid.encode().hex()}": {**own, "kind": "write", "tool": "send_message", "at": NOW},
    }
    write_all(db, documents)


def run_marker_path(uid: str = "ann") -> str:
    """The path of the document that stays of the run when `write_thread`'s thread is erased."""
    return f"runs/{run_key(uid, 'r1')}"


def write_all(db: Client, documents: dict[str, dict[str, Any]]) -> None:
    items = list(documents.items())
    for start in range(0, len(items), 400):
        batch = db.batch()
        for path, data in items[start : start + 400]:
            batch.set(db.document(path), data)
        batch.commit()


def _snapshots(db: Client) -> Iterator[DocumentSnapshot]:
    """Every document of the database, those below missing ones included."""
    return db.collection_group("").stream()  # without a name it is of all collections, at any depth


def all_documents(db: Client) -> dict[str, dict[str, Any]]:
    """Every document of the database by its path."""
    return {each.reference.path: each.to_dict() or {} for each in _snapshots(db)}


def all_paths(db: Client) -> list[str]:
    """The paths of all documents of the database, sorted."""
    return sorted(each.reference.path for each in _snapshots(db))


def update_times(db: Client) -> dict[str, Any]:
    """When every document of the database was changed last, by its path."""
    return {each.reference.path: each.update_time for each in _snapshots(db)}


def paths_with(documents: dict[str, dict[str, Any]], *words: str) -> list[str]:
    """Paths of the documents that contain one of these words, erasure receipts aside."""
    return [
        path
        for path, data in documents.items()
        if not path.startswith("erasures/") and any(word in f"{path} {data}" for word in words)
    ]
