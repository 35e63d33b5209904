"""Limits, amounts and a user's day, without a database."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from rollcall.core.context import User
from rollcall.core.wire import Role
from rollcall.store.budgets import (
    Day,
    DayReservation,
    Spend,
    budget_key,
    settlement,
    until_tomorrow_s,
)
from rollcall.store.limits import Amount, Limit, Limits, Start, UserLimits

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
ANN = User("ann", Role.TEACHER, tenant="school")


def day(**reservations: DayReservation) -> Day:
    return Day("ann", date(2026, 11, 21), reservations=reservations)


def test_without_a_document_sound_limits_hold() -> None:
    found = Limits().of_user(ANN)
    assert (found.usd_per_day, found.tokens_per_day, found.runs_per_minute) == (2.0, 2_000_000, 300)
    assert Limits().of_tenant("school").a_day.is_none


def test_the_users_own_entry_overrules_the_roles_and_that_the_general_one() -> None:
    document = {
        "user": {"usdPerDay": 1, "tokensPerDay": 10, "runsPerMinute": 5},
        "roles": {"teacher": {"usdPerDay": 3, "tokensPerDay": 30}},
        "users": {"ann": {"usdPerDay": None}},
    }
    found = Limits(document).of_user(ANN)
    assert found == UserLimits(usd_per_day=None, tokens_per_day=30, runs_per_minute=5)
    assert Limits(document).of_user(User("bob")).usd_per_day == 1


def test_a_tenants_own_entry_overrules_the_general_one() -> None:
    limits = Limits({"tenant": {"usdPerDay": 50}, "tenants": {"school": {"tokensPerDay": 7}}})
    assert limits.of_tenant("school").a_day == Limit(50_000_000, 7)
    assert limits.of_tenant("other").a_day == Limit(50_000_000, None)


@pytest.mark.parametrize(
    "document",
    [
        {"user": {"usdPerDay": "2"}},
        {"user": {"usdPerDay": -1}},
        {"user": {"usdPerDay": float("inf")}},
        {"user": {"dollars": 1}},
        {"user": 3},
        {"users": ["ann"]},
        {"roles": {"teacher": 1}},
    ],
)
def test_a_limit_that_cannot_be_read_is_logged_and_what_it_overrules_holds(
    document: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="rollcall"):
        assert Limits(document).of_user(ANN) == UserLimits()
    assert "left out" in caplog.text


def test_a_lease_takes_what_is_wanted_as_far_as_it_is_there() -> None:
    limit = Limit(100, None)
    wanted = Amount(60, 5)
    assert limit.reservable(used=Amount(0), least=Amount(10, 5), wanted=wanted) == Amount(60, 5)
    assert limit.reservable(used=Amount(70), least=Amount(10, 5), wanted=wanted) == Amount(30, 5)
    assert limit.reservable(used=Amount(90), least=Amount(10, 5), wanted=wanted) == Amount(10, 5)
    assert limit.reservable(used=Amount(91), least=Amount(10, 5), wanted=wanted) is None


def test_a_settled_slice_gives_its_rest_back() -> None:
    held = DayReservation(Amount(100, 50), LATER)
    found = day(run=held)
    found.settle("run", held, [Spend("m:a", Amount(30, 20)), Spend("m:a", Amount(5, 5))])
    assert found.used == found.spent == Amount(35, 25)
    assert found.models["m:a"]["calls"] == 2 and found.models["m:a"]["microUsd"] == 35


def test_a_slice_that_nobody_settled_counts_as_spent_when_its_time_is_over() -> None:
    found = day(dead=DayReservation(Amount(100, 50), NOW), live=DayReservation(Amount(1, 1), LATER))
    before = found.used
    found.count_expired(NOW + timedelta(seconds=1))
    assert (found.spent, found.used) == (Amount(100, 50), before)
    assert found.lost == {"dead": Amount(100, 50)}
    assert list(found.reservations) == ["live"]


def test_of_a_runs_slice_its_run_may_know_better_than_the_clock() -> None:
    found = day(run=DayReservation(Amount(100, 50), NOW, run="threads/t/runs/r"))
    found.count_expired(LATER)
    assert (list(found.reservations), found.lost) == (["run"], {})
    found.lose("run")
    assert (found.spent, found.lost) == (Amount(100, 50), {"run": Amount(100, 50)})


def test_what_a_run_says_of_its_slice_is_read_as_it_was_written() -> None:
    spend = Spend("m:a", Amount(30, 20), 10, 4, 10, is_priced=False)
    said = settlement("s1", date(2026, 11, 21), [spend])
    found = day(s1=DayReservation(Amount(100, 50), LATER), s2=DayReservation(Amount(1, 1), LATER))
    for _ in range(2):  # what the day does not wait for any more counts no more
        found.apply_settlements(said)
        assert (found.spent, list(found.reservations)) == (Amount(30, 20), ["s2"])
    assert found.models["m:a"]["unpricedCalls"] == 1


def test_who_settles_late_gets_the_difference_back() -> None:
    held = DayReservation(Amount(100, 50), NOW, source="share")
    found = day(run=held)
    found.count_expired(LATER)
    found.settle("run", held, [Spend("m:a", Amount(30, 20))])
    assert (found.used, found.lost) == (Amount(30, 20), {})
    assert found.from_source("share") == Amount(30, 20)


def test_what_was_never_counted_is_not_given_back() -> None:
    found = day()  # its document was deleted meanwhile
    found.settle("run", DayReservation(Amount(100, 50), NOW), [Spend("m:a", Amount(30, 20))])
    assert found.used == Amount(30, 20)


def test_what_is_spent_or_set_aside_of_a_tenants_slice_is_known() -> None:
    first, second = (
        DayReservation(Amount(100), LATER, "share"),
        DayReservation(Amount(10), LATER, "other"),
    )
    found = day(a=first, b=second)
    assert found.from_source("share") == Amount(100)
    found.settle("a", first, [Spend("m:a", Amount(40))])
    assert found.from_source("share") == Amount(40)
    assert found.dump()["sources"] == ["other", "share"]


def test_a_day_is_read_as_it_was_written_and_never_shares_its_parts() -> None:
    held = DayReservation(Amount(100, 50), LATER, "share")
    first = day(run=held, other=DayReservation(Amount(1), LATER, run="threads/t/runs/r"))
    first.starts = {"k": Start(1_000), "on": Start(2_000, counts=False)}
    first.settle("x", None, [Spend("m:a", Amount(1, 2), 1, 0, 1, is_priced=False)])
    data = first.dump()
    copy = Day.of(data, uid="ann", day=first.day)
    assert copy == first
    copy.settle("y", None, [Spend("m:a", Amount(1, 2))])
    assert data["models"]["m:a"]["calls"] == 1


@pytest.mark.parametrize("uid", ["a/b", "..", "__x__", "שלום", "x" * 128, "\ud800", ""])
def test_every_uid_has_a_document_of_its_own(uid: str) -> None:
    assert budget_key(uid).isalnum() and len(budget_key(uid)) == 32
    assert budget_key(uid) != budget_key(uid + "x")


def test_budgets_renew_at_midnight_utc() -> None:
    assert until_tomorrow_s(NOW) == 12 * 3600 + 1
    assert until_tomorrow_s(NOW.replace(hour=23, minute=59, second=59)) == 2
