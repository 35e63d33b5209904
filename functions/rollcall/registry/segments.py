"""Documents of `registry/`: segments of the compiled registry, and records of health and usage.

Segments lie in documents named by their content. A part that did not change keeps its name, so
nobody reads it again. Each is compressed, and what is too large for one document lies in several.

Records are plain JSON by key, compressed in one document. A writer insists on the document as it
was read, so of two writers one has to begin anew.
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
"""Whenever the form of what it names changes, it takes another name: while a deploy goes on,
processes of both versions read."""
HEAD, INDEX, VECTORS = "head", "index", "vectors"
ENTRIES_PER_SEGMENT = 500
PART_BYTES = 900_000
"""What one document holds; Firestore takes 1 MiB with its other fields."""
MAX_BYTES = 400_000_000
"""What a segment may have when it is unpacked."""


log = logging.getLogger("rollcall")


def part(db: Client, part_id: str) -> DocumentReference:
    return db.document(f"{collection_id('registry')}/{part_id}")


def segment_of(entry_id: str, count: int) -> int:
    """Return the segment of an entry; it stays while others change."""
    return zlib.crc32(entry_id.encode()) % segments_for(count)


def segments_for(count: int) -> int:
    """Return how many segments hold so many entries."""
    return max(1, -(-count // ENTRIES_PER_SEGMENT))


def pack(data: bytes) -> dict[str, bytes]:
    """Return the contents of the documents that hold a segment's data, in order, by id."""
    compressed = zlib.compress(data, 6)
    cuts = [compressed[n : n + PART_BYTES] for n in range(0, len(compressed), PART_BYTES)]
    return {f"part-{hashlib.sha256(cut).hexdigest()[:32]}": cut for cut in cuts}


def write_parts(db: Client, held: Mapping[str, bytes]) -> int:
    """Write the documents that do not exist yet; return how many."""
    references = [part(db, part_id) for part_id in held]
    there = {found.id for found in db.get_all(references, field_paths=["kind"]) if found.exists}
    new = [(part_id, data) for part_id, data in held.items() if part_id not in there]
    for part_id, data in new:  # one by one: a commit takes 10 MiB
        part(db, part_id).set({"schemaVersion": SCHEMA_VERSION, "kind": "part", "data": data})
    return len(new)


def read_parts(db: Client, part_ids: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of these documents, of those that exist."""
    references = [part(db, part_id) for part_id in part_ids]
    if not references:
        return {}
    found = {}
    for snapshot in db.get_all(references):
        if snapshot.exists:
            found[snapshot.id] = bytes((snapshot.to_dict() or {})["data"])
    return found


def unpack(name: str, part_ids: Sequence[str], held: Mapping[str, bytes]) -> bytes:
    """Return the data of the segment `name`, which these documents hold.

    Raises:
        ValueError: It is damaged, or a document of it is missing.
    """
    missing = [part_id for part_id in part_ids if part_id not in held]
    if missing:
        raise ValueError(f"{name} lacks {len(missing)} of its documents")
    unzip = zlib.decompressobj()
    try:
        data = unzip.decompress(b"".join(held[each] for each in part_ids), MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"{name} is damaged: {error}") from None
    if not unzip.eof:
        raise ValueError(f"{name} is cut off, or larger than {MAX_BYTES:,} bytes")
    return data


def read_records(document: Any) -> dict[str, Any]:
    """Return the records of a document that was read; none if it does not exist."""
    fields = document.to_dict() or {}
    stored = fields.get("records")
    if isinstance(stored, str):  # the form before: JSON, in several documents where it was long
        documents = document.reference.parent
        names = [f"{document.id}.{number}" for number in range(1, fields.get("parts", 1))]
        texts = [stored, *(documents.document(name).get().get("records") for name in names)]
        return {key: record for text in texts for key, record in json.loads(text).items()}
    return json.loads(zlib.decompress(stored)) if stored else {}


def write_records(
    batch: WriteBatch, document: Any, records: Mapping[str, Any], **fields: Any
) -> None:
    """Add to a batch that a document holds these records, on condition that it has not changed.

    Args:
        document: Its snapshot, as it was read.
        records: In the order of their worth: if they are too large, the last ones are left out.
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
