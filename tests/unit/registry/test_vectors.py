"""The search by meaning: what is embedded, kept, packed and found; and a query's own vector, made
beside other work, within its time, and never an error."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from operator import mul

import pytest

from rollcall.core.embedding import MAX_FAILURES
from rollcall.core.search import pack_sections, unpack_sections
from rollcall.models.base import load_embedder
from rollcall.registry import vectors as vectors_module
from rollcall.registry.index import Match, Searchable
from rollcall.registry.vectors import (
    MAX_PENDING,
    TEXT_CHARS,
    PendingVector,
    VectorIndex,
    embed_query,
    merged,
    text_of,
)
from tests.support.fake_providers import FakeProviders
from tests.support.full_form import amount

SIZE = 64


@dataclass(eq=False)
class Table:
    """An embedder that looks vectors up by a text's description, its second line."""

    vectors: dict[str, list[float]]
    id: str = "table:one"
    dimensions: int = SIZE
    asked: list[str] = field(default_factory=list)
    breaks: bool = False
    calls: int = 0

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        assert task == "document"
        self.calls += 1
        if self.breaks:
            raise ConnectionError("gone")
        self.asked += texts
        return [self.vectors[text.split("\n")[1]] for text in texts]


def unit(values: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(map(mul, values, values)))
    return [value / length for value in values]


def clustered(count: int, *, clusters: int, size: int, seed: int = 5) -> list[list[float]]:
    """Vectors around some centres that share a direction, as embeddings of tools do."""
    chance = random.Random(seed)
    common = [chance.gauss(0, 1.2) for _ in range(size)]
    centres = [[value + chance.gauss(0, 1) for value in common] for _ in range(clusters)]
    return [unit([v + chance.gauss(0, 1) for v in centres[n % clusters]]) for n in range(count)]


def tools(count: int) -> list[Searchable]:
    return [Searchable(id=f"tool_{n}", description=f"does {n}") for n in range(count)]


def table(vectors: Sequence[list[float]]) -> Table:
    named = {f"does {n}": vector for n, vector in enumerate(vectors)}
    return Table(named, dimensions=len(vectors[0]) if vectors else SIZE)


VECTORS = clustered(300, clusters=12, size=SIZE)
INDEX = VectorIndex.build(tools(300), table(VECTORS))


def test_a_tool_is_nearest_to_itself() -> None:
    for n in (0, 17, 299):
        place, score = INDEX.search(VECTORS[n], limit=1)[0]
        assert (place, round(score, 2)) == (n, 1.0)


def test_what_may_not_be_offered_is_not_found() -> None:
    allowed = bytearray(300)
    allowed[5] = allowed[40] = 1
    assert {place for place, _ in INDEX.search(VECTORS[0], limit=10, allowed=allowed)} == {5, 40}
    assert INDEX.search(VECTORS[0], limit=10, allowed=bytes(300)) == []


@pytest.mark.long
def test_the_shortlist_loses_little_of_what_an_exact_search_finds() -> None:
    size, rounds = amount(500, full=1500), amount(6, full=20)
    vectors = clustered(size, clusters=60, size=256)
    index = VectorIndex.build(tools(size), table(vectors))
    chance = random.Random(9)
    found = 0
    for _ in range(rounds):
        asked = unit([v + chance.gauss(0, 0.06) for v in vectors[chance.randrange(size)]])
        exact = nlargest(5, range(size), key=lambda n: sum(map(mul, vectors[n], asked)))
        found += len(set(exact) & {place for place, _ in index.search(asked, limit=5)})
    assert found / (5 * rounds) >= 0.9


def test_only_texts_that_changed_are_embedded_again() -> None:
    embedder = table(clustered(4, clusters=2, size=SIZE))
    before = VectorIndex.build(tools(3), embedder)
    embedder.asked.clear()
    after = VectorIndex.build(tools(4), embedder, before)
    assert [text.split("\n")[1] for text in embedder.asked] == ["does 3"]
    assert after.search(embedder.vectors["does 1"], limit=1)[0][0] == 1


def test_without_an_embedder_what_was_embedded_stays() -> None:
    before = VectorIndex.build(tools(3), table(VECTORS[:3]))
    after = VectorIndex.build(tools(4)[1:], None, before)
    assert (after.embedder_id, after.places) == ("table:one", (0, 1))
    assert after.search(VECTORS[2], limit=1)[0][0] == 1


def test_another_embedders_vectors_are_not_kept() -> None:
    vectors = clustered(3, clusters=2, size=SIZE)
    before = VectorIndex.build(tools(3), table(vectors))
    other = table(vectors)
    other.id = "table:two"
    assert len(other.asked) == 0
    VectorIndex.build(tools(3), other, before)
    assert len(other.asked) == 3


def test_a_tool_keeps_its_vector_when_its_place_changes() -> None:
    embedder = table(VECTORS[:3])
    before = VectorIndex.build(tools(3), embedder)
    after = VectorIndex.build(tools(3)[::-1], embedder, before)
    assert len(embedder.asked) == 3
    assert after.search(VECTORS[2], limit=1)[0][0] == 0


def test_an_embedder_that_fails_leaves_the_tools_out_and_the_others_in() -> None:
    embedder = table(VECTORS[:4])
    before = VectorIndex.build(tools(3), embedder)
    embedder.breaks = True
    after = VectorIndex.build(tools(4), embedder, before)
    assert after.places == (0, 1, 2)
    embedder.breaks = False
    assert VectorIndex.build(tools(4), embedder, after).places == (0, 1, 2, 3)


def test_a_text_that_the_embedder_refuses_starves_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    embedder = table(VECTORS)
    refused = {17, 230}
    for n in refused:
        del embedder.vectors[f"does {n}"]
    with caplog.at_level(logging.WARNING):
        index = VectorIndex.build(tools(300), embedder)
    assert index.places == tuple(n for n in range(300) if n not in refused)
    assert [line.split(" (")[0] for line in caplog.messages] == [
        "table:one did not embed tool_17",
        "table:one did not embed tool_230",
    ]


def test_an_embedder_that_is_down_is_not_called_for_every_text() -> None:
    embedder = table(VECTORS)
    embedder.breaks = True
    VectorIndex.build(tools(300), embedder)
    assert embedder.calls == MAX_FAILURES


def test_vectors_of_another_length_than_promised_are_not_believed() -> None:
    assert VectorIndex.build(tools(2), table([VECTORS[0], VECTORS[1][:9]])).places == ()


def test_nothing_embedded_finds_nothing() -> None:
    embedder = table(VECTORS[:2])
    embedder.breaks = True
    assert VectorIndex.build(tools(2), embedder).search(VECTORS[0], limit=3) == []
    assert VectorIndex.build([], embedder).search(VECTORS[0], limit=3) == []


def test_a_query_of_another_length_finds_nothing() -> None:
    assert INDEX.search([1.0, 0.0], limit=3) == []


@pytest.mark.parametrize(
    "vector", [[0.0] * SIZE, [*[1.0] * (SIZE - 1), math.nan], [math.inf] * SIZE]
)
def test_a_vector_without_a_direction_breaks_nothing(vector: list[float]) -> None:
    index = VectorIndex.build(tools(2), table([vector, VECTORS[1]]))
    assert index.search(VECTORS[1], limit=1)[0][0] == 1
    assert all(score == 0 for _, score in index.search(vector, limit=2))


def test_dumped_and_loaded_it_finds_the_same() -> None:
    loaded = VectorIndex.load(INDEX.dump())
    assert loaded.dump() == INDEX.dump()
    for n in (3, 100):
        found, again = INDEX.search(VECTORS[n], limit=5), loaded.search(VECTORS[n], limit=5)
        assert [place for place, _ in again] == [place for place, _ in found]
        assert dict(again) == pytest.approx(dict(found), rel=1e-5)
    assert loaded.embedder_id == "table:one"


def test_a_loaded_index_spares_the_embedder_too() -> None:
    embedder = table(VECTORS[:3])
    loaded = VectorIndex.load(VectorIndex.build(tools(3), embedder).dump())
    VectorIndex.build(tools(3), embedder, loaded)
    assert len(embedder.asked) == 3


def test_an_empty_index_packs_too() -> None:
    empty = VectorIndex.build([], table([]))
    assert VectorIndex.load(empty.dump()).search([], limit=3) == []


@pytest.mark.parametrize("data", [b"", b"rollcall index 0\n", INDEX.dump()[:-40]])
def test_damaged_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        VectorIndex.load(data)


def test_columns_that_do_not_belong_together_are_refused() -> None:
    sections = unpack_sections(INDEX.dump(), 6)
    sections[3] = sections[3][:-4]
    with pytest.raises(ValueError, match="belong together"):
        VectorIndex.load(pack_sections(sections))


def test_the_text_of_a_tool_names_it_and_is_bounded() -> None:
    tool = Searchable(
        id="check_load",
        names=("Load", "עומס"),
        description="Check it.",
        keywords=("capacity",),
        examples=("Is there room?",),
    )
    assert text_of(tool) == "Load, עומס, check load\nCheck it.\nIs there room?\ncapacity"
    assert len(text_of(Searchable(id="x", description="y" * 9_000))) == TEXT_CHARS


def test_what_both_rankings_find_comes_first() -> None:
    words = [Match(1, 9.0, 0.8), Match(2, 6.0, 0.4)]
    found = merged(words, [(2, 0.9), (3, 0.8), (4, 0.1)], limit=3)
    assert [match.place for match in found] == [2, 1, 3]
    assert [match.fit for match in found] == [0.4, 0.8, 0.0]


@pytest.mark.parametrize(
    ("second", "cosines", "first"),
    [(1.0, (0.42, 0.41), 1), (1.0, (0.9, 0.21), 1), (8.0, (0.9, 0.21), 2), (8.0, (0.9, 0.89), 1)],
)
def test_how_far_a_tool_is_behind_counts_and_not_its_rank_alone(
    second: float, cosines: tuple[float, float], first: int
) -> None:
    words = [Match(1, 9.0, 0.8), Match(2, second, 0.5)]
    near = [(2, cosines[0]), (1, cosines[1]), (9, 0.2)]
    assert merged(words, near, limit=1)[0].place == first


def test_an_embedder_to_which_all_is_alike_changes_no_order_of_the_words() -> None:
    words = [Match(place, 9.0 - place, 0.5) for place in range(4)]
    alike = [(place, 0.3) for place in (3, 2, 1, 0)]
    assert [match.place for match in merged(words, alike, limit=4)] == [0, 1, 2, 3]


def test_with_one_ranking_alone_its_order_stays() -> None:
    words = [Match(4, 9.0, 0.8), Match(2, 5.0, 0.4)]
    assert [match.place for match in merged(words, [], limit=5)] == [4, 2]
    assert [match.place for match in merged([], [(7, 0.9), (1, 0.3)], limit=1)] == [7]
    assert [match.place for match in merged([], [(7, 0.9)], limit=1)] == [7]


@pytest.mark.parametrize("provider", ["gemini:gemini-embedding-2", "openai:text-embedding-3-small"])
def test_tools_are_embedded_by_the_providers_own_wire(provider: str) -> None:
    with FakeProviders() as fake:
        embedder = load_embedder(provider)
        index = VectorIndex.build(tools(3), embedder)
        assert (index.places, index.embedder_id) == ((0, 1, 2), provider)
        assert len(fake.requests) == 1
        VectorIndex.build(tools(3), embedder, VectorIndex.load(index.dump()))
        assert len(fake.requests) == 1
        asked = embedder.embed(["does 1"], task="query")[0]
    assert len(index.search(asked, limit=2)) == 2


@dataclass(eq=False)
class Gated:
    """Answers once `open` is set, or fails."""

    open: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None
    id: str = "test:embedder"
    dimensions: int = 2
    seen: list[str] = field(default_factory=list)

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        assert task == "query"
        self.seen += texts
        assert self.open.wait(60)
        if self.error:
            raise self.error
        return [[1.0, 0.0] for _ in texts]


@pytest.fixture
def embedder() -> Iterator[Gated]:
    made = Gated()
    yield made
    made.open.set()


def waited(pending: PendingVector | None, *, wait_s: float = 60.0) -> list[float] | None:
    return pending.wait(wait_s=wait_s) if pending else None


def test_a_vector_is_made_while_other_work_goes_on(embedder: Gated) -> None:
    asked = embed_query(embedder, "hello")
    embedder.open.set()
    assert waited(asked) == [1.0, 0.0]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_is_asked_for_nothing(embedder: Gated, text: str) -> None:
    assert embed_query(embedder, text) is None


def test_without_an_embedder_it_is_words_alone() -> None:
    assert embed_query(None, "hello") is None


def test_a_slow_embedder_is_not_waited_for_and_then_left_alone(
    embedder: Gated, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = embed_query(embedder, "one"), embed_query(embedder, "two")
    assert waited(first, wait_s=0.01) is None
    assert waited(second, wait_s=0.01) is None
    assert embed_query(embedder, "three") is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "words alone" in caplog.text


def test_a_failing_embedder_is_no_error(embedder: Gated, caplog: pytest.LogCaptureFixture) -> None:
    embedder.error = ConnectionError("sk-secret")
    embedder.open.set()
    for text in ("one", "two"):
        assert waited(embed_query(embedder, text)) is None
    assert embed_query(embedder, "three") is None
    assert "ConnectionError" in caplog.text and "sk-secret" not in caplog.text


def test_after_the_pause_it_is_asked_again(
    embedder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "PAUSE_S", 0.0)
    for text in ("one", "two"):
        assert waited(embed_query(embedder, text), wait_s=0.0) is None
    embedder.open.set()
    assert waited(embed_query(embedder, "three")) == [1.0, 0.0]


def test_one_miss_between_answers_stops_nothing(embedder: Gated) -> None:
    for text in ("one", "two", "three"):
        embedder.open.clear()
        slow = embed_query(embedder, text)
        assert waited(slow, wait_s=0.0) is None
        embedder.open.set()
        assert waited(embed_query(embedder, "again")) == [1.0, 0.0]


def test_one_vector_that_is_waited_for_twice_is_one_miss(embedder: Gated) -> None:
    slow = embed_query(embedder, "one")
    assert waited(slow, wait_s=0.0) is waited(slow, wait_s=0.0) is None
    embedder.open.set()
    assert waited(embed_query(embedder, "two")) == [1.0, 0.0]


def test_time_that_other_work_took_counts(embedder: Gated) -> None:
    asked = embed_query(embedder, "one")
    assert asked
    asked.begun_at -= 60
    started = time.monotonic()
    assert waited(asked, wait_s=30) is None
    assert time.monotonic() - started < 20


def test_a_stuck_embedder_holds_only_so_many_threads(embedder: Gated) -> None:
    asked = [embed_query(embedder, f"{n}") for n in range(MAX_PENDING + 3)]
    assert sum(each is not None for each in asked) == MAX_PENDING


def test_a_long_message_is_cut(embedder: Gated) -> None:
    embedder.open.set()
    waited(embed_query(embedder, "a" * 9_000))
    assert [len(text) for text in embedder.seen] == [TEXT_CHARS]
