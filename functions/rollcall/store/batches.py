"""Reading several documents at once, and committing what another may have been faster with."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

A = TypeVar("A")
B = TypeVar("B")

CONTENDED_S = 10.0
"""Somebody who loses every race for a document this long is told to try again."""
MOST_PAUSE_S = 0.25


def attempts(*, within_s: float = CONTENDED_S, most_pause_s: float = MOST_PAUSE_S) -> Iterator[int]:
    """Count the tries at a preconditioned write, each after a moment by chance, longer each time,
    so that many who want the same document all get their turn.

    Args:
        within_s: No try begins later; the first is always made.
        most_pause_s: The longest moment between two.
    """
    started, number = time.monotonic(), 0
    while number == 0 or time.monotonic() - started < within_s:
        yield number
        number += 1
        time.sleep(random.uniform(0, min(0.01 * 2 ** min(number, 20), most_pause_s)))


def read_all(db: Client, *references: Any) -> list[Any]:
    """The snapshots of these documents, in their order, in one round trip."""
    if not references:
        return []
    found = {snapshot.reference.path: snapshot for snapshot in db.get_all(list(references))}
    return [found[reference.path] for reference in references]


def in_parallel(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """Do both at the same time. Both are over when this returns or raises."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(copy_context().run, second)
        return first(), other.result()


def try_commit(batch: WriteBatch) -> Any:
    """Commit a preconditioned batch: what was written, or None when somebody was faster."""
    from google.api_core.exceptions import Conflict, FailedPrecondition, NotFound

    try:
        return batch.commit()
    except (Conflict, FailedPrecondition, NotFound):
        return None
