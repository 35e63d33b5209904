from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from seed.messaging.records import Note, Problem, Record, Removal
from seed.messaging.spool import Spool

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
RECORD = Record("line 1", "c1", "Garden", "u1", "Noa", "hello", START)


@pytest.fixture
def spool() -> Iterator[Spool]:
    with Spool() as spool:
        yield spool


def test_interleaved_conversations_come_apart_in_the_order_of_time(spool: Spool) -> None:
    for n in range(6):
        when = START - timedelta(minutes=n)
        spool.add(replace(RECORD, conversation=f"c{n % 2}", content=str(n), sent_at=when))
    assert spool.count() == 6
    assert [c.id for c in spool.conversations()] == ["c0", "c1"]
    assert [m.text for m in spool.messages("c0")] == ["4", "2", "0"]
    assert next(spool.conversations()).started_at == START - timedelta(minutes=4)


def test_messages_of_one_moment_stay_in_order_by_microseconds(spool: Spool) -> None:
    for text in "abc":
        spool.add(replace(RECORD, content=text))
    found = list(spool.messages("c1"))
    assert [m.text for m in found] == ["a", "b", "c"]
    assert [m.sent_at - START for m in found] == [timedelta(microseconds=n) for n in range(3)]


def test_ids_follow_from_content_and_repeat_on_every_run() -> None:
    ids = []
    for _ in range(2):
        with Spool() as spool:
            for text in ("hm", "hm", "yes"):
                spool.add(replace(RECORD, content=text))
            ids.append([m.id for m in spool.messages("c1")])
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 3
    assert ids[0][1] == ids[0][0] + "-2"


def test_the_same_key_in_two_conversations_is_two_messages(spool: Spool) -> None:
    for id in ("a", "a-b"):
        spool.add(replace(RECORD, conversation=id, key="b-1" if id == "a" else "1"))
    ids = [m.id for c in spool.conversations() for m in spool.messages(c.id)]
    assert ids == ["a.b-1", "a-b.1"]


def test_a_repeated_line_is_counted_and_a_reused_id_is_a_problem(spool: Spool) -> None:
    first = replace(RECORD, key="m1")
    assert spool.add(first) is None
    assert spool.add(replace(first, place="line 2")) == Note("repeated lines")
    problem = spool.add(replace(first, place="line 3", content="other"))
    assert problem == Problem("line 3", "id 'm1' was used before, at line 1")
    assert [m.text for m in spool.messages("c1")] == ["hello"]


def test_an_edit_replaces_and_a_removal_removes_whatever_the_order(spool: Spool) -> None:
    spool.remove(Removal("c1", "m2"))
    for key in ("m1", "m2", "m3"):
        spool.add(replace(RECORD, key=key, content=key))
    spool.add(replace(RECORD, key="m1", content="edited", replaces=True))
    spool.remove(Removal("c1", "m3"))
    assert spool.count() == 1
    assert [m.text for m in spool.messages("c1")] == ["edited"]


def test_whoever_speaks_or_is_named_takes_part(spool: Spool) -> None:
    spool.add(replace(RECORD, participants={"u2": "", "u1": ""}))
    spool.add(replace(RECORD, sender="u3", sender_name="עומר", conversation_name="Later name"))
    [found] = spool.conversations()
    assert found.participants == {"u1": "Noa", "u2": "", "u3": "עומר"}
    assert (found.name, found.messages) == ("Later name", 2)


def test_ids_that_no_document_can_have_are_made_safe(spool: Spool) -> None:
    for id in ("../../secrets", "a/b", "__x__", ".", "שיחה", "x" * 128):
        spool.add(replace(RECORD, conversation=id, key=id))
    ids = [c.id for c in spool.conversations()]
    assert len(set(ids)) == 6
    assert all("/" not in id and len(id) <= 64 and not id.startswith(("_", ".")) for id in ids)
