"""What Rollcall keeps in Firestore for its user: threads, their logs, runs and their events."""

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
"""What the last event of a run is."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_FOLLOW_S = 30.0
_POLL_S = 0.15


@dataclass(frozen=True, slots=True)
class Thread:
    """One of the user's threads. `waiting` says what its newest run waits for, if anything."""

    id: str
    agent: str
    title: str
    updated_at: str
    waiting: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """What programs are told of it."""
        about = {"id": self.id, "agent": self.agent, "title": self.title}
        return {**about, "updatedAt": self.updated_at, "waits": self.waiting is not None}


class Store:
    """The user's own documents, also those that other devices follow and decide by.

    Every method raises `CallError` where the rules refuse, or Firestore cannot be reached.
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
            CallError: "not-found", also where it is somebody else's: the rules tell neither.
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
        """Take the calls that a run left to a client, before they are run: False where another
        process has taken them, or nothing waits any more."""
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
        """A thread's whole log, in order: what the user said, and each reply with its calls."""
        path = self._deployment.path("threads", thread_id, "messages")
        found = self._firestore.query(path, order_by="n")
        return [data for _, data in found]

    def result(self, thread_id: str, run_id: str) -> Result | None:
        """What a run ended with; None while it has not, or where it failed."""
        path = self._deployment.path("threads", thread_id, "runs", run_id)
        data = self._firestore.get(path) or {}
        found: Result | None = json.loads(data["result"]) if data.get("result") else None
        return found

    def events(self, thread_id: str, run_id: str) -> Iterator[Event]:
        """A run's events as they are stored, from its first, which may be still to come, to its
        last."""
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
        """Decide by the approval's document, at the server's time: the turn goes on by itself."""
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
