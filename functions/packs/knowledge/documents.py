"""Lists, searches and deletes the documents that a user may read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Texts, isolated, short
from rollcall.knowledge.documents import (
    DocumentInfo,
    StoredDocument,
    check_may_remove,
    document_info,
    one_readable,
    readable,
    remove,
)
from rollcall.knowledge.search import (
    MAX_PASSAGES,
    QUERY_CHARS,
    SearchResult,
    search,
    show_passages,
)

TEXTS = Texts(__file__)


class Documents(Wire):
    """What list_documents returns, newest first. `allListed` is false where there are more."""

    documents: list[DocumentInfo]
    all_listed: bool


class DocumentDeleted(Wire):
    """What delete_document returns."""

    done: str
    document_id: str
    title: str


@capability(related=["search_documents", "delete_document"])
def list_documents(ctx: ToolContext, *, scope: Literal["mine", "team", "all"] = "all") -> Documents:
    """List the documents that the user uploaded or the user's team shares, and how far each is.

    Args:
        scope: "mine" for the user's own, "team" for those of the team, "all" for both.
    """
    found, is_all = readable(ctx.db, ctx.user, scope)
    documents = [document_info(each, ctx.user) for each in found]
    columns = _columns(ctx.locale, "document", "pages", "status", "scope")
    rows = [
        (
            isolated(each.title),
            each.pages,
            TEXTS.say(ctx.locale, f"statuses.{each.status}"),
            TEXTS.say(ctx.locale, f"scopes.{each.scope}"),
        )
        for each in documents
    ]
    ctx.show(
        Display(
            type="table",
            title=TEXTS.say(ctx.locale, "list.title"),
            columns=columns,
            rows=[dict(zip(columns, row, strict=True)) for row in rows],
        )
    )
    return Documents(documents=documents, all_listed=is_all)


@capability(related=["list_documents"])
def search_documents(
    ctx: ToolContext,
    *,
    query: Annotated[str, Field(min_length=1, max_length=QUERY_CHARS)],
    scope: Literal["mine", "team", "all"] = "all",
    document_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=MAX_PASSAGES)] = 8,
) -> SearchResult:
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
    columns = _columns(ctx.locale, "document", "page", "section", "text")
    return show_passages(ctx, found, query, columns)


def _preview_deletion(ctx: ToolContext, *, document_id: str) -> Preview:
    document = _to_delete(ctx, document_id)
    columns = _columns(ctx.locale, "document", "pages", "scope")
    row = (
        isolated(document.title),
        document.current.pages if document.current else None,
        TEXTS.say(ctx.locale, f"scopes.{document.data['scope']}"),
    )
    display = Display(
        type="confirmation",
        title=TEXTS.say(ctx.locale, "delete.title"),
        text=isolated(document.title),
        columns=columns,
        rows=[dict(zip(columns, row, strict=True))],
    )
    summary = TEXTS.say(ctx.locale, "delete.summary", id=short(document.title))
    return Preview(display, summary=summary, shows=("documentId",))


def _summarize_deletion(arguments: dict[str, Any]) -> dict[str, str]:
    return TEXTS.by_language("delete.summary", id=short(str(arguments["documentId"])))


@capability(
    related=["list_documents"],
    effect="write",
    atomic=True,
    summary=_summarize_deletion,
    preview=_preview_deletion,
)
def delete_document(ctx: ToolContext, *, document_id: str) -> DocumentDeleted:
    """Delete a document for good: its file, its passages and what finds them.

    Only who uploaded it may, or an admin of the team that it is shared with. There is no undo.

    Args:
        document_id: The document; its id comes from list_documents.
    """
    document = _to_delete(ctx, document_id)
    remove(ctx.db, ctx.batch, document)
    done = TEXTS.say(ctx.locale, "delete.done", title=short(document.title))
    return DocumentDeleted(done=done, document_id=document_id, title=document.title)


def _to_delete(ctx: ToolContext, document_id: str) -> StoredDocument:
    """Return a document that the user may delete.

    Raises:
        NotFound: The user has no such document.
        PermissionDenied: The user may only read it.
    """
    document = one_readable(ctx.db, ctx.user, document_id)
    check_may_remove(ctx.user, document)
    return document


def _columns(locale: str, *names: str) -> list[str]:
    return [TEXTS.say(locale, f"columns.{name}") for name in names]
