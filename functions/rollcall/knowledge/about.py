"""What users are told of their documents."""

from __future__ import annotations

from typing import Literal

from rollcall.core.context import User
from rollcall.core.shapes import Wire
from rollcall.knowledge.documents import StoredDocument

SCOPES: dict[str, dict[str, str]] = {
    "user": {"en": "yours alone", "he": "שלך בלבד"},
    "team": {"en": "the team's", "he": "של הצוות"},
}
"""Whose a document is, in words."""


class Progress(Wire):
    """How many pages of how many are read; both 0 before it is begun."""

    done: int
    total: int


class Reason(Wire):
    """Why a document could not be read: a code, and a sentence in each language."""

    code: str
    en: str
    he: str


class About(Wire):
    """A document as its readers see it.

    Attributes:
        status: Of the newest upload; `failed` says `reason`.
        is_searchable: Whether passages answer: those of the newest upload or, until that is ready,
            of the one before.
        pages: Of what is searched; None in files without pages.
        is_mine: Whether the user uploaded it, and so may delete it.
    """

    document_id: str
    title: str
    name: str
    scope: Literal["user", "team"]
    content_type: str
    bytes: int
    status: Literal["queued", "reading", "ready", "failed"]
    progress: Progress
    reason: Reason | None = None
    is_searchable: bool
    pages: int | None = None
    passages: int = 0
    is_mine: bool
    updated_at: str


def about(document: StoredDocument, user: User) -> About:
    """What a user is told of a document that the user may read."""
    data, current = document.data, document.current
    return About(
        document_id=document.id,
        title=document.title,
        name=data["name"],
        scope=data["scope"],
        content_type=data["contentType"],
        bytes=data["bytes"],
        status=data["status"],
        progress=Progress(**data["progress"]),
        reason=Reason(**data["reason"]) if data["reason"] else None,
        is_searchable=current is not None,
        pages=current.pages if current else None,
        passages=current.passages if current else 0,
        is_mine=data["uid"] == user.uid,
        updated_at=document.updated_at.isoformat(),
    )
