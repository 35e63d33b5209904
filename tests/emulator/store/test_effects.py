"""The effect ledger: every write happens at most once, and an unknown outcome is reported as
unknown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import Aborted as Contention
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import Client, Increment, WriteBatch
from msgspec.structs import replace

from rollcall.core.errors import (
    Aborted,
    AgentError,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    OutcomeUnknown,
    Unavailable,
)
from rollcall.store import effects, paths
from rollcall.store.batches import update_unchanged
from rollcall.store.effects import MAX_ATTEMPTS, Effect, Write, effect_key, perform_once
from tests.support.lost_commits import How, lose_commit
from tests.support.office import ProcessDeath, run_concurrently

EFFECT = Effect(effect_key("t", "r", 1, 0), "ann", "pay", 1, "digest")
RESULT = {"paid": 5}


def failing_first(batch: WriteBatch | None) -> Any:
    """Dies before it writes anything."""
    raise ProcessDeath


class Till:
    """Something to write, in three ways, and what was really written."""

    def __init__(self, db: Client) -> None:
        self.db = db
        self.then: Callable[[], None] = lambda: None

    def plain(self, batch: WriteBatch | None) -> Any:
        self.db.collection("done").add({"paid": 5})
        self.then()
        return RESULT

    def atomic(self, batch: WriteBatch | None) -> Any:
        assert batch is not None
        batch.create(self.db.collection("done").document(), {"paid": 5})
        self.then()
        return RESULT

    def find(self) -> Any:
        return RESULT if self.written() else None

    def grow_old(self) -> None:
        """Whoever began the write has had its time."""
        long_ago = datetime.now(UTC) - timedelta(minutes=5)
        self.db.document(f"effects/{EFFECT.key}").update({"startedAt": long_ago})

    def written(self) -> int:
        return len(list(self.db.collection("done").stream()))

    def ways(self) -> dict[str, Write]:
        return {
            "plain": Write(self.plain),
            "findable": Write(self.plain, find=self.find),
            "atomic": Write(self.atomic, atomic=True),
        }

    def perform(self, way: str = "plain", effect: Effect = EFFECT, *, waits: bool = False) -> Any:
        return perform_once(self.db, effect, self.ways()[way], waits_for_others=waits)

    def status(self) -> str:
        return str((paths.effect(self.db, EFFECT.key).get().to_dict() or {})["status"])


@pytest.fixture
def till(db: Client) -> Till:
    return Till(db)


WAYS = pytest.mark.parametrize("way", ["plain", "findable", "atomic"])


def failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@WAYS
def test_a_write_happens_once_and_a_repeat_is_given_its_result(till: Till, way: str) -> None:
    assert till.perform(way) == till.perform(way) == RESULT
    assert (till.written(), till.status()) == (1, "done")


@WAYS
def test_of_many_at_once_one_writes_and_all_have_the_result(till: Till, way: str) -> None:
    assert run_concurrently(10, lambda _: till.perform(way, waits=True)) == [RESULT] * 10
    assert till.written() == 1


@pytest.mark.parametrize("changes", [{"arguments_digest": "other"}, {"uid": "eve"}])
def test_a_key_is_for_one_write(till: Till, changes: dict[str, str]) -> None:
    till.perform()
    with pytest.raises(AlreadyExists) as caught:
        till.perform(effect=replace(EFFECT, **changes))  # type: ignore[arg-type]
    assert (caught.value.field, till.written()) == ("callKey", 1)


def test_a_write_that_was_refused_stays_refused(till: Till) -> None:
    till.then = failing(InvalidArgument("no such bob"))
    with pytest.raises(InvalidArgument):
        till.perform("atomic")
    till.then = lambda: None
    with pytest.raises(FailedPrecondition, match="no such bob"):
        till.perform("atomic")
    assert (till.written(), till.status()) == (0, "failed")


def test_a_write_that_failed_in_passing_may_be_tried_again(till: Till) -> None:
    till.then = failing(Unavailable("busy"))
    with pytest.raises(Unavailable):
        till.perform("atomic")
    till.then = lambda: None
    assert till.perform("atomic") == RESULT
    assert (till.written(), till.status()) == (1, "done")


def test_a_write_that_broke_off_is_unknown_for_good(till: Till) -> None:
    till.then = failing(RuntimeError("after it was written"))
    for _ in range(2):
        with pytest.raises(OutcomeUnknown):
            till.perform()
        till.then = lambda: None
    assert (till.written(), till.status()) == (1, "unknown")


def test_an_atomic_write_that_broke_off_has_not_happened(till: Till) -> None:
    till.then = failing(RuntimeError("before the batch is committed"))
    with pytest.raises(RuntimeError):
        till.perform("atomic")
    assert (till.written(), till.status()) == (0, "failed")


def test_a_process_that_dies_after_writing_leaves_an_unknown(till: Till) -> None:
    till.then = failing(ProcessDeath())
    with pytest.raises(ProcessDeath):
        till.perform()
    assert till.status() == "pending"
    till.then = lambda: None
    with pytest.raises(OutcomeUnknown):
        till.perform()
    assert (till.written(), till.status()) == (1, "unknown")


def test_what_can_be_looked_up_is(till: Till) -> None:
    till.then = failing(ProcessDeath())
    with pytest.raises(ProcessDeath):
        till.perform("findable")
    till.then = lambda: None
    assert till.perform("findable") == RESULT
    assert (till.written(), till.status()) == (1, "done")


def test_what_did_not_happen_may_be_made_again(till: Till) -> None:
    way = Write(failing_first, find=till.find)
    with pytest.raises(ProcessDeath):
        perform_once(till.db, EFFECT, way, waits_for_others=False)
    till.grow_old()
    with pytest.raises(Unavailable, match="before anything was written"):
        till.perform("findable")
    assert till.perform("findable") == RESULT
    assert till.written() == 1


def test_what_was_begun_a_moment_ago_and_is_not_found_may_still_happen(till: Till) -> None:
    way = Write(failing_first, find=till.find)
    with pytest.raises(ProcessDeath):
        perform_once(till.db, EFFECT, way, waits_for_others=False)
    with pytest.raises(OutcomeUnknown, match="may still happen"):
        till.perform("findable")
    assert (till.written(), till.status()) == (0, "unknown")


def test_an_atomic_write_that_was_cut_off_is_made_once(till: Till) -> None:
    till.then = failing(ProcessDeath())
    with pytest.raises(ProcessDeath):
        till.perform("atomic")
    till.then = lambda: None
    assert run_concurrently(5, lambda _: till.perform("atomic")).count(RESULT) >= 1
    assert (till.written(), till.status()) == (1, "done")


def test_one_that_is_going_on_elsewhere_is_waited_for_and_then_left_to_it(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "PATIENCE_S", 0.05)
    till.then = failing(ProcessDeath())
    with pytest.raises(ProcessDeath):
        till.perform()
    with pytest.raises(Aborted) as caught:
        till.perform(waits=True)
    assert caught.value.retry_after_s
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    till.db.document(f"effects/{EFFECT.key}").update({"startedAt": long_ago})
    with pytest.raises(OutcomeUnknown):
        till.perform(waits=True)
    assert till.written() == 1


class Counter:
    """A write that adds one to a number; another process changes the number before the commit."""

    def __init__(self, db: Client, *, changes: int) -> None:
        self.db, self.changes, self.reads = db, changes, 0
        self.place = db.document("done/counter")
        self.place.create({"number": 0})

    def work(self, batch: WriteBatch | None) -> Any:
        assert batch is not None
        self.reads += 1
        found = self.place.get()
        number = found.get("number") + 1
        update_unchanged(batch, found, {"number": number})
        if self.reads <= self.changes:
            self.change()
        return {"number": number}

    def change(self) -> None:
        self.place.update({"number": Increment(10)})

    def perform(self) -> Any:
        return perform_once(self.db, EFFECT, Write(self.work, atomic=True), waits_for_others=False)

    def number(self) -> int:
        return int(self.place.get().get("number"))


def test_an_atomic_write_whose_data_changed_decides_anew_on_the_new_data(till: Till) -> None:
    counter = Counter(till.db, changes=2)
    assert counter.perform() == counter.perform() == {"number": 21}
    assert (counter.number(), counter.reads, till.status()) == (21, 3, "done")


def test_an_atomic_write_whose_data_keeps_changing_is_refused(till: Till) -> None:
    counter = Counter(till.db, changes=1000)
    with pytest.raises(Aborted, match="changed in the meantime"):
        counter.perform()
    assert (counter.number(), counter.reads) == (10 * MAX_ATTEMPTS, MAX_ATTEMPTS)
    assert till.status() == "failed"


def test_an_atomic_write_that_the_new_data_forbids_is_refused_with_that_reason(till: Till) -> None:
    class Full(Counter):
        def work(self, batch: WriteBatch | None) -> Any:
            if self.reads:
                raise FailedPrecondition("it is full")
            return super().work(batch)

    with pytest.raises(FailedPrecondition, match="it is full"):
        Full(till.db, changes=1).perform()
    assert till.status() == "failed"


def test_an_atomic_write_that_was_erased_meanwhile_is_not_decided_anew(till: Till) -> None:
    class Erased(Counter):
        def change(self) -> None:
            self.db.document(f"effects/{EFFECT.key}").delete()

    erased = Erased(till.db, changes=1)
    with pytest.raises(Aborted, match="changed in the meantime"):
        erased.perform()
    assert (erased.number(), erased.reads) == (0, 1)


def test_an_atomic_write_that_finds_its_place_taken_says_so(till: Till) -> None:
    taken = till.db.document("rooms/blue")
    taken.create({})

    def book(batch: WriteBatch | None) -> Any:
        assert batch is not None
        batch.create(taken, {})

    with pytest.raises(Aborted, match="changed in the meantime"):
        perform_once(till.db, EFFECT, Write(book, atomic=True), waits_for_others=False)
    assert till.status() == "failed"


def test_an_atomic_write_that_others_are_in_the_way_of_may_be_tried_again(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = WriteBatch.commit

    def commit(self: WriteBatch, *args: Any, **options: Any) -> Any:
        if len(self) > 2:  # the writes, the ledger and its trace
            raise Contention("too much contention on these documents")  # type: ignore[no-untyped-call]
        return original(self, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(WriteBatch, "commit", commit)
        with pytest.raises(Aborted, match="changed in the meantime"):
            till.perform("atomic")
    assert (till.status(), till.written()) == ("failed", 0)
    assert till.perform("atomic") == RESULT
    assert till.written() == 1


def test_what_the_database_does_not_take_is_no_fault_in_passing(till: Till) -> None:
    def write(batch: WriteBatch | None) -> Any:
        assert batch is not None
        batch.create(till.db.document("done/large"), {"text": "x" * 1_100_000})

    for _ in range(2):  # the same key, the same answer
        with pytest.raises(AgentError, match="does not accept what pay would write") as refused:
            perform_once(till.db, EFFECT, Write(write, atomic=True), waits_for_others=False)
    assert not isinstance(refused.value, Unavailable)
    assert (till.status(), till.written()) == ("failed", 0)


def test_two_processes_that_make_one_atomic_write_make_it_once(till: Till) -> None:
    """The first stalls between its work and its commit; the second takes the write over."""
    has_worked, may_commit = threading.Event(), threading.Event()
    outcomes: list[Any] = []

    def stall() -> None:
        has_worked.set()
        may_commit.wait(60)

    till.then = stall
    first = threading.Thread(target=lambda: outcomes.append(till.perform("atomic")))
    first.start()
    assert has_worked.wait(60)
    till.then = lambda: None
    outcomes.append(till.perform("atomic"))
    may_commit.set()
    first.join(60)
    assert outcomes == [RESULT, RESULT]
    assert till.written() == 1


@WAYS
@pytest.mark.parametrize("how", ["before", "after", "twice"])
@pytest.mark.parametrize("number", range(4))
def test_a_commit_whose_answer_is_lost_never_doubles_a_write(
    till: Till, monkeypatch: pytest.MonkeyPatch, way: str, how: How, number: int
) -> None:
    """Whoever is told that it happened is told the truth, and so is who is told that it did not."""

    def attempt() -> Any:
        try:
            return till.perform(way)
        except AgentError as error:
            return error
        except Exception as error:  # as the loop does: "it failed on our side"
            return error

    with lose_commit(monkeypatch, number, how):
        first = attempt()
    if first == RESULT:
        assert till.written() == 1
    elif isinstance(first, AgentError) and not isinstance(first, OutcomeUnknown):
        assert till.written() == 0
    again = attempt()
    assert till.written() <= 1
    if first == RESULT and way != "plain":
        assert again == RESULT
    if again == RESULT:
        assert till.written() == 1


def test_a_result_that_is_too_large_is_kept_as_done(till: Till) -> None:
    way = Write(lambda batch: {"text": "x" * 300_000})
    perform_once(till.db, EFFECT, way, waits_for_others=False)
    assert "note" in perform_once(till.db, EFFECT, way, waits_for_others=False)


@pytest.mark.parametrize("way", ["plain", "findable", "atomic"])
@pytest.mark.parametrize("run", [None, "done", "failed", "cancelled"])
def test_a_run_that_has_ended_or_was_erased_begins_no_write(
    till: Till, way: str, run: str | None
) -> None:
    if run is not None:
        till.db.document("threads/t/runs/r").set({"uid": "ann", "status": run})
    effect = replace(EFFECT, thread_id="t", run_id="r")
    with pytest.raises(Aborted, match="has ended"):
        till.perform(way, effect)
    assert till.written() == 0
    assert not till.db.document(f"effects/{EFFECT.key}").get().exists


def test_a_run_that_goes_on_writes(till: Till) -> None:
    till.db.document("threads/t/runs/r").set({"uid": "ann", "status": "running"})
    effect = replace(EFFECT, thread_id="t", run_id="r")
    assert till.perform("plain", effect) == RESULT


class Stalled:
    """A write that stands between its work and its commit until it is told to go on."""

    def __init__(self, db: Client) -> None:
        self.db = db
        self.worked, self.may_go_on = threading.Event(), threading.Event()
        self.outcome: Any = None
        self._thread = threading.Thread(target=self._perform)
        self._thread.start()
        assert self.worked.wait(60)

    def go_on(self) -> Any:
        self.may_go_on.set()
        self._thread.join(60)
        return self.outcome

    def _work(self, batch: WriteBatch | None) -> Any:
        assert batch is not None
        batch.create(self.db.collection("done").document(), {"paid": 5})
        self.worked.set()
        assert self.may_go_on.wait(60)
        return RESULT

    def _perform(self) -> None:
        try:
            self.outcome = perform_once(
                self.db, EFFECT, Write(self._work, atomic=True), waits_for_others=False
            )
        except Exception as error:
            self.outcome = error


def written(db: Client) -> int:
    return len(list(db.collection("done").stream()))


def started(db: Client) -> datetime:
    found: datetime = db.document(f"effects/{EFFECT.key}").get().get("startedAt")
    return found


def test_who_lost_an_atomic_write_to_another_is_told_what_came_of_it_there(db: Client) -> None:
    first = Stalled(db)
    second = Stalled(db)  # it has taken the write over
    threading.Timer(0.5, second.may_go_on.set).start()
    assert first.go_on() == RESULT
    assert second.go_on() == RESULT
    assert written(db) == 1


def test_who_lost_an_atomic_write_to_another_that_stays_at_it_does_not_call_it_unwritten(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "PATIENCE_S", 0.3)
    first, second = Stalled(db), Stalled(db)
    assert isinstance(first.go_on(), OutcomeUnknown)
    assert second.go_on() == RESULT
    assert written(db) == 1


def test_an_unknown_outcome_is_called_so_also_where_it_cannot_be_noted(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking_off(batch: WriteBatch | None) -> Any:
        raise ServiceUnavailable("the connection was lost")

    with lose_commit(monkeypatch, 1, "before") as seen, pytest.raises(OutcomeUnknown):
        perform_once(db, EFFECT, Write(breaking_off), waits_for_others=False)
    assert len(seen) == 2  # the claim, and the note that failed


def test_what_is_found_to_have_happened_is_so_also_where_it_cannot_be_noted(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = Write(lambda batch: RESULT, find=lambda: RESULT)
    with lose_commit(monkeypatch, 1, "before"):
        assert perform_once(db, EFFECT, way, waits_for_others=False) == RESULT
    with lose_commit(monkeypatch, 1, "before"):
        assert perform_once(db, EFFECT, way, waits_for_others=False) == RESULT


def failing_then(db: Client, work: Callable[[WriteBatch | None], Any]) -> Write:
    """Fail in passing long ago; the way of the next try."""

    def passing(batch: WriteBatch | None) -> Any:
        raise Unavailable("closed")

    with pytest.raises(Unavailable):
        perform_once(db, EFFECT, Write(passing), waits_for_others=True)
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    db.document(f"effects/{EFFECT.key}").update({"startedAt": long_ago})
    return Write(work, find=lambda: None)


def test_a_second_try_is_left_to_whoever_is_at_it_however_old_the_first_is(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "PATIENCE_S", 0.3)
    others: list[Exception] = []

    def slowly(batch: WriteBatch | None) -> Any:
        try:
            perform_once(db, EFFECT, way, waits_for_others=True)
        except Aborted as error:
            others.append(error)
        return RESULT

    way = failing_then(db, slowly)
    assert perform_once(db, EFFECT, way, waits_for_others=True) == RESULT
    assert len(others) == 1
    assert datetime.now(UTC) - started(db) < timedelta(minutes=1)
