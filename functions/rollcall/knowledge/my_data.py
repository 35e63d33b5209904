"""Sections for the export and erasure of uploaded documents and files."""

from __future__ import annotations

from typing import Any

from rollcall.core.user_data import Section, UserData, of_user
from rollcall.knowledge.documents import DOCUMENTS, erase_document
from rollcall.store.files import FILES, SECTION_READS, erase_file

_INTERNAL = {"incoming", "current", "attempts", "dueAt"}


def _document(data: dict[str, Any], uid: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in _INTERNAL}


def _file(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """That there is a file. Its content is too large for a page: `get_file` gives it, part by
    part."""
    shown = {key: value for key, value in data.items() if key not in ("place", "parts")}
    return {**shown, "content": "get_file"}


UPLOADS = UserData(
    (
        # Documents first: one that is being read writes nothing more once its record is gone.
        Section(
            kind="documents",
            find=of_user(DOCUMENTS, platform=True),
            show=_document,
            erase=erase_document,
            reads=("current", "incoming"),
            page=2,  # each may have two hundred parts, and a commit takes 500 writes
        ),
        Section(
            kind="files",
            find=of_user(FILES, platform=True),
            show=_file,
            erase=erase_file,
            reads=SECTION_READS,
            page=10,
        ),
    )
)
