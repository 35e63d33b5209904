"""What a process gathers, and when it tells: beside requests, seldom, and nothing twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from google.api_core.exceptions import AlreadyExists, ServiceUnavailable

from rollcall.core.redaction import HIDDEN
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.registry.samples import FLUSH_S, MAX_CAPABILITIES, SOON_S, Gathering


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Collection:
    """Takes documents, unless told to fail."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}
        self.fails: Callable[[], None] = lambda: None
        self.stores_first = False

    def document(self, path: str) -> Any:
        collection = self

        class Reference:
            def create(self, data: dict[str, Any], **options: Any) -> None:
                if path in collection.stored:
                    raise AlreadyExists("there")  # type: ignore[no-untyped-call]
                if collection.stores_first:
                    collection.stored[path] = data
                collection.fails()
                collection.stored[path] = data

        return Reference()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def db() -> Collection:
    return Collection()


@pytest.fixture
def gathering(clock: Clock) -> Gathering:
    return Gathering(clock=clock, now=clock)


def tell(gathering: Gathering, db: Collection) -> bool:
    thread = gathering.tell(db)  # type: ignore[arg-type]
    if thread:
        thread.join(10)
    return thread is not None


def only(db: Collection) -> dict[str, Any]:
    (sample,) = db.stored.values()
    return counts(sample)


def counts(sample: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sample["counts"])
    return found


def record(tool: str = "look_up", status: str = "done", **changes: Any) -> ToolCallRecord:
    fields = {"id": "c", "tool": tool, "arguments": {}, "step": 1, "ms": 7}
    return ToolCallRecord(**{**fields, "status": CallStatus(status), **changes})


def test_nothing_is_told_of_nothing(gathering: Gathering, clock: Clock, db: Collection) -> None:
    clock.now += 1_000
    assert not tell(gathering, db)


def test_successes_are_told_every_twenty_seconds(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    told = 0
    for _ in range(200):  # a busy minute
        gathering.note("look_up", ms=7)
        told += tell(gathering, db)
        clock.now += 0.3
    assert told == len(db.stored) == 60 // FLUSH_S - 1
    assert all(counts(each)["look_up"]["ok"] > 60 for each in db.stored.values())


def test_failures_are_told_sooner_and_not_more_often_than_every_five_seconds(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    told = []
    for _ in range(60):
        gathering.note("look_up", ms=7, code="unavailable")
        if tell(gathering, db):
            told.append(clock.now)
        clock.now += 0.5
    assert len(told) == 30 // SOON_S - 1
    assert {after - before for before, after in pairwise(told)} == {SOON_S}


def test_a_sample_tells_results_rows_times_and_the_last_error(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    gathering.note("look_up", ms=7, code="internal", message="first")
    gathering.note("look_up", ms=8)
    gathering.note("look_up", ms=60, code="unknown", message="with sk-proj-abcdefgh12345678 in it")
    clock.now += SOON_S
    assert tell(gathering, db)
    found = only(db)["look_up"]
    assert (found["ok"], found["failed"], found["in_a_row"]) == (1, 2, 1)
    assert sum(found["ms"]) == 3
    assert found["failure"] == {"code": "unknown", "message": f"with {HIDDEN} in it", "at": 1_000.0}
    (sample,) = db.stored.values()
    assert (sample["expiresAt"] - sample["at"]).total_seconds() == 86_400


@pytest.mark.parametrize(
    "code",
    [
        *("invalid-argument", "not-found", "permission-denied", "failed-precondition"),
        *("rejected", "expired", "cancelled", "aborted", "resource-exhausted", "unauthenticated"),
        *("already-exists", "failed", "None"),
    ],
)
def test_what_is_not_the_capabilitys_own_fault_does_not_count(
    code: str, gathering: Gathering, clock: Clock, db: Collection
) -> None:
    gathering.note("look_up", ms=7, code=code)
    clock.now += 100
    assert not tell(gathering, db)


def test_being_late_counts_only_where_there_was_time(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    gathering.note("look_up", ms=4_999, code="deadline-exceeded")
    gathering.note("look_nowhere", ms=5_000, code="deadline-exceeded")
    clock.now += 100
    assert tell(gathering, db)
    assert set(only(db)) == {"look_nowhere"}


def test_a_runs_calls_count_by_how_they_ended(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    gathering.note_calls(
        [
            record(),
            record("pay", "failed", error={"code": "unavailable", "message": "closed"}),
            record("buy", "unknown", error={"code": "unknown", "message": "cut off"}),
            record("sign", "failed", error={"code": "not-found", "message": "no such paper"}),
            record("stamp", "refused", error={"code": "internal", "message": "never run"}),
            record("tidy", "rejected", error={"code": "rejected", "message": "no"}),
            record("open_file"),
        ],
        except_for={"open_file"},
    )
    clock.now += 100
    assert tell(gathering, db)
    assert {id: (each["ok"], each["failed"]) for id, each in only(db).items()} == {
        "look_up": (1, 0),
        "pay": (0, 1),
        "buy": (0, 1),
    }


def test_a_sample_that_was_not_stored_is_told_again_as_it_was(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    def fail() -> None:
        raise ServiceUnavailable("away")  # type: ignore[no-untyped-call]

    gathering.note("look_up", ms=7)
    clock.now += FLUSH_S
    db.fails = fail
    assert tell(gathering, db)
    gathering.note("look_up", ms=7)
    assert not tell(gathering, db)  # not before it is time again
    db.fails = lambda: None
    for _ in range(2):
        clock.now += FLUSH_S
        assert tell(gathering, db)
    assert [counts(each)["look_up"]["ok"] for each in db.stored.values()] == [1, 1]


def test_a_sample_whose_answer_was_lost_is_stored_once(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    def fail() -> None:
        raise ServiceUnavailable("the answer was lost")  # type: ignore[no-untyped-call]

    db.fails, db.stores_first = fail, True
    gathering.note("look_up", ms=7)
    for _ in range(3):
        clock.now += FLUSH_S
        tell(gathering, db)
    assert only(db)["look_up"]["ok"] == 1
    assert len(db.stored) == 1


def test_a_sample_is_bounded_and_the_rest_comes_with_the_next(
    gathering: Gathering, clock: Clock, db: Collection
) -> None:
    for number in range(MAX_CAPABILITIES + 7):
        gathering.note(f"tool_{number}", ms=7)
    for _ in range(2):
        clock.now += FLUSH_S
        assert tell(gathering, db)
    assert sorted(len(counts(each)) for each in db.stored.values()) == [7, MAX_CAPABILITIES]
