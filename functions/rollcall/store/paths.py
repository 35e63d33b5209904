"""Paths of the platform's documents."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import TYPE_CHECKING

from rollcall.core.options import collection_id

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

COLLECTIONS = (
    "agents",
    "approvals",
    "audit",
    "budgets",
    "capabilities",
    "devices",
    "documents",
    "documents/{}/parts",
    "effects",
    "erasures",
    "files",
    "files/{}/chunks",
    "healthSamples",
    "ratings",
    "registry",
    "runs",
    "threads",
    "threads/{}/messages",
    "threads/{}/runs",
    "threads/{}/runs/{}/events",
    "threads/{}/views",
)
"""Paths of the platform's collections, without the app's prefix; `{}` stands for a document id."""


def thread(db: Client, thread_id: str) -> DocumentReference:
    return db.document(collection_id("threads"), thread_id)


def message(db: Client, thread_id: str, number: int) -> DocumentReference:
    """Return the path of a message log document; ids sort in the order of the numbers."""
    messages = (collection_id("threads"), thread_id, collection_id("messages"))
    return db.document(*messages, f"{number:08d}")


def run(db: Client, thread_id: str, run_id: str) -> DocumentReference:
    return db.document(collection_id("threads"), thread_id, collection_id("runs"), run_id)


def window(db: Client, thread_id: str) -> DocumentReference:
    """Return the path of a thread's window view: its newest messages in one document."""
    return db.document(collection_id("threads"), thread_id, collection_id("views"), "window")


def user_day(db: Client, uid: str, day: date) -> DocumentReference:
    """Return the path of a user's budget for a day."""
    return db.document(f"{collection_id('budgets')}/u{budget_key(uid)}-{day.isoformat()}")


def tenant_day(db: Client, tenant: str, day: date, shard: int | str) -> DocumentReference:
    """Return the path of one shard of a tenant's budget for a day."""
    key = budget_key(tenant)
    return db.document(f"{collection_id('budgets')}/t{key}-{day.isoformat()}-{shard}")


def budget_key(text: str) -> str:
    """Return a digest of a user's or tenant's id for a document id, which may not hold every
    character."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def event_page(db: Client, thread_id: str, run_id: str, number: int) -> DocumentReference:
    """Return the path of a page of a run's events."""
    run_path = (collection_id("threads"), thread_id, collection_id("runs"), run_id)
    return db.document(*run_path, collection_id("events"), f"{number:06d}")


def approval(db: Client, approval_id: str) -> DocumentReference:
    return db.document(f"{collection_id('approvals')}/{approval_id}")


def effect(db: Client, key: str) -> DocumentReference:
    return db.document(f"{collection_id('effects')}/{key}")


def erased_run(db: Client, key: str) -> DocumentReference:
    """Return the path of the tombstone of an erased run whose id its client chose. Its collection
    has the same name as the runs of a thread, so that one query finds a key in all of them."""
    return db.document(f"{collection_id('runs')}/{key}")


def audit(db: Client, entry_id: str) -> DocumentReference:
    return db.document(f"{collection_id('audit')}/{entry_id}")


def rating(db: Client, thread_id: str, run_id: str) -> DocumentReference:
    """Return the path of a user's rating of a run. A thread's id never contains `~`."""
    return db.document(f"{collection_id('ratings')}/{thread_id}~{run_id}")
