"""What was compiled, as it is in memory: entries are read one by one, when somebody wants them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from rollcall.registry.authorising import Permissions
from rollcall.registry.entries import Entry
from rollcall.registry.parts import HEAD, INDEX, VECTORS, Segment, segment_of, unpacked

if TYPE_CHECKING:
    from rollcall.registry.index import Index
    from rollcall.registry.vectors import VectorIndex


log = logging.getLogger("rollcall")


class Entries(Mapping[str, Entry]):
    """All capabilities by id, in the order of their ids."""

    def __init__(self, ids: list[str], segments: Mapping[str, Segment], parts: Mapping[str, bytes]):
        self.ids = ids
        self.places = {id: place for place, id in enumerate(ids)}
        self._segments = segments
        self._parts = parts
        self._lines: dict[int, dict[str, bytes]] = {}
        self._read: dict[str, Entry] = {}
        self._lock = Lock()

    def __getitem__(self, id: str) -> Entry:
        found = self._read.get(id)
        if found is None:
            if id not in self.places:
                raise KeyError(id)
            found = self._read[id] = Entry.of_record(json.loads(self._line(id)))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def _line(self, id: str) -> bytes:
        number = segment_of(id, len(self.ids))
        with self._lock:
            if number not in self._lines:
                data = unpacked(self._segments[f"entries-{number}"], self._parts)
                ids = [each for each in self.ids if segment_of(each, len(self.ids)) == number]
                self._lines[number] = dict(zip(ids, data.split(b"\n"), strict=True))
        return self._lines[number][id]


class Content:
    """The compiled registry of one digest.

    Attributes:
        agents: By id, what operators wrote: `{overrides, status}`.
        parts: The documents that it was read from.
    """

    def __init__(
        self,
        digest: str,
        segments: Mapping[str, Segment],
        parts: Mapping[str, bytes],
    ) -> None:
        self.digest = digest
        self.parts = dict(parts)
        self._segments = segments
        self._vectors: VectorIndex | None = None
        self._vectors_lock = Lock()
        head = json.loads(unpacked(segments[HEAD], parts))
        self.agents: dict[str, dict[str, Any]] = head["agents"]
        self.entries = Entries([row[0] for row in head["entries"]], segments, parts)
        self.permissions = Permissions(head["entries"])

    @classmethod
    def of(cls, manifest: Mapping[str, Any], parts: Mapping[str, bytes]) -> Self:
        """
        Raises:
            ValueError: A part is missing or damaged.
        """
        segments = {
            each["name"]: Segment(each["name"], tuple(each["parts"]))
            for each in manifest["segments"]
        }
        return cls(manifest["digest"], segments, parts)

    @cached_property
    def index(self) -> Index:
        """The word search over `entries`; a match's place counts in their order."""
        from rollcall.registry.index import Index

        try:
            return Index.load(unpacked(self._segments[INDEX], self.parts))
        except ValueError as error:  # another version compiled it; the next sync mends that
            from rollcall.registry.compiling import searchable

            log.warning("the registry's index is made anew in this process: %s", error)
            return Index.build([searchable(entry) for entry in self.entries.values()])

    @property
    def vector_parts(self) -> tuple[str, ...]:
        """The documents that hold the vectors; read only by who can embed a query."""
        return self._segments[VECTORS].parts if VECTORS in self._segments else ()

    def vectors(self, read: Callable[[Iterable[str]], Mapping[str, bytes]]) -> VectorIndex | None:
        """The search by meaning over `entries`; None where nothing was embedded.

        Args:
            read: Gets documents by id; called once.
        Raises:
            ValueError: A part is missing or damaged.
        """
        if not self.vector_parts:
            return None
        with self._vectors_lock:
            if self._vectors is None:
                from rollcall.registry.vectors import VectorIndex

                held = read(self.vector_parts)
                self._vectors = VectorIndex.load(unpacked(self._segments[VECTORS], held))
            return self._vectors
