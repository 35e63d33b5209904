"""Firestore operations that every store shares: batched reads, preconditioned writes, retries.

A write requires that its document has not changed since it was read (by its update time), and is
retried after a lost race. Nothing uses transactions: their locks would queue up behind one another.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

A = TypeVar("A")
B = TypeVar("B")

CONTENDED_S = 10.0
"""A request that loses every race for a document for this long fails with a retryable error."""
MAX_PAUSE_S = 0.25


def where(field: str, operator: str, value: Any) -> Any:
    """Return the filter `field operator value` for a query's `where(filter=...)`."""
    from google.cloud.firestore import FieldFilter

    return FieldFilter(field, operator, value)


def read_all(db: Client, *references: Any) -> list[Any]:
    """Read documents in one round trip; return their snapshots in the order of the references."""
    if not references:
        return []
    by_path = {snapshot.reference.path: snapshot for snapshot in db.get_all(list(references))}
    return [by_path[reference.path] for reference in references]


def update_unchanged(batch: WriteBatch, snapshot: Any, fields: dict[str, Any]) -> None:
    """Add an update to a batch, which fails if the document has changed since it was read."""
    from google.cloud.firestore import LastUpdateOption

    batch.update(snapshot.reference, fields, option=LastUpdateOption(snapshot.update_time))


def write_unchanged(batch: WriteBatch, snapshot: Any, data: dict[str, Any]) -> None:
    """Like `update_unchanged`, but create a document that did not exist."""
    if snapshot.exists:
        update_unchanged(batch, snapshot, data)
    else:
        batch.create(snapshot.reference, data)


def try_commit(batch: WriteBatch) -> Any:
    """Commit a preconditioned batch.

    Returns:
        The write results; None if a precondition failed, so that nothing was written.
    """
    from google.api_core.exceptions import Conflict, FailedPrecondition, NotFound

    try:
        return batch.commit()
    except (Conflict, FailedPrecondition, NotFound):  # Conflict: Aborted and AlreadyExists
        return None


def attempts(*, within_s: float = CONTENDED_S, most_pause_s: float = MAX_PAUSE_S) -> Iterator[int]:
    """Count the attempts at a preconditioned write, with a random and growing pause before each but
    the first, so that every process that writes the same document gets its turn.

    Args:
        within_s: No attempt begins later than this; the first is always made.
        most_pause_s: The longest pause between two attempts.
    """
    started, number = time.monotonic(), 0
    while number == 0 or time.monotonic() - started < within_s:
        yield number
        number += 1
        time.sleep(random.uniform(0, min(0.02 * 2 ** min(number, 20), most_pause_s)))


def in_parallel(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """Run two functions at the same time; both have ended when this returns or raises."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(copy_context().run, second)
        return first(), other.result()
