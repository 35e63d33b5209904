"""Questions to the documents that a user may read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.knowledge.search import MOST_PASSAGES, QUERY_CHARS, Found, cite, search


@capability(
    name={"en": "Search documents", "he": "חיפוש במסמכים"},
    category="knowledge",
    keywords=[
        "search my documents",
        "what does the document say",
        "find in the manual",
        "look up in my files",
        "according to the PDF",
        "in the uploaded file",
        "specification",
        "חפש במסמכים",
        "מה כתוב במסמך",
        "לחפש במדריך",
        "בקובץ שהעליתי",
        "לפי המפרט",
    ],
    examples=[
        {
            "userRequest": "What does my manual say about grounding?",
            "parameters": {"query": "grounding", "scope": "mine"},
        },
        {"userRequest": "מה כתוב במסמכים על הארקה?", "parameters": {"query": "הארקה"}},
    ],
    related=["list_documents"],
)
def search_documents(
    ctx: ToolContext,
    *,
    query: Annotated[str, Field(min_length=1, max_length=QUERY_CHARS)],
    scope: Literal["mine", "team", "all"] = "all",
    document_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 8,
) -> Found:
    """Search the documents that the user uploaded or the user's team shares, for what they say.

    Every passage comes with its document, page and section, and is cited. Documents that are not
    read yet are not searched; list_documents tells.

    Args:
        query: What to look for, in the words of the documents where they are known.
        scope: "mine" for the user's own, "team" for those of the team, "all" for both.
        document_id: Search this document alone; its id comes from list_documents.
        limit: Most passages to return.
    """
    found = search(ctx, query, scope=scope, document_id=document_id, limit=limit)
    for passage in found.passages:
        cite(ctx, passage)
    return found
