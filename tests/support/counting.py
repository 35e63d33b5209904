"""Counts what work costs at Firestore: documents read, documents written, round trips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from google.cloud.firestore_v1.services.firestore.client import FirestoreClient


@dataclass
class Counted:
    """Billed operations and round trips; a query that finds nothing is billed as one read."""

    reads: int = 0
    writes: int = 0
    round_trips: int = 0


@contextmanager
def counted() -> Iterator[Counted]:
    """Count every call of every Firestore client in this process while the block runs."""
    found = Counted()
    originals: dict[str, Callable[..., Any]] = {}

    def wrap(name: str, count: Callable[[Any, Any], Any]) -> None:
        original = originals[name] = getattr(FirestoreClient, name)

        def counting(self: FirestoreClient, *args: Any, **kwargs: Any) -> Any:
            found.round_trips += 1
            request = kwargs.get("request") or (args[0] if args else None)
            return count(request, original(self, *args, **kwargs))

        setattr(FirestoreClient, name, counting)

    def commit(request: Any, answer: Any) -> Any:
        writes = request["writes"] if isinstance(request, dict) else request.writes
        found.writes += len(writes)
        return answer

    def documents(request: Any, answer: Any) -> Iterator[Any]:
        found.reads += 1  # an answer without documents is billed as one read
        first = True
        for item in answer:
            if getattr(item, "found", None) or getattr(item, "missing", None) or _document(item):
                found.reads += not first  # counted here: a caller may stop half-way
                first = False
            yield item

    wrap("commit", commit)
    wrap("batch_get_documents", documents)
    wrap("run_query", documents)
    wrap("run_aggregation_query", documents)
    try:
        yield found
    finally:
        for name, original in originals.items():
            setattr(FirestoreClient, name, original)


def _document(item: Any) -> bool:
    return bool(getattr(item, "document", None) and item.document.name)
