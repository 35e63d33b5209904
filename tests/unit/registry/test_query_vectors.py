"""A query's embedding: beside other work, within its time, and never an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from rollcall.registry import query_vectors
from rollcall.registry.query_vectors import MAX_WAITING, QUERY_CHARS, asked_for, in_time


@dataclass(eq=False)
class Embedder:
    """Answers once `open` is set, or fails."""

    open: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None
    id: str = "test:embedder"
    dimensions: int = 2
    seen: list[str] = field(default_factory=list)

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        assert task == "query"
        self.seen += texts
        assert self.open.wait(10)
        if self.error:
            raise self.error
        return [[1.0, 0.0] for _ in texts]


@pytest.fixture
def embedder() -> Iterator[Embedder]:
    made = Embedder()
    yield made
    made.open.set()


def test_a_vector_is_made_while_other_work_goes_on(embedder: Embedder) -> None:
    asked = asked_for(embedder, "hello")
    embedder.open.set()
    assert in_time(asked, wait_s=5) == [1.0, 0.0]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_is_asked_for_nothing(embedder: Embedder, text: str) -> None:
    assert asked_for(embedder, text) is None
    assert in_time(None) is None


def test_without_an_embedder_it_is_words_alone() -> None:
    assert asked_for(None, "hello") is None


def test_a_slow_embedder_is_not_waited_for_and_then_left_alone(
    embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = asked_for(embedder, "one"), asked_for(embedder, "two")
    assert in_time(first, wait_s=0.01) is None
    assert in_time(second, wait_s=0.01) is None
    assert asked_for(embedder, "three") is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "words alone" in caplog.text


def test_a_failing_embedder_is_no_error(
    embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.error = ConnectionError("sk-secret")
    embedder.open.set()
    for text in ("one", "two"):
        assert in_time(asked_for(embedder, text), wait_s=5) is None
    assert asked_for(embedder, "three") is None
    assert "ConnectionError" in caplog.text and "sk-secret" not in caplog.text


def test_after_the_pause_it_is_asked_again(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_vectors, "PAUSE_S", 0.0)
    for text in ("one", "two"):
        assert in_time(asked_for(embedder, text), wait_s=0.0) is None
    embedder.open.set()
    assert in_time(asked_for(embedder, "three"), wait_s=5) == [1.0, 0.0]


def test_one_miss_between_answers_stops_nothing(embedder: Embedder) -> None:
    for text in ("one", "two", "three"):
        embedder.open.clear()
        slow = asked_for(embedder, text)
        assert in_time(slow, wait_s=0.0) is None
        embedder.open.set()
        assert in_time(asked_for(embedder, "again"), wait_s=5) == [1.0, 0.0]


def test_one_vector_that_is_waited_for_twice_is_one_miss(embedder: Embedder) -> None:
    slow = asked_for(embedder, "one")
    assert in_time(slow, wait_s=0.0) is in_time(slow, wait_s=0.0) is None
    embedder.open.set()
    assert in_time(asked_for(embedder, "two"), wait_s=5) == [1.0, 0.0]


def test_time_that_other_work_took_counts(embedder: Embedder) -> None:
    asked = asked_for(embedder, "one")
    time.sleep(0.05)
    started = time.monotonic()
    assert in_time(asked, wait_s=0.04) is None
    assert time.monotonic() - started < 0.04


def test_a_stuck_embedder_holds_only_so_many_threads(embedder: Embedder) -> None:
    asked = [asked_for(embedder, f"{n}") for n in range(MAX_WAITING + 3)]
    assert sum(each is not None for each in asked) == MAX_WAITING


def test_a_long_message_is_cut(embedder: Embedder) -> None:
    embedder.open.set()
    in_time(asked_for(embedder, "a" * 9_000), wait_s=5)
    assert [len(text) for text in embedder.seen] == [QUERY_CHARS]
