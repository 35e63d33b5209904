"""Documents of `registry/`: segments of the compiled registry, and records of health and usage.

A segment is compressed and stored in one or more documents (parts), each named by a hash of its
content. A part that did not change keeps its name, so no process reads it again.

Records are plain JSON by key, compressed in one document. A write fails if the document has changed
since it was read, so of two simultaneous writers one has to start over.
"""

from __future__ import annotations

import hashlib
import json
import logging
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.batches import write_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

MANIFEST = "manifest"
"""The manifest's name. It must change with the format of the parts: during a deploy, processes of
both versions read."""
HEAD, INDEX, VECTORS = "head", "index", "vectors"
ENTRIES_PER_SEGMENT = 500
PART_BYTES = 900_000
"""The most data in one document; Firestore allows 1 MiB with all fields."""
MAX_BYTES = 400_000_000
"""The largest segment when unpacked."""


log = logging.getLogger("rollcall")


def part(db: Client, part_id: str) -> DocumentReference:
    return db.document(f"{collection_id('registry')}/{part_id}")


def segment_of(entry_id: str, count: int) -> int:
    """Return the number of an entry's segment, which does not depend on the other entries' ids."""
    return zlib.crc32(entry_id.encode()) % segments_for(count)


def segments_for(count: int) -> int:
    """Return the number of segments for a number of entries."""
    return max(1, -(-count // ENTRIES_PER_SEGMENT))


def pack(data: bytes) -> dict[str, bytes]:
    """Return the parts that hold a segment's data, in order, by id."""
    compressed = zlib.compress(data, 6)
    cuts = [compressed[n : n + PART_BYTES] for n in range(0, len(compressed), PART_BYTES)]
    return {f"part-{hashlib.sha256(cut).hexdigest()[:32]}": cut for cut in cuts}


def write_parts(db: Client, parts: Mapping[str, bytes]) -> int:
    """Write the parts that do not exist yet; return their number."""
    references = [part(db, part_id) for part_id in parts]
    snapshots = db.get_all(references, field_paths=["kind"])
    existing = {snapshot.id for snapshot in snapshots if snapshot.exists}
    new = [(part_id, data) for part_id, data in parts.items() if part_id not in existing]
    for part_id, data in new:  # one by one: a commit takes 10 MiB
        part(db, part_id).set({"schemaVersion": SCHEMA_VERSION, "kind": "part", "data": data})
    return len(new)


def read_parts(db: Client, part_ids: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of those of these parts that exist."""
    references = [part(db, part_id) for part_id in part_ids]
    if not references:
        return {}
    parts = {}
    for snapshot in db.get_all(references):
        if snapshot.exists:
            parts[snapshot.id] = bytes((snapshot.to_dict() or {})["data"])
    return parts


def unpack(name: str, part_ids: Sequence[str], parts: Mapping[str, bytes]) -> bytes:
    """Return the data of the segment `name`, which is in the parts of these ids.

    Raises:
        ValueError: It is damaged, or one of its parts is missing.
    """
    missing = [part_id for part_id in part_ids if part_id not in parts]
    if missing:
        raise ValueError(f"{name} lacks {len(missing)} of its documents")
    unzip = zlib.decompressobj()
    try:
        data = unzip.decompress(b"".join(parts[each] for each in part_ids), MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"{name} is damaged: {error}") from None
    if not unzip.eof:
        raise ValueError(f"{name} is cut off, or larger than {MAX_BYTES:,} bytes")
    return data


def read_records(document: Any) -> dict[str, Any]:
    """Return the records in a document's snapshot; none if there are none in today's form."""
    stored = (document.to_dict() or {}).get("records")
    return json.loads(zlib.decompress(stored)) if isinstance(stored, bytes) else {}


def write_records(
    batch: WriteBatch, document: Any, records: Mapping[str, Any], **fields: Any
) -> None:
    """Add to a batch a write of a document's records, on condition that it has not changed.

    Args:
        document: The document's snapshot.
        records: The most important first: if they are too large, the last ones are left out.
        fields: Other fields of the document.
    """
    kept = dict(records)
    while len(stored := zlib.compress(json.dumps(kept, ensure_ascii=False).encode())) > PART_BYTES:
        kept = dict(islice(kept.items(), len(kept) * 9 // 10))
    if len(kept) < len(records):
        text = "%s cannot hold all records: %d of %d are left out"
        log.warning(text, document.reference.path, len(records) - len(kept), len(records))
    data = {"schemaVersion": SCHEMA_VERSION, "records": stored}
    write_unchanged(batch, document, {**data, "writtenAt": datetime.now(UTC), **fields})
