"""Files of a content, kept for the teacher who made it: to print, or for other systems to play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from packs.education import gift, qti
from packs.education.blocks import Item
from packs.education.contents import Content, ContentFile
from packs.education.documents import sheet
from rollcall.core.context import ToolContext
from rollcall.render import pages, word

PDF = "application/pdf"
PLAYED = frozenset(("activity", "exam", "lesson"))
"""Kinds that other systems can play; all others are printed."""


def keep_files(
    ctx: ToolContext,
    content: Content,
    items: Sequence[Item],
    *,
    standards: Sequence[str] = (),
    banner: str | None = None,
    images: Mapping[str, bytes] | None = None,
) -> list[ContentFile]:
    """Keep a content's files: PDF and Word to print, or QTI and GIFT to play. Arguments are those
    of `documents.sheet`."""
    name = file_name(content.title)
    if content.kind in PLAYED:
        package = qti.package(content, items, images=images)
        text = gift.questions(content, items).encode()
        return [
            keep(ctx, f"{name}-qti.zip", qti.CONTENT_TYPE, package),
            keep(ctx, f"{name}-gift.txt", gift.CONTENT_TYPE, text),
        ]
    made = sheet(content, items, standards=standards, banner=banner, images=images)
    return [
        keep(ctx, f"{name}.pdf", PDF, pages.pdf(made)),
        keep(ctx, f"{name}.docx", word.CONTENT_TYPE, word.docx(made)),
    ]


def keep(ctx: ToolContext, name: str, content_type: str, data: bytes) -> ContentFile:
    """Keep a file that a call made, and return it as a content names it."""
    file = ctx.keep_file(name, content_type, data)
    return ContentFile(file_id=file.file_id, name=name, content_type=content_type, bytes=len(data))


def file_name(title: str) -> str:
    """A title as a file may be called, without an ending."""
    plain = re.sub(r"[^\w\- ]+", " ", title)
    return "-".join(plain.split())[:60].strip("-_") or "content"
