"""The documents that a user may read."""

from __future__ import annotations

from typing import Literal

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.wording import isolated, say
from rollcall.knowledge.about import SCOPES, About, about
from rollcall.knowledge.documents import readable

_COLUMNS = (
    {"en": "Document", "he": "מסמך"},
    {"en": "Pages", "he": "עמודים"},
    {"en": "Status", "he": "מצב"},
    {"en": "Whose", "he": "של מי"},
)
_STATUSES = {
    "queued": {"en": "waiting", "he": "ממתין"},
    "reading": {"en": "being read", "he": "בקריאה"},
    "ready": {"en": "ready", "he": "מוכן"},
    "failed": {"en": "failed", "he": "נכשל"},
}


class Documents(Wire):
    """What list_documents returns, newest first. `allListed` is false where there are more."""

    documents: list[About]
    all_listed: bool


@capability(
    name={"en": "List documents", "he": "רשימת מסמכים"},
    category="knowledge",
    keywords=[
        "my documents",
        "list documents",
        "uploaded files",
        "which files did I upload",
        "team documents",
        "is my document ready",
        "המסמכים שלי",
        "רשימת מסמכים",
        "קבצים שהעליתי",
        "אילו מסמכים יש",
        "מסמכי הצוות",
    ],
    examples=[
        {"userRequest": "Which documents have I uploaded?", "parameters": {"scope": "mine"}},
        {"userRequest": "אילו מסמכים יש לצוות?", "parameters": {"scope": "team"}},
    ],
    related=["search_documents", "delete_document"],
)
def list_documents(ctx: ToolContext, *, scope: Literal["mine", "team", "all"] = "all") -> Documents:
    """List the documents that the user uploaded or the user's team shares, and how far each is.

    Args:
        scope: "mine" for the user's own, "team" for those of the team, "all" for both.
    """
    found, is_all = readable(ctx.db, ctx.user, scope)
    documents = [about(each, ctx.user) for each in found]
    columns = [say(ctx.locale, **words) for words in _COLUMNS]
    rows = [
        (
            isolated(each.title),
            each.pages,
            say(ctx.locale, **_STATUSES[each.status]),
            say(ctx.locale, **SCOPES[each.scope]),
        )
        for each in documents
    ]
    ctx.show(
        Display(
            type="table",
            title=say(ctx.locale, en="Documents", he="מסמכים"),
            columns=columns,
            rows=[dict(zip(columns, row, strict=True)) for row in rows],
        )
    )
    return Documents(documents=documents, all_listed=is_all)
