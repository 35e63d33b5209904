"""Word documents: text and tables in order, and hostile files refused soon and with a reason."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from rollcall.knowledge.docx import read_docx
from rollcall.knowledge.pages import CannotRead, Page
from rollcall.knowledge.reader import read
from tests.support.full_form import amount

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.\
wordprocessingml.document.main+xml"/></Types>"""


def docx(body: str, *, head: str = "", packed: int = zipfile.ZIP_DEFLATED, **parts: str) -> bytes:
    """A .docx file; other parts by their names, `_` for what no name may hold."""
    document = (
        f'{head}<w:document xmlns:w="{W}" xmlns:mc="{MC}"><w:body>{body}</w:body></w:document>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packed, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", parts.pop("types", TYPES))
        archive.writestr("word/document.xml", document)
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def p(text: str, style: str = "") -> str:
    shown = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{shown}<w:r><w:t>{text}</w:t></w:r></w:p>"


def relation(kind: str, mode: str = "External") -> str:
    target = f'Type="{RELATIONS}/{kind}" Target="http://10.0.0.1/x" TargetMode="{mode}"'
    return f"<Relationships><Relationship Id='r1' {target}/></Relationships>"


def pages_of(folder: Path, data: bytes, *, apart: bool = False) -> list[Page]:
    """Read a document: in this process, or apart, in one whose memory is bounded as in use."""
    path = folder / "file"
    path.write_bytes(data)
    found = read("docx", path) if apart else read_docx(path)
    return [each for each in found if isinstance(each, Page)]


def problem_of(folder: Path, data: bytes, *, apart: bool = False) -> str:
    with pytest.raises(CannotRead) as refused:
        pages_of(folder, data, apart=apart)
    return refused.value.problem


TABLE = (
    "<w:tbl>"
    + "".join(
        f"<w:tr>{''.join(f'<w:tc>{p(cell)}</w:tc>' for cell in row)}</w:tr>"
        for row in (("שבר", "ציור"), ("1/2", "חצי"))
    )
    + "</w:tbl>"
)


def test_paragraphs_and_tables_come_in_their_order_with_headings(tmp_path: Path) -> None:
    document = docx(p("שברים", "Heading1") + p("לפני") + TABLE + p("אחרי"))
    [page] = pages_of(tmp_path, document, apart=True)
    assert page.text.split("\n") == ["שברים", "לפני", "שבר | ציור", "1/2 | חצי", "אחרי"]
    assert page.large == {0} and page.number is None


def test_deleted_text_and_doubled_fallbacks_are_left_out(tmp_path: Path) -> None:
    body = (
        "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
        f"<mc:AlternateContent><mc:Choice>{p('once')}</mc:Choice>"
        f"<mc:Fallback>{p('twice')}</mc:Fallback></mc:AlternateContent>"
    )
    [page] = pages_of(tmp_path, docx(body))
    assert page.text == "kept\nonce"


def test_a_table_inside_a_table_stays_in_its_cell(tmp_path: Path) -> None:
    inner = f"<w:tbl><w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr></w:tbl>"
    outer = f"<w:tbl><w:tr><w:tc>{p('x')}{inner}{p('y')}</w:tc><w:tc>{p('z')}</w:tc></w:tr></w:tbl>"
    [page] = pages_of(tmp_path, docx(outer))
    assert page.text == "x a | b y | z"


def test_a_link_that_a_reader_may_click_is_no_harm(tmp_path: Path) -> None:
    parts = {"word/_rels/document.xml.rels": relation("hyperlink")}
    assert pages_of(tmp_path, docx(p("see"), **parts))[0].text == "see"


@pytest.mark.parametrize("kind", ["attachedTemplate", "image", "oleObject", "frame", "subDocument"])
def test_what_loads_something_from_elsewhere_is_refused(tmp_path: Path, kind: str) -> None:
    parts = {"word/_rels/settings.xml.rels": relation(kind)}
    assert problem_of(tmp_path, docx(p("see"), **parts)) == "external"
    inside = {"word/_rels/settings.xml.rels": relation(kind, "Internal")}
    assert pages_of(tmp_path, docx(p("see"), **inside))[0].text == "see"


def test_document_types_are_refused_before_an_entity_grows(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    head = f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]>'
    assert problem_of(tmp_path, docx(p("&a11;"), head=head)) == "external"
    head = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    assert problem_of(tmp_path, docx(p("&e;"), head=head)) == "external"


def test_archives_that_unpack_to_gigabytes_cost_no_more_than_a_bound(tmp_path: Path) -> None:
    assert problem_of(tmp_path, docx(f"<!--{'x' * 70_000_000}-->"), apart=True) == "too_heavy"
    assert problem_of(tmp_path, docx(f"<w:p w:x='{'x' * 2_100_000}'/>"), apart=True) == "too_heavy"
    large = docx(f"<w:p w:x='{'x' * 1_900_000}'/>" + p("fine"))
    assert pages_of(tmp_path, large, apart=True)[0].text.strip() == "fine"
    too_long = docx(p("x" * 6_100_000) + "<w:p")  # it is not read as far as where it breaks off
    assert problem_of(tmp_path, too_long, apart=True) == "too_much_text"
    never_unpacked = docx(p("fine"), **{"word/media/image1.bin": "x" * 70_000_000})
    assert pages_of(tmp_path, never_unpacked, apart=True)[0].text == "fine"
    many = {f"word/{n}.xml": "" for n in range(5_001)}
    assert problem_of(tmp_path, docx(p("x"), **many), apart=True) == "too_heavy"
    deep = "<w:p>" * 300 + "</w:p>" * 300
    assert problem_of(tmp_path, docx(deep), apart=True) == "too_heavy"


def test_encrypted_macro_and_foreign_files_are_refused_with_their_reason(tmp_path: Path) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    assert problem_of(tmp_path, ole + "EncryptedPackage".encode("utf-16-le")) == "encrypted"
    assert problem_of(tmp_path, ole + b"old word") == "wrong_type"
    assert problem_of(tmp_path, docx(p("x"), **{"word/vbaProject.bin": "x"})) == "macros"
    types = TYPES.replace("openxmlformats-officedocument.", "ms-word.document.macroEnabled.")
    assert problem_of(tmp_path, docx(p("x"), types=types)) == "macros"
    assert problem_of(tmp_path, b"%PDF-1.7 ...") == "wrong_type"
    assert problem_of(tmp_path, docx("")) == "no_text"
    sheet = docx(p("x")).replace(b"word/document.xml", b"work/document.xml")
    assert problem_of(tmp_path, sheet) == "wrong_type"


@pytest.mark.long
def test_any_cut_or_changed_byte_ends_in_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "file"
    reasons = set()
    for packed in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        good = docx(p("שברים") + TABLE, packed=packed)
        for at in range(0, len(good), amount(29, full=7)):
            for data in (good[:at], good[:at] + b"\xff" + good[at + 1 :]):
                path.write_bytes(data)
                try:
                    list(read_docx(path))
                except CannotRead as refused:
                    reasons.add(refused.problem)
    assert {"malformed", "wrong_type"} <= reasons <= {*reasons, "no_text", "encrypted"}


def test_hidden_and_moved_text_is_left_out(tmp_path: Path) -> None:
    def run(properties: str, text: str) -> str:
        return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"

    shown = '<w:vanish w:val="0"/>'
    moved = f"<w:moveFrom>{run('', 'moved ')}</w:moveFrom><w:moveTo>{run('', 'moved')}</w:moveTo>"
    body = (
        f"<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>{run('<w:vanish/>', 'obey me ')}"
        f"{run(shown, 'a ')}"
        f"{run('<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>', 'b ')}"
        f"{moved}</w:p>"
    )
    [page] = pages_of(tmp_path, docx(body))
    assert page.text == "a b moved"


def test_formulas_are_written_in_a_line(tmp_path: Path) -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    def formula(inside: str) -> str:
        space = "http://schemas.openxmlformats.org/officeDocument/2006/math"
        return f"<w:p><w:r><w:t>1</w:t></w:r><m:oMath xmlns:m='{space}'>{inside}</m:oMath></w:p>"

    fraction = f"<m:f><m:num>{r('3')}</m:num><m:den>{r('a+b')}</m:den></m:f>"
    power = f"{r('+')}<m:sSup><m:e>{r('x')}</m:e><m:sup>{r('2')}</m:sup></m:sSup>"
    root = f"{r('=')}<m:rad><m:deg/><m:e>{r('a+b')}</m:e></m:rad>"
    [page] = pages_of(tmp_path, docx(formula(fraction) + formula(power) + formula(root)))
    assert page.text.split("\n") == ["1 3/(a+b)", "1+x^2", "1=√(a+b)"]

    def sign(name: str, value: str) -> str:
        space = "http://schemas.openxmlformats.org/officeDocument/2006/math"
        return f"<m:{name} xmlns:m='{space}' m:val='{value}'/>"

    total = f"{r('=')}<m:nary><m:naryPr>{sign('chr', '∑')}</m:naryPr><m:e>{r('x')}</m:e></m:nary>"
    signs = f"{sign('begChr', '[')}{sign('endChr', ']')}"
    square = f"{r('=')}<m:d><m:dPr>{signs}</m:dPr><m:e>{r('a')}</m:e></m:d>"
    usual = f"{r('=')}<m:d><m:e>{r('a')}</m:e></m:d>"
    [page] = pages_of(tmp_path, docx(formula(total) + formula(square) + formula(usual)))
    assert page.text.split("\n") == ["1=∑x", "1=[a]", "1=(a)"]


def test_unknown_encodings_and_endless_cells_are_refused(tmp_path: Path) -> None:
    assert problem_of(tmp_path, docx(p("x"), head='<?xml version="1.0" encoding="x-no"?>')) == (
        "malformed"
    )
    cells = f"<w:tbl><w:tr>{'<w:tc/>' * 200_001}</w:tr></w:tbl>"
    assert problem_of(tmp_path, docx(cells), apart=True) == "too_heavy"
