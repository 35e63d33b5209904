"""PDFs for tests, written by hand: what they hold and what is wrong with them is all in here."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from io import BytesIO

Part = tuple[int, str]
"""A part of a line: how far from the left it is drawn, and its letters in the file's order."""
Line = str | tuple[str, int] | list[Part]
"""A line of text, or one with its size in points, 10 otherwise; or the parts it is drawn in."""

_TO_UNICODE = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /U def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfrange <0020> <007E> <0020> <0590> <05FF> <0590> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end"""


def pdf(pages: Sequence[Sequence[Line]], *, compress: bool = True) -> bytes:
    """A PDF with these lines on its pages, in a font that has English and Hebrew letters.

    Letters stand in the file as they stand in the line, from the left; so Hebrew is seen the right
    way round where the line has its letters in the order in which they are seen.
    """
    objects: list[bytes] = [b"", b""]
    objects.append(
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Test /Encoding /Identity-H "
        b"/DescendantFonts [4 0 R] /ToUnicode 5 0 R >>"
    )
    objects.append(
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Test /DW 500 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    objects.append(stream(_TO_UNICODE))
    kids = []
    for lines in pages:
        content = _content(lines)
        objects.append(stream(content, compress=compress))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>" % len(objects)
        )
        kids.append(len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    references = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), references)
    return file_of(objects)


def file_of(objects: Sequence[bytes]) -> bytes:
    """A file of these objects, numbered from 1; the first is the catalogue."""
    out = BytesIO()
    out.write(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1))
    out.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


def stream(data: bytes, *, compress: bool = False, times: int = 1) -> bytes:
    """A stream object; compressed `times` over, each layer named as a filter."""
    filters = b""
    if compress:
        for _ in range(times):
            data = zlib.compress(data, 1)
        filters = b"/Filter [%s] " % b" ".join([b"/FlateDecode"] * times)
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (filters, len(data), data)


def encrypted(data: bytes, *, user_password: str) -> bytes:
    """The same PDF under a password; "" restricts what readers may do and opens for everyone."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt(user_password, "the owner's own", algorithm="AES-256")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def one_page(content: bytes, *, compress: bool = True, times: int = 1) -> bytes:
    """A PDF whose only page has this content stream."""
    return file_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
            stream(content, compress=compress, times=times),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def _content(lines: Sequence[Line]) -> bytes:
    parts = []
    height = 760.0
    for line in lines:
        drawn, size = (line, 10) if isinstance(line, list) else ([(40, line)], 10)
        if isinstance(line, tuple):
            drawn, size = [(40, line[0])], line[1]
        for left, text in drawn:
            codes = str(text).encode("utf-16-be").hex().encode()
            at = (size, left, height, codes)
            parts.append(b"BT /F1 %d Tf 1 0 0 1 %d %.1f Tm <%s> Tj ET" % at)
        height -= 1.4 * size
    return b"\n".join(parts)
