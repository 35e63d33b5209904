"""The platform's sections of user data, and their export.

A section says how a user's documents of one kind are found, exported and erased (`erasure`). Packs
declare their own. The export is JSON in pages, each with a cursor for the next one. Pages continue
after a document's name, not at a number, so writes during an export shift nothing: every document
that existed at the first page is in exactly one page. A cursor grants no access: every page queries
this user's documents only.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import InvalidArgument
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.user_data import Section, as_stored, delete, listing_user, of_user
from rollcall.store import paths
from rollcall.store.budgets import read_day

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.user_data import Document

ERASED = "erased"
"""Replaces the id of an erased user in documents that belong to others."""


def _strip_entry(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Reduce an audit entry to the fact that something happened, and when. It moves to a random id:
    its own is derived from the event, and a later event of the same kind may need it."""
    at = (document.to_dict() or {}).get("at") or document.create_time
    stripped = {"schemaVersion": SCHEMA_VERSION, "kind": ERASED, "at": at}
    batch.create(paths.audit(db, uuid.uuid4().hex), stripped)
    batch.delete(document.reference)


def _forget_among_deciders(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Remove a user from the deciders in the audit entry of another user's run."""
    from google.cloud.firestore import ArrayRemove

    approvals = [
        {**each, "by": ERASED} if each.get("by") == uid else each
        for each in (document.to_dict() or {}).get("approvals", [])
    ]
    changes = {"deciders": ArrayRemove([uid]), "approvals": approvals}
    batch.update(document.reference, changes)


def _forget_decider(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Remove a user as the decider of another user's approval; the decision itself stays."""
    from google.cloud.firestore import DELETE_FIELD

    batch.update(document.reference, {"decision.by": ERASED, "decision.reason": DELETE_FIELD})


def _settled_day(document: Document) -> dict[str, Any]:
    """Return a day's document in which unsettled reservations of ended runs count as spent."""
    data = document.to_dict() or {}
    day = read_day(document.reference._client, data, now=datetime.now(UTC))
    day.settled, day.reserved = day.spent, day.used - day.spent
    return {**data, **day.dump()}


def _forget_spend(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Delete a user's day. Today's stays, without the user's id, so that an erasure resets no
    limit."""
    from google.cloud.firestore import DELETE_FIELD

    now = datetime.now(UTC)
    day = (document.to_dict() or {}).get("day")
    if day is not None and day < now.date().isoformat():
        batch.delete(document.reference)
        return
    expires = now + timedelta(days=2)
    batch.update(document.reference, {"uid": DELETE_FIELD, "expiresAt": expires})


def _own_decision(data: dict[str, Any], uid: str) -> dict[str, Any] | None:
    """Return a user's decision on another user's approval; None for the user's own approvals, which
    are exported in full."""
    if data.get("uid") == uid:
        return None
    return {"tool": data.get("tool"), "decision": data["decision"]}


def _own(kind: str, collection: str | None = None) -> Section:
    find = of_user(collection or kind, platform=True)
    return Section(kind=kind, find=find, show=as_stored, erase=delete)


DEVICES = _own("devices")
APPROVALS = _own("approvals")
EFFECTS = _own("effects")
RATINGS = _own("ratings")
PLATFORM = (
    APPROVALS,
    EFFECTS,
    _own("erasedRuns", "runs"),
    Section(
        kind="budgets",
        find=of_user("budgets", platform=True),
        show=as_stored,
        whole=_settled_day,
        erase=_forget_spend,
        reads=("day",),
    ),
    RATINGS,
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
        erase=lambda db, batch, approval, uid: batch.update(
            approval.reference, {"deciderUid": ERASED}
        ),
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
    Section(
        kind="auditDecisions",
        find=of_user("audit", "by", platform=True),
        erase=lambda db, batch, entry, uid: batch.update(entry.reference, {"by": ERASED}),
    ),
    Section(
        kind="auditDeciders",
        find=listing_user("audit", "deciders", platform=True),
        erase=_forget_among_deciders,
        reads=("approvals",),
    ),
)


# ---- Export ----

PAGE_BYTES = 900_000
PAGE_ITEMS = 500
_READ_AT_ONCE = 25

Item = dict[str, Any]
Position = tuple[str, ...]
"""Where an export continues: `(kind, document)`, after that document of a section, or `("threads",
thread, collection, document)` inside a thread. The first page's is `("threads",)`."""

_THREADS = "threads"
_IN_THREAD = ("messages", "runs")
_INTERNAL = {
    "threads": {"lease", "leaseToken", "erasing"},
    "messages": {"savedBy"},
    "runs": {
        *("leaseUntil", "leaseShard", "keptUntil", "token", "opener", "attempt", "fruitless"),
        *("reached", "requestDigest", "key", "cancelRequested"),
    },
}


def export_page(
    db: Client, uid: str, sections: Sequence[Section], cursor: str | None
) -> dict[str, Any]:
    """Return one page of a user's data.

    Returns:
        `{items: [{kind, id, threadId?, data}], cursor}`; the last page's cursor is None.
    Raises:
        InvalidArgument: The cursor does not come from a page.
    """
    exported = [section for section in sections if section.show is not None]
    position = _read_cursor(cursor, exported) if cursor else (_THREADS,)
    items: list[Item] = []
    size = 0
    for at, item in _items(db, uid, exported, position):
        size += len(json.dumps(item, ensure_ascii=False).encode())
        if items and (size > PAGE_BYTES or len(items) == PAGE_ITEMS):
            text = json.dumps(position, ensure_ascii=False)
            return {"items": items, "cursor": base64.urlsafe_b64encode(text.encode()).decode()}
        items.append(item)
        position = at
    return {"items": items, "cursor": None}


def _items(
    db: Client, uid: str, sections: Sequence[Section], position: Position
) -> Iterator[tuple[Position, Item]]:
    """Yield the items after a position, each with its own position."""
    kind, *names = position
    if kind == _THREADS:
        if names:  # the rest of the thread in which the last page ended, if it is this user's
            thread = paths.thread(db, names[0]).get(["uid"])
            if (thread.to_dict() or {}).get("uid") == uid:
                collection, after = names[1:] or (_IN_THREAD[0], None)
                yield from _items_in_thread(db, names[0], collection, after)
        threads = of_user(_THREADS, platform=True)(db, uid)
        for thread in _pages(threads, names[0] if names else None):
            yield (_THREADS, thread.id), _item(_THREADS, thread.id, thread)
            yield from _items_in_thread(db, thread.id, _IN_THREAD[0], None)
    kinds = [_THREADS, *(section.kind for section in sections)]
    for section in sections[max(kinds.index(kind) - 1, 0) :]:
        assert section.show is not None
        after = names[0] if section.kind == kind else None
        for snapshot in _pages(section.find(db, uid), after):
            document = section.whole(snapshot) if section.whole else snapshot.to_dict()
            data = section.show(document or {}, uid)
            if data is not None:
                item = {"kind": section.kind, "id": snapshot.id, "data": plain(data)}
                yield (section.kind, snapshot.id), item


def _items_in_thread(
    db: Client, thread_id: str, collection: str, after: str | None
) -> Iterator[tuple[Position, Item]]:
    """Yield the items of a thread after a document of one of its collections."""
    for name in _IN_THREAD[_IN_THREAD.index(collection) :]:
        query = paths.thread(db, thread_id).collection(collection_id(name))
        for snapshot in _pages(query, after if name == collection else None):
            yield (_THREADS, thread_id, name, snapshot.id), _item(name, thread_id, snapshot)


def _item(kind: str, thread_id: str, snapshot: Any) -> Item:
    hidden = _INTERNAL.get(kind, set())
    data = {key: value for key, value in snapshot.to_dict().items() if key not in hidden}
    return {"kind": kind, "id": snapshot.id, "threadId": thread_id, "data": plain(data)}


def _pages(query: Any, after: str | None) -> Iterator[Any]:
    """Yield a query's documents in the order of their names, a page at a time.

    Args:
        after: The name of the document to continue after.
    """
    query = query.order_by("__name__").limit(_READ_AT_ONCE)
    page = query.start_after({"__name__": after}) if after is not None else query
    while snapshots := list(page.stream()):
        yield from snapshots
        if len(snapshots) < _READ_AT_ONCE:
            return
        page = query.start_after(snapshots[-1])


def plain(value: Any) -> Any:
    """Return a stored value as JSON: times as ISO 8601, bytes as base64, references as paths, a
    vector as a list, and as text a number that is not finite."""

    def other(value: Any) -> Any:
        if isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        if hasattr(value, "path"):
            return value.path
        if hasattr(value, "latitude"):
            return {"latitude": value.latitude, "longitude": value.longitude}
        return list(value)

    return json.loads(
        json.dumps(value, default=other), parse_constant=lambda name: str(float(name))
    )


def _read_cursor(cursor: str, sections: Sequence[Section]) -> Position:
    """Return the position that a cursor encodes.

    Raises:
        InvalidArgument: The cursor does not come from a page.
    """
    try:
        names = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, RecursionError):
        names = None
    if not (isinstance(names, list) and names and all(map(_is_name, names))):
        names = [""]
    if names[0] == _THREADS:
        fits = len(names) == 2 or (len(names) == 4 and names[2] in _IN_THREAD)
    else:
        fits = len(names) == 2 and any(section.kind == names[0] for section in sections)
    if not fits:
        raise InvalidArgument(
            "send the cursor of the previous page unchanged, or none for the first page",
            field="cursor",
        )
    return tuple(names)


def _is_name(value: Any) -> bool:
    """Whether a value is valid as a Firestore document's name."""
    return (
        isinstance(value, str)
        and not any("\ud800" <= char <= "\udfff" for char in value)
        and 0 < len(value.encode()) <= 1_500
        and "/" not in value
        and value not in {".", ".."}
        and not (value.startswith("__") and value.endswith("__"))
    )
