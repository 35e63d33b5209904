"""Each entry of the audit log is counted once, by two processes at once and after a crash."""

from __future__ import annotations

import itertools
import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import Client
from google.cloud.firestore_v1.batch import WriteBatch

from rollcall.core.context import User
from rollcall.core.wire import CallStatus, ModelUsage, ToolCallRecord
from rollcall.registry import usage as usages
from rollcall.registry.segments import PART_BYTES
from rollcall.registry.usage import KEPT_DAYS, Subject, day_name, roll_up, usage
from rollcall.store import audit
from tests.support.firestore_operations import count_operations

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = NOON.date()
KNOWN = {"look_up", "pay"}
OFFICE = Subject("office")
AT_ONCE = timedelta(0)
PAGE = 100
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usages, "PAGE", PAGE)


def run_entry(**changes: Any) -> dict[str, Any]:
    number = f"r{next(_numbers)}"
    fields: dict[str, Any] = {
        "user": User("ann"),
        "thread_id": "t1",
        "turn_id": number,
        "run_id": number,
        "agent": "office",
        "models": [],
        "variant": None,
        "offered": ["look_up", "pay"],
        "found": [],
        "calls": [
            ToolCallRecord(
                id="c", tool="look_up", arguments={}, status=CallStatus.DONE, step=1, ms=40
            )
        ],
        "approvals": [],
        "outcome": "success",
        "stop_reason": None,
        "steps": 2,
        "attempt": 1,
        "usage": [ModelUsage(provider="gemini", model="x", input_tokens=90, output_tokens=10)],
        "micro_usd": 500,
        "began_at": NOON,
        "at": NOON + timedelta(seconds=2),
    }
    given = {**fields, **changes}
    request = {key: given.pop(key) for key in ("variant", "offered")}
    return audit.run_entry(request=request, **given)


def rating(new: str | None, before: str | None, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "agent": "office",
        "variant": None,
        "called": ["look_up"],
        "runDay": DAY.isoformat(),
        "rating": new,
        "before": before,
    }
    number = str(next(_numbers))
    return audit.entry("rating", "t1", "r", number, uid="ann", at=NOON, **{**fields, **changes})


def write(db: Client, *entries: dict[str, Any]) -> None:
    for start in range(0, len(entries), 400):
        batch = db.batch()
        for entry in entries[start : start + 400]:
            audit.write(batch, db, entry)
        batch.commit()


def count(db: Client) -> int:
    return roll_up(db, KNOWN, settled=AT_ONCE)


def runs(db: Client, *, days: int = 1) -> int:
    return sum(each.runs for each in usage(db, DAY, DAY + timedelta(days=days - 1)).values())


def test_runs_and_ratings_are_counted_once(db: Client) -> None:
    write(db, run_entry(), run_entry(), rating("up", None))
    assert count(db) == 3
    assert count(db) == 0
    write(db, run_entry(outcome="failed"), rating("down", "up"))
    assert count(db) == 2
    counts = usage(db, DAY, DAY)[OFFICE]
    assert (counts.runs, counts.up, counts.down) == (3, 0, 1)
    assert (counts.success.n, counts.success.of) == (2, 3)
    assert (counts.turns, counts.micro_usd, counts.ms) == (3, 1_500, 6_000)


def test_nothing_else_of_the_audit_is_counted(db: Client) -> None:
    write(db, audit.entry("data_erased", "u", "e", uid=None, at=NOON, removed={}))
    db.document("audit/x").set({"kind": "erased", "at": NOON})
    db.document("audit/older").set({**run_entry(), "kind": "run"})  # from before `loggedAt`
    assert count(db) == 0


def test_what_may_still_be_on_its_way_is_waited_for(db: Client) -> None:
    write(db, run_entry())
    assert roll_up(db, KNOWN) == 0
    assert count(db) == 1


def test_pages_are_counted_one_after_the_other_also_where_many_are_of_one_time(
    db: Client,
) -> None:
    write(db, *[run_entry() for _ in range(2 * PAGE + 30)])
    assert count(db) == runs(db) == 2 * PAGE + 30


def test_roll_ups_at_once_count_each_entry_once(db: Client) -> None:
    write(db, *[run_entry() for _ in range(PAGE + 50)])
    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(lambda _: count(db), range(10)))
    assert sum(found) + count(db) == runs(db) == PAGE + 50


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_roll_up_that_is_cut_off_repeats_and_loses_nothing(
    db: Client, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    write(db, *[run_entry() for _ in range(7)])
    original = WriteBatch.commit

    def commit(self: WriteBatch, *args: Any, **options: Any) -> Any:
        if is_stored:
            original(self, *args, **options)
        raise ServiceUnavailable("the process is no more")  # type: ignore[no-untyped-call]

    with monkeypatch.context() as patched, pytest.raises(ServiceUnavailable):
        patched.setattr(WriteBatch, "commit", commit)
        count(db)
    write(db, run_entry())
    count(db)
    assert runs(db) == 8


def test_entries_that_come_while_it_is_counted_are_counted_by_the_next(db: Client) -> None:
    some_are_counted = Event()

    def writing() -> int:
        number = 0
        while number < 300 or not some_are_counted.is_set():
            write(db, run_entry())
            number += 1
        return number

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(writing)
        settled = timedelta(seconds=2)  # more than a commit takes, on a busy machine too
        while not writer.done():
            roll_up(db, KNOWN, settled=settled)
            if runs(db):
                some_are_counted.set()
    count(db)
    assert runs(db) == writer.result()


def test_an_entry_that_cannot_be_read_keeps_no_other_from_being_counted(
    db: Client, caplog: pytest.LogCaptureFixture
) -> None:
    write(db, {**run_entry(), "beganAt": "noon"}, run_entry(), rating("up", None, runDay="../x"))
    assert count(db) == 3
    assert runs(db) == 1
    assert caplog.text.count("cannot be counted") == 2


def test_nobody_is_named_and_days_go_after_a_year(db: Client) -> None:
    write(db, run_entry(user=User("zed-4711", tenant="zeds")))
    count(db)
    for document in db.collection("registry").stream():
        assert "zed" not in str(document.to_dict())
        if document.id.startswith("usage-"):
            assert document.get("expiresAt") == datetime(2027, 12, 26, tzinfo=UTC)


def test_days_are_added_up_and_read_apart(db: Client) -> None:
    for days in range(3):
        at = NOON + timedelta(days=days)
        write(db, *[run_entry(began_at=at, at=at) for _ in range(days + 1)])
    count(db)
    with count_operations() as cost:
        assert runs(db, days=3) == 6
    assert cost.reads == 3
    assert runs(db) == 1
    assert usage(db, DAY + timedelta(days=9), DAY + timedelta(days=20)) == {}


def test_variants_agents_and_capabilities_are_counted_apart(db: Client) -> None:
    write(db, *[run_entry(variant="V1", micro_usd=4_000) for _ in range(4)])
    write(db, *[run_entry(variant="V2", micro_usd=1_000) for _ in range(6)])
    write(db, run_entry(variant="V2", outcome="failed", agent="messaging"))
    count(db)
    found = usage(db, DAY, DAY)
    first, second = found[Subject("office", "V1")], found[Subject("office", "V2")]
    assert (first.runs, first.micro_usd) == (4, 16_000)
    assert (second.runs, second.micro_usd) == (6, 6_000)
    assert found[Subject("messaging", "V2")].success.n == 0
    look_up, pay = found[Subject("office", "V2", "look_up")], found[Subject("office", "V2", "pay")]
    assert (look_up.called, look_up.offered, look_up.micro_usd) == (6, 6, 6_000)
    assert (pay.called, pay.offered) == (0, 6)


def test_ten_thousand_capabilities_in_a_day_fit(db: Client) -> None:
    ids = [f"a_capability_with_quite_a_long_name_that_says_a_lot_{n:05}" for n in range(10_000)]
    write(db, *[run_entry(offered=ids[n : n + 200]) for n in range(0, 10_000, 200)])
    assert roll_up(db, set(ids), settled=AT_ONCE) == 50
    stored = db.document(f"registry/{day_name(DAY)}").get().get("records")
    assert len(stored) < PART_BYTES / 4
    assert len(usage(db, DAY, DAY)) == 10_001


def test_counts_of_a_later_version_are_read_and_added_to(db: Client) -> None:
    look_up = '["office",null,"look_up"]'
    counts = {look_up: {"called": 5, "missed": 1, "ofALaterVersion": 1}}
    records = zlib.compress(json.dumps(counts).encode())
    db.document(f"registry/{day_name(DAY)}").set({"records": records, "schemaVersion": 2})
    write(db, run_entry())
    assert count(db) == 1
    found = usage(db, DAY, DAY)[Subject("office", None, "look_up")]
    assert (found.called, found.missed) == (6, 1)


@pytest.mark.parametrize("days", [-30, 0, KEPT_DAYS + 1])
def test_a_report_is_of_one_to_as_many_days_as_are_kept(db: Client, days: int) -> None:
    with pytest.raises(ValueError, match="must be 1 to 400 days"):
        runs(db, days=days)
    assert runs(db, days=KEPT_DAYS) == 0
