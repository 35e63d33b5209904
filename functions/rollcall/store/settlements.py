"""What runs say of their slices when they end, and how a day gets to know it.

threads/{t}/runs/{r}       settlements: {slice: {day, spends: [...]}}
threads/{t}/views/window   settlements, of the run that left the view

A run that ends writes its own document anyway: there it leaves what was spent of its last slice.
The day goes on counting the slice in full until somebody needs to know better, and looks; or until
the thread's next run, which reads the view, writes the day for a reason of its own. A run that has
ended, or is gone, without a word on its slice has spent it in full, and so has one that says
nothing until the slice's time is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.options import collection_id
from rollcall.core.wire import RunStatus
from rollcall.store.budgets import Day, Known, Spend, change, user_day

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

Settlements = Mapping[str, Any]
"""What a run says, by slice."""


def settlement(slice_id: str, day: date, spends: Iterable[Spend]) -> Settlements:
    """What a run says that has spent this of a slice."""
    spent = [spend.dump() for spend in spends]
    return {slice_id: {"day": day.isoformat(), "spends": spent}}


def settlements_of(view: DocumentSnapshot) -> Settlements:
    """What the run said that left a thread's view."""
    return (view.to_dict() or {}).get("settlements") or {}


def settle_said(day: Day, said: Settlements) -> None:
    """Settle what a run has said, as far as the day still waits for it."""
    for id in said.keys() & day.slices.keys():
        day.settle(id, day.slices[id], [Spend.of(each) for each in said[id]["spends"]])


def look_up(db: Client, day: Day, *, now: datetime) -> None:
    """Settle what runs have said of their slices: one read for each of these runs."""
    waiting = {id: found.run for id, found in day.slices.items() if found.run}
    if not waiting:
        return
    references = [db.document(path) for path in sorted(set(waiting.values()))]
    runs = {run.reference.path: run.to_dict() for run in db.get_all(references)}
    for id, path in waiting.items():
        settle_said(day, (runs[path] or {}).get("settlements") or {})
        if id in day.slices and (_has_ended(runs[path]) or day.slices[id].until < now):
            day.lose(id)


def settle_day(
    db: Client, reference: DocumentReference, *, now: datetime, known: Known | None = None
) -> Day | None:
    """A user's day in settled numbers; None where it has no document. What was found out is
    written, so that nobody has to look for it again.

    Args:
        known: The document, if it was read a moment ago.
    Raises:
        Unavailable: Firestore cannot be reached.
    """

    def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
        if data is None:
            return None
        day = _day_of(data)
        look_up(db, day, now=now)
        day.count_expired(now)
        if day.slices.keys() == data["slices"].keys():
            return None
        return day.dump_over(data)

    found = change(db, reference, apply, known).data
    return None if found is None else _day_of(found)


def days_of(db: Client, uid: str, *, since: date, until: date, now: datetime) -> list[Day]:
    """A user's days with a document, from `since` to `until`, oldest first, in settled numbers."""
    from google.cloud.firestore import FieldFilter

    # By document id, which needs no index of its own and names this user alone.
    first, last = user_day(db, uid, since), user_day(db, uid, until)
    found = (
        db.collection(collection_id("budgets"))
        .where(filter=FieldFilter("__name__", ">=", first))
        .where(filter=FieldFilter("__name__", "<=", last))
        .stream()
    )
    return [settled(db, snapshot, now=now) for snapshot in found]


def settled(db: Client, snapshot: DocumentSnapshot, *, now: datetime) -> Day:
    """A user's day that was just read, in settled numbers."""
    known = Known(snapshot.to_dict(), snapshot.update_time)
    day = settle_day(db, snapshot.reference, now=now, known=known)
    return day or _day_of(snapshot.to_dict() or {})  # it was erased meanwhile


def settle_runs(db: Client, runs: Iterable[DocumentSnapshot], *, now: datetime) -> None:
    """Settle what these runs say of their slices, before their documents are deleted.

    Raises:
        Unavailable: Firestore cannot be reached.
    """
    days: dict[str, DocumentReference] = {}
    for run in runs:
        data = run.to_dict() or {}
        for said in (data.get("settlements") or {}).values():
            reference = user_day(db, data["uid"], date.fromisoformat(said["day"]))
            days[reference.path] = reference
    for reference in days.values():
        settle_day(db, reference, now=now)


def _day_of(data: dict[str, Any]) -> Day:
    return Day.of(data, uid=data.get("uid", ""), day=date.fromisoformat(data["day"]))


def _has_ended(run: dict[str, Any] | None) -> bool:
    return run is None or run["status"] != RunStatus.RUNNING
