"""One run for one run id, over all threads of a user.

A client's own id may come again with another thread. So its run has a key in its document, by
which every opening asks for it in all threads; when it is erased `runs/{k}` stays, which the same
query finds. Two that open at the very same moment meet in their user's day, which both write: the
second finds the first one's key among the day's starts.

An id that was made here has no key: it can be repeated in its thread, and a run is never opened
under it again.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import AlreadyExists, NotFound
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store import paths
from rollcall.store.batches import read_all, side_by_side

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    from rollcall.store.admission import Admission

    DocumentSnapshot = _Snapshot[Any]

_MADE_HERE = re.compile(r"run-[0-9a-f]{20}|.+~[1-9][0-9]*")
_CONTINUED = re.compile(r"(.+)~([1-9][0-9]*)")


def new_run_id() -> str:
    """An id for a run that its client gave none."""
    return f"run-{uuid.uuid4().hex[:20]}"


def is_made_here(run_id: str) -> bool:
    """Whether an id is such a one, or that of a run that continues another."""
    return _MADE_HERE.fullmatch(run_id) is not None


def next_run_id(run_id: str) -> str:
    """The id of the run that continues this one, where its client names it no other: `r`, `r~1`,
    `r~2` and so on are the runs of one turn."""
    found = _CONTINUED.fullmatch(run_id)
    return f"{found[1]}~{int(found[2]) + 1}" if found else f"{run_id}~1"


def run_id_before(run_id: str) -> str | None:
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


def write_erased(batch: WriteBatch, db: Client, uid: str, thread_id: str, run_id: str) -> None:
    """Leave of a run that the batch deletes what tells its late repeats; of one whose id was made
    here nothing has to stay."""
    if not is_made_here(run_id):
        key = run_key(uid, run_id)
        left = {"schemaVersion": SCHEMA_VERSION, "uid": uid, "key": key, "threadId": thread_id}
        batch.set(paths.erased_run(db, key), left)


def read_for_run(
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
        found, run = side_by_side(lambda: read_all(db, *wanted), lambda: find_run(db, key))
    documents, admitted = found[: len(references)], found[len(references) :]
    if run is None and key and admission and admission.was_started(admitted):
        run = find_run(db, key)  # it was opened while this was read
    return documents, admitted, run


def thread_of(run: DocumentSnapshot) -> str:
    """The thread of a run that `find_run` found."""
    thread = run.reference.parent.parent
    return str(thread.id if thread is not None else (run.to_dict() or {})["threadId"])


def check_found(run: DocumentSnapshot, *, thread_id: str, run_id: str) -> None:
    """
    Args:
        run: What `find_run` found of this id.
    Raises:
        AlreadyExists: It was used in another thread.
        NotFound: It was used in this one, and its run was erased.
    """
    if thread_of(run) != thread_id:
        raise used_before(run_id)
    if run.reference.parent.parent is None:
        raise erased()


def used_before(run_id: str) -> AlreadyExists:
    return AlreadyExists(
        f"runId {run_id!r} was used before with other data; use a new one", field="runId"
    )


def erased() -> NotFound:
    return NotFound("what this run said was erased; use a new runId", field="runId")
