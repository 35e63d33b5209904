"""Where the platform's documents are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference


def thread(db: Client, thread_id: str) -> DocumentReference:
    return db.document(f"threads/{thread_id}")


def message(db: Client, thread_id: str, number: int) -> DocumentReference:
    """A document of the log; numbered so that ids sort as numbers do."""
    return db.document(f"threads/{thread_id}/messages/{number:08d}")


def run(db: Client, thread_id: str, run_id: str) -> DocumentReference:
    return db.document(f"threads/{thread_id}/runs/{run_id}")


def window(db: Client, thread_id: str) -> DocumentReference:
    """The view of the newest messages."""
    return db.document(f"threads/{thread_id}/views/window")


def event_batch(db: Client, thread_id: str, run_id: str, number: int) -> DocumentReference:
    """Some of a run's events, in their order."""
    return db.document(f"threads/{thread_id}/runs/{run_id}/events/{number:06d}")


def approval(db: Client, approval_id: str) -> DocumentReference:
    return db.document(f"approvals/{approval_id}")


def effect(db: Client, key: str) -> DocumentReference:
    return db.document(f"effects/{key}")


def erased_run(db: Client, key: str) -> DocumentReference:
    """What is left of an erased run whose id was its client's. Its collection has the name of
    those in threads, so that one query finds a key in all of them."""
    return db.document(f"runs/{key}")


def audit(db: Client, entry_id: str) -> DocumentReference:
    return db.document(f"audit/{entry_id}")


def rating(db: Client, thread_id: str, run_id: str) -> DocumentReference:
    """What the user thought of a run's answer. A thread's id has no `~`."""
    return db.document(f"ratings/{thread_id}~{run_id}")
