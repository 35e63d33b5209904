"""Files of a sheet, read back by other programs."""

from __future__ import annotations

import csv
import io
import re
import sys
import zipfile
import zlib
from time import process_time
from typing import Any

import pypdf
import pytest
from docx import Document
from docx.image.image import Image as Picture
from lxml import etree

from rollcall.core.errors import FailedPrecondition
from rollcall.render import pages, spreadsheet, word
from rollcall.render.bidi import cleaned
from rollcall.render.sheet import (
    Block,
    Chart,
    Fields,
    Figure,
    Figures,
    Heading,
    Item,
    Lines,
    List,
    PageBreak,
    Paragraph,
    Sheet,
    Space,
    Table,
    Theme,
    letter,
)

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


BLOCKS: list[Block] = [
    Fields(["שם", "תאריך"]),
    Paragraph("טיוטה\nשורה שנייה", "note"),
    Heading("חלק א", 3),
    Item("1.", [Paragraph("חשבו: 120 − 30 = ____"), Space(1.5), Lines(2)], "(5 נקודות)"),
    Item("2.", [Paragraph("איזה גדול?"), List(["1/2", "25 mm"], "letter")]),
    List(["2 + 2 = 4", "3 ≤ π ✓", "√16 ≥ 4 →"], "box"),
    Paragraph("1 3/4 + 2 1/2 = 4 1/4"),
    Table(["מושג", "ערך"], [["מונה", 3], ["#let x = 1 $y$ *z* \\ ]", None]]),
    Chart(["כיתה א", "כיתה ב"], [12, 30.5], "תלמידים", "%"),
    Figures([Figure("71%", "מים")]),
    PageBreak(),
    Paragraph("😀 漢字 abc", "small"),
]
SHEET = Sheet("שברים", BLOCKS, description="דף עבודה")


def test_a_pdf_is_tagged_names_its_language_and_keeps_its_text() -> None:
    reader = pypdf.PdfReader(io.BytesIO(pages.pdf(SHEET)))
    root: Any = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "he"
    assert reader.metadata is not None and reader.metadata.title == "שברים"
    assert b"pdfuaid:part>1" in root["/Metadata"].get_data()
    text = cleaned("".join(page.extract_text() for page in reader.pages))
    assert all(each in text for each in ("120 − 30 = ____", "25 mm", "1 3/4 + 2 1/2 = 4 1/4"))
    assert all(each in text for each in ("#let x = 1 $y$ *z* \\ ]", "3 ≤ π", "√16 ≥ 4", "✓", "→"))


def test_letters_that_no_font_has_are_replaced_and_all_others_are_drawn() -> None:
    text = "".join(
        page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pages.pdf(SHEET))).pages
    )
    assert "\ufffd\ufffd" in text and "漢" not in text
    letters = "≤≥≠≈√π✓✗→←⇒∞∠△□☐☑½⅓²³°×÷−₪…–—“”αβΔшمر"
    assert pages.pdf(Sheet(letters, [Paragraph(letters)]))[:5] == b"%PDF-"


def test_an_svg_has_a_title_a_description_and_no_script_of_its_content() -> None:
    sheet = Sheet("א<b>&", [Paragraph("<script>")], description="ת", theme=Theme(boxes=True))
    (page,) = pages.svg(sheet)
    tree = etree.fromstring(page)
    assert tree.findtext("{*}title") == "א<b>&" and tree.findtext("{*}desc") == "ת"
    assert not list(tree.iter("{*}script"))


def test_a_png_has_a_title_and_a_description_and_is_read_by_others() -> None:
    (image,) = pages.png(Sheet("מים", [Paragraph("71%")], description="תיאור"))
    for name, text in ((b"Title", "מים"), (b"Description", "תיאור")):
        data = b"iTXt" + name + bytes(5) + text.encode()
        assert data + zlib.crc32(data).to_bytes(4, "big") in image
    assert Picture.from_blob(image).px_width > 100


def document(sheet: Sheet = SHEET) -> etree._Element:
    with zipfile.ZipFile(io.BytesIO(word.docx(sheet))) as file:
        return etree.fromstring(file.read("word/document.xml"))


def test_every_hebrew_paragraph_run_and_table_of_a_docx_says_its_direction() -> None:
    root = document()
    hebrew = re.compile("[א-ת]")
    for paragraph in root.iter(f"{W}p"):
        if hebrew.search("".join(paragraph.itertext())):
            assert paragraph.find(f"{W}pPr/{W}bidi") is not None
    for run in root.iter(f"{W}r"):
        if hebrew.search("".join(run.itertext())):
            assert run.find(f"{W}rPr/{W}rtl") is not None
    assert all(table.find(f"{W}tblPr/{W}bidiVisual") is not None for table in root.iter(f"{W}tbl"))


def test_formulas_of_a_docx_are_left_to_right_runs_of_their_own() -> None:
    runs = {
        "".join(run.itertext()).strip("\u200e"): run.find(f"{W}rPr/{W}rtl")
        for run in document().iter(f"{W}r")
    }
    for formula in ("120 − 30 = ____", "1/2", "25 mm", "2 + 2 = 4", "1 3/4 + 2 1/2 = 4 1/4"):
        assert runs[formula] is None


PPR = "pStyle keepNext keepLines pageBreakBefore pBdr shd tabs bidi spacing ind jc rPr"
RPR = "rStyle rFonts b bCs i iCs color sz szCs u rtl cs lang"
TBLPR = "tblStyle bidiVisual tblW jc tblLayout tblCellMar tblLook"


def test_properties_of_a_docx_stand_in_the_order_of_the_schema() -> None:
    root = document()
    for parent, order in (("pPr", PPR), ("rPr", RPR), ("tblPr", TBLPR)):
        for each in root.iter(f"{W}{parent}"):
            places = [order.split().index(etree.QName(child).localname) for child in each]
            assert places == sorted(places)


def test_a_docx_opens_again_and_has_tables_of_charts_and_figures() -> None:
    found = Document(io.BytesIO(word.docx(SHEET)))
    assert found.core_properties.title == "שברים"
    tables = [
        [[cell.text.strip("\u200e") for cell in row.cells] for row in t.rows] for t in found.tables
    ]
    assert tables[1:] == [
        [["תלמידים", "%"], ["כיתה א", "12"], ["כיתה ב", "30.5"]],
        [["מים"], ["71%"]],
    ]


HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "http://x.y"]


def test_no_cell_of_a_workbook_is_a_formula_and_hebrew_sheets_run_from_the_right() -> None:
    table = Table(["שם", "ציון"], [[text, 90.5] for text in HOSTILE])
    made = spreadsheet.xlsx([Sheet("כיתה/ד", [table]), Sheet("כיתה/ד", [table])])
    with zipfile.ZipFile(io.BytesIO(made)) as file:
        sheet = etree.fromstring(file.read("xl/worksheets/sheet1.xml"))
        names = re.findall('<sheet name="([^"]+)"', file.read("xl/workbook.xml").decode())
        strings = etree.fromstring(file.read("xl/sharedStrings.xml"))
    assert not list(sheet.iter("{*}f")) and not list(sheet.iter("{*}hyperlink"))
    assert sheet.find(".//{*}sheetView").get("rightToLeft") == "1"
    assert len(list(sheet.iter("{*}v"))) == 2 * (1 + len(HOSTILE))
    assert "=1+1" in ["".join(each.itertext()) for each in strings]
    assert names == ["כיתה ד", "כיתה ד (2)"]


def test_a_csv_begins_with_a_byte_order_mark_and_defuses_formulas() -> None:
    made = spreadsheet.csv(Table(["שם", "ציון"], [[text, -1] for text in HOSTILE]))
    assert made.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(made.decode("utf-8-sig"))))
    assert [row[0] for row in rows[1:]] == [f"'{text}" for text in HOSTILE[:-1]] + HOSTILE[-1:]
    assert {row[1] for row in rows[1:]} == {"-1"}


def test_two_thousand_rows_take_less_than_a_second() -> None:
    table = Table([f"c{n}" for n in range(12)], [["נועה", *range(11)] for _ in range(2000)])
    start = process_time()
    spreadsheet.xlsx([Sheet("כיתה", [table])])
    assert process_time() - start < 1


def test_list_letters_are_those_of_the_language() -> None:
    assert [letter(n, "he") for n in (0, 9, 10, 14, 15, 20)] == ["א", "י", "יא", "טו", "טז", "כא"]
    assert [letter(n, "en") for n in (0, 25, 26)] == ["A", "Z", "AA"]


@pytest.mark.parametrize(
    ("name", "taken", "found"),
    [
        ("LP1", [], "LP1"),
        ("LP1", ["lp1"], "LP1 (2)"),
        ("LP1", ["LP1", "LP1 (2)"], "LP1 (3)"),
        ("A/B [1]:*?\\", [], "A B  1"),
        ("'quoted'", [], "quoted"),
        ("///", [], "1"),
        ("History", [], "History 1"),
        ("x" * 80, ["x" * 31], "x" * 27 + " (2)"),
        ("לוח דירה", [], "לוח דירה"),
    ],
)
def test_a_sheet_has_a_name_that_spreadsheets_take(name: str, taken: list[str], found: str) -> None:
    assert spreadsheet.sheet_name(name, taken=taken) == found


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollcall.core.extras.is_installed", lambda package: False)
    for make, extra in (
        (pages.pdf, "render"),
        (word.docx, "render"),
        (lambda sheet: spreadsheet.xlsx([sheet]), "spreadsheets"),
    ):
        with pytest.raises(FailedPrecondition, match=rf"extra \[{extra}\]"):
            make(SHEET)


def test_making_no_file_imports_none_of_the_libraries() -> None:
    import subprocess

    code = (
        "import sys; from rollcall.render import pages, spreadsheet, word, sheet;"
        "assert not {'typst', 'docx', 'lxml', 'xlsxwriter'} & set(sys.modules)"
    )
    env = {"PYTHONPATH": "functions"}
    assert subprocess.run([sys.executable, "-c", code], env=env).returncode == 0
