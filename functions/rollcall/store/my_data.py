"""Erasing what is kept about a user: one thread, or all of it, to the end, however often killed."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.context import Platform
from rollcall.core.errors import Aborted, AgentError
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.user_data import Section, as_stored, delete, listing_user, of_user
from rollcall.store import audit, paths
from rollcall.store.erasures import (
    Kind,
    OutOfTime,
    Superseded,
    Work,
    erase_section,
    erasure_id,
    first_state,
    is_worked_on,
    receipt,
    reference,
    repeated,
)
from rollcall.store.settlements import settled
from rollcall.store.thread_erasure import (
    APPROVALS,
    EFFECTS,
    begin_thread_erasure,
    erase_thread,
    erase_threads,
    finish_clearing,
    finish_deleting,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.user_data import Document

QUEUE = "continueerasure"
CALL_S = 20.0
"""How long a call works on an erasure itself before it leaves the rest to the queue."""
TASK_S = 400.0
ERASED = "erased"
"""Stands where a user's id was in what belongs to others."""
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
        from rollcall.store.accounts import delete_account

        delete_account(work.uid)
    repeated(lambda: work.finish(_with_trace(work)))


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


def _strip_entry(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Leave of an audit entry that something happened, and when, under an id that follows from
    nothing: the entry's own tells what it was about, and is free for the like that comes after."""
    at = (document.to_dict() or {}).get("at") or document.create_time
    left = {"schemaVersion": SCHEMA_VERSION, "kind": ERASED, "at": at}
    batch.create(paths.audit(db, uuid.uuid4().hex), left)
    batch.delete(document.reference)


def _forget_by(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    batch.update(document.reference, {"by": ERASED})


def _forget_among_deciders(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Take the user who decided something in another's run out of its entry."""
    from google.cloud.firestore import ArrayRemove

    approvals = [
        {**each, "by": ERASED} if each.get("by") == uid else each
        for each in (document.to_dict() or {}).get("approvals", [])
    ]
    changes = {"deciders": ArrayRemove([uid]), "approvals": approvals}
    batch.update(document.reference, changes)


def _forget_decider(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Take the user who decided another's approval out of it; that it was decided stays."""
    from google.cloud.firestore import DELETE_FIELD

    batch.update(document.reference, {"decision.by": ERASED, "decision.reason": DELETE_FIELD})


def _forget_named_decider(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    batch.update(document.reference, {"deciderUid": ERASED})


def _settled(document: Document) -> dict[str, Any]:
    """A day with what its runs have said since it was written."""
    data = document.to_dict() or {}
    if not data.get("slices"):
        return data
    return settled(document.reference._client, document, now=datetime.now(UTC)).dump()


def _forget_spend(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Delete a day's spend, but today's stays without a name: erasing renews no limit."""
    from google.cloud.firestore import DELETE_FIELD

    now = datetime.now(UTC)
    day = (document.to_dict() or {}).get("day")
    if day is not None and day < now.date().isoformat():
        batch.delete(document.reference)
        return
    expires = now + timedelta(days=2)
    batch.update(document.reference, {"uid": DELETE_FIELD, "expiresAt": expires})


def _own_decision(data: dict[str, Any], uid: str) -> dict[str, Any] | None:
    """Of another's approval, what this user said to it; one's own is exported whole."""
    if data.get("uid") == uid:
        return None
    return {"tool": data.get("tool"), "decision": data["decision"]}


def _of_own(kind: str) -> Section:
    return Section(kind=kind, find=of_user(kind, platform=True), show=as_stored, erase=delete)


DEVICES = _of_own("devices")
PLATFORM = (
    Section(kind="approvals", find=APPROVALS.find, show=as_stored, erase=delete),
    Section(kind="effects", find=EFFECTS.find, show=as_stored, erase=delete),
    Section(kind="erasedRuns", find=of_user("runs", platform=True), show=as_stored, erase=delete),
    _of_own("runKeys"),  # of earlier versions
    Section(
        kind="budgets",
        find=of_user("budgets", platform=True),
        show=as_stored,
        whole=_settled,
        erase=_forget_spend,
        reads=("day",),
    ),
    _of_own("ratings"),
)
DECIDED = (
    Section(
        kind="decisionsMade",
        find=of_user("approvals", "decision.by", platform=True),
        show=_own_decision,
        erase=_forget_decider,
    ),
    Section(
        kind="decisionsAsked",
        find=of_user("approvals", "deciderUid", platform=True),
        erase=_forget_named_decider,
    ),
)
AUDIT = (
    Section(
        kind="audit",
        find=of_user("audit", platform=True),
        show=as_stored,
        erase=_strip_entry,
        reads=("at",),
    ),
    Section(kind="auditDecisions", find=of_user("audit", "by", platform=True), erase=_forget_by),
    Section(
        kind="auditDeciders",
        find=listing_user("audit", "deciders", platform=True),
        erase=_forget_among_deciders,
        reads=("approvals",),
    ),
)
