"""What an opening counts, on the emulator."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from rollcall.agent.run_setup import admission
from rollcall.core.errors import ResourceExhausted
from tests.support.budgets import ANN, NOON, allow


def test_a_run_is_admitted_in_the_batch_that_opens_it(db: Client) -> None:
    allow(db, user={"runsPerMinute": 1})
    for _ in range(2):
        found = admission(db, ANN, NOON, "threads/t/runs/r", run_key=None)
        batch = db.batch()  # the first one is lost, and not committed
        found.admit(batch, list(db.get_all(list(found.references))))
    batch.commit()
    with pytest.raises(ResourceExhausted):
        found.admit(db.batch(), list(db.get_all(list(found.references))))
