"""Exports a content as files for its teacher: to print, or to import into other systems."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packs.education import gift, qti
from packs.education.blocks import Item
from packs.education.contents import CONTENTS, Content
from packs.education.documents import sheet
from rollcall.core.context import ToolContext
from rollcall.core.shapes import FileRef
from rollcall.render import pages, word

PDF = "application/pdf"
PLAYED = frozenset(("activity", "exam", "lesson"))
"""Kinds that are exported for other systems; all others are printed."""


def keep_files(
    ctx: ToolContext,
    content: Content,
    items: Sequence[Item],
    *,
    id: str,
    standards: Sequence[str] = (),
    banner: str | None = None,
) -> list[FileRef]:
    """Store a content's files: PDF and Word to print, or QTI and GIFT to import. The arguments are
    those of `documents.sheet`, and the content's id."""
    name, of = file_name(content.title), f"{CONTENTS}/{id}"
    if content.kind in PLAYED:
        package = qti.package(content, items)
        text = gift.questions(content, items).encode()
        return [
            ctx.keep_file(f"{name}-qti.zip", qti.CONTENT_TYPE, package, of=of),
            ctx.keep_file(f"{name}-gift.txt", gift.CONTENT_TYPE, text, of=of),
        ]
    made = sheet(content, items, standards=standards, banner=banner)
    return [
        ctx.keep_file(f"{name}.pdf", PDF, pages.pdf(made), of=of),
        ctx.keep_file(f"{name}.docx", word.CONTENT_TYPE, word.docx(made), of=of),
    ]


def file_name(title: str) -> str:
    """Return a file name without extension, made from a title."""
    plain = re.sub(r"[^\w\- ]+", " ", title)
    return "-".join(plain.split())[:60].strip("-_") or "content"
