"""Compiles `capabilities/` and `agents/` into the snapshot that processes read: a manifest and its
parts.

registry/manifest    digest, the segments with their parts, refused documents and why, health
registry/part-…      compressed pieces, named after their content

A run reads at most the manifest, and only the parts that changed. Every change of a document leads
to a compilation: a sync and the command compile at once, other changes through a trigger.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from msgspec import Struct

from rollcall.core.context import Embedder
from rollcall.core.errors import Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.registry.access import access_row
from rollcall.registry.capabilities import read_document
from rollcall.registry.documents import AGENTS, CAPABILITIES
from rollcall.registry.entries import Entry
from rollcall.registry.index import Index, Searchable
from rollcall.registry.segments import (
    HEAD,
    INDEX,
    MANIFEST,
    VECTORS,
    pack,
    part,
    read_parts,
    segment_of,
    segments_for,
    unpack,
    write_parts,
)
from rollcall.registry.vectors import VectorIndex
from rollcall.store.batches import attempts, try_commit, write_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.store.batches import DocumentSnapshot

MAX_REFUSED = 100
"""How many refused documents the manifest lists, so that it stays small."""
TURN_S = 30.0
"""How long a process waits while another compiles, and for how long it tries to publish."""
_CLAIM = "compiling"
_CLAIM_S = 540
"""The longest time of a trigger: checking ten thousand schemas takes a while."""
_MAX_PAUSE_S = 1.0

log = logging.getLogger("rollcall")


class Compilation(Struct, frozen=True):
    """The result of compiling.

    Attributes:
        refused: Why each refused document was left out, by id.
        written: The number of new parts.
    """

    digest: str
    count: int
    refused: dict[str, str]
    written: int


def compile_registry(db: Client, *, embedder: Embedder | None = None) -> Compilation:
    """Compile the registry and publish the result, once no other process compiles.

    Args:
        embedder: Embeds new texts; without one the existing vectors stay.
    Raises:
        Unavailable: Others published at the same time, again and again.
    """
    with ExitStack() as claim:
        for _ in attempts(within_s=TURN_S, most_pause_s=_MAX_PAUSE_S):
            if claim.enter_context(_compile_claim(db)):
                break
        # The claim's holder may have died. Without the claim publishing is safe, only slower.
        for _ in attempts(within_s=TURN_S, most_pause_s=_MAX_PAUSE_S):
            if compiled := _compile_once(db, embedder):
                return compiled
    raise Unavailable(
        f"other processes kept publishing the registry for {TURN_S:.0f} s, each time before this "
        "one could; its documents are written, and take effect once the registry is compiled: "
        "run `python -m rollcall sync` in a minute",
        retry_after_s=60,
    )


def compile_after(db: Client, changed_at: datetime, *, embedder: Embedder | None = None) -> bool:
    """Compile, unless the registry was compiled since a change; of many simultaneous callers, few
    compile.

    Returns:
        Whether this call compiled.
    """
    for _ in attempts(within_s=math.inf, most_pause_s=_MAX_PAUSE_S):
        manifest = part(db, MANIFEST).get().to_dict() or {}
        if manifest.get("asOf") and manifest["asOf"] >= changed_at:
            break
        with _compile_claim(db) as is_mine:  # another holder may have begun before the change
            if is_mine and _compile_once(db, embedder):
                return True
    return False


def _compile_once(db: Client, embedder: Embedder | None) -> Compilation | None:
    """Compile and publish; return None if another process published meanwhile, perhaps from later
    documents."""
    manifest = part(db, MANIFEST).get()
    entries, refused = _entries(db)
    vectors = _vectors(db, manifest, entries, embedder)
    segments, parts = to_segments(entries, _documents(db, AGENTS), vectors)
    written = write_parts(db, parts)
    digest = hashlib.sha256(_json(segments).encode()).hexdigest()[:24]
    if not _publish(db, manifest, segments, digest=digest, count=len(entries), refused=refused):
        return None
    return Compilation(digest, len(entries), refused, written)


def searchable(entry: Entry) -> Searchable:
    """Return the fields of an entry that the word index covers."""
    spec = entry.spec
    requests = [str(example.get("userRequest", "")) for example in spec.examples]
    return Searchable(
        id=entry.id,
        names=tuple(dict.fromkeys(entry.names.values())),
        description=spec.description,
        keywords=spec.keywords,
        examples=(*filter(None, requests), *entry.phrases),
        parameters=tuple(
            (name, " ".join([str(item.get("description", "")), *map(str, item.get("enum", ()))]))
            for name, item in spec.parameters.get("properties", {}).items()
            if isinstance(item, dict)
        ),
        required=len(spec.parameters.get("required", ())),
    )


def _entries(db: Client) -> tuple[list[Entry], dict[str, str]]:
    """Return the usable entries in the order of their ids, and why the other documents are
    refused."""
    entries, refused = {}, {}
    for id, document in _documents(db, CAPABILITIES).items():
        try:
            entries[id] = read_document(id, document)
        except ValueError as error:
            refused[id] = str(error)[:300]
    own = {entry.id for entry in entries.values() if entry.spec.writes and entry.codebase}
    for entry in [each for each in entries.values() if _is_alias(each, own)]:
        refused[entry.id] = f"it is {entry.execution.target}, a write, under another name"
        del entries[entry.id]
    for id, why in refused.items():
        log.warning("capability %s is left out of the registry: %s", id, why)
    return [entries[id] for id in sorted(entries)], refused


def _is_alias(entry: Entry, own_writes: Container[str]) -> bool:
    """Tell whether an entry is one of our own writes under another name. A call of its function
    would count as the user's own call, which needs no approval, and its document need not say that
    it writes. The router checks this again, by the code."""
    if entry.execution.type != "firebase_function":
        return False
    host, *names = re.split(r"/+", unquote(entry.execution.target).removeprefix("https://"))
    projects = (os.environ.get(name) for name in ("GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT"))
    ours = tuple(f"-{project}.cloudfunctions.net" for project in projects if project)
    is_here = not names or host.lower().partition(":")[0].endswith(ours or ("/",))
    return is_here and any(re.split(r"[?#;]", name)[0] in own_writes for name in names or [host])


def _documents(db: Client, collection: str) -> dict[str, dict[str, Any]]:
    stored = db.collection(collection_id(collection)).stream()
    return {document.id: document.to_dict() or {} for document in stored}


def _vectors(
    db: Client, manifest: DocumentSnapshot, entries: Sequence[Entry], embedder: Embedder | None
) -> VectorIndex | None:
    """Return the vectors of the entries, keeping those already published; None if there are
    none."""
    before = None
    for each in (manifest.to_dict() or {}).get("segments", ()):
        if each["name"] == VECTORS:
            parts = read_parts(db, each["parts"])
            try:
                before = VectorIndex.load(unpack(VECTORS, each["parts"], parts))
            except ValueError as error:
                log.warning("the published vectors are made anew: %s", error)
    if embedder is None and before is None:
        return None
    index = VectorIndex.build([searchable(entry) for entry in entries], embedder, before)
    return index if index.places else None


def to_segments(
    entries: Sequence[Entry],
    agents: dict[str, dict[str, Any]],
    vectors: VectorIndex | None = None,
) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Return the segments of the compiled registry, `{name, parts}` each, and their parts by id."""
    head = {
        "entries": [access_row(entry) for entry in entries],
        "agents": {
            id: {"overrides": agents[id].get("overrides"), "status": agents[id].get("status")}
            for id in sorted(agents)
        },
    }
    lines: list[list[str]] = [[] for _ in range(segments_for(len(entries)))]
    for entry in entries:
        lines[segment_of(entry.id, len(entries))].append(_json(entry.record()))
    pieces = {
        HEAD: _json(head).encode(),
        INDEX: Index.build([searchable(entry) for entry in entries]).dump(),
        **{f"entries-{n}": "\n".join(some).encode() for n, some in enumerate(lines)},
    }
    if vectors is not None:
        pieces[VECTORS] = vectors.dump()
    segments: list[dict[str, Any]] = []
    parts: dict[str, bytes] = {}
    for name, data in pieces.items():
        own = pack(data)
        segments.append({"name": name, "parts": list(own)})
        parts |= own
    return segments, parts


def _publish(
    db: Client,
    before: DocumentSnapshot,
    segments: Sequence[dict[str, Any]],
    *,
    digest: str,
    count: int,
    refused: dict[str, str],
) -> bool:
    """Publish a new manifest; return False if the manifest has changed since it was read."""
    fields = {
        "schemaVersion": SCHEMA_VERSION,
        "digest": digest,
        "segments": segments,
        "count": count,
        "refused": dict(sorted(refused.items())[:MAX_REFUSED]),
        "refusedCount": len(refused),
        # A time before the documents were read: later changes may be missing here.
        "asOf": before.read_time,
        "compiledAt": datetime.now(UTC),
    }
    replaced = before.to_dict() or {}
    named, still_named = (
        {part_id for segment in some for part_id in segment["parts"]}
        for some in (segments, replaced.get("segments", ()))
    )
    if replaced.get("digest") != digest:
        fields["previous"] = sorted(still_named)
    # One commit, so that a late process deletes nothing that another has published meanwhile.
    batch = db.batch()
    write_unchanged(batch, before, fields)
    # The parts of the manifest before the previous one are deleted: a slow reader may still need
    # the previous one's.
    for part_id in set(replaced.get("previous", ())) - still_named - named:
        batch.delete(part(db, part_id))
    return try_commit(batch) is not None


def _json(value: Any) -> str:
    # `str`, since an operator may have written a timestamp where a text belongs.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)


@contextmanager
def _compile_claim(db: Client) -> Iterator[bool]:
    """Yield whether this process has the claim to compile; it is released at the end."""
    from google.api_core.exceptions import Aborted, FailedPrecondition, NotFound

    claim, now = part(db, _CLAIM), datetime.now(UTC)
    found = claim.get()
    is_held = found.exists and (found.to_dict() or {})["until"] > now  # otherwise the holder died
    batch = db.batch()
    until = now + timedelta(seconds=_CLAIM_S)
    write_unchanged(batch, found, {"schemaVersion": SCHEMA_VERSION, "until": until})
    written = None if is_held else try_commit(batch)
    if written is None:
        yield False
        return
    try:
        yield True
    finally:
        for _ in attempts():
            try:
                claim.delete(db.write_option(last_update_time=written[0].update_time))
                break
            except (FailedPrecondition, NotFound):
                break  # the claim expired, and another process has it
            except Aborted:
                continue  # another process read it at the same moment
        else:
            log.warning("the claim to compile could not be released; it expires by itself")
