"""What a process gathers, and when it tells: beside requests, seldom, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable
from msgspec import json

from rollcall.core.errors import NotFound, Unavailable
from rollcall.core.redaction import HIDDEN
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.registry import recorder
from rollcall.registry.recorder import FLUSH_S, MAX_CALLS, HealthRecorder, ObservedCall


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
    return HealthRecorder(now=clock)


def note(
    health_recorder: HealthRecorder,
    id: str = "look_up",
    *,
    uid: str = "ann",
    ms: int = 7,
    code: str | None = None,
    message: str = "",
) -> None:
    error = {"code": code, "message": message} if code else None
    health_recorder.note(id, uid=uid, ms=ms, error=error, arguments={})


def tell(health_recorder: HealthRecorder, db: Documents) -> bool:
    thread = health_recorder.flush(db)
    if thread:
        thread.join(60)
    return thread is not None


def only(db: Documents) -> list[ObservedCall]:
    (sample,) = db.stored.values()
    return calls_of(sample)


def calls_of(sample: dict[str, Any]) -> list[ObservedCall]:
    return json.decode(sample["calls"], type=list[ObservedCall])


def record(tool: str = "look_up", status: str = "done", **changes: Any) -> ToolCallRecord:
    fields = {"id": "c", "tool": tool, "arguments": {}, "step": 1, "ms": 7}
    return ToolCallRecord(**{**fields, "status": CallStatus(status), **changes})


def test_nothing_is_told_of_nothing(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    clock.now += 1_000
    assert not tell(health_recorder, db)


def test_a_busy_process_tells_every_twenty_seconds(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    told = 0
    for number in range(200):  # a busy minute
        note(health_recorder, code="unavailable" if number % 2 else None)
        told += tell(health_recorder, db)
        clock.now += 0.3
    assert told == len(db.stored) == 60 // FLUSH_S - 1
    assert all(len(calls_of(each)) > 60 for each in db.stored.values())


def test_a_sample_tells_results_times_and_errors(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    note(health_recorder, code="internal", message="first")
    note(health_recorder, ms=8)
    secret = "with sk-proj-abcdefgh12345678 in it"
    note(health_recorder, ms=60, code="unknown", message=secret)
    clock.now += FLUSH_S
    assert tell(health_recorder, db)
    assert [(call.code, call.ms, call.message) for call in only(db)] == [
        ("internal", 7, "first"),
        (None, 8, ""),
        ("unknown", 60, f"with {HIDDEN} in it"),
    ]
    assert {(call.id, call.at) for call in only(db)} == {("look_up", 1_000.0)}
    (sample,) = db.stored.values()
    assert (sample["expiresAt"] - sample["at"]).total_seconds() == 86_400


def test_calls_are_told_by_user_and_without_their_ids(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    uids = ("ann-of-the-north", "ann-of-the-north", "ben-of-the-south")
    for uid in uids:
        for id in ("look_up", "look_nowhere"):
            note(health_recorder, id, uid=uid, code="internal")
    clock.now += FLUSH_S
    assert tell(health_recorder, db)
    up, nowhere = (
        [call.user for call in only(db) if call.id == id] for id in ("look_up", "look_nowhere")
    )
    assert up[0] == up[1] != up[2] and nowhere[0] == nowhere[1] != nowhere[2]
    assert not set(up) & set(nowhere)  # nobody is followed from tool to tool
    parts = [part for uid in uids for part in (uid, *uid.split("-of-"))]
    # None of three letters alone: digests and random ids have such by chance.
    assert not any(part in str(db.stored) for part in parts if len(part) > 3)


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
    note(health_recorder, code=code)
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
    assert only(db)[0].message == "… for … (1 of …) broke"


def test_being_late_counts_only_where_there_was_time(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    note(health_recorder, ms=4_999, code="deadline-exceeded")
    note(health_recorder, "look_nowhere", ms=5_000, code="deadline-exceeded")
    clock.now += 100
    assert tell(health_recorder, db)
    assert [call.id for call in only(db)] == ["look_nowhere"]


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
    assert [(call.id, call.code) for call in only(db)] == [
        ("look_up", None),
        ("pay", "unavailable"),
        ("buy", "unknown"),
    ]


def test_a_sample_that_was_not_stored_is_told_again_as_it_was(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    def fail() -> None:
        raise ServiceUnavailable("away")  # type: ignore[no-untyped-call]

    note(health_recorder)
    clock.now += FLUSH_S
    db.fails = fail
    assert tell(health_recorder, db)
    note(health_recorder)
    assert not tell(health_recorder, db)  # not before it is time again
    db.fails = lambda: None
    for _ in range(2):
        clock.now += FLUSH_S
        assert tell(health_recorder, db)
    assert [len(calls_of(each)) for each in db.stored.values()] == [1, 1]


def test_a_sample_is_not_written_again_while_its_write_waits_for_an_answer(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    answer, paths = Event(), []

    def write(path: str, data: dict[str, Any]) -> None:
        paths.append(path)
        assert answer.wait(60)
        db(path, data)

    note(health_recorder)
    clock.now += FLUSH_S
    thread = health_recorder.flush(write)
    assert thread is not None
    note(health_recorder)
    clock.now += FLUSH_S
    assert health_recorder.flush(write) is None
    answer.set()
    thread.join(60)
    assert tell(health_recorder, db)
    assert len(paths) == 1
    assert [len(calls_of(each)) for each in db.stored.values()] == [1, 1]


def test_a_sample_whose_answer_was_lost_is_stored_once(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    def fail() -> None:
        raise ServiceUnavailable("the answer was lost")  # type: ignore[no-untyped-call]

    db.fails, db.stores_first = fail, True
    note(health_recorder)
    for _ in range(3):
        clock.now += FLUSH_S
        tell(health_recorder, db)
    assert len(only(db)) == 1


def test_a_sample_is_bounded_and_tells_the_newest_calls(
    health_recorder: HealthRecorder, clock: Clock, db: Documents
) -> None:
    for number in range(MAX_CALLS + 7):
        note(health_recorder, ms=number, code="internal", message="x" * 500)
    clock.now += FLUSH_S
    assert tell(health_recorder, db)
    assert [call.ms for call in only(db)] == list(range(7, MAX_CALLS + 7))
    assert len(str(db.stored)) < 1_000_000
    assert not health_recorder.calls


def test_a_call_is_noted_by_how_it_ends(db: Documents) -> None:
    recorder.recorder.cache_clear()
    for error in (None, Unavailable("closed"), NotFound("none"), ValueError("of Ann's"), None):
        with (
            suppress(type(error) if error else ()),
            recorder.observation("look_up", "p", db, uid="ann", arguments={}),
        ):
            if error:
                raise error
    assert [(call.code, call.message) for call in recorder.recorder("p").calls] == [
        (None, ""),
        ("unavailable", "closed"),
        ("internal", "ValueError"),
        (None, ""),
    ]
    assert not recorder.recorder("q").calls
    recorder.recorder.cache_clear()


def test_a_call_that_is_cut_off_says_nothing(db: Documents) -> None:
    recorder.recorder.cache_clear()
    with suppress(SystemExit), recorder.observation("look_up", "p", db, uid="ann", arguments={}):
        raise SystemExit
    assert not recorder.recorder("p").calls
    recorder.recorder.cache_clear()
