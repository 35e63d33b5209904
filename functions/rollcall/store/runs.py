"""A run's document: its ids and keys, its fields, and the state of the run.

    threads/{t}/runs/{r}   uid, user, agent, turnId, status, step, attempt, fruitless, token,
                           opener, reached, requestDigest, key, request, continues,
                           approvals, answers, leaseUntil, leaseShard, keptUntil,
                           cancelRequested; as it ends
                           result, outcome, stopReason, usage, error, endedAt
    runs/{k}               the tombstone of an erased run: uid, key, threadId

**One run for one run id, over all threads of a user.** A client may send the id that it chose again
with another thread. So the run of a client's id has a key in its document, by which every opening
looks for it in all threads; when the run is erased its tombstone stays, which the same query finds.
Two openings at the very same moment meet in their user's day, which both write: the second finds
the first one's key among the day's starts. An id that was generated here has no key: its run can be
asked for again in its thread, and no run is ever opened under it again.
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
"""The largest stored result of a run. The run's document has room beside it for what a client
answers while a person has still to decide."""
LEASE_SHARDS = 8
"""In how many parts the index over the leases of running runs is: Firestore takes 500 writes a
second of rising values, and a run makes two or more."""
_LEAST_BYTES = 100_000
_LEAST_CALLS = 100
_GENERATED = re.compile(r"run-[0-9a-f]{20}|.+~[1-9][0-9]*")
_CONTINUED = re.compile(r"(.+)~([1-9][0-9]*)")


# ---- Ids and keys ----


def new_run_id() -> str:
    """Return an id for a run that its client gave none."""
    return f"run-{uuid.uuid4().hex[:20]}"


def thread_id_for(uid: str, run_id: str) -> str:
    """Return the id of the thread that a first message opens; the same for its repeats."""
    return hashlib.sha256(f"{uid}/{run_id}".encode()).hexdigest()[:20]


def is_generated_id(run_id: str) -> bool:
    """Whether an id is one of `new_run_id`, or that of a run that continues another."""
    return _GENERATED.fullmatch(run_id) is not None


def next_run_id(run_id: str) -> str:
    """Return the id of the run that continues this one, unless its client chooses another: `r`,
    `r~1`, `r~2` and so on are the runs of one turn."""
    found = _CONTINUED.fullmatch(run_id)
    return f"{found[1]}~{int(found[2]) + 1}" if found else f"{run_id}~1"


def previous_run_id(run_id: str) -> str | None:
    """Return the id of the run that one of this id continues; None if the id does not say it."""
    found = _CONTINUED.fullmatch(run_id)
    if found is None:
        return None
    return f"{found[1]}~{int(found[2]) - 1}" if found[2] != "1" else found[1]


def run_key(uid: str, run_id: str) -> str:
    """Return the key of a user's run id, which is the same in all threads."""
    return hashlib.sha256(f"run/{uid}/{run_id}".encode()).hexdigest()[:32]


def find_run(db: Client, key: str) -> DocumentSnapshot | None:
    """Find the run of this key in whichever thread, or its tombstone: one read."""
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
    """Read what an opening needs in one round trip, and the admission's documents for it.

    Returns:
        The documents of `references`, and the run of this key or its tombstone, if there is one.
    """
    wanted = [*references, *(admission.references if admission else [])]
    if key is None:
        found, run = read_all(db, *wanted), None
    else:
        found, run = in_parallel(lambda: read_all(db, *wanted), lambda: find_run(db, key))
    documents = found[: len(references)]
    if admission:
        admission.snapshots = found[len(references) :]
        if run is None and key and admission.was_started(key):
            run = find_run(db, key)  # it was opened while this was read
    return documents, run


def thread_of_run(run: DocumentSnapshot) -> str:
    """Return the thread of a run, or of the tombstone, that `find_run` found."""
    thread = run.reference.parent.parent
    return str(thread.id if thread is not None else (run.to_dict() or {})["threadId"])


def check_found_run(run: DocumentSnapshot, *, thread_id: str, run_id: str) -> None:
    """Check that what `find_run` found of an id is a run of this thread.

    Raises:
        AlreadyExists: The id was used in another thread.
        NotFound: It was used in this one, and its run was erased.
    """
    if thread_of_run(run) != thread_id:
        raise run_id_taken(run_id)
    if run.reference.parent.parent is None:
        raise run_erased()


def write_tombstone(batch: WriteBatch, db: Client, uid: str, thread_id: str, run_id: str) -> None:
    """Leave a tombstone of a run that the batch deletes, for late repeats of its client's id."""
    if not is_generated_id(run_id):
        key = run_key(uid, run_id)
        left = {"schemaVersion": SCHEMA_VERSION, "uid": uid, "key": key, "threadId": thread_id}
        batch.set(paths.erased_run(db, key), left)


def run_id_taken(run_id: str) -> AlreadyExists:
    """Return the error for a run id that comes again with other data."""
    return AlreadyExists(
        f"runId {run_id!r} was used before with other data; use a new one", field="runId"
    )


def run_erased() -> NotFound:
    """Return the error for a run id whose run was erased."""
    return NotFound(TEXTS.text("errors.run_erased_for_good"), field="runId")


# ---- What has become of a run ----


class Finished(Struct, frozen=True):
    """A run that has ended: its stored result, or the error it ended with."""

    result: dict[str, Any] | None
    error: dict[str, Any] | None = None


class Unfinished(Struct, frozen=True):
    """A run that has not ended. While a process works on it, its lease lasts; one that is abandoned
    can be recovered."""

    thread_id: str
    run_id: str
    is_abandoned: bool = False


RunState = Finished | Unfinished


def run_state(run: dict[str, Any], *, thread_id: str, run_id: str) -> RunState:
    """Return what has become of a run, by its document."""
    if run.get("result") is not None:
        return Finished(json.loads(run["result"]))
    if run["status"] != RunStatus.RUNNING:
        return Finished(None, run.get("error") or {})
    return Unfinished(thread_id, run_id, is_abandoned=run["leaseUntil"] <= datetime.now(UTC))


def state_for_repeat(
    run: dict[str, Any], snapshot: DocumentSnapshot, *, uid: str, request_digest: str
) -> RunState:
    """Return what has become of a run whose request was sent again.

    Raises:
        PermissionDenied: It is another user's.
        AlreadyExists: It was requested with other data.
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
    """Return the document of a run that begins; `RunOpening.commit` adds what its opening knows.

    Args:
        token: Of the thread's lease, which the run takes.
        continues: The run of the same turn whose waiting calls this one answers.
        answers: What a client's tools answered, by call: kept with the run until they are in the
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
    """Return the fields that a run's document gets with its result."""
    return {
        "status": status.value,
        "step": step,
        "endedAt": datetime.now(UTC),
        "leaseUntil": None,
        "answers": "{}",  # they are in the log now, and the document has to hold the result
        "result": result_json(redacted_json(result)),
        "outcome": result["outcome"]["type"],
        "stopReason": result.get("stopReason"),
        "usage": result["usage"],
    }


def read_user(run: dict[str, Any]) -> User:
    """Return the user who sent the request, as a run's document has them."""
    found = run["user"]
    return User(
        uid=run["uid"], role=Role(found["role"]), tenant=found["tenant"], name=found["name"]
    )


def read_request(run: dict[str, Any]) -> dict[str, Any]:
    """Return the turn's request, as a run's document has it."""
    found: dict[str, Any] = json.loads(run["request"])
    return found


# ---- The stored result ----


def result_json(result: dict[str, Any]) -> str:
    """Return a run's result as JSON text of at most `RESULT_BYTES`: whole, or without what the log
    and the approvals have as well."""
    for shorter in _ever_shorter(result):
        text = json.dumps(shorter, ensure_ascii=False)
        if utf8_bytes(text) <= RESULT_BYTES:
            break
    return text


def _ever_shorter(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield result
    # Without the tools' results.
    calls = [_without(call, {"result", "display"}) for call in result["toolCalls"]]
    result = {**result, "toolCalls": calls}
    yield result
    # Without what an approval has of its call as well.
    outcome = result["outcome"]
    if interrupts := outcome.get("interrupts"):
        large = {"arguments", "display"}
        interrupts = [{**x, "metadata": _without(x["metadata"], large)} for x in interrupts]
        result = {**result, "outcome": {**outcome, "interrupts": interrupts}}
    yield result
    # With the arguments of those calls alone that the client has still to run.
    short = [{**_without(call, {"undo", "error"}), "arguments": {}} for call in calls]
    pairs = zip(calls, short, strict=True)
    left = [call if call["status"] == CallStatus.CLIENT else each for call, each in pairs]
    yield {**result, "toolCalls": left, "citations": []}
    # With a bounded message and a bounded number of calls.
    message = result["message"]
    if utf8_bytes(message) > _LEAST_BYTES:
        message = f"{truncate_utf8(message, _LEAST_BYTES)}…"
    least = {"message": message, "toolCalls": short[-_LEAST_CALLS:], "citations": []}
    yield {**result, **least, "quickReplies": []}


def _without(value: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in keys}
