"""Which passages of some documents answer a question best: by words, by meaning, or by both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from rollcall.core.context import Embedder
from rollcall.core.options import collection_id
from rollcall.core.search import best, merge, rarity
from rollcall.knowledge import meaning, words
from rollcall.knowledge.documents import DOCUMENTS, PARTS, StoredDocument, Version
from rollcall.knowledge.kept import kept

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MOST_PASSAGES = 30_000
"""Whose words one search looks through: six documents of the largest size, or hundreds of usual
ones."""
MOST_VECTORS = 10_000
_MOST_WORDS = 32
_CANDIDATES = 50
_MEANING = 0.75
"""What the nearest in meaning counts of what the best by words does."""
_AT_ONCE = 16
_TITLE_SHARE = 0.3
"""What a word in a document's title adds to each of its passages that was found anyway."""
_LEAST_SHARE = 0.25
"""Of the best passage's score; what has less only has a common word of the question."""

Place = tuple[str, int]
"""A document's id, and a passage's number in it."""


class Gone(Exception):
    """A part is not there any more: the document was replaced or deleted meanwhile."""


class Searched(Struct, frozen=True):
    """A document with what there is of it."""

    document: StoredDocument
    version: Version

    def path(self, kind: Literal["t", "w", "v"], number: int) -> str:
        """Where a part is."""
        record = f"{collection_id(DOCUMENTS)}/{self.document.id}"
        return f"{record}/{collection_id(PARTS)}/{self.version.file}~{kind}{number}"


def within_bounds(documents: Sequence[StoredDocument]) -> tuple[list[Searched], bool]:
    """The documents that one search looks through, and whether these are all that can be."""
    ready = [Searched(each, each.current) for each in documents if each.current]
    chosen: list[Searched] = []
    passages = 0
    for each in ready:
        passages += each.version.passages
        if passages > MOST_PASSAGES:
            break
        chosen.append(each)
    return chosen, len(chosen) == len(ready)


def ranked(
    db: Client, searched: Sequence[Searched], query: str, embedder: Embedder | None, *, limit: int
) -> list[tuple[Place, float]]:
    """The passages that answer best, best first, with scores from 0 to 1.

    Raises:
        Gone: A document was replaced or deleted meanwhile; read the documents again.
    """
    by_words = _by_words(db, searched, query)
    by_meaning = _by_meaning(db, searched, query, embedder) if embedder else []
    if not by_meaning:
        return by_words[:limit]
    return best(merge(by_words, by_meaning, meaning=_MEANING), limit)


def _by_words(db: Client, searched: Sequence[Searched], query: str) -> list[tuple[Place, float]]:
    wanted = words.query_words(query)[:_MOST_WORDS]
    if not wanted:
        return []
    parts = [(each, words.read(data)) for each, _, data in _parts(db, searched, "w")]
    passages = sum(each.version.passages for each in searched)
    values = {
        word: rarity(sum(part.postings.count(word) for _, part in parts), passages)
        for word in wanted
    }
    scores: dict[Place, float] = {}
    for each, part in parts:
        bonus = _title_bonus(each.document.title, values)
        for place, score in part.postings.scores(values).items():
            scores[each.document.id, part.first + place] = bonus + score
    most = sum(values.values()) * (1 + _TITLE_SHARE)
    found = best(scores, _CANDIDATES)
    least = found[0][1] * _LEAST_SHARE if found else 0.0
    return [(place, score / most) for place, score in found if score >= least]


def _title_bonus(title: str, values: dict[str, float]) -> float:
    stems = set(words.query_words(title))
    return _TITLE_SHARE * sum(value for word, value in values.items() if word in stems)


def _by_meaning(
    db: Client, searched: Sequence[Searched], query: str, embedder: Embedder
) -> list[tuple[Place, float]]:
    embedded = _with_vectors(searched, embedder.id)
    if not embedded:
        return []
    vector = meaning.embed_query(embedder, query)
    if vector is None:
        return []
    found = [
        ((each.document.id, number * meaning.PASSAGES + place), closeness)
        for each, number, data in _parts(db, embedded, "v")
        for place, closeness in meaning.nearest(data, vector, limit=_CANDIDATES)
    ]
    return best(dict(found), _CANDIDATES)


def _with_vectors(searched: Sequence[Searched], embedder_id: str) -> list[Searched]:
    """Those whose vectors this embedder made, the newest first, within bounds."""
    chosen: list[Searched] = []
    passages = 0
    for each in searched:
        if each.version.embedder == embedder_id:
            passages += each.version.passages
            if passages > MOST_VECTORS:
                break
            chosen.append(each)
    return chosen


def _parts(
    db: Client, searched: Sequence[Searched], kind: Literal["w", "v"]
) -> Iterator[tuple[Searched, int, bytes]]:
    """Parts of documents, read a few at a time."""
    wanted = [
        (each, number)
        for each in searched
        for number in range(each.version.words if kind == "w" else each.version.vectors)
    ]
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        found = kept().read(db, [each.path(kind, number) for each, number in some])
        for (each, number), data in zip(some, found, strict=True):
            if data is None:
                raise Gone
            yield each, number, data
