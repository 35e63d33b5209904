"""Erasures: the receipt of one, begun before anything is removed, and the work it stands for.

erasures/{id}   uid, kind, scope, status, counts, startedAt, endedAt, until

Every commit of an erasure also writes its receipt, provided that nobody else has: the counts are
those of what is gone, of two workers one goes on, and a worker that was killed left everything as
its last commit says. `until` is how long a worker may be silent before another takes over.

Erasing a thread: all that was said in it, and for good also the thread itself.

The thread is taken first: a mark keeps new runs out, and the open page of a run that held it is
removed together with the run's document, so that it can save nothing more. What is left is then
removed in pages. Of each run whose id was its client's `runs/{k}` stays: uid, key, threadId. What
the runs say they spent is settled before they go.

Erasing what is kept about a user: one thread, or all of it, to the end, however often killed.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
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
from rollcall.core.user_data import Receipt, Section, delete, of_user
from rollcall.store import audit, paths
from rollcall.store.budgets import settle_runs
from rollcall.store.event_log import find_open_page
from rollcall.store.leases import is_run_alive
from rollcall.store.runs import write_tombstone
from rollcall.store.user_data import (
    APPROVALS,
    ATTACHMENTS,
    AUDIT,
    DECIDED,
    DEVICES,
    EFFECTS,
    PLATFORM,
    RATINGS,
)
from rollcall.store.window import read_log

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.core.user_data import Document


Kind = Literal["clear_thread", "delete_thread", "delete_my_data"]

SILENCE = timedelta(seconds=120)
RECEIPT_KEPT = timedelta(days=30)
_CONFLICTS = 12
_WAIT_S = 0.05


class Superseded(Exception):
    """Another worker has taken this erasure over; it goes on there."""


class OutOfTime(Exception):
    """This worker's time is over; the erasure is to be continued."""


def erasure_id(kind: Kind, uid: str, scope: str | None) -> str:
    """The receipt's id: one for each thing that can be erased, so that a repeat finds it."""
    return hashlib.sha256(f"{kind}\0{uid}\0{scope or ''}".encode()).hexdigest()[:32]


def reference(db: Client, id: str) -> DocumentReference:
    return db.document(f"{collection_id('erasures')}/{id}")


def first_state(
    kind: Kind, uid: str, scope: str | None, *, delete_account: bool = False
) -> dict[str, Any]:
    """A receipt as it is begun."""
    now = datetime.now(UTC)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": uid,
        "kind": kind,
        "scope": scope,
        "deleteAccount": delete_account,
        "status": "running",
        "counts": {},
        "startedAt": now,
        "endedAt": None,
        "until": now + SILENCE,
    }


def is_worked_on(data: dict[str, Any]) -> bool:
    """Whether an erasure has a worker that was heard of lately."""
    return bool(data["status"] == "running" and data["until"] > datetime.now(UTC))


def receipt(id: str, data: dict[str, Any]) -> dict[str, Any]:
    """What the user is told of an erasure."""
    ended = data.get("endedAt")
    return Receipt(
        receipt_id=id,
        kind=data["kind"],
        status=data["status"],
        removed=dict(sorted(data["counts"].items())),
        started_at=data["startedAt"].isoformat(),
        ended_at=ended.isoformat() if ended else None,
    ).dump()


class Work(Struct):
    """One worker on one erasure."""

    db: Client
    id: str
    data: dict[str, Any]
    time: Any
    """When the receipt was written last, by Firestore's clock: the worker's fence."""
    seconds: float
    _begun: float = field(default_factory=time.monotonic)

    @property
    def uid(self) -> str:
        return str(self.data["uid"])

    @property
    def removed(self) -> int:
        """How many documents are gone so far."""
        return sum(self.data["counts"].values())

    def check_time(self) -> None:
        """Raises: OutOfTime."""
        if time.monotonic() - self._begun > self.seconds:
            raise OutOfTime

    def commit(
        self, batch: WriteBatch, removed: dict[str, int] | None = None, **changes: Any
    ) -> bool:
        """Commit a batch together with the receipt.

        Returns:
            False if a document of the batch has changed since it was read; nothing was written.
        Raises:
            Superseded: The receipt has, which is another worker's doing.
        """
        from google.api_core.exceptions import Aborted as Contended
        from google.api_core.exceptions import AlreadyExists, FailedPrecondition, NotFound
        from google.cloud.firestore import LastUpdateOption

        counts = dict(self.data["counts"])
        for kind, count in (removed or {}).items():
            counts[kind] = counts.get(kind, 0) + count
        state = {"counts": counts, "until": datetime.now(UTC) + SILENCE, **changes}
        batch.update(reference(self.db, self.id), state, option=LastUpdateOption(self.time))
        try:
            written = batch.commit()
        except (Contended, AlreadyExists, FailedPrecondition, NotFound):
            self._check_fence()
            return False
        self.time = written[-1].update_time
        self.data = {**self.data, **state}
        return True

    def finish(self, batch: WriteBatch, removed: dict[str, int] | None = None) -> bool:
        """Commit the last batch with the receipt that says so; False as `commit`."""
        now = datetime.now(UTC)
        ended = {"status": "done", "endedAt": now, "expiresAt": now + RECEIPT_KEPT}
        return self.commit(batch, removed, **ended)

    def _check_fence(self) -> None:
        now = reference(self.db, self.id).get([])
        if not now.exists or now.update_time != self.time:
            raise Superseded


def repeated(attempt: Callable[[], bool]) -> None:
    """Do it again while others change what it writes; each attempt reads anew.

    Raises:
        Aborted: They were faster every time.
    """
    for number in range(_CONFLICTS):
        if attempt():
            return
        time.sleep(_WAIT_S * 1.5**number)
    raise Aborted("too many writers at once; try again", retry_after_s=5)


def erase_section(work: Work, section: Section, *, query: Any = None) -> None:
    """Erase a section's documents page by page, until none is found.

    Args:
        query: Some of the documents only; all of the user's where left out.
    """
    if section.erase is None:
        return
    found = section.find(work.db, work.uid) if query is None else query
    _drain(work, section, found.select(list(section.reads)).limit(section.page))


def _drain(work: Work, section: Section, query: Any) -> None:
    before: list[str] = []
    conflicts = 0
    while page := list(query.stream()):
        work.check_time()
        ids = [document.reference.path for document in page]
        if ids == before:
            raise Internal(f"section {section.kind!r} finds again what it has erased")
        if _erase_page(work, section, page):
            before, conflicts = ids, 0
            continue
        conflicts += 1
        if conflicts == _CONFLICTS:
            raise Aborted("too many writers at once; try again", retry_after_s=5)
        time.sleep(_WAIT_S * 1.5**conflicts)


def _erase_page(work: Work, section: Section, page: Sequence[Document]) -> bool:
    """Erase a page in one commit, or in smaller ones where Firestore finds it too large."""
    from google.api_core.exceptions import InvalidArgument

    assert section.erase is not None
    batch = work.db.batch()
    for document in page:
        section.erase(work.db, batch, document, work.uid)
    try:
        return work.commit(batch, {section.kind: len(page)})
    except InvalidArgument:
        if len(page) == 1:
            raise
    half = len(page) // 2
    first = _erase_page(work, section, page[:half])
    return _erase_page(work, section, page[half:]) and first


_KEPT = {
    "schemaVersion",
    "uid",
    "agent",
    "status",
    "createdAt",
    "nextMessage",  # numbers go on, so that no message is ever taken for another
}
_TRIES = 5


def begin_thread_erasure(
    db: Client, uid: str, thread_id: str, kind: Kind, *, seconds: float
) -> Work | tuple[str, dict[str, Any]]:
    """Begin to clear or delete a thread, or go on with what was begun.

    Returns:
        The work to do; or (id, state) of an erasure that needs nothing done here.
    Raises:
        NotFound: There is no such thread, and it was not deleted lately.
        PermissionDenied: It is another user's.
        Aborted: A run is going on in it.
    """
    id = erasure_id(kind, uid, thread_id)
    for _ in range(_TRIES):
        begun, thread = _read(db, id, thread_id)
        state = begun.to_dict() or {}
        if not thread.exists:
            if state:
                return id, state
            raise NotFound(f"there is no thread {thread_id!r}", field="threadId")
        _check(thread, uid)
        if state and is_worked_on(state):
            return id, state
        if not (state and state["status"] == "running"):
            state = first_state(kind, uid, thread_id)
        work = _claim_with_thread(db, id, state, thread, seconds)
        if work is not None:
            return work
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def erase_thread(work: Work, thread_id: str) -> None:
    """Remove everything in a thread that `work` has taken; the thread itself stays."""
    if _own(work, thread_id) is None:
        return  # erased before, and perhaps begun anew since
    thread = paths.thread(work.db, thread_id)
    said = thread.collection(collection_id("runs")).select(["uid", "settlements"]).stream()
    settle_runs(work.db, said, now=datetime.now(UTC))
    # Approvals first: a decision from now on decides nothing.
    for section in (APPROVALS, EFFECTS):
        erase_section(work, section, query=_in_thread(work, section, thread_id))
    runs = collection_id("runs")
    for collection in thread.collections():
        # Runs that are gone may have left something below them.
        for document in collection.list_documents() if collection.id == runs else ():
            for below in document.collections():
                _empty(work, below)
        _empty(work, collection)
    erase_section(
        work, ATTACHMENTS, query=_in_thread(work, ATTACHMENTS, thread_id, "details.threadId")
    )
    # Ratings last: none is made of a run that is gone.
    erase_section(work, RATINGS, query=_in_thread(work, RATINGS, thread_id))


def finish_clearing(work: Work, thread_id: str) -> None:
    """Give the emptied thread back."""
    from google.cloud.firestore import DELETE_FIELD

    def attempt() -> bool:
        batch = work.db.batch()
        thread = _own(work, thread_id)
        if thread is not None:
            changes = {**_emptied(thread), "erasing": DELETE_FIELD}
            batch.update(thread.reference, changes, option=_unchanged(thread))
        return work.finish(batch)

    repeated(attempt)


def finish_deleting(work: Work, thread_id: str) -> None:
    """Delete the emptied thread, together with the receipt that says so."""

    def attempt() -> bool:
        batch = work.db.batch()
        thread = _own(work, thread_id)
        if thread is None:
            return work.finish(batch)
        batch.delete(thread.reference, option=_unchanged(thread))
        return work.finish(batch, {"threads": 1})

    repeated(attempt)


def erase_threads(work: Work) -> None:
    """Take over and delete all threads of the user, whatever goes on in them."""
    mine: Any = of_user("threads", platform=True)(work.db, work.uid).limit(1)
    while found := list(mine.stream()):
        work.check_time()
        thread_id = found[0].id
        repeated(lambda id=thread_id: _take(work, id))  # type: ignore[misc]
        erase_thread(work, thread_id)
        repeated(lambda id=thread_id: _delete_taken(work, id))  # type: ignore[misc]


def _read(db: Client, id: str, thread_id: str) -> tuple[Document, Document]:
    wanted = [reference(db, id), paths.thread(db, thread_id)]
    found = {snapshot.reference.path: snapshot for snapshot in db.get_all(wanted)}
    return found[wanted[0].path], found[wanted[1].path]


def _check(thread: Document, uid: str) -> None:
    data = thread.to_dict() or {}
    if data["uid"] != uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    lease = data.get("lease")
    if not lease:
        return
    run = thread.reference.collection(collection_id("runs")).document(lease["runId"]).get()
    if is_run_alive(run.to_dict() or {}):
        raise Aborted(
            f"run {lease['runId']} is still answering in this thread",
            field="threadId",
            hint="stop it with cancel_run, or wait for it",
            retry_after_s=2,
        )


def _claim_with_thread(
    db: Client, id: str, state: dict[str, Any], thread: Document, seconds: float
) -> Work | None:
    """Write the receipt and take the thread in one batch; None if the thread has changed."""
    from google.api_core.exceptions import FailedPrecondition as Moved
    from google.api_core.exceptions import NotFound as Gone

    batch = db.batch()
    _put_taken(batch, db, thread, id)
    fresh = {**state, "until": first_state(state["kind"], state["uid"], None)["until"]}
    batch.set(reference(db, id), fresh)
    try:
        written = batch.commit()
    except (Moved, Gone):
        return None
    return Work(db, id, fresh, written[-1].update_time, seconds)


def _take(work: Work, thread_id: str) -> bool:
    thread = paths.thread(work.db, thread_id).get()
    if not thread.exists or (thread.to_dict() or {})["uid"] != work.uid:
        return True
    batch = work.db.batch()
    gone = _put_taken(batch, work.db, thread, work.id)
    return work.commit(batch, gone)


def _put_taken(batch: WriteBatch, db: Client, thread: Document, id: str) -> dict[str, int]:
    """Put into the batch what keeps everybody else out; return what it removes."""
    data = thread.to_dict() or {}
    lease = data.get("lease")
    if lease:
        page = find_open_page(db, thread.id, lease["runId"])
        # Should it end after this look, its page has changed, and the batch fails.
        run = paths.run(db, thread.id, lease["runId"]).get()
        settle_runs(db, [run], now=datetime.now(UTC))
        page.remove(batch, db)
        batch.delete(run.reference)
        write_tombstone(batch, db, data["uid"], thread.id, lease["runId"])
    log = read_log(db, thread.id, at_least=data.get("nextMessage", 0))
    taken = {
        "lease": None,
        "leaseToken": data.get("leaseToken", 0) + 1,
        "nextMessage": log.next_message,
        "erasing": id,
    }
    batch.update(thread.reference, {**_emptied(thread), **taken}, option=_unchanged(thread))
    return {"runs": 1} if lease else {}


def _emptied(thread: Document) -> dict[str, Any]:
    """The changes that leave of a thread's own fields what says nothing."""
    from google.cloud.firestore import DELETE_FIELD
    from google.cloud.firestore_v1.field_path import FieldPath

    new: dict[str, Any] = {
        "title": "",
        "waiting": None,
        "allowed": {},
        "updatedAt": datetime.now(UTC),
    }
    own = {"lease", "leaseToken", "erasing"}
    others = set(thread.to_dict() or {}) - _KEPT - own - set(new)
    return {**{FieldPath(name).to_api_repr(): DELETE_FIELD for name in others}, **new}


def _own(work: Work, thread_id: str) -> Document | None:
    """The thread, if it is still this erasure's to finish."""
    thread: Document = paths.thread(work.db, thread_id).get()
    return thread if (thread.to_dict() or {}).get("erasing") == work.id else None


def _delete_taken(work: Work, thread_id: str) -> bool:
    thread = _own(work, thread_id)
    if thread is None:
        return True
    batch = work.db.batch()
    batch.delete(thread.reference, option=_unchanged(thread))
    return work.commit(batch, {"threads": 1})


def _in_thread(work: Work, section: Section, thread_id: str, field: str = "threadId") -> Any:
    from google.cloud.firestore import FieldFilter

    query: Any = section.find(work.db, work.uid)
    return query.where(filter=FieldFilter(field, "==", thread_id))


def _empty(work: Work, collection: Any) -> None:
    erase = _erase_run if collection.id == collection_id("runs") else delete
    kind = collection.id.removeprefix(collection_id(""))  # as receipts call it
    everything = Section(kind=kind, find=lambda db, uid: collection, erase=erase)
    erase_section(work, everything)


def _erase_run(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    write_tombstone(batch, db, uid, document.reference.parent.parent.id, document.id)
    batch.delete(document.reference)


def _unchanged(thread: Document) -> Any:
    from google.cloud.firestore import LastUpdateOption

    return LastUpdateOption(thread.update_time)


QUEUE = "continueerasure"
CALL_S = 20.0
"""How long a call works on an erasure itself before it leaves the rest to the queue."""
TASK_S = 400.0
_PASSES = 5

log = logging.getLogger("rollcall")


def erase_one_thread(
    platform: Platform, uid: str, thread_id: str, *, for_good: bool, seconds: float = CALL_S
) -> dict[str, Any]:
    """Clear one's own thread, or delete it for good; return the receipt.

    Raises:
        NotFound: There is no such thread, and it was not deleted lately.
        PermissionDenied: It is another user's.
        Aborted: A run is going on in it.
    """
    kind: Kind = "delete_thread" if for_good else "clear_thread"
    begun = begin_thread_erasure(platform.db, uid, thread_id, kind, seconds=seconds)
    if not isinstance(begun, Work):
        return receipt(*begun)
    return _advance(platform, begun, ())


def erase_user(
    platform: Platform,
    uid: str,
    sections: Sequence[Section],
    *,
    with_account: bool = False,
    seconds: float = CALL_S,
) -> dict[str, Any]:
    """Erase everything that is kept about a user; return the receipt.

    Args:
        sections: The packs' own.
        with_account: Also delete the account, once all else is gone.
    """
    db, id = platform.db, erasure_id("delete_my_data", uid, None)
    stored = reference(db, id).get()
    state = stored.to_dict() or {}
    if state and is_worked_on(state) and (state["deleteAccount"] or not with_account):
        return receipt(id, state)
    if not state or state["status"] != "running":
        state = first_state("delete_my_data", uid, None)
    state["deleteAccount"] = state["deleteAccount"] or with_account
    work = _claim(db, id, stored, state, seconds)
    if work is None:
        return _now(db, id)
    return _advance(platform, work, sections)


def begin_user_erasure(platform: Platform, uid: str) -> None:
    """Begin to erase a user whose account is gone; the queue does the work."""
    id = erasure_id("delete_my_data", uid, None)
    stored = reference(platform.db, id).get()
    state = stored.to_dict() or {}
    if state and state["status"] == "running":
        return
    state = first_state("delete_my_data", uid, None)
    work = _claim(platform.db, id, stored, state, 0)
    if work is not None:
        _hand_over(platform, work)


def continue_erasure(
    platform: Platform, id: str, sections: Sequence[Section], *, seconds: float = TASK_S
) -> None:
    """Go on with an erasure that its worker has left or lost; nothing if it is in hand or done."""
    stored = reference(platform.db, id).get()
    state = stored.to_dict() or {}
    if not state or state["status"] != "running" or is_worked_on(state):
        return
    work = _claim(platform.db, id, stored, state, seconds)
    if work is not None:
        _advance(platform, work, sections)


def resume_erasures(platform: Platform) -> int:
    """Put every erasure that nobody works on back into the queue; return how many."""
    from google.cloud.firestore import FieldFilter

    running = FieldFilter("status", "==", "running")
    erasures = platform.db.collection(collection_id("erasures"))
    query = erasures.where(filter=running).select(["status", "until"])
    left = [each.id for each in query.stream() if not is_worked_on(each.to_dict() or {})]
    for id in left:
        _enqueue(platform, id)
    return len(left)


def _claim(
    db: Client, id: str, stored: Document, state: dict[str, Any], seconds: float
) -> Work | None:
    """Become the worker; None if another one was faster."""
    from google.api_core.exceptions import AlreadyExists, FailedPrecondition, NotFound
    from google.cloud.firestore import LastUpdateOption

    fresh = {**state, "until": first_state(state["kind"], state["uid"], None)["until"]}
    try:
        if stored.exists:
            option = LastUpdateOption(stored.update_time)
            written = reference(db, id).update(fresh, option=option)
        else:
            written = reference(db, id).create(fresh)
    except (AlreadyExists, FailedPrecondition, NotFound):
        return None
    return Work(db, id, fresh, written.update_time, seconds)


def _advance(platform: Platform, work: Work, sections: Sequence[Section]) -> dict[str, Any]:
    """Work until it is done or time is over; then the queue goes on."""
    try:
        _STEPS[work.data["kind"]](work, sections)
    except Superseded:
        return _now(work.db, work.id)
    except OutOfTime:
        _hand_over(platform, work)
    except AgentError as error:
        # Trying again at once would fail again; the sweeper comes by when it may not.
        log.warning("erasure %s waits for the sweeper: %s", work.id, error.message)
    else:
        log.info("erasure %s: %d documents", work.id, work.removed)
    return receipt(work.id, work.data)


def _hand_over(platform: Platform, work: Work) -> None:
    try:
        work.commit(work.db.batch(), until=datetime.now(UTC))
    except Superseded:
        return
    _enqueue(platform, work.id)


def _enqueue(platform: Platform, id: str) -> None:
    try:
        platform.enqueue(QUEUE, {"id": id})
    except AgentError as error:
        log.warning("erasure %s waits for the sweeper: %s", id, error.message)


def _now(db: Client, id: str) -> dict[str, Any]:
    """The receipt as another worker has it."""
    state = reference(db, id).get().to_dict()
    if state is None:
        raise Aborted("this erasure is being begun; ask again", retry_after_s=1)
    return receipt(id, state)


def _clear_thread(work: Work, sections: Sequence[Section]) -> None:
    erase_thread(work, work.data["scope"])
    finish_clearing(work, work.data["scope"])


def _delete_thread(work: Work, sections: Sequence[Section]) -> None:
    erase_thread(work, work.data["scope"])
    finish_deleting(work, work.data["scope"])


def _delete_everything(work: Work, sections: Sequence[Section]) -> None:
    for _ in range(_PASSES):  # once more as long as there was something: clients may still write
        before = work.removed
        erase_section(work, DEVICES)
        erase_threads(work)
        for section in (*PLATFORM, *DECIDED, *sections, *AUDIT):
            erase_section(work, section)
        if work.removed == before:
            break
    if work.data["deleteAccount"]:
        delete_account(work.uid)
    repeated(lambda: work.finish(_with_trace(work)))


def delete_account(uid: str) -> None:
    """Delete an account; one that is not there is deleted.

    Raises:
        Unavailable: Auth did not do it.
    """
    from firebase_admin import auth  # type: ignore[import-untyped]

    try:
        auth.delete_user(uid)
    except auth.UserNotFoundError:
        return
    except Exception as error:  # the SDK, its transport and its credentials, each in its way
        raise Unavailable(f"the account cannot be deleted now: {error}") from error


def _with_trace(work: Work) -> WriteBatch:
    """A batch with the one audit entry that stays: that it happened, and to whom as a digest."""
    entry = audit.erasure_entry(
        uid=work.uid,
        erasure_id=f"{work.id} {work.data['startedAt'].isoformat()}",
        with_account=work.data["deleteAccount"],
        removed=work.data["counts"],
        at=datetime.now(UTC),
    )
    batch = work.db.batch()
    audit.write(batch, work.db, entry)
    return batch


_STEPS: dict[str, Callable[[Work, Sequence[Section]], None]] = {
    "clear_thread": _clear_thread,
    "delete_thread": _delete_thread,
    "delete_my_data": _delete_everything,
}
