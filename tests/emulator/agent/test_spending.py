"""The purse on the emulator: what it counts, at which price, and what that takes."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from google.cloud.firestore import Client

from rollcall.agent.spending import FirestorePurse
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store import budgets, limits
from rollcall.store.budgets import settle_day
from rollcall.store.limits import Amount
from tests.support.counting import counted
from tests.support.purses import ANN, COST, NOON, TODAY, Clock, allow, call, day_of, purse_of
from tests.support.spender import MODEL


def test_a_call_is_counted_at_what_it_cost_by_model(db: Client) -> None:
    purse = purse_of(db)
    assert call(purse) == 0.008
    purse.close()
    day = day_of(db)
    assert (day.used, day.reserved) == (Amount(COST, 1_100), Amount())
    assert day.models[MODEL] == {
        "calls": 1,
        "inputTokens": 1_000,
        "cachedInputTokens": 0,
        "outputTokens": 100,
        "microUsd": COST,
        "unpricedCalls": 0,
    }


@pytest.mark.parametrize("minute", [5, 7, 8, 9])
def test_whose_clock_is_ahead_counts_nothing_as_lost_that_a_run_settles(
    db: Client, minute: int
) -> None:
    """The other clock is two minutes ahead, and looks just before the run ends."""
    clock, run = Clock(), db.document("threads/t/runs/r")
    run.set({"status": "running", "uid": ANN.uid})
    purse = FirestorePurse(db, ANN, run=run.path, now=clock)
    call(purse)
    clock.now += timedelta(minutes=minute, seconds=30)
    day = budgets.user_day(db, ANN.uid, TODAY)
    settle_day(db, day, now=clock.now + timedelta(minutes=2))
    said = purse.settlement()
    run.update({"status": "done", "settlements": said})
    if said:
        purse.settled()
    purse.close()
    found = settle_day(db, day, now=clock.now)
    assert found and (found.used.micro_usd, found.lost) == (COST, {})


def test_a_run_costs_one_read_and_two_writes_however_many_calls_it_makes(db: Client) -> None:
    limits.limits(db)
    purse = purse_of(db)
    with counted() as cost:
        for _ in range(5):
            call(purse)
        purse.close()
    assert (cost.reads, cost.writes) == (1, 2)


def test_a_run_of_a_free_model_asks_nothing_of_the_database(db: Client) -> None:
    purse = purse_of(db)
    with counted() as cost:
        reservation = purse.reserve("offline:planner", input_tokens=9, output_tokens=9)
        purse.settle(reservation, Usage())
        purse.close()
    assert (cost.reads, cost.writes) == (0, 0)


def test_a_purse_that_is_closed_twice_counts_once(db: Client) -> None:
    purse = purse_of(db)
    call(purse)
    purse.close()
    purse.close()
    assert day_of(db).spent.micro_usd == COST


def test_without_a_limit_everything_is_counted_and_nothing_refused(db: Client) -> None:
    allow(db, users={"ann": {"usdPerDay": None, "tokensPerDay": None}})
    purse = purse_of(db)
    for _ in range(100):
        call(purse)
    purse.close()
    assert day_of(db).spent.micro_usd == 100 * COST


def test_a_model_without_a_price_is_refused_unless_a_policy_allows_it(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROLLCALL_ALLOW_UNPRICED", raising=False)
    with pytest.raises(FailedPrecondition, match="openai:local") as refused:
        purse_of(db).reserve("openai:local", input_tokens=1, output_tokens=1)
    assert "budgets/prices" in str(refused.value.hint)
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "true")
    assert purse_of(db).reserve("openai:local", input_tokens=1, output_tokens=1).micro_usd == 0


def test_an_operators_price_is_used_within_a_minute(db: Client) -> None:
    price = {"models": ["openai:local*"], "input": 1, "output": 2, "asOf": "2026-11-21"}
    db.document("budgets/prices").set({"prices": [price]})
    limits.forget()
    purse = purse_of(db)
    assert purse.reserve("openai:local-7b", input_tokens=10, output_tokens=10).micro_usd == 30


def test_a_call_that_the_provider_refused_costs_nothing(db: Client) -> None:
    purse = purse_of(db)
    assert call(purse, None) == 0.0
    purse.close()
    assert (day_of(db).used, day_of(db).models) == (Amount(), {})


def test_a_day_whose_document_is_gone_starts_anew_and_never_below_nothing(db: Client) -> None:
    purse = purse_of(db)
    call(purse)
    budgets.user_day(db, "ann", TODAY).delete()
    purse.close()
    assert day_of(db).used.micro_usd == COST


def test_a_new_day_has_a_new_budget(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.04})
    clock = Clock(NOON.replace(hour=23, minute=59))
    purse = purse_of(db, clock=clock)
    call(purse)
    clock.now += timedelta(minutes=2)
    call(purse)
    purse.close()
    assert day_of(db).used.micro_usd == COST
    assert day_of(db, day=date(2026, 11, 22)).used.micro_usd == COST
