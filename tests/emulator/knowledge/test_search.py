"""Document search: by words and by meaning, with bounded reads, and a bounded cache of parts."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import Call, User
from rollcall.core.errors import Aborted, FailedPrecondition, InvalidArgument, NotFound
from rollcall.endpoints.knowledge import get_file
from rollcall.knowledge import documents
from rollcall.knowledge import search as search_module
from rollcall.knowledge.search import PartCache, part_cache, search
from rollcall.knowledge.uploads import add_document
from tests.support.firestore_operations import count_operations
from tests.support.knowledge import ANN, EVE, Library

GROUNDING = "# Rods\nThe rod is driven eight feet into the earth.\n"
PAYMENT = "# Terms\nThe invoice is due within thirty days.\n"
HEBREW = "# הארקה\nאלקטרודת ההארקה ננעצת באדמה לעומק שני מטרים.\n"


class Meanings:
    """An embedder that knows what a few words mean, in two dimensions."""

    id = "test:meanings"
    dimensions = 2

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        if self.fails:
            raise TimeoutError("no answer")
        return [self._of(text.lower()) for text in texts]

    def _of(self, text: str) -> list[float]:
        return [1.0, 0.1] if {"rod", "electrode", "soil"} & set(text.split()) else [0.1, 1.0]


def test_words_are_found_in_both_languages_and_other_forms(library: Library) -> None:
    library.add(ANN, GROUNDING, "rods.md")
    library.add(ANN, PAYMENT, "terms.md")
    library.add(ANN, HEBREW, "הארקה.md")
    assert library.titles(ANN, "how deep are rods driven?") == {"rods"}
    assert library.titles(ANN, "באיזה עומק אלקטרודות הארקה?") == {"הארקה"}
    assert library.titles(ANN, "weather tomorrow") == set()


def test_with_an_embedder_other_words_of_the_same_meaning_are_found(library: Library) -> None:
    library.platform.embedder = Meanings()  # type: ignore[assignment]
    library.add(ANN, GROUNDING, "rods.md")
    library.add(ANN, PAYMENT, "terms.md")
    found = library.search(ANN, "electrode in soil").passages
    assert found[0].title == "rods"
    assert found[0].score > found[1].score


def test_an_embedder_that_fails_or_is_another_leaves_the_words(library: Library) -> None:
    library.platform.embedder = Meanings()  # type: ignore[assignment]
    library.add(ANN, GROUNDING, "rods.md")
    library.platform.embedder = Meanings(fails=True)  # type: ignore[assignment]
    assert library.titles(ANN, "rod") == {"rods"}
    other = Meanings()
    other.id = "test:other"
    library.platform.embedder = other  # type: ignore[assignment]
    assert library.titles(ANN, "rod") == {"rods"}
    assert library.titles(ANN, "electrode") == set()


def test_a_document_whose_title_says_it_comes_first(library: Library) -> None:
    text = "# Use\nThe breaker is reset by its handle.\n"
    library.add(ANN, text, "siemens.md")
    library.add(ANN, text, "eaton.md")
    assert library.search(ANN, "eaton breaker reset").passages[0].title == "eaton"


def test_a_search_costs_a_read_for_each_document_each_new_part_and_each_text(
    library: Library,
) -> None:
    part_cache.cache_clear()
    library.add(ANN, GROUNDING, "rods.md")
    library.add(ANN, PAYMENT, "terms.md")
    with count_operations() as first:
        library.search(ANN, "rod")
    with count_operations() as second:
        library.search(ANN, "rod")
    # Two lists (own, team): two documents and an empty answer. Two parts of words. One text.
    assert (first.reads, second.reads) == (6, 4)
    assert (first.writes, second.writes) == (0, 0)


def test_more_documents_or_passages_than_one_search_reads_are_said_to_be_there(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(ANN, GROUNDING, "old.md")
    library.add(ANN, GROUNDING, "new.md")
    assert library.search(ANN, "rod").searched_all
    with monkeypatch.context() as patched:
        patched.setattr(search_module, "SEARCHED_PASSAGES", 1)
        found = library.search(ANN, "rod")
        assert ([each.title for each in found.passages], found.searched_all) == (["new"], False)
    monkeypatch.setattr(documents, "MAX_DOCUMENTS", 1)
    found = library.search(ANN, "rod")
    assert (len(found.passages), found.searched_all) == (1, False)


def test_a_document_replaced_in_the_midst_of_a_search_is_searched_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(ANN, GROUNDING, "rods.md")
    read = documents.readable
    replaced: list[str] = []

    def readable(*arguments: Any, **more: Any) -> Any:
        found = read(*arguments, **more)
        if not replaced:
            replaced.append(library.add(ANN, GROUNDING * 2, "rods.md"))
        return found

    monkeypatch.setattr("rollcall.knowledge.search.readable", readable)
    part_cache.cache_clear()
    assert library.titles(ANN, "rod") == {"rods"}


def test_parts_that_stay_away_are_an_error_and_no_empty_answer(library: Library) -> None:
    id = library.add(ANN, GROUNDING, "rods.md")
    file = library.record(id)["current"]["file"]
    library.db.document(f"documents/{id}/parts/{file}~t0").delete()
    with pytest.raises(Aborted):
        library.search(ANN, "rod")


def test_a_document_that_cannot_be_searched_yet_or_ever_says_why(library: Library) -> None:
    waiting = library.upload(ANN, GROUNDING.encode(), "rods.md")
    with pytest.raises(FailedPrecondition, match="still being read"):
        library.search(ANN, "rod", document_id=waiting)
    failed = library.add(ANN, "   \n", "empty.md")
    with pytest.raises(FailedPrecondition, match="the file is empty"):
        library.search(ANN, "rod", document_id=failed)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": "x" * 1_001}, "query"),
        ({"query": "rod", "limit": 0}, "limit"),
        ({"query": "rod", "limit": 21}, "limit"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    library: Library, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        search(library.ctx(ANN), **arguments)
    assert refused.value.field == field


def path(name: str) -> str:
    return f"documents/d/parts/{name}"


@pytest.fixture
def cached_parts(db: Client) -> None:
    for name in "abc":
        db.document(path(name)).set({"data": name.encode() * 40})


def reads(cache: PartCache, db: Client, names: str) -> int:
    """How many documents are read for these parts, which all come."""
    with count_operations() as found:
        given = cache.read(db, [path(name) for name in names])
    assert given == [name.encode() * 40 for name in names]
    return found.reads


@pytest.mark.usefixtures("cached_parts")
def test_a_part_is_read_once(db: Client) -> None:
    cache = PartCache(100)
    assert [reads(cache, db, "a") for _ in range(2)] == [1, 0]


@pytest.mark.usefixtures("cached_parts")
def test_a_part_that_is_not_there_is_none_and_asked_for_again(db: Client) -> None:
    cache = PartCache(100)
    assert [cache.read(db, [path("z"), path("a")]) for _ in range(2)] == [[None, b"a" * 40]] * 2


@pytest.mark.usefixtures("cached_parts")
def test_what_was_not_asked_for_longest_makes_room(db: Client) -> None:
    cache = PartCache(100)
    for name in "abac":
        reads(cache, db, name)
    assert [reads(cache, db, name) for name in "acb"] == [0, 0, 1]


@pytest.mark.usefixtures("cached_parts")
def test_a_part_that_is_too_large_to_keep_is_still_given_out(db: Client) -> None:
    cache = PartCache(30)
    assert [reads(cache, db, "a") for _ in range(2)] == [1, 1]


@pytest.mark.usefixtures("cached_parts")
def test_projects_do_not_share_parts(db: Client, module_db: Client) -> None:
    module_db.document(path("a")).set({"data": b"other"})
    cache = PartCache(100)
    assert reads(cache, db, "a") == 1
    assert cache.read(module_db, [path("a")]) == [b"other"]


def shared(library: Library, user: User, text: str, name: str, **more: Any) -> str:
    """Store a document by the code of a pack; its id."""
    ctx = library.ctx(user)
    info = add_document(ctx, name=name, content_type="text/markdown", content=text.encode(), **more)
    library.run_queue()
    return info.document_id


def test_a_group_is_searched_only_when_the_calling_code_names_it(library: Library) -> None:
    id = shared(library, ANN, GROUNDING, "rods.md", group="course:c1")
    eve = library.ctx(EVE)
    assert search(eve, "rod", groups=["course:c1"]).passages[0].document_id == id
    assert search(eve, "rod", groups=["course:c1"], document_id=id).passages
    for groups in ([], ["course:c2"], ["course:"], ["c1"]):  # she has left it, or never was there
        assert not search(eve, "rod", groups=groups).passages
        with pytest.raises(NotFound):
            search(eve, "rod", groups=groups, document_id=id)
    assert search(library.ctx(ANN), "rod").passages  # it is hers anyway
    with pytest.raises(NotFound):  # who may search in it has no right to the file
        get_file(library.platform, Call(EVE, {"fileId": library.record(id)["current"]["file"]}))


def test_labels_filter_what_is_searched(library: Library) -> None:
    labels = {"subject": "math", "volumeType": "teacher_guide"}
    shared(library, ANN, GROUNDING, "rods.md", labels=labels)
    shared(library, ANN, GROUNDING, "other.md", labels={"subject": "science"})
    shared(library, ANN, GROUNDING, "none.md")
    ctx = library.ctx(ANN)
    found = {
        name: {each.title for each in search(ctx, "rod", labels=given).passages}
        for name, given in {
            "one": {"subject": "Math"},
            "both": labels,
            "wrong": {"subject": "math", "grade": "4"},
            "all": {},
        }.items()
    }
    assert found == {
        "one": {"rods"},
        "both": {"rods"},
        "wrong": set(),
        "all": {"rods", "other", "none"},
    }


@pytest.mark.parametrize(
    "labels",
    [{"a b": "x"}, {"x": ""}, {"x": "y" * 201}, {f"x{n}": "y" for n in range(11)}, {"x": 5}],
)
def test_labels_that_are_none_are_refused(library: Library, labels: Any) -> None:
    with pytest.raises(InvalidArgument) as refused:
        shared(library, ANN, GROUNDING, "rods.md", labels=labels)
    assert str(refused.value.field).startswith("labels")
