"""Budgets on the emulator: reservations, refusals, settlement, and races for the last of a
budget."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from google.cloud.firestore import DELETE_FIELD, Client

from rollcall.agent import budget as budget_module
from rollcall.agent.budget import UserBudget
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store import budgets, paths
from rollcall.store.budgets import (
    Amount,
    BudgetExhausted,
    TenantDay,
)
from tests.support.firestore_operations import count_operations
from tests.support.full_form import amount
from tests.support.lost_commits import How, lose_commit
from tests.support.spender import INPUT, MODEL, OUTPUT, WORST, spend

ROOT = Path(__file__).parents[3]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOON.date()
ANN = User("ann")
USED = Usage(input_tokens=INPUT, output_tokens=100)  # $0.005 + $0.003
COST = 8_000
PUPIL = User("ann", tenant="school")


class Clock:
    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def allow(db: Client, **document: Any) -> None:
    db.document("budgets/limits").set(document)
    budgets.forget_limits()


def budget_of(db: Client, user: User = ANN, clock: Clock | None = None) -> UserBudget:
    return UserBudget(db, user, now=clock or Clock())


def call(budget: UserBudget, usage: Usage | None = USED) -> float | None:
    reservation = budget.reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
    assert reservation.micro_usd == WORST
    return budget.settle(reservation, usage)


def day_of(db: Client, user: User = ANN, day: date = TODAY) -> budgets.Day:
    return budgets.Day.of(paths.user_day(db, user.uid, day).get().to_dict(), day)


def tenant_of(db: Client, day: date = TODAY) -> tuple[int, int]:
    """What is reserved and spent in the tenant's shards, in millionths of a dollar."""
    reserved, spent = TenantDay(db, "school", day).sums()
    return reserved.micro_usd, spent.micro_usd


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
    renews_in_s = budgets.until_tomorrow_s(datetime.now(UTC))
    assert renews_in_s <= refused.value.details["retryAfterS"] <= renews_in_s + 60
    assert day_of(db).spent.micro_usd == COST


def test_what_runs_under_way_have_reserved_is_waited_for(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.05})  # for one call at a time
    other = budget_of(db)
    other.reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: call(budget_of(db)))
        time.sleep(0.3)
        assert not waiting.done()
        other.close()
        assert waiting.result(timeout=30) == 0.008


def test_a_budget_that_runs_under_way_have_reserved_is_not_said_to_be_used_up(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "WAIT_S", 0.2)
    allow(db, user={"usdPerDay": 0.05})
    budget_of(db).reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
    with pytest.raises(BudgetExhausted, match="reserved by your runs under way") as refused:
        call(budget_of(db))
    assert "00:00" not in refused.value.message + str(refused.value.details)
    assert refused.value.details["retryAfterS"] == budgets.RESERVED_RETRY_S
    assert day_of(db).used.micro_usd == WORST


def test_tokens_are_limited_too_and_also_those_of_models_without_a_price(db: Client) -> None:
    allow(db, user={"tokensPerDay": 3_000})
    budget = UserBudget(db, ANN, allow_unpriced=True, now=Clock())
    reservation = budget.reserve("openai:local", input_tokens=INPUT, output_tokens=OUTPUT)
    assert budget.settle(reservation, Usage(INPUT, 0, OUTPUT)) is None
    with pytest.raises(BudgetExhausted, match="1,000 of 3,000 tokens are left"):
        budget.reserve("openai:local", input_tokens=INPUT, output_tokens=OUTPUT)
    budget.close()
    assert day_of(db).models["openai:local"]["unpricedCalls"] == 1


def test_what_a_killed_process_had_reserved_counts_as_spent(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.05})
    budget_of(db).reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)  # and never settled
    later = Clock(NOON + timedelta(minutes=61))
    with pytest.raises(BudgetExhausted):
        call(budget_of(db, clock=later))
    small = budget_of(db, clock=later)
    small.settle(small.reserve(MODEL, input_tokens=10, output_tokens=10), Usage(10, 0, 0))
    small.close()
    (day,) = budgets.read_days(db, "ann", since=TODAY, until=TODAY, now=later.now)
    assert (day.reservations, day.spent.micro_usd) == ({}, WORST + 50)


def test_who_was_taken_for_dead_gets_the_difference_back(db: Client) -> None:
    budget = budget_of(db)
    call(budget)
    reference = paths.user_day(db, "ann", TODAY)
    found = budgets.read_day(db, reference.get().to_dict() or {}, now=NOON + timedelta(minutes=61))
    assert found.spent.micro_usd == WORST
    reference.update({"reservations": found.reservations})  # as the next opening does
    budget.close()
    assert day_of(db).used == day_of(db).spent == Amount(COST, 1_100)


def test_a_long_run_pays_from_the_day_on_which_it_began(db: Client) -> None:
    clock = Clock()
    budget = budget_of(db, clock=clock)
    for _ in range(10):
        call(budget)
        clock.now += timedelta(hours=3)
    budget.close()
    assert day_of(db).used == day_of(db).settled == Amount(10 * COST, 11_000)


def test_spend_that_was_made_nameless_still_counts(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.04})
    budget = budget_of(db)
    call(budget)
    budget.close()
    paths.user_day(db, "ann", TODAY).update({"uid": DELETE_FIELD})
    with pytest.raises(BudgetExhausted):
        call(budget_of(db))


def test_runs_at_once_cannot_overspend_together(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.5})
    with ThreadPoolExecutor(10) as pool:
        spent = list(pool.map(lambda _: spend(db, ANN, runs=50), range(10)))
    day = day_of(db, day=this_day())
    assert sum(spent) == day.spent.micro_usd <= 500_000
    assert sum(spent) > 500_000 - 10 * WORST and day.reservations == {}


@pytest.mark.long
def test_processes_at_once_cannot_overspend_a_tenants_budget_together(db: Client) -> None:
    numbers, limit = (1, 1, 2, 3)[: amount(3, full=4)], amount(250_000, full=500_000)
    allow(db, user={"usdPerDay": 5}, tenant={"usdPerDay": limit / 1e6})
    env = os.environ | {"PYTHONPATH": f"{ROOT / 'functions'}{os.pathsep}{ROOT}"}
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.spender", db.project, f"u{n}", "school", "40"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=env,
        )
        for n in numbers
    ]
    spent = [int(worker.communicate(timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * len(numbers)
    reserved, counted = tenant_of(db, this_day())
    users = [day_of(db, User(uid), this_day()).spent.micro_usd for uid in ("u1", "u2", "u3")]
    assert sum(spent) == sum(users) == counted <= limit
    assert sum(spent) > limit - len(numbers) * WORST and reserved == 0


def test_the_tenants_budget_stops_a_user_who_has_some_left(db: Client) -> None:
    allow(db, tenants={"school": {"usdPerDay": 0.04}})
    budget = budget_of(db, PUPIL)
    call(budget)
    with pytest.raises(BudgetExhausted, match="organisation's budget"):
        call(budget)
    budget.close()
    assert tenant_of(db) == (0, COST)
    call(budget_of(db, User("ann", tenant="other")))


def in_another_process(db: Client, uid: str, *, input_tokens: int = INPUT) -> UserBudget:
    """Reserve a call for a user of the school, in another process's shard."""
    budget = budget_of(db, User(uid, tenant="school"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budgets, "own_shard", lambda: budgets.SHARDS)
        budget.reserve(MODEL, input_tokens=input_tokens, output_tokens=OUTPUT)
    return budget


def test_what_others_have_reserved_is_not_to_be_had(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "WAIT_S", 0.2)
    allow(db, user={"usdPerDay": 1}, tenant={"usdPerDay": 0.085})
    budget = budget_of(db, PUPIL)
    call(budget)
    in_another_process(db, "bob")
    call(budget)
    with pytest.raises(BudgetExhausted, match="organisation's budget for today is reserved"):
        call(budget)  # $0.035 are the other's, $0.016 spent, and $0.035 would be reserved
    budget.close()
    assert tenant_of(db) == (WORST, day_of(db).spent.micro_usd) == (WORST, 2 * COST)


def test_what_another_gives_back_is_waited_for(db: Client) -> None:
    allow(db, user={"usdPerDay": 1}, tenant={"usdPerDay": 0.05})
    other = in_another_process(db, "bob")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: call(budget_of(db, PUPIL)))
        time.sleep(0.3)
        assert not waiting.done()
        other.close()
        assert waiting.result(timeout=30) == 0.008


def test_after_a_refusal_a_smaller_call_may_still_be_made(db: Client) -> None:
    allow(db, user={"usdPerDay": 1}, tenant={"usdPerDay": 0.125})
    budget = budget_of(db, PUPIL)
    call(budget)
    call(budget)
    in_another_process(db, "bob", input_tokens=9_000)  # $0.075 at worst
    with pytest.raises(BudgetExhausted):
        budget.reserve(MODEL, input_tokens=INPUT, output_tokens=3 * OUTPUT)
    small = budget.reserve(MODEL, input_tokens=INPUT, output_tokens=100)
    budget.settle(small, USED)
    budget.close()
    assert tenant_of(db)[1] == day_of(db).spent.micro_usd == 3 * COST


def test_a_users_refusal_leaves_the_tenants_budget_as_it_was(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.01}, tenant={"usdPerDay": 5})
    with pytest.raises(BudgetExhausted):
        call(budget_of(db, PUPIL))
    assert tenant_of(db) == (0, 0)


def test_what_a_dead_process_did_not_use_is_had_by_others(db: Client) -> None:
    """All but the call that it may have made."""
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 0.1})
    in_another_process(db, "bob")  # and it is gone in mid-call
    budget, made = budget_of(db, User("eve", tenant="school")), 0
    with pytest.raises(BudgetExhausted):
        while True:
            call(budget)
            made += 1
    budget.close()
    assert made == (100_000 - WORST - WORST) // COST + 1
    assert tenant_of(db)[0] == WORST


def test_a_limit_that_is_lowered_holds_at_once_and_one_that_is_raised_is_had(db: Client) -> None:
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 20})
    budget = budget_of(db, PUPIL)
    for _ in range(5):
        call(budget)
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 0.05})
    with pytest.raises(BudgetExhausted):
        call(budget)
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 0.08})
    call(budget)
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 20})
    call(budget)
    budget.close()
    assert tenant_of(db) == (0, 7 * COST)


def test_a_reservation_is_in_the_tenants_day_before_it_is_compared_with_the_limit(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise two that compare at once would both be let through."""
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 5})
    sums, found = TenantDay.sums, list[int]()

    def looked_at(day: TenantDay) -> tuple[Amount, Amount]:
        reserved, spent = sums(day)
        found.append(reserved.micro_usd)
        return reserved, spent

    monkeypatch.setattr(TenantDay, "sums", looked_at)
    in_another_process(db, "bob")
    call(budget_of(db, PUPIL))
    assert found == [WORST, 2 * WORST]


def test_of_calls_reserved_at_once_no_more_are_made_than_the_tenant_can_pay(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two reservations are committed before either looks: both are taken back, not both made."""
    monkeypatch.setattr(budget_module, "WAIT_S", 0.0)
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 0.05})  # for one call at a time
    both, sums = Barrier(2, timeout=60), TenantDay.sums

    def look_together(day: TenantDay) -> tuple[Amount, Amount]:
        both.wait()
        found = sums(day)
        both.wait()
        return found

    monkeypatch.setattr(TenantDay, "sums", look_together)

    def refused(uid: str) -> bool:
        try:
            call(budget_of(db, User(uid, tenant="school")))
        except BudgetExhausted as error:
            return error.is_for_now
        return False

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(refused, ("bob", "eve"))) == [True, True]
    monkeypatch.undo()
    assert tenant_of(db) == (0, 0)


def test_a_tenants_call_costs_a_write_beside_each_of_the_users_and_a_read_of_each_shard(
    db: Client,
) -> None:
    allow(db, user={"usdPerDay": None}, tenant={"usdPerDay": 5})
    in_another_process(db, "bob")
    budgets.limits(db)
    budget = budget_of(db, PUPIL)
    with count_operations() as cost:
        call(budget)
        budget.close()
    assert (cost.reads, cost.writes) == (4, 4)


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
        "estimatedCalls": 0,
    }


def test_a_call_outside_of_a_run_costs_two_reads_and_two_writes(db: Client) -> None:
    budgets.limits(db)
    budget = budget_of(db)
    with count_operations() as cost:
        call(budget)
        budget.close()
    assert (cost.reads, cost.writes) == (2, 2)


def test_a_commit_of_the_runs_settles_a_call_and_reserves_the_next(db: Client) -> None:
    budgets.limits(db)
    budget = UserBudget(db, ANN, run="threads/t/runs/r", now=Clock())
    call(budget)
    with count_operations() as cost:
        for _ in range(5):
            batch = db.batch()
            budget.write(batch)
            budget.wrote(batch.commit())
            call(budget)
        batch = db.batch()
        budget.write(batch, is_last=True)
        budget.wrote(batch.commit())
        budget.close()
    assert (cost.reads, cost.writes) == (0, 6)
    assert (day_of(db).spent.micro_usd, day_of(db).reservations) == (6 * COST, {})


def test_a_run_that_is_handed_on_stays_entered_without_a_reservation(db: Client) -> None:
    """So that it counts as under way: to leave many runs to the queue opens no more of them."""
    budget = UserBudget(db, ANN, run="threads/t/runs/r", now=Clock())
    call(budget)
    batch = db.batch()
    budget.write(batch, is_last=True, is_over=False)
    budget.wrote(batch.commit())
    budget.close()
    (entry,) = day_of(db).reservations.values()
    assert (entry["run"], Amount.of(entry)) == ("threads/t/runs/r", Amount())
    assert day_of(db).used.micro_usd == COST


def test_a_commit_that_passes_the_limit_makes_no_call(db: Client) -> None:
    """Of two runs whose commits reserve ahead at once, one finds the limit passed."""
    allow(db, user={"usdPerDay": 0.1})
    runs = [UserBudget(db, ANN, run=f"threads/t/runs/r{n}", now=Clock()) for n in range(2)]
    for budget in runs:
        call(budget)
    for budget in runs:
        batch = db.batch()
        budget.write(batch)  # settles $0.008, reserves $0.055
        budget.wrote(batch.commit())
    call(runs[0])
    with pytest.raises(BudgetExhausted):
        call(runs[1])
    assert day_of(db).used.micro_usd <= 100_000


def test_a_run_of_a_free_model_asks_nothing_of_the_database(db: Client) -> None:
    budget = budget_of(db)
    with count_operations() as cost:
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
    budgets.forget_limits()
    budget = budget_of(db)
    assert budget.reserve("openai:local-7b", input_tokens=10, output_tokens=10).micro_usd == 30


def test_a_call_that_the_provider_refused_costs_nothing(db: Client) -> None:
    budget = budget_of(db)
    assert call(budget, None) == 0.0
    budget.close()
    assert (day_of(db).used, day_of(db).models) == (Amount(), {})


def test_a_new_day_has_a_new_budget(db: Client) -> None:
    allow(db, user={"usdPerDay": 0.04})
    clock = Clock(NOON.replace(hour=23, minute=59))
    for _ in range(2):
        budget = budget_of(db, clock=clock)
        call(budget)
        budget.close()
        clock.now += timedelta(minutes=2)
    assert day_of(db).used.micro_usd == COST
    assert day_of(db, day=date(2026, 11, 22)).used.micro_usd == COST


@pytest.mark.parametrize("how", ["before", "after", "twice"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_write_whose_answer_was_lost_counts_once(
    db: Client, monkeypatch: pytest.MonkeyPatch, number: int, how: How
) -> None:
    allow(db, tenant={"usdPerDay": 20})
    call(in_a_shard := budget_of(db, PUPIL))
    in_a_shard.close()
    with lose_commit(monkeypatch, number, how):
        budget = budget_of(db, PUPIL)
        call(budget)
        budget.close()
    assert (day_of(db).used.micro_usd, day_of(db).reservations) == (2 * COST, {})
    assert tenant_of(db) == (0, 2 * COST)
