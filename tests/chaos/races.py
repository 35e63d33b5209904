"""Races for one thread, from threads of several processes: exactly one caller succeeds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from rollcall.store.runs import thread_id_for
from tests.chaos import deployment
from tests.chaos.scenario import Broken, effects, examine, log_of, statuses
from tests.chaos.worker import Job, Outcome, Worker, run

PROCESSES = 4
REFUSALS = {"aborted", "failed-precondition", "already-exists"}
"""The codes that a caller who comes too late may get."""
_LOOK = [("look_up", {"topic": "it"})]


@dataclass
class Races:
    """Races of `callers` at once on threads of their own."""

    db: Any
    project: str
    file: str
    name: str
    callers: int = 50

    def all(self) -> dict[str, Callable[[], str]]:
        """The races by their names; each returns its result in words, or raises `Broken`."""
        return {
            "one run id, sent by all": self.same_run_id,
            "one run id, in a thread that is there": self.same_run_id_again,
            "other run ids; reject": self.reject,
            "other run ids; supersede": self.supersede,
            "yes and no, by resume": self.resume,
            "yes and no, by resume and in the document": self.decide,
            "a dead run, found by all": self.recover,
            "a yes, a new message, a stop": self.against_messages,
            "a client's results, sent by all": self.client_results,
        }

    # ---- Races ----

    def same_run_id(self) -> str:
        """One message that all send is stored once, and all get its one answer."""
        data = self._message("same", [[("count", {"token": self._token("same")})]], agent="free")
        outcomes = self._race("same", Job("send", self.project, self.file, "user1", data))
        thread_id = thread_id_for("user1", data["runId"])
        self._one_result(outcomes)
        self._check(thread_id, "user1", messages=1)
        self._effect("once", "count", self._token("same"), {1})
        return f"1 run, {len(outcomes)} same results"

    def same_run_id_again(self) -> str:
        thread_id = self._opened("again", "user2")
        data = {
            **self._message("again2", [[("write_line", {"token": self._token("again")})]], "free"),
            "threadId": thread_id,
        }
        outcomes = self._race("again", Job("send", self.project, self.file, "user2", data))
        self._one_result(outcomes)
        self._check(thread_id, "user2", messages=2)
        self._effect("once", "write_line", self._token("again"), {1})
        return f"1 run, {len(outcomes)} same results"

    def reject(self) -> str:
        return self._many("reject", "user3")

    def supersede(self) -> str:
        return self._many("supersede", "user4")

    def _many(self, when_busy: str, uid: str) -> str:
        """Each of the messages sent at once is accepted or refused as a whole."""
        thread_id = self._opened(when_busy, uid)
        variants = [
            {"runId": f"{self.name}-{when_busy}-{n}", "whenBusy": when_busy}
            for n in range(-(-self.callers // PROCESSES))
        ]
        data = {"agent": "free", "threadId": thread_id, "message": deployment.script(_LOOK)}
        jobs = [
            Job(
                "send",
                self.project,
                self.file,
                uid,
                {**data, "variants": [{**v, "runId": f"{v['runId']}-{p}"} for v in variants]},
            )
            for p in range(PROCESSES)
        ]
        outcomes = self._race(when_busy, *jobs)
        won = [outcome for outcome in outcomes if outcome.result]
        runs = [each.to_dict() or {} for each in self._runs(thread_id)]
        refused = {"aborted"}
        self._only(outcomes, refused)
        if not won:
            raise Broken("none of them was answered")
        if sum(run["status"] == "done" for run in runs) != len(won) + 1:
            raise Broken(f"{len(won)} were answered, {[run['status'] for run in runs]}")
        self._check(thread_id, uid, messages=len(runs))
        return (
            f"{len(won)} answered, {len(outcomes) - len(won)} refused, {len(runs) - 1} in the log"
        )

    def resume(self) -> str:
        return self._decide("resumed", "user5", documents=0)

    def decide(self) -> str:
        return self._decide("decided", "user6", documents=self.callers // 2)

    def _decide(self, name: str, uid: str, *, documents: int) -> str:
        """One decision counts, and the write follows it."""
        token = self._token(name)
        thread_id, waiting = self._waiting(name, uid, [("count", {"token": token})])
        approval = waiting["approvals"][0]
        variants = [{"resume": [_entry(approval, approved=n % 2 == 0)]} for n in range(2)]
        data = {"agent": "asking", "threadId": thread_id, "variants": variants}
        jobs = [Job("send", self.project, self.file, uid, data)]
        if documents:
            decision = {"approvalId": approval, "approved": [True, False]}
            jobs.append(Job("decide", self.project, self.file, uid, decision))
        outcomes = self._race(name, *jobs)
        self._run_queue(thread_id)
        self._only(outcomes, REFUSALS)
        runs = [each for each in self._runs(thread_id) if (each.to_dict() or {})["continues"]]
        if len(runs) != 1:
            raise Broken(f"{len(runs)} runs continue the one that waited")
        stored = self.db.document(f"approvals/{approval}").get().to_dict() or {}
        approved = stored["decision"]["approved"]
        if stored["status"] != ("approved" if approved else "rejected"):
            raise Broken(f"decided {stored['decision']}, and it is {stored['status']}")
        self._check(thread_id, uid, messages=1)
        self._effect(f"approved: {approved}", "count", token, {1} if approved else {0})
        results = {json.dumps(each.result, sort_keys=True) for each in _resumed(outcomes)}
        if len(results) > 1:
            raise Broken(f"the winners were told {len(results)} different things")
        return f"1 {'yes' if approved else 'no'}, 1 continuation of {len(outcomes)} tries"

    def recover(self) -> str:
        """Of those who find a dead run, one goes on with it."""
        from tests.chaos.worker import Fault

        token = self._token("dead")
        data = self._message("dead", [[("write_line", {"token": token})]], agent="free")
        # After the append, before its note: the write has happened, and the ledger cannot tell.
        run(Job("send", self.project, self.file, "user7", data, Fault("before", 4)))
        thread_id = thread_id_for("user7", data["runId"])
        past = datetime.now(UTC) - timedelta(seconds=1)
        self.db.document(f"threads/{thread_id}/runs/{data['runId']}").update({"leaseUntil": past})
        task = {"threadId": thread_id, "runId": data["runId"]}
        outcomes = self._race(
            "dead",
            Job("send", self.project, self.file, "user7", data),
            Job("task", self.project, self.file, "user7", task),
            Job("sweep", self.project, self.file, "user7", {"refusesTasks": True}),
        )
        self._run_queue(thread_id)
        self._only(outcomes, REFUSALS)
        self._check(thread_id, "user7", messages=1)
        taken = self.db.document(f"threads/{thread_id}/runs/{data['runId']}").get().to_dict()
        if taken["attempt"] != 2:
            raise Broken(f"it was taken up {taken['attempt'] - 1} times")
        self._effect("once", "write_line", token, {0, 1})
        return f"taken up once by {len(outcomes)}"

    def against_messages(self) -> str:
        """A decision, a message that supersedes and a cancellation: the log says what happened."""
        token = self._token("mixed")
        thread_id, waiting = self._waiting("mixed", "user8", [("count", {"token": token})])
        approval = waiting["approvals"][0]
        message = {
            "agent": "asking",
            "threadId": thread_id,
            "message": deployment.script(_LOOK),
            "whenBusy": "supersede",
        }
        variants = [{"runId": f"{self.name}-mixed-{n}"} for n in range(self.callers)]
        resume = {"agent": "asking", "threadId": thread_id, "resume": [_entry(approval, True)]}
        stop = {"threadId": thread_id, "runId": waiting["runId"]}
        outcomes = self._race(
            "mixed",
            Job("send", self.project, self.file, "user8", {**message, "variants": variants}),
            Job("send", self.project, self.file, "user8", resume),
            Job("cancel", self.project, self.file, "user8", stop),
            Job(
                "decide",
                self.project,
                self.file,
                "user8",
                {"approvalId": approval, "approved": True},
            ),
        )
        self._run_queue(thread_id)
        self._only(outcomes, REFUSALS)
        runs = [(each.to_dict() or {}) for each in self._runs(thread_id)]
        self._check(thread_id, "user8", messages=sum(not run["continues"] for run in runs))
        said = dict(statuses(self.db, thread_id))[token]
        allowed = {"done": {1}, "unknown": {0, 1}}.get(said, {0})
        self._effect(f"the log says {said}", "count", token, allowed)
        return f"the write: {said}; {len(runs)} runs of {len(outcomes)} tries"

    def client_results(self) -> str:
        """The client's results count once."""
        thread_id, waiting = self._waiting("client", "user9", [("ask_device", {"what": "it"})])
        results = [{"toolCallId": waiting["calls"][0], "content": {"is": "so"}}]
        data = {"agent": "asking", "threadId": thread_id, "toolResults": results}
        outcomes = self._race("client", Job("send", self.project, self.file, "user9", data))
        self._only(outcomes, REFUSALS)
        runs = list(self._runs(thread_id))
        if len(runs) != 2:
            raise Broken(f"{len(runs) - 1} runs continue the one that waited")
        self._check(thread_id, "user9", messages=1)
        return f"1 continuation of {len(outcomes)} tries"

    # ---- What they are made of ----

    def _race(self, name: str, *jobs: Job) -> list[Outcome]:
        """Have `callers` of these jobs done at one moment, in several processes."""
        from dataclasses import replace

        count = max(PROCESSES, len(jobs))
        starts_at = time.time() + 0.6
        workers = [
            Worker(
                replace(
                    jobs[n % len(jobs)],
                    starts_at=starts_at,
                    threads=max(self.callers // count + (n < self.callers % count), 2),
                )
            )
            for n in range(count)
        ]
        outcomes = [each for worker in workers for each in worker.outcomes()]
        broke = [each.error for each in outcomes if (each.error or {}).get("code") == "exception"]
        if broke:
            raise Broken(f"{len(broke)} broke, such as {broke[0]}")
        if any(each.died for each in outcomes):
            raise Broken("a process died by itself")
        return outcomes

    def _message(self, name: str, steps: list[Any], agent: str = "asking") -> dict[str, Any]:
        return {
            "agent": agent,
            "runId": f"{self.name}-{name}",
            "message": deployment.script(*steps),
            "clientTools": ["ask_device"],
        }

    def _opened(self, name: str, uid: str) -> str:
        data = self._message(f"{name}-open", [], agent="free")
        found: str = self._sent(uid, data)["threadId"]
        return found

    def _waiting(self, name: str, uid: str, calls: list[Any]) -> tuple[str, dict[str, Any]]:
        thread_id = self._sent(uid, self._message(name, [calls]))["threadId"]
        thread = self.db.document(f"threads/{thread_id}").get().to_dict() or {}
        return thread_id, thread["waiting"]

    def _sent(self, uid: str, data: dict[str, Any]) -> dict[str, Any]:
        outcome = run(Job("send", self.project, self.file, uid, data))
        if outcome.result is None:
            raise Broken(f"not even one gets through: {outcome.error}")
        result: dict[str, Any] = outcome.result
        return result

    def _run_queue(self, thread_id: str) -> None:
        """Work off what the queue was given."""
        for task in list(self.db.collection(deployment.TASKS).stream()):
            data = (task.to_dict() or {})["data"]
            if data.get("threadId") == thread_id:  # an erasure has another kind of task
                run(Job("task", self.project, self.file, "", data))
                task.reference.delete()

    def _token(self, name: str) -> str:
        return f"{self.name}-{name}-token"

    def _runs(self, thread_id: str) -> Any:
        return self.db.collection(f"threads/{thread_id}/runs").stream()

    # ---- What must be so ----

    def _one_result(self, outcomes: list[Outcome]) -> None:
        self._only(outcomes, set())
        told = {json.dumps(each.result, sort_keys=True) for each in outcomes}
        if len(told) != 1:
            raise Broken(f"{len(told)} different results for one run id")

    def _only(self, outcomes: list[Outcome], codes: set[str]) -> None:
        errors = [each.error for each in outcomes if each.error]
        wrong = [error for error in errors if error["code"] not in codes]
        if wrong:
            raise Broken(f"{len(wrong)} of {len(outcomes)} were refused with {wrong[0]}")

    def _check(self, thread_id: str, uid: str, *, messages: int) -> None:
        examine(self.db, thread_id, uid)
        documents = log_of(self.db, thread_id)
        found = sum(document["role"] == "user" for document in documents)
        if found != messages:
            raise Broken(f"{found} messages in the log, {messages} were accepted")
        more = {
            "agent": (self.db.document(f"threads/{thread_id}").get().to_dict() or {})["agent"],
            "threadId": thread_id,
            "message": deployment.script(_LOOK),
        }
        self._sent(uid, more)

    def _effect(self, what: str, tool: str, token: str, allowed: set[int]) -> None:
        happened = effects(self.db, tool, token)
        if happened not in allowed:
            raise Broken(f"{tool} happened {happened} times, not {allowed}: {what}")


def _entry(approval: str, approved: bool) -> dict[str, Any]:
    payload = {"approved": approved}
    return {"interruptId": approval, "status": "resolved", "payload": payload}


def _resumed(outcomes: list[Outcome]) -> list[Outcome]:
    return [each for each in outcomes if isinstance(each.result, dict)]
