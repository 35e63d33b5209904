"""A process stands still right before one of its saves, is passed by, and goes on.

Whatever took the run or its thread meanwhile, nothing below the thread may change any more when
the one that stood still goes on.
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
from tests.chaos import stage
from tests.chaos.scene import Broken, effects, examine, statuses
from tests.chaos.worker import Fault, Job, Worker, run

LANES = 4
SAVES = range(2, 9)
"""The opening's commit is the first; then a reply, its results, a reply, what claims and notes the
write, the results, and the end."""
WAYS = ("taken up", "taken up by two", "superseded", "stopped", "cleared", "deleted", "user erased")


@dataclass(frozen=True, slots=True)
class Seam:
    """Where a process stands still, and how it is passed by."""

    at: int
    way: str


def seams() -> list[Seam]:
    return [Seam(at, way) for way in WAYS for at in SAVES]


@dataclass
class Seams:
    """Plays seams on threads of their own; safe to use from several threads."""

    db: Any
    project: str
    file: str
    name: str

    def try_all(self, tried: Sequence[Seam]) -> list[str]:
        """What did not hold."""
        with ThreadPoolExecutor(LANES) as pool:
            return [each for each in pool.map(self._tried, tried) if each]

    def _tried(self, seam: Seam) -> str:
        try:
            self.play(seam)
        except Exception as error:
            return f"save {seam.at}, {seam.way}: {type(error).__name__}: {error}"[:900]
        return ""

    def play(self, seam: Seam) -> None:
        """
        Raises:
            Broken: The process that stood still has saved something.
        """
        number = WAYS.index(seam.way) * len(SAVES) + SAVES.index(seam.at)
        uid, run_id = stage.PEOPLE[number], f"{self.name}-{number}"
        token = f"{run_id}-token"
        first = [("look_up", {"topic": "one"}), ("look_up", {"topic": "another"})]
        second = [("look_up", {"topic": "a third"}), ("count", {"token": token})]
        data = {"agent": "free", "runId": run_id, "message": stage.script(first, second)}
        job = Job("send", self.project, self.file, uid, data, Fault("stopped", at=seam.at))
        stands = Worker(job)
        if not stands.wait_until_stopped():
            raise Broken(f"it ended before its {seam.at}. commit: {stands.outcome()}")
        thread_id = thread_id_for(uid, run_id)
        _PASSING[seam.way](self, uid, thread_id, run_id)
        before = dict(below(self.db, f"threads/{thread_id}"))
        stands.go_on()
        outcome = stands.outcome()
        changed = differences(before, dict(below(self.db, f"threads/{thread_id}")))
        if changed:
            raise Broken(f"it has changed {changed}; it said {outcome.error or outcome.result}")
        self._check_rest(seam, thread_id, uid, token)

    def _check_rest(self, seam: Seam, thread_id: str, uid: str, token: str) -> None:
        happened = effects(self.db, "count", token)
        if happened > 1:
            raise Broken(f"the write happened {happened} times")
        if seam.way in ("deleted", "user erased", "cleared"):
            return
        examine(self.db, thread_id, uid)
        said = dict(statuses(self.db, thread_id)).get(token, "never asked for")
        allowed = {"done": {1}, "unknown": {0, 1}}.get(said, {0})
        if happened not in allowed:
            raise Broken(f"the write happened {happened} times; the log: {said}")

    # ---- What passes it by ----

    def _take_up(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        run(Job("task", self.project, self.file, uid, {"threadId": thread_id, "runId": run_id}))

    def _take_up_by_two(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        task = Job("task", self.project, self.file, uid, {"threadId": thread_id, "runId": run_id})
        both = [Worker(task), Worker(task)]
        for worker in both:
            worker.outcome()

    def _supersede(self, uid: str, thread_id: str, run_id: str) -> None:
        message = {"agent": "free", "threadId": thread_id, "message": stage.script()}
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
        erasure.erase_one_thread(stage.Stage(self.db), uid, thread_id, for_good=False)

    def _delete(self, uid: str, thread_id: str, run_id: str) -> None:
        self._expire(thread_id, run_id)
        erasure.erase_one_thread(stage.Stage(self.db), uid, thread_id, for_good=True)

    def _erase_user(self, uid: str, thread_id: str, run_id: str) -> None:
        erasure.erase_user(stage.Stage(self.db), uid, (), with_account=False)

    def _expire(self, thread_id: str, run_id: str) -> None:
        past = datetime.now(UTC) - timedelta(seconds=1)
        self.db.document(f"threads/{thread_id}/runs/{run_id}").update({"leaseUntil": past})


_PASSING: dict[str, Callable[[Seams, str, str, str], None]] = {
    "taken up": Seams._take_up,
    "taken up by two": Seams._take_up_by_two,
    "superseded": Seams._supersede,
    "stopped": Seams._stop,
    "cleared": Seams._clear,
    "deleted": Seams._delete,
    "user erased": Seams._erase_user,
}


def some(number: int, seed: int) -> list[Seam]:
    """So many of them by the dice, every way among them where there are as many."""
    dice = random.Random(seed)
    chosen = [Seam(dice.choice(SAVES), way) for way in WAYS]
    others = [each for each in seams() if each not in chosen]
    return [*chosen, *dice.sample(others, max(number - len(chosen), 0))][:number]


def below(db: Any, path: str) -> Iterator[tuple[str, Any]]:
    """A document and all that is below it, by path: when each was written."""
    document = db.document(path).get()
    if document.exists:
        yield path, document.update_time
    for collection in db.document(path).collections():
        for reference in collection.list_documents():
            yield from below(db, reference.path)


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The paths of documents that are not as they were."""
    paths = sorted(before.keys() | after.keys())
    return [path for path in paths if before.get(path) != after.get(path)]
