"""Budgets under load, by processes of their own: a tenant's that all spend at once, a user's that
many runs want at once, and how long a user's messages take that come at once."""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.budget import UserBudget
from rollcall.core.context import User
from rollcall.core.errors import AgentError, Unavailable
from rollcall.models.base import Usage
from rollcall.store.budgets import (
    NONE,
    BudgetExhausted,
    TenantDay,
    read_days,
)
from tests.chaos import deployment
from tests.chaos.scenario import Broken
from tests.chaos.worker import Job, Outcome, Worker

MODEL = "chaos:script"
INPUT, OUTPUT = 1_000, 1_000
PRICE = {"models": ["chaos:*"], "input": 5, "output": 30}
CALL = 35_000
"""What such a call costs at most, millionths of a dollar."""
RUN = 320 * 30 + 6_000 * 5
"""What a run of the agent `thrifty` reserves for its call."""
TIMEOUT_S = 600.0
MAX_RETRIES = 5
"""How often a process tries a call again that the contended day did not take."""


@dataclass
class Money:
    """What is tried, in a project of its own whose models have a price."""

    db: Any
    project: str
    file: str

    def __post_init__(self) -> None:
        self.db.document("budgets/prices").set({"prices": [PRICE]})

    def processes_of_a_tenant(self, processes: int, calls: int) -> str:
        """Processes reserve and settle for one tenant, each for a user of its own, until they are
        refused: none before 90 % is spent, but for a call that each may have reserved and one that
        it has settled and not yet noted; and no more is spent than there is.

        Args:
            calls: About how many calls the tenant's budget pays for.
        """
        limit = calls * (INPUT * 5 + OUTPUT * 30 // 2)
        self._allow(tenants={"crowd": {"usdPerDay": limit / 1e6}})
        starts_at = time.time() + 1 + processes / 15
        jobs = [self._job("spend", f"crowd{n}", starts_at=starts_at) for n in range(processes)]
        outcomes = _all(jobs)
        made = sorted(call for outcome in outcomes for call in outcome.result["calls"])
        spent = sum(cost for _, cost in made)
        if spent > limit:
            raise Broken(f"{spent:,} of {limit:,} were spent")
        refusals = [outcome.result["refusedAt"] for outcome in outcomes]
        first = min(refusals)
        before = sum(cost for at, cost in made if at <= first)
        if before < min(0.9 * limit, limit - 2 * processes * CALL):
            raise Broken(f"refused when {before / limit:.1%} were spent")
        reserved, counted = TenantDay(self.db, "crowd", _today()).sums()
        if (reserved, counted.micro_usd) != (NONE, spent):
            raise Broken("the tenant's day counts something else than what was spent")
        retries = sum(outcome.result["retries"] for outcome in outcomes)
        rate = len(made) / (max(at for at, _ in made) - starts_at)
        return (
            f"{len(made):,} calls, {rate:.0f} a second; first refusal at {before / limit:.1%}, "
            f"{spent / limit:.1%} spent; {retries} tried again"
        )

    def runs_of_a_user(self, runs: int, usd: float = 0.1) -> str:
        """Runs that begin at once against a budget that does not suffice for them, whose replies
        cost as much as they may."""
        uid = f"thrifty{runs}"
        self._allow(users={uid: {"usdPerDay": usd, "runsAtOnce": None}})
        processes = max(runs // 10, 1)
        data = {"agent": "thrifty", "message": deployment.script(usage=(5_000, 0, 320))}
        starts_at = time.time() + 1 + processes / 15
        job = self._job("send", uid, data=data, starts_at=starts_at, threads=runs // processes)
        results = [each.result for each in _all([job] * processes) if each.result]
        answered = [each for each in results if "stopReason" not in each]
        today, now = _today(), datetime.now(UTC)
        (day,) = read_days(self.db, uid, since=today, until=today, now=now)
        if day.used.micro_usd > usd * 1e6 or day.reserved != NONE:
            raise Broken(f"${day.used.micro_usd / 1e6} of ${usd} are used: {day}")
        counted = sum(each["costUsd"] for run in results for each in run["usage"])
        if round(counted * 1e6) != day.spent.micro_usd:
            raise Broken(f"the runs cost ${counted}, and the day counts {day.spent}")
        if not answered or {each.get("stopReason") for each in results} - {None, "budget"}:
            raise Broken("a run neither answered nor said that the budget is used up")
        return f"{len(answered)} of {runs} answered, ${day.spent.micro_usd / 1e6:.4f} spent"

    def messages_at_once(self, number: int, *, at_once: int | None = 8, users: int = 1) -> str:
        """Messages that come at once, in processes of their own, and how long each takes: of one
        user, in threads of their own, or of as many users."""
        name = f"many{number}-{at_once}-{users}"
        uids = [f"{name}-{n % users}" for n in range(number)]
        limits = {"usdPerDay": None, "tokensPerDay": None, "runsAtOnce": at_once}
        self._allow(users=dict.fromkeys(uids, limits))
        data = {"agent": "free", "message": deployment.script(pauseS=0.5)}
        starts_at = time.time() + 1 + number / 15
        outcomes = _all([self._job("timed", uid, data=data, starts_at=starts_at) for uid in uids])
        took = [each.result["ms"] for each in outcomes if each.result["code"] is None]
        refused = [each.result for each in outcomes if each.result["code"] is not None]
        if at_once is None or users > 1:
            if refused:
                raise Broken(f"{len(refused)} of {number} were refused: {refused[0]}")
        elif len(took) < at_once:
            raise Broken(f"{len(took)} were let in, and {at_once} may be under way")
        for each in refused:
            if each["code"] != "resource-exhausted" or len(each["running"]) < (at_once or 0):
                raise Broken(f"a refusal does not say what is under way: {each}")
        said = f"{len(took)} answered: median {statistics.median(took):.0f} ms, most {max(took)} ms"
        if refused:
            most = max(each["ms"] for each in refused)
            said += f"; {len(refused)} refused by the bound within {most} ms"
        return said

    def _allow(self, **limits: Any) -> None:
        self.db.document("budgets/limits").set({"user": deployment.WITHOUT_LIMITS, **limits})

    def _job(self, what: str, uid: str, **more: Any) -> Job:
        return Job(what, self.project, self.file, uid, **more)


def _today() -> Any:
    return datetime.now(UTC).date()


def _all(jobs: list[Job]) -> list[Outcome]:
    """Start the jobs, each in a process; what became of every thread.

    Raises:
        Broken: A worker died, or failed otherwise than by a refusal.
    """
    workers = [Worker(job) for job in jobs]
    outcomes = [each for worker in workers for each in worker.outcomes(TIMEOUT_S)]
    for each in outcomes:
        if each.died or each.error:
            raise Broken(f"a worker came to no good end: {each.error}")
    return outcomes


def spend(platform: Any, job: Job, events: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Reserve and settle calls, one after another, until one is refused. Where the tenant's day is
    contended, a call is tried again when it says, as a run's loop does."""
    user, calls, retries = User(job.uid, tenant="crowd"), [], 0
    dice = random.Random(job.uid)
    while True:
        budget = UserBudget(platform.db, user)
        try:
            reserved = budget.reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
        except BudgetExhausted:
            return {"calls": calls, "refusedAt": time.time(), "retries": retries}
        except Unavailable as error:
            retries += 1
            if retries > MAX_RETRIES:
                raise
            budget.close()
            time.sleep(error.retry_after_s or 0.0)
            continue
        usage = Usage(input_tokens=INPUT, output_tokens=dice.randrange(OUTPUT + 1))
        cost = budget.settle(reserved, usage) or 0.0
        budget.close()
        calls.append((time.time(), round(cost * 1e6)))


def timed(platform: Any, job: Job, events: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Send a message; how long its answer took, or its refusal."""
    from tests.chaos.worker import WORK

    began = time.monotonic()
    error: dict[str, Any] = {}
    try:
        WORK["send"](platform, job, events, number)
    except AgentError as refused:
        error = refused.details
    took = round((time.monotonic() - began) * 1000)
    return {"ms": took, "code": error.get("code"), "running": error.get("running", [])}
