"""Erasing a thread: all that was said in it, and for good also the thread itself.

The thread is taken first: a mark keeps new runs out, and the open page of a run that held it is
removed together with the run's document, so that it can save nothing more. What is left is then
removed in pages. Of each run whose id was its client's `runs/{k}` stays: uid, key, threadId. What
the runs say they spent is settled before they go.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted, NotFound, PermissionDenied
from rollcall.core.options import collection_id
from rollcall.core.user_data import Section, delete, of_user
from rollcall.store import paths
from rollcall.store.erasures import (
    Kind,
    Work,
    erase_section,
    erasure_id,
    first_state,
    is_worked_on,
    reference,
    repeated,
)
from rollcall.store.file_records import FILES
from rollcall.store.files import SECTION_READS, erase_file
from rollcall.store.holding import is_alive
from rollcall.store.pages import find_page
from rollcall.store.run_ids import write_erased
from rollcall.store.settlements import settle_runs
from rollcall.store.window import read_log

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.user_data import Document

_KEPT = {
    "schemaVersion",
    "uid",
    "agent",
    "status",
    "createdAt",
    "nextMessage",  # numbers go on, so that no message is ever taken for another
}
_TRIES = 5

APPROVALS = Section(kind="approvals", find=of_user("approvals", platform=True), erase=delete)
EFFECTS = Section(kind="effects", find=of_user("effects", platform=True), erase=delete)
RATINGS = Section(kind="ratings", find=of_user("ratings", platform=True), erase=delete)
ATTACHMENTS = Section(
    kind="files", find=of_user(FILES, platform=True), erase=erase_file, reads=SECTION_READS, page=10
)


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
    if is_alive(run.to_dict() or {}):
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
        page = find_page(db, thread.id, lease["runId"])
        # Should it end after this look, its page has changed, and the batch fails.
        run = paths.run(db, thread.id, lease["runId"]).get()
        settle_runs(db, [run], now=datetime.now(UTC))
        page.remove(batch, db)
        batch.delete(run.reference)
        write_erased(batch, db, data["uid"], thread.id, lease["runId"])
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
    write_erased(batch, db, uid, document.reference.parent.parent.id, document.id)
    batch.delete(document.reference)


def _unchanged(thread: Document) -> Any:
    from google.cloud.firestore import LastUpdateOption

    return LastUpdateOption(thread.update_time)
