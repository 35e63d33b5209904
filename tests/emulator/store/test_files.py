"""The file store, over Firestore and over a bucket, with the same guarantees."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.firestore import Client, WriteBatch

from rollcall.core.errors import Aborted, FailedPrecondition, NotFound, Unavailable
from rollcall.store.files import (
    PART_BYTES,
    Allowance,
    FileStore,
    NewFile,
    StoredFile,
    contents_at,
    place_for_new,
)
from tests.support.fake_storage import BUCKET, FakeStorage
from tests.support.user_data import all_paths

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CONTENT = random.Random(3).randbytes(PART_BYTES + 12_345)
ROOM = Allowance(files=10, bytes=100_000_000)


@pytest.fixture(params=["firestore", "bucket"])
def storage(request: pytest.FixtureRequest) -> Iterator[FakeStorage | None]:
    if request.param == "firestore":
        yield None
        return
    with FakeStorage() as fake:
        yield fake


def new(content: bytes = CONTENT, *, uid: str = "ann", name: str = "noise.bin") -> NewFile:
    return NewFile(
        uid=uid,
        name=name,
        content_type="application/octet-stream",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        purpose="attachment",
        details={"messageId": "m1"},
    )


def store_file(db: Client, content: bytes = CONTENT) -> StoredFile:
    file = FileStore(db).begin(new(content), ROOM, now=NOW)
    for number in file.missing:
        piece = content[number * PART_BYTES : (number + 1) * PART_BYTES]
        FileStore(db).add_part("ann", file.id, number, piece)
    return FileStore(db).finish("ann", file.id)


def remove(db: Client, file: StoredFile) -> None:
    batch = db.batch()
    FileStore(db).remove(batch, file)
    batch.commit()


def test_what_was_put_in_comes_out_part_by_part(db: Client, storage: FakeStorage | None) -> None:
    file = store_file(db)
    assert file.is_ready
    assert file.place == (BUCKET if storage else "firestore")
    parts = list(FileStore(db).open(file))
    assert [len(part) for part in parts] == [PART_BYTES, 12_345]
    assert b"".join(parts) == CONTENT
    found = FileStore(db).find(file.id)
    assert found is not None
    assert (found.name, found.bytes, found.details) == (
        "noise.bin",
        len(CONTENT),
        {"messageId": "m1"},
    )


def test_parts_in_a_bucket_are_plain_bytes_and_none_is_in_firestore(db: Client) -> None:
    with FakeStorage() as fake:
        file = store_file(db)
        names = {name: kind for (_, name), (kind, _) in fake.objects.items()}
    assert names == {
        f"rollcall-files/{file.id}/{number:04d}": "application/octet-stream" for number in (0, 1)
    }
    assert all_paths(db) == [f"files/{file.id}"]


def test_a_removed_file_is_gone_at_once_and_its_content_with_the_next_sweep(
    db: Client, storage: FakeStorage | None
) -> None:
    file = store_file(db)
    remove(db, file)
    assert FileStore(db).find(file.id) is None
    with pytest.raises(NotFound):
        FileStore(db).add_part("ann", file.id, 0, CONTENT[:PART_BYTES])
    assert "ann" not in str([db.document(path).get().to_dict() for path in all_paths(db)])
    FileStore(db).sweep(now=NOW)
    assert all_paths(db) == []
    assert not (storage and storage.objects)


def test_a_sweep_that_broke_off_is_done_by_the_next(db: Client) -> None:
    with FakeStorage() as fake:
        remove(db, store_file(db))
        fake.fails = 403
        assert FileStore(db).sweep(now=NOW) == 0
        fake.fails = None
        assert FileStore(db).sweep(now=NOW) == 1
        assert (fake.objects, all_paths(db)) == ({}, [])


def test_a_bucket_that_is_gone_keeps_no_other_file_from_being_swept(
    db: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with FakeStorage() as fake:
        remove(db, store_file(db))
        held = db.document(all_paths(db)[0])
        held.parent.document("0").set({**(held.get().to_dict() or {}), "place": "gone"})
        assert FileStore(db).sweep(now=NOW) == 1
        assert (fake.objects, all_paths(db)) == ({}, ["files/0"])
    assert "file 0 stays until the next sweep" in caplog.text


def test_a_file_that_is_kept_while_it_is_swept_stays(
    db: Client, storage: FakeStorage | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = store_file(db)
    really_remove = FileStore.remove

    def keep_first(self: FileStore, batch: WriteBatch, file: StoredFile) -> None:
        keeping = db.batch()
        self.keep(keeping, file)
        keeping.commit()
        really_remove(self, batch, file)

    monkeypatch.setattr(FileStore, "remove", keep_first)
    assert FileStore(db).sweep(now=NOW + timedelta(days=2)) == 0
    assert b"".join(FileStore(db).open(file)) == CONTENT


def test_an_upload_that_broke_off_knows_what_is_missing(
    db: Client, storage: FakeStorage | None
) -> None:
    begun = FileStore(db).begin(new(), ROOM, now=NOW)
    FileStore(db).add_part("ann", begun.id, 1, CONTENT[PART_BYTES:])
    again = FileStore(db).begin(new(), ROOM, now=NOW)
    assert (again.id, again.missing) == (begun.id, (0,))


def test_a_part_that_is_sent_while_the_whole_is_looked_at_stops_it(
    db: Client, storage: FakeStorage | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = FileStore(db).begin(new(), ROOM, now=NOW)
    first, last = CONTENT[:PART_BYTES], CONTENT[PART_BYTES:]
    for number, part in enumerate((first, last)):
        FileStore(db).add_part("ann", begun.id, number, part)
    look = FileStore.open

    def looked_at(self: FileStore, file: StoredFile) -> Iterator[bytes]:
        yield from look(self, file)
        self.add_part("ann", file.id, 1, bytes(len(last)))

    with monkeypatch.context() as patched, pytest.raises(Aborted):
        patched.setattr(FileStore, "open", looked_at)
        FileStore(db).finish("ann", begun.id)
    FileStore(db).add_part("ann", begun.id, 1, last)
    assert b"".join(FileStore(db).open(FileStore(db).finish("ann", begun.id))) == CONTENT


def test_a_bucket_that_is_not_there_is_said_so(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeStorage(), monkeypatch.context() as patched:
        patched.setenv("ROLLCALL_FILES_BUCKET", "nobodys-bucket")
        with pytest.raises(FailedPrecondition) as refused:
            store_file(db)
        assert "ROLLCALL_FILES_BUCKET" in (refused.value.hint or "")


def test_a_storage_that_does_not_answer_is_worth_another_try(db: Client) -> None:
    with FakeStorage() as fake:
        file = store_file(db)
        fake.fails = 400
        with pytest.raises(Unavailable):
            list(FileStore(db).open(file))


def test_a_file_whose_part_is_gone_says_so(db: Client, storage: FakeStorage | None) -> None:
    file = store_file(db)
    contents_at(db, file.place).delete(file.id)
    with pytest.raises(NotFound, match="part 0"):
        list(FileStore(db).open(file))


def test_a_file_stays_where_it_was_put_when_the_setting_changes(db: Client) -> None:
    file = store_file(db)
    with FakeStorage() as fake:
        assert b"".join(FileStore(db).open(file)) == CONTENT
        assert fake.objects == {}


@pytest.mark.parametrize(
    ("env", "place"),
    [
        ({}, "firestore"),
        ({"ROLLCALL_FILES_BUCKET": "ours"}, "ours"),
        ({"FIREBASE_CONFIG": '{"storageBucket": "own.appspot.com"}'}, "own.appspot.com"),
        ({"FIREBASE_CONFIG": '{"projectId": "p"}'}, "firestore"),
        ({"FIREBASE_CONFIG": "/a/file"}, "firestore"),
        (
            {
                "FIREBASE_CONFIG": '{"storageBucket": "own.appspot.com"}',
                "ROLLCALL_FILES_BUCKET": "none",
            },
            "firestore",
        ),
        (
            {
                "FIREBASE_CONFIG": '{"storageBucket": "own.appspot.com"}',
                "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1",
            },
            "firestore",
        ),
        (
            {
                "FIREBASE_CONFIG": '{"storageBucket": "own.appspot.com"}',
                "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1",
                "STORAGE_EMULATOR_HOST": "http://127.0.0.1:2",
            },
            "own.appspot.com",
        ),
    ],
)
def test_the_environment_says_where_new_content_goes(env: dict[str, str], place: str) -> None:
    assert place_for_new(env) == place
