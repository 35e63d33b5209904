"""Ratings of one's own finished answers, counted by their newest value."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import Call, User
from rollcall.core.errors import AgentError, ResourceExhausted, Unavailable
from rollcall.core.redaction import HIDDEN
from rollcall.endpoints.my_data import delete_my_data, export_my_data
from rollcall.endpoints.rate_message import rate_message
from rollcall.registry.usage import roll_up, usage
from rollcall.store import ratings
from rollcall.store.batches import read_all
from rollcall.store.erasure import erase_one_thread
from rollcall.store.ratings import MAX_WRITES
from tests.support.local_functions import LocalPlatform
from tests.support.user_data import write_all

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
CALLS = [{"tool": "look_up"}, {"tool": "pay"}]


@pytest.fixture(autouse=True)
def thread(db: Client) -> None:
    own = {"schemaVersion": 2, "uid": "ann"}
    run = {
        **own,
        "status": "done",
        "turnId": "r1",
        "agent": "office",
        "createdAt": NOON,
        "request": json.dumps({"variant": "V2", "offered": []}),
        "result": json.dumps({"toolCalls": CALLS}),
    }
    thread = {**own, "agent": "office", "title": "", "status": "active", "nextMessage": 2}
    write_all(
        db,
        {
            "threads/t1": {**thread, "lease": None, "createdAt": NOON, "updatedAt": NOON},
            "threads/t1/runs/r1": run,
            "threads/t1/runs/r2": {**run, "status": "running"},
            "threads/t1/runs/r3": {**run, "status": "failed", "result": None},
            "threads/t1/messages/00000001": {**own, "n": 1, "runId": "r1", "turnId": "r1"},
        },
    )


def rate(db: Client, rating: str | None, *, uid: str = "ann", **data: Any) -> dict[str, Any]:
    place = (
        {"threadId": "t1"}
        if {"runId", "messageId"} & set(data)
        else {"threadId": "t1", "runId": "r1"}
    )
    return rate_message(LocalPlatform(db), Call(User(uid), {**place, "rating": rating, **data}))


def refusal(db: Client, rating: Any, **data: Any) -> tuple[str, str | None]:
    with pytest.raises(AgentError) as error:
        rate(db, rating, **data)
    return error.value.code, error.value.field


def stored_rating(db: Client) -> dict[str, Any]:
    return db.document("ratings/t1~r1").get().to_dict() or {}


def entries(db: Client) -> list[dict[str, Any]]:
    """Of the audit, in the order of the ratings' numbers."""
    found = [each.to_dict() or {} for each in db.collection("audit").stream()]
    return sorted(found, key=lambda each: int(json.loads(each["about"])[-1]))


def rating_counts(db: Client) -> tuple[int, int]:
    roll_up(db, {"look_up", "pay"}, settled=timedelta(0))
    found = usage(db, NOON.date(), NOON.date())
    runs = [counts for subject, counts in found.items() if subject.tool is None]
    tools = [counts for subject, counts in found.items() if subject.tool]
    assert {counts.up for counts in tools} <= {counts.up for counts in runs}
    return sum(counts.up for counts in runs), sum(counts.down for counts in runs)


def test_an_answer_is_rated_with_a_comment_which_the_audit_does_not_hold(db: Client) -> None:
    told = rate(db, "up", comment="Just what I needed")
    assert told == {
        "threadId": "t1",
        "runId": "r1",
        "rating": "up",
        "comment": "Just what I needed",
    }
    kept = stored_rating(db)
    assert told.items() <= kept.items()
    assert (kept["uid"], kept["agent"], kept["number"]) == ("ann", "office", 1)
    (entry,) = entries(db)
    assert (entry["variant"], entry["called"]) == ("V2", ["look_up", "pay"])
    assert (entry["rating"], entry["before"], entry["runDay"]) == ("up", None, "2026-11-21")
    assert "needed" not in str(entry)


def test_the_same_again_changes_nothing(db: Client) -> None:
    rate(db, "up", comment="Good")
    before = stored_rating(db)
    rate(db, "up", comment="Good")
    assert stored_rating(db) == before
    assert len(entries(db)) == 1
    rate(db, "up", comment="Very good")
    assert (stored_rating(db)["comment"], len(entries(db))) == ("Very good", 1)


def test_a_rating_is_changed_and_taken_back_and_counted_as_it_is(db: Client) -> None:
    seen = []
    for rating in ("up", "down", None, "down", "up"):
        rate(db, rating, **({"comment": "So"} if rating else {}))
        seen.append(rating_counts(db))
        assert stored_rating(db)["comment"] == ("So" if rating else None)
    assert seen == [(1, 0), (0, 1), (0, 0), (0, 1), (1, 0)]


def test_taking_back_what_was_never_rated_counts_nothing(db: Client) -> None:
    rate(db, None)
    assert rating_counts(db) == (0, 0)


def test_ratings_at_once_count_as_one(db: Client) -> None:
    def at_once(number: int) -> None:
        with suppress(Unavailable):  # it says so
            rate(db, "up" if number % 2 else "down")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(at_once, range(6)))
    up, down = rating_counts(db)
    assert (up, down) == ((1, 0) if stored_rating(db)["rating"] == "up" else (0, 1))
    assert [each["before"] for each in entries(db)][1:] == [each["rating"] for each in entries(db)][
        :-1
    ]


def test_a_run_that_is_erased_meanwhile_is_not_rated(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_before_the_erasure(db: Client, *references: Any) -> list[Any]:
        read = read_all(db, *references)
        db.document("threads/t1/runs/r1").delete()
        return read

    monkeypatch.setattr(ratings, "read_all", read_before_the_erasure)
    assert refusal(db, "up") == ("not-found", "runId")
    assert (list(db.collection("ratings").stream()), entries(db)) == ([], [])


def test_a_rating_does_not_change_its_run(db: Client) -> None:
    before = db.document("threads/t1/runs/r1").get()
    rate(db, "up")
    after = db.document("threads/t1/runs/r1").get()
    assert (after.to_dict(), after.update_time) == (before.to_dict(), before.update_time)


def test_an_answer_is_found_by_its_message(db: Client) -> None:
    assert rate(db, "down", messageId="00000001")["runId"] == "r1"
    assert refusal(db, "down", messageId="00000009") == ("not-found", "messageId")
    assert refusal(db, "down", messageId="00000001", uid="eve") == (
        "permission-denied",
        "messageId",
    )


def test_only_ones_own_and_only_what_has_ended(db: Client) -> None:
    assert refusal(db, "up", uid="eve") == ("permission-denied", "runId")
    assert refusal(db, "up", runId="r2") == ("failed-precondition", "runId")
    assert refusal(db, "up", runId="r9") == ("not-found", "runId")
    assert refusal(db, "up", threadId="t9", runId="r1") == ("not-found", "runId")
    assert (list(db.collection("ratings").stream()), entries(db)) == ([], [])


def test_a_run_that_failed_can_be_rated(db: Client) -> None:
    rate(db, "down", runId="r3")
    assert entries(db)[0]["called"] == []


@pytest.mark.parametrize(
    "data",
    [
        {"rating": "great"},
        {"rating": 1},
        {"rating": "up", "comment": "x" * 1_001},
        {"rating": None, "comment": "x"},
        {"rating": "up", "runId": "r1", "messageId": "00000001"},
        {"rating": "up", "threadId": "../t1"},
        {"rating": "up", "messageId": "1"},
        {"rating": "up", "user": "ben"},
    ],
)
def test_bad_input_is_named(db: Client, data: dict[str, Any]) -> None:
    rating = data.pop("rating")
    assert refusal(db, rating, **data)[0] == "invalid-argument"


def test_credentials_are_not_kept(db: Client) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    assert rate(db, "down", comment=f"it told me {key}")["comment"] == f"it told me {HIDDEN}"
    assert key not in str(stored_rating(db))


def test_nobody_writes_the_audit_full_by_changing_their_mind(db: Client) -> None:
    rate(db, "up")
    db.document("ratings/t1~r1").update({"writes": MAX_WRITES - 1})
    rate(db, "down")
    assert refusal(db, "up") == ("resource-exhausted", None)
    rate(db, None)
    assert refusal(db, "up") == ("resource-exhausted", None)
    assert len(entries(db)) == 3


def test_nobody_rewrites_a_comment_for_ever(db: Client) -> None:
    rate(db, "up", comment="0")
    db.document("ratings/t1~r1").update({"writes": MAX_WRITES - 1})
    rate(db, "up", comment="1")
    with pytest.raises(ResourceExhausted, match=f"comment may be written {MAX_WRITES} times"):
        rate(db, "up", comment="2")
    assert stored_rating(db)["comment"] == "1"
    assert rate(db, "up", comment="1")["comment"] == "1"  # the same again is no write
    assert rate(db, None)["comment"] is None
    assert refusal(db, "down") == ("resource-exhausted", None)


def test_a_rating_is_exported_and_goes_with_its_thread(db: Client) -> None:
    rate(db, "up", comment="Good")
    platform = LocalPlatform(db)
    items = export_my_data(platform, Call(User("ann"), {}))["items"]
    (found,) = [item for item in items if item["kind"] == "ratings"]
    assert (found["data"]["rating"], found["data"]["comment"]) == ("up", "Good")
    receipt = erase_one_thread(platform, "ann", "t1", for_good=False)
    assert receipt["removed"]["ratings"] == 1
    assert not stored_rating(db)
    assert refusal(db, "up") == ("not-found", "runId")


def test_a_rating_goes_with_its_user(db: Client) -> None:
    rate(db, "up", comment="Good")
    delete_my_data(LocalPlatform(db), Call(User("ann"), {"confirm": True}))
    assert not stored_rating(db)
    left = [each.to_dict() for each in db.collection("audit").stream()]
    assert len(left) == 2
    assert "ann" not in str(left)
