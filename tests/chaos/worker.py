"""A process that does one job and may be killed at any of its writes to Firestore.

Workers are forked from a server that has imported everything and never spoken to Firestore: gRPC
does not survive a fork. They are killed by signal 9, which they send themselves at the commit that
the job names, or which the harness sends at a random moment.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import google.cloud.firestore_v1.services.firestore as firestore_service
from google.api_core.exceptions import ServiceUnavailable

from rollcall.agent import continuation
from rollcall.core.context import Call
from rollcall.core.errors import AgentError
from rollcall.endpoints.cancel_run import cancel_run
from rollcall.endpoints.continuation import approval_written, continuerun, sweep
from rollcall.endpoints.run_agent import run_agent
from tests.chaos import deployment

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 90.0
"""A worker that is not done by then counts as hung."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a worker at its `at`-th commit (from 1), or `after_s` seconds after its start.

    `how` is one of

        before        killed; the commit was not sent
        after         killed; the commit was applied, and its answer is lost
        between       killed a moment later, before the next commit
        moment        killed after `after_s`
        stopped       stopped like a process that got no CPU time, before the commit is sent
        twice         the commit is applied and its answer lost: the client sends it again
        unanswered    the commit is applied and reported as failed
        refused       the commit is not applied and reported as failed
        left          the client leaves: the stream is closed after `at` events
    """

    how: str
    at: int = 0
    after_s: float = 0.0

    @property
    def kills(self) -> bool:
        return self.how in {"before", "after", "between", "moment"}


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker does: `what` names one of `WORK`, `data` is its argument."""

    what: str
    project: str
    file: str
    uid: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    fault: Fault | None = None
    starts_at: float = 0.0
    """Wall-clock time to wait for, so that many begin at once."""
    threads: int = 1
    """How many times the job is done at once in this process."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a worker said in the end; `died` if it said nothing."""

    result: Any = None
    error: dict[str, Any] | None = None
    events: tuple[dict[str, Any], ...] = ()
    commits: int = 0
    died: bool = False


class Worker:
    """A worker that was started. `outcome()` waits for its end."""

    def __init__(self, job: Job) -> None:
        _server()
        self._receiver, sender = _context().Pipe(duplex=False)
        self.process: ForkServerProcess = _context().Process(
            target=_main, args=(job, sender), daemon=True
        )
        self.process.start()
        sender.close()

    def outcomes(self, patience_s: float = TIMEOUT_S) -> list[Outcome]:
        """What each of its threads came to.

        Raises:
            TimeoutError: It hangs.
        """
        said: list[Outcome] = [Outcome(died=True)]
        if not self._receiver.poll(patience_s):
            self.process.kill()
            raise TimeoutError("a worker hangs")
        with contextlib.suppress(EOFError):
            said = self._receiver.recv()
        self._receiver.close()
        self.process.join(TIMEOUT_S)
        return said

    def outcome(self) -> Outcome:
        return self.outcomes()[0]

    def wait_until_stopped(self) -> bool:
        """Whether it stopped itself; False if it ended before it came to that."""
        ends = time.monotonic() + TIMEOUT_S
        while time.monotonic() < ends:
            if self._receiver.poll(0):
                return False
            try:
                state = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2][0]
            except FileNotFoundError:
                return False
            if state == "T":
                return True
            time.sleep(0.005)
        raise TimeoutError("a worker neither stops nor ends")

    def go_on(self) -> None:
        os.kill(self.process.pid or 0, signal.SIGCONT)


def run(job: Job) -> Outcome:
    """Do a job in a worker of its own."""
    return Worker(job).outcome()


def _context() -> Any:
    return multiprocessing.get_context("forkserver")


_is_started = False


def _server() -> None:
    """Prepare the server that forks workers. It inherits the environment as it is now."""
    global _is_started
    if not _is_started:
        paths = [str(ROOT), str(ROOT / "functions")]
        os.environ["PYTHONPATH"] = os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])
        _context().set_forkserver_preload(["tests.chaos.worker_imports"])
        _is_started = True


def _main(job: Job, sender: Connection) -> None:
    """Do the job in this process, of which nobody will hear if it is killed."""
    logging.disable(logging.CRITICAL)
    faulthandler.dump_traceback_later(TIMEOUT_S - 10)  # one that hangs says where
    os.environ[deployment.FILE] = job.file
    os.environ["OTEL_SDK_DISABLED"] = "true"
    continuation.POLL_S = 0.05
    deployment.install()
    counter = _Counter(job.fault)
    counter.install()
    client = _client(job.project)
    platform = deployment.WorkerPlatform(client, refuses_tasks=bool(job.data.get("refusesTasks")))
    time.sleep(max(job.starts_at - time.time(), 0))
    if job.threads == 1:
        outcomes = [_do(job, platform, counter)]
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(job.threads) as pool:
            done = [pool.submit(_do, job, platform, counter, n) for n in range(job.threads)]
            outcomes = [each.result() for each in done]
    sender.send(outcomes)
    sender.close()
    os._exit(0)  # quickly: nothing of a worker is needed any more


def _client(project: str) -> Any:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.firestore import Client

    return Client(project=project, credentials=AnonymousCredentials())


def _do(
    job: Job, platform: deployment.WorkerPlatform, counter: _Counter, number: int = 0
) -> Outcome:
    events: list[dict[str, Any]] = []
    result, error = None, None
    try:
        result = WORK[job.what](platform, job, events, number)
    except AgentError as failed:
        error = {"message": failed.message, **failed.details}
    except Exception as failed:
        error = {"code": "exception", "message": f"{type(failed).__name__}: {failed}"[:400]}
    return Outcome(result, error, tuple(events), counter.commits)


def _send(
    platform: deployment.WorkerPlatform, job: Job, events: list[dict[str, Any]], number: int
) -> Any:
    """One `run_agent` request; `{n}` in its run id and message is the thread's number."""
    data = {key: value for key, value in job.data.items() if key != "refusesTasks"}
    variants = data.pop("variants", None)
    if variants:
        data |= variants[number % len(variants)]
    stream = run_agent(platform, Call(user=deployment.user(job.uid), data=data))
    leaves_at = job.fault.at if job.fault and job.fault.how == "left" else 0
    while True:
        try:
            event = next(stream)
        except StopIteration as end:
            return end.value
        if event is not None:
            events.append(event)
        if leaves_at and len(events) >= leaves_at:
            stream.close()
            return None


def _task(
    platform: deployment.WorkerPlatform, job: Job, events: list[dict[str, Any]], number: int
) -> None:
    continuerun(platform, job.data)


def _sweep(
    platform: deployment.WorkerPlatform, job: Job, events: list[dict[str, Any]], number: int
) -> int:
    """The sweeper, as of a minute from now: a decision counts as missed only after a while."""
    return sweep(platform, now=datetime.now(UTC) + timedelta(seconds=job.data.get("ahead", 60)))


def _cancel(
    platform: deployment.WorkerPlatform, job: Job, events: list[dict[str, Any]], number: int
) -> Any:
    return cancel_run(platform, Call(user=deployment.user(job.uid), data=job.data))


def _decide(
    platform: deployment.WorkerPlatform, job: Job, events: list[dict[str, Any]], number: int
) -> Any:
    """Write a decision as a client does, and run the trigger of that write."""
    from google.cloud.firestore import SERVER_TIMESTAMP

    from rollcall.core.triggers import DocumentEvent

    reference = platform.db.document(f"approvals/{job.data['approvalId']}")
    before = reference.get()
    data = before.to_dict() or {}
    if data["status"] != "pending" or data["decision"] is not None:
        return "refused"  # as the rules would
    approved = job.data["approved"]
    approved = approved[number % len(approved)] if isinstance(approved, list) else approved
    decision = {"approved": approved, "by": job.uid, "at": SERVER_TIMESTAMP}
    option = platform.db.write_option(last_update_time=before.update_time)
    try:
        reference.update({"decision": decision}, option=option)
    except Exception as error:
        if "precondition" in type(error).__name__.lower():
            return "refused"
        raise
    if job.data.get("triggers", True):
        after = reference.get().to_dict()
        params = {"approvalId": job.data["approvalId"]}
        approval_written(platform, DocumentEvent(params, data, after))
    return "approved" if approved else "rejected"


Work = Callable[[deployment.WorkerPlatform, Job, list[dict[str, Any]], int], Any]
WORK: dict[str, Work] = {
    "send": _send,
    "task": _task,
    "sweep": _sweep,
    "cancel": _cancel,
    "decide": _decide,
}


class _Counter:
    """Counts the process's commits, and has the job's fault happen at one of them."""

    def __init__(self, fault: Fault | None) -> None:
        self.commits = 0
        self._fault = fault

    def install(self) -> None:
        """Stand between the client library and the network."""
        kind = firestore_service.FirestoreClient
        commit = kind.commit

        def counted(client: Any, *args: Any, **more: Any) -> Any:
            self.commits += 1
            fault = self._fault
            if fault is None or fault.at != self.commits:
                return commit(client, *args, **more)
            with self._struck(fault):
                if fault.how == "refused":
                    raise ServiceUnavailable("the harness lost this commit")
                answer = commit(client, *args, **more)
                if fault.how == "twice":
                    answer = commit(client, *args, **more)
                if fault.how == "unanswered":
                    raise ServiceUnavailable("the harness lost the answer to this commit")
                return answer

        vars(kind)  # a class of the library: patched in this process only, which ends soon
        type.__setattr__(kind, "commit", counted)

    @contextlib.contextmanager
    def _struck(self, fault: Fault) -> Iterator[None]:
        if fault.how == "before":
            _die()
        if fault.how == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        yield
        if fault.how == "after":
            _die()
        if fault.how == "between":
            from threading import Timer

            Timer(fault.after_s, _die).start()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
