"""A run's own document: as it is created, what its end adds, and what it says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rollcall.core.context import User
from rollcall.core.options import lease_s
from rollcall.core.redaction import redacted_json
from rollcall.core.wire import SCHEMA_VERSION, Role, RunStatus
from rollcall.store.results import result_text


def run_document(
    *,
    user: User,
    agent: str,
    turn_id: str,
    request: dict[str, Any],
    token: int,
    digest: str,
    opener: str,
    key: str | None,
    first_message: int,
    reached: int,
    continues: str | None = None,
    approvals: Sequence[str] = (),
    answers: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A run as it is created.

    Args:
        opener: A random text: tells a lost answer to one's own opening from another's opening.
        key: By which the run is found in any thread; None where its id was made here.
        first_message: The number of the first document of the log that is this run's.
        reached: How many documents the log had when somebody last began to work on the run: with
            more, it has got further.
        continues: The run of the same turn whose waiting calls this one answers.
        answers: What a client's tools answered, by place: kept with the run until they are in
            the log.
    """
    now = datetime.now(UTC)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": user.uid,
        "user": {"role": user.role.value, "tenant": user.tenant, "name": user.name},
        "agent": agent,
        "turnId": turn_id,
        "status": RunStatus.RUNNING.value,
        "step": 0,
        "attempt": 1,
        "fruitless": 0,
        "token": token,
        "opener": opener,
        "firstMessage": first_message,
        "reached": reached,
        "requestDigest": digest,
        **({"key": key} if key else {}),
        # As text: what a client sends may hold lists inside lists.
        "request": json.dumps(request, ensure_ascii=False),
        "continues": continues,
        "approvals": list(approvals),
        "answers": json.dumps(answers or {}, ensure_ascii=False, separators=(",", ":")),
        "createdAt": now,
        "updatedAt": now,
        "leaseUntil": now + timedelta(seconds=lease_s()),
    }


def ended_fields(status: RunStatus, result: dict[str, Any], step: int) -> dict[str, Any]:
    """The fields of a run's document when it has a result."""
    return {
        "status": status.value,
        "step": step,
        "endedAt": datetime.now(UTC),
        "leaseUntil": None,
        "answers": "{}",  # they are in the log now, and the document has to hold the result
        "result": result_text(redacted_json(result)),
        "outcome": result["outcome"]["type"],
        "stopReason": result.get("stopReason"),
        "usage": result["usage"],
    }


def user_of(run: dict[str, Any]) -> User:
    """Who asked, as a run's document has it."""
    found = run["user"]
    return User(
        uid=run["uid"], role=Role(found["role"]), tenant=found["tenant"], name=found["name"]
    )


def request_of(run: dict[str, Any]) -> dict[str, Any]:
    """What the turn was asked with, as a run's document has it."""
    found: dict[str, Any] = json.loads(run["request"])
    return found
