"""Erasures: the receipt of one, begun before anything is removed, and the work it stands for.

erasures/{id}   uid, kind, scope, status, counts, startedAt, endedAt, until

Every commit of an erasure also writes its receipt, provided that nobody else has: the counts are
those of what is gone, of two workers one goes on, and a worker that was killed left everything as
its last commit says. `until` is how long a worker may be silent before another takes over.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from rollcall.core.errors import Aborted, Internal
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.user_data import Receipt, Section

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
