"""Records of health and usage: plain JSON by key, compressed in one document.

A writer insists on the document as it was read, so of two writers one has to begin anew.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.batches import write_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import WriteBatch

MAX_BYTES = 900_000
"""Of the compressed records; Firestore takes 1 MiB with all else that is in the document."""

log = logging.getLogger("rollcall")


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
    while len(stored := zlib.compress(json.dumps(kept, ensure_ascii=False).encode())) > MAX_BYTES:
        kept = dict(islice(kept.items(), len(kept) * 9 // 10))
    if len(kept) < len(records):
        text = "%s cannot hold all records: %d of %d are left out"
        log.warning(text, document.reference.path, len(records) - len(kept), len(records))
    data = {"schemaVersion": SCHEMA_VERSION, "records": stored}
    write_unchanged(batch, document, {**data, "writtenAt": datetime.now(UTC), **fields})
