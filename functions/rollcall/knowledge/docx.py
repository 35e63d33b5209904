"""Reads the text of a .docx file: paragraphs and tables in their order, within limits.

A .docx file is a zip archive of XML. Only the text and the lists of contents and relations are
unpacked, each up to a limit that does not depend on the sizes that the archive declares, so an
archive that unpacks to gigabytes is stopped there. The XML is parsed by expat with document types
refused, so no entity can expand or refer to other files. The standard library suffices; libraries
that also write .docx first build the whole tree in memory.

Files that are encrypted, hold macros, or have relations that load something from elsewhere
(templates, frames, objects, pictures) are refused. A link loads nothing until a reader clicks it,
so its text stays. Deleted and moved text, field codes and runs that Word hides are left out: they
could show a model what no reader sees. Formulas are written in one line: `3/4`, `x^2`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

from rollcall.knowledge.pages import MAX_CHARS, CannotRead, Page, cleaned, in_pieces

MAX_ENTRIES = 5_000
MAX_PART_BYTES = 60_000_000
"""The limit for the unpacked text, with its markup."""
MAX_LIST_BYTES = 2_000_000
MAX_TOKEN_BYTES = 2_000_000
"""The limit for one tag or comment, which expat rereads from its start with each new chunk."""
MAX_DEPTH = 200
"""The limit for nested elements."""
MAX_CELLS = 200_000
"""The limit for the cells of all tables."""

_CHUNK = 65_536
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of old Office files, and of encrypted new ones."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_TEXT_PART = "word/document.xml"
_CONTENTS = "[Content_Types].xml"
_WORDS = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_MATHEMATICS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "http://purl.oclc.org/ooxml/officeDocument/math",
)
_SIGNS = {"num": "", "den": "/", "sup": "^", "sub": "_"}
_VANISH = tuple(f"{space} vanish" for space in _WORDS)
_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_ONE_TERM = re.compile(r"\w*|\d+[.,]\d+")
_NOT_READ = frozenset(("moveFrom", "rPrChange", "pPrChange"))
"""Text that was moved elsewhere, and former properties."""
_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, OSError, ValueError),
    LookupError,  # an unknown encoding
)
_HEADING_STYLES = ("heading", "title", "כותרת")


def read_docx(path: Path) -> Iterator[int | Page]:
    """Yield the number of pieces of a document, and then each piece; headings count as large lines.

    Raises:
        CannotRead: It is not a .docx file, is encrypted, holds macros, loads something from
            elsewhere, is too large, or is damaged.
    """
    with path.open("rb") as file:
        start = file.read(8)
        if start == _OLE:
            raise CannotRead("encrypted" if _ENCRYPTED in start + file.read() else "wrong_type")
    if start[:4] != b"PK\x03\x04":
        raise CannotRead("wrong_type")
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive)
            blocks = _elements(archive, _TEXT_PART, MAX_PART_BYTES, depth=2)
            read = (block for block in blocks if not _is_left_out(block))
            lines = [
                (line, is_large)
                for block in read
                for text, is_large in _lines(block)
                for line in cleaned(text).strip().split("\n")
            ]
    except (NotImplementedError, RuntimeError) as error:  # unknown compression; a password
        raise CannotRead("encrypted" if "encrypted" in str(error) else "malformed") from error
    except _DAMAGE as error:
        raise CannotRead("malformed") from error
    yield from in_pieces(lines)


def _check(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    names = {each.filename for each in entries}
    if len(entries) > MAX_ENTRIES:
        raise CannotRead("too_heavy")
    if any(each.flag_bits & 1 for each in entries):
        raise CannotRead("encrypted")
    if not {_TEXT_PART, _CONTENTS} <= names:
        raise CannotRead("wrong_type")
    has_code = any(name.lower().endswith("vbaproject.bin") for name in names)
    for each in _elements(archive, _CONTENTS, MAX_LIST_BYTES, depth=1):
        has_code = has_code or "macroenabled" in each.get("ContentType", "").lower()
    if has_code:
        raise CannotRead("macros")
    for name in sorted(names):
        if name.startswith(("word/", "_rels/")) and name.endswith(".rels"):
            for root in _elements(archive, name, MAX_LIST_BYTES, depth=0):
                for each in root.iter():
                    kind = each.get("Type", "").rpartition("/")[2]
                    if each.get("TargetMode", "").lower() == "external" and kind != "hyperlink":
                        raise CannotRead("external")


def _elements(archive: zipfile.ZipFile, name: str, most: int, *, depth: int) -> Iterator[Element]:
    """Yield the elements of a part at a depth, each with its descendants. A tag consists of the
    namespace, a space and the name."""
    parser = expat.ParserCreate(namespace_separator=" ")
    opened: list[Element] = []
    ended: list[Element] = []
    cells = chars = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal cells
        cells += tag.endswith(" tc")
        if len(opened) >= MAX_DEPTH or cells > MAX_CELLS:
            raise CannotRead("too_heavy")
        element = Element(tag, attributes)
        if len(opened) > depth:
            opened[-1].append(element)
        opened.append(element)

    def end(tag: str) -> None:
        element = opened.pop()
        if len(opened) == depth:
            ended.append(element)

    def text(data: str) -> None:
        nonlocal chars
        if opened[-1].tag.endswith(" t"):
            chars += len(data)
            if chars > MAX_CHARS:  # before all of it is in memory
                raise CannotRead("too_much_text")
            opened[-1].text = (opened[-1].text or "") + data

    def refuse(*_: object) -> Any:
        raise CannotRead("external")

    parser.buffer_text, parser.buffer_size = True, _CHUNK
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    read = 0
    with archive.open(name) as part:
        while data := part.read(_CHUNK):
            read += len(data)
            if read > most:
                raise CannotRead("too_heavy")
            parser.Parse(data, False)
            if read - parser.CurrentByteIndex > MAX_TOKEN_BYTES:
                raise CannotRead("too_heavy")
            yield from ended
            ended.clear()
    parser.Parse(b"", True)
    yield from ended


def _lines(element: Element) -> Iterator[tuple[str, bool]]:
    """Yield the lines of an element: its paragraphs, and the rows of its tables; and whether each
    is a heading."""
    space, _, name = element.tag.rpartition(" ")
    if space in _WORDS and name == "tr":
        cells = (" ".join(text for text, _ in _lines(each)) for each in _cells(element))
        row = " | ".join(" ".join(cell.split()) for cell in cells)
        if row.strip(" |"):
            yield row, False
        return
    for each in element:  # a paragraph may have a text box with lines
        if not _is_left_out(each):
            yield from _lines(each)
    if space in _WORDS and name == "p":
        is_large = False
        for tag, value in _settings(element, "pPr"):
            is_level = tag == f"{space} outlineLvl" and value < "9"
            is_style = tag == f"{space} pStyle" and value.lower().startswith(_HEADING_STYLES)
            is_large = is_large or is_level or is_style
        yield _text(element), is_large


def _cells(row: Element) -> Iterator[Element]:
    for each in row:
        if each.tag.endswith(" tc"):
            yield each
        elif not _is_left_out(each):
            yield from _cells(each)


def _settings(element: Element, name: str, default: str = "") -> Iterator[tuple[str, str]]:
    """Yield the tags of an element's properties, which are under `name`, with their values."""
    for part in element:
        if part.tag.endswith(f" {name}"):
            for each in part:
                space = each.tag.rpartition(" ")[0]
                yield each.tag, each.get(f"{space} val", default)


def _is_left_out(element: Element) -> bool:
    """Tell whether an element is not read, duplicates another in an older form, or is a run that
    Word hides."""
    space, _, name = element.tag.rpartition(" ")
    if name == "r" and space in (*_WORDS, *_MATHEMATICS):
        hides = [value for tag, value in _settings(element, "rPr", "true") if tag in _VANISH]
        return bool(hides) and hides[-1].lower() not in ("0", "false", "off")
    return name in _NOT_READ or (space == _COMPATIBILITY and name == "Fallback")


def _text(element: Element, before: str = "") -> str:
    """Return the text of an element in one line, without paragraphs inside it, which have their own
    lines.

    Args:
        before: The character before it.
    """
    text = ""
    for each in element:
        space, _, name = each.tag.rpartition(" ")
        if _is_left_out(each):
            continue
        if name == "t" and space in (*_WORDS, *_MATHEMATICS):
            text += each.text or ""
        elif space in _MATHEMATICS:
            text += _formula(each, name, (text or before)[-1:])
        elif space in _WORDS and name in _CHARACTERS:
            text += _CHARACTERS[name]
        elif space not in _WORDS or name not in ("p", "tbl", "pPr", "rPr"):
            text += _text(each, (text or before)[-1:])
    return text


def _formula(element: Element, name: str, before: str) -> str:
    """Return a part of a formula in one line."""
    if name == "rad":  # a root, after its degree, which is usually empty
        *degree, root = [*map(_text, element)] or [""]
        return f"{''.join(degree)}√{_bracketed(root)}"
    inside = _text(element, "" if name in ("d", "nary", *_SIGNS) else before)
    if name in ("d", "nary"):
        settings = _settings(element, f"{name}Pr")
        signs = {tag.rpartition(" ")[2]: value for tag, value in settings}
        if name == "nary":  # such as a sum
            return signs.get("chr", "") + inside
        return f"{signs.get('begChr', '(')}{inside}{signs.get('endChr', ')')}"
    if name == "f" and before.isdigit():  # a whole number before its fraction
        return f" {inside}"
    return _SIGNS[name] + _bracketed(inside) if name in _SIGNS else inside


def _bracketed(text: str) -> str:
    return text if _ONE_TERM.fullmatch(text) else f"({text})"
