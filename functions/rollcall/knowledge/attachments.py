"""Text of attached files, for models that do not read the file itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from threading import Lock

from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.knowledge.pages import CannotRead, Page
from rollcall.knowledge.plain_text import cleaned, decoded
from rollcall.knowledge.reader import read

MOST_CHARS = 200_000
"""More of a PDF is not read."""
MOST_BYTES = 1_000_000
"""More of a text is not read."""
READ_S = 30.0
"""How long a PDF may take, and how long another one's end is waited for."""

_one_at_a_time = Lock()
"""A reading process may take as much memory as all else here."""


def text_of(content_type: str, content: bytes) -> str:
    """Return the text of a document, or as much of its beginning as is read; a PDF's by page.

    Raises:
        InvalidArgument: There is none to be had, and why.
        Unavailable: Others are being read for too long.
    """
    if content_type != "application/pdf":
        return cleaned(decoded(_beginning(content)))
    if not _one_at_a_time.acquire(timeout=READ_S):
        raise Unavailable("other documents are being read", retry_after_s=5)
    try:
        return _pdf_text(content)
    except CannotRead as error:
        # What to upload instead stands behind a semicolon, and is not asked of a message.
        raise InvalidArgument(error.reason()["en"].partition(";")[0]) from error
    finally:
        _one_at_a_time.release()


def _beginning(content: bytes) -> bytes:
    """Return at most `MOST_BYTES`, with no part of a UTF-8 letter at the end."""
    end = MOST_BYTES
    while end < len(content) and content[end] & 0xC0 == 0x80 and end > MOST_BYTES - 4:
        end -= 1
    return content[:end]


def _pdf_text(content: bytes) -> str:
    pages: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
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
