"""A run id names one run over all threads of a user."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import AgentError, AlreadyExists, NotFound
from rollcall.store.admission import Admission
from rollcall.store.budgets import UserLimits
from rollcall.store.erasure import erase_one_thread
from rollcall.store.open_run import OpenRun
from rollcall.store.run_opening import Opening, open_run
from rollcall.store.runs import FinishedRun, is_generated_id, new_run_id, thread_id_for
from tests.emulator.store.test_run_opening import answer, opened, opening
from tests.support.local_functions import LocalPlatform
from tests.support.lost_commits import How, lose_commit
from tests.support.office import run_concurrently

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 22, tzinfo=UTC)


def in_threads(db: Client, number: int) -> list[str]:
    """Threads of ann's that are there."""
    ids = [f"thread-{n}" for n in range(number)]
    for n, id in enumerate(ids):
        answer(opened(db, opening(f"first-{n}", thread_id=id)), "Hi.")
    return ids


@pytest.mark.parametrize("apart_s", [0.001, 120])
@pytest.mark.parametrize("now", [NOON, MIDNIGHT, MIDNIGHT + timedelta(seconds=90)])
def test_of_one_id_in_several_threads_at_once_one_is_opened(
    db: Client, now: datetime, apart_s: float
) -> None:
    """At midnight, too, when some count their start for one day and some for the next, and where
    clocks differ."""
    places = [*in_threads(db, 4), None]
    tries = itertools.cycle(places)

    def start(thread_id: str | None, now: datetime) -> Opening:
        derived = thread_id or thread_id_for("ann", "same")
        digest = f"digest of {thread_id}"
        return opening(
            "same",
            thread_id=derived,
            is_new=thread_id is None,
            request_digest=digest,
            admission=Admission(
                db,
                "ann",
                now,
                limits=UserLimits(runs_per_minute=None, runs_at_once=None),
            ),
        )

    times = [now - timedelta(seconds=apart_s), now]
    starts = [start(next(tries), times[number % 2]) for number in range(10)]

    def attempt(number: int) -> object:
        try:
            return open_run(db, starts[number])
        except AgentError as error:
            return error

    outcomes = run_concurrently(10, attempt)
    assert sum(isinstance(outcome, OpenRun) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AlreadyExists) for outcome in outcomes) == 8
    runs = [each for each in db.collection_group("runs").stream() if each.id == "same"]
    assert len(runs) == 1


def test_an_id_that_was_made_here_is_repeated_and_never_opened_by_a_client(db: Client) -> None:
    id, (here, elsewhere) = new_run_id(), in_threads(db, 2)
    answer(opened(db, opening(id, thread_id=here, is_new=False, is_named=False)), "Hello.")
    again = open_run(db, opening(id, thread_id=here, is_new=False))
    assert isinstance(again, FinishedRun)
    for start in (opening(id, thread_id=elsewhere, is_new=False), opening(new_run_id())):
        with pytest.raises(NotFound):
            open_run(db, start)
    erase_one_thread(LocalPlatform(db), "ann", here, for_good=False)
    with pytest.raises(NotFound, match="erased"):
        open_run(db, opening(id, thread_id=here, is_new=False))


@pytest.mark.parametrize("id", ["run-0123456789abcdef0123", "mine~1", "run-x~1~1"])
def test_what_is_made_here(id: str) -> None:
    assert is_generated_id(id)


@pytest.mark.parametrize(
    "id", ["mine", "run-1", "run-0123456789abcdef01234", "0123456789abcdef0123"]
)
def test_what_is_not_made_here(id: str) -> None:
    assert not is_generated_id(id)


@pytest.mark.parametrize("how", ["before", "after", "twice"])
@pytest.mark.parametrize("is_named", [True, False])
def test_an_opening_whose_answer_is_lost_is_one_run(
    db: Client, monkeypatch: pytest.MonkeyPatch, how: How, is_named: bool
) -> None:
    id = "mine" if is_named else new_run_id()
    start = opening(id, is_named=is_named)
    try:
        with lose_commit(monkeypatch, 0, how):
            run = open_run(db, start)
    except Exception as error:
        assert "lost" in str(error)  # the caller is told, and asks again
        run = open_run(db, start)
    assert isinstance(run, OpenRun)
    answer(run, "Hi.")
    assert len(list(db.collection_group("runs").stream())) == 1
