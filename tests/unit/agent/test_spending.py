"""A purse without a database: what is free never asks it."""

from __future__ import annotations

from typing import Any, cast

from rollcall.agent.purse import Purse
from rollcall.agent.spending import FirestorePurse
from rollcall.core.context import User
from rollcall.models.base import Usage

NO_DATABASE = cast(Any, None)


def test_a_free_model_costs_nothing_and_asks_no_database() -> None:
    purse = FirestorePurse(NO_DATABASE, User("ann"))
    reservation = purse.reserve("offline:planner", input_tokens=10, output_tokens=5)
    assert (reservation.tokens, reservation.micro_usd) == (15, 0)
    assert purse.settle(reservation, Usage(10, 0, 5)) == 0.0
    purse.close()


def test_it_is_a_purse_as_the_loop_knows_it() -> None:
    purse: Purse = FirestorePurse(NO_DATABASE, User("ann"))
    assert callable(purse.reserve) and callable(purse.settle)
