"""The trail: who let what happen, when. Written once, never changed, read by nobody's client.

An entry holds ids, counts and digests, never what was said and never an argument's value. `uid`
is who asked; others who decided stand in `by` or `deciders`, where an erasure finds them.
Its id follows from what it is about, and it is created, not set: written again with the same
batch it fails that batch, so one event has one entry. `loggedAt` is when Firestore took it: unlike
`at`, by one clock, so that whoever reads what came since misses none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.context import User
from rollcall.core.redaction import redacted_json
from rollcall.core.wire import SCHEMA_VERSION, ModelUsage, StopReason, ToolCallRecord
from rollcall.store import paths

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

MAX_CALLS = 200
MAX_TOOLS = 200
MAX_APPROVALS = 100
PLATFORM_TOOLS = frozenset({"find_tools"})
"""The platform's own tools: nothing that could have been chosen."""
_TEXT_CHARS = 200
_TOOL = re.compile(r"[a-z][a-z0-9_]{0,61}")
_NO_TOOL = "(no tool's name)"


class ApprovalOutcome(Struct, frozen=True):
    """What became of one approval of a run; `by` and `at` are None where nobody decided."""

    approval_id: str
    tool: str
    status: str
    by: str | None = None
    at: datetime | None = None


def run_entry(
    *,
    user: User,
    thread_id: str,
    turn_id: str,
    run_id: str,
    agent: str,
    models: Sequence[str],
    variant: str | None,
    offered: Sequence[str],
    found: Sequence[str],
    calls: Sequence[ToolCallRecord],
    approvals: Sequence[ApprovalOutcome],
    outcome: str,
    stop_reason: StopReason | None,
    steps: int,
    attempt: int,
    usage: Sequence[ModelUsage],
    micro_usd: int,
    began_at: datetime,
    at: datetime,
) -> dict[str, Any]:
    """A run that ended, however it did.

    Args:
        user: Who asked.
        models: Ids of the models that could answer, best first.
        variant: The way of working that the agent was compared in, if it was.
        offered: Ids of the tools that were chosen for the turn's message.
        found: Ids of the tools that the model then searched for and was offered.
        calls: The run's calls, with hidden arguments masked: their digests are kept.
        approvals: The approvals that the run made or was continued by.
        outcome: "success", "interrupt", "cancelled" or "failed".
        attempt: 1, and one more for each time the run was taken up after a crash.
        micro_usd: What the run cost, millionths of a US dollar.
        began_at: When the run opened.
        at: When it ended.
    """
    return _entry(
        "run",
        (thread_id, run_id),
        uid=user.uid,
        at=at,
        role=user.role.value,
        tenant=user.tenant,
        threadId=thread_id,
        turnId=turn_id,
        runId=run_id,
        agent=agent,
        models=list(models)[:20],
        variant=variant,
        offered=list(offered)[:MAX_TOOLS],
        offeredCount=len(offered),
        found=_distinct(found),
        missed=_distinct(
            call.tool for call in calls if call.tool not in {*offered, *PLATFORM_TOOLS}
        ),
        calls=[_call(record) for record in calls[:MAX_CALLS]],
        callsLeftOut=max(len(calls) - MAX_CALLS, 0),
        approvals=[_decided(each) for each in approvals[:MAX_APPROVALS]],
        deciders=sorted({each.by for each in approvals[:MAX_APPROVALS] if each.by}),
        outcome=outcome,
        stopReason=stop_reason.value if stop_reason else None,
        steps=steps,
        attempt=attempt,
        usage=[each.dump() for each in usage[:20]],
        microUsd=micro_usd,
        beganAt=began_at,
    )


def rating_entry(
    *,
    uid: str,
    thread_id: str,
    run_id: str,
    number: int,
    agent: str,
    variant: str | None,
    called: Sequence[str],
    run_day: str,
    rating: str | None,
    before: str | None,
    at: datetime,
) -> dict[str, Any]:
    """What a user thought of an answer, or does not think any more; what they said of it stays
    with the rating.

    Args:
        number: Which rating of this run it is, from 1.
        called: Tools that the run called.
        run_day: The day on which the run began, UTC, such as "2026-11-21".
        rating: "up", "down", or None where it was taken back.
        before: What it was until now.
    """
    return _entry(
        "rating",
        (thread_id, run_id, str(number)),
        uid=uid,
        at=at,
        threadId=thread_id,
        runId=run_id,
        agent=agent,
        variant=variant,
        called=_distinct(called),
        runDay=run_day,
        rating=rating,
        before=before,
    )


def decision_entry(
    *,
    uid: str,
    thread_id: str,
    run_id: str,
    approval_id: str,
    tool: str,
    arguments_digest: str,
    approved: bool,
    by: str,
    at: datetime,
    edited_from: str | None = None,
) -> dict[str, Any]:
    """A person's yes or no; the reason they gave stays in the approval.

    Args:
        uid: Who had asked.
        by: Who decided.
        edited_from: The approval whose arguments were changed into this one's.
    """
    return _entry(
        "decision",
        (approval_id,),
        uid=uid,
        at=at,
        threadId=thread_id,
        runId=run_id,
        approvalId=approval_id,
        tool=_tool(tool),
        argumentsDigest=arguments_digest,
        approved=approved,
        by=by,
        editedFrom=edited_from,
    )


def effect_entry(
    *,
    uid: str,
    key: str,
    tool: str,
    version: int,
    arguments_digest: str,
    status: str,
    tried_at: datetime,
    at: datetime,
    thread_id: str | None = None,
    run_id: str | None = None,
    approval_id: str | None = None,
) -> dict[str, Any]:
    """A try of a write that came to an end: "done", "failed" or "unknown".

    Args:
        tried_at: When this try was begun: one that failed in passing may be tried again, and each
            try has an entry for each end that it came to.
    """
    return _entry(
        "effect",
        (key, status, tried_at.isoformat()),
        uid=uid,
        at=at,
        effectKey=key,
        tool=_tool(tool),
        version=version,
        argumentsDigest=arguments_digest,
        status=status,
        threadId=thread_id,
        runId=run_id,
        approvalId=approval_id,
    )


def erasure_entry(
    *, uid: str, erasure_id: str, with_account: bool, removed: Mapping[str, int], at: datetime
) -> dict[str, Any]:
    """That a user's data was erased. It stays, so it holds a digest in place of the user's id.

    Args:
        erasure_id: The same for every try of one erasure, another for each erasure of a user.
        removed: Documents that are gone, by kind.
    """
    subject = hashlib.sha256(uid.encode()).hexdigest()
    return _entry(
        "data_erased",
        (subject, erasure_id),
        uid=None,
        at=at,
        subject=subject,
        withAccount=with_account,
        removed=dict(sorted(removed.items())[:100]),
    )


def write(batch: WriteBatch, db: Client, entry: dict[str, Any]) -> None:
    """Put the entry into a batch, which fails as a whole if the entry exists."""
    from google.cloud.firestore import SERVER_TIMESTAMP

    batch.create(paths.audit(db, entry_id(entry)), {**entry, "loggedAt": SERVER_TIMESTAMP})


def entry_id(entry: dict[str, Any]) -> str:
    """The id of an entry: the same for every try of writing it."""
    return hashlib.sha256(entry["about"].encode()).hexdigest()[:40]


def arguments_digest(arguments: Mapping[str, Any]) -> str:
    """What tells whether two calls had the same arguments, and not what these were."""
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _entry(kind: str, about: tuple[str, ...], *, uid: str | None, **fields: Any) -> dict[str, Any]:
    named = {"kind": kind, "about": json.dumps([kind, *about], ensure_ascii=False)}
    owner = {} if uid is None else {"uid": uid}
    return {"schemaVersion": SCHEMA_VERSION, **named, **owner, **_bounded(redacted_json(fields))}


def _call(record: ToolCallRecord) -> dict[str, Any]:
    return {
        "tool": _tool(record.tool),
        "status": record.status.value,
        "error": str((record.error or {}).get("code", "")) or None,
        "argumentsDigest": arguments_digest(record.arguments),
        "approvalId": record.approval_id,
        "allowedBy": record.allowed_by,
        "step": record.step,
        "ms": record.ms,
    }


def _decided(each: ApprovalOutcome) -> dict[str, Any]:
    return {
        "approvalId": each.approval_id,
        "tool": _tool(each.tool),
        "status": each.status,
        "by": each.by,
        "at": each.at,
    }


def _distinct(names: Iterable[str]) -> list[str]:
    """What can be a tool's name, each once, in their order."""
    return list(dict.fromkeys(name for name in names if _TOOL.fullmatch(name)))[:MAX_TOOLS]


def _tool(name: str) -> str:
    """A model may call anything a tool: only what can be one's name is kept."""
    return name if _TOOL.fullmatch(name) else _NO_TOOL


def _bounded(value: Any) -> Any:
    """The same with its texts cut to a length that no name or id of ours has."""
    if isinstance(value, str):
        return value if len(value) <= _TEXT_CHARS else value[: _TEXT_CHARS - 1] + "…"
    if isinstance(value, dict):
        return {key: _bounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_bounded(item) for item in value]
    return value
