"""The compiled registry in a process's memory, with health states, renewed when it is old.

Entries are read one by one, when somebody wants them.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.errors import AgentError, FailedPrecondition, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.texts import TEXTS
from rollcall.registry import access
from rollcall.registry.access import Permissions
from rollcall.registry.entries import Entry
from rollcall.registry.segments import (
    HEAD,
    INDEX,
    MANIFEST,
    VECTORS,
    part,
    read_parts,
    segment_of,
    unpack,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.context import Embedder
    from rollcall.registry.index import Index
    from rollcall.registry.vectors import VectorIndex


class Entries(Mapping[str, Entry]):
    """All capabilities by id, in the order of their ids."""

    def __init__(
        self, ids: list[str], segments: Mapping[str, Sequence[str]], parts: Mapping[str, bytes]
    ) -> None:
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
            number = segment_of(id, len(self.ids))
            with self._lock:
                if number not in self._lines:
                    name = f"entries-{number}"
                    data = unpack(name, self._segments[name], self._parts)
                    ids = [each for each in self.ids if segment_of(each, len(self.ids)) == number]
                    self._lines[number] = dict(zip(ids, data.split(b"\n"), strict=True))
            found = self._read[id] = Entry.load(self._lines[number][id])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def allowed(self, ids: Iterable[str], mask: bytes | bytearray) -> list[str]:
        """Return those of some ids that are here and in a mask by place, each once, in their order;
        see `Permissions`."""
        places = self.places
        return [id for id in dict.fromkeys(ids) if id in places and mask[places[id]]]


class Content:
    """The compiled registry of one digest.

    Attributes:
        agents: By id, what operators wrote: `{overrides, status}`.
        parts: The documents that it was read from.
    Raises:
        ValueError: A part is missing or damaged.
    """

    def __init__(self, manifest: Mapping[str, Any], parts: Mapping[str, bytes]) -> None:
        self.digest: str = manifest["digest"]
        self.parts = dict(parts)
        self._segments: dict[str, Sequence[str]] = {
            each["name"]: each["parts"] for each in manifest["segments"]
        }
        self._vectors: VectorIndex | None = None
        self._vectors_lock = Lock()
        head = json.loads(unpack(HEAD, self._segments[HEAD], parts))
        self.agents: dict[str, dict[str, Any]] = head["agents"]
        self.entries = Entries([row[0] for row in head["entries"]], self._segments, parts)
        self.permissions = Permissions(head["entries"])

    @cached_property
    def index(self) -> Index:
        """The word index of `entries`; `place` of a match counts in their order."""
        from rollcall.registry.index import Index

        try:
            return Index.load(unpack(INDEX, self._segments[INDEX], self.parts))
        except ValueError as error:  # another version compiled it; the next sync mends that
            from rollcall.registry.compiler import searchable

            log.warning("the registry's index is made anew in this process: %s", error)
            return Index.build([searchable(entry) for entry in self.entries.values()])

    @property
    def vector_parts(self) -> Sequence[str]:
        """The documents with the vectors, read only if queries can be embedded."""
        return self._segments.get(VECTORS, ())

    def vectors(self, db: Client) -> VectorIndex | None:
        """Return the search by meaning over `entries`, read once; None without vectors.

        Raises:
            ValueError: A part is missing or damaged.
        """
        if not self.vector_parts:
            return None
        with self._vectors_lock:
            if self._vectors is None:
                from rollcall.registry.vectors import VectorIndex

                held = read_parts(db, self.vector_parts)
                self._vectors = VectorIndex.load(unpack(VECTORS, self.vector_parts, held))
            return self._vectors


FRESH_S = 30.0
"""How long the registry in memory counts without a look at the manifest, s. With the trigger that
compiles an operator's change, that takes effect within a minute."""
_STALE_S = 60.0
"""For so long a copy still serves others while one renews it, s."""
_AGAIN_S = 5.0
"""After so long a renewal that failed is tried again, s."""
_TRIES = 3

log = logging.getLogger("rollcall")


class Snapshot(Struct, frozen=True):
    """The registry at one moment.

    Attributes:
        content: What was compiled; shared by all snapshots of one digest.
        health: Of capabilities that are not healthy: "degraded" or "down".
        refused: Why documents were left out, by id; the first hundred.
        read_at: `time.monotonic()` of the look at the manifest.
    """

    content: Content
    health: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    read_at: float = field(default_factory=time.monotonic)

    @property
    def digest(self) -> str:
        return self.content.digest

    @property
    def down(self) -> frozenset[str]:
        """Ids of capabilities that are down and not offered."""
        return frozenset(id for id, state in self.health.items() if state == "down")


_snapshots: dict[str, Snapshot] = {}
_single: dict[str, tuple[float, Entry]] = {}
_reading = threading.Lock()


def snapshot(db: Client) -> Snapshot:
    """Return the registry, from memory while it is fresh; an old copy serves if it cannot be
    renewed.

    Raises:
        Unavailable: It was never read here, and cannot be.
    """
    key = _key(db)
    found = _snapshots.get(key)
    age_s = time.monotonic() - found.read_at if found else 0.0
    if found and age_s <= FRESH_S:
        return found
    if not _reading.acquire(blocking=not (found and age_s <= _STALE_S)):
        assert found
        return found
    try:
        found = _snapshots.get(key)
        if found is None or time.monotonic() - found.read_at > FRESH_S:
            found = _snapshots[key] = _renew(db, found)
        return found
    finally:
        _reading.release()


def entry(db: Client, capability_id: str) -> Entry | None:
    """Return one capability as it is now, with one read, for a process that needs no other.

    Raises:
        FailedPrecondition: Its document cannot be used.
    """
    key = _key(db)
    held = _snapshots.get(key)
    if held and time.monotonic() - held.read_at <= FRESH_S:
        return held.content.entries.get(capability_id)
    read_at, found = _single.get(f"{key}/{capability_id}", (0.0, None))
    if found and time.monotonic() - read_at <= FRESH_S:
        return found
    from rollcall.registry.capabilities import read_capability

    document = db.document(f"{collection_id('capabilities')}/{capability_id}").get().to_dict()
    if document is None:
        return None
    try:
        found = read_capability(document)
    except ValueError as error:
        raise FailedPrecondition(f"the registry's document cannot be used: {error}") from None
    _single[f"{key}/{capability_id}"] = (time.monotonic(), found)
    return found


def vectors(db: Client, registry: Snapshot, embedder: Embedder) -> VectorIndex | None:
    """Return the search by meaning over a snapshot's entries, read once; None if there are no
    vectors of this embedder, or they cannot be read."""
    from google.api_core.exceptions import GoogleAPICallError, RetryError

    try:
        found = registry.content.vectors(db)
    except (GoogleAPICallError, RetryError, ValueError) as error:
        log.warning("the registry's vectors could not be read: %s", error)
        return None
    return found if found and found.embedder_id == embedder.id else None


def forget() -> None:
    """Forget what was read."""
    _snapshots.clear()
    _single.clear()
    access.forget()


def _key(db: Client) -> str:
    return f"{db.project}/{db._database}"


def _renew(db: Client, before: Snapshot | None) -> Snapshot:
    from google.api_core.exceptions import GoogleAPICallError, RetryError

    for tries in range(1, _TRIES + 1):
        try:
            return _read(db, before)
        except (GoogleAPICallError, RetryError, AgentError, ValueError, LookupError) as error:
            if isinstance(error, ValueError) and tries < _TRIES:
                continue  # a newer one was published while this one was read
            if before is None:
                raise Unavailable(TEXTS.text("errors.registry_unreadable")) from error
            log.warning("the registry could not be read anew: %r", error)
            return replace(before, read_at=time.monotonic() - FRESH_S + _AGAIN_S)
    raise AssertionError("unreachable")


def _read(db: Client, before: Snapshot | None) -> Snapshot:
    """
    Raises:
        ValueError: What was published cannot be read.
    """
    manifest = part(db, MANIFEST).get().to_dict()
    if manifest is None or "digest" not in manifest:
        from rollcall.registry.compiler import compile_registry

        compile_registry(db)
        manifest = part(db, MANIFEST).get().to_dict() or {}
    state: dict[str, Any] = {
        "health": manifest.get("health") or {},
        "refused": manifest.get("refused") or {},
    }
    if before and before.digest == manifest["digest"]:
        return replace(before, **state, read_at=time.monotonic())
    held = before.content.parts if before else {}
    wanted = [
        part_id
        for segment in manifest["segments"]
        if segment["name"] != VECTORS  # read when they are wanted
        for part_id in segment["parts"]
    ]
    new = read_parts(db, [part_id for part_id in wanted if part_id not in held])
    parts = {part_id: data for part_id, data in {**held, **new}.items() if part_id in set(wanted)}
    if missing := set(wanted) - parts.keys():
        raise ValueError(f"{len(missing)} documents of the registry are not there")
    return Snapshot(Content(manifest, parts), **state)
