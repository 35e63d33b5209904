"""Approvals as documents: frozen, read back unchanged, decided by the people they name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec.structs import replace

from rollcall.core.context import Decider, User
from rollcall.core.wire import Display, Role
from rollcall.store import paths
from rollcall.store.approvals import (
    Approval,
    ApprovalDecision,
    ApprovalStatus,
    Card,
    Translation,
    canonical_json,
    load_approvals,
)

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
GIVEN = ApprovalDecision(approved=True, by="tess", at=NOW, reason="fine")
FOUR_EYES = Decider(role=Role.TEACHER, tenant="school", not_uid="ann")


def make_approval(**changes: Any) -> Approval:
    fields: dict[str, Any] = {
        "id": "a1",
        "uid": "ann",
        "thread_id": "t",
        "run_id": "r",
        "turn_id": "r",
        "agent": "office",
        "call_id": "c1",
        "place": 0,
        "tool": "pay",
        "version": 3,
        "capability_digest": "d",
        "arguments": {"grid": [[1, [2]]], "": None, "to": "תקציב"},
        "shown": {"to": "•••"},
        "summary": "Pay",
        "display": Display(type="chart", chart={"rows": [[1]]}),
        "locale": "he",
        "decider": Decider(uid="ann"),
        "created_at": NOW,
        "expires_at": NOW + timedelta(hours=1),
    }
    return Approval(**{**fields, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"decider": FOUR_EYES},
        {"decision": GIVEN, "status": ApprovalStatus.APPROVED},
        {"edited_from": "a0", "display": None},
        {
            "translations": {
                "en": Translation("Pay", None),
                "fr": Translation("Payer", Display(type="text", text="5 $")),
            }
        },
    ],
)
def test_an_approval_is_read_back_as_it_was_stored(db: Client, changes: dict[str, Any]) -> None:
    approval = make_approval(**changes)
    paths.approval(db, "a1").create(approval.document())
    (read,) = load_approvals(db, ["nowhere", "a1"])
    assert replace(read, update_time=None) == approval


@pytest.mark.parametrize("changes", [{}, {"decision": GIVEN, "status": ApprovalStatus.APPROVED}])
def test_arguments_that_were_changed_in_the_store_are_nobodys_yes(
    db: Client, changes: dict[str, Any]
) -> None:
    paths.approval(db, "a1").create(make_approval(**changes).document())
    paths.approval(db, "a1").update({"arguments": canonical_json({"to": "eve"})})
    (read,) = load_approvals(db, ["a1"])
    assert (read.status_at(NOW), read.arguments) == (ApprovalStatus.EXPIRED, {})


def test_approvals_are_loaded_in_the_order_that_was_asked_for(db: Client) -> None:
    for id in ("a1", "a2", "a3"):
        paths.approval(db, id).create(make_approval(id=id).document())
    assert [each.id for each in load_approvals(db, ["a3", "a1", "a2"])] == ["a3", "a1", "a2"]
    assert load_approvals(db, []) == []


@pytest.mark.parametrize(
    ("decider", "user", "may"),
    [
        (Decider(uid="ann"), User("ann"), True),
        (Decider(uid="ann"), User("eve", Role.ADMIN), False),
        (FOUR_EYES, User("tess", Role.TEACHER, "school"), True),
        (FOUR_EYES, User("root", Role.ADMIN, "school"), True),
        (FOUR_EYES, User("ann", Role.ADMIN, "school"), False),
        (FOUR_EYES, User("stu", Role.STUDENT, "school"), False),
        (FOUR_EYES, User("tess", Role.TEACHER, "other"), False),
        (FOUR_EYES, User("tess", Role.TEACHER), False),
        (Decider(role=Role.TEACHER, not_uid="ann"), User("tess", Role.TEACHER), True),
        (Decider(role=Role.TEACHER, not_uid="ann"), User("tess", Role.TEACHER, "any"), False),
    ],
)
def test_who_may_decide(decider: Decider, user: User, may: bool) -> None:
    assert make_approval(decider=decider).may_be_decided_by(user) is may


@pytest.mark.parametrize(
    ("changes", "later_s", "verdict"),
    [
        ({}, 0, "pending"),
        ({}, 3600, "expired"),
        ({"decision": GIVEN}, 0, "approved"),
        ({"decision": GIVEN}, 7200, "approved"),
        ({"decision": replace(GIVEN, approved=False)}, 0, "rejected"),
        ({"status": ApprovalStatus.EXPIRED, "decision": GIVEN}, 0, "expired"),
        ({"status": ApprovalStatus.REPLACED}, 0, "replaced"),
    ],
)
def test_what_stands(changes: dict[str, Any], later_s: int, verdict: str) -> None:
    assert make_approval(**changes).status_at(NOW + timedelta(seconds=later_s)) == verdict


def test_changed_arguments_make_another_approval_that_names_the_first() -> None:
    old = make_approval()
    new = old.edited(Card({"to": "bob"}, {"to": "bob"}, "s", None), by=User("ann"), now=NOW)
    assert (new.edited_from, new.call_id, new.status) == ("a1", "c1", ApprovalStatus.APPROVED)
    assert new.id != old.id
    same = old.edited(Card({"to": "bob"}, {}, "s", None), by=User("ann"), now=NOW)
    assert same.id == new.id
    assert (old.arguments, new.arguments) == (make_approval().arguments, {"to": "bob"})


def test_equal_arguments_have_one_text() -> None:
    assert (
        canonical_json({"b": 1, "a": [2]})
        == canonical_json({"a": [2], "b": 1})
        == '{"a":[2],"b":1}'
    )
