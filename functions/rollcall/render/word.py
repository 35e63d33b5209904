"""Renders a sheet as a Word document (docx) with python-docx.

python-docx supports one direction and one font for a run; this module adds what right-to-left texts
need (`w:bidi`, `w:rtl`, `w:cs` fonts and sizes, `bidiVisual` tables), each at its place in the
schema. An isolated part is a separate run between direction marks: Word uses the run's direction,
other programs the marks.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.extras import require_extra
from rollcall.render.bidi import cleaned, runs
from rollcall.render.sheet import (
    Block,
    Cell,
    Chart,
    Fields,
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
    marks,
    shown,
)

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph as WordParagraph

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_FONT = "Arial"
_SMALL = 10.0
"""The smallest font size, in points."""
_WIDTH_CM = 17.0
_INDENT_CM = 0.9
_MARKS = {"rtl": "\u200e", "ltr": "\u200f"}
_ORDER = {
    "sectPr": "bidi rtlGutter docGrid printerSettings sectPrChange",
    "pPr": "pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct "
    "autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing "
    "mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl "
    "divId cnfStyle rPr sectPr pPrChange",
    "pBdr": "top left bottom right",
    "rPr": "bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof "
    "snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd "
    "fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath",
    "tblPr": "bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd "
    "tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange",
    "tblCellMar": "top left start bottom right end",
    "trPr": "tblHeader tblCellSpacing jc hidden ins del trPrChange",
}
"""The order of elements in the schema, from the first that is added here."""


def docx(sheet: Sheet) -> bytes:
    """Return the sheet as a Word document.

    Raises:
        FailedPrecondition: The extra [render] is not installed.
    """
    require_extra("docx", "render", purpose="making Word files")
    document = _Document(sheet)
    document.write_all(sheet.blocks)
    return document.content()


class _Document:
    """A document while it is written."""

    def __init__(self, sheet: Sheet) -> None:
        from docx import Document
        from docx.shared import Cm

        self._sheet = sheet
        self._is_rtl = sheet.direction == "rtl"
        self._word = Document()
        self._indent_cm = 0.0
        section = self._word.sections[0]
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.left_margin = section.right_margin = section.top_margin = Cm(2)
        if self._is_rtl:
            _insert(section._sectPr, "bidi")
        self._set_styles()
        properties = self._word.core_properties
        properties.title, properties.subject = cleaned(sheet.title)[:250], ""
        properties.comments = cleaned(sheet.description)[:250]
        properties.author, properties.language = "", sheet.language
        properties.created = properties.modified = datetime.now(UTC).replace(tzinfo=None)
        if sheet.title:
            self._runs(self._paragraph("Title"), sheet.title)
        footer = section.footer.paragraphs[0]
        self._directed(footer)
        self._runs(footer, sheet.footer)

    def content(self) -> bytes:
        out = io.BytesIO()
        self._word.save(out)
        return out.getvalue()

    def write_all(self, blocks: Iterable[Block]) -> None:
        for each in blocks:
            self._write(each)

    def _set_styles(self) -> None:
        from docx.oxml.ns import qn
        from docx.shared import Pt, RGBColor

        accent = RGBColor.from_string(self._sheet.theme.accent.lstrip("#"))
        sizes = {"Normal": 11.5, "Title": 20, "Heading 1": 15, "Heading 2": 13, "Heading 3": 11.5}
        for name, size in sizes.items():
            style: Any = self._word.styles[name]
            style.font.size = Pt(size)
            properties = style.element.get_or_add_rPr()
            fonts = properties.get_or_add_rFonts()
            for attribute in list(fonts.attrib):  # a theme's fonts would override names
                del fonts.attrib[attribute]
            for kind in ("ascii", "hAnsi", "cs", "eastAsia"):
                fonts.set(qn(f"w:{kind}"), _FONT)
            _insert(properties, "szCs", val=str(round(size * 2)))
            if name != "Normal":
                style.font.color.rgb = accent
                style.font.bold = True
                _insert(properties, "bCs")
        defaults = self._word.styles.element.find(f".//{qn('w:rPrDefault')}//{qn('w:lang')}")
        if defaults is not None:
            defaults.set(qn("w:bidi"), "he-IL" if self._sheet.language == "he" else "ar-SA")

    def _paragraph(self, style: str = "Normal") -> WordParagraph:
        from docx.shared import Cm

        paragraph: WordParagraph = self._word.add_paragraph(style=self._word.styles[style])
        if self._indent_cm:
            paragraph.paragraph_format.left_indent = Cm(self._indent_cm)
        self._directed(paragraph)
        return paragraph

    def _directed(self, paragraph: WordParagraph) -> None:
        if self._is_rtl:
            _insert(paragraph._p.get_or_add_pPr(), "bidi")

    def _runs(
        self, paragraph: WordParagraph, text: str, *, bold: bool = False, size: float | None = None
    ) -> None:
        """Add a text, with a separate run for each isolated part."""
        from docx.shared import Pt

        mark = _MARKS[self._sheet.direction]
        for part in runs(text, self._sheet.direction):
            run = paragraph.add_run(f"{mark}{part.text}{mark}" if part.isolated else part.text)
            properties = run._r.get_or_add_rPr()
            if bold:
                run.bold = True
                _insert(properties, "bCs")
            if size:
                run.font.size = Pt(size)
                _insert(properties, "szCs", val=str(round(size * 2)))
            if part.isolated != self._is_rtl:
                _insert(properties, "rtl")

    def _write(self, block: Block) -> None:
        if isinstance(block, Heading):
            self._runs(self._paragraph(f"Heading {block.level}"), block.text)
        elif isinstance(block, Paragraph):
            self._write_paragraph(block)
        elif isinstance(block, List):
            for mark, words in zip(marks(block, self._sheet.language), block.items, strict=True):
                self._write_marked(mark, words)
        elif isinstance(block, Item):
            self._write_item(block)
        elif isinstance(block, Table):
            self._write_table(block)
        elif isinstance(block, Chart):
            pairs = zip(block.labels, block.values, strict=True)
            self._write_table(Table([block.title, block.unit], [list(pair) for pair in pairs]))
        elif isinstance(block, Figures):
            labels = [each.label for each in block.items]
            self._write_table(Table(labels, [[each.value for each in block.items]]))
        elif isinstance(block, Fields):
            self._write_fields(block)
        elif isinstance(block, Lines):
            for _ in range(block.count):
                self._tab_line([_WIDTH_CM - self._indent_cm])
        elif isinstance(block, Space):
            from docx.shared import Cm

            self._paragraph().paragraph_format.space_after = Cm(min(block.height_cm, 25))
        elif isinstance(block, PageBreak):
            self._word.add_page_break()

    def _write_paragraph(self, block: Paragraph) -> None:
        paragraph = self._paragraph()
        if block.style == "note":
            border = _insert(paragraph._p.get_or_add_pPr(), "pBdr")
            color = self._sheet.theme.accent.lstrip("#")
            for side in ("top", "left", "bottom", "right"):
                _insert(border, side, val="single", sz="6", space="4", color=color)
        is_label = block.style == "label"
        if is_label:  # on the same page as the next block
            paragraph.paragraph_format.keep_with_next = True
        self._runs(
            paragraph, block.text, bold=is_label, size=_SMALL if block.style == "small" else None
        )

    def _write_marked(self, mark: str, words: str) -> WordParagraph:
        from docx.shared import Cm

        paragraph = self._paragraph()
        paragraph.paragraph_format.left_indent = Cm(self._indent_cm + _INDENT_CM)
        paragraph.paragraph_format.first_line_indent = Cm(-_INDENT_CM)
        self._runs(paragraph, mark)
        paragraph.add_run("\t")
        self._runs(paragraph, words)
        return paragraph

    def _write_item(self, block: Item) -> None:
        blocks = list(block.blocks)
        first = ""
        if blocks and isinstance(blocks[0], Paragraph):
            first, blocks = blocks[0].text, blocks[1:]
        paragraph = self._write_marked(block.mark, first)
        paragraph.paragraph_format.keep_with_next = bool(blocks)
        if block.note:
            self._runs(paragraph, f"  {block.note}", size=_SMALL)
        self._indent_cm += _INDENT_CM
        self.write_all(blocks)
        self._indent_cm -= _INDENT_CM

    def _write_table(self, block: Table) -> None:
        from docx.shared import Cm

        table = self._word.add_table(1 + len(block.rows), len(block.header))
        table.style = self._word.styles["Table Grid"]
        room = _insert(table._tbl.tblPr, "tblCellMar")
        for side in ("top", "bottom"):  # between the letters and the rules
            _insert(room, side, w="70", type="dxa")
        if self._is_rtl:
            _insert(table._tbl.tblPr, "bidiVisual")
        lines: list[Sequence[Cell]] = [block.header, *block.rows]
        for number, row in enumerate(lines):
            for cell, value in zip(table.rows[number].cells, row, strict=True):
                cell.width = Cm(_WIDTH_CM / len(block.header))
                self._directed(cell.paragraphs[0])
                self._runs(cell.paragraphs[0], shown(value), bold=number == 0)
        _insert(table.rows[0]._tr.get_or_add_trPr(), "tblHeader")
        self._paragraph()  # space below; otherwise two adjacent tables would become one

    def _write_fields(self, block: Fields) -> None:
        width = (_WIDTH_CM - self._indent_cm) / len(block.labels)
        stops = [
            stop
            for at in range(1, len(block.labels) + 1)
            for stop in (at * width - 0.5, at * width)
        ]
        self._tab_line(stops[:-1], block.labels)

    def _tab_line(self, stops_cm: list[float], labels: Iterable[str] = ("",)) -> None:
        """Add a line of labels, each followed by a rule up to its tab stop; every second stop
        begins the next label."""
        from docx.enum.text import WD_TAB_LEADER
        from docx.shared import Cm, Pt

        paragraph = self._paragraph()
        paragraph.paragraph_format.space_before = Pt(8)
        for number, stop in enumerate(stops_cm):
            leader = WD_TAB_LEADER.SPACES if number % 2 else WD_TAB_LEADER.LINES
            paragraph.paragraph_format.tab_stops.add_tab_stop(Cm(stop), leader=leader)
        for number, label in enumerate(labels):
            if number:
                paragraph.add_run("\t")
            self._runs(paragraph, f"{label} " if label else "")
            paragraph.add_run("\t")


def _insert(parent: Any, name: str, **attributes: str) -> Any:
    """Add an element to a parent, or replace it, at its place in the schema."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(f"w:{name}")
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), value)
    present = parent.find(element.tag)
    if present is not None:
        parent.remove(present)
    order = _ORDER[parent.tag.rpartition("}")[2]].split()
    successors = {qn(f"w:{each}") for each in order[order.index(name) + 1 :]}
    at = next((n for n, each in enumerate(parent) if each.tag in successors), len(parent))
    parent.insert(at, element)
    return element
