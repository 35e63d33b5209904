"""Where the platform's documents of a thread are."""

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
