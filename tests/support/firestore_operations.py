"""Counts operations at Firestore: documents read, documents written, round trips.

The platform's own collections are counted apart from those that tools read and write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from google.cloud.firestore_v1.services.firestore.client import FirestoreClient


@dataclass
class FirestoreOperations:
    """Billed operations and round trips; a query that finds nothing is billed as one read.

    Attributes:
        reads: Documents read, and `writes` written or deleted, event documents apart.
        event_writes: Writes of event documents.
        tool_reads: The reads by tools, a part of `reads`.
        tool_writes: The writes by tools, a part of `writes`.
        bytes_read: Bytes of documents on the wire; `bytes_written` those of writes.
    """

    reads: int = 0
    writes: int = 0
    event_writes: int = 0
    tool_reads: int = 0
    tool_writes: int = 0
    round_trips: int = 0
    bytes_read: int = field(default=0, compare=False)
    bytes_written: int = field(default=0, compare=False)

    @property
    def platform_reads(self) -> int:
        return self.reads - self.tool_reads

    @property
    def platform_writes(self) -> int:
        return self.writes - self.tool_writes

    def read(self, path: str) -> None:
        self.reads += 1
        self.tool_reads += _is_by_tool(path)

    def wrote(self, path: str) -> None:
        if "/runs/" in path and "/events/" in path:
            self.event_writes += 1
            return
        self.writes += 1
        self.tool_writes += _is_by_tool(path)


PLATFORM = {
    *("threads", "budgets", "approvals", "effects", "audit"),
    *("registry", "capabilities", "agents", "ratings", "erasures", "runs"),
}


def _is_by_tool(path: str) -> bool:
    """Whether the path is outside of the platform's collections."""
    return path.partition("/documents/")[2].partition("/")[0] not in PLATFORM


@contextmanager
def count_operations() -> Iterator[FirestoreOperations]:
    """Count every call of every Firestore client in this process while the block runs."""
    found = FirestoreOperations()
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
        for write in writes:
            found.bytes_written += type(write).pb(write).ByteSize()
            found.wrote(write.update.name or write.delete)
        return answer

    def documents(request: Any, answer: Any) -> Iterator[Any]:
        seen = 0
        try:
            for item in answer:
                if path := _path(item):
                    seen += 1
                    found.bytes_read += type(item).pb(item).ByteSize()
                    found.read(path)  # counted here: a caller may stop half-way
                yield item
        finally:
            if not seen:  # an answer without documents is billed as one read
                found.read(_asked(request))

    wrap("commit", commit)
    wrap("batch_get_documents", documents)
    wrap("run_query", documents)
    wrap("run_aggregation_query", documents)
    try:
        yield found
    finally:
        for name, original in originals.items():
            setattr(FirestoreClient, name, original)


def _asked(request: Any) -> str:
    """The collection of a query."""
    request = request if isinstance(request, dict) else {"parent": request.parent}
    query = request.get("structured_query")
    names = [each.collection_id for each in query.from_] if query is not None else []
    return "/".join([request.get("parent", ""), *names])


def _path(item: Any) -> str:
    """The path of the document in a part of a response; "" if it has none."""
    if getattr(item, "found", None):
        return str(item.found.name)
    if getattr(item, "missing", None):
        return str(item.missing)
    return str(item.document.name) if getattr(item, "document", None) else ""
