"""A run belongs to one process: a late save of another one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import Conflict, FailedPrecondition, NotFound, ServiceUnavailable
from google.cloud.firestore import Client
from google.cloud.firestore_v1.services.firestore.client import FirestoreClient

from rollcall.core.errors import Aborted, Unavailable
from rollcall.core.events import text_content
from rollcall.core.messages import ModelMessage, ToolCall, ToolResult
from rollcall.core.options import lease_s
from rollcall.store import open_run, paths
from rollcall.store.erasure import Worker, begin_thread_erasure, erase_one_thread, erase_user
from rollcall.store.event_log import find_open_page
from rollcall.store.message_log import TurnUsage
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import recover_run
from rollcall.store.run_closing import cancel
from tests.emulator.store.test_continuations import SAVES
from tests.emulator.store.test_run_opening import answer, opened, opening
from tests.support.full_form import cases
from tests.support.local_functions import LocalPlatform
from tests.support.run_times import end_lease
from tests.support.user_data import update_times

CALL = ToolCall("c1", "pay", {"amountUsd": 5})
FOUND = (ToolResult("c1", "pay", '{"output": 5}'), dict[str, Any]())
REFUSED = (Conflict, FailedPrecondition, NotFound)
BROKEN = {"code": "internal", "message": "it broke off"}


def begun(db: Client) -> OpenRun:
    """A run with a reply whose call has no result yet."""
    run = opened(db, opening())
    run.save_reply(1, ModelMessage("", (CALL,)), TurnUsage())
    return run


@contextmanager
def recorded(patch: pytest.MonkeyPatch, *, sends: bool) -> Iterator[list[Any]]:
    """The commits of the block. If they are not sent, who makes them is told that they failed."""
    original = FirestoreClient.commit
    found: list[Any] = []

    def commit(self: FirestoreClient, *args: Any, **options: Any) -> Any:
        found.append(lambda: original(self, *args, **options))
        if not sends:
            raise ServiceUnavailable("the connection was lost")
        return found[-1]()

    with patch.context() as patched:
        patched.setattr(FirestoreClient, "commit", commit)
        patched.setattr(open_run, "SAVE_TRIES", 1)
        yield found


def _take_up(run: OpenRun) -> None:
    end_lease(run.db, run.thread_id, "r1")
    assert recover_run(run.db, run.thread_id, "r1") is not None


def _supersede(run: OpenRun) -> None:
    opened(run.db, opening("r2", is_new=False, supersede=True))


def _stop(run: OpenRun) -> None:
    end_lease(run.db, run.thread_id, "r1")
    assert cancel(run.db, "ann", run.thread_id, "r1") == "cancelled"


def _erase(run: OpenRun, *, for_good: bool) -> None:
    end_lease(run.db, run.thread_id, "r1")
    erase_one_thread(LocalPlatform(run.db), "ann", run.thread_id, for_good=for_good)


def _erase_user(run: OpenRun) -> None:
    erase_user(LocalPlatform(run.db), "ann", (), with_account=False)


PASSING: dict[str, Callable[[OpenRun], None]] = {
    "taken up": _take_up,
    "superseded": _supersede,
    "stopped": _stop,
    "cleared": lambda run: _erase(run, for_good=False),
    "deleted": lambda run: _erase(run, for_good=True),
    "user erased": _erase_user,
}
WHAT: list[Callable[[OpenRun], None]] = [
    *SAVES,
    lambda run: run.fail(BROKEN),
    lambda run: run.save(lambda batch: None),
]
LATE = [(way, what) for what in range(len(WHAT)) for way in PASSING]


@pytest.mark.long
@pytest.mark.parametrize(("way", "what"), cases(LATE, *range(0, len(LATE), 5)))
def test_a_save_that_arrives_late_changes_nothing(
    db: Client, monkeypatch: pytest.MonkeyPatch, way: str, what: int
) -> None:
    run = begun(db)
    run.show(text_content("m", "late"))
    with recorded(monkeypatch, sends=False) as late, pytest.raises(Unavailable):
        WHAT[what](run)
    PASSING[way](run)
    before = update_times(db)
    with pytest.raises(REFUSED):
        late[0]()
    assert update_times(db) == before


@pytest.mark.parametrize("way", [way for way in PASSING if way != "stopped"])
@pytest.mark.parametrize("what", range(3))
def test_a_save_that_was_stored_and_is_sent_again_later_changes_nothing(
    db: Client, monkeypatch: pytest.MonkeyPatch, way: str, what: int
) -> None:
    run = begun(db)
    with recorded(monkeypatch, sends=True) as sent:
        [WHAT[0], WHAT[1], WHAT[-1]][what](run)
    PASSING[way](run)
    before = update_times(db)
    with pytest.raises(REFUSED):
        sent[0]()
    assert update_times(db) == before


@pytest.mark.parametrize("what", [0, 2, 6])
def test_a_thread_that_begins_to_be_erased_takes_nothing_from_its_run(
    db: Client, what: int
) -> None:
    """What is said there is removed page by page: nothing may come behind that."""
    run = begun(db)
    end_lease(db, run.thread_id, "r1")
    work = begin_thread_erasure(db, "ann", run.thread_id, "clear_thread", seconds=20)
    assert isinstance(work, Worker)
    before = update_times(db)
    with pytest.raises(Aborted):
        WHAT[what](run)
    assert update_times(db) == before


def test_an_earlier_save_that_comes_late_is_not_taken_for_a_later_one(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(db)
    with recorded(monkeypatch, sends=False) as late, pytest.raises(Unavailable):
        run.save_reply(2, ModelMessage("", (CALL,)), TurnUsage())
    late[0]()
    with pytest.raises(Aborted):
        answer(run, "It is paid.")
    run.fail(BROKEN)
    assert run.is_closed
    stored = paths.run(db, run.thread_id, "r1").get().to_dict() or {}
    assert stored["status"] == "running"  # it is not closed with a reply that nobody knows of
    end_lease(db, run.thread_id, "r1")
    again = recover_run(db, run.thread_id, "r1")
    assert again is not None
    assert [document["n"] for document in again.documents] == [0, 1, 2]


@pytest.mark.parametrize("lost", [True, False])
def test_results_are_saved_where_the_replys_own_answer_was_lost(
    db: Client, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    run = begun(db)
    if lost:
        run.step_time = run.events.page_time = None
    run.save_results({0: FOUND})
    answer(run, "Paid.")
    log = paths.message(db, run.thread_id, 1).get().to_dict() or {}
    assert log["results"]["0"]["content"] == '{"output": 5}'


def test_results_are_saved_where_the_step_is_older_or_newer_than_it_was_thought(db: Client) -> None:
    run = begun(db)
    written = paths.message(db, run.thread_id, 1).get().update_time
    for number, away in enumerate((timedelta(seconds=5), timedelta(seconds=-5))):
        run.step_time = written + away
        run.save_results({number: FOUND})
    log = paths.message(db, run.thread_id, 1).get().to_dict() or {}
    assert log["results"].keys() == {"0", "1"}


def test_a_run_renews_its_lease_before_it_ends(db: Client) -> None:
    run = opened(db, opening())
    end_lease(db, run.thread_id, "r1")
    run.tick()
    lying = paths.run(db, run.thread_id, "r1").get().to_dict() or {}
    assert lying["leaseUntil"] <= datetime.now(UTC)  # it is not due by its own clock
    run.renewed_at -= lease_s()
    run.tick()
    kept = paths.run(db, run.thread_id, "r1").get().to_dict() or {}
    assert kept["leaseUntil"] > datetime.now(UTC)
    assert recover_run(db, run.thread_id, "r1") is None


def test_a_run_that_ended_leaves_no_page_open(db: Client) -> None:
    run = begun(db)
    assert find_open_page(db, run.thread_id, "r1").is_there
    run.save_results({0: FOUND})
    answer(run, "Paid.")
    page = find_open_page(db, run.thread_id, "r1")
    assert (page.is_there, page.number) == (False, 2)


def test_a_stop_does_not_hurt_a_save_under_way(db: Client) -> None:
    run = begun(db)
    assert cancel(db, "ann", run.thread_id, "r1") == "cancelling"
    run.save_results({0: FOUND})
    run.save_reply(2, ModelMessage("", (CALL,)), TurnUsage())
    assert run.is_cancelled
    answer(run, "Stopped.")
    assert opened(db, opening("r2", is_new=False)).next_message == 5


def test_a_run_gets_further_with_each_reply_and_is_not_given_up(db: Client) -> None:
    run = begun(db)
    for attempt in (2, 3, 4):
        end_lease(db, run.thread_id, "r1")
        taken = recover_run(db, run.thread_id, "r1")
        assert taken is not None
        assert (taken.attempt, taken.fruitless) == (attempt, 1)
        taken.save_results({0: FOUND})
        taken.save_reply(attempt, ModelMessage("", (CALL,)), TurnUsage())
    for fruitless in (1, 2, 3):
        end_lease(db, run.thread_id, "r1")
        again = recover_run(db, run.thread_id, "r1")
        assert again is not None
        assert again.fruitless == fruitless


def test_the_one_that_supersedes_finds_results_that_were_saved_meanwhile(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the log, and the one before saves a result: what was shown stays true."""
    from rollcall.store import run_opening

    run = begun(db)
    read = run_opening.read_recent
    seen: list[int] = []

    def newest(*args: Any) -> Any:
        found = read(*args)
        if not seen:
            run.save_results({0: FOUND})
        seen.append(1)
        return found

    monkeypatch.setattr(run_opening, "read_recent", newest)
    second = opened(db, opening("r2", is_new=False, supersede=True))
    assert len(seen) == 2
    stored = paths.message(db, second.thread_id, 1).get().to_dict() or {}
    assert stored["results"]["0"]["content"] == '{"output": 5}'
