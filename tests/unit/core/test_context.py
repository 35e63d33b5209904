"""The context of a capability's call."""

from __future__ import annotations

import pytest

from rollcall.core.context import ToolContext, User
from rollcall.core.errors import FailedPrecondition


def new_id(uid: str, effect_key: str | None) -> str:
    return ToolContext(user=User(uid), effect_key=effect_key).new_id


def test_a_new_id_is_the_same_at_every_attempt_and_of_one_user_and_effect() -> None:
    assert new_id("ann", "key") == new_id("ann", "key")
    assert len({new_id("ann", "key"), new_id("ben", "key"), new_id("ann", "other")}) == 3


def test_a_read_has_no_new_id() -> None:
    with pytest.raises(FailedPrecondition, match='effect="write"'):
        new_id("ann", None)
