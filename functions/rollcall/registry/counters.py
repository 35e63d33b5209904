"""Many small records in few documents: `registry/{name}`, and `registry/{name}.1`, `.2` and so on
once they do not fit into one.

A record belongs to the part that its key's checksum says. The first document is the fence: it is
written with every change, provided that nobody else has, so all parts are of one version and of two
writers one has to read anew.
"""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.registry.segments import part

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

PART_BYTES = 450_000
"""Of the records' JSON in one document; Firestore takes 1 MiB with all else that is in it."""
_READS = 5

Record = Any
"""Plain JSON."""


class Counters(Struct):
    """The records as they were read, and what has changed since.

    Attributes:
        head: The other fields of the first document.
        read_at: When it was read, by Firestore's clock; None where there is none yet.
    """

    db: Client
    name: str
    records: dict[str, Record] = field(default_factory=dict)
    head: dict[str, Any] = field(default_factory=dict)
    parts: int = 1
    read_at: datetime | None = None
    _time: Any = None
    _changed: set[str] = field(default_factory=set)

    @classmethod
    def load(cls, db: Client, name: str) -> Counters:
        """Read all parts.

        Raises:
            Aborted: Others wrote it, again and again, while it was read.
        """
        for _ in range(_READS):
            first = _part(db, name, 0).get()
            head = first.to_dict()
            if head is None:
                return cls(db, name, read_at=first.read_time)
            records = json.loads(head.pop("records"))
            parts = head["parts"]
            others = [_part(db, name, number) for number in range(1, parts)]
            bodies = [each.to_dict() or {} for each in db.get_all(others)] if others else []
            if all(body.get("parts") == parts for body in bodies):
                for body in bodies:
                    records.update(json.loads(body["records"]))
                return cls(db, name, records, head, parts, first.read_time, first.update_time)
        raise Aborted(f"{first.reference.path} is being rewritten; try again", retry_after_s=1)

    def put(self, key: str, record: Record | None) -> None:
        """Set a record, or remove it."""
        if record is None:
            self.records.pop(key, None)
        else:
            self.records[key] = record
        self._changed.add(key)

    @property
    def has_changed(self) -> bool:
        return bool(self._changed)

    def write(self, batch: WriteBatch, **head: Any) -> None:
        """Put what has changed into a batch, which fails as a whole if others have written.

        Args:
            head: Other fields of the first document; those that it had go.
        """
        texts = self._texts()
        changed = {0} | {_place(key, self.parts) for key in self._changed}
        while max(len(text.encode()) for text in texts) > PART_BYTES and len(texts) < 512:
            self.parts *= 2
            texts = self._texts()
            changed = set(range(self.parts))
        for number in sorted(changed):
            body = {
                "schemaVersion": SCHEMA_VERSION,
                "parts": self.parts,
                "records": texts[number],
                "writtenAt": datetime.now(UTC),
                **(head if number == 0 else {}),
                **({"expiresAt": head["expiresAt"]} if "expiresAt" in head else {}),
            }
            reference = _part(self.db, self.name, number)
            if number > 0:
                batch.set(reference, body)
            elif self._time is None:
                batch.create(reference, body)
            else:
                option = self.db.write_option(last_update_time=self._time)
                gone = {name: _deleted() for name in self.head if name not in body}
                batch.update(reference, {**body, **gone}, option=option)

    def _texts(self) -> list[str]:
        shares: list[dict[str, Record]] = [{} for _ in range(self.parts)]
        for key in sorted(self.records):
            shares[_place(key, self.parts)][key] = self.records[key]
        return [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in shares]


def conflicts() -> tuple[type[Exception], ...]:
    """What a commit raises if others have written meanwhile."""
    from google.api_core.exceptions import Aborted as Contended
    from google.api_core.exceptions import AlreadyExists, FailedPrecondition, NotFound

    return (Contended, AlreadyExists, FailedPrecondition, NotFound)


def _part(db: Client, name: str, number: int) -> DocumentReference:
    return part(db, f"{name}.{number}" if number else name)


def _place(key: str, parts: int) -> int:
    return zlib.crc32(key.encode()) % parts


def _deleted() -> Any:
    from google.cloud.firestore import DELETE_FIELD

    return DELETE_FIELD
