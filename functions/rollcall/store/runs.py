"""Runs: the run's document, its ids and keys, and the state of a run.

    threads/{t}/runs/{r}   uid, user, agent, turnId, status, step, attempt, fruitless, token,
                           opener, reached, requestDigest, key, request, continues,
                           approvals, answers, leaseUntil, leaseShard, keptUntil,
                           cancelRequested; as it ends
                           result, outcome, stopReason, usage, error, endedAt
    runs/{k}               the tombstone of an erased run: uid, key, threadId

**A run id names one run over all threads of a user.** A client may send an id that it chose again
with another thread. So a run whose id its client chose has a key in its document, by which every
opening looks for it in all threads; an erased run leaves a tombstone, which the same query finds.
Two simultaneous openings both write their user's day, where the second one finds the first one's
key among the starts. A run with a generated id has no key: it is only looked up in its own thread,
and no other run is ever opened under its id.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import uuid
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.context import User
from rollcall.core.errors import AlreadyExists, NotFound, PermissionDenied
from rollcall.core.options import collection_id, lease_s
from rollcall.core.redaction import redacted_json
from rollcall.core.texts import TEXTS
from rollcall.core.wire import SCHEMA_VERSION, CallStatus, Role, RunStatus
from rollcall.store import paths
from rollcall.store.batches import in_parallel, read_all, where
from rollcall.store.message_log import compact_json, truncate_utf8, utf8_bytes

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.admission import Admission
    from rollcall.store.batches import DocumentSnapshot

RESULT_BYTES = 400_000
"""The largest stored result of a run. It leaves room in the run's document for a client's answers
that arrive while approvals are still open."""
LEASE_SHARDS = 8
"""The number of shards of the index over the leases of running runs: Firestore takes 500 writes a
second of increasing values, and a run makes two or more."""
_MIN_BYTES = 100_000
_MIN_CALLS = 100
_GENERATED = re.compile(r"run-[0-9a-f]{20}|.+~[1-9][0-9]*")
_CONTINUED = re.compile(r"(.+)~([1-9][0-9]*)")


# ---- Ids and keys ----


def new_run_id() -> str:
    """Return an id for a run whose client chose none."""
    return f"run-{uuid.uuid4().hex[:20]}"


def thread_id_for(uid: str, run_id: str) -> str:
    """Return the id of the thread that a first message opens, which is the same for its repeats."""
    return hashlib.sha256(f"{uid}/{run_id}".encode()).hexdigest()[:20]


def is_generated_id(run_id: str) -> bool:
    """Whether an id comes from `new_run_id` or `next_run_id`, not from a client."""
    return _GENERATED.fullmatch(run_id) is not None


def next_run_id(run_id: str) -> str:
    """Return the id of the run that continues this one, unless its client chooses another: `r`,
    `r~1`, `r~2` and so on are the runs of one turn."""
    match = _CONTINUED.fullmatch(run_id)
    return f"{match[1]}~{int(match[2]) + 1}" if match else f"{run_id}~1"


def previous_run_id(run_id: str) -> str | None:
    """Return the id of the run that this one continues; None if the id does not tell."""
    match = _CONTINUED.fullmatch(run_id)
    if match is None:
        return None
    return f"{match[1]}~{int(match[2]) - 1}" if match[2] != "1" else match[1]


def run_key(uid: str, run_id: str) -> str:
    """Return the key of a user's run id, which is the same in all threads."""
    return hashlib.sha256(f"run/{uid}/{run_id}".encode()).hexdigest()[:32]


def find_run(db: Client, key: str) -> DocumentSnapshot | None:
    """Find the run with this key in any thread, or its tombstone, with one read."""
    runs: Any = db.collection_group(collection_id("runs"))
    found = runs.where(filter=where("key", "==", key)).limit(1).get()
    return found[0] if found else None


def read_for_opening(
    db: Client,
    references: Sequence[DocumentReference],
    *,
    key: str | None,
    admission: Admission | None = None,
) -> tuple[list[DocumentSnapshot], DocumentSnapshot | None]:
    """Read the documents of an opening, and those of its admission, in one round trip.

    Returns:
        The documents of `references`, and the run with this key or its tombstone, if there is one.
    """
    all_references = [*references, *(admission.references if admission else [])]
    if key is None:
        read, run = read_all(db, *all_references), None
    else:
        read, run = in_parallel(lambda: read_all(db, *all_references), lambda: find_run(db, key))
    documents = read[: len(references)]
    if admission:
        admission.snapshots = read[len(references) :]
        if run is None and key and admission.was_started(key):
            run = find_run(db, key)  # it was opened during the first read
    return documents, run


def thread_of_run(run: DocumentSnapshot) -> str:
    """Return the id of the thread of a run, or of a tombstone, that `find_run` returned."""
    thread = run.reference.parent.parent
    return str(thread.id if thread is not None else (run.to_dict() or {})["threadId"])


def check_found_run(run: DocumentSnapshot, *, thread_id: str, run_id: str) -> None:
    """Check that the result of `find_run` is a run of this thread.

    Raises:
        AlreadyExists: The id was used in another thread.
        NotFound: The id was used in this thread, and its run was erased.
    """
    if thread_of_run(run) != thread_id:
        raise run_id_taken(run_id)
    if run.reference.parent.parent is None:
        raise run_erased()


def write_tombstone(batch: WriteBatch, db: Client, uid: str, thread_id: str, run_id: str) -> None:
    """Write the tombstone of a run that the batch deletes, if its client chose the id and may send
    it again."""
    if not is_generated_id(run_id):
        key = run_key(uid, run_id)
        fields = {"schemaVersion": SCHEMA_VERSION, "uid": uid, "key": key, "threadId": thread_id}
        batch.set(paths.erased_run(db, key), fields)


def run_id_taken(run_id: str) -> AlreadyExists:
    """Return the error for a run id that was used before with other data."""
    return AlreadyExists(
        f"runId {run_id!r} was used before with other data; use a new one", field="runId"
    )


def run_erased() -> NotFound:
    """Return the error for a run id whose run was erased."""
    return NotFound(TEXTS.text("errors.run_erased_for_good"), field="runId")


# ---- The state of a run ----


class FinishedRun(Struct, frozen=True):
    """A run that has ended, with its stored result or the error that ended it."""

    result: dict[str, Any] | None
    error: dict[str, Any] | None = None


class UnfinishedRun(Struct, frozen=True):
    """A run that has not ended. If no process has renewed its lease, it is abandoned and can be
    recovered."""

    thread_id: str
    run_id: str
    is_abandoned: bool = False


RunState = FinishedRun | UnfinishedRun


def run_state(run: dict[str, Any], *, thread_id: str, run_id: str) -> RunState:
    """Return the state of a run, from its document."""
    if run.get("result") is not None:
        return FinishedRun(json.loads(run["result"]))
    if run["status"] != RunStatus.RUNNING:
        return FinishedRun(None, run.get("error") or {})
    return UnfinishedRun(thread_id, run_id, is_abandoned=run["leaseUntil"] <= datetime.now(UTC))


def state_for_repeat(
    run: dict[str, Any], snapshot: DocumentSnapshot, *, uid: str, request_digest: str
) -> RunState:
    """Return the state of a run whose request was sent again.

    Raises:
        PermissionDenied: The run is another user's.
        AlreadyExists: The run was requested with other data.
    """
    if run["uid"] != uid:
        raise PermissionDenied(TEXTS.text("errors.others_thread"), field="threadId")
    if run["requestDigest"] != request_digest:
        raise run_id_taken(snapshot.id)
    return run_state(run, thread_id=snapshot.reference.parent.parent.id, run_id=snapshot.id)


# ---- The document ----


def new_run(
    *,
    user: User,
    agent: str,
    turn_id: str,
    request: dict[str, Any],
    token: int,
    continues: str | None = None,
    answers: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the document of a new run; `RunOpening.commit` adds the opening's fields.

    Args:
        token: The token of the thread's lease, which the run takes.
        continues: The id of the run of the same turn whose waiting calls this one answers.
        answers: Results of the client's tools, by call; the run keeps them until they are in the
            log.
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
        # As text: what a client sends may hold lists inside lists.
        "request": json.dumps(request, ensure_ascii=False),
        "continues": continues,
        "answers": compact_json(answers or {}),
        "createdAt": now,
        "updatedAt": now,
        "leaseUntil": now + timedelta(seconds=lease_s()),
        "leaseShard": random.randrange(LEASE_SHARDS),
    }


def ended_fields(status: RunStatus, result: dict[str, Any], step: int) -> dict[str, Any]:
    """Return the fields that a run's document gets when it ends with a result."""
    return {
        "status": status.value,
        "step": step,
        "endedAt": datetime.now(UTC),
        "leaseUntil": None,
        "answers": "{}",  # the log has them now, and the result needs the room
        "result": result_json(redacted_json(result)),
        "outcome": result["outcome"]["type"],
        "stopReason": result.get("stopReason"),
        "usage": result["usage"],
    }


def read_user(run: dict[str, Any]) -> User:
    """Return the user who sent the request, from a run's document."""
    user = run["user"]
    return User(uid=run["uid"], role=Role(user["role"]), tenant=user["tenant"], name=user["name"])


def read_request(run: dict[str, Any]) -> dict[str, Any]:
    """Return the turn's request, from a run's document."""
    request: dict[str, Any] = json.loads(run["request"])
    return request


# ---- The stored result ----


def result_json(result: dict[str, Any]) -> str:
    """Return a run's result as JSON text of at most `RESULT_BYTES`: complete, or without data that
    the log and the approvals hold as well."""
    for candidate in _shortened(result):
        text = json.dumps(candidate, ensure_ascii=False)
        if utf8_bytes(text) <= RESULT_BYTES:
            break
    return text


def _shortened(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a result, then shorter and shorter versions of it."""
    yield result
    # Without the tools' results.
    calls = [_without(call, {"result", "display"}) for call in result["toolCalls"]]
    result = {**result, "toolCalls": calls}
    yield result
    # Without the arguments and displays that approvals hold.
    outcome = result["outcome"]
    if interrupts := outcome.get("interrupts"):
        large = {"arguments", "display"}
        interrupts = [{**x, "metadata": _without(x["metadata"], large)} for x in interrupts]
        result = {**result, "outcome": {**outcome, "interrupts": interrupts}}
    yield result
    # With arguments only for the calls that the client still has to run.
    short = [{**_without(call, {"undo", "error"}), "arguments": {}} for call in calls]
    pairs = zip(calls, short, strict=True)
    mixed = [call if call["status"] == CallStatus.CLIENT else each for call, each in pairs]
    yield {**result, "toolCalls": mixed, "citations": []}
    # With a bounded message and a bounded number of calls.
    message = result["message"]
    if utf8_bytes(message) > _MIN_BYTES:
        message = f"{truncate_utf8(message, _MIN_BYTES)}…"
    least = {"message": message, "toolCalls": short[-_MIN_CALLS:], "citations": []}
    yield {**result, **least, "quickReplies": []}


def _without(value: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in keys}
