"""Scenarios: one thread of one user, run with faults in its worker processes, then examined."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from google.api_core.exceptions import FailedPrecondition

from rollcall.store.budgets import read_days
from rollcall.store.message_log import WINDOW_DOCUMENTS, read_calls, read_history, read_usage
from rollcall.store.runs import thread_id_for
from tests.chaos import deployment
from tests.chaos.worker import Fault, Job, Outcome, Worker
from tests.chaos.worker import run as work

Call = tuple[str, dict[str, Any]]
ROUNDS = 25
"""Recoveries after which a run counts as stuck; each may be killed as well."""


class Broken(Exception):
    """A guarantee did not hold."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a user asks for, and how interrupts are answered.

    Attributes:
        steps: The tools that each of the model's steps calls.
        says: The answers to interrupts, one after another: True, False, or None for a random
            one.
        by: "resume", "document", or "either".
    """

    name: str
    agent: str
    steps: tuple[tuple[str, ...], ...]
    says: tuple[bool | None, ...] = (None,)
    by: str = "either"


@dataclass
class ScenarioRun:
    """A scenario being run. `faults` has the faults of its workers, by their order.

    With the same dice the same workers come in the same order, until the first fault strikes.
    """

    db: Any
    project: str
    file: str
    scenario: Scenario
    name: str
    uid: str
    dice: random.Random
    faults: dict[int, Fault] = field(default_factory=dict)
    worse: float = 0.25
    """How likely a worker that recovers is struck as well."""
    struck: Counter[str] = field(default_factory=Counter)
    commits: list[int] = field(default_factory=list)
    """Of each worker so far."""
    tokens: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _answered: int = 0
    _acts: int = 0

    @property
    def thread_id(self) -> str:
        return thread_id_for(self.uid, self._run_id(0))

    def play(self) -> None:
        """Run the scenario to its end, then send a second message, then examine what is stored.

        Raises:
            Broken: A guarantee did not hold.
        """
        message = deployment.script(
            *([self._call(tool) for tool in step] for step in self.scenario.steps)
        )
        data = {"agent": self.scenario.agent, "runId": self._run_id(0), "message": message}
        self._act(self._job("send", data), lambda: self._run(self._run_id(0)) is not None)
        while waiting := self._thread().get("waiting"):
            self._answer(waiting)
            if self._acts > 20:
                raise Broken("the questions never end")
        more = {
            "agent": self.scenario.agent,
            "threadId": self.thread_id,
            "runId": self._run_id(self._acts),
            "message": deployment.script([("look_up", {"topic": "the rest"})], end="And on."),
        }
        outcome = work(self._job("send", more))
        if outcome.error or outcome.result["message"] != "And on.":
            raise Broken(f"the thread does not go on: {outcome.error or outcome.result}")
        examine(self.db, self.thread_id, self.uid)
        self._examine_effects()
        self._examine_accepted(message)

    # ---- Acts ----

    def _answer(self, waiting: dict[str, Any]) -> None:
        """Answer what waits, in one act or in several."""
        before = waiting["runId"]

        def moved_on() -> bool:
            return (self._thread().get("waiting") or {}).get("runId") != before

        if waiting["calls"]:
            results = [{"toolCallId": call, "content": {"is": "so"}} for call in waiting["calls"]]
            self._act(self._answer_job({"toolResults": results}), moved_on)
            return
        ids = [id for id in waiting["approvals"] if self._is_open(id)]
        checked = [id for id in ids if self._approval(id)["deciderUid"] is None]
        if checked:
            self._by_admin(checked[0], moved_on)
            return
        way = self.scenario.by if self.scenario.by != "either" else self.dice.choice(_WAYS)
        if way == "document":
            self._by_document(ids, moved_on)
            return
        entries = [
            {"interruptId": id, "status": "resolved", "payload": {"approved": self._yes()}}
            for id in ids
        ]
        self._act(self._answer_job({"resume": entries}), moved_on)

    def _answer_job(self, answer: dict[str, Any]) -> Job:
        data = {"agent": self.scenario.agent, "threadId": self.thread_id, **answer}
        if self.dice.random() < 0.7:
            data["runId"] = self._run_id(self._acts)
        return self._job("send", data)

    def _by_admin(self, id: str, moved_on: Callable[[], bool]) -> None:
        """Someone else's decision, through `run_agent` or in the document."""
        yes = self._yes()
        if self.dice.random() < 0.5:
            entry = {"interruptId": id, "status": "resolved", "payload": {"approved": yes}}
            data = {
                "agent": self.scenario.agent,
                "threadId": self.thread_id,
                "resume": [entry],
            }
            job = replace(self._job("send", data), uid=deployment.ADMIN)
        else:
            job = replace(
                self._job("decide", {"approvalId": id, "approved": yes}), uid=deployment.ADMIN
            )
        others = len(self._open_approvals()) > 1
        self._act(job, (lambda: not self._is_open(id)) if others else moved_on, retries=False)

    def _by_document(self, ids: list[str], moved_on: Callable[[], bool]) -> None:
        for id in ids:
            triggers = self.dice.random() < 0.6  # otherwise the trigger never comes
            data = {"approvalId": id, "approved": self._yes(), "triggers": triggers}

            def is_done(id: str = id, is_last: bool = id == ids[-1]) -> bool:
                return moved_on() if is_last else not self._is_open(id)

            self._act(self._job("decide", data), is_done, retries=False)

    def _act(self, job: Job, is_done: Callable[[], bool], *, retries: bool = True) -> None:
        """Have a worker do the job, and whatever it takes until it is done and all is quiet."""
        self._try(job)
        self._acts += 1
        for _ in range(ROUNDS):
            self._expire()
            if is_done() and not self._running():
                break
            accepted = is_done()
            if not accepted or self.dice.random() < 0.5:
                self._try(replace(job, fault=self._worse()))
                if not accepted and not retries:
                    self._sweep()
            else:
                self._sweep()
        else:
            raise Broken(f"stuck after {ROUNDS} recoveries in act {self._acts}: {job}")
        if retries:
            again = self._try(job)
            if self._was_struck(again):
                again = self._try(job)
            if again.result is None and not self._is_hurt(again.error or {}):
                raise Broken(f"the client asks again and gets {again.error}")

    def _try(self, job: Job) -> Outcome:
        fault = job.fault or self.faults.get(len(self.commits))
        worker = Worker(replace(job, fault=fault))
        if fault and fault.how == "moment":
            time.sleep(fault.after_s)
            worker.process.kill()
        elif fault and fault.how == "stopped" and worker.wait_until_stopped():
            self._expire()
            self._sweep()
            worker.go_on()
        try:
            outcome = worker.outcome()
        except TimeoutError as error:
            self.notes.append(f"{job.what} {fault or ''} hangs; the run: {self._states()}")
            raise Broken(str(error)) from error
        self.commits.append(outcome.commits)
        self._count(fault, outcome)
        self.notes.append(
            f"{job.what} {fault or ''} -> {outcome.error or ('died' if outcome.died else 'ok')}"
        )
        if outcome.error and outcome.error["code"] == "exception" and not _is_lost(fault, outcome):
            raise Broken(f"{job.what} broke with {outcome.error['message']} under {fault}")
        return outcome

    def _count(self, fault: Fault | None, outcome: Outcome) -> None:
        if fault and (outcome.died or not fault.kills):
            self.struck[fault.how] += 1

    def _worse(self) -> Fault | None:
        if self.dice.random() > self.worse:
            return None
        how = self.dice.choice(("before", "after", "between", "twice"))
        return Fault(how, self.dice.randint(1, 8), self.dice.random() * 0.004)

    def _sweep(self) -> None:
        """The sweeper, and then all that the queue holds for this thread, some of it twice."""
        refuses = self.dice.random() < 0.2
        self._try(self._job("sweep", {"refusesTasks": refuses}, fault=self._worse()))
        tasks = _where(self.db.collection(deployment.TASKS), "data.threadId", self.thread_id)
        for task in list(tasks.stream()):
            for _ in range(self.dice.choice((1, 1, 2))):
                outcome = self._try(
                    self._job("task", (task.to_dict() or {})["data"], fault=self._worse())
                )
            if not outcome.died:
                task.reference.delete()

    def _expire(self) -> None:
        """Let the time of every lease be over: whoever held one is dead."""
        past = datetime.now(UTC) - timedelta(seconds=1)
        for run in self._running():
            # Another run's sweep may be on it.
            option = self.db.write_option(last_update_time=run.update_time)
            with contextlib.suppress(FailedPrecondition):
                run.reference.update({"leaseUntil": past}, option=option)

    # ---- What there is ----

    def _job(self, what: str, data: dict[str, Any], fault: Fault | None = None) -> Job:
        return Job(what, self.project, self.file, self.uid, data, fault)

    def _run_id(self, number: int) -> str:
        return f"{self.name}-r{number}"

    def _call(self, tool: str) -> Call:
        if tool == "look_up":
            return tool, {"topic": "this"}
        if tool == "ask_device":
            return tool, {"what": "that"}
        token = f"{self.name}-t{len(self.tokens)}"
        self.tokens.append((tool, token))
        return tool, {"token": token}

    def _yes(self) -> bool:
        says = self.scenario.says[self._answered % len(self.scenario.says)]
        self._answered += 1
        return self.dice.random() < 0.7 if says is None else says

    def _thread(self) -> dict[str, Any]:
        return self.db.document(f"threads/{self.thread_id}").get().to_dict() or {}

    def _run_reference(self, run_id: str) -> Any:
        return self.db.document(f"threads/{self.thread_id}/runs/{run_id}")

    def _run(self, run_id: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._run_reference(run_id).get().to_dict()
        return found

    def _running(self) -> list[Any]:
        runs = self.db.collection(f"threads/{self.thread_id}/runs")
        return list(_where(runs, "status", "running").stream())

    def _states(self) -> list[Any]:
        """Where the runs and the thread's lease are, for a report."""
        runs = self.db.collection(f"threads/{self.thread_id}/runs").stream()
        keys = ("status", "leaseUntil", "attempt", "token")
        found = [[run.id, *((run.to_dict() or {})[key] for key in keys)] for run in runs]
        return [*found, self._thread().get("lease")]

    def _approval(self, id: str) -> dict[str, Any]:
        return self.db.document(f"approvals/{id}").get().to_dict() or {}

    def _is_open(self, id: str) -> bool:
        found = self._approval(id)
        return found["status"] == "pending" and found["decision"] is None

    def _open_approvals(self) -> list[str]:
        waiting = self._thread().get("waiting") or {}
        return [id for id in waiting.get("approvals", ()) if self._is_open(id)]

    # ---- What must be so ----

    def _examine_effects(self) -> None:
        """Each write happened as often as the log says."""
        said = dict(statuses(self.db, self.thread_id))
        for tool, token in self.tokens:
            happened = effects(self.db, tool, token)
            status = said.get(token, "never asked for")
            if token not in said and not self._is_hurt({"code": "unavailable"}):
                raise Broken(f"the log does not know the call {tool} {token}")
            allowed = {"done": {1}, "unknown": {0, 1}}.get(status, {0})
            if self.struck["stopped"] and tool == "write_line":
                # One that stood still between its claim and its append does it after others have
                # looked and found nothing. Only an atomic write can be kept from that.
                allowed = {0, 1}
            if happened not in allowed:
                raise Broken(f"{tool} {token} happened {happened} times; the log: {status}")

    def _was_struck(self, outcome: Outcome) -> bool:
        """Whether the last worker got no answer for what the harness did to it."""
        fault = self.faults.get(len(self.commits) - 1)
        left = fault is not None and fault.how == "left"
        lost = "the harness lost" in str((outcome.error or {}).get("message"))
        return outcome.died or left or lost

    def _is_hurt(self, error: dict[str, Any]) -> bool:
        """Whether a run ended early because the database failed, and said so."""
        failed = self.struck["refused"] + self.struck["unanswered"]
        return bool(failed) and error.get("code") == "unavailable"

    def _examine_accepted(self, message: str) -> None:
        documents = log_of(self.db, self.thread_id)
        texts = [d["parts"][0]["text"] for d in documents if d["role"] == "user"]
        if texts.count(message) != 1:
            raise Broken(f"the message is in the log {texts.count(message)} times")
        for run in self.db.collection(f"threads/{self.thread_id}/runs").stream():
            data = run.to_dict() or {}
            if self._is_hurt(data.get("error") or {}):
                continue
            if data["status"] != "done" and data["attempt"] <= 5:
                raise Broken(f"run {run.id} ended as {data['status']}: {data.get('error')}")


_WAYS = ("resume", "document")


def _where(collection: Any, field: str, value: Any) -> Any:
    from google.cloud.firestore import FieldFilter

    return collection.where(filter=FieldFilter(field, "==", value))


def _is_lost(fault: Fault | None, outcome: Outcome) -> bool:
    """Whether the error is just the database failure that the harness made."""
    made = fault is not None and fault.how in {"refused", "unanswered"}
    return made and "the harness lost" in str((outcome.error or {})["message"])


def examine(db: Any, thread_id: str, uid: str) -> None:
    """What must be so of any thread that is at rest.

    Raises:
        Broken: It is not.
    """
    thread = db.document(f"threads/{thread_id}").get().to_dict() or {}
    if thread["waiting"] is not None:
        raise Broken(f"the thread is not at rest: {thread['waiting']}")
    documents = log_of(db, thread_id)
    if [document["n"] for document in documents] != list(range(len(documents))):
        raise Broken(f"the log has gaps: {[document['n'] for document in documents]}")
    _examine_view(db, thread_id, thread, [document["n"] for document in documents])
    history = read_history(documents)
    if history[-1].role == "model":
        history = history[:-1]
    try:
        deployment.check_valid(history)
    except ValueError as error:
        raise Broken(str(error)) from error
    for run in db.collection(f"threads/{thread_id}/runs").stream():
        _examine_run(run, run.to_dict() or {}, documents)
    approvals = _where(db.collection("approvals"), "threadId", thread_id).stream()
    for approval in approvals:
        if (approval.to_dict() or {})["status"] == "pending":
            raise Broken(f"approval {approval.id} is left pending")


def examine_spending(db: Any) -> None:
    """What must be so of what the users spent, when nobody is at work any more: the days count at
    least what the log says of each turn, and wait for no run.

    Raises:
        Broken: It is not.
    """
    turns: dict[tuple[str, str], int] = {}
    for thread in db.collection("threads").stream():
        for document in log_of(db, thread.id):
            turn = (document["uid"], document["turnId"])
            turns[turn] = max(turns.get(turn, 0), read_usage(document).tokens)
    said: Counter[str] = Counter()
    for (uid, _), tokens in turns.items():
        said[uid] += tokens
    later = datetime.now(UTC) + timedelta(hours=1)  # after the longest call
    for uid, tokens in said.items():
        since = later.date() - timedelta(days=2)
        days = read_days(db, uid, since=since, until=later.date(), now=later)
        counted = sum(day.spent.tokens for day in days)
        if counted < tokens or any(day.reservations for day in days):
            raise Broken(f"{uid} spent {tokens} tokens by the log, and {counted} by {days}")


def _examine_view(db: Any, thread_id: str, thread: dict[str, Any], numbers: list[int]) -> None:
    view = db.document(f"threads/{thread_id}/views/window").get().to_dict()
    if view is None and thread["lease"] is None:
        return  # the last run was stopped where nobody was on it; the log tells all
    if view is None or view["token"] != thread["leaseToken"]:
        raise Broken(f"the view is {view}, the lease's token {thread['leaseToken']}")
    if view["nextMessage"] != len(numbers):
        raise Broken(f"{len(numbers)} documents, and the next one is {view['nextMessage']}")
    kept = json.loads(view["log"])
    turn = [each["n"] for each in kept if each["turnId"] == view["turnId"]]
    if [each["n"] for each in kept] != numbers[-WINDOW_DOCUMENTS - len(turn) :]:
        raise Broken(f"the view holds {[each['n'] for each in kept]}")


def _examine_run(run: Any, data: dict[str, Any], documents: list[dict[str, Any]]) -> None:
    if data["status"] == "running" or data["leaseUntil"] is not None:
        raise Broken(f"run {run.id} has not ended: {data['status']}")
    if data["status"] == "done" and not data.get("result"):
        raise Broken(f"run {run.id} is done without a result")
    blank = [
        each.id for each in run.reference.collection("events").stream() if not _is_written(each)
    ]
    if blank:
        raise Broken(f"run {run.id} has ended, and pages of it lie open: {blank}")
    stored = [each.to_dict() for each in run.reference.collection("events").order_by("n").stream()]
    if [each["n"] for each in stored] != list(range(len(stored))):
        raise Broken(f"run {run.id}: event documents {[each['n'] for each in stored]}")
    first, attempt, kinds = 0, 1, []
    for each in stored:
        events = json.loads(each["events"])
        numbers = [event["metadata"]["n"] for event in events]
        if each["first"] != first or numbers != list(range(first, first + each["count"])):
            raise Broken(f"run {run.id}: events {numbers} in a document of {each['first']}")
        if each["attempt"] < attempt:
            raise Broken(f"run {run.id}: a dead try has written after its successor")
        first, attempt = first + each["count"], each["attempt"]
        kinds += [event["type"] for event in events]
    ends = [kind for kind in kinds if kind in ("RUN_FINISHED", "RUN_ERROR")]
    if data["status"] == "done" and (ends != ["RUN_FINISHED"] or kinds[-1] != "RUN_FINISHED"):
        raise Broken(f"run {run.id} is done, and its events end with {kinds[-2:]}, {ends}")
    if kinds.count("RUN_STARTED") > 1:
        raise Broken(f"run {run.id} started {kinds.count('RUN_STARTED')} times")


def _is_written(page: Any) -> bool:
    return "n" in (page.to_dict() or {})


def log_of(db: Any, thread_id: str) -> list[dict[str, Any]]:
    found = db.collection(f"threads/{thread_id}/messages").order_by("n").stream()
    return [each.to_dict() or {} for each in found]


def statuses(db: Any, thread_id: str) -> Iterator[tuple[str, str]]:
    """What the log says of each write: its token, and "done", "unknown" or another status."""
    for document in log_of(db, thread_id):
        if document["role"] == "user":
            continue
        for place, call in enumerate(read_calls(document)):
            token = (call.arguments or {}).get("token") or (call.arguments or {}).get("content")
            if token:
                yield token, _status(document["results"].get(str(place)))


def _status(result: dict[str, Any] | None) -> str:
    if result is None:
        return "cut off"
    if result["record"]:
        found: str = json.loads(result["record"])["status"]
        return found
    content = json.loads(result["content"])
    return "done" if "output" in content else str(content["error"]["code"])


def effects(db: Any, tool: str, token: str) -> int:
    """How often a write happened, looked up where it leaves its trace."""
    if tool.startswith("count"):
        return int((db.document(f"counters/{token}").get().to_dict() or {}).get("n", 0))
    if tool == "post":
        return sum(1 for _ in _where(db.collection("posts"), "token", token).stream())
    return sum(line.startswith(f"{token} ") for line in deployment.lines())
