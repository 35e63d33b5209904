"""Panel schedules as a spreadsheet (xlsx), a sheet for each panel.

What people wrote goes into cells as text, whatever it begins with: "=1+1" is a description here
and no formula, also after somebody has edited the cell. A CSV that a spreadsheet saves of it has no
such mark: opened again, it may take that text for a formula.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from packs.electrical.projects.schedule import Position, Schedule, conductor
from packs.electrical.results import Words

_SIDE = (
    Words("No.", "מס'"),
    Words("Description", "תיאור"),
    Words("Conductor", "מוליך"),
    Words("Poles", "קטבים"),
    Words("Breaker, A", "מפסק, A"),
    Words("Load, VA", "עומס, VA"),
)
"""Of the left side; the right one has them the other way round, the phase between them."""

_PHASE = Words("Phase", "פאזה")
_TOTAL = Words("Total", 'סה"כ')
_NOTE = Words(
    "Loads are as connected, without demand factors; those of panels fed from here stand in their "
    "own schedules.",
    "העומסים הם העומסים המחוברים, ללא מקדמי ביקוש; עומסי לוחות המוזנים מכאן מופיעים בלוחות שלהם.",
)
_WIDTHS = (6, 34, 20, 8, 11, 11)
_SHEET_CHARS = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f]")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LIKE_A_FORMULA = re.compile(r"^[\s]*[=+\-@]|^[\t\r\n]")


def workbook(schedules: Sequence[Schedule], locale: str) -> bytes:
    """The file's content; sheets of a Hebrew reader run from right to left."""
    import xlsxwriter  # type: ignore[import-untyped]

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        names: list[str] = []
        for each in schedules:
            names.append(sheet_name(each.name, taken=names))
            _Sheet(book, book.add_worksheet(names[-1]), locale).write(each)
    return out.getvalue()


def sheet_name(name: str, *, taken: Sequence[str]) -> str:
    """A panel's name as a sheet may be called: at most 31 characters, none of `[]:*?/\\` and no
    control characters, no apostrophe at its ends, and no other sheet's."""
    plain = _cut(_FORBIDDEN.sub(" ", _NO_XML.sub(" ", name)).strip("' "), _SHEET_CHARS).strip("' ")
    if not plain or plain.casefold() == "history":  # a name that Excel keeps to itself
        plain = f"{plain} panel".strip()
    known = {each.casefold() for each in taken}
    found, count = plain, 1
    while found.casefold() in known:
        count += 1
        ending = f" ({count})"
        found = _cut(plain, _SHEET_CHARS - len(ending)) + ending
    return found


def _cut(text: str, most: int) -> str:
    """The beginning of a text, counted as spreadsheets do: in units of UTF-16."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


class _Sheet:
    """One sheet while it is written."""

    def __init__(self, book: Any, sheet: Any, locale: str) -> None:
        self._sheet = sheet
        self._locale = locale
        self._rtl = locale.startswith("he")
        side = {"align": "right" if self._rtl else "left"}
        self._text = book.add_format(side)
        self._quoted = book.add_format({**side, "quote_prefix": True})
        self._bold = book.add_format({**side, "bold": True})
        self._number = book.add_format({"num_format": "#,##0"})
        self._amps = book.add_format({"num_format": "#,##0.0"})

    def write(self, schedule: Schedule) -> None:
        """The header, the positions, the totals, a note."""
        if self._rtl:
            self._sheet.right_to_left()
        widths = (*_WIDTHS, 8, *reversed(_WIDTHS))
        for column, width in enumerate(widths):
            self._sheet.set_column(column, column, width)
        row = self._write_header(schedule)
        titles = (*_SIDE, _PHASE, *reversed(_SIDE))
        for column, words in enumerate(titles):
            self._sheet.write_string(row, column, words.say(self._locale), self._bold)
        self._sheet.freeze_panes(row + 1, 0)
        for line in schedule.rows:
            row += 1
            self._write_side(row, range(6), line.left)
            self._sheet.write_string(row, 6, line.phase, self._text)
            self._write_side(row, range(12, 6, -1), line.right)
        self._write_totals(row + 2, schedule)
        self._sheet.set_landscape()
        self._sheet.fit_to_pages(1, 0)

    def _write_header(self, schedule: Schedule) -> int:
        for row, (words, value) in enumerate(schedule.header):
            self._sheet.write_string(row, 0, words.say(self._locale), self._bold)
            self._write(row, 2, value)
        return len(schedule.header) + 1

    def _write_side(self, row: int, columns: range, position: Position | None) -> None:
        if position is None:
            return
        circuit = position.circuit if position.is_first else None
        told: list[Any] = [position.number, None, None, None, None, position.va]
        if circuit is not None:
            poles, amps = circuit.poles, circuit.breaker_amps
            told[1:5] = [circuit.description, conductor(circuit), poles, amps]
        for column, value in zip(columns, told, strict=True):
            self._write(row, column, value)

    def _write_totals(self, row: int, schedule: Schedule) -> None:
        titles = (_TOTAL.say(self._locale), "VA", "A")
        for column, title in zip((1, 5, 7), titles, strict=True):
            self._sheet.write_string(row, column, title, self._bold)
        for phase, va in schedule.totals_va.items():
            row += 1
            self._sheet.write_string(row, 1, phase, self._text)
            self._sheet.write_number(row, 5, va, self._number)
            self._sheet.write_number(row, 7, schedule.totals_amps[phase], self._amps)
        row += 1
        self._sheet.write_string(row, 1, _TOTAL.say(self._locale), self._bold)
        self._sheet.write_number(row, 5, schedule.total_va, self._number)
        self._sheet.write_string(row + 1, 0, _NOTE.say(self._locale), self._text)

    def _write(self, row: int, column: int, value: str | float | None) -> None:
        if isinstance(value, str):
            how = self._quoted if _LIKE_A_FORMULA.match(value) else self._text
            self._sheet.write_string(row, column, _NO_XML.sub("\ufffd", value), how)
        elif value is not None:
            self._sheet.write_number(row, column, value, self._number)
