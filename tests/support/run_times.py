"""Moves time for runs: what a test does instead of waiting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.firestore import Client

from rollcall.store import admission, paths


def end_lease(db: Client, thread_id: str, run_id: str) -> None:
    """End a run's lease, as if its process had given no sign of life for longer than that."""
    past = datetime.now(UTC) - timedelta(seconds=1)
    paths.run(db, thread_id, run_id).update({"leaseUntil": past, "keptUntil": past})


def leave_day_start(patch: pytest.MonkeyPatch) -> None:
    """Have openings cost what they do in any but the first minutes of a UTC day."""
    patch.setattr(admission, "BOTH_DAYS_MS", 0)


def enter_day_start(patch: pytest.MonkeyPatch) -> None:
    """Have openings read and write yesterday as well, as in the first minutes of a UTC day."""
    patch.setattr(admission, "BOTH_DAYS_MS", 24 * 60 * 60 * 1000)
