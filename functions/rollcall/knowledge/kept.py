"""Parts of documents that this process has read, kept while they fit: a part never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MOST_BYTES = 32_000_000
_AT_ONCE = 8


class Kept:
    """The parts that were asked for last, at most `most` bytes of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, db: Client, paths: Sequence[str]) -> list[bytes | None]:
        """The parts at these paths; None for one that is not there. Only those not kept are read
        from Firestore."""
        found = {path: self._kept((db.project, path)) for path in paths}
        missing = [path for path, data in found.items() if data is None]
        for path, data in read_parts(db, missing):
            found[path] = data
            self._keep((db.project, path), data)
        return [found[path] for path in paths]

    def _kept(self, key: tuple[str, str]) -> bytes | None:
        with self._lock:
            if key in self._parts:
                self._parts.move_to_end(key)
            return self._parts.get(key)

    def _keep(self, key: tuple[str, str], data: bytes) -> None:
        with self._lock:
            before = self._parts.pop(key, b"")
            self._parts[key] = data
            self._bytes += len(data) - len(before)
            while self._bytes > self._most:
                _, dropped = self._parts.popitem(last=False)
                self._bytes -= len(dropped)


def read_parts(db: Client, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The parts that are there, each with its path; a few in each round trip."""
    for start in range(0, len(paths), _AT_ONCE):
        references = [db.document(path) for path in paths[start : start + _AT_ONCE]]
        for snapshot in db.get_all(references):
            if snapshot.exists:
                yield snapshot.reference.path, bytes(snapshot.get("data"))


@cache
def kept() -> Kept:
    """This process's."""
    return Kept(MOST_BYTES)
