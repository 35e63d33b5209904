"""A run's own document: as it is created, what its end adds, and what it says.

What has become of a run, for who asks for it again.

One run for one run id, over all threads of a user.

A client's own id may come again with another thread. So its run has a key in its document, by
which every opening asks for it in all threads; when it is erased `runs/{k}` stays, which the same
query finds. Two that open at the very same moment meet in their user's day, which both write: the
second finds the first one's key among the day's starts.

An id that was made here has no key: it can be repeated in its thread, and a run is never opened
under it again.

A run's result as its document keeps it: whole, or without what the log has as well.
"""

from __future__ import annotations

import hashlib
import json
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
from rollcall.core.shapes import CallStatus
from rollcall.core.wire import SCHEMA_VERSION, Role, RunStatus
from rollcall.store import paths
from rollcall.store.batches import in_parallel, read_all
from rollcall.store.message_log import truncate_utf8, utf8_bytes

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.admission import Admission


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
        "result": result_json(redacted_json(result)),
        "outcome": result["outcome"]["type"],
        "stopReason": result.get("stopReason"),
        "usage": result["usage"],
    }


def read_user(run: dict[str, Any]) -> User:
    """Who asked, as a run's document has it."""
    found = run["user"]
    return User(
        uid=run["uid"], role=Role(found["role"]), tenant=found["tenant"], name=found["name"]
    )


def read_request(run: dict[str, Any]) -> dict[str, Any]:
    """What the turn was asked with, as a run's document has it."""
    found: dict[str, Any] = json.loads(run["request"])
    return found


class Finished(Struct, frozen=True):
    """The run was done before: its stored result, or the error it ended with."""

    result: dict[str, Any] | None
    error: dict[str, Any] | None = None


class Running(Struct, frozen=True):
    """Somebody else is on this run at present."""

    thread_id: str
    run_id: str


class Abandoned(Struct, frozen=True):
    """The run was begun, and whoever was on it is gone: it can be taken up."""

    thread_id: str
    run_id: str


def state_for_repeat(
    run: dict[str, Any], snapshot: DocumentSnapshot, *, uid: str, request_digest: str
) -> Finished | Running | Abandoned:
    """What has become of a run that is asked for again.

    Raises:
        PermissionDenied: It is another user's.
        AlreadyExists: It was asked for with other data.
    """
    thread_id = snapshot.reference.parent.parent.id
    if run["uid"] != uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if run["requestDigest"] != request_digest:
        raise run_id_taken(snapshot.id)
    return run_state(run, thread_id=thread_id, run_id=snapshot.id)


def run_state(
    run: dict[str, Any], *, thread_id: str, run_id: str
) -> Finished | Running | Abandoned:
    """Whether a run is done, in somebody's hands, or left lying."""
    if run.get("result") is not None:
        return Finished(json.loads(run["result"]))
    if run["status"] != RunStatus.RUNNING:
        return Finished(None, run.get("error") or {})
    if run["leaseUntil"] > datetime.now(UTC):
        return Running(thread_id, run_id)
    return Abandoned(thread_id, run_id)


_MADE_HERE = re.compile(r"run-[0-9a-f]{20}|.+~[1-9][0-9]*")
_CONTINUED = re.compile(r"(.+)~([1-9][0-9]*)")


def new_run_id() -> str:
    """An id for a run that its client gave none."""
    return f"run-{uuid.uuid4().hex[:20]}"


def is_generated_id(run_id: str) -> bool:
    """Whether an id is such a one, or that of a run that continues another."""
    return _MADE_HERE.fullmatch(run_id) is not None


def next_run_id(run_id: str) -> str:
    """The id of the run that continues this one, where its client names it no other: `r`, `r~1`,
    `r~2` and so on are the runs of one turn."""
    found = _CONTINUED.fullmatch(run_id)
    return f"{found[1]}~{int(found[2]) + 1}" if found else f"{run_id}~1"


def previous_run_id(run_id: str) -> str | None:
    """The id of the run that one of this id continues; None if ids do not say it."""
    found = _CONTINUED.fullmatch(run_id)
    if found is None:
        return None
    return f"{found[1]}~{int(found[2]) - 1}" if found[2] != "1" else found[1]


def run_key(uid: str, run_id: str) -> str:
    """What a user's run id is known by over all threads."""
    return hashlib.sha256(f"run/{uid}/{run_id}".encode()).hexdigest()[:32]


def find_run(db: Client, key: str) -> DocumentSnapshot | None:
    """A user's run of this key, in whichever thread, or what is left of it: one read."""
    from google.cloud.firestore import FieldFilter

    runs: Any = db.collection_group(collection_id("runs"))
    found = runs.where(filter=FieldFilter("key", "==", key)).limit(1).get()
    return found[0] if found else None


def write_tombstone(batch: WriteBatch, db: Client, uid: str, thread_id: str, run_id: str) -> None:
    """Leave of a run that the batch deletes what tells its late repeats; of one whose id was made
    here nothing has to stay."""
    if not is_generated_id(run_id):
        key = run_key(uid, run_id)
        left = {"schemaVersion": SCHEMA_VERSION, "uid": uid, "key": key, "threadId": thread_id}
        batch.set(paths.erased_run(db, key), left)


def read_for_opening(
    db: Client,
    references: Sequence[DocumentReference],
    *,
    key: str | None,
    admission: Admission | None = None,
) -> tuple[list[DocumentSnapshot], list[DocumentSnapshot], DocumentSnapshot | None]:
    """What an opening reads, in one round trip: documents, those of its admission, and the run of
    this key, if one was opened or what is left of one is there."""
    admitting = list(admission.references) if admission else []
    wanted = [*references, *admitting]
    if key is None:
        found, run = read_all(db, *wanted), None
    else:
        found, run = in_parallel(lambda: read_all(db, *wanted), lambda: find_run(db, key))
    documents, admitted = found[: len(references)], found[len(references) :]
    if run is None and key and admission and admission.was_started(admitted):
        run = find_run(db, key)  # it was opened while this was read
    return documents, admitted, run


def thread_of_run(run: DocumentSnapshot) -> str:
    """The thread of a run that `find_run` found."""
    thread = run.reference.parent.parent
    return str(thread.id if thread is not None else (run.to_dict() or {})["threadId"])


def check_found_run(run: DocumentSnapshot, *, thread_id: str, run_id: str) -> None:
    """
    Args:
        run: What `find_run` found of this id.
    Raises:
        AlreadyExists: It was used in another thread.
        NotFound: It was used in this one, and its run was erased.
    """
    if thread_of_run(run) != thread_id:
        raise run_id_taken(run_id)
    if run.reference.parent.parent is None:
        raise run_erased()


def run_id_taken(run_id: str) -> AlreadyExists:
    return AlreadyExists(
        f"runId {run_id!r} was used before with other data; use a new one", field="runId"
    )


def run_erased() -> NotFound:
    return NotFound("what this run said was erased; use a new runId", field="runId")


RESULT_BYTES = 400_000
"""The largest stored result of a run. The run's document has room beside it for what a client
answers while a person has still to decide."""
_LEAST_BYTES = 100_000
_LEAST_CALLS = 100


def result_json(result: dict[str, Any]) -> str:
    """The result as JSON text of at most `RESULT_BYTES`."""
    for shorter in _ever_shorter(result):
        text = json.dumps(shorter, ensure_ascii=False)
        if utf8_bytes(text) <= RESULT_BYTES:
            break
    return text


def _ever_shorter(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The result; without the tools' results; without what an approval has of its call as well;
    with the arguments of those calls alone that the client has still to run; and the least."""
    yield result
    calls = [_without(call, {"result", "display"}) for call in result["toolCalls"]]
    result = {**result, "toolCalls": calls}
    yield result
    result = {**result, "outcome": _without_details(result["outcome"])}
    yield result
    calls = [
        call
        if call["status"] == CallStatus.CLIENT
        else {**_without(call, {"undo", "error"}), "arguments": {}}
        for call in calls
    ]
    yield {**result, "toolCalls": calls, "citations": []}
    calls = [{**_without(call, {"undo", "error"}), "arguments": {}} for call in calls]
    message = result["message"]
    said = (
        message
        if utf8_bytes(message) <= _LEAST_BYTES
        else f"{truncate_utf8(message, _LEAST_BYTES)}…"
    )
    least = {"message": said, "toolCalls": calls[-_LEAST_CALLS:], "citations": []}
    yield {**result, **least, "quickReplies": []}


def _without_details(outcome: dict[str, Any]) -> dict[str, Any]:
    """An outcome without what would be done: the calls have their arguments themselves."""
    if not outcome.get("interrupts"):
        return outcome
    large = {"arguments", "display"}
    interrupts = [
        {**each, "metadata": _without(each["metadata"], large)} for each in outcome["interrupts"]
    ]
    return {**outcome, "interrupts": interrupts}


def _without(value: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in keys}
