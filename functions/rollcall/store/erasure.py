"""Erases a thread or all data of a user, and continues after any interruption.

    erasures/{id}   uid, kind, scope, deleteAccount, status, counts, startedAt, endedAt, until,
                    expiresAt

An erasure's receipt is created before anything is removed. Every commit of an erasure also writes
the receipt, on the condition that nobody else has written it. So the counts always match what was
removed, only one of two workers continues, and a killed worker leaves the state of its last commit.
`until` is when another worker may take over from one that has been silent.

A thread is taken over first: a mark keeps new runs out, and the open page of its run is removed
together with the run's document, so that the run can save nothing more. The rest is then removed in
pages. Of each run whose id its client chose, the tombstone `runs/{k}` stays.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from rollcall.core.context import Platform
from rollcall.core.errors import (
    Aborted,
    AgentError,
    Internal,
    NotFound,
    PermissionDenied,
    Unavailable,
)
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.texts import TEXTS
from rollcall.core.user_data import Receipt, Section, delete, of_user
from rollcall.store import audit, paths
from rollcall.store.batches import attempts, read_all, try_commit, update_unchanged, where
from rollcall.store.event_log import find_open_page
from rollcall.store.files import FILE_SECTION
from rollcall.store.message_log import read_log
from rollcall.store.run_closing import is_run_alive
from rollcall.store.runs import write_tombstone
from rollcall.store.user_data import (
    APPROVALS,
    AUDIT,
    DECIDED,
    DEVICES,
    EFFECTS,
    PLATFORM,
    RATINGS,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.core.user_data import Document

Kind = Literal["clear_thread", "delete_thread", "delete_my_data"]

QUEUE = "continueerasure"
CALL_S = 20.0
"""How long a call works on an erasure before it leaves the rest to the queue."""
TASK_S = 400.0
SILENCE = timedelta(seconds=120)
RECEIPT_KEPT = timedelta(days=30)
_PASSES = 5
_KEPT = {
    "schemaVersion",
    "uid",
    "agent",
    "status",
    "createdAt",
    "nextMessage",  # numbers are never used twice, so that messages cannot be confused
    "place",  # what the thread is about, such as a project
}
"""Fields of a thread that stay when it is cleared."""

log = logging.getLogger("rollcall")


class Superseded(Exception):
    """Another worker has taken over the erasure."""


class OutOfTime(Exception):
    """The worker's time is over; the queue has to continue the erasure."""


class Worker(Struct):
    """A worker on one erasure.

    Attributes:
        data: The receipt's document.
        time: The receipt's update time in Firestore, which every commit requires.
        seconds: How long the worker may work.
    """

    db: Client
    id: str
    data: dict[str, Any]
    time: Any
    seconds: float
    _begun: float = field(default_factory=time.monotonic)

    @property
    def uid(self) -> str:
        return str(self.data["uid"])

    @property
    def removed(self) -> int:
        """The number of documents removed so far."""
        return sum(self.data["counts"].values())

    def check_time(self) -> None:
        """Check that the worker still has time.

        Raises:
            OutOfTime: It has none left.
        """
        if time.monotonic() - self._begun > self.seconds:
            raise OutOfTime

    def commit(
        self, batch: WriteBatch, removed: dict[str, int] | None = None, **changes: Any
    ) -> bool:
        """Commit a batch together with the receipt.

        Returns:
            False if a document of the batch has changed since it was read; nothing was written.
        Raises:
            Superseded: The receipt has changed: another worker has taken over.
        """
        counts = dict(self.data["counts"])
        for kind, count in (removed or {}).items():
            counts[kind] = counts.get(kind, 0) + count
        state = {"counts": counts, "until": datetime.now(UTC) + SILENCE, **changes}
        reference = _receipt(self.db, self.id)
        batch.update(reference, state, option=self.db.write_option(last_update_time=self.time))
        written = try_commit(batch)
        if written is None:
            now = reference.get([])
            if not now.exists or now.update_time != self.time:
                raise Superseded
            return False
        self.time = written[-1].update_time
        self.data = {**self.data, **state}
        return True

    def finish(self, batch: WriteBatch, removed: dict[str, int] | None = None) -> bool:
        """Commit the last batch and mark the receipt as done; return the same as `commit`."""
        now = datetime.now(UTC)
        ended = {"status": "done", "endedAt": now, "expiresAt": now + RECEIPT_KEPT}
        return self.commit(batch, removed, **ended)


# ---- Requesting, continuing and resuming an erasure ----


def erase_one_thread(
    platform: Platform, uid: str, thread_id: str, *, for_good: bool, seconds: float = CALL_S
) -> dict[str, Any]:
    """Clear or delete the user's own thread; return the receipt.

    Args:
        for_good: Delete the thread instead of clearing it.
    Raises:
        NotFound: There is no such thread, and none was deleted recently.
        PermissionDenied: The thread is another user's.
        Aborted: A run is in progress in it.
    """
    kind: Kind = "delete_thread" if for_good else "clear_thread"
    begun = begin_thread_erasure(platform.db, uid, thread_id, kind, seconds=seconds)
    return _advance(platform, begun, ()) if isinstance(begun, Worker) else _to_receipt(*begun)


def erase_user(
    platform: Platform,
    uid: str,
    sections: Sequence[Section],
    *,
    with_account: bool = False,
) -> dict[str, Any]:
    """Erase everything stored about the user; return the receipt.

    Args:
        sections: The packs' sections.
        with_account: Also delete the account, after everything else.
    """
    stored = _receipt(platform.db, _erasure_id("delete_my_data", uid, None)).get()
    state = stored.to_dict() or {}
    if _is_worked_on(state) and (state["deleteAccount"] or not with_account):
        return _to_receipt(stored.id, state)
    if state.get("status") != "running":
        state = _first_state("delete_my_data", uid, None)
    state["deleteAccount"] = state["deleteAccount"] or with_account
    worker = _claim(platform.db, stored, state, CALL_S)
    if worker is None:
        return _current_receipt(platform.db, stored.id)
    return _advance(platform, worker, sections)


def begin_user_erasure(platform: Platform, uid: str) -> None:
    """Begin the erasure of a user whose account is gone, and leave the work to the queue."""
    stored = _receipt(platform.db, _erasure_id("delete_my_data", uid, None)).get()
    if (stored.to_dict() or {}).get("status") != "running":
        worker = _claim(platform.db, stored, _first_state("delete_my_data", uid, None), 0)
        if worker is not None:
            _hand_over(platform, worker)


def continue_erasure(platform: Platform, id: str, sections: Sequence[Section]) -> None:
    """Continue an erasure whose worker stopped; do nothing if it is done or has a worker."""
    stored = _receipt(platform.db, id).get()
    state = stored.to_dict() or {}
    if state.get("status") == "running" and not _is_worked_on(state):
        worker = _claim(platform.db, stored, state, TASK_S)
        if worker is not None:
            _advance(platform, worker, sections)


def resume_erasures(platform: Platform) -> int:
    """Queue every erasure without a worker; return how many were queued."""
    erasures = platform.db.collection(collection_id("erasures"))
    query = erasures.where(filter=where("status", "==", "running")).select(["status", "until"])
    abandoned = [each.id for each in query.stream() if not _is_worked_on(each.to_dict() or {})]
    for id in abandoned:
        _enqueue(platform, id)
    return len(abandoned)


def begin_thread_erasure(
    db: Client, uid: str, thread_id: str, kind: Kind, *, seconds: float
) -> Worker | tuple[str, dict[str, Any]]:
    """Begin to clear or delete a thread, or continue an erasure that was begun.

    Returns:
        The worker to continue with; or `(id, state)` of an erasure that is done or has another
        worker.
    Raises:
        NotFound: There is no such thread, and none was deleted recently.
        PermissionDenied: The thread is another user's.
        Aborted: A run is in progress in it.
    """
    id = _erasure_id(kind, uid, thread_id)
    for _ in attempts():
        stored, thread = read_all(db, _receipt(db, id), paths.thread(db, thread_id))
        state = stored.to_dict() or {}
        if not thread.exists:
            if state:
                return id, state
            raise NotFound(TEXTS.text("errors.no_thread", thread_id=thread_id), field="threadId")
        data = thread.to_dict() or {}
        if data["uid"] != uid:
            raise PermissionDenied(TEXTS.text("errors.others_thread"), field="threadId")
        if lease := data.get("lease"):
            run = paths.run(db, thread_id, lease["runId"]).get()
            if is_run_alive(run.to_dict() or {}):
                raise Aborted(
                    TEXTS.text("errors.still_answering", run=lease["runId"]),
                    field="threadId",
                    hint="stop it with cancel_run, or wait for it",
                    retry_after_s=2,
                )
        if _is_worked_on(state):
            return id, state
        if state.get("status") != "running":
            state = _first_state(kind, uid, thread_id)
        if (worker := _claim(db, stored, state, seconds, thread)) is not None:
            return worker
    raise Aborted(TEXTS.text("errors.thread_busy"), field="threadId", retry_after_s=1)


def _erasure_id(kind: Kind, uid: str, scope: str | None) -> str:
    """Return the receipt's id, which is the same for a repeated request."""
    return hashlib.sha256(f"{kind}\0{uid}\0{scope or ''}".encode()).hexdigest()[:32]


def _receipt(db: Client, id: str) -> DocumentReference:
    return db.document(f"{collection_id('erasures')}/{id}")


def _first_state(kind: Kind, uid: str, scope: str | None) -> dict[str, Any]:
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": uid,
        "kind": kind,
        "scope": scope,
        "deleteAccount": False,
        "status": "running",
        "counts": {},
        "startedAt": datetime.now(UTC),
        "endedAt": None,
    }


def _is_worked_on(data: dict[str, Any]) -> bool:
    """Whether an erasure exists and its worker has not been silent for too long."""
    return bool(data.get("status") == "running" and data["until"] > datetime.now(UTC))


def _to_receipt(id: str, data: dict[str, Any]) -> dict[str, Any]:
    ended = data.get("endedAt")
    return Receipt(
        receipt_id=id,
        kind=data["kind"],
        status=data["status"],
        removed=dict(sorted(data["counts"].items())),
        started_at=data["startedAt"].isoformat(),
        ended_at=ended.isoformat() if ended else None,
    ).dump()


def _current_receipt(db: Client, id: str) -> dict[str, Any]:
    """Return the receipt of another worker, read from Firestore."""
    state = _receipt(db, id).get().to_dict()
    if state is None:
        raise Aborted(TEXTS.text("errors.erasure_beginning"), retry_after_s=1)
    return _to_receipt(id, state)


def _claim(
    db: Client,
    stored: Document,
    state: dict[str, Any],
    seconds: float,
    thread: Document | None = None,
) -> Worker | None:
    """Become the worker of an erasure, and take over its thread in the same batch; None if another
    worker was faster, or the thread has changed."""
    from google.cloud.firestore import DELETE_FIELD

    batch = db.batch()
    if thread is not None:
        _take_thread(batch, db, thread, stored.id)
    data = {**state, "until": datetime.now(UTC) + SILENCE}
    if stored.exists:
        update_unchanged(batch, stored, {**data, "expiresAt": DELETE_FIELD})
    else:
        batch.create(stored.reference, data)
    written = try_commit(batch)
    if written is None:
        return None
    return Worker(db, stored.id, data, written[-1].update_time, seconds)


def _advance(platform: Platform, worker: Worker, sections: Sequence[Section]) -> dict[str, Any]:
    """Work until the erasure is done or time is over; the queue then continues it."""
    kind, thread_id = worker.data["kind"], worker.data["scope"]
    try:
        if kind == "delete_my_data":
            _erase_everything(worker, sections)
        else:
            erase_thread(worker, thread_id)
            release_thread(worker, thread_id, for_good=kind == "delete_thread")
    except Superseded:
        return _current_receipt(worker.db, worker.id)
    except OutOfTime:
        _hand_over(platform, worker)
    except AgentError as error:
        # An immediate retry would fail again; the sweep retries later.
        log.warning("erasure %s waits for the sweeper: %s", worker.id, error.message)
    else:
        log.info("erasure %s: %d documents", worker.id, worker.removed)
    return _to_receipt(worker.id, worker.data)


def _hand_over(platform: Platform, worker: Worker) -> None:
    try:
        worker.commit(worker.db.batch(), until=datetime.now(UTC))
    except Superseded:
        return
    _enqueue(platform, worker.id)


def _enqueue(platform: Platform, id: str) -> None:
    try:
        platform.enqueue(QUEUE, {"id": id})
    except AgentError as error:
        log.warning("erasure %s waits for the sweeper: %s", id, error.message)


# ---- All of a user ----


def _erase_everything(worker: Worker, sections: Sequence[Section]) -> None:
    """Erase all that is stored about a user, their account too if they asked for that, and add the
    audit entry that stays."""
    for _ in range(_PASSES):  # repeat until nothing is found: clients may still write
        before = worker.removed
        erase_section(worker, DEVICES)
        _erase_threads(worker)
        for section in (*PLATFORM, *DECIDED, *sections, *AUDIT):
            erase_section(worker, section)
        if worker.removed == before:
            break
    if worker.data["deleteAccount"]:
        delete_account(worker.uid)

    # The one entry that stays: the erasure itself, with a digest of the user's id.
    subject = hashlib.sha256(worker.uid.encode()).hexdigest()
    entry = audit.entry(
        "data_erased",
        subject,
        f"{worker.id} {worker.data['startedAt'].isoformat()}",
        uid=None,
        at=datetime.now(UTC),
        subject=subject,
        withAccount=worker.data["deleteAccount"],
        removed=dict(sorted(worker.data["counts"].items())[:100]),
    )
    for _ in _tries():
        batch = worker.db.batch()
        audit.write(batch, worker.db, entry)
        if worker.finish(batch):
            return


def _erase_threads(worker: Worker) -> None:
    """Take over and delete all threads of the user, including those with a run in progress."""
    mine: Any = of_user("threads", platform=True)(worker.db, worker.uid).limit(1)
    while found := list(mine.stream()):
        worker.check_time()
        thread_id = found[0].id
        for _ in _tries():
            thread = paths.thread(worker.db, thread_id).get()
            if not thread.exists or (thread.to_dict() or {})["uid"] != worker.uid:
                break
            batch = worker.db.batch()
            if worker.commit(batch, _take_thread(batch, worker.db, thread, worker.id)):
                break
        erase_thread(worker, thread_id)
        release_thread(worker, thread_id, for_good=True, is_last=False)


def delete_account(uid: str) -> None:
    """Delete an account in Firebase Authentication; a missing one counts as deleted.

    Raises:
        Unavailable: Auth did not delete it.
    """
    from firebase_admin import auth  # type: ignore[import-untyped]

    try:
        auth.delete_user(uid)
    except auth.UserNotFoundError:
        return
    except Exception as error:  # the SDK, its transport and its credentials raise various types
        raise Unavailable(TEXTS.text("errors.account_not_deleted", error=error)) from error


# ---- One thread ----


def _take_thread(batch: WriteBatch, db: Client, thread: Document, id: str) -> dict[str, int]:
    """Add writes to the batch that end a thread's run and keep new runs out; return the counts of
    what they remove."""
    data = thread.to_dict() or {}
    lease = data.get("lease")
    if lease:
        page = find_open_page(db, thread.id, lease["runId"])
        # If the run ends after this read, its page has changed, and the batch fails.
        run = paths.run(db, thread.id, lease["runId"]).get()
        page.delete(batch, db)
        batch.delete(run.reference)
        write_tombstone(batch, db, data["uid"], thread.id, lease["runId"])
    recent = read_log(db, thread.id, at_least=data.get("nextMessage", 0))
    fields = {
        "lease": None,
        "leaseToken": data.get("leaseToken", 0) + 1,
        "nextMessage": recent.next_message,
        "erasing": id,
    }
    update_unchanged(batch, thread, {**_cleared_fields(thread), **fields})
    return {"runs": 1} if lease else {}


def erase_thread(worker: Worker, thread_id: str) -> None:
    """Remove everything in a thread except the thread itself."""
    if _own_thread(worker, thread_id) is None:
        return  # already erased, and perhaps created again since
    thread = paths.thread(worker.db, thread_id)
    # Approvals first, so that a decision from now on has no effect.
    for section in (APPROVALS, EFFECTS):
        _erase_in_thread(worker, section, thread_id)
    runs = collection_id("runs")
    for collection in thread.collections():
        # Deleted runs may have left documents below them.
        for document in collection.list_documents() if collection.id == runs else ():
            for below in document.collections():
                _erase_collection(worker, below)
        _erase_collection(worker, collection)
    _erase_in_thread(worker, FILE_SECTION, thread_id, "details.threadId")
    # Ratings last: a run that is gone cannot be rated.
    _erase_in_thread(worker, RATINGS, thread_id)


def release_thread(worker: Worker, thread_id: str, *, for_good: bool, is_last: bool = True) -> None:
    """Release an emptied thread, or delete it.

    Args:
        is_last: Whether this also ends the erasure.
    """
    from google.cloud.firestore import DELETE_FIELD

    commit = worker.finish if is_last else worker.commit
    for _ in _tries():
        batch, removed = worker.db.batch(), {}
        thread = _own_thread(worker, thread_id)
        if thread is not None and for_good:
            option = worker.db.write_option(last_update_time=thread.update_time)
            batch.delete(thread.reference, option=option)
            removed = {"threads": 1}
        elif thread is not None:
            update_unchanged(batch, thread, {**_cleared_fields(thread), "erasing": DELETE_FIELD})
        if commit(batch, removed):
            return


def _cleared_fields(thread: Document) -> dict[str, Any]:
    """Return the changes that clear a thread: they keep only `_KEPT`, and of its context the ids of
    what the thread is about."""
    from google.cloud.firestore import DELETE_FIELD
    from google.cloud.firestore_v1.field_path import FieldPath

    new: dict[str, Any] = {
        "title": "",
        "waiting": None,
        "allowed": {},
        "updatedAt": datetime.now(UTC),
    }
    data = thread.to_dict() or {}
    if data.get("place"):
        new["context"] = json.dumps(data["place"], ensure_ascii=False)
    own = {"lease", "leaseToken", "erasing"}
    others = set(data) - _KEPT - own - set(new)
    return {**{FieldPath(name).to_api_repr(): DELETE_FIELD for name in others}, **new}


def _own_thread(worker: Worker, thread_id: str) -> Document | None:
    """Return the thread if this erasure has taken it over and not released it."""
    thread: Document = paths.thread(worker.db, thread_id).get()
    return thread if (thread.to_dict() or {}).get("erasing") == worker.id else None


def _erase_in_thread(
    worker: Worker, section: Section, thread_id: str, field: str = "threadId"
) -> None:
    query: Any = section.find(worker.db, worker.uid)
    erase_section(worker, section, query=query.where(filter=where(field, "==", thread_id)))


def _erase_collection(worker: Worker, collection: Any) -> None:
    def erase_run(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
        write_tombstone(batch, db, uid, document.reference.parent.parent.id, document.id)
        batch.delete(document.reference)

    erase = erase_run if collection.id == collection_id("runs") else delete
    kind = collection.id.removeprefix(collection_id(""))  # the name in receipts
    erase_section(worker, Section(kind=kind, find=lambda db, uid: collection, erase=erase))


# ---- Sections ----


def erase_section(worker: Worker, section: Section, *, query: Any = None) -> None:
    """Erase a section's documents page by page.

    Args:
        query: Erase only these documents; by default all of the user's.
    """
    if section.erase is None:
        return
    documents = section.find(worker.db, worker.uid) if query is None else query
    pages: Any = documents.select(list(section.reads)).limit(section.page)
    erased: list[str] = []
    while True:
        for _ in _tries():
            page = list(pages.stream())
            if not page:
                return
            worker.check_time()
            ids = [document.reference.path for document in page]
            if ids == erased:
                raise Internal(f"section {section.kind!r} finds again what it has erased")
            if _erase_page(worker, section, page):
                erased = ids
                break


def _erase_page(worker: Worker, section: Section, page: Sequence[Document]) -> bool:
    """Erase a page in one commit, or in smaller ones where Firestore finds it too large."""
    from google.api_core.exceptions import InvalidArgument

    assert section.erase is not None
    batch = worker.db.batch()
    for document in page:
        section.erase(worker.db, batch, document, worker.uid)
    try:
        return worker.commit(batch, {section.kind: len(page)})
    except InvalidArgument:
        if len(page) == 1:
            raise
    half = len(page) // 2
    first = _erase_page(worker, section, page[:half])
    return _erase_page(worker, section, page[half:]) and first


def _tries() -> Iterator[int]:
    """Count the attempts at a commit while other processes change the documents that it reads and
    writes.

    Raises:
        Aborted: Every attempt lost its race.
    """
    yield from attempts()
    raise Aborted(TEXTS.text("errors.too_many_writers"), retry_after_s=5)
