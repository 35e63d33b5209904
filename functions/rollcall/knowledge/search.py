"""Search over the documents that a user may read: by words, and by meaning where an embedder is."""

from __future__ import annotations

from rollcall.core.context import ToolContext
from rollcall.knowledge.found import Found, Passage, Scope, cite

__all__ = ["Found", "Passage", "Scope", "cite", "search"]


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
    """
    raise NotImplementedError
