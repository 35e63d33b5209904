"""Search over the documents that a user may read: by words, and by meaning where an embedder is.

What it costs at Firestore: a read for each document that the user may read; one for each 1,000
passages of these and, with an embedder, one for each 500, both only the first time in a process;
and one for each hit, or fewer where hits stand near one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rollcall.core.context import ToolContext
from rollcall.core.errors import Aborted, FailedPrecondition, InvalidArgument
from rollcall.knowledge import texts
from rollcall.knowledge.documents import StoredDocument, one_readable, readable
from rollcall.knowledge.found import Found, Passage, Scope, cite, joined
from rollcall.knowledge.kept import read_parts
from rollcall.knowledge.ranking import Gone, Place, Searched, ranked, within_bounds
from rollcall.knowledge.splitting import Piece

if TYPE_CHECKING:
    from google.cloud.firestore import Client

__all__ = ["Found", "Passage", "Scope", "cite", "search"]

MOST_PASSAGES = 20
QUERY_CHARS = 1_000
_ATTEMPTS = 3


def search(
    ctx: ToolContext,
    query: str,
    *,
    scope: Scope = "all",
    document_id: str | None = None,
    limit: int = 8,
) -> Found:
    """Return the passages that answer `query` best, of what the user may read at this moment.

    Args:
        scope: Whose documents are searched.
        document_id: Search this one alone.
        limit: Most passages, 1 to 20.
    Raises:
        NotFound: `document_id` names no document that the user may read.
        FailedPrecondition: It names one that nothing can be found in yet.
        InvalidArgument: The query is empty or too long.
    """
    if not query.strip() or len(query) > QUERY_CHARS:
        raise InvalidArgument(f"a query has 1 to {QUERY_CHARS} characters", field="query")
    if not 1 <= limit <= MOST_PASSAGES:
        raise InvalidArgument(f"limit is 1 to {MOST_PASSAGES}, not {limit}", field="limit")
    for _ in range(_ATTEMPTS):
        documents, is_all = _documents(ctx, scope, document_id)
        searched, is_within = within_bounds(documents)
        try:
            best = ranked(ctx.db, searched, query, ctx.embedder, limit=limit)
            passages = _passages(ctx.db, searched, best)
        except Gone:
            continue
        return Found(passages=passages, searched_all=is_all and is_within)
    raise Aborted("documents are being replaced; search again", retry_after_s=1)


def _documents(
    ctx: ToolContext, scope: Scope, document_id: str | None
) -> tuple[list[StoredDocument], bool]:
    if document_id is not None:
        document = one_readable(ctx.db, ctx.user, document_id)
        if document.current is None:
            raise FailedPrecondition(_why_not(document), field="documentId")
        return [document], True
    return readable(ctx.db, ctx.user, scope)


def _why_not(document: StoredDocument) -> str:
    reason = document.data["reason"]
    if reason:
        return f"this document could not be read: {reason['en']}"
    return "this document is still being read; ask again in a minute"


def _passages(
    db: Client, searched: Sequence[Searched], best: Sequence[tuple[Place, float]]
) -> list[Passage]:
    """The texts of the best passages, read from the parts that they are in."""
    by_id = {each.document.id: each for each in searched}
    paths = [_path(by_id[id], number) for (id, number), _ in best]
    wanted = list(dict.fromkeys(paths))
    # Texts are read anew each time: what is deleted stays in no process.
    parts = {path: texts.unpack(data) for path, data in read_parts(db, wanted)}
    if len(parts) < len(wanted):
        raise Gone
    return [
        _passage(by_id[id], parts[path][number % texts.PASSAGES], score)
        for ((id, number), score), path in zip(best, paths, strict=True)
    ]


def _path(searched: Searched, number: int) -> str:
    return searched.path("t", number // texts.PASSAGES)


def _passage(searched: Searched, piece: Piece, score: float) -> Passage:
    return Passage(
        document_id=searched.document.id,
        title=searched.document.title,
        heading=joined(piece.headings),
        page_from=piece.page_from,
        page_to=piece.page_to,
        text=piece.text,
        score=round(score, 4),
    )
