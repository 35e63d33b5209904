"""Time passes for a run: what a test writes instead of waiting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from google.cloud.firestore import Client

from rollcall.store import paths


def end_lease(db: Client, thread_id: str, run_id: str) -> None:
    """As when the run's process gave no sign of life for longer than its lease."""
    past = datetime.now(UTC) - timedelta(seconds=1)
    paths.run(db, thread_id, run_id).update({"leaseUntil": past, "keptUntil": past})
