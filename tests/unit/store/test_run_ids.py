"""The ids of a turn's runs: each follows from the one before, however many there are."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from rollcall.core.wire import RunId
from rollcall.store.runs import is_generated_id, new_run_id, next_run_id, previous_run_id


@pytest.mark.parametrize(
    ("run_id", "following"),
    [("mine", "mine~1"), ("mine~1", "mine~2"), ("r~99", "r~100"), ("old~1~1", "old~1~2")],
)
def test_the_next_id_counts_on(run_id: str, following: str) -> None:
    assert next_run_id(run_id) == following
    assert previous_run_id(following) == run_id
    assert is_generated_id(following)


def test_a_first_run_follows_none() -> None:
    assert previous_run_id("mine") is None


def test_the_runs_of_a_long_turn_can_all_be_named() -> None:
    run_id = new_run_id()
    for _ in range(1_000):
        run_id = next_run_id(run_id)
        assert TypeAdapter(RunId).validate_python(run_id) == run_id
    assert run_id.endswith("~1000") and len(run_id) < 40
