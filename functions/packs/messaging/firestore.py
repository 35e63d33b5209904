"""Parallel reads in batches, and optimistic writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from packs.messaging.wording import TEXTS
from rollcall.core.errors import Aborted
from rollcall.store.batches import CONTENDED_S, attempts

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot


T = TypeVar("T")
R = TypeVar("R")

BRANCHES = 30
"""Most values of a query's `in` filter, and most combinations of values of several."""
IN_VALUES = 10
"""Values of one `in` filter that has another of few values beside it."""
_AT_ONCE = 8
_DELETES = 400


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut into lists of at most `size`, without reading ahead."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def side_by_side(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Do `work` for each item, several at once, and return the results in order."""
    if len(items) < 2:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(_AT_ONCE, len(items))) as pool:
        # The caller's context goes along, so that log entries still belong to its request.
        futures = [pool.submit(copy_context().run, work, item) for item in items]
        return [future.result() for future in futures]


def fetch(query: Any) -> list[DocumentSnapshot[Any]]:
    """Return the documents that a query finds."""
    return list(query.stream())


def delete_documents(db: Client, snapshots: Iterable[DocumentSnapshot[Any]]) -> None:
    """Delete documents, in commits of a size that Firestore takes."""
    for some in chunks(snapshots, _DELETES):
        batch = db.batch()
        for snapshot in some:
            batch.delete(snapshot.reference)
        batch.commit()


def count(query: Any) -> int:
    """Count the documents that a query finds, in Firestore: one read per thousand."""
    return int(query.count().get()[0][0].value)


def until_unchanged(work: Callable[[], R], *, within_s: float = CONTENDED_S) -> R:
    """Repeat `work` until its preconditions hold; it must read its documents anew each time.

    Args:
        within_s: No attempt but the first begins later than this.
    Raises:
        Aborted: Other writers changed the documents at every attempt.
    """
    from google.api_core.exceptions import Conflict, FailedPrecondition, NotFound

    for _ in attempts(within_s=within_s):
        try:
            return work()
        except (Conflict, FailedPrecondition, NotFound):  # Conflict: Aborted and AlreadyExists
            continue
    raise Aborted(TEXTS.text("errors.too_many_writers"), retry_after_s=1)
