"""Documents deleted, with all that was made of them."""

from __future__ import annotations

from typing import Any

from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.wording import isolated, say, short
from rollcall.knowledge.about import SCOPES
from rollcall.knowledge.documents import StoredDocument, one_readable
from rollcall.knowledge.removing import check_may_remove, remove


class DocumentDeleted(Wire):
    """What delete_document returns."""

    done: str
    document_id: str
    title: str


def _to_delete(ctx: ToolContext, document_id: str) -> StoredDocument:
    document = one_readable(ctx.db, ctx.user, document_id)
    check_may_remove(ctx.user, document)
    return document


def _preview(ctx: ToolContext, *, document_id: str) -> Preview:
    document = _to_delete(ctx, document_id)
    pages = document.current.pages if document.current else None
    values = (
        isolated(document.title),
        pages,
        say(ctx.locale, **SCOPES[document.data["scope"]]),
    )
    columns = [
        say(ctx.locale, en="Document", he="מסמך"),
        say(ctx.locale, en="Pages", he="עמודים"),
        say(ctx.locale, en="Whose", he="של מי"),
    ]
    title = say(ctx.locale, en="Delete this document for good?", he="למחוק את המסמך הזה לצמיתות?")
    shown = Display(
        type="confirmation",
        title=title,
        text=isolated(document.title),
        columns=columns,
        rows=[dict(zip(columns, values, strict=True))],
    )
    return Preview(shown)


def _summary(given: dict[str, Any]) -> dict[str, str]:
    id = short(str(given["documentId"]))
    return {
        "en": f"Delete the document {id} for good, with everything made of it",
        "he": f"למחוק לצמיתות את המסמך {id}, עם כל מה שהופק ממנו",
    }


@capability(
    name={"en": "Delete a document", "he": "מחיקת מסמך"},
    category="knowledge",
    keywords=[
        "delete document",
        "remove the file",
        "delete my upload",
        "forget this document",
        "מחק מסמך",
        "למחוק את הקובץ",
        "הסר מסמך",
    ],
    examples=[
        {"userRequest": "Delete the old manual", "parameters": {"documentId": "0f3a"}},
        {"userRequest": "מחק את המדריך הישן", "parameters": {"documentId": "0f3a"}},
    ],
    related=["list_documents"],
    effect="write",
    atomic=True,
    summary=_summary,
    preview=_preview,
)
def delete_document(ctx: ToolContext, *, document_id: str) -> DocumentDeleted:
    """Delete a document for good: its file, its passages and what finds them.

    Only who uploaded it may, or an admin of the team that it is shared with. There is no undo.

    Args:
        document_id: The document; its id comes from list_documents.
    """
    document = _to_delete(ctx, document_id)
    remove(ctx.db, ctx.batch, document)
    done = say(ctx.locale, en="Deleted: {title}", he="נמחק: {title}", title=short(document.title))
    return DocumentDeleted(done=done, document_id=document_id, title=document.title)
