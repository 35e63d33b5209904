"""Two pieces of work at once: both are done in the caller's context, before it goes on."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest

from rollcall.store.batches import in_parallel

WHO = ContextVar("WHO", default="nobody")


def test_both_are_done_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=60)

    def met(answer: str) -> str:
        meeting.wait()
        return answer

    assert in_parallel(lambda: met("one"), lambda: met("other")) == ("one", "other")


def test_both_see_the_context_of_who_asked() -> None:
    token = WHO.set("ann")
    try:
        assert in_parallel(WHO.get, WHO.get) == ("ann", "ann")
    finally:
        WHO.reset(token)


@pytest.mark.parametrize("failing", ["first", "second", "both"])
def test_what_one_raises_is_raised_when_both_are_over(failing: str) -> None:
    over: list[str] = []

    def work(name: str) -> None:
        over.append(name)
        if failing in (name, "both"):
            raise ValueError(name)

    before = threading.active_count()
    with pytest.raises(ValueError, match="second" if failing == "second" else "first"):
        in_parallel(lambda: work("first"), lambda: work("second"))
    assert sorted(over) == ["first", "second"]
    assert threading.active_count() == before
