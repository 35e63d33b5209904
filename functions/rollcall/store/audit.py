"""Audit log: who allowed what, and when. Entries are never changed, and no client can read them.

    audit/{id}   kind, about, uid, at, loggedAt, and by its kind
      run          role, tenant, threadId, turnId, runId, agent, models, variant, offered, found,
                   missed, calls, approvals, deciders, outcome, stopReason, steps, attempt, usage,
                   microUsd, beganAt
      decision     threadId, runId, approvalId, tool, argumentsDigest, approved, by, editedFrom
      effect       effectKey, tool, version, argumentsDigest, status, threadId, runId, approvalId
      rating       threadId, runId, agent, variant, called, runDay, rating, before
      data_erased  subject, withAccount, removed; no uid
      erased       what is left of an entry about an erased user: at

An entry holds ids, counts and digests, never messages or values of arguments. `uid` is the user who
sent the request; other people who decided are in `by` or `deciders`, where an erasure finds them.
An entry's id is derived from its event, and the entry is created, not set: a batch that writes it a
second time fails, so one event has one entry. `loggedAt` is Firestore's time of the write. Unlike
`at` it comes from one clock, so a reader that asks for everything since a time misses nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.context import User
from rollcall.core.redaction import redacted_json
from rollcall.core.shapes import CAPABILITY_ID, PLATFORM_TOOLS
from rollcall.core.wire import SCHEMA_VERSION, ModelUsage, StopReason, ToolCallRecord
from rollcall.store import paths
from rollcall.store.approvals import Approval, arguments_digest

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

MAX_CALLS = 200
MAX_TOOLS = 200
MAX_APPROVALS = 100
_TEXT_CHARS = 200
_NO_TOOL = "(no tool's name)"


def run_entry(
    *,
    user: User,
    thread_id: str,
    turn_id: str,
    run_id: str,
    agent: str,
    request: Mapping[str, Any],
    attempt: int,
    calls: Sequence[ToolCallRecord],
    outcome: str,
    steps: int,
    micro_usd: int,
    began_at: datetime,
    at: datetime,
    stop_reason: StopReason | None = None,
    models: Sequence[str] = (),
    found: Sequence[str] = (),
    approvals: Sequence[Approval] = (),
    usage: Sequence[ModelUsage] = (),
) -> dict[str, Any]:
    """Return the entry of a run that ended.

    Args:
        user: Who sent the request.
        request: The turn's request: `offered`, the tools that were chosen for its message, and
            `variant`, the agent's variant if it is part of a comparison.
        attempt: 1, and one more for each time the run was recovered.
        calls: The run's calls, with hidden arguments masked; the entry only has digests of them.
        outcome: "success", "interrupt", "cancelled" or "failed".
        micro_usd: What the run cost, millionths of a US dollar.
        began_at: When the run opened.
        at: When the run ended.
        models: Ids of the models that could answer, best first.
        found: Ids of the tools that the model searched for and was then offered.
        approvals: The approvals that the run requested or was continued by.
    """
    offered = request.get("offered") or ()
    known = {*offered, *PLATFORM_TOOLS}
    decided = [_approval(each) for each in approvals[:MAX_APPROVALS]]
    return entry(
        "run",
        thread_id,
        run_id,
        uid=user.uid,
        at=at,
        role=user.role.value,
        tenant=user.tenant,
        threadId=thread_id,
        turnId=turn_id,
        runId=run_id,
        agent=agent,
        models=list(models)[:20],
        variant=request.get("variant"),
        offered=list(offered)[:MAX_TOOLS],
        offeredCount=len(offered),
        found=tool_names(found),
        missed=tool_names(call.tool for call in calls if call.tool not in known),
        calls=[_call(record) for record in calls[:MAX_CALLS]],
        callsLeftOut=max(len(calls) - MAX_CALLS, 0),
        approvals=decided,
        deciders=sorted({each["by"] for each in decided if each["by"]}),
        outcome=outcome,
        stopReason=stop_reason.value if stop_reason else None,
        steps=steps,
        attempt=attempt,
        usage=[each.dump() for each in usage[:20]],
        microUsd=micro_usd,
        beganAt=began_at,
    )


def entry(
    kind: str, *about: str, uid: str | None, at: datetime, tool: str | None = None, **fields: Any
) -> dict[str, Any]:
    """Return an entry of any kind, with credentials removed and long texts cut.

    Args:
        about: Ids that identify the event among those of its kind.
        uid: The user that the entry belongs to; None if it outlives the user's data.
        at: When it happened.
        tool: A tool's name, as a model wrote it.
        fields: The kind's other fields, by their stored names.
    """
    if tool is not None:
        fields["tool"] = _tool(tool)
    identity = {"kind": kind, "about": json.dumps([kind, *about], ensure_ascii=False)}
    owner = {} if uid is None else {"uid": uid}
    fields = _bounded(redacted_json({"at": at, **fields}))
    return {"schemaVersion": SCHEMA_VERSION, **identity, **owner, **fields}


def write(batch: WriteBatch, db: Client, entry: dict[str, Any]) -> None:
    """Add the entry to a batch, which fails as a whole if the entry exists."""
    from google.cloud.firestore import SERVER_TIMESTAMP

    id = hashlib.sha256(entry["about"].encode()).hexdigest()[:40]  # the same for every try
    batch.create(paths.audit(db, id), {**entry, "loggedAt": SERVER_TIMESTAMP})


def tool_names(names: Iterable[str]) -> list[str]:
    """Return the distinct names that are valid as a tool's, in their order."""
    return list(dict.fromkeys(name for name in names if CAPABILITY_ID.fullmatch(name)))[:MAX_TOOLS]


def _tool(name: str) -> str:
    """Return a tool's name for the log, or a placeholder if it is not valid: a model may write any
    text."""
    return name if CAPABILITY_ID.fullmatch(name) else _NO_TOOL


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


def _approval(approval: Approval) -> dict[str, Any]:
    decision = approval.decision
    return {
        "approvalId": approval.id,
        "tool": _tool(approval.tool),
        "status": approval.status.value,
        "by": decision.by if decision else None,
        "at": decision.at if decision else None,
    }


def _bounded(value: Any) -> Any:
    """Cut the texts in a value to a length that is longer than any of our names and ids."""
    if isinstance(value, str):
        return value if len(value) <= _TEXT_CHARS else value[: _TEXT_CHARS - 1] + "…"
    if isinstance(value, dict):
        return {key: _bounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_bounded(item) for item in value]
    return value
