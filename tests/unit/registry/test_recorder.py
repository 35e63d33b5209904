"""What a process gathers, and when it tells: beside requests, seldom, and nothing twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable

from rollcall.core.errors import NotFound, Unavailable
from rollcall.core.redaction import HIDDEN
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.registry import recorder
from rollcall.registry.recorder import FLUSH_S, MAX_CAPABILITIES, MAX_USERS, SOON_S, HealthRecorder


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Documents:
    """Stores documents, unless told to fail."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}
        self.fails: Callable[[], None] = lambda: None
        self.stores_first = False

    def __call__(self, path: str, data: dict[str, Any]) -> None:
        if path in self.stored:
            return
        if self.stores_first:
            self.stored[path] = data
        self.fails()
        self.stored[path] = data


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def db() -> Documents:
    return Documents()


@pytest.fixture
def health_recorder(clock: Clock) -> HealthRecorder:
    return HealthRecorder(clock=clock, now=clock)


def tell(health_recorder: HealthRecorder, db: Documents) -> bool:
    thread = health_recorder.flush(db)
    if thread:
        thread.join(10)
    return thread is not None


def only(db: Documents) -> dict[str, Any]:
    (sample,) = db.stored.values()
    return counts(sample)


def counts(sample: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sample["counts"])
    return found


def record(tool: str = "look_up", status: str = "done", **changes: Any) -> ToolCallRecord:
    fields = {"id": "c", "tool": tool, "arguments": {}, "step": 1, "ms": 7}
    return ToolCallRecord(**{**fields, "status": CallStatus(status), **changes})


def test_nothing_is_told_of_nothing(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    clock.now += 1_000
    assert not tell(health_recorder, db)


def test_successes_are_told_every_twenty_seconds(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    told = 0
    for _ in range(200):  # a busy minute
        health_recorder.note("look_up", uid="ann", ms=7)
        told += tell(health_recorder, db)
        clock.now += 0.3
    assert told == len(db.stored) == 60 // FLUSH_S - 1
    assert all(counts(each)["look_up"]["ok"] > 60 for each in db.stored.values())


def test_failures_are_told_sooner_and_not_more_often_than_every_five_seconds(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    told = []
    for _ in range(60):
        health_recorder.note("look_up", uid="ann", ms=7, code="unavailable")
        if tell(health_recorder, db):
            told.append(clock.now)
        clock.now += 0.5
    assert len(told) == 30 // SOON_S - 1
    assert {after - before for before, after in pairwise(told)} == {SOON_S}


def test_a_sample_tells_results_rows_times_and_the_last_error(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    health_recorder.note("look_up", uid="ann", ms=7, code="internal", message="first")
    health_recorder.note("look_up", uid="ann", ms=8)
    health_recorder.note(
        "look_up", uid="ann", ms=60, code="unknown", message="with sk-proj-abcdefgh12345678 in it"
    )
    clock.now += SOON_S
    assert tell(health_recorder, db)
    found = only(db)["look_up"]
    assert (found["ok"], found["failed"], list(found["row"].values())) == (1, 2, [1])
    assert sum(found["ms"]) == 3
    assert found["failure"] == {"code": "unknown", "message": f"with {HIDDEN} in it", "at": 1_000.0}
    (sample,) = db.stored.values()
    assert (sample["expiresAt"] - sample["at"]).total_seconds() == 86_400


def test_failures_are_told_by_user_and_without_their_ids(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    for uid in ("ann-4711", "ann-4711", "ben-4712"):
        for id in ("look_up", "look_nowhere"):
            health_recorder.note(id, uid=uid, ms=7, code="internal")
    health_recorder.note("look_nowhere", uid="zed-4713", ms=7)
    clock.now += SOON_S
    assert tell(health_recorder, db)
    up, nowhere = only(db)["look_up"], only(db)["look_nowhere"]
    assert list(up["users"].values()) == list(nowhere["users"].values()) == [[0, 2], [0, 1]]
    assert (list(up["row"].values()), nowhere["row"]) == ([2, 1], {})
    assert not set(up["users"]) & set(nowhere["users"])  # nobody is followed from tool to tool
    assert not any(part in str(db.stored) for part in ("4711", "4712", "4713", "ann", "ben"))


def test_the_users_of_a_sample_are_bounded_and_no_failure_is_lost(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    for number in range(MAX_USERS + 5):
        health_recorder.note("look_up", uid=f"user {number}", ms=7, code="internal")
    clock.now += SOON_S
    assert tell(health_recorder, db)
    found = only(db)["look_up"]
    assert len(found["users"]) == MAX_USERS
    assert sum(found["row"].values()) == sum(each[1] for each in found["users"].values()) == 15


@pytest.mark.parametrize(
    "code",
    [
        *("invalid-argument", "not-found", "permission-denied", "failed-precondition"),
        *("rejected", "expired", "cancelled", "aborted", "resource-exhausted", "unauthenticated"),
        *("already-exists", "failed", "None"),
    ],
)
def test_what_is_not_the_capabilitys_own_fault_does_not_count(
    code: str, health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    health_recorder.note("look_up", uid="ann", ms=7, code=code)
    clock.now += 100
    assert not tell(health_recorder, db)


def test_what_a_call_was_given_is_not_in_the_message(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    health_recorder.note_calls(
        [
            record(
                "pay",
                "failed",
                arguments={"to": [{"name": "Zed"}, "Zed 4711"], "amount": 1234.5, "n": 1, "x": ""},
                error={"code": "internal", "message": "1234.5 for Zed 4711 (1 of Zed) broke"},
            )
        ],
        uid="ann",
        except_for=(),
    )
    clock.now += 100
    assert tell(health_recorder, db)
    assert only(db)["pay"]["failure"]["message"] == "… for … (1 of …) broke"


def test_being_late_counts_only_where_there_was_time(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    health_recorder.note("look_up", uid="ann", ms=4_999, code="deadline-exceeded")
    health_recorder.note("look_nowhere", uid="ann", ms=5_000, code="deadline-exceeded")
    clock.now += 100
    assert tell(health_recorder, db)
    assert set(only(db)) == {"look_nowhere"}


def test_a_runs_calls_count_by_how_they_ended(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    health_recorder.note_calls(
        [
            record(),
            record("pay", "failed", error={"code": "unavailable", "message": "closed"}),
            record("buy", "unknown", error={"code": "unknown", "message": "cut off"}),
            record("sign", "failed", error={"code": "not-found", "message": "no such paper"}),
            record("stamp", "refused", error={"code": "internal", "message": "never run"}),
            record("tidy", "rejected", error={"code": "rejected", "message": "no"}),
            record("open_file"),
        ],
        uid="ann",
        except_for={"open_file"},
    )
    clock.now += 100
    assert tell(health_recorder, db)
    assert {id: (each["ok"], each["failed"]) for id, each in only(db).items()} == {
        "look_up": (1, 0),
        "pay": (0, 1),
        "buy": (0, 1),
    }


def test_a_sample_that_was_not_stored_is_told_again_as_it_was(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    def fail() -> None:
        raise ServiceUnavailable("away")  # type: ignore[no-untyped-call]

    health_recorder.note("look_up", uid="ann", ms=7)
    clock.now += FLUSH_S
    db.fails = fail
    assert tell(health_recorder, db)
    health_recorder.note("look_up", uid="ann", ms=7)
    assert not tell(health_recorder, db)  # not before it is time again
    db.fails = lambda: None
    for _ in range(2):
        clock.now += FLUSH_S
        assert tell(health_recorder, db)
    assert [counts(each)["look_up"]["ok"] for each in db.stored.values()] == [1, 1]


def test_a_sample_whose_answer_was_lost_is_stored_once(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    def fail() -> None:
        raise ServiceUnavailable("the answer was lost")  # type: ignore[no-untyped-call]

    db.fails, db.stores_first = fail, True
    health_recorder.note("look_up", uid="ann", ms=7)
    for _ in range(3):
        clock.now += FLUSH_S
        tell(health_recorder, db)
    assert only(db)["look_up"]["ok"] == 1
    assert len(db.stored) == 1


def test_a_sample_is_bounded_and_the_rest_comes_with_the_next(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    for number in range(MAX_CAPABILITIES + 7):
        health_recorder.note(f"tool_{number}", uid="ann", ms=7)
    for _ in range(2):
        clock.now += FLUSH_S
        assert tell(health_recorder, db)
    assert sorted(len(counts(each)) for each in db.stored.values()) == [7, MAX_CAPABILITIES]


def test_a_call_is_noted_by_how_it_ends(monkeypatch: pytest.MonkeyPatch, db: Documents) -> None:
    recorder.forget()
    for error in (None, Unavailable("closed"), NotFound("none"), ValueError("of Ann's"), None):
        with (
            suppress(type(error) if error else ()),
            recorder.recorded("look_up", "p", db, uid="ann", arguments={}),
        ):
            if error:
                raise error
    seen = recorder.recorder("p")._observed["look_up"]
    assert (seen.ok, seen.failed, seen.row) == (2, 2, {})
    assert seen.failure is not None
    assert (seen.failure.code, seen.failure.message) == ("internal", "ValueError")
    assert recorder.recorder("q")._observed == {}
    recorder.forget()
