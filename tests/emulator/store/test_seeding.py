"""The loader against Firestore: it writes what differs, and deletes what a file drops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import InvalidArgument
from rollcall.store.seeding import seed


def write(folder: Path, collection: str, kind: str, documents: dict[str, Any]) -> None:
    data = {"source": "a test", "licence": "none", "kind": kind, "documents": documents}
    (folder / f"{collection}.json").write_text(json.dumps(data), encoding="utf-8")


def test_only_what_differs_is_written(db: Client, tmp_path: Path) -> None:
    documents = {str(n): {"n": n, "x": 1.0, "names": ["א", {"deep": None}]} for n in range(450)}
    write(tmp_path, "wires", "reference", documents)
    [first] = seed(db, tmp_path, {"reference"})
    assert (first.written, first.unchanged) == (450, 0)

    documents["7"] = {"n": 70}
    write(tmp_path, "wires", "reference", documents)
    db.document("wires/9").delete()
    [second] = seed(db, tmp_path, {"reference"})
    assert (second.written, second.unchanged, second.removed) == (2, 448, 0)
    assert db.document("wires/7").get().to_dict() == {"n": 70}
    assert db.document("wires/9").get().exists


def test_what_a_file_drops_goes_and_others_documents_stay(db: Client, tmp_path: Path) -> None:
    write(tmp_path, "wires", "reference", {"a": {"n": 1}, "b": {"n": 2}})
    seed(db, tmp_path, {"reference"})
    db.document("wires/own").set({"n": 3})
    write(tmp_path, "wires", "reference", {"a": {"n": 1}})
    [done] = seed(db, tmp_path, {"reference"})
    assert (done.written, done.unchanged, done.removed) == (0, 1, 1)
    assert {s.id for s in db.collection("wires").stream()} == {"a", "own"}


def test_kinds_that_were_not_asked_for_are_left(db: Client, tmp_path: Path) -> None:
    write(tmp_path, "wires", "reference", {"a": {"n": 1}})
    write(tmp_path, "talks", "sample", {"a": {"n": 1}})
    assert [done.collection for done in seed(db, tmp_path, {"reference"})] == ["wires"]
    assert not db.document("talks/a").get().exists


def test_a_bad_file_stops_all_before_anything_is_written(db: Client, tmp_path: Path) -> None:
    write(tmp_path, "a", "reference", {"a": {"n": 1}})
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(InvalidArgument, match=r"b\.json"):
        seed(db, tmp_path, {"reference"})
    assert not db.document("a/a").get().exists
