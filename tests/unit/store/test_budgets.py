"""Limits, amounts and a user's day, without a database."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime
from typing import Any

import pytest

from rollcall.core.context import User
from rollcall.core.wire import Role
from rollcall.store.budgets import (
    Amount,
    BudgetExhausted,
    Day,
    Limits,
    TenantLimits,
    UserLimits,
    reservation,
    until_tomorrow_s,
)
from rollcall.store.paths import budget_key

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN = User("ann", Role.TEACHER, tenant="school")


RUN = "threads/t/runs/r"


def day(**more: Any) -> Day:
    return Day("ann", date(2026, 11, 21), **more)


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


def test_what_nobody_is_at_work_on_counts_as_spent() -> None:
    live = {"a": reservation(Amount(30, 20), RUN, NOW)}
    found = day(settled=Amount(100, 50), reserved=Amount(35, 25), reservations=live)
    assert (found.used, found.spent) == (Amount(135, 75), Amount(105, 55))


def test_a_day_is_read_as_it_was_written_and_never_shares_its_parts() -> None:
    first = day(settled=Amount(1, 2), reserved=Amount(100, 50))
    first.reservations["a"] = reservation(Amount(100, 50), RUN, NOW)
    first.models = {"m:a": {"calls": 1}}
    first.starts = {"k": {"atMs": 1_000, "counts": True}}
    data = first.dump()
    copy = Day.of(data, first.day)
    assert copy == first
    copy.starts.clear()
    assert data["starts"] == first.starts


def test_a_document_that_is_not_there_is_a_day_without_anything() -> None:
    assert Day.of(None, NOW.date()) == Day(None, NOW.date())


def test_a_nameless_day_stays_one() -> None:
    found = Day.of({"spentMicroUsd": 1, "spentTokens": 1}, date(2026, 11, 21))
    assert not {"uid", "expiresAt"} & found.dump().keys()


@pytest.mark.parametrize(
    ("reserved", "told"),
    [(Amount(90, 9), "reserved by your runs under way"), (Amount(0, 0), "used up")],
)
def test_a_refusal_says_whether_runs_under_way_are_in_the_way(reserved: Amount, told: str) -> None:
    limit = TenantLimits(usd_per_day=100 / 1e6)
    live = {"a": reservation(reserved, RUN, NOW)}
    found = day(settled=Amount(10), reserved=Amount(90, 9), reservations=live)
    refused = BudgetExhausted.of(limit, found, Amount(20))
    assert told in refused.message
    assert refused.is_for_now == (reserved != Amount())


def test_a_refusal_speaks_hebrew_with_its_amounts() -> None:
    money = BudgetExhausted.of(
        TenantLimits(usd_per_day=1), day(settled=Amount(990_000)), Amount(20_000)
    )
    assert money.say("he") == (
        "התקציב שלך להיום נוצל: נשארו ⁨$0.01⁩ מתוך ⁨$1.00⁩,"
        " ולפעולה הזאת נדרשים עד ⁨$0.02⁩; הוא מתחדש ב-⁨00:00 UTC⁩"
    )
    tokens = BudgetExhausted.of(TenantLimits(tokens_per_day=3_000), day(), Amount(0, 4_000))
    assert "מתוך ⁨3,000 אסימונים⁩" in tokens.say("he")
    assert tokens.translate("he").details["hint"] == "הוא מתחדש ב-⁨00:00 UTC⁩"


@pytest.mark.parametrize("uid", ["a/b", "..", "__x__", "שלום", "x" * 128, "\ud800", ""])
def test_every_uid_has_a_document_of_its_own(uid: str) -> None:
    assert budget_key(uid).isalnum() and len(budget_key(uid)) == 32
    assert budget_key(uid) != budget_key(uid + "x")


def test_budgets_renew_at_midnight_utc() -> None:
    assert until_tomorrow_s(NOW) == 12 * 3600 + 1
    assert until_tomorrow_s(NOW.replace(hour=23, minute=59, second=59)) == 2
