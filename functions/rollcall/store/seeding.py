"""Seed data: writes the documents of `<collection>.json` files to Firestore if they differ.

The command (`python -m seed`) and a scheduled function share this loader. A file has the form
`{"source": …, "licence": …, "kind": "reference" | "sample", "documents": {id: {…}}}`. Packs compute
with reference data, which belongs in every project; sample data is for trying things out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct

from rollcall.core.errors import InvalidArgument
from rollcall.core.options import collection_id
from rollcall.store.batches import read_all

if TYPE_CHECKING:
    from google.cloud.firestore import Client

Kind = Literal["reference", "sample"]
KINDS: frozenset[Kind] = frozenset(get_args(Kind))

MANIFESTS = "registry"
"""The collection of `seed-<collection>` documents. Each lists the ids that a file wrote last, so
that documents which the file no longer has are removed."""

_FIELDS = {"source", "licence", "kind", "documents"}
_COMMIT_WRITES = 400
_COMMIT_BYTES = 2_000_000
_READ_AT_ONCE = 300
_DEEPEST = 20  # Firestore's limit on nested maps


class SeedFile(Struct, frozen=True):
    """Documents of one collection, with their source and licence."""

    collection: str
    source: str
    licence: str
    kind: Kind
    documents: dict[str, dict[str, Any]]


class SeedResult(Struct, frozen=True):
    """How many documents of one seed file were written, unchanged and removed."""

    collection: str
    kind: Kind
    written: int
    unchanged: int
    removed: int = 0


def seed(db: Client, folder: Path, kinds: Collection[Kind]) -> list[SeedResult]:
    """Write every seed file of these kinds in `folder` and below to Firestore.

    Raises:
        InvalidArgument: A file is not valid seed data; nothing was written.
    """
    folders = [folder, *sorted(each for each in folder.glob("*") if each.is_dir())]
    files = [file for each in folders for file in read_folder(each) if file.kind in kinds]
    return [load(db, file) for file in files]


def load(db: Client, file: SeedFile) -> SeedResult:
    """Write the documents of a file that are missing or differ; remove those that it no longer
    has."""
    manifest = db.collection(collection_id(MANIFESTS)).document(f"seed-{file.collection}")
    known = manifest.get().to_dict() or {}
    places = [db.collection(file.collection).document(id) for id in file.documents]
    stored: dict[str, Any] = {}
    for start in range(0, len(places), _READ_AT_ONCE):
        snapshots = read_all(db, *places[start : start + _READ_AT_ONCE])
        stored |= {each.id: each.to_dict() for each in snapshots}
    changed = {id: data for id, data in file.documents.items() if stored.get(id) != data}
    dropped = [id for id in known.get("ids", []) if id not in file.documents]
    for part in _commits({**changed, **dict.fromkeys(dropped)}):
        batch = db.batch()
        for id, data in part.items():
            place = db.collection(file.collection).document(id)
            if data is None:
                batch.delete(place)
            else:
                batch.set(place, data)
        batch.commit()
    ids = sorted(file.documents)
    if known.get("ids") != ids:
        manifest.set({"schemaVersion": 1, "source": file.source, "ids": ids})
    unchanged = len(file.documents) - len(changed)
    return SeedResult(file.collection, file.kind, len(changed), unchanged, len(dropped))


def read_folder(folder: Path) -> list[SeedFile]:
    """Read all seed files of a folder, in the order of their names.

    Raises:
        InvalidArgument: One of them is not valid seed data; the message says which and why.
    """
    return [read_seed(path) for path in sorted(folder.glob("*.json"))]


def read_seed(path: Path) -> SeedFile:
    """Read and check one seed file.

    Raises:
        InvalidArgument: The file is not valid seed data; the message says why.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"{path.name} cannot be read as JSON: {error}") from error
    problem = next(_problems(data), None)
    if problem:
        raise InvalidArgument(f"{path.name}: {problem}")
    return SeedFile(collection=path.stem, **data)


def _problems(data: Any) -> Iterator[str]:
    if not isinstance(data, dict) or set(data) != _FIELDS:
        yield f"has to be an object with exactly {sorted(_FIELDS)}"
        return
    for name in ("source", "licence"):
        if not isinstance(data[name], str) or not data[name].strip():
            yield f"{name} has to say where the data comes from and how it may be used"
    if data["kind"] not in get_args(Kind):
        yield f"kind is one of {sorted(KINDS)}, not {data['kind']!r}"
    if not isinstance(data["documents"], dict):
        yield "documents has to be an object of documents by id"
        return
    for id, document in data["documents"].items():
        if not id or "/" in id or id in {".", ".."} or id.startswith("__"):
            yield f"{id!r} cannot be a document's id"
        if not isinstance(document, dict):
            yield f"document {id!r} has to be an object"
        elif reason := _unstorable(document, depth=1):
            yield f"document {id!r} {reason}"


def _unstorable(value: Any, *, depth: int) -> str | None:
    """Return why Firestore cannot store a JSON value unchanged; None if it can."""
    if depth > _DEEPEST:
        return f"is nested deeper than {_DEEPEST}"
    if isinstance(value, float) and not math.isfinite(value):
        return "holds a number that is not finite"
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return "holds a list within a list, which Firestore refuses"
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, (_unstorable(each, depth=depth + 1) for each in items)), None)


def _commits(
    documents: dict[str, dict[str, Any] | None],
) -> Iterator[dict[str, dict[str, Any] | None]]:
    """Split documents (None for one to delete) into commits within Firestore's limits on writes and
    bytes."""
    part: dict[str, dict[str, Any] | None] = {}
    size = 0
    for id, data in documents.items():
        weight = len(json.dumps(data, ensure_ascii=False).encode())
        if part and (len(part) == _COMMIT_WRITES or size + weight > _COMMIT_BYTES):
            yield part
            part, size = {}, 0
        part[id] = data
        size += weight
    if part:
        yield part
