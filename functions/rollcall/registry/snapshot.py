"""The compiled registry in a process's memory, with health states, renewed when it is old.

Entries are decoded one by one, when they are first used.
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
from rollcall.core.records import convert
from rollcall.core.texts import TEXTS
from rollcall.registry import access
from rollcall.registry.access import AccessRow
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
        self._entries: dict[str, Entry] = {}
        self._lock = Lock()

    def __getitem__(self, id: str) -> Entry:
        entry = self._entries.get(id)
        if entry is None:
            if id not in self.places:
                raise KeyError(id)
            number = segment_of(id, len(self.ids))
            with self._lock:
                if number not in self._lines:
                    name = f"entries-{number}"
                    data = unpack(name, self._segments[name], self._parts)
                    ids = [each for each in self.ids if segment_of(each, len(self.ids)) == number]
                    self._lines[number] = dict(zip(ids, data.split(b"\n"), strict=True))
            entry = self._entries[id] = Entry.load(self._lines[number][id])
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def allowed(self, ids: Iterable[str], mask: bytes | bytearray) -> list[str]:
        """Return the ids that are in the registry and allowed by a mask (see `permission_mask`),
        each once, in their order."""
        places = self.places
        return [id for id in dict.fromkeys(ids) if id in places and mask[places[id]]]


class Content:
    """The compiled registry of one digest.

    Attributes:
        agents: The fields that operators set, by id: `{overrides, status}`.
        parts: The parts that it was read from, by id.
        vector_parts: Ids of the parts with the vectors, read only if queries can be embedded.
    Raises:
        ValueError: A part is missing or damaged.
    """

    def __init__(self, manifest: Mapping[str, Any], parts: Mapping[str, bytes]) -> None:
        self.digest: str = manifest["digest"]
        self.parts = dict(parts)
        self._segments: dict[str, Sequence[str]] = {
            each["name"]: each["parts"] for each in manifest["segments"]
        }
        self.vector_parts = self._segments.get(VECTORS, ())
        self._vectors: VectorIndex | None = None
        self._vectors_lock = Lock()
        head = json.loads(unpack(HEAD, self._segments[HEAD], parts))
        self.agents: dict[str, dict[str, Any]] = head["agents"]
        self.entries = Entries([row[0] for row in head["entries"]], self._segments, parts)
        self.access_rows = convert(head["entries"], list[AccessRow])

    @cached_property
    def index(self) -> Index:
        """The word index of `entries`; a match's `place` is the place in their order."""
        from rollcall.registry.index import Index

        try:
            return Index.load(unpack(INDEX, self._segments[INDEX], self.parts))
        except ValueError as error:  # another version compiled it; the next sync replaces it
            from rollcall.registry.compiler import searchable

            log.warning("the registry's index is made anew in this process: %s", error)
            return Index.build([searchable(entry) for entry in self.entries.values()])

    def vectors(self, db: Client, embedder: Embedder) -> VectorIndex | None:
        """Return the search by meaning over `entries`, read once; None if there are no vectors of
        this embedder, or they cannot be read."""
        from google.api_core.exceptions import GoogleAPICallError, RetryError

        from rollcall.registry.vectors import VectorIndex

        if not self.vector_parts:
            return None
        with self._vectors_lock:
            if self._vectors is None:
                try:
                    parts = read_parts(db, self.vector_parts)
                    self._vectors = VectorIndex.load(unpack(VECTORS, self.vector_parts, parts))
                except (GoogleAPICallError, RetryError, ValueError) as error:
                    log.warning("the registry's vectors could not be read: %s", error)
                    return None
            return self._vectors if self._vectors.embedder_id == embedder.id else None


FRESH_S = 30.0
"""How long the registry in memory is used without reading the manifest, s. Together with the
trigger that compiles an operator's change, a change takes effect within a minute."""
_STALE_S = 60.0
"""How long a copy still serves other requests while one renews it, s."""
_RETRY_S = 5.0
"""The time after which a failed renewal is tried again, s."""
_TRIES = 3

log = logging.getLogger("rollcall")


class Snapshot(Struct, frozen=True):
    """The registry at one moment.

    Attributes:
        content: The compiled registry, shared by all snapshots of one digest.
        health: The states of capabilities that are not healthy: "degraded" or "down".
        read_at: `time.monotonic()` when the manifest was read.
    """

    content: Content
    health: dict[str, str] = field(default_factory=dict)
    read_at: float = field(default_factory=time.monotonic)

    @property
    def down(self) -> frozenset[str]:
        """Ids of capabilities that are down and not offered."""
        return frozenset(id for id, state in self.health.items() if state == "down")


_snapshots: dict[str, Snapshot] = {}
_single_entries: dict[str, tuple[float, Entry]] = {}
_renewal = threading.Lock()


def snapshot(db: Client) -> Snapshot:
    """Return the registry, from memory while it is fresh; an old copy if it cannot be renewed.

    Raises:
        Unavailable: It cannot be read, and there is no old copy.
    """
    key = db._database_string
    found = _snapshots.get(key)
    age_s = time.monotonic() - found.read_at if found else 0.0
    if found and age_s <= FRESH_S:
        return found
    if not _renewal.acquire(blocking=not (found and age_s <= _STALE_S)):
        assert found
        return found
    try:
        found = _snapshots.get(key)
        if found is None or time.monotonic() - found.read_at > FRESH_S:
            found = _snapshots[key] = _renew(db, found)
        return found
    finally:
        _renewal.release()


def entry(db: Client, capability_id: str) -> Entry | None:
    """Return one capability's current entry with one read, for a process that needs no other.

    Raises:
        FailedPrecondition: Its document cannot be used.
    """
    key = db._database_string
    known = _snapshots.get(key)
    if known and time.monotonic() - known.read_at <= FRESH_S:
        return known.content.entries.get(capability_id)
    read_at, found = _single_entries.get(f"{key}/{capability_id}", (0.0, None))
    if found and time.monotonic() - read_at <= FRESH_S:
        return found
    from rollcall.registry.capabilities import read_document

    document = db.document(f"{collection_id('capabilities')}/{capability_id}").get().to_dict()
    if document is None:
        return None
    try:
        found = read_document(capability_id, document)
    except ValueError as error:
        raise FailedPrecondition(f"the registry's document cannot be used: {error}") from None
    _single_entries[f"{key}/{capability_id}"] = (time.monotonic(), found)
    return found


def forget() -> None:
    """Clear all caches of the registry in this process."""
    _snapshots.clear()
    _single_entries.clear()
    access.forget()


def _renew(db: Client, before: Snapshot | None) -> Snapshot:
    from google.api_core.exceptions import GoogleAPICallError, RetryError

    for tries in range(1, _TRIES + 1):
        try:
            return _read(db, before)
        except (GoogleAPICallError, RetryError, AgentError, ValueError, LookupError) as error:
            if isinstance(error, ValueError) and tries < _TRIES:
                continue  # a newer registry was published while this one was read
            if before is None:
                raise Unavailable(TEXTS.text("errors.registry_unreadable")) from error
            log.warning("the registry could not be read anew: %r", error)
            return replace(before, read_at=time.monotonic() - FRESH_S + _RETRY_S)
    raise AssertionError("unreachable")


def _read(db: Client, before: Snapshot | None) -> Snapshot:
    """Read the manifest and the parts that `before` lacks; compile first if there is no manifest.

    Raises:
        ValueError: The published registry cannot be read.
    """
    manifest = part(db, MANIFEST).get().to_dict()
    if manifest is None or "digest" not in manifest:
        from rollcall.registry.compiler import compile_registry

        compile_registry(db)
        manifest = part(db, MANIFEST).get().to_dict() or {}
    health = manifest.get("health") or {}
    if before and before.content.digest == manifest["digest"]:
        return replace(before, health=health, read_at=time.monotonic())
    known = before.content.parts if before else {}
    wanted = [
        part_id
        for segment in manifest["segments"]
        if segment["name"] != VECTORS  # read at first use
        for part_id in segment["parts"]
    ]
    new = read_parts(db, [part_id for part_id in wanted if part_id not in known])
    parts = {part_id: data for part_id, data in {**known, **new}.items() if part_id in set(wanted)}
    if missing := set(wanted) - parts.keys():
        raise ValueError(f"{len(missing)} documents of the registry are not there")
    return Snapshot(Content(manifest, parts), health)
