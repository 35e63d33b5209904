"""What has become of a run, for who asks for it again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import PermissionDenied
from rollcall.core.wire import RunStatus
from rollcall.store.run_ids import used_before

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


class Finished(Struct, frozen=True):
    """The run was done before: its stored result, or the error it ended with."""

    result: dict[str, Any] | None
    error: dict[str, Any] | None = None


class GoingOn(Struct, frozen=True):
    """Somebody else is on this run at present."""

    thread_id: str
    run_id: str


class Stale(Struct, frozen=True):
    """The run was begun, and whoever was on it is gone: it can be taken up."""

    thread_id: str
    run_id: str


def repeated(
    run: dict[str, Any], snapshot: DocumentSnapshot, *, uid: str, request_digest: str
) -> Finished | GoingOn | Stale:
    """What has become of a run that is asked for again.

    Raises:
        PermissionDenied: It is another user's.
        AlreadyExists: It was asked for with other data.
    """
    thread_id = snapshot.reference.parent.parent.id
    if run["uid"] != uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if run["requestDigest"] != request_digest:
        raise used_before(snapshot.id)
    return state_of(run, thread_id=thread_id, run_id=snapshot.id)


def state_of(run: dict[str, Any], *, thread_id: str, run_id: str) -> Finished | GoingOn | Stale:
    """Whether a run is done, in somebody's hands, or left lying."""
    if run.get("result") is not None:
        return Finished(json.loads(run["result"]))
    if run["status"] != RunStatus.RUNNING:
        return Finished(None, run.get("error") or {})
    if run["leaseUntil"] > datetime.now(UTC):
        return GoingOn(thread_id, run_id)
    return Stale(thread_id, run_id)
