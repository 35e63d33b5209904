"""Kills processes at every write of a run and at random moments, and checks what is stored."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tests.chaos import deployment
from tests.chaos.scenario import Broken, Scenario, ScenarioRun
from tests.chaos.worker import Fault

LANES = 4
"""Scenarios that run at once."""

_ALL = ("count", "write_line", "look_up", "write_blindly", "post")
SCENARIOS = (
    Scenario("reads", "asking", (("look_up", "look_up"), ("look_up",))),
    Scenario("a yes, sent", "asking", (("count",), ("write_line",)), (True,), "resume"),
    Scenario("a yes, in its document", "asking", (("post",), ("count",)), (True,), "document"),
    Scenario("a no", "asking", (("write_line",), ("look_up",)), (False,)),
    Scenario("writes of all kinds", "asking", (_ALL,)),
    Scenario("writes that ask nobody", "free", (_ALL, ("write_blindly", "count"))),
    Scenario("four eyes", "asking", (("count_checked",), ("count",))),
    Scenario("the client's tool", "asking", (("ask_device",), ("write_line",)), (True,)),
    Scenario("people and the client", "asking", (("ask_device", "count_checked", "count"),)),
)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A scenario with the fault of its `worker`-th process."""

    scenario: Scenario
    seed: int
    worker: int = 0
    fault: Fault | None = None


@dataclass
class Findings:
    """Counts of what was tried, and the guarantees that did not hold."""

    scenario_runs: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    points: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        return sum(self.struck[how] for how in ("before", "after", "between", "moment"))


def try_kills(
    db: Any,
    project: str,
    file: str,
    *,
    seed: int,
    kills: int,
    scenarios: Sequence[Scenario] = SCENARIOS,
) -> Findings:
    """Run the scenarios without faults, then with about `kills` kills and some other faults."""
    dice = random.Random(seed)
    findings = Findings()
    lane = _Lane(db, project, file, findings)
    calm = [PlannedRun(scenario, dice.randrange(1 << 30)) for scenario in scenarios]
    with ThreadPoolExecutor(LANES) as pool:
        commits = list(pool.map(lane.play, calm))
        points = list(_points(calm, commits))
        findings.points = len(points)
        planned = _choose(points, dice, kills)
        list(pool.map(lane.play, planned))
    return findings


def _points(
    calm: Sequence[PlannedRun], commits: Sequence[list[int]]
) -> Iterator[tuple[PlannedRun, int]]:
    """Every commit of every worker of the runs without faults."""
    for each, counts in zip(calm, commits, strict=True):
        for worker, count in enumerate(counts):
            for number in range(1, count + 1):
                yield PlannedRun(each.scenario, each.seed, worker), number


def _choose(
    points: list[tuple[PlannedRun, int]], dice: random.Random, kills: int
) -> list[PlannedRun]:
    """Choose points and their faults: mostly kills, before the commit or after it."""
    struck = [(at, how) for at in points for how in ("before", "after")]
    dice.shuffle(struck)
    others = kills // 10
    chosen = struck[: max(kills - 2 * others, 1)]
    for how in ("between", "moment", "stopped", "twice", "unanswered", "refused", "left"):
        chosen += [(dice.choice(points), how) for _ in range(others)]
    return [
        PlannedRun(at.scenario, at.seed, at.worker, _fault(how, number, dice))
        for (at, number), how in chosen
    ]


def _fault(how: str, number: int, dice: random.Random) -> Fault:
    after_s = dice.uniform(0.03, 0.35) if how == "moment" else dice.uniform(0, 0.006)
    return Fault(how, number, after_s)


@dataclass
class _Lane:
    """Runs scenarios; safe to use from several threads."""

    db: Any
    project: str
    file: str
    findings: Findings

    def play(self, planned: PlannedRun) -> list[int]:
        """Run one; the number of commits of each worker."""
        number = self.findings.scenario_runs
        self.findings.scenario_runs += 1
        scenario_run = ScenarioRun(
            self.db,
            self.project,
            self.file,
            planned.scenario,
            name=f"s{number}",
            uid=deployment.PEOPLE[number % len(deployment.PEOPLE)],
            dice=random.Random(planned.seed),
            faults={planned.worker: planned.fault} if planned.fault else {},
            worse=0.25 if planned.fault else 0.0,
        )
        try:
            scenario_run.play()
        except Broken as error:
            self._note(planned, scenario_run, str(error))
        except Exception as error:
            self._note(planned, scenario_run, f"{type(error).__name__}: {error}"[:500])
        self.findings.struck.update(scenario_run.struck)
        return scenario_run.commits

    def _note(self, planned: PlannedRun, scenario_run: ScenarioRun, what: str) -> None:
        where = f"worker {planned.worker}, {planned.fault}" if planned.fault else "undisturbed"
        name, thread_id = planned.scenario.name, scenario_run.thread_id
        scenario = f"{name} (thread {thread_id}, dice {planned.seed}, {where})"
        self.findings.broken.append(f"{scenario}: {what}; {'; '.join(scenario_run.notes)}"[:2500])
