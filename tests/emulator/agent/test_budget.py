"""Slices on the emulator: what is refused, what comes back, and races that nobody can win."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from google.cloud.firestore import DELETE_FIELD, Client

from rollcall.agent.budget import BudgetExhausted, UserBudget
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store import budgets, limits, tenant_budgets
from rollcall.store.budgets import settle_day
from rollcall.store.limits import Amount
from tests.support.budgets import (
    ANN,
    COST,
    NOON,
    TODAY,
    USED,
    Clock,
    allow,
    budget_of,
    call,
    day_of,
)
from tests.support.counting import counted
from tests.support.spender import INPUT, MODEL, OUTPUT, WORST, spend

ROOT = Path(__file__).parents[3]
PUPIL = User("ann", tenant="school")


def tenant_of(db: Client, day: date = TODAY) -> dict[str, Any]:
    return tenant_budgets.tenant_day(db, "school", day).get().to_dict() or {}


def this_day() -> date:
    return datetime.now(UTC).date()


def test_what_is_set_aside_is_stored_before_the_call(db: Client) -> None:
    budget_of(db).reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
    assert day_of(db).reserved.micro_usd >= WORST


def test_a_call_that_may_pass_the_limit_is_refused_in_plain_words(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.04})
    budget = budget_of(db)
    call(budget)
    with pytest.raises(BudgetExhausted) as refused:
        call(budget)
    budget.close()
    assert "budget for today" in refused.value.message and "$0.03 of $0.04" in refused.value.message
    assert refused.value.details["retryAfterS"] == 12 * 3600 + 1
    assert day_of(db).spent.micro_usd == COST


def test_tokens_are_limited_too_and_also_those_of_models_without_a_price(db: Client) -> None:
    allow(db, user={"tokensPerDay": 3_000})
    budget = UserBudget(db, ANN, allow_unpriced=True, now=Clock())
    reservation = budget.reserve("openai:local", input_tokens=INPUT, output_tokens=OUTPUT)
    assert budget.settle(reservation, Usage(INPUT, 0, OUTPUT)) is None
    with pytest.raises(BudgetExhausted, match="1,000 of 3,000 tokens are left"):
        budget.reserve("openai:local", input_tokens=INPUT, output_tokens=OUTPUT)
    budget.close()
    assert day_of(db).models["openai:local"]["unpricedCalls"] == 1


def test_what_a_killed_process_set_aside_counts_as_spent_after_ten_minutes(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.05})
    budget_of(db).reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)  # and never settled
    later = Clock(NOON + timedelta(minutes=11))
    with pytest.raises(BudgetExhausted):
        call(budget_of(db, clock=later))
    small = budget_of(db, clock=later)
    small.settle(small.reserve(MODEL, input_tokens=10, output_tokens=10), Usage(10, 0, 0))
    small.close()
    day = day_of(db)
    assert [lost.micro_usd for lost in day.lost.values()] == [WORST]
    assert (day.reserved.micro_usd, day.spent.micro_usd) == (0, WORST + 50)


def test_a_slice_is_renewed_before_its_time_is_over(db: Client) -> None:
    clock = Clock()
    budget = budget_of(db, clock=clock)
    for _ in range(10):
        call(budget)
        clock.now += timedelta(minutes=4)
    budget.close()
    day = day_of(db)
    assert (day.lost, day.spent.micro_usd) == ({}, 10 * COST)


def test_spend_that_was_made_nameless_still_counts(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.04})
    budget = budget_of(db)
    call(budget)
    budget.close()
    budgets.user_day(db, "ann", TODAY).update({"uid": DELETE_FIELD})
    with pytest.raises(BudgetExhausted):
        call(budget_of(db))


def test_runs_at_once_cannot_overspend_together(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.5})
    with ThreadPoolExecutor(10) as pool:
        spent = list(pool.map(lambda _: spend(db, ANN, runs=50), range(10)))
    day = day_of(db, day=this_day())
    assert sum(spent) == day.spent.micro_usd <= 500_000
    assert sum(spent) > 500_000 - 10 * WORST and day.reservations == {}


def test_processes_at_once_cannot_overspend_a_tenants_budget_together(db: Client) -> None:
    allow(db, user={"usdPerDay": 5}, tenant={"usdPerDay": 0.5})
    env = os.environ | {"PYTHONPATH": f"{ROOT / 'functions'}{os.pathsep}{ROOT}"}
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.spender", db.project, f"u{n}", "school", "40"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=env,
        )
        for n in (1, 1, 2, 3)
    ]
    spent = [int(worker.communicate(timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    tenant = tenant_of(db, this_day())
    users = [day_of(db, User(uid), this_day()).spent.micro_usd for uid in ("u1", "u2", "u3")]
    assert sum(spent) == sum(users) == tenant["spentMicroUsd"] <= 500_000
    assert sum(spent) > 500_000 - 4 * WORST and tenant["slices"] == {}


def test_runs_of_a_process_share_one_slice_of_the_tenants(db: Client) -> None:
    allow(db, tenant={"usdPerDay": 20})
    first, second = budget_of(db, PUPIL), budget_of(db, User("bob", tenant="school"))
    call(first)
    reference = tenant_budgets.tenant_day(db, "school", TODAY)
    written = reference.get().update_time
    for _ in range(5):
        call(second)
    second.close()
    assert reference.get().update_time == written
    first.close()
    tenant = tenant_of(db)
    assert (tenant["spentMicroUsd"], tenant["slices"]) == (6 * COST, {})


def test_the_tenants_budget_stops_a_user_who_has_some_left(db: Client) -> None:
    allow(db, tenants={"school": {"usdPerDay": 0.04}})
    budget = budget_of(db, PUPIL)
    call(budget)
    with pytest.raises(BudgetExhausted, match="organisation's budget"):
        call(budget)
    budget.close()
    assert tenant_of(db)["spentMicroUsd"] == COST
    call(budget_of(db, User("ann", tenant="other")))


def in_another_process(db: Client, uid: str, *, input_tokens: int = INPUT) -> None:
    """Set a call aside for a user of the school, in a slice of its own."""
    known = dict(tenant_budgets._budgets)
    tenant_budgets._budgets.clear()
    budget = budget_of(db, User(uid, tenant="school"))
    budget.reserve(MODEL, input_tokens=input_tokens, output_tokens=OUTPUT)
    tenant_budgets._budgets.clear()
    tenant_budgets._budgets.update(known)


def test_a_run_may_use_what_is_left_of_its_own_slice(db: Client) -> None:
    allow(db, user={"usdPerDay": 1}, tenant={"usdPerDay": 0.1})
    budget = budget_of(db, PUPIL)
    call(budget)
    in_another_process(db, "bob")
    call(budget)
    with pytest.raises(BudgetExhausted, match="organisation's budget"):
        call(budget)  # $0.05 are the other's, $0.016 spent, and $0.035 would be set aside
    budget.close()
    assert tenant_of(db)["spentMicroUsd"] == day_of(db).spent.micro_usd == 2 * COST


def test_after_a_refusal_every_call_asks_the_tenants_budget_again(db: Client) -> None:
    allow(db, user={"usdPerDay": 1}, tenant={"usdPerDay": 0.125})
    budget = budget_of(db, PUPIL)
    call(budget)
    call(budget)
    in_another_process(db, "bob", input_tokens=9_000)  # $0.075 at worst
    with pytest.raises(BudgetExhausted):
        call(budget)
    small = budget.reserve(MODEL, input_tokens=INPUT, output_tokens=100)
    assert len(tenant_of(db)["slices"]) == 2
    budget.settle(small, USED)
    budget.close()
    assert tenant_of(db)["spentMicroUsd"] == day_of(db).spent.micro_usd == 3 * COST


def test_a_users_refusal_leaves_the_tenants_budget_as_it_was(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.01}, tenant={"usdPerDay": 5})
    with pytest.raises(BudgetExhausted):
        call(budget_of(db, PUPIL))
    tenant = tenant_of(db)
    assert (tenant["spentMicroUsd"], tenant["slices"]) == (0, {})


def test_a_dead_processs_slice_comes_back_less_what_was_spent_of_it(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.7}, tenant={"usdPerDay": 2})
    spent = {"spentMicroUsd": 1_880_000, "spentTokens": 0, "slices": {}}
    tenant_budgets.tenant_day(db, "school", TODAY).set(spent)
    budget_of(db, PUPIL).reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
    tenant_budgets._budgets.clear()  # the process is gone in mid-call: $0.10 were leased
    eve = User("eve", tenant="school")
    with pytest.raises(BudgetExhausted):
        call(budget_of(db, eve, Clock(NOON + timedelta(minutes=16))))
    after = budget_of(db, eve, Clock(NOON + timedelta(minutes=18)))
    call(after)
    after.close()
    tenant = tenant_of(db)
    assert (tenant["spentMicroUsd"], tenant["slices"]) == (1_880_000 + WORST + COST, {})


def test_a_call_is_counted_at_what_it_cost_by_model(db: Client) -> None:
    budget = budget_of(db)
    assert call(budget) == 0.008
    budget.close()
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
    budget = UserBudget(db, ANN, run=run.path, now=clock)
    call(budget)
    clock.now += timedelta(minutes=minute, seconds=30)
    day = budgets.user_day(db, ANN.uid, TODAY)
    settle_day(db, day, now=clock.now + timedelta(minutes=2))
    said = budget.settlement()
    run.update({"status": "done", "settlements": said})
    if said:
        budget.settled()
    budget.close()
    found = settle_day(db, day, now=clock.now)
    assert found and (found.used.micro_usd, found.lost) == (COST, {})


def test_a_run_costs_one_read_and_two_writes_however_many_calls_it_makes(db: Client) -> None:
    limits.limits(db)
    budget = budget_of(db)
    with counted() as cost:
        for _ in range(5):
            call(budget)
        budget.close()
    assert (cost.reads, cost.writes) == (1, 2)


def test_a_run_of_a_free_model_asks_nothing_of_the_database(db: Client) -> None:
    budget = budget_of(db)
    with counted() as cost:
        reservation = budget.reserve("offline:planner", input_tokens=9, output_tokens=9)
        budget.settle(reservation, Usage())
        budget.close()
    assert (cost.reads, cost.writes) == (0, 0)


def test_a_budget_that_is_closed_twice_counts_once(db: Client) -> None:
    budget = budget_of(db)
    call(budget)
    budget.close()
    budget.close()
    assert day_of(db).spent.micro_usd == COST


def test_without_a_limit_everything_is_counted_and_nothing_refused(db: Client) -> None:
    allow(db, users={"ann": {"usdPerDay": None, "tokensPerDay": None}})
    budget = budget_of(db)
    for _ in range(100):
        call(budget)
    budget.close()
    assert day_of(db).spent.micro_usd == 100 * COST


def test_a_model_without_a_price_is_refused_unless_a_policy_allows_it(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROLLCALL_ALLOW_UNPRICED", raising=False)
    with pytest.raises(FailedPrecondition, match="openai:local") as refused:
        budget_of(db).reserve("openai:local", input_tokens=1, output_tokens=1)
    assert "budgets/prices" in str(refused.value.hint)
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "true")
    assert budget_of(db).reserve("openai:local", input_tokens=1, output_tokens=1).micro_usd == 0


def test_an_operators_price_is_used_within_a_minute(db: Client) -> None:
    price = {"models": ["openai:local*"], "input": 1, "output": 2, "asOf": "2026-11-21"}
    db.document("budgets/prices").set({"prices": [price]})
    limits.forget()
    budget = budget_of(db)
    assert budget.reserve("openai:local-7b", input_tokens=10, output_tokens=10).micro_usd == 30


def test_a_call_that_the_provider_refused_costs_nothing(db: Client) -> None:
    budget = budget_of(db)
    assert call(budget, None) == 0.0
    budget.close()
    assert (day_of(db).used, day_of(db).models) == (Amount(), {})


def test_a_day_whose_document_is_gone_starts_anew_and_never_below_nothing(db: Client) -> None:
    budget = budget_of(db)
    call(budget)
    budgets.user_day(db, "ann", TODAY).delete()
    budget.close()
    assert day_of(db).used.micro_usd == COST


def test_a_new_day_has_a_new_budget(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.04})
    clock = Clock(NOON.replace(hour=23, minute=59))
    budget = budget_of(db, clock=clock)
    call(budget)
    clock.now += timedelta(minutes=2)
    call(budget)
    budget.close()
    assert day_of(db).used.micro_usd == COST
    assert day_of(db, day=date(2026, 11, 22)).used.micro_usd == COST
