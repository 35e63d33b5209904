import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument
from rollcall.store.seeding import _commits, read_folder, read_seed

GOOD: dict[str, Any] = {
    "source": "NEC 2023, Chapter 9, Table 8",
    "licence": "facts",
    "kind": "reference",
    "documents": {"12": {"ohmsPerKft": 1.93}},
}


def file(tmp_path: Path, data: Any, name: str = "conductors.json") -> Path:
    path = tmp_path / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def deep(levels: int) -> Any:
    return {"in": deep(levels - 1)} if levels else 1


def test_a_file_names_its_collection_and_its_source(tmp_path: Path) -> None:
    found = read_seed(file(tmp_path, GOOD))
    assert (found.collection, found.kind) == ("conductors", "reference")
    assert found.documents == {"12": {"ohmsPerKft": 1.93}}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "demo"}, "kind is one of"),
        ({"licence": " "}, "licence has to say"),
        ({"extra": 1}, "exactly"),
        ({"documents": []}, "documents has to be an object"),
        ({"documents": {"a/b": {}}}, "'a/b' cannot be a document's id"),
        ({"documents": {"__x__": {}}}, "cannot be a document's id"),
        ({"documents": {"a": 1}}, "document 'a' has to be an object"),
        ({"documents": {"a": {"x": [[1]]}}}, "a list within a list"),
        ({"documents": {"a": {"x": [{"y": float("nan")}]}}}, "not finite"),
        ({"documents": {"a": deep(30)}}, "nested deeper than 20"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidArgument, match=reason) as caught:
        read_seed(file(tmp_path, {**GOOD, **changes}))
    assert caught.value.message.startswith("conductors.json: ")


def test_a_file_that_is_no_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"conductors\.json cannot be read as JSON"):
        read_seed(file(tmp_path, "{"))


def test_a_folder_is_read_by_collection(tmp_path: Path) -> None:
    file(tmp_path, GOOD, "b.json")
    file(tmp_path, GOOD, "a.json")
    file(tmp_path, "not data", "README.md")
    assert [found.collection for found in read_folder(tmp_path)] == ["a", "b"]


def test_the_projects_own_seed_files_are_good() -> None:
    seed = Path(__file__).parents[3] / "seed"
    folders = [seed, *(each for each in seed.iterdir() if each.is_dir())]
    by_code = {folder: _written_by_code(folder) for folder in folders}
    files = [(folder, file) for folder in folders for file in read_folder(folder)]
    found = [(file.collection, id) for _, file in files for id in file.documents]
    assert found and len(found) == len(set(found)), "a document is in two files"
    # `load` removes what a collection's file no longer has, so it may write one file of each.
    loaded = [file.collection for folder, file in files if file.collection not in by_code[folder]]
    assert len(loaded) == len(set(loaded))


def _written_by_code(folder: Path) -> frozenset[str]:
    """The collections of a pack's files that its `sample.py` writes."""
    if not (folder / "sample.py").is_file():
        return frozenset()
    found: frozenset[str] = import_module(f"seed.{folder.name}.sample").COLLECTIONS
    return found


def test_commits_stay_below_the_bounds_on_writes_and_bytes() -> None:
    small = {str(n): {"n": n} for n in range(900)}
    assert [len(part) for part in _commits(small)] == [400, 400, 100]
    large = {str(n): {"text": "א" * 400_000} for n in range(5)}
    assert [len(part) for part in _commits(large)] == [2, 2, 1]
    assert list(_commits({})) == []
