"""The index of a document: words, vectors and texts, packed and read in parts."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.core.search import pack_sections, unpack_sections
from rollcall.knowledge.index import (
    PART_BYTES,
    PASSAGES_OF_WORDS,
    PartWriter,
    nearest,
    pack_texts,
    pack_vectors,
    pack_words,
    query_words,
    unpack_texts,
    unpack_words,
    words_of,
)
from rollcall.knowledge.pages import Page
from rollcall.knowledge.passages import Piece, split

WORDS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 30), max_size=6).map(Counter)


def piece(text: str, *headings: str) -> Piece:
    return Piece(headings, 1, 1, text)


@given(st.lists(WORDS, max_size=40))
def test_every_word_is_found_in_exactly_its_passages(passages: list[Counter[str]]) -> None:
    (part,) = pack_words(passages, first=0)
    _, postings = unpack_words(part)
    for word in "abcdefghz":
        places = [place for place, has in enumerate(passages) if word in has]
        assert list(postings.places_of(word)) == places


def test_a_word_weighs_more_the_oftener_it_is_said_and_the_shorter_the_passage() -> None:
    often, once, diluted = Counter(rod=5, x=5), Counter(rod=1, x=9), Counter(rod=1, x=300)
    (part,) = pack_words([often, once, diluted], first=0)
    weights = unpack_words(part)[1].scores({"rod": 1.0})
    assert weights[0] > weights[1] > weights[2] > 0


def test_passages_of_nothing_but_words_of_their_own_take_more_parts() -> None:
    """As lists of codes are; each part has to fit into a document."""
    rng = random.Random(9)
    passages = [
        Counter(rng.randbytes(18).hex() for _ in range(40)) for _ in range(PASSAGES_OF_WORDS)
    ]
    found = list(pack_words(passages, first=5_000))
    assert len(found) > 1
    assert max(map(len, found)) <= PART_BYTES
    for number in (0, 499, 500, 999):
        (word, *_) = passages[number]
        places = [
            first + place
            for first, postings in map(unpack_words, found)
            for place in postings.places_of(word)
        ]
        assert places == [5_000 + number]


def test_words_are_stems_of_both_languages_and_headings_count_more() -> None:
    found = words_of(piece("The conductors are grounded. מוליכים", "Grounding"))
    assert found["ground"] == 3
    assert set(query_words("grounding conductor מוליך")) <= set(found)


def test_an_index_of_an_earlier_build_is_read() -> None:
    (part,) = pack_words([Counter("ab"), Counter("b")], first=7)
    with_greatest_weights = pack_sections([*unpack_sections(part, 5), b"\x01\x01"])
    assert unpack_words(with_greatest_weights) == unpack_words(part)


@pytest.mark.parametrize(
    "read", [unpack_texts, unpack_words, lambda data: nearest(data, [1.0], limit=1)]
)
@pytest.mark.parametrize("data", [b"", b"rollcall index 2\n", b"nonsense"])
def test_damaged_parts_are_refused(read: Callable[[bytes], object], data: bytes) -> None:
    with pytest.raises(ValueError, match="index"):
        read(data)


@given(st.lists(st.tuples(st.text(st.characters(codec="utf-8")), st.integers(1, 500)), max_size=9))
def test_texts_come_back_as_they_were(rows: list[tuple[str, int]]) -> None:
    pieces = [Piece(("One", text), page, page + 1, text) for text, page in rows]
    assert unpack_texts(pack_texts(pieces)) == pieces


def test_the_nearest_vector_comes_first_and_others_lengths_match_nothing() -> None:
    data = pack_vectors([[1.0, 0.0], [0.6, 0.8], [0.0, -1.0]])
    (first, closeness), (second, _) = nearest(data, [0.7, 0.7], limit=2)
    assert (first, second) == (1, 0)
    assert closeness == pytest.approx(0.99, abs=0.01)
    assert nearest(data, [1.0, 0.0, 0.0], limit=2) == []


class FailingEmbedder:
    """An embedder that answers a few times and then no more."""

    id = "test:failing"
    dimensions = 2

    def __init__(self, *, answers: int) -> None:
        self._left = answers

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        self._left -= 1
        if self._left < 0:
            raise TimeoutError("no answer")
        return [[1.0, 2.0]] * len(texts)


def write_pieces(pieces: list[Piece], *, answers: int) -> tuple[PartWriter, dict[str, bytes]]:
    parts: dict[str, bytes] = {}
    writer = PartWriter(parts.__setitem__, FailingEmbedder(answers=answers))
    for each in pieces:
        writer.add(each)
    writer.end()
    return writer, parts


def test_every_passage_is_in_a_part_of_each_kind() -> None:
    pieces = [piece(f"passage {number}") for number in range(1_100)]
    writer, parts = write_pieces(pieces, answers=100)
    assert writer.counts == {"t": 18, "w": 2, "v": 3}
    found = [each for number in range(18) for each in unpack_texts(parts[f"t{number}"])]
    assert found == pieces
    assert len(nearest(parts["v2"], [1.0, 2.0], limit=999)) == 100
    first, postings = unpack_words(parts["w1"])
    assert [first + place for place in postings.places_of("1099")] == [1_099]


def test_an_embedder_that_fails_half_way_leaves_the_words() -> None:
    writer, parts = write_pieces([piece(f"passage {number}") for number in range(300)], answers=2)
    assert writer.embedder is None
    assert set(parts) == {"t0", "t1", "t2", "t3", "t4", "w0"}


def many_pages() -> Iterator[Page]:
    """As many pages as a document may have, printed densely, one at a time."""
    line = "The conductors of circuit {} are sized by the load and the table of page {}."
    for number in range(1, 501):
        yield Page(number, "\n".join(line.format(row, number) for row in range(16)))


def test_five_hundred_pages_take_no_more_memory_than_a_part_of_each_kind() -> None:
    writer = PartWriter(lambda name, data: None, None)
    tracemalloc.start()
    for each in split(many_pages()):
        writer.add(each)
    writer.end()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert writer.passages >= 500
    assert peak < 20_000_000
