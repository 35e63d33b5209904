"""Deleted documents are gone from every collection."""

from __future__ import annotations

import pytest
from google.cloud.firestore import WriteBatch

from rollcall.core.context import User
from rollcall.core.errors import NotFound
from rollcall.endpoints.knowledge import sweep_files
from rollcall.endpoints.my_data import delete_my_data, export_my_data
from rollcall.knowledge.documents import check_may_remove, one_readable, remove
from rollcall.store.batches import try_commit
from tests.support.fake_storage import FakeStorage
from tests.support.knowledge import ANN, BEN, Library
from tests.support.user_data import all_paths

MANUAL = "# Manual\n## Grounding\nThe electrode is driven eight feet deep.\n"


class Counting:
    """An embedder of three dimensions."""

    id = "test:three"
    dimensions = 3

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        return [[1.0, float(len(text) % 7), 0.5] for text in texts]


def removal(library: Library, user: User, id: str) -> WriteBatch:
    """A batch that removes a document which the user may remove."""
    document = one_readable(library.db, user, id)
    check_may_remove(user, document)
    batch = library.db.batch()
    remove(library.db, batch, document)
    return batch


def delete(library: Library, user: User, id: str) -> bool:
    return try_commit(removal(library, user, id)) is not None


@pytest.mark.parametrize("name", ["manual.md", "manual.txt"])
def test_a_deleted_document_leaves_nothing_anywhere(library: Library, name: str) -> None:
    library.platform.embedder = Counting()  # type: ignore[assignment]
    id = library.add(ANN, MANUAL * 200, name)
    assert {path.partition("~")[2][:1] for path in all_paths(library.db)} >= {"t", "w", "v"}
    assert delete(library, ANN, id)
    assert all_paths(library.db) == []
    assert library.search(ANN, "electrode").passages == []
    with pytest.raises(NotFound):
        delete(library, ANN, id)


def test_a_document_that_waits_to_be_read_can_be_deleted_with_both_its_files(
    library: Library,
) -> None:
    id = library.add(ANN, MANUAL, "manual.md")
    library.upload(ANN, MANUAL.encode() * 2, "manual.md")
    assert delete(library, ANN, id)
    assert all_paths(library.db) == []
    library.run_queue()
    assert all_paths(library.db) == []


def test_a_document_that_changed_meanwhile_is_not_deleted_in_part(library: Library) -> None:
    id = library.add(ANN, MANUAL, "manual.md")
    before = all_paths(library.db)
    batch = removal(library, ANN, id)
    library.db.document(f"documents/{id}").update({"title": "as a reader's write would be"})
    assert try_commit(batch) is None
    assert all_paths(library.db) == before


def test_the_same_file_can_be_uploaded_again_after_it_was_deleted(library: Library) -> None:
    delete(library, ANN, library.add(ANN, MANUAL, "manual.md"))
    library.add(ANN, MANUAL, "manual.md")
    assert library.titles(ANN, "electrode") == {"manual"}


def test_an_erased_user_leaves_no_document_and_takes_no_other_users(library: Library) -> None:
    library.add(ANN, MANUAL, "own.md")
    library.add(ANN, MANUAL, "shared.md", scope="team")
    library.begin(ANN, MANUAL.encode(), "unfinished.md")
    theirs = library.add(BEN, MANUAL, "bens.md")
    receipt = library.call(delete_my_data, ANN, {"confirm": True})
    assert receipt["status"] == "done"
    assert {kind: receipt["removed"][kind] for kind in ("documents", "files")} == {
        "documents": 2,
        "files": 1,
    }
    left = [path for path in all_paths(library.db) if path.split("/")[0] in ("documents", "files")]
    assert left
    file = library.record(theirs)["current"]["file"]
    assert all(theirs in path or file in path for path in left)


def test_an_export_names_documents_and_files_without_what_the_server_keeps_for_itself(
    library: Library,
) -> None:
    id = library.add(ANN, MANUAL, "own.md")
    library.add(BEN, MANUAL, "shared.md")
    items = library.call(export_my_data, ANN, None)["items"]
    found = {each["kind"]: each for each in items if each["kind"] in ("documents", "files")}
    assert (found["documents"]["id"], found["documents"]["data"]["name"]) == (id, "own.md")
    assert found["files"]["data"]["bytes"] == len(MANUAL)
    assert not {"current", "place", "incoming"} & {
        *found["documents"]["data"],
        *found["files"]["data"],
    }
    assert "bens" not in str(items)


@pytest.mark.parametrize("way", ["the document", "the user"])
def test_in_a_bucket_the_content_goes_with_the_next_sweep(library: Library, way: str) -> None:
    with FakeStorage() as fake:
        id = library.add(ANN, MANUAL, "manual.md")
        library.begin(ANN, MANUAL.encode(), "unfinished.md")
        assert library.titles(ANN, "electrode") == {"manual"}
        assert fake.objects
        if way == "the document":
            assert delete(library, ANN, id)
        else:
            library.call(delete_my_data, ANN, {"confirm": True})
        assert library.search(ANN, "electrode").passages == []
        sweep_files(library.platform)
        assert fake.objects == {}
    left = [path for path in all_paths(library.db) if path.startswith(("documents", "files"))]
    assert len(left) == (1 if way == "the document" else 0)  # what is not finished yet
