"""What is kept about a user's documents, for the user's export and erasure."""

from __future__ import annotations

from typing import Any

from rollcall.core.user_data import Section, UserData, of_user
from rollcall.knowledge.documents import DOCUMENTS
from rollcall.knowledge.removing import erase_document
from rollcall.store.file_records import FILES
from rollcall.store.files import erase_file

_INTERNAL = {"incoming", "current", "attempts", "dueAt"}


def _document(data: dict[str, Any], uid: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in _INTERNAL}


def _file(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """That there is a file; its content is the user's own, and too large for a page."""
    return {key: value for key, value in data.items() if key not in ("place", "parts")}


USER_DATA = UserData(
    (
        # Documents first: one that is being read writes nothing more once its record is gone.
        Section(
            kind="documents",
            find=of_user(DOCUMENTS),
            show=_document,
            erase=erase_document,
            reads=("current", "incoming"),
            page=2,  # each may have two hundred parts, and a commit takes 500 writes
        ),
        Section(
            kind="files",
            find=of_user(FILES),
            show=_file,
            erase=erase_file,
            reads=(
                "uid",
                "name",
                "contentType",
                "bytes",
                "sha256",
                "purpose",
                "details",
                "place",
                "status",
            ),
            page=10,
        ),
    )
)
