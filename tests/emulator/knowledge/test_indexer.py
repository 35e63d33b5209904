"""Documents are indexed once and whole, replaced in one write, and indexed again if a process
dies."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.endpoints.knowledge import indexdocument, sweep_files
from rollcall.knowledge import indexer, reader
from rollcall.knowledge.indexer import MAX_ATTEMPTS, index
from rollcall.knowledge.reader import read
from rollcall.knowledge.uploads import overdue
from tests.support.knowledge import ANN, Library
from tests.support.pdfs import encrypted, pdf
from tests.support.user_data import all_paths

MANUAL = "# Manual\nIntro.\n## Grounding\nThe electrode is driven eight feet deep.\n"
OTHER = "# Manual\nIntro.\n## Bonding\nThe jumper is sized by the service conductor.\n"
SECRET = "sk-proj-planted0123456789abcdef"


def test_a_pdf_is_found_by_page_and_section(library: Library) -> None:
    pages = [
        [("3 Introduction", 16), "What this is about."],
        [("3.2 Grounding", 14), "The electrode is driven eight feet deep."],
    ]
    id = library.add(ANN, pdf(pages), "guide.pdf")
    record = library.record(id)
    assert (record["status"], record["incoming"], record["reason"]) == ("ready", None, None)
    assert record["current"]["pages"] == 2
    assert "dueAt" not in record
    best = library.search(ANN, "how deep is the electrode?").passages[0]
    assert (best.page_from, best.page_to) == (2, 2)
    assert best.heading.endswith("3.2 Grounding")
    assert best.title == "guide"


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (encrypted(pdf([["secret"]]), user_password="x"), "a.pdf", "encrypted"),
        (pdf([["cut"]])[:200], "a.pdf", "malformed"),
        (pdf([[""]]), "a.pdf", "no_text"),
        (b"MZ" + bytes(range(256)) * 20, "a.txt", "wrong_type"),
        (pdf([["x"]] * 501), "a.pdf", "too_many_pages"),
    ],
)
def test_what_cannot_be_read_says_why_and_keeps_nothing_but_its_record(
    library: Library, content: bytes, name: str, code: str
) -> None:
    id = library.add(ANN, content, name)
    record = library.record(id)
    assert (record["status"], record["reason"]["code"]) == ("failed", code)
    assert all_paths(library.db) == [f"documents/{id}"]


def test_the_same_name_again_replaces_and_the_old_answers_until_the_new_is_ready(
    library: Library,
) -> None:
    id = library.add(ANN, MANUAL, "manual.md")
    assert library.upload(ANN, OTHER.encode(), "manual.md") == id
    assert library.record(id)["status"] == "queued"
    assert library.titles(ANN, "electrode") == {"manual"}
    library.run_queue()
    assert library.titles(ANN, "electrode") == set()
    assert library.titles(ANN, "jumper") == {"manual"}
    current = library.record(id)["current"]["file"]
    left = all_paths(library.db)
    assert all(current in path for path in left if path != f"documents/{id}")


def test_a_new_version_that_cannot_be_read_leaves_the_old_one_answering(library: Library) -> None:
    id = library.add(ANN, MANUAL, "manual.md")
    before = set(all_paths(library.db))
    library.add(ANN, bytes(range(256)) * 20, "manual.md")
    assert library.record(id)["status"] == "failed"
    assert library.titles(ANN, "electrode") == {"manual"}
    assert set(all_paths(library.db)) == before


def test_an_upload_overtakes_one_that_waits(library: Library) -> None:
    library.upload(ANN, MANUAL.encode(), "manual.md")
    id = library.upload(ANN, OTHER.encode(), "manual.md")
    library.run_queue()
    assert library.titles(ANN, "jumper electrode") == {"manual"}
    assert library.record(id)["current"]["file"] in "".join(all_paths(library.db))
    assert (
        sum(path.startswith("files/") and path.count("/") == 1 for path in all_paths(library.db))
        == 1
    )


def test_a_task_that_comes_twice_or_for_nothing_does_nothing(library: Library) -> None:
    id = library.add(ANN, MANUAL, "manual.md")
    before = library.db.document(f"documents/{id}").get().update_time
    indexdocument(library.platform, {"documentId": id})
    indexdocument(library.platform, {"documentId": "none"})
    assert library.db.document(f"documents/{id}").get().update_time == before
    with pytest.raises(InvalidArgument):
        indexdocument(library.platform, {"documentId": "a/b"})


def test_of_two_readers_at_once_one_goes_on(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = library.upload(ANN, MANUAL.encode(), "manual.md")
    began = []
    monkeypatch.setattr(reader, "read", lambda *a: began.append(1) or read(*a))
    threads = [threading.Thread(target=index, args=(library.platform, id)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(began) == 1
    assert library.record(id)["status"] == "ready"


class ProcessDeath(BaseException):
    """The process is killed."""


def die_after_parts(
    monkeypatch: pytest.MonkeyPatch, *, after_parts: int, error: type[BaseException] | BaseException
) -> None:
    write = indexer._Claim.write_part
    written = []

    def write_part(work: Any, name: str, data: bytes) -> None:
        if len(written) == after_parts:
            raise error
        written.append(name)
        write(work, name, data)

    monkeypatch.setattr(indexer._Claim, "write_part", write_part)


LONG = "\n".join(f"## Part {n}\n" + f"Sentence number {n} says so. " * 40 for n in range(150))


def test_a_reader_that_dies_is_followed_by_one_that_begins_anew(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = library.upload(ANN, LONG.encode(), "long.md")
    with monkeypatch.context() as patched:
        die_after_parts(patched, after_parts=1, error=ProcessDeath)
        with pytest.raises(ProcessDeath):
            library.run_queue()
    assert library.record(id)["status"] == "reading"
    index(library.platform, id)  # too early: it may be alive
    assert library.record(id)["status"] == "reading"
    later = datetime.now(UTC) + timedelta(minutes=6)
    assert overdue(library.db, now=later) == [id]
    library.db.document(f"documents/{id}").update({"dueAt": datetime.now(UTC)})
    sweep_files(library.platform)
    library.run_queue()
    assert library.record(id)["status"] == "ready"
    counts = library.record(id)["current"]
    parts = [path for path in all_paths(library.db) if "/parts/" in path]
    assert len(parts) == counts["texts"] + counts["words"] > 2


def test_a_passing_failure_is_tried_again_at_once(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = library.upload(ANN, MANUAL.encode(), "manual.md")
    with monkeypatch.context() as patched:
        die_after_parts(patched, after_parts=0, error=Unavailable("no answer"))
        for _ in range(2 * MAX_ATTEMPTS):
            with pytest.raises(Unavailable):
                index(library.platform, id)
    assert library.record(id)["status"] == "queued"
    index(library.platform, id)
    assert library.record(id)["status"] == "ready"


def test_a_document_that_breaks_every_reader_is_given_up(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = library.upload(ANN, MANUAL.encode(), "manual.md")
    die_after_parts(monkeypatch, after_parts=0, error=RuntimeError)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(RuntimeError):
            index(library.platform, id)
    index(library.platform, id)
    record = library.record(id)
    assert (record["status"], record["reason"]["code"]) == ("failed", "failed")
    assert all_paths(library.db) == [f"documents/{id}"]


def test_a_document_deleted_while_it_is_read_gets_no_more_parts(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = library.upload(ANN, LONG.encode(), "long.md")
    write = indexer._Claim.write_part

    def write_part(work: Any, name: str, data: bytes) -> None:
        if name == "t1":
            library.db.recursive_delete(library.db.document(f"documents/{id}"))
        write(work, name, data)

    monkeypatch.setattr(indexer._Claim, "write_part", write_part)
    library.run_queue()
    assert [path for path in all_paths(library.db) if path.startswith("documents/")] == []


def test_progress_is_told_page_by_page(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_PROGRESS_EVERY_S", 0.0)
    told = []
    tell = indexer._Claim.commit

    def commit(work: Any, batch: Any, **changes: Any) -> None:
        if "progress" in changes:
            told.append(changes["progress"])
        tell(work, batch, **changes)

    monkeypatch.setattr(indexer._Claim, "commit", commit)
    library.add(ANN, pdf([["one"], ["two"], ["three"]]), "three.pdf")
    assert told == [{"done": done, "total": 3} for done in (1, 2, 3)]


def test_no_credential_in_a_document_rests_in_what_is_searched(library: Library) -> None:
    library.add(ANN, f"# Keys\nThe key of the service is {SECRET} and no other.\n", "keys.md")
    (passage,) = library.search(ANN, "key of the service").passages
    assert SECRET not in passage.text
    assert "[hidden]" in passage.text
    assert library.search(ANN, SECRET).passages == []


@pytest.mark.parametrize("dies", [SystemExit, RuntimeError])
def test_what_a_reader_leaves_that_dies_with_its_work_done_is_taken_away(
    library: Library, monkeypatch: pytest.MonkeyPatch, dies: type[BaseException]
) -> None:
    id = library.add(ANN, MANUAL, "manual.md")
    with monkeypatch.context() as patched:

        def end(claim: Any, answers: Any) -> None:
            raise dies

        patched.setattr(indexer._Claim, "end", end)
        library.upload(ANN, OTHER.encode(), "manual.md")
        with pytest.raises(dies):
            library.run_queue()
    assert library.record(id)["status"] == "ready"
    parts = [path.rpartition("/")[2] for path in all_paths(library.db) if "/parts/" in path]
    assert len({name.partition("~")[0] for name in parts}) == 2
    later = datetime.now(UTC) + timedelta(minutes=6)
    assert overdue(library.db, now=later) == [id]
    index(library.platform, id)
    record = library.record(id)
    left = [path for path in all_paths(library.db) if "/parts/" in path]
    assert left and all(record["current"]["file"] in path for path in left)
    assert (record["status"], overdue(library.db, now=later)) == ("ready", [])


def test_a_document_of_nothing_but_short_sections_keeps_no_other_out_of_a_search(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "MAX_PASSAGES", 30)
    library.add(ANN, MANUAL, "manual.md")
    id = library.add(ANN, "# a\nb\n" * 40, "sections.md")
    record = library.record(id)
    assert (record["status"], record["reason"]["code"]) == ("failed", "too_many_passages")
    assert [path for path in all_paths(library.db) if id in path] == [f"documents/{id}"]
    assert library.titles(ANN, "electrode") == {"manual"}
