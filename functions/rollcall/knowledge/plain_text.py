"""Decodes text and Markdown files.

A byte order mark decides. Without one the bytes are UTF-8 if they can be. Otherwise they are of
an old Windows: Windows-1255 (Hebrew) where most bytes above 7F are Hebrew letters there and have
another such byte beside them, as letters of a word do; else Windows-1252 (Western), whose accented
letters stand alone among plain ones.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from rollcall.knowledge.pages import MOST_CHARS, CannotRead, Page

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEBREW = re.compile(rb"[\xe0-\xfa]{2,}")
_HIGH = re.compile(rb"[\x80-\xff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_PIECE_CHARS = 100_000
_MOST_CONTROL = 0.05
"""A share of control characters that no text has."""


def read_plain(data: bytes) -> Iterator[int | Page]:
    """Yield the number of pieces of a text, and then each of them.

    Raises:
        CannotRead: It is empty, a file of another kind, or too long.
    """
    if not data.strip():
        raise CannotRead("empty")
    if data.lstrip()[:5] == b"%PDF-":
        raise CannotRead("wrong_type")
    text = decoded(data)
    clean = cleaned(text)
    if len(text) - len(clean) > _MOST_CONTROL * len(text) + text.count("\r"):
        raise CannotRead("wrong_type")
    if len(clean) > MOST_CHARS:
        raise CannotRead("too_much_text")
    if not clean.strip():
        raise CannotRead("no_text")
    pieces = _pieces(clean)
    yield len(pieces)
    for piece in pieces:
        yield Page(None, piece)


def _pieces(text: str) -> list[str]:
    """The text cut at line ends; only a line that is too long itself is cut inside."""
    pieces = []
    start = 0
    while len(text) - start > _PIECE_CHARS:
        end = text.rfind("\n", start, start + _PIECE_CHARS)
        end = start + _PIECE_CHARS if end < 0 else end
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def decoded(data: bytes) -> str:
    """Return the text of bytes by the rule above; an invalid byte becomes U+FFFD."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_windows(data), "replace")


def _windows(data: bytes) -> str:
    in_words = sum(len(found) for found in _HEBREW.findall(data))
    return "cp1255" if in_words * 2 > len(_HIGH.findall(data)) else "cp1252"


def cleaned(text: str) -> str:
    """Return text with one kind of line end and without control characters."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
