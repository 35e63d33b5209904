"""Kills processes at every write of a run and at any other time, and looks at what is left."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tests.chaos import stage
from tests.chaos.scene import Broken, Scene, Story
from tests.chaos.worker import Fault

LANES = 4
"""Scenes that are played at once."""

_ALL = ("count", "write_line", "look_up", "write_blindly", "post")
STORIES = (
    Story("reads", "asking", (("look_up", "look_up"), ("look_up",))),
    Story("a yes, sent", "asking", (("count",), ("write_line",)), (True,), "resume"),
    Story("a yes, in its document", "asking", (("post",), ("count",)), (True,), "document"),
    Story("a no", "asking", (("write_line",), ("look_up",)), (False,)),
    Story("writes of all kinds", "asking", (_ALL,)),
    Story("writes that ask nobody", "free", (_ALL, ("write_blindly", "count"))),
    Story("four eyes", "asking", (("count_checked",), ("count",))),
    Story("the client's tool", "asking", (("ask_device",), ("write_line",)), (True,)),
    Story("people and the client", "asking", (("ask_device", "count_checked", "count"),)),
)


@dataclass(frozen=True, slots=True)
class Planned:
    """A story with the fault that befalls its `worker`-th process."""

    story: Story
    seed: int
    worker: int = 0
    fault: Fault | None = None


@dataclass
class Findings:
    """What was tried, and what did not hold."""

    scenes: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    points: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        return sum(self.struck[how] for how in ("before", "after", "between", "moment"))


def try_kills(
    db: Any, project: str, file: str, *, seed: int, kills: int, stories: Sequence[Story] = STORIES
) -> Findings:
    """Play the stories undisturbed, then with about `kills` processes killed, and others hurt."""
    dice = random.Random(seed)
    findings = Findings()
    lane = _Lane(db, project, file, findings)
    calm = [Planned(story, dice.randrange(1 << 30)) for story in stories]
    with ThreadPoolExecutor(LANES) as pool:
        commits = list(pool.map(lane.play, calm))
        points = list(_points(calm, commits))
        findings.points = len(points)
        planned = _choose(points, dice, kills)
        list(pool.map(lane.play, planned))
    return findings


def _points(calm: Sequence[Planned], commits: Sequence[list[int]]) -> Iterator[tuple[Planned, int]]:
    """Every commit of every worker of the undisturbed scenes."""
    for each, counts in zip(calm, commits, strict=True):
        for worker, count in enumerate(counts):
            for number in range(1, count + 1):
                yield Planned(each.story, each.seed, worker), number


def _choose(points: list[tuple[Planned, int]], dice: random.Random, kills: int) -> list[Planned]:
    """Which of the points are struck, and how: most by kills, before the commit or after it."""
    struck = [(at, how) for at in points for how in ("before", "after")]
    dice.shuffle(struck)
    others = kills // 10
    chosen = struck[: max(kills - 2 * others, 1)]
    for how in ("between", "moment", "stopped", "twice", "unanswered", "refused", "left"):
        chosen += [(dice.choice(points), how) for _ in range(others)]
    return [
        Planned(at.story, at.seed, at.worker, _fault(how, number, dice))
        for (at, number), how in chosen
    ]


def _fault(how: str, number: int, dice: random.Random) -> Fault:
    after_s = dice.uniform(0.03, 0.35) if how == "moment" else dice.uniform(0, 0.006)
    return Fault(how, number, after_s)


@dataclass
class _Lane:
    """Plays planned scenes; safe to use from several threads."""

    db: Any
    project: str
    file: str
    findings: Findings

    def play(self, planned: Planned) -> list[int]:
        """Play one; the commits of its workers."""
        number = self.findings.scenes
        self.findings.scenes += 1
        scene = Scene(
            self.db,
            self.project,
            self.file,
            planned.story,
            name=f"s{number}",
            uid=stage.PEOPLE[number % len(stage.PEOPLE)],
            dice=random.Random(planned.seed),
            faults={planned.worker: planned.fault} if planned.fault else {},
            worse=0.25 if planned.fault else 0.0,
        )
        try:
            scene.play()
        except Broken as error:
            self._note(planned, scene, str(error))
        except Exception as error:
            self._note(planned, scene, f"{type(error).__name__}: {error}"[:500])
        self.findings.struck.update(scene.struck)
        return scene.commits

    def _note(self, planned: Planned, scene: Scene, what: str) -> None:
        where = f"worker {planned.worker}, {planned.fault}" if planned.fault else "undisturbed"
        story = f"{planned.story.name} (thread {scene.thread_id}, dice {planned.seed}, {where})"
        self.findings.broken.append(f"{story}: {what}; {'; '.join(scene.notes)}"[:2500])
