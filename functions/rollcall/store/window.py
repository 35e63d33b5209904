"""A thread's recent messages: from the view that its last run left, or from the log itself.

    threads/{t}/views/window   token, nextMessage, turnId, log, decisions, toldDecisions,
                               settlements

Every run writes the view as it ends, with the token of its lease. So the view also says that the
lease is over: while its token is the thread's newest, no run has been opened since. A run that was
cut off leaves no view, and its steps are read from the log. The documents rest in `log` as one JSON
text, which is read and written many times as fast as maps are; an older view has them as a list,
`documents`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store import migrations, paths
from rollcall.store.message_log import without_media, without_replaced

if TYPE_CHECKING:
    from google.cloud.firestore import Client
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

WINDOW_DOCUMENTS = 40
"""How many documents of the log the view holds beside those of the newest turn, which it holds from
its first."""
WINDOW_BYTES = 600_000
LOG_PAGES = 10
"""How far back the log is read, in pages of `WINDOW_DOCUMENTS`, where replaced turns take up room
or the newest turn is long."""

log = logging.getLogger("rollcall")


class RecentLog(Struct, frozen=True):
    """The newest documents of a thread's log, in their order, without those of replaced turns.

    Attributes:
        next_message: The number of the next document.
        time: When the newest document was written, as Firestore says; None if read from the view.
        decisions: What the view says was decided before, also where the documents are the log's.
    """

    documents: list[dict[str, Any]]
    next_message: int
    time: Any = None
    decisions: list[str] = field(default_factory=list)


def run_has_ended(thread: dict[str, Any], view: DocumentSnapshot) -> bool:
    """Whether the run that took the thread's lease last has ended and left this view."""
    found = view.to_dict() or {}
    if not thread.get("lease") and "token" not in found:  # written by version 2
        return bool(found.get("nextMessage") == thread.get("nextMessage"))
    return bool(found.get("token") == thread.get("leaseToken"))


def read_recent(
    db: Client, thread_id: str, thread: dict[str, Any], view: DocumentSnapshot
) -> RecentLog:
    """Return a thread's recent log: from its view if that is up to date, otherwise from the log."""
    if not thread:
        return RecentLog([], 0)
    found = view.to_dict() or {}
    decisions = decisions_of(view)
    kept = json.loads(found["log"]) if "log" in found else list(found.get("documents") or ())
    if run_has_ended(thread, view) and (kept or not found["nextMessage"]):
        documents = [migrations.read("message", each) for each in kept]
        # A view may lack the newest document (it was too large), so its count counts.
        after = max(found["nextMessage"], thread.get("nextMessage", 0))
        return RecentLog(documents, after, decisions=decisions)
    log.info("thread %s: the window view is rebuilt from the log", thread_id)
    read = read_log(db, thread_id, at_least=thread.get("nextMessage", 0))
    return replace(read, decisions=decisions)


def decisions_of(view: DocumentSnapshot) -> list[str]:
    """Return what was decided in the thread, in lines, as the last run's view has it."""
    return list((view.to_dict() or {}).get("decisions") or ())


def decisions_at_turn_start(view: DocumentSnapshot, turn_id: str) -> list[str]:
    """Return the decisions that the turn's prompt began with and keeps until the turn ends: a
    prompt whose beginning changes is paid for anew."""
    data = view.to_dict() or {}
    told = data.get("toldDecisions") if data.get("turnId") == turn_id else None
    return decisions_of(view) if told is None else list(told)


def read_log(
    db: Client, thread_id: str, *, at_least: int = 0, without: str | None = None
) -> RecentLog:
    """Return a thread's recent log, read from its messages.

    Args:
        at_least: The next document's number where the log is empty: it was cleared.
        without: A turn to leave out beside those that were replaced.
    """
    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    newest_first = messages.order_by("n", direction="DESCENDING").limit(WINDOW_DOCUMENTS)
    snapshots: list[Any] = []
    documents: list[dict[str, Any]] = []
    for _ in range(LOG_PAGES):
        query = newest_first.start_after(snapshots[-1]) if snapshots else newest_first
        page = list(query.stream())
        snapshots += page
        read = [migrations.read("message", each.to_dict() or {}) for each in reversed(snapshots)]
        current = without_replaced(read, without=without)
        # The newest turn is whole, whatever its length.
        documents = current[-max(WINDOW_DOCUMENTS, len(_newest_turn(current))) :]
        is_enough = len(documents) >= WINDOW_DOCUMENTS and has_whole_turn(documents)
        if len(page) < WINDOW_DOCUMENTS or is_enough:
            break
    if not snapshots:
        return RecentLog([], at_least)
    after = int((snapshots[0].to_dict() or {})["n"]) + 1
    return RecentLog(documents, max(after, at_least), snapshots[0].update_time)


def has_whole_turn(documents: Sequence[dict[str, Any]]) -> bool:
    """Whether a thread's newest documents hold the newest turn from its first."""
    turn = _newest_turn(documents)
    return bool(turn) and turn[0]["role"] == "user"


def _newest_turn(documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    newest_id = documents[-1].get("turnId") if documents else None
    return [each for each in documents if each.get("turnId") == newest_id]


def window_document(
    documents: Sequence[dict[str, Any]],
    *,
    uid: str,
    token: int,
    next_message: int,
    decisions: Sequence[str] = (),
    told: Sequence[str] = (),
    settlements: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the view that a run leaves: the newest documents that fit, and what was decided.

    Args:
        told: Of the decisions, those that the turn's prompt began with.
        settlements: What the run says it spent (`store/budgets.py`).
    """
    kept: list[str] = []
    size = 0
    most = WINDOW_DOCUMENTS + len(_newest_turn(documents))
    for document in map(without_media, reversed(documents[-most:])):
        kept.append(json.dumps(document, ensure_ascii=False, default=str))  # dates are for people
        size += len(kept[-1].encode())
        if size > WINDOW_BYTES:
            kept.pop()
            break
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": uid,
        "token": token,
        "nextMessage": next_message,
        "turnId": documents[-1].get("turnId"),
        "log": f"[{','.join(reversed(kept))}]",
        "documents": [],  # an instance of the version before reads the log instead
        "decisions": list(decisions),
        "toldDecisions": list(told),
        "settlements": dict(settlements or {}),
    }
