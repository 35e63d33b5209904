"""Stalls: a process is stopped right before one of its saves, loses its run, and goes on.

Whatever took the run or its thread meanwhile, the process that was stopped may change nothing
below the thread when it goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from rollcall.store import erasure
from rollcall.store.runs import thread_id_for
from tests.chaos import deployment
from tests.chaos.scenario import Broken, effects, examine, statuses
from tests.chaos.worker import Fault, Job, Worker, run

LANES = 4
SAVES = range(2, 9)
"""The first commit opens the run; then come a reply, its results, a reply, the write's claim and
outcome, the results, and the end."""
WAYS = ("taken up", "taken up by two", "superseded", "stopped", "cleared", "deleted", "user erased")


@dataclass(frozen=True, slots=True)
class Stall:
    """The save before which a process is stopped, and how it loses its run."""

    at: int
    way: str


def all_stalls() -> list[Stall]:
    return [Stall(at, way) for way in WAYS for at in SAVES]


@dataclass
class StallRuns:
    """Runs stalls on threads of their own; safe to use from several threads."""

    db: Any
    project: str
    file: str
    name: str

    def try_all(self, tried: Sequence[Stall]) -> list[str]:
        """The stalls in which the guarantee did not hold, each with its reason."""
        with ThreadPoolExecutor(LANES) as pool:
            return [each for each in pool.map(self._tried, tried) if each]

    def _tried(self, stall: Stall) -> str:
        try:
            self.play(stall)
        except Exception as error:
            return f"save {stall.at}, {stall.way}: {type(error).__name__}: {error}"[:900]
        return ""

    def play(self, stall: Stall) -> None:
        """
        Raises:
            Broken: The stopped process has saved something.
        """
        number = WAYS.index(stall.way) * len(SAVES) + SAVES.index(stall.at)
        uid, run_id = deployment.PEOPLE[number], f"{self.name}-{number}"
        token = f"{run_id}-token"
        first = [("look_up", {"topic": "one"}), ("look_up", {"topic": "another"})]
        second = [("look_up", {"topic": "a third"}), ("count", {"token": token})]
        data = {"agent": "free", "runId": run_id, "message": deployment.script(first, second)}
        job = Job("send", self.project, self.file, uid, data, Fault("stopped", at=stall.at))
        stalled = Worker(job)
        if not stalled.wait_until_stopped():
            raise Broken(f"it ended before its {stall.at}. commit: {stalled.outcome()}")
        thread_id = thread_id_for(uid, run_id)
        _INTERVENTIONS[stall.way](self, uid, thread_id, run_id)
        before = dict(below(self.db, f"threads/{thread_id}"))
        stalled.go_on()
        outcome = stalled.outcome()
        changed = differences(before, dict(below(self.db, f"threads/{thread_id}")))
        if changed:
            raise Broken(f"it has changed {changed}; it said {outcome.error or outcome.result}")
        self._check_rest(stall, thread_id, uid, token)

    def _check_rest(self, stall: Stall, thread_id: str, uid: str, token: str) -> None:
        happened = effects(self.db, "count", token)
        if happened > 1:
            raise Broken(f"the write happened {happened} times")
        if stall.way in ("deleted", "user erased", "cleared"):
            return
        examine(self.db, thread_id, uid)
        said = dict(statuses(self.db, thread_id)).get(token, "never asked for")
        allowed = {"done": {1}, "unknown": {0, 1}}.get(said, {0})
        if happened not in allowed:
            raise Broken(f"the write happened {happened} times; the log: {said}")

    # ---- How a process loses its run ----

    def _recover(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        run(Job("task", self.project, self.file, uid, {"threadId": thread_id, "runId": run_id}))

    def _recover_twice(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        task = Job("task", self.project, self.file, uid, {"threadId": thread_id, "runId": run_id})
        both = [Worker(task), Worker(task)]
        for worker in both:
            worker.outcome()

    def _supersede(self, uid: str, thread_id: str, run_id: str) -> None:
        message = {"agent": "free", "threadId": thread_id, "message": deployment.script()}
        data = {**message, "whenBusy": "supersede"}
        outcome = run(Job("send", self.project, self.file, uid, data))
        if outcome.result is None:
            raise Broken(f"it could not be superseded: {outcome.error}")

    def _stop(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        data = {"threadId": thread_id, "runId": run_id}
        run(Job("cancel", self.project, self.file, uid, data))

    def _clear(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        erasure.erase_one_thread(deployment.WorkerPlatform(self.db), uid, thread_id, for_good=False)

    def _delete(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        erasure.erase_one_thread(deployment.WorkerPlatform(self.db), uid, thread_id, for_good=True)

    def _erase_user(self, uid: str, thread_id: str, run_id: str) -> None:
        erasure.erase_user(deployment.WorkerPlatform(self.db), uid, (), with_account=False)

    def _expire(self, thread_id: str, run_id: str) -> None:
        past = datetime.now(UTC) - timedelta(seconds=1)
        self.db.document(f"threads/{thread_id}/runs/{run_id}").update({"leaseUntil": past})


_INTERVENTIONS: dict[str, Callable[[StallRuns, str, str, str], None]] = {
    "taken up": StallRuns._recover,
    "taken up by two": StallRuns._recover_twice,
    "superseded": StallRuns._supersede,
    "stopped": StallRuns._stop,
    "cleared": StallRuns._clear,
    "deleted": StallRuns._delete,
    "user erased": StallRuns._erase_user,
}


def sample_stalls(number: int, seed: int) -> list[Stall]:
    """A random choice of `number` stalls, with each way among them if they are enough."""
    dice = random.Random(seed)
    chosen = [Stall(dice.choice(SAVES), way) for way in WAYS]
    others = [each for each in all_stalls() if each not in chosen]
    return [*chosen, *dice.sample(others, max(number - len(chosen), 0))][:number]


def below(db: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the paths and update times of a document and all below it."""
    document = db.document(path).get()
    if document.exists:
        yield path, document.update_time
    for collection in db.document(path).collections():
        for reference in collection.list_documents():
            yield from below(db, reference.path)


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The paths of documents that differ."""
    paths = sorted(before.keys() | after.keys())
    return [path for path in paths if before.get(path) != after.get(path)]
