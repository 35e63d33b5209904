"""Limits, amounts and a user's day, without a database."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime
from typing import Any

import pytest

from rollcall.core.context import User
from rollcall.core.wire import Role
from rollcall.store.budgets import Day, DayReservation, Spend, budget_key, until_tomorrow_s
from rollcall.store.limits import NONE, Amount, Limits, TenantLimits, UserLimits

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN = User("ann", Role.TEACHER, tenant="school")


def day(**reservations: DayReservation) -> Day:
    return Day("ann", date(2026, 11, 21), reservations=reservations)


def spend(micro_usd: int, tokens: int, **counts: int) -> Spend:
    return Spend("m:a", Amount(micro_usd, tokens), {"calls": 1, **counts})


def test_without_a_document_sound_limits_hold() -> None:
    found = Limits().of_user(ANN)
    assert (found.usd_per_day, found.tokens_per_day, found.runs_per_minute) == (2.0, 2_000_000, 300)
    assert Limits().of_tenant("school").is_none


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
    assert limits.of_tenant("school") == TenantLimits(usd_per_day=50, tokens_per_day=7)
    assert limits.of_tenant("other").micro_usd == 50_000_000


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


def test_an_amount_is_within_a_limit_where_each_part_that_is_limited_is() -> None:
    dollar = TenantLimits(usd_per_day=1)
    assert dollar.allows(Amount(1_000_000, 10**9)) and not dollar.allows(Amount(1_000_001))
    assert not TenantLimits(usd_per_day=1, tokens_per_day=7).allows(Amount(1, 8))


def test_a_settled_reservation_gives_its_rest_back() -> None:
    found = day(run=DayReservation(Amount(100, 50)))
    found.settle("run", [spend(30, 20), spend(5, 5)])
    assert found.used == found.spent == Amount(35, 25)
    assert found.models["m:a"]["calls"] == 2 and found.models["m:a"]["microUsd"] == 35


def test_a_reservation_that_nobody_settles_counts_as_spent() -> None:
    found = day(dead=DayReservation(Amount(100, 50)), live=DayReservation(Amount(1, 1)))
    before = found.used
    found.lose("dead")
    assert (found.spent, found.used) == (Amount(100, 50), before)
    assert found.lost == {"dead": Amount(100, 50)}
    assert list(found.reservations) == ["live"]


def test_a_run_without_a_reservation_loses_none() -> None:
    found = day(free=DayReservation(NONE, "threads/t/runs/r"))
    found.lose("free")
    assert (found.used, found.lost, found.reservations) == (NONE, {}, {})


def test_who_settles_late_gets_the_difference_back() -> None:
    found = day(run=DayReservation(Amount(100, 50)))
    found.lose("run")
    found.settle("run", [spend(30, 20)])
    assert (found.used, found.lost) == (Amount(30, 20), {})


def test_what_was_never_counted_is_not_given_back() -> None:
    found = day()  # its document was deleted meanwhile
    found.settle("run", [spend(30, 20)])
    assert found.used == Amount(30, 20)


def test_what_is_reserved_stands_in_the_document_as_a_sum_as_well() -> None:
    data = day(a=DayReservation(Amount(100, 1)), b=DayReservation(Amount(10, 2))).dump()
    assert (data["reservedMicroUsd"], data["reservedTokens"]) == (110, 3)


def test_a_day_is_read_as_it_was_written_and_never_shares_its_parts() -> None:
    first = day(run=DayReservation(Amount(100, 50), "threads/t/runs/r", NOW, "save"))
    first.starts = {"k": {"atMs": 1_000, "counts": True}}
    first.settle("x", [spend(1, 2, unpricedCalls=1, estimatedCalls=1)])
    data = first.dump()
    copy = Day.of(data, uid="ann", day=first.day)
    assert copy == first
    copy.settle("y", [spend(1, 2)])
    assert data["models"]["m:a"]["calls"] == 1
    assert data["models"]["m:a"]["unpricedCalls"] == data["models"]["m:a"]["estimatedCalls"] == 1


def test_a_day_of_an_earlier_version_is_read() -> None:
    held = {"microUsd": 7, "tokens": 8, "until": NOW, "source": None, "run": "threads/t/runs/r"}
    data = {
        "uid": "ann",
        "day": "2026-11-21",
        "spentMicroUsd": 30,
        "spentTokens": 20,
        "slices": {"s1": held},
        "models": {},
        "lost": {},
    }
    found = Day.of(data, uid="ann", day=date(2026, 11, 21))
    assert (found.spent, found.used) == (Amount(30, 20), Amount(37, 28))
    assert found.dump()["slices"] == {} and found.dump()["reservedMicroUsd"] == 7


def test_a_nameless_day_stays_one() -> None:
    found = Day.of({"spentMicroUsd": 1, "spentTokens": 1}, uid="ann", day=date(2026, 11, 21))
    assert not {"uid", "expiresAt"} & found.dump().keys()


@pytest.mark.parametrize("uid", ["a/b", "..", "__x__", "שלום", "x" * 128, "\ud800", ""])
def test_every_uid_has_a_document_of_its_own(uid: str) -> None:
    assert budget_key(uid).isalnum() and len(budget_key(uid)) == 32
    assert budget_key(uid) != budget_key(uid + "x")


def test_budgets_renew_at_midnight_utc() -> None:
    assert until_tomorrow_s(NOW) == 12 * 3600 + 1
    assert until_tomorrow_s(NOW.replace(hour=23, minute=59, second=59)) == 2
