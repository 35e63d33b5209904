"""Renders the pages of a sheet with typst: PDF (tagged, PDF/UA-1), PNG and SVG.

typst gets the content as JSON and never as source, so that it runs none of it. typst is imported
only when a page is made.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from struct import pack
from typing import Any, Literal
from zlib import crc32

import msgspec

from rollcall.core.errors import InvalidArgument
from rollcall.core.extras import require_extra
from rollcall.render.bidi import cleaned, isolated
from rollcall.render.sheet import (
    Block,
    Chart,
    Heading,
    Item,
    List,
    Sheet,
    Table,
    marks,
    shown,
)

FONTS = Path(__file__).parent / "fonts"
SCREEN_PPI = 110.0
_PNG = b"\x89PNG\r\n\x1a\n"
_LONG_ITEM = 6
"""An item with more blocks may be split between pages."""
_NOT_TEXT = frozenset({"type", "style", "language", "direction", "theme"})


def pdf(sheet: Sheet) -> bytes:
    """Return the sheet as a tagged PDF that meets PDF/UA-1.

    Raises:
        FailedPrecondition: The extra [render] is not installed.
        InvalidArgument: The sheet cannot be typeset.
    """
    return _compile(sheet, format="pdf", pdf_standards=["ua-1"])[0]


def png(sheet: Sheet) -> list[bytes]:
    """Return a PNG of each page, with the sheet's title and description; errors as for `pdf`."""
    head, chunks = len(_PNG) + 25, b""  # the signature, and the header's chunk of 25 bytes
    for name, text in (("Title", sheet.title), ("Description", sheet.description)):
        data = b"iTXt" + name.encode() + bytes(5) + cleaned(text).encode()
        chunks += pack(">I", len(data) - 4) + data + pack(">I", crc32(data))
    pages = _compile(sheet, format="png", ppi=SCREEN_PPI)
    return [page[:head] + chunks + page[head:] for page in pages]


def svg(sheet: Sheet) -> list[bytes]:
    """Return an SVG of each page, with the sheet's title and description; letters are outlines.
    Errors as for `pdf`."""
    head = f'<title id="title">{escape(sheet.title, quote=False)}</title>'
    if sheet.description:
        head += f'<desc id="desc">{escape(sheet.description, quote=False)}</desc>'
    attributes = ' role="img" aria-labelledby="title"' + (
        ' aria-describedby="desc"' if sheet.description else ""
    )
    return [
        re.sub(
            rb"<svg\b([^>]*)>",
            lambda tag: b"<svg%s%s>%s" % (tag[1], attributes.encode(), head.encode()),
            page,
            count=1,
        )
        for page in _compile(sheet, format="svg")
    ]


def _compile(sheet: Sheet, *, format: Literal["pdf", "png", "svg"], **options: Any) -> list[bytes]:
    """Typeset a sheet, and return the file, or one for each page of images.

    Raises:
        FailedPrecondition: The extra `render` is not installed.
        InvalidArgument: The sheet cannot be typeset.
    """
    require_extra("typst", "render", purpose=f"making {format.upper()} files")
    import typst

    data = msgspec.to_builtins(sheet)
    data["blocks"], level = [], 0
    for block in sheet.blocks:
        if isinstance(block, Heading):  # PDF/UA requires headings that skip no level
            level = min(block.level, level + 1)
            block = Heading(block.text, level)  # type: ignore[arg-type]
        data["blocks"].append(_block(block, sheet))
    content = msgspec.json.encode(_isolated(data, sheet)).decode()
    try:
        pages = typst.compile(
            (Path(__file__).parent / "page.typ").read_bytes(),
            root=str(FONTS),  # the only files that typst can open
            format=format,
            font_paths=[str(FONTS)],
            ignore_system_fonts=True,
            sys_inputs={"sheet": content},
            **options,
        )
    except typst.TypstError as error:
        raise InvalidArgument(f"the page cannot be made: {error.message[:300]}") from error
    return pages if isinstance(pages, list) else [pages]


def _block(block: Block, sheet: Sheet) -> dict[str, Any]:
    """Return a block in the form that the template takes."""
    data: dict[str, Any] = msgspec.to_builtins(block)
    if isinstance(block, Item):
        data["blocks"] = [_block(each, sheet) for each in block.blocks]
        data["is_long"] = len(block.blocks) > _LONG_ITEM
    elif isinstance(block, List):
        data["lines"] = list(zip(marks(block, sheet.language), block.items, strict=True))
    elif isinstance(block, Table):
        data["rows"] = [[shown(cell) for cell in row] for row in block.rows]
    elif isinstance(block, Chart):
        most = max((abs(value) for value in block.values), default=0) or 1
        data["bars"] = [
            {
                "label": label,
                "value": f"{shown(value)} {block.unit}".strip(),
                "share": abs(value) / most,
            }
            for label, value in zip(block.labels, block.values, strict=True)
        ]
        values = ", ".join(f"{bar['label']}: {bar['value']}" for bar in data["bars"])
        data["alt"] = f"{block.title}: {values}" if block.title else values
    return data


def _isolated(value: Any, sheet: Sheet) -> Any:
    if isinstance(value, str):
        return _missing_letters().sub("\ufffd", isolated(value, sheet.direction))
    if isinstance(value, list | tuple):
        return [_isolated(each, sheet) for each in value]
    if isinstance(value, dict):
        return {
            key: each if key in _NOT_TEXT else _isolated(each, sheet) for key, each in value.items()
        }
    return value


@cache
def _missing_letters() -> re.Pattern[str]:
    """Return the pattern of letters that none of the fonts has."""
    ranges = msgspec.json.decode((FONTS / "letters.json").read_bytes())
    spans = "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges)
    return re.compile(f"[^\n{spans}]")
