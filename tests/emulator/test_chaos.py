"""A run's guarantees, tried for a minute at most; `make chaos` tries them for longer."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from google.cloud.firestore import Client

from rollcall.core.capability import Capability
from rollcall.registry.sync import sync
from rollcall.store.runs import thread_id_for
from tests.chaos import deployment, providers
from tests.chaos.forgeries import Forgeries
from tests.chaos.kills import SCENARIOS, try_kills
from tests.chaos.money import Money
from tests.chaos.races import Races
from tests.chaos.scenario import ScenarioRun, effects, examine_spending, statuses
from tests.chaos.stalls import WAYS, StallRuns, sample_stalls
from tests.chaos.worker import Fault, Job, Worker, run
from tests.support.catalogs import catalog
from tests.support.full_form import SEED, amount, cases

KILLS = amount(3, 16)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The file that some capabilities write to."""
    path = str(tmp_path_factory.mktemp("chaos") / "outside")
    with mock.patch.dict(os.environ, {deployment.FILE: path}):
        yield path


@pytest.fixture(scope="module")
def db(module_db: Client, file: str) -> Client:
    """A project with the harness's capabilities. This process itself does not know them."""
    own = [Capability.of(function) for function in deployment.OWN]
    published = [*catalog.capabilities(), *own]
    with mock.patch.object(deployment.catalog, "capabilities", lambda: published):
        deployment.prepare(deployment.WorkerPlatform(module_db))
    sync(module_db, published, [*catalog.agents().values(), *deployment.AGENTS.values()])
    return module_db


@pytest.mark.long
def test_nothing_is_lost_or_done_twice_when_processes_are_killed(db: Client, file: str) -> None:
    scenarios = cases([SCENARIOS[1], SCENARIOS[2], SCENARIOS[5]], 0, 2)
    found = try_kills(db, db.project, file, seed=SEED, kills=KILLS, scenarios=scenarios)
    assert found.broken == []
    assert found.kills >= KILLS // 2
    examine_spending(db)


def test_a_process_that_lost_its_thread_begins_no_write(db: Client, file: str) -> None:
    """It is stopped before it claims the write, and goes on after another message was accepted."""
    message = deployment.script([("count", {"token": "late"})])
    data = {"agent": "free", "runId": "late", "message": message}
    stalled = Worker(Job("send", db.project, file, "user100", data, Fault("stopped", at=3)))
    assert stalled.wait_until_stopped()
    thread_id = thread_id_for("user100", "late")
    before = dict(statuses(db, thread_id))
    more = {
        "agent": "free",
        "threadId": thread_id,
        "message": deployment.script(),
        "whenBusy": "supersede",
    }
    assert run(Job("send", db.project, file, "user100", more)).result["message"] == "That is all."
    stalled.go_on()
    assert (stalled.outcome().error or {})["code"] == "aborted"
    assert before == {"late": "cut off"}
    said = dict(statuses(db, thread_id))["late"]
    assert (said, effects(db, "count", "late")) in {("aborted", 0), ("unknown", 0)}


@pytest.mark.long
def test_a_process_that_was_stopped_before_a_save_saves_nothing_when_it_goes_on(
    db: Client, file: str
) -> None:
    """Its run was recovered, superseded, stopped or erased meanwhile."""
    assert (
        StallRuns(db, db.project, file, "stall").try_all(
            sample_stalls(len(WAYS) + amount(0, 3), SEED)
        )
        == []
    )


RACES = ("one run id, sent by all", "other run ids; supersede", "a yes, a new message, a stop")


@pytest.mark.parametrize("what", RACES)
def test_of_many_at_once_one_gets_to_do_it(db: Client, file: str, what: str) -> None:
    Races(db, db.project, file, "race", callers=8).all()[what]()


@pytest.mark.long
def test_a_provider_at_its_worst_ends_a_run_in_an_answer_or_a_plain_error(
    db: Client, file: str
) -> None:
    failing = [case for case in providers.cases(slow=False) if case.pattern in _FAULTS]
    tried = random.Random(7).sample(failing, amount(2, 6))
    assert providers.try_cases(db, db.project, file, tried) == []


_FAULTS = ("500", "dropped in a call", "no JSON", "an error inside the stream", "huge", "401")

FORGED = tuple(Forgeries(None, "", "", "").all())
"""Each is another attempt; `make test` tries every third, in processes of their own."""


@pytest.mark.long
@pytest.mark.parametrize("what", cases(FORGED, *range(0, len(FORGED) - 2, 3)))
def test_no_forged_decision_gets_through(db: Client, file: str, what: str) -> None:
    Forgeries(db, db.project, file, f"forged{FORGED.index(what)}").all()[what]()


def test_a_scenario_that_breaks_a_guarantee_is_noticed(db: Client, file: str) -> None:
    """The harness itself: a write that happened twice is not overlooked."""
    scenario_run = ScenarioRun(
        db, db.project, file, SCENARIOS[1], "twice", "user101", random.Random(1)
    )
    scenario_run.play()
    tool, token = scenario_run.tokens[0]
    reference: Any = db.document(f"counters/{token}")
    reference.set({"n": 2})
    with pytest.raises(Exception, match=f"{tool} {token} happened 2 times"):
        scenario_run._examine_effects()


@pytest.fixture
def money(db: Client, file: str) -> Iterator[Money]:
    limits = db.document("budgets/limits")
    before = limits.get().to_dict() or {}
    yield Money(db, db.project, file)
    limits.set(before)


def test_runs_at_once_spend_no_more_than_their_user_may(money: Money) -> None:
    assert "answered" in money.runs_of_a_user(20)


def test_messages_at_once_are_answered_or_refused_by_the_bound(money: Money) -> None:
    assert "answered" in money.messages_at_once(6, at_once=3)
