"""Text of a .docx file: paragraphs and tables in their order, within limits.

A .docx file is a zip archive of XML. Of its parts only the text and the lists of contents and
relations are ever unpacked, each up to a bound that holds whatever the archive announces, so an
archive that unpacks to gigabytes costs no more than that. The XML goes through expat without
document types, so there are no entities that grow or that reach for other files. The standard
library is enough for this; libraries that also write .docx build the whole tree in memory first.

Refused are files that are encrypted, that hold macros, or whose relations load something from
elsewhere: templates, frames, objects, pictures. A link that a reader may click loads nothing and
stays as its text. Left out are deleted and moved text, fields' codes, and runs that Word hides,
which could tell a model what no reader sees. Formulas are written in one line: `3/4`, `x^2`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from msgspec import Struct, field

from rollcall.knowledge.pages import MOST_CHARS, CannotRead, Page, cleaned

MOST_ENTRIES = 5_000
MOST_PART_BYTES = 60_000_000
"""Of the unpacked text, with its markup."""
MOST_LIST_BYTES = 2_000_000
MOST_TOKEN_BYTES = 2_000_000
"""Of one tag or comment, which expat reads anew with each piece of it that comes."""
MOST_DEPTH = 200
"""Of elements inside one another."""
MOST_CELLS = 200_000
"""Of all tables."""
PIECE_CHARS = 100_000

_CHUNK = 65_536
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How files of old Office begin, and encrypted ones of today."""
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
_SIGNS = {"den": "/", "sup": "^", "sub": "_"}
_ONE_TERM = re.compile(r"\w*|\d+[.,]\d+")
_NOT_READ = frozenset(("moveFrom", "rPrChange", "pPrChange"))
"""Text that stands elsewhere by now, and properties that were."""
_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_HEADING_STYLES = ("heading", "title", "כותרת")


def read_docx(path: Path) -> Iterator[int | Page]:
    """Yield the number of pieces of a document, and then each; headings count as large lines.

    Raises:
        CannotRead: It is no .docx file, is encrypted, holds macros, loads something from elsewhere,
            is too large, or is damaged.
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
            reader = _TextReader()
            _parse(archive, _TEXT_PART, MOST_PART_BYTES, reader)
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, ValueError) as error:
        raise CannotRead("malformed") from error
    except LookupError as error:  # an encoding that there is not
        raise CannotRead("malformed") from error
    except (NotImplementedError, RuntimeError) as error:  # another packing; a password
        raise CannotRead("encrypted" if "encrypted" in str(error) else "malformed") from error
    except OSError as error:  # zlib's and the archive's own, of damaged parts
        raise CannotRead("malformed") from error
    pieces = list(_pieces(reader.lines))
    if not pieces:
        raise CannotRead("no_text")
    yield len(pieces)
    yield from pieces


def _check(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    names = {each.filename for each in entries}
    if len(entries) > MOST_ENTRIES:
        raise CannotRead("too_heavy")
    if any(each.flag_bits & 1 for each in entries):
        raise CannotRead("encrypted")
    if not {_TEXT_PART, _CONTENTS} <= names:
        raise CannotRead("wrong_type")
    types = _Attributes("ContentType")
    _parse(archive, _CONTENTS, MOST_LIST_BYTES, types)
    has_code = any(name.lower().endswith("vbaproject.bin") for name in names)
    if has_code or any("macroenabled" in each["ContentType"].lower() for each in types.found):
        raise CannotRead("macros")
    for name in sorted(names):
        if name.startswith(("word/", "_rels/")) and name.endswith(".rels"):
            relations = _Attributes("TargetMode")
            _parse(archive, name, MOST_LIST_BYTES, relations)
            for each in relations.found:
                kind = each.get("Type", "").rpartition("/")[2]
                if each["TargetMode"].lower() == "external" and kind != "hyperlink":
                    raise CannotRead("external")


class _Handler:
    """What is done with the elements of a part."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; its name is its namespace, a space, and its own."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """Text comes, in pieces."""


def _parse(archive: zipfile.ZipFile, name: str, most: int, handler: _Handler) -> None:
    parser = expat.ParserCreate(namespace_separator=" ")
    depth = 0

    def start(element: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise CannotRead("too_heavy")
        handler.start(element, attributes)

    def end(element: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(element)

    def refuse(*given: object) -> Any:
        raise CannotRead("external")

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = handler.text
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
            if read - parser.CurrentByteIndex > MOST_TOKEN_BYTES:
                raise CannotRead("too_heavy")
    parser.Parse(b"", True)


class _Attributes(_Handler):
    """Collects the attributes of elements that have one."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self.found: list[dict[str, str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._wanted in attributes:
            self.found.append(dict(attributes))


class _Line(Struct):
    parts: list[str]
    is_large: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts)


class _Term(Struct):
    """A part of a formula that is being read: its line, and where in it the part begins."""

    name: str
    parts: list[str]
    begin: int
    brackets: list[str] = field(default_factory=lambda: ["(", ")"])


class _Table(Struct):
    """A table that is being read: its row's cells, each with the lines in it."""

    cells: list[list[_Line]] = field(default_factory=list)


class _TextReader(_Handler):
    """Makes lines of paragraphs and of tables' rows."""

    def __init__(self) -> None:
        self.lines: list[_Line] = []
        self._tables: list[_Table] = []
        self._paragraphs: list[_Line] = []
        self._terms: list[_Term] = []
        self._hidden: list[bool | None] = []  # each paragraph, None, and run that is open
        self._is_text = False
        self._left_out = 0
        self._chars = 0
        self._cells = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, own = name.rpartition(" ")
        if self._left_out or (space == _COMPATIBILITY and own == "Fallback"):
            self._left_out += 1
        elif space in _MATHEMATICS:
            self._start_term(own, attributes, space)
        elif space not in _WORDS:
            return
        elif own in _NOT_READ:
            self._left_out += 1
        elif own == "p":
            self._paragraphs.append(_Line([]))
            self._hidden.append(None)
        elif own == "r":
            self._hidden.append(False)
        elif own == "vanish" and self._hidden and self._hidden[-1] is not None:
            value = attributes.get(f"{space} val", "true").lower()
            self._hidden[-1] = value not in ("0", "false", "off")
        elif own == "t":
            self._is_text = True
        elif own in ("tab", "ptab"):
            self._add("\t")
        elif own in ("br", "cr"):
            self._add("\n")
        elif own == "noBreakHyphen":
            self._add("-")
        elif own == "tbl":
            self._tables.append(_Table())
        elif own == "tr" and self._tables:
            self._tables[-1].cells = []
        elif own == "tc" and self._tables:
            self._cells += 1
            if self._cells > MOST_CELLS:
                raise CannotRead("too_heavy")
            self._tables[-1].cells.append([])
        elif own in ("pStyle", "outlineLvl") and self._paragraphs:
            style = attributes.get(f"{space} val", "").lower()
            is_heading = own == "outlineLvl" and style < "9"
            self._paragraphs[-1].is_large |= is_heading or style.startswith(_HEADING_STYLES)

    def end(self, name: str) -> None:
        space, _, own = name.rpartition(" ")
        if self._left_out:
            self._left_out -= 1
        elif space in _MATHEMATICS:
            self._end_term(own)
        elif space not in _WORDS:
            return
        elif own == "t":
            self._is_text = False
        elif own == "r":
            self._hidden.pop()
        elif own == "p" and self._paragraphs:
            self._hidden.pop()
            self._close(self._paragraphs.pop())
        elif own == "tr" and self._tables:
            cells = [" ".join(line.text for line in cell) for cell in self._tables[-1].cells]
            row = " | ".join(" ".join(cell.split()) for cell in cells)
            table = self._tables.pop()
            if row.strip(" |"):
                self._close(_Line([row]))
            self._tables.append(table)
        elif own == "tbl" and self._tables:
            self._tables.pop()

    def text(self, data: str) -> None:
        if self._is_text and not self._left_out:
            self._add(data)

    def _start_term(self, name: str, attributes: dict[str, str], space: str) -> None:
        parent = self._terms[-1] if self._terms else None
        parts = self._paragraphs[-1].parts if self._paragraphs else []
        if name == "t":
            self._is_text = True
        elif name == "r":
            self._hidden.append(False)
        elif name == "f" and "".join(parts[-4:])[-1:].isdigit():
            self._add(" ")  # a whole number before its fraction
        elif name in _SIGNS:
            self._add(_SIGNS[name])
        elif name == "e" and parent and parent.name == "rad":
            self._add("√")
        elif name == "chr" and parent and parent.name == "naryPr":
            self._add(attributes.get(f"{space} val", ""))
        elif name in ("begChr", "endChr") and len(self._terms) > 1:
            self._terms[-2].brackets[name == "endChr"] = attributes.get(f"{space} val", "")
        self._terms.append(_Term(name, parts, len(parts)))
        parts.append("")  # for a bracket

    def _end_term(self, name: str) -> None:
        term = self._terms.pop()
        if name == "t":
            self._is_text = False
        elif name == "r":
            self._hidden.pop()
        is_root = name == "e" and self._terms and self._terms[-1].name == "rad"
        if name == "d" or (
            (name in ("num", *_SIGNS) or is_root)
            and not _ONE_TERM.fullmatch("".join(term.parts[term.begin :]))
        ):
            term.parts[term.begin] = term.brackets[0]
            term.parts.append(term.brackets[1])

    def _add(self, text: str) -> None:
        if any(self._hidden):
            return
        self._chars += len(text)
        if self._chars > MOST_CHARS:
            raise CannotRead("too_much_text")
        if self._paragraphs:
            self._paragraphs[-1].parts.append(text)

    def _close(self, line: _Line) -> None:
        """Put a line where it belongs: into the table's cell, or after what there is."""
        if self._tables and self._tables[-1].cells:
            self._tables[-1].cells[-1].append(line)
        else:
            self.lines.append(line)


def _pieces(lines: list[_Line]) -> Iterator[Page]:
    """Yield the lines in pieces that end where lines do."""
    texts: list[str] = []
    large: set[int] = set()
    chars = 0
    for line in lines:
        for text in cleaned(line.text).strip().split("\n"):
            if chars + len(text) > PIECE_CHARS and texts:
                yield Page(None, "\n".join(texts), frozenset(large))
                texts, large, chars = [], set(), 0
            if line.is_large and text:
                large.add(len(texts))
            texts.append(text)
            chars += len(text) + 1
    if any(text.strip() for text in texts):
        yield Page(None, "\n".join(texts), frozenset(large))
