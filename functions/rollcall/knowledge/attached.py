"""The text of a file that came with a message, for models that do not read the file itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from threading import Lock

from rollcall.core.errors import InvalidArgument
from rollcall.knowledge.reading.pages import CannotRead, Page, Problem, reason
from rollcall.knowledge.reading.plain import cleaned, decoded
from rollcall.knowledge.reading.process import read

MOST_CHARS = 200_000
"""More of a PDF is not read."""
READ_S = 60.0

_one_at_a_time = Lock()
"""A reading process may take as much memory as all else here."""


def text_of(content_type: str, content: bytes) -> str:
    """The text of a document: a PDF's by page, as far as `MOST_CHARS`.

    Raises:
        InvalidArgument: There is none to be had, and why.
    """
    try:
        if content_type == "application/pdf":
            return _pdf_text(content)
    except CannotRead as error:
        raise InvalidArgument(_told(error.problem)) from error
    return cleaned(decoded(content))


def _pdf_text(content: bytes) -> str:
    pages: list[str] = []
    with _one_at_a_time, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "attached.pdf"
        path.write_bytes(content)
        for each in read("pdf", path, seconds=READ_S):
            if isinstance(each, Page) and each.text.strip():
                pages.append(f"[page {each.number}]\n{each.text.strip()}")
            if sum(map(len, pages)) > MOST_CHARS:
                break
    if not pages:
        raise CannotRead("no_text")
    return "\n\n".join(pages)


def _told(problem: Problem) -> str:
    return reason(problem)["en"].partition(";")[0]
