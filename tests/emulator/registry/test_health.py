"""Samples become states: each sample once, however many check and wherever they are cut off."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import Client
from google.cloud.firestore_v1.batch import WriteBatch

from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.wire import Status
from rollcall.registry import health as checking
from rollcall.registry import segments
from rollcall.registry.health import COOL_DOWN_S, PAGE, check, health
from rollcall.registry.recorder import SAMPLES, HealthRecorder, by_client
from rollcall.registry.segments import PART_BYTES, read_records, write_records
from tests.support.firestore_operations import count_operations
from tests.support.full_form import amount

NOON = datetime(2026, 12, 10, 12, tzinfo=UTC).timestamp()
MANIFEST = "registry/manifest"
BUSY = amount(2_000, full=10_000)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def tell(
    db: Client, clock: Clock, *results: str | None, id: str = "look_up", uid: str = ""
) -> None:
    """A process sees calls end, with these codes, and tells; each another user's if not `uid`'s."""
    observer = HealthRecorder(now=clock)
    for number, code in enumerate(results):
        user = uid or f"{number} at {clock.now}"
        error = {"code": code, "message": "the archive is closed"} if code else None
        observer.note(id, uid=user, ms=40, error=error, arguments={})
    clock.now += 20
    thread = observer.flush(by_client(db))
    assert thread is not None
    thread.join(60)


def there(entry: Any) -> None:
    """A probe that finds everything in place."""


def gone(entry: Any) -> None:
    raise Unavailable(f"{entry.id} answers HTTP 503")


def look(db: Client, clock: Clock, probe: Callable[[Any], None] = there, **entries: Any) -> Any:
    return check(db, entries, probe=probe, now=clock.now)


def entry(
    id: str,
    type: str = "api_endpoint",
    status: Status = Status.ACTIVE,
    target: str = "https://tools.example.com/x",
) -> Any:
    return SimpleNamespace(
        id=id, execution=SimpleNamespace(type=type, target=target), status=status
    )


def told(db: Client) -> dict[str, str]:
    found: dict[str, str] = (db.document(MANIFEST).get().to_dict() or {})["health"]
    return found


def samples(db: Client) -> int:
    return len(db.collection(SAMPLES).get())


@pytest.fixture
def manifest(db: Client) -> None:
    db.document(MANIFEST).set({"digest": "d", "health": {}})


def test_one_failure_takes_nothing_out_and_five_do(
    db: Client, clock: Clock, manifest: None
) -> None:
    tell(db, clock, "unavailable")
    look(db, clock)
    assert told(db) == {}
    tell(db, clock, *["unavailable"] * 4)  # another process
    assert look(db, clock) == told(db) == {"look_up": "down"}
    assert samples(db) == 0


def test_one_user_takes_nothing_out_of_service_and_a_second_does(
    db: Client, clock: Clock, manifest: None
) -> None:
    for _ in range(4):  # processes
        tell(db, clock, *["internal"] * 20, uid="ann")
        look(db, clock)
        assert told(db) == {"look_up": "degraded"}
    assert health(db)["look_up"].day_failed == 80  # told as they were
    tell(db, clock, "internal", "internal", uid="ben")
    look(db, clock)
    assert told(db) == {"look_up": "down"}


def test_it_comes_back_by_itself_and_stays_after_successes(
    db: Client, clock: Clock, manifest: None
) -> None:
    tell(db, clock, *["internal"] * 5)
    look(db, clock)
    clock.now += COOL_DOWN_S
    look(db, clock)
    assert told(db) == {"look_up": "degraded"}
    tell(db, clock, None, None, None)
    look(db, clock)
    assert told(db) == {}


def test_it_goes_again_if_it_still_fails(db: Client, clock: Clock, manifest: None) -> None:
    tell(db, clock, *["internal"] * 5)
    look(db, clock)
    clock.now += COOL_DOWN_S - 1
    look(db, clock)
    assert told(db) == {"look_up": "down"}
    clock.now += 1
    look(db, clock)
    assert told(db) == {"look_up": "degraded"}
    tell(db, clock, *["internal"] * 5)
    look(db, clock)
    assert told(db) == {"look_up": "down"}


def test_where_nothing_is_compiled_states_are_kept_all_the_same(db: Client, clock: Clock) -> None:
    tell(db, clock, *["internal"] * 5)
    assert look(db, clock) == {"look_up": "down"}
    assert not db.document(MANIFEST).get().exists
    db.document(MANIFEST).set({"digest": "d"})
    look(db, clock)
    assert told(db) == {"look_up": "down"}


def test_what_an_operator_gave_a_status_stays_offered(
    db: Client, clock: Clock, manifest: None
) -> None:
    db.document("capabilities/look_up").set({"overrides": {"status": "active"}})
    db.document("capabilities/pay").set({"overrides": {"keywords": ["x"]}})
    for id in ("look_up", "pay"):
        tell(db, clock, *["internal"] * 5, id=id)
    look(db, clock)
    assert told(db) == {"look_up": "degraded", "pay": "down"}
    db.document("capabilities/pay").set({"overrides": {"status": "beta"}}, merge=True)
    look(db, clock)
    assert told(db) == {"look_up": "degraded", "pay": "degraded"}


def test_the_rest_of_the_manifest_and_its_writer_come_first(
    db: Client, clock: Clock, manifest: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(db, clock, *["internal"] * 5)
    original, compiled = checking._manifest_states, []

    def compile_meanwhile(*args: Any) -> Any:
        if len(compiled) < 3:
            compiled.append(db.document(MANIFEST).update({"digest": f"d{len(compiled)}"}))
        return original(*args)

    monkeypatch.setattr(checking, "_manifest_states", compile_meanwhile)
    look(db, clock)
    assert db.document(MANIFEST).get().to_dict() == {"digest": "d2", "health": {"look_up": "down"}}


def test_a_slower_check_does_not_publish_what_is_over(
    db: Client, clock: Clock, manifest: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, others = checking._manifest_states, []

    def check_meanwhile(*args: Any) -> Any:
        if not others:
            others.append("a check")
            tell(db, clock, *["internal"] * 5)
            look(db, clock)
        return original(*args)

    monkeypatch.setattr(checking, "_manifest_states", check_meanwhile)
    tell(db, clock, None)
    assert look(db, clock) == told(db) == {"look_up": "down"}
    assert (totals(db), samples(db)) == ((1, 5), 0)


def test_nothing_is_written_where_nothing_happened(
    db: Client, clock: Clock, manifest: None
) -> None:
    tell(db, clock, None)
    look(db, clock)
    with count_operations() as found:
        for _ in range(5):
            clock.now += 60
            look(db, clock, a=entry("a"), b=entry("b"))
    assert (found.writes, found.reads) == (0, 15)


def test_states_are_reported_with_counts_times_and_errors(db: Client, clock: Clock) -> None:
    tell(db, clock, None, None, None, "unavailable")
    look(db, clock)
    found = health(db)["look_up"]
    assert (found.state, found.day, found.day_ok, found.day_failed) == (
        "healthy",
        "2026-12-10",
        3,
        1,
    )
    assert found.latency(0.5) == found.latency(0.95) == 40
    assert found.failure is not None
    assert (found.failure.code, found.failure.message) == ("unavailable", "the archive is closed")
    clock.now += 86_400
    look(db, clock)
    assert health(db) == {}


def test_a_sample_lasts_for_a_day(db: Client, clock: Clock) -> None:
    tell(db, clock, None)
    (sample,) = db.collection(SAMPLES).get()
    data = sample.to_dict() or {}
    assert (data["expiresAt"] - data["at"]).total_seconds() == 86_400


# ---- each sample once ----


def totals(db: Client) -> tuple[int, int]:
    found = [*health(db).values()]
    return sum(each.day_ok for each in found), sum(each.day_failed for each in found)


def test_more_samples_than_one_commit_takes_all_count(db: Client, clock: Clock) -> None:
    batch = db.batch()
    for number in range(PAGE + 30):
        observer = HealthRecorder(now=clock)
        observer.note("look_up", uid="ann", ms=5, error=None, arguments={})
        batch.set(db.collection(SAMPLES).document(), observer.sample())
        clock.now += 0.01 * number
    batch.commit()
    look(db, clock)
    assert (totals(db), samples(db)) == ((PAGE + 30, 0), 0)


def test_checks_at_once_count_every_sample_once(db: Client, clock: Clock, manifest: None) -> None:
    for _ in range(20):
        tell(db, clock, None, "unavailable")
    stop = threading.Event()

    def telling() -> int:
        own, told_so_far = Clock(), 0
        own.now = clock.now
        while not stop.is_set():
            tell(db, own, None)
            told_so_far += 1
        return told_so_far

    def checking_again() -> None:
        for _ in range(8):
            look(db, clock)

    with ThreadPoolExecutor(6) as pool:
        teller = pool.submit(telling)
        for each in [pool.submit(checking_again) for _ in range(4)]:
            each.result()
        stop.set()
        more = teller.result()
    look(db, clock)
    assert (totals(db), samples(db)) == ((20 + more, 20), 0)


@contextmanager
def dying(monkeypatch: pytest.MonkeyPatch, *, is_stored: bool) -> Iterator[None]:
    """The next commit breaks off, before or after it is stored."""
    original = WriteBatch.commit

    def commit(self: WriteBatch, *args: Any, **options: Any) -> Any:
        if is_stored:
            original(self, *args, **options)
        raise ServiceUnavailable("the process is no more")  # type: ignore[no-untyped-call]

    with monkeypatch.context() as patched, pytest.raises(ServiceUnavailable):
        patched.setattr(WriteBatch, "commit", commit)
        yield


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_check_that_is_cut_off_loses_and_repeats_nothing(
    db: Client, clock: Clock, manifest: None, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    for _ in range(3):
        tell(db, clock, None, None, "unavailable")
    with dying(monkeypatch, is_stored=is_stored):
        look(db, clock)
    look(db, clock)
    assert (totals(db), samples(db)) == ((6, 3), 0)
    assert told(db) == {"look_up": "degraded"}


def test_a_sample_that_cannot_be_read_keeps_no_other_from_counting(
    db: Client, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for number, counts in enumerate(["no JSON", "{}", '[["look_up", "ann"]]', None]):
        at = datetime.fromtimestamp(NOON + number, UTC)
        db.document(f"{SAMPLES}/{number}").set({"at": at, "calls": counts})
    tell(db, clock, None)
    look(db, clock)
    assert (totals(db), samples(db)) == ((1, 0), 0)
    assert caplog.text.count("cannot be read") == 4


def test_records_of_an_earlier_version_are_read(db: Client, clock: Clock, manifest: None) -> None:
    old = {
        "calls": [["", f"user {number}", NOON, 40, "internal"] for number in range(4)],
        "day": "2026-12-10",
        "day_failed": 4,
        "heard_at": NOON,
        "breaker": {"state": "down", "since": NOON, "until": NOON + 900, "strikes": 4},
    }
    batch = db.batch()
    write_records(batch, db.document("registry/health").get(), {"look_up": old})
    batch.commit()
    assert look(db, clock) == told(db) == {"look_up": "degraded"}
    tell(db, clock, "internal")
    assert look(db, clock) == told(db) == {"look_up": "down"}
    assert totals(db) == (0, 5)


# ---- scheduled checks ----


def test_what_cannot_be_reached_three_times_goes_and_comes_back_when_it_can(
    db: Client, clock: Clock, manifest: None
) -> None:
    tools = {"maps": entry("maps")}
    states = []
    for _ in range(20):
        look(db, clock, gone, **tools)
        states.append(told(db).get("maps"))
        clock.now += 60
    first = states.index("down")
    assert states[first - 2 : first] == [None, "degraded"]
    assert set(states[first:]) == {"down"}  # a check that fails keeps it down
    for _ in range(6):
        look(db, clock, there, **tools)
        clock.now += 60
    assert told(db) == {"maps": "degraded"}


def test_only_hosts_that_are_gone_are_taken_out(db: Client, clock: Clock, manifest: None) -> None:
    def some_gone(each: Any) -> None:
        if each.id in ("maps", "tax"):
            gone(each)

    hosts = {
        name: entry(name, target=f"https://{name}.example.com/") for name in ("maps", "tax", "fax")
    }
    for _ in range(20):
        look(db, clock, some_gone, **hosts)
        clock.now += 60
    assert told(db) == {"maps": "down", "tax": "down"}


def test_every_capability_is_checked_within_a_quarter_of_an_hour(db: Client, clock: Clock) -> None:
    tools = {f"tool_{n}": entry(f"tool_{n}") for n in range(200)}
    seen: list[str] = []
    for _ in range(15):
        look(db, clock, lambda each: seen.append(each.id), **tools)
        clock.now += 60
    assert sorted(seen) == sorted(tools)
    assert read_records(db.document("registry/health").get()) == {}


def test_records_of_an_earlier_build_are_begun_anew(db: Client, clock: Clock) -> None:
    db.document("registry/health").set({"records": '{"maps": {"state": "down"}}', "parts": 1})
    assert look(db, clock, lambda each: None, maps=entry("maps")) == {}


def test_clients_tools_and_disabled_ones_are_not_checked(db: Client, clock: Clock) -> None:
    tools = {
        "open_file": entry("open_file", "client"),
        "old": entry("old", status=Status.DISABLED),
    }
    for _ in range(15):
        look(db, clock, gone, **tools)
        clock.now += 60
    assert health(db) == {}


def test_a_check_that_cannot_be_made_says_nothing(db: Client, clock: Clock) -> None:
    def unlisted(each: Any) -> None:
        raise FailedPrecondition("maps.example.com may not be called from here")

    for _ in range(30):
        look(db, clock, unlisted, maps=entry("maps"))
        clock.now += 60
    assert health(db) == {}


def test_a_probe_that_breaks_ends_the_check(db: Client, clock: Clock) -> None:
    def broken(each: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        for _ in range(15):
            look(db, clock, broken, maps=entry("maps"))
            clock.now += 60


# ---- ten thousand capabilities ----


def test_what_does_not_fit_is_left_out_and_never_what_fails(
    db: Client,
    clock: Clock,
    manifest: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(segments, "PART_BYTES", 500)
    tell(db, clock, *["internal"] * 5, id="pay")
    tell(db, clock, "internal", id="sign")
    for number in range(30):
        tell(db, clock, None, id=f"tool_{number}")
    assert look(db, clock) == {"pay": "down"}
    found = health(db).keys()
    assert {"pay", "sign"} <= found and len(found) < 32
    assert "cannot hold all records" in caplog.text


def test_the_manifest_names_as_many_states_as_fit_and_what_is_down_first(
    db: Client, clock: Clock, manifest: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "MAX_STATES", 3)
    for number in range(4):
        tell(db, clock, *["internal"] * 3, id=f"a_{number}")
    tell(db, clock, *["internal"] * 5, id="z")
    assert len(look(db, clock)) == 5
    assert told(db) == {"a_0": "degraded", "a_1": "degraded", "z": "down"}


@pytest.mark.long
def test_thousands_of_busy_capabilities_fit(db: Client, clock: Clock, manifest: None) -> None:
    ids = [f"a_capability_with_quite_a_long_name_that_says_a_lot_{n:05}" for n in range(BUSY)]
    for start in range(0, BUSY, 400):
        observer = HealthRecorder(now=clock)
        for number, id in enumerate(ids[start : start + 400]):
            error = {"code": "unavailable", "message": "x" * 500} if number % 2 else None
            for call in range(5):
                observer.note(id, uid=f"user {call}", ms=number, error=error, arguments={})
        db.document(f"{SAMPLES}/{start}").set(observer.sample())
    look(db, clock)
    assert len(db.document("registry/health").get().get("records")) < PART_BYTES
    assert totals(db) == (BUSY * 5 // 2, BUSY * 5 // 2)
    assert (len(told(db)), set(told(db).values())) == (BUSY // 2, {"down"})
