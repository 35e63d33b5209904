"""Approval policies: when somebody is asked, and how two policies combine."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from pydantic import ValidationError

from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.core.wire import Role
from tests.support.for_every import for_every

ALWAYS = ApprovalPolicy()
NEVER = ApprovalPolicy(ask="never")
ONCE = ApprovalPolicy(ask="once_per_thread")


def above(threshold: float, argument: str = "amountUsd", **more: Any) -> ApprovalPolicy:
    return ApprovalPolicy(ask="above", argument=argument, threshold=threshold, **more)


def outside(*patterns: str, argument: str = "path", **more: Any) -> ApprovalPolicy:
    fields = {"ask": "outside", "argument": argument, "matches": "path", "patterns": patterns}
    return ApprovalPolicy.model_validate({**fields, **more})


@pytest.mark.parametrize(
    ("policy", "amount", "allowed_before", "asks"),
    [
        (ALWAYS, 0, True, True),
        (NEVER, 10**9, False, False),
        (ONCE, 5, False, True),
        (ONCE, 5, True, False),
        (above(100), 100, False, False),
        (above(100), 100.01, False, True),
        (above(100), 101, True, True),
    ],
)
def test_when_a_policy_asks(
    policy: ApprovalPolicy, amount: float, allowed_before: bool, asks: bool
) -> None:
    assert policy.asks({"amountUsd": amount}, allowed_before=allowed_before) is asks


@pytest.mark.parametrize("value", ["5", None, True, [5], {"value": 5}, float("nan")])
def test_a_threshold_asks_where_it_cannot_compare(value: Any) -> None:
    assert above(100).asks({"amountUsd": value}, allowed_before=True)


def test_a_threshold_asks_where_the_argument_is_left_out() -> None:
    assert above(100).asks({}, allowed_before=True)


@for_every(
    "wrong",
    [
        {"ask": "above"},
        {"ask": "above", "argument": "amountUsd"},
        {"ask": "always", "argument": "amountUsd", "threshold": 5},
        {"ask": "sometimes"},
        {"ask": "outside"},
        {"ask": "outside", "argument": "path", "patterns": ["docs/**"]},
        {"ask": "outside", "matches": "path", "patterns": ["docs/**"]},
        {"ask": "outside", "argument": "path", "matches": "path", "patterns": ["../**"]},
        {"ask": "outside", "argument": "command", "matches": "command", "patterns": ["*"]},
        {"ask": "outside", "argument": "path", "matches": "path", "patterns": ["a"] * 101},
        {"ask": "outside", "argument": "path", "matches": "path", "threshold": 5},
        {"ask": "above", "argument": "a", "threshold": 5, "matches": "path"},
        {"ask": "always", "patterns": ["docs/**"]},
        {"expiresS": 59},
        {"expiresS": 31 * 24 * 3600},
        {"deciderRole": "king"},
        {"deciders": ["tess"]},
    ],
)
def test_a_policy_that_is_not_whole_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ApprovalPolicy.model_validate(wrong)


GIVEN = (
    ALWAYS,
    NEVER,
    ONCE,
    above(10),
    above(100),
    above(10, "count"),
    outside("docs/**"),
    outside("docs/**", "src/**"),
    outside("src/**", decider_role=Role.TEACHER),
    outside("docs/**", argument="to"),
    outside("ls *", argument="path", matches="command"),
)
ARGUMENTS = (
    {"amountUsd": 5, "count": 5},
    {"amountUsd": 50, "count": 5},
    {"amountUsd": 500, "count": 50},
    {"amountUsd": 5, "count": 50},
    {"path": "docs/a", "amountUsd": 5},
    {"path": "src/a", "to": "docs/a"},
    {"path": "ls a"},
    {},
)


@for_every("allowed_before", [True, False])
@for_every("policies", list(itertools.permutations(GIVEN, 2)))
def test_together_they_ask_wherever_one_of_them_does(
    policies: tuple[ApprovalPolicy, ...], allowed_before: bool
) -> None:
    said = {"allowed_before": allowed_before, "remembered": ("src/**",) if allowed_before else ()}
    for arguments in ARGUMENTS:
        one_asks = any(each.asks(arguments, **said) for each in policies)  # type: ignore[arg-type]
        asks = combined(*policies).asks(arguments, **said)  # type: ignore[arg-type]
        assert asks or not one_asks


@for_every(
    ("one", "other", "together"),
    [
        (NEVER, NEVER, NEVER),
        (NEVER, ONCE, ONCE),
        (ONCE, ONCE, ONCE),
        (above(10), above(100), above(10)),
        (NEVER, above(10), above(10)),
        (above(10), above(10, "count"), ALWAYS),
        (ONCE, above(10), ALWAYS),
        (ALWAYS, NEVER, ALWAYS),
        (outside("docs/**", "src/**"), outside("src/**", "lib/**"), outside("src/**")),
        (outside("docs/**"), NEVER, outside("docs/**")),
        (outside("docs/**"), ONCE, ALWAYS),
        (outside("docs/**"), above(10), ALWAYS),
        (outside("docs/**"), ALWAYS, ALWAYS),
        (outside("a"), outside("a", argument="to"), ALWAYS),
        (outside("a"), outside("a", matches="command"), ALWAYS),
    ],
)
def test_what_two_policies_come_to_in_either_order(
    one: ApprovalPolicy, other: ApprovalPolicy, together: ApprovalPolicy
) -> None:
    assert combined(one, other) == combined(other, one) == together


def test_without_a_policy_the_user_is_always_asked() -> None:
    assert combined() == combined(None, None) == ALWAYS


def test_the_higher_role_decides_in_the_shorter_time() -> None:
    teacher = ApprovalPolicy(decider_role=Role.TEACHER, expires_s=600)
    admin = above(10, decider_role=Role.ADMIN, expires_s=3600)
    found = combined(teacher, admin)
    assert (found.ask, found.decider_role, found.expires_s) == ("always", Role.ADMIN, 600)
    assert combined(NEVER, teacher).decider_role is Role.TEACHER


@pytest.mark.parametrize(
    ("path", "remembered", "asks"),
    [
        ("docs/a", (), False),
        ("src/a", (), True),
        ("src/a", ("src/**",), False),
        ("src/../x", ("src/**", "**"), True),
        (None, ("**",), True),
    ],
)
def test_patterns_say_what_needs_no_yes(path: Any, remembered: tuple[str, ...], asks: bool) -> None:
    policy = outside("docs/**")
    assert policy.asks({"path": path}, allowed_before=True, remembered=remembered) is asks


def test_an_argument_that_is_left_out_is_outside_of_all() -> None:
    assert outside("**").asks({}, allowed_before=True)


def test_what_one_remembered_does_not_count_where_another_decides() -> None:
    policy = outside(decider_role=Role.TEACHER)
    assert policy.asks({"path": "src/a"}, allowed_before=True, remembered=("src/**",))
    assert policy.offers({"path": "src/a"}) == ()


def test_only_patterns_are_offered_to_be_remembered() -> None:
    assert outside().offers({"path": "src/a"}) == ("src/a", "src/**")
    command = outside(argument="command", matches="command")
    assert command.offers({"command": "pytest"}) == ("pytest", "pytest *")
    assert ALWAYS.offers({"path": "src/a"}) == ONCE.offers({"path": "src/a"}) == ()
