"""Renders tables as spreadsheets (xlsx) and CSV.

A text stays a text in its cell, whatever it begins with. In an xlsx file no cell becomes a formula,
even after it is edited; in CSV, which has no types, a text that a spreadsheet would interpret as a
formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv as csv_format
import io
import re
from collections.abc import Sequence
from typing import Any

from rollcall.core.extras import require_extra
from rollcall.render.bidi import cleaned, isolated, runs
from rollcall.render.sheet import Cell, Direction, Heading, Paragraph, Sheet, Table

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv"
_SHEET_CHARS = 31
_CELL_CHARS = 32_767
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f]")
_LIKE_A_FORMULA = re.compile(r"^\s*[=+\-@]|^[\t\r\n]")
_MIN_WIDTH, _MAX_WIDTH = 8, 50


def xlsx(sheets: Sequence[Sheet]) -> bytes:
    """Return a workbook with a worksheet for each sheet. Headings and paragraphs become rows;
    blocks other than these and tables are left out.

    Raises:
        FailedPrecondition: The extra [spreadsheets] is not installed.
    """
    require_extra("xlsxwriter", "spreadsheets", purpose="making spreadsheets")
    import xlsxwriter  # type: ignore[import-untyped]

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        names: list[str] = []
        for each in sheets:
            names.append(sheet_name(each.title, taken=names))
            _write(book, book.add_worksheet(names[-1]), each)
    return out.getvalue()


def csv(table: Table) -> bytes:
    """Return a table as CSV, with a byte order mark that identifies it as UTF-8 to spreadsheets,
    and without isolates."""
    out = io.StringIO(newline="")
    writer = csv_format.writer(out)
    writer.writerow([_csv_cell(each) for each in table.header])
    for row in table.rows:
        writer.writerow([_csv_cell(each) for each in row])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def sheet_name(name: str, *, taken: Sequence[str]) -> str:
    """Return a title as a valid name of a worksheet: at most 31 characters, none of `[]:*?/\\` and
    no control characters, no apostrophe at its ends, and different from the names in `taken`."""
    plain = _cut(_NOT_IN_NAMES.sub(" ", cleaned(name)).strip("' "), _SHEET_CHARS).strip("' ")
    if not plain or plain.casefold() == "history":  # a name that Excel reserves
        plain = f"{plain} 1".strip()
    known = {each.casefold() for each in taken}
    unique, count = plain, 1
    while unique.casefold() in known:
        count += 1
        ending = f" ({count})"
        unique = _cut(plain, _SHEET_CHARS - len(ending)) + ending
    return unique


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, counted in units of UTF-16 as spreadsheets do."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


def _csv_cell(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = cleaned(cell)
    return f"'{text}" if _LIKE_A_FORMULA.match(text) else text


def _write(book: Any, page: Any, sheet: Sheet) -> None:
    is_rtl = sheet.direction == "rtl"
    side = {"align": "right" if is_rtl else "left", "reading_order": 2 if is_rtl else 1}
    plain = book.add_format({**side, "text_wrap": True, "valign": "top"})
    quoted = book.add_format({**side, "text_wrap": True, "valign": "top", "quote_prefix": True})
    bold = book.add_format({**side, "bold": True})
    if is_rtl:
        page.right_to_left()
    page.set_landscape()
    page.fit_to_pages(1, 0)
    row, tables = 0, 0
    widths: dict[int, int] = {}
    for block in sheet.blocks:
        if isinstance(block, Heading | Paragraph):
            page.write_string(row, 0, _cell_text(block.text, sheet.direction), bold)
            row += 1
        if not isinstance(block, Table):
            continue
        for column, title in enumerate(block.header):
            page.write_string(row, column, _cell_text(title, sheet.direction), bold)
            widths[column] = max(widths.get(column, _MIN_WIDTH), len(title) + 2)
        tables += 1
        if tables == 1:
            page.freeze_panes(row + 1, 0)
        for cells in block.rows:
            row += 1
            for column, value in enumerate(cells):
                if isinstance(value, str):
                    how = quoted if _LIKE_A_FORMULA.match(value) else plain
                    page.write_string(row, column, _cell_text(value, sheet.direction), how)
                    widths[column] = max(widths.get(column, _MIN_WIDTH), len(value) + 2)
                elif value is not None:
                    page.write_number(row, column, value)
        row += 2
    for column, width in widths.items():
        page.set_column(column, column, min(width, _MAX_WIDTH))


def _cell_text(text: str, direction: Direction) -> str:
    """Return a cell's text, isolated if it has parts of both directions; a single name or word
    stays unchanged."""
    parts = runs(text, direction)
    is_mixed = not _LIKE_A_FORMULA.match(text) and (
        len(parts) > 1 or any(each.isolated and " " in each.text for each in parts)
    )
    return _cut(isolated(text, direction) if is_mixed else cleaned(text), _CELL_CHARS)
