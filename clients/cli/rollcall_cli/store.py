"""The user's documents in Firestore: threads, their logs, runs and events, approvals."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rollcall_cli.deployment import Deployment
from rollcall_cli.firestore import Firestore
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.wording import error_text

Event = dict[str, Any]
Result = dict[str, Any]

LAST = ("RUN_FINISHED", "RUN_ERROR")
"""The types of a run's last event."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_FOLLOW_S = 30.0
_POLL_S = 0.15


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread. `waiting` is what its newest run waits for, if anything."""

    id: str
    agent: str
    title: str
    updated_at: str
    waiting: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """The thread as JSON, for programs."""
        about = {"id": self.id, "agent": self.agent, "title": self.title}
        return {**about, "updatedAt": self.updated_at, "waits": self.waiting is not None}


class Store:
    """The documents of one user.

    Every method raises `CallError` if the rules refuse, or Firestore cannot be reached.
    """

    def __init__(self, deployment: Deployment, user: User) -> None:
        self._firestore = Firestore(deployment, user)
        self._deployment = deployment
        self._uid = user.uid
        self._process = uuid.uuid4().hex

    def threads(self, *, limit: int) -> list[Thread]:
        """The newest threads first."""
        path = self._deployment.path("threads")
        found = self._firestore.query(path, order_by="updatedAt", descending=True, limit=limit)
        return [_thread(id, data) for id, data in found]

    def thread(self, thread_id: str) -> Thread:
        """One thread.

        Raises:
            CallError: "not-found", also for a thread of another user.
        """
        path = self._deployment.path("threads", thread_id)
        data = self._own(path) if _ID.fullmatch(thread_id) else None
        if data is None:
            hint = {"hint": error_text("no_thread.hint")}
            raise CallError("not-found", error_text("no_thread", id=repr(thread_id)), hint)
        return _thread(thread_id, data)

    def rename(self, thread_id: str, title: str) -> None:
        """Give a thread another title."""
        self._firestore.update(self._deployment.path("threads", thread_id), {"title": title})

    def take_calls(self, thread_id: str, run_id: str) -> bool:
        """Claim the pending calls of a run before running them. False if another process has
        claimed them, or nothing waits any more."""
        taken_by = {"runId": run_id, "place": self._process}
        path, fields = (
            self._deployment.path("threads", thread_id),
            {"waiting": {"takenBy": taken_by}},
        )
        try:
            self._firestore.update(path, fields, mask=["waiting.takenBy"])
        except CallError as error:
            if error.code == "permission-denied":
                return False
            raise
        return True

    def log(self, thread_id: str) -> list[dict[str, Any]]:
        """A thread's whole log, in order: the user's messages, and replies with their calls."""
        path = self._deployment.path("threads", thread_id, "messages")
        found = self._firestore.query(path, order_by="n")
        return [data for _, data in found]

    def result(self, thread_id: str, run_id: str) -> Result | None:
        """A run's result; None if it is running or has failed."""
        path = self._deployment.path("threads", thread_id, "runs", run_id)
        data = self._firestore.get(path) or {}
        found: Result | None = json.loads(data["result"]) if data.get("result") else None
        return found

    def events(self, thread_id: str, run_id: str) -> Iterator[Event]:
        """Follow a run's stored events, from the first to the last; the run may not have begun."""
        newest = -1
        deadline = time.monotonic() + _FOLLOW_S
        while time.monotonic() < deadline:
            for document in self._pages(thread_id, run_id, newest):
                newest = document["n"]
                for event in json.loads(document["events"]):
                    if event["type"] == "RUN_FINISHED" and "result" not in event:  # a large one
                        event = {**event, "result": self.result(thread_id, run_id)}
                    yield event
                    if event["type"] in LAST:
                        return
            time.sleep(_POLL_S)
        raise CallError("deadline-exceeded", error_text("run_without_end", id=run_id))

    def decide(self, approval_id: str, *, approved: bool, reason: str | None = None) -> None:
        """Decide an approval by its document; the server then continues the turn."""
        decision: dict[str, Any] = {"approved": approved, "by": self._uid}
        if reason:
            decision["reason"] = reason
        path = self._deployment.path("approvals", approval_id)
        self._firestore.update(path, {"decision": decision}, server_times=["decision.at"])

    def _own(self, path: str) -> dict[str, Any] | None:
        try:
            return self._firestore.get(path)
        except CallError as error:
            if error.code == "permission-denied":
                return None
            raise

    def _pages(self, thread_id: str, run_id: str, newest: int) -> list[dict[str, Any]]:
        path = self._deployment.path("threads", thread_id, "runs", run_id, "events")
        found = self._firestore.query(path, [("n", "GREATER_THAN", newest)], order_by="n")
        return [data for _, data in found]


def _thread(id: str, data: dict[str, Any]) -> Thread:
    return Thread(
        id=id,
        agent=data["agent"],
        title=str(data.get("title") or ""),
        updated_at=str(data.get("updatedAt") or ""),
        waiting=data.get("waiting"),
    )
