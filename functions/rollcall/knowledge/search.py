"""Search over the documents that a user may read, by words and, with an embedder, by meaning.

Its reads from Firestore: one for each document that the user may read; one for each 1,000 of their
passages and, with an embedder, one for each 500, both only the first time in a process; and one for
each hit, or fewer if hits are close together.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Annotated

from rollcall.core.context import Embedder, ToolContext
from rollcall.core.errors import Aborted, FailedPrecondition, InvalidArgument
from rollcall.core.hidden import Hidden
from rollcall.core.search import best, merge, rarity
from rollcall.core.shapes import Citation, Display, Wire
from rollcall.core.texts import TEXTS, clipped, isolated, short
from rollcall.knowledge.documents import (
    PartKind,
    Scope,
    StoredDocument,
    one_readable,
    readable,
)
from rollcall.knowledge.index import (
    PASSAGES_OF_TEXTS,
    PASSAGES_OF_VECTORS,
    SECTION_SEPARATOR,
    nearest,
    query_words,
    unpack_texts,
    unpack_words,
)
from rollcall.knowledge.pages import CannotRead
from rollcall.store.batches import read_all

if TYPE_CHECKING:
    from google.cloud.firestore import Client

__all__ = ["Passage", "Scope", "SearchResult", "citation", "search"]

MAX_PASSAGES = 20
"""The most passages of one result."""
QUERY_CHARS = 1_000
SEARCHED_PASSAGES = 30_000
"""How many passages one search covers by words: six documents of the largest size, or hundreds of
usual ones."""
SEARCHED_VECTORS = 10_000
CACHE_BYTES = 32_000_000
"""The size of a process's cache of parts."""
QUOTE_CHARS = 300
_ATTEMPTS = 3
_MAX_WORDS = 32
_CANDIDATES = 50
_MEANING = 0.75
"""The weight of the nearest passage in meaning, where the best one by words has 1."""
_TITLE_SHARE = 0.3
"""The share of a word's worth that its presence in a document's title adds to each passage found
there."""
_MIN_SHARE = 0.25
"""The least share of the best passage's score; below it, a passage only has a common word of the
question."""
_PARTS_AT_ONCE = 8

log = logging.getLogger("rollcall")

Place = tuple[str, int]
"""A document's id, and a passage's number in it."""


class Passage(Wire):
    """A piece of a document that answers a question.

    Attributes:
        heading: The headings above it, outermost first, joined by " › "; "" before the first one.
        page_from: The page it begins on, counted from 1; None for files without pages.
        page_to: The page it ends on.
        score: Ranks the passages of one search; 1 is the best possible score.
    """

    document_id: str
    title: str
    heading: str
    page_from: int | None = None
    page_to: int | None = None
    text: str
    score: float


class SearchResult(Wire):
    """The best passages, best first.

    Attributes:
        searched_all: Whether the search covered every ready document that the user may read; false
            if there are more than one search reads.
        citations, display: The passages as sources and as a table, for callers of the function
            itself: in a run they accompany the result.
    """

    passages: list[Passage]
    searched_all: bool = True
    citations: Annotated[tuple[Citation, ...], Hidden()] = ()
    display: Annotated[Display | None, Hidden()] = None


class Gone(Exception):
    """A part no longer exists, since its document was replaced or deleted."""


def search(
    ctx: ToolContext,
    query: str,
    *,
    scope: Scope = "all",
    document_id: str | None = None,
    labels: Mapping[str, str] | None = None,
    groups: Sequence[str] = (),
    limit: int = 8,
) -> SearchResult:
    """Return the passages that answer `query` best, from documents that the user may read now.

    Args:
        scope: Which documents are searched.
        document_id: Search only this document.
        labels: Search only documents with these labels.
        groups: Search the documents of these groups too. The calling code must have checked that
            `ctx.user` is in them now, and must not take them from a client or a model.
        limit: The most passages, 1 to 20.
    Raises:
        NotFound: `document_id` names no document that the user may read.
        FailedPrecondition: It names a document that cannot be searched yet.
        InvalidArgument: The query is empty or too long.
    """
    if not query.strip() or len(query) > QUERY_CHARS:
        raise InvalidArgument(TEXTS.text("errors.query_length", most=QUERY_CHARS), field="query")
    if not 1 <= limit <= MAX_PASSAGES:
        raise InvalidArgument(f"limit is 1 to {MAX_PASSAGES}, not {limit}", field="limit")
    for _ in range(_ATTEMPTS):
        if document_id is None:
            documents, is_all = readable(ctx.db, ctx.user, scope, groups=groups)
        else:
            one = one_readable(ctx.db, ctx.user, document_id, groups=groups)
            if one.current is None:
                why = TEXTS.text("errors.still_being_read")
                if reason := one.data["reason"]:
                    why = TEXTS.text("errors.not_read", why=CannotRead(reason["code"]).text)
                raise FailedPrecondition(why, field="documentId")
            documents, is_all = [one], True
        ready = [each for each in documents if each.current and _has_labels(each, labels or {})]
        searched = _first(ready, SEARCHED_PASSAGES)
        try:
            found = _by_words(ctx.db, searched, query)
            if ctx.embedder and (near := _by_meaning(ctx.db, searched, query, ctx.embedder)):
                found = best(merge(found, near, meaning=_MEANING), limit)
            passages = _passages(ctx.db, searched, found[:limit])
        except Gone:
            continue
        searched_all = is_all and len(searched) == len(ready)
        return SearchResult(passages=passages, searched_all=searched_all)
    raise Aborted(TEXTS.text("errors.documents_replaced"), retry_after_s=1)


def citation(passage: Passage) -> Citation:
    """Return a passage as a source, with its document, page and section."""
    return Citation(
        type="document",
        title=passage.title,
        quote=clipped(passage.text, QUOTE_CHARS),
        document_id=passage.document_id,
        page=passage.page_from,
        section=passage.heading or None,
    )


def show_passages(
    ctx: ToolContext,
    found: SearchResult,
    query: str,
    columns: Sequence[str],
    *,
    nothing: str | None = None,
) -> SearchResult:
    """Cite and show the passages of a search; return the result with the citations and the display.

    Args:
        columns: The names of the columns for document, page, section and text.
        nothing: The text to show where nothing was found; an empty table by default.
    """
    citations = tuple(citation(each) for each in found.passages)
    for each in citations:
        ctx.cite(each)
    rows = [
        dict(
            zip(
                columns,
                (isolated(each.title), each.page_from, each.heading or "—", each.text),
                strict=True,
            )
        )
        for each in found.passages
    ]
    display = Display(type="table", title=isolated(short(query)), columns=list(columns), rows=rows)
    if nothing is not None and not rows:
        display = Display(type="text", title=display.title, text=nothing)
    ctx.show(display)
    return found.model_copy(update={"citations": citations, "display": display})


def _has_labels(document: StoredDocument, labels: Mapping[str, str]) -> bool:
    """Tell whether a document has all of these labels, regardless of case."""
    own = document.data.get("labels") or {}
    return all(
        own.get(name, "").casefold() == value.strip().casefold() for name, value in labels.items()
    )


def _first(documents: Sequence[StoredDocument], most: int) -> list[StoredDocument]:
    """Return the first documents that have at most `most` passages together."""
    passages = 0
    for number, each in enumerate(documents):
        passages += each.version.passages
        if passages > most:
            return [*documents[:number]]
    return [*documents]


def _by_words(
    db: Client, searched: Sequence[StoredDocument], query: str
) -> list[tuple[Place, float]]:
    words = query_words(query)[:_MAX_WORDS]
    if not words:
        return []
    parts = [(each, unpack_words(data)) for each, _, data in _parts(db, searched, "w")]
    passages = sum(each.version.passages for each in searched)
    worths = {
        word: rarity(sum(postings.count(word) for _, (_, postings) in parts), passages)
        for word in words
    }
    scores: dict[Place, float] = {}
    for document, (first, postings) in parts:
        title = set(query_words(document.title))
        bonus = _TITLE_SHARE * sum(worth for word, worth in worths.items() if word in title)
        for place, score in postings.scores(worths).items():
            scores[document.id, first + place] = bonus + score
    most = sum(worths.values()) * (1 + _TITLE_SHARE)
    found = best(scores, _CANDIDATES)
    least = found[0][1] * _MIN_SHARE if found else 0.0
    return [(place, score / most) for place, score in found if score >= least]


def _by_meaning(
    db: Client, searched: Sequence[StoredDocument], query: str, embedder: Embedder
) -> list[tuple[Place, float]]:
    """Return the passages nearest in meaning, from documents with vectors by this embedder; none if
    it fails."""
    embedded = [each for each in searched if each.version.embedder == embedder.id]
    embedded = _first(embedded, SEARCHED_VECTORS)
    if not embedded:
        return []
    try:
        vector = embedder.embed([query], task="query")[0]
    except Exception as error:  # of an SDK or a network; search by words still works
        log.warning("%s embedded no question (%s)", embedder.id, type(error).__name__)
        return []
    cosines = {
        (each.id, number * PASSAGES_OF_VECTORS + place): cosine
        for each, number, data in _parts(db, embedded, "v")
        for place, cosine in nearest(data, vector, limit=_CANDIDATES)
    }
    return best(cosines, _CANDIDATES)


def _parts(
    db: Client, searched: Sequence[StoredDocument], kind: PartKind
) -> Iterator[tuple[StoredDocument, int, bytes]]:
    """Yield all parts of a kind with their numbers, read a few at a time.

    Raises:
        Gone: A part no longer exists.
    """
    wanted = [
        (each, number)
        for each in searched
        for number in range(each.version.words if kind == "w" else each.version.vectors)
    ]
    for start in range(0, len(wanted), _PARTS_AT_ONCE):
        some = wanted[start : start + _PARTS_AT_ONCE]
        found = part_cache().read(db, [each.part_path(kind, number) for each, number in some])
        for (each, number), data in zip(some, found, strict=True):
            if data is None:
                raise Gone
            yield each, number, data


def _passages(
    db: Client, searched: Sequence[StoredDocument], places: Sequence[tuple[Place, float]]
) -> list[Passage]:
    """Return the best passages with their texts, which are read from Firestore."""
    by_id = {each.id: each for each in searched}
    paths = [by_id[id].part_path("t", number // PASSAGES_OF_TEXTS) for (id, number), _ in places]
    wanted = list(dict.fromkeys(paths))
    # Texts are not cached, so that no process keeps deleted ones.
    parts = {path: unpack_texts(data) for path, data in _read(db, wanted).items()}
    if len(parts) < len(wanted):
        raise Gone
    passages = []
    for ((id, number), score), path in zip(places, paths, strict=True):
        piece = parts[path][number % PASSAGES_OF_TEXTS]
        passages.append(
            Passage(
                document_id=id,
                title=by_id[id].title,
                heading=SECTION_SEPARATOR.join(piece.headings),
                page_from=piece.page_from,
                page_to=piece.page_to,
                text=piece.text,
                score=round(score, 4),
            )
        )
    return passages


def _read(db: Client, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the existing parts among these paths, by path."""
    snapshots = read_all(db, *map(db.document, paths))
    return {each.reference.path: bytes(each.get("data")) for each in snapshots if each.exists}


class PartCache:
    """A cache of the parts that this process used last, of at most `most` bytes.

    A part never changes: a new version of a document has parts with other names.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, db: Client, paths: Sequence[str]) -> list[bytes | None]:
        """Return the parts at these paths, from the cache or from Firestore; None for one that does
        not exist."""
        found: dict[str, bytes | None] = {}
        with self._lock:
            for path in paths:
                found[path] = self._parts.get((db.project, path))
                if found[path] is not None:
                    self._parts.move_to_end((db.project, path))
        missing = [path for path, data in found.items() if data is None]
        for path, data in _read(db, missing).items():
            found[path] = data
            with self._lock:
                before = self._parts.pop((db.project, path), b"")
                self._parts[db.project, path] = data
                self._bytes += len(data) - len(before)
                while self._bytes > self._most:
                    _, dropped = self._parts.popitem(last=False)
                    self._bytes -= len(dropped)
        return [found[path] for path in paths]


@cache
def part_cache() -> PartCache:
    """Return this process's cache of parts."""
    return PartCache(CACHE_BYTES)
