"""What runs take from their user's day, from the opening to the settled amount: nothing twice,
nothing left out, and no more than the limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore_v1.services.firestore.client import FirestoreClient

from rollcall.agent import run_setup
from rollcall.agent.budget import UserBudget
from rollcall.core.context import Call, User
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.endpoints.my_data import (
    clear_thread,
    delete_my_data,
    delete_thread,
    export_my_data,
)
from rollcall.endpoints.run_agent import run_agent
from rollcall.endpoints.usage import report
from rollcall.models.base import Delta, ModelRequest, load_model
from rollcall.store import budgets
from rollcall.store.budgets import (
    NONE,
    Amount,
    Day,
    TenantDay,
    read_day,
)
from rollcall.store.open_run import OpenRun
from rollcall.store.paths import user_day
from rollcall.store.runs import thread_id_for
from rollcall.testing import ScriptedModel, calls, says
from tests.support.firestore_operations import count_operations
from tests.support.lost_commits import How, lose_commit
from tests.support.office import Office, payment, run_concurrently
from tests.support.run_times import end_lease, enter_day_start

PAID = "openai:gpt-5.5"
COST, CALLS = Amount(200, 15), Amount(182, 15)
"""Of one of the script's replies: 10 tokens in at $5 a million, 5 out at $30. Of one with calls 4
tokens are read from a cache."""
WORST = Amount(67_500, 7_250)
"""Of a first call: 6,000 tokens in, 1,250 out."""
THREAD = thread_id_for("ann", "r1")
MESSAGE = {"message": "What is new?", "runId": "r1"}


def declare(office: Office, *models: str, **changes: Any) -> None:
    """An agent of these models."""
    office.declare(models=models or (PAID,), max_output_tokens=1_000, **changes)


@pytest.fixture(autouse=True)
def priced_model(office: Office) -> None:
    office.model.id = PAID
    declare(office)
    budgets.forget_limits()


def allow(office: Office, **document: Any) -> None:
    office.db.document("budgets/limits").set(document)
    budgets.forget_limits()


def times(number: int) -> Amount:
    return Amount(COST.micro_usd * number, COST.tokens * number)


def today() -> date:
    return datetime.now(UTC).date()


def stored_day(office: Office, uid: str = "ann", day: date | None = None) -> Day:
    """The day as its document has it."""
    day = day or today()
    return Day.of(user_day(office.db, uid, day).get().to_dict(), day)


def settled_day(office: Office, uid: str = "ann", *, after: timedelta = timedelta(0)) -> Day:
    """The day without reservations of runs that are over, as of a later time."""
    data = user_day(office.db, uid, today()).get().to_dict() or {}
    return read_day(office.db, data, now=datetime.now(UTC) + after)


def die(
    office: Office, *replies: Any, at: str = "finish", before: bool = True, **data: Any
) -> None:
    """Have the process die, with what it would have settled."""
    with office.patch.context() as patched:
        patched.setattr(UserBudget, "close", lambda budget: None)
        office.crash(MESSAGE, *replies, at="finish", before=before)


# what a turn reserves, and how it is settled


def test_a_turns_first_call_is_reserved_by_its_opening_and_settled_by_its_end(
    office: Office,
) -> None:
    seen: list[Day] = []

    def then(request: ModelRequest) -> Iterator[Delta]:
        seen.append(stored_day(office))
        yield from calls(("look_up", {}))

    ran = office.ask(then)
    (held,) = seen[0].reservations.values()
    assert (Amount.of(held), seen[0].spent) == (WORST, NONE)
    assert held["run"] == f"threads/{ran.thread}/runs/{ran.done['runId']}"
    day = stored_day(office)
    assert (day.spent, day.reservations) == (CALLS + COST, {})


def test_a_steps_save_settles_its_call_and_reserves_the_next(office: Office) -> None:
    seen: list[Day] = []

    def look(request: ModelRequest) -> Iterator[Delta]:
        seen.append(stored_day(office))
        yield from says("Hi.")

    office.ask(calls(("look_up", {})), look)
    ((held,), spent) = (seen[0].reservations.values(), seen[0].spent)
    assert spent == CALLS
    assert Amount.of(held).micro_usd < WORST.micro_usd + 4_000 * 5


def test_the_usage_shows_settled_numbers_at_once(office: Office) -> None:
    for _ in range(3):
        office.ask(says("Hi."))
    with count_operations() as cost:
        found = report(office.platform, User("ann"), now=datetime.now(UTC))
    assert (found.today.usd, found.today.tokens) == (0.0006, 45)
    assert found.left.usd == 1.9994
    assert found.today.models[0].calls == 3
    assert cost.reads == 1


def test_a_paid_greeting_costs_one_write_more_than_a_free_one(office: Office) -> None:
    office.ask(says("Hi."), uid="ben")  # the registry is in memory then
    for named in ({}, {"runId": "mine"}):
        with count_operations() as cost:
            office.ask(says("Hi."), **named)
        assert (cost.reads, cost.writes) == (3 + len(named), 9)
    office.model.id = "offline:scripted"
    declare(office, office.model.id)
    with count_operations() as cost:
        office.ask(says("Hi."))
    assert cost.writes == 8


def test_of_free_turns_in_many_threads_every_eighth_looks_what_became_of_the_others(
    office: Office,
) -> None:
    office.model.id = "offline:scripted"
    declare(office, office.model.id)
    office.ask(says("Hi."), uid="ben")  # the registry is in memory then
    reads = []
    for _ in range(18):
        with count_operations() as cost:
            office.ask(says("Hi."))
        reads.append(cost.reads)
        assert len(stored_day(office).reservations) <= 8
    assert reads == [3] * 8 + [11] + [3] * 7 + [11, 3]


def test_of_free_turns_in_one_thread_each_takes_the_place_of_the_one_before(
    office: Office,
) -> None:
    office.model.id = "offline:scripted"
    declare(office, office.model.id)
    thread = office.ask(says("Hi.")).thread
    for _ in range(12):
        with count_operations() as cost:
            office.ask(says("Hi."), threadId=thread)
        assert (cost.reads, len(stored_day(office).reservations)) == (3, 1)


def test_a_free_model_takes_nothing(office: Office) -> None:
    office.model.id = "offline:scripted"
    declare(office, office.model.id)
    ran = office.ask(says("Hi."))
    (held,) = stored_day(office).reservations.values()
    assert held["run"] == f"threads/{ran.thread}/runs/{ran.done['runId']}"
    assert settled_day(office).used == NONE


def test_a_free_model_that_answers_for_a_paid_one_gives_the_reservation_back(
    office: Office,
) -> None:
    declare(office, PAID, "offline:planner")
    ran = office.ask(*[Unavailable("overloaded")] * 5)
    assert ran.done["usage"][0]["provider"] == "offline"
    day = stored_day(office)
    assert (day.used, day.reservations) == (NONE, {})


def test_a_paid_model_that_answers_for_a_free_one_reserves_its_call_then(office: Office) -> None:
    broken = ScriptedModel([FailedPrecondition("there is no such model")], id="offline:broken")
    models = {each.id: each for each in (broken, office.model)}
    office.patch.setattr(run_setup, "load_model", lambda id: models.get(id) or load_model(id))
    declare(office, broken.id, PAID)
    ran = office.ask(says("Hi."))
    assert ran.done["message"] == "Hi."
    assert (stored_day(office).used, stored_day(office).reservations) == (COST, {})


def test_a_request_that_is_longer_than_foreseen_is_reserved_before_its_call(
    office: Office,
) -> None:
    declare(office, instructions="x" * 90_000)  # 30,000 tokens, by bytes
    seen: list[Day] = []

    def look(request: ModelRequest) -> Iterator[Delta]:
        seen.append(stored_day(office))
        yield from says("Hi.")

    office.ask(look)
    (held,) = seen[0].reservations.values()
    assert Amount.of(held).micro_usd > 150_000
    assert (stored_day(office).used, stored_day(office).reservations) == (COST, {})


def test_without_a_limit_everything_is_counted(office: Office) -> None:
    allow(office, user={"usdPerDay": None, "tokensPerDay": None})
    for _ in range(3):
        office.ask(says("Hi."))
    assert settled_day(office).used == times(3)


def test_a_run_that_goes_on_with_a_turn_settles_as_any_other(office: Office) -> None:
    office.resume(office.ask(payment()))
    assert settled_day(office).used == CALLS + COST
    office.resume(office.ask(payment()), runId="yes")
    assert stored_day(office).used == CALLS + COST + CALLS + COST
    assert stored_day(office).reserved == NONE


def test_a_run_that_ends_with_a_question_has_nothing_reserved(office: Office) -> None:
    office.ask(payment())
    assert (stored_day(office).used, stored_day(office).reservations) == (CALLS, {})


def test_a_run_that_fails_settles_what_it_spent(office: Office) -> None:
    def bug(*args: Any, **options: Any) -> None:
        raise ZeroDivisionError

    office.patch.setattr(OpenRun, "finish", bug)
    ran = office.ask(calls(("look_up", {})), says("Hi."))
    assert ran.code == "internal"
    day = settled_day(office)
    assert (day.used, day.reservations) == (CALLS + COST, {})


def test_in_the_first_minutes_of_a_day_yesterday_knows_who_starts(office: Office) -> None:
    enter_day_start(office.patch)
    allow(office, user={"runsPerMinute": 3})
    thread = office.ask(says("Hi.")).thread
    for data in ({"threadId": thread}, {"runId": "mine"}):
        with count_operations() as cost:
            office.ask(says("Hi."), **data)
        assert cost.writes == 10
    assert office.ask(says("Hi.")).code == "resource-exhausted"
    yesterday = stored_day(office, day=today() - timedelta(days=1))
    assert yesterday.starts == stored_day(office).starts and len(yesterday.starts) == 3
    assert (yesterday.used, settled_day(office).used) == (NONE, times(3))


def test_a_tenants_budget_counts_what_its_users_runs_spent(office: Office) -> None:
    allow(office, tenant={"usdPerDay": 5})
    claims = {"tenant": "school"}
    for uid in ("ann", "ben"):
        office.send({"message": "Hi."}, says("Hi."), uid=uid, claims=claims)
    assert TenantDay(office.db, "school", today()).sums() == (NONE, times(2))
    assert settled_day(office, "ann").used == settled_day(office, "ben").used == COST


def test_where_the_tenants_budget_is_used_up_the_run_says_so(office: Office) -> None:
    allow(office, tenant={"usdPerDay": 0})
    ran = office.send({"message": "Hi."}, says("Hi."), claims={"tenant": "school"})
    assert ran.done["stopReason"] == "budget"
    assert settled_day(office).used == NONE and office.model.requests == []


# what is refused, and what is not


def test_a_limit_never_refuses_what_settled_numbers_allow(office: Office) -> None:
    allow(office, user={"usdPerDay": 0.2})
    for _ in range(30):  # each of which reserves $0.0675
        assert "stopReason" not in office.ask(says("Hi.")).done
    assert settled_day(office).used == times(30)


def test_where_nothing_is_left_the_run_says_so_and_costs_nothing(office: Office) -> None:
    allow(office, user={"usdPerDay": 0})
    ran = office.ask(says("Hi."))
    assert ran.done["stopReason"] == "budget"
    assert settled_day(office).used == NONE and office.model.requests == []


def test_openings_at_once_all_open_while_the_rate_allows(office: Office) -> None:
    allow(office, user={"runsAtOnce": None})
    ran = run_concurrently(20, lambda _: office.call({"agent": "office", "message": "Hi."}))
    assert [each.done["message"] for each in ran] == ["Done."] * 20
    assert settled_day(office).used == times(20)


def test_openings_at_once_are_no_more_than_the_rate_allows(office: Office) -> None:
    allow(office, user={"runsPerMinute": 7, "runsAtOnce": None})
    ran = run_concurrently(20, lambda _: office.call({"agent": "office", "message": "Hi."}))
    assert sorted(each.code or "" for each in ran) == [""] * 7 + ["resource-exhausted"] * 13
    assert settled_day(office).used == times(7)


def test_beyond_eight_runs_at_once_one_more_is_refused_with_the_names_of_those(
    office: Office,
) -> None:
    eight = threading.Barrier(9, timeout=60)

    def wait(request: ModelRequest) -> Iterator[Delta]:
        eight.wait()  # all have begun
        eight.wait()  # the ninth is refused
        yield from says("Hi.")

    office.model.replies = [wait] * 8
    with ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(office.call, {"agent": "office", "message": "Hi."}) for _ in range(8)]
        eight.wait()
        refused = office.ask(says("Hi."))
        eight.wait()
        ran = [each.result() for each in sent]
    assert refused.code == "resource-exhausted" and refused.error
    named = {(each["threadId"], each["runId"]) for each in refused.error["details"]["running"]}
    assert named == {(each.done["threadId"], each.done["runId"]) for each in ran}
    assert refused.error["details"]["retryAfterS"] == 2
    assert office.ask(says("Hi.")).done["message"] == "Hi."


def test_runs_at_once_never_overspend_a_day(office: Office) -> None:
    """Each of these takes its worst case: 12 of them would spend more than there is."""
    allow(office, user={"usdPerDay": 0.1, "runsAtOnce": None})

    def worst(request: ModelRequest) -> Iterator[Delta]:
        yield from says("x" * 2_000)

    office.model.replies = [worst] * 24
    for _ in range(2):
        run_concurrently(12, lambda _: office.call({"agent": "office", "message": "Hi."}))
    assert 0 < stored_day(office).settled.micro_usd <= 100_000
    assert stored_day(office).reserved == NONE


# what is counted once


@pytest.mark.parametrize("how", ["before", "after", "twice"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_commit_whose_answer_was_lost_counts_once(office: Office, number: int, how: How) -> None:
    """The opening is the first commit, the end the second."""
    with lose_commit(office.patch, number, how):
        ran = office.ask(says("Hi."), runId="r1")
    if ran.result is None:  # the opening failed, and its client asks again
        end_lease_of_run(office)
        assert office.ask(says("Hi."), runId="r1").done["message"] == "Hi."
    used = settled_day(office).used
    assert used in (COST, COST + WORST) if number == 0 and how == "after" else used == COST


@pytest.mark.parametrize("how", ["before", "after", "twice"])
def test_a_reservation_whose_write_was_sent_twice_is_made_once(office: Office, how: How) -> None:
    """It is the second commit; and twice as much as it takes is more than there is."""
    allow(office, user={"usdPerDay": 0.4})
    declare(office, instructions="x" * 90_000)  # 30,000 tokens, by bytes
    with lose_commit(office.patch, 1, how):
        ran = office.ask(says("Hi."))
    assert ran.done["message"] == "Hi."
    assert stored_day(office).used == stored_day(office).settled == COST


def end_lease_of_run(office: Office) -> None:
    if office.run(THREAD, "r1"):
        end_lease(office.db, THREAD, "r1")


def test_a_run_that_settled_in_both_ways_counts_once(office: Office) -> None:
    """Its end was saved, but nobody told it so before it closes."""
    original = UserBudget.wrote
    untold = True

    def unsure(budget: UserBudget, written: Any) -> None:
        nonlocal untold
        if untold and office.run(THREAD, "r1")["status"] == "done":
            untold = False
            raise Unavailable("the answer was lost")
        original(budget, written)

    with office.patch.context() as patched:
        patched.setattr(UserBudget, "wrote", unsure)
        office.ask(says("Hi."), runId="r1")
    assert office.run(THREAD, "r1")["status"] == "done"
    assert (settled_day(office).used, stored_day(office).reservations) == (COST, {})


def test_a_run_whose_end_could_not_be_saved_is_settled_directly(office: Office) -> None:
    original = FirestoreClient.commit

    def commit(self: FirestoreClient, *args: Any, **options: Any) -> Any:
        request = options.get("request") or args[0]
        if any("/views/" in write.update.name for write in request["writes"]):
            raise Unavailable("full")
        return original(self, *args, **options)

    with office.patch.context() as patched:
        patched.setattr(FirestoreClient, "commit", commit)
        office.ask(says("Hi."), runId="r1")
    day = stored_day(office)
    assert (day.used, day.reservations) == (COST, {})


def test_a_killed_run_counts_in_full(office: Office) -> None:
    die(office, says("Hi."))
    for after in (timedelta(0), timedelta(hours=2)):
        assert settled_day(office, after=after).used == WORST


def test_a_killed_run_that_is_taken_up_counts_in_full_and_what_it_spent_then(
    office: Office,
) -> None:
    die(office, says("Hi."))
    end_lease(office.db, THREAD, "r1")
    assert office.sweep(says("Hi.")) == 1
    assert office.result(THREAD, "r1")["message"] == "Hi."
    day = settled_day(office)
    assert (day.spent, day.settled, day.reservations) == (WORST + COST, COST, {})


def test_a_run_that_died_after_its_end_was_saved_is_settled(office: Office) -> None:
    die(office, says("Hi."), before=False)
    assert settled_day(office).used == COST


def test_a_run_that_was_left_to_the_queue_settles_both_of_its_parts(office: Office) -> None:
    office.model.replies = [calls(("look_up", {}))]
    stream = run_agent(office.platform, Call(User("ann"), {"agent": "office", **MESSAGE}))
    for event in stream:
        if event and event["type"] == "TOOL_CALL_RESULT":
            break
    stream.close()
    office.run_queue(says("Hi."))
    assert office.result(THREAD, "r1")["message"] == "Hi."
    day = stored_day(office)
    assert day.used == day.settled == CALLS + COST
    assert [Amount.of(each) for each in day.reservations.values()] == [NONE], "its entry stays"


def test_a_run_that_was_left_to_the_queue_counts_as_under_way(office: Office) -> None:
    allow(office, user={"runsAtOnce": 1})
    office.model.replies = [calls(("look_up", {}))]
    stream = run_agent(office.platform, Call(User("ann"), {"agent": "office", **MESSAGE}))
    for event in stream:
        if event and event["type"] == "TOOL_CALL_RESULT":
            break
    stream.close()
    refused = office.ask(says("Too many."))
    assert refused.code == "resource-exhausted" and refused.error
    assert refused.error["details"]["running"] == [{"threadId": THREAD, "runId": "r1"}]
    office.run_queue(says("Hi."))
    assert office.ask(says("Hi again.")).done["message"] == "Hi again."


@pytest.mark.parametrize("erase", [clear_thread, delete_thread])
def test_a_thread_that_is_erased_costs_what_its_runs_did(office: Office, erase: Any) -> None:
    ran = office.ask(says("Hi."))
    office.ask(says("Hi."), threadId=ran.thread)
    erase(office.platform, Call(User("ann"), {"threadId": ran.thread}))
    assert office.runs(ran.thread) == []
    assert (stored_day(office).used, stored_day(office).reservations) == (times(2), {})


def test_who_erases_all_data_is_left_what_was_spent_without_a_name(office: Office) -> None:
    office.ask(says("Hi."))
    office.ask(says("Hi."))
    delete_my_data(office.platform, Call(User("ann"), {"confirm": True}))
    document = user_day(office.db, "ann", today()).get().to_dict() or {}
    assert "uid" not in document and document["reservations"] == {}
    assert document["spentMicroUsd"] == 2 * COST.micro_usd


def test_a_run_that_its_users_erasure_cuts_off_settles_without_a_name(office: Office) -> None:
    def then(request: ModelRequest) -> Iterator[Delta]:
        yield from calls(("look_up", {}))
        delete_my_data(office.platform, Call(User("ann"), {"confirm": True}))

    assert office.ask(then, says("Hi."), runId="my-own").code == "aborted"
    document = user_day(office.db, "ann", today()).get().to_dict() or {}
    assert document["spentMicroUsd"] == CALLS.micro_usd
    assert document["expiresAt"] < datetime.now(UTC) + timedelta(days=3)
    assert "uid" not in document and "my-own" not in str(document)


def test_an_export_tells_settled_numbers(office: Office) -> None:
    office.ask(says("Hi."))
    items = export_my_data(office.platform, Call(User("ann"), {}))["items"]
    (day,) = [each["data"] for each in items if each["kind"] == "budgets"]
    assert (day["spentMicroUsd"], day["reservations"]) == (COST.micro_usd, {})
