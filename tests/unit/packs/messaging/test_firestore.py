"""Parallel work: results in order, errors raised, and the caller's context kept."""

from __future__ import annotations

import threading

import pytest

from packs.messaging.firestore import chunks, side_by_side
from rollcall.core.logs import in_request, log_fields


def test_a_sequence_is_cut_into_lists_of_at_most_so_many() -> None:
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks([], 2)) == []


def test_results_come_in_order_and_work_goes_on_at_once() -> None:
    together = threading.Barrier(3, timeout=60)

    def work(n: int) -> int:
        together.wait()  # passes only if all are running
        return n * n

    assert side_by_side(work, [3, 1, 2]) == [9, 1, 4]
    assert side_by_side(lambda n: n, [7]) == [7]


def test_an_error_is_the_callers() -> None:
    def work(n: int) -> int:
        raise LookupError(str(n))

    with pytest.raises(LookupError):
        side_by_side(work, [1, 2])


def test_threads_share_the_log_context_of_their_caller() -> None:
    def work() -> list[str]:
        return side_by_side(lambda n: f"{n} {log_fields()['function']}", [1, 2])

    assert in_request("search", work, {}.get) == ["1 search", "2 search"]
