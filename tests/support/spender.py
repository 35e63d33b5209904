"""A worker that spends as much as it may: `python -m tests.support.spender <project> <uid> ...`.

Prints what it spent, in millionths of a dollar. Tests start several, to race for one budget.
"""

from __future__ import annotations

import random
import sys
import time

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from rollcall.agent.budget import UserBudget
from rollcall.core.context import User
from rollcall.models.base import Usage
from rollcall.store.budgets import BudgetExhausted

MODEL = "openai:gpt-5.5"
INPUT, OUTPUT = 1_000, 1_000
WORST = 35_000
"""What such a call costs at most: 1,000 x $5 and 1,000 x $30 a million."""


def spend(db: Client, user: User, *, runs: int, calls: int = 3) -> int:
    """Run until the budget refuses, `runs` times at most; millionths of a dollar spent."""
    spent, dice = 0, random.Random(user.uid)
    for _ in range(runs):
        budget = UserBudget(db, user)
        try:
            for _ in range(calls):
                reservation = budget.reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
                time.sleep(dice.uniform(0, 0.01))
                usage = Usage(input_tokens=INPUT, output_tokens=dice.randrange(OUTPUT))
                cost = budget.settle(reservation, usage)
                assert cost is not None
                spent += round(cost * 1_000_000)
        except BudgetExhausted:
            return spent
        finally:
            budget.close()
    return spent


def main(project: str, uid: str, tenant: str, runs: str) -> None:
    db = Client(project=project, credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    print(spend(db, User(uid, tenant=tenant or None), runs=int(runs)))


if __name__ == "__main__":
    main(*sys.argv[1:])
