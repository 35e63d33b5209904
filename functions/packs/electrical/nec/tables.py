"""The tables of the NEC as data: rows by edition, with what was checked against which edition.

A file of `data/` is read when it is first needed. It has `{table, verified, entry?, columns, rows,
sources}`; its texts are in `texts/<language>.json` under `nec.tables`. `entry` is what the table is
entered by, `{quantity, upTo?, range?}`, with the column of each row's upper bound, or the name of
the two with its range. A row is a list of cells in the order of `columns`, or `{cells, editions?,
verified?, uncertain?, note?}` where it stands in some editions only, was checked against fewer
(`note` names a text), or has single cells that were not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.nec.editions import DEFAULT, EDITIONS, MOVED, Edition, article
from packs.electrical.wording import TEXTS, pattern
from rollcall.core.errors import NotFound
from rollcall.core.texts import Text

FILES: dict[str, str] = {
    "310.16": "310_16",
    "310.15(B)(1)(1)": "310_15_b_1_1",
    "310.15(C)(1)": "310_15_c_1",
    "240.4(D)": "240_4_d",
    "240.6(A)": "240_6_a",
    "250.66": "250_66",
    "250.122": "250_122",
    "220.12": "220_12",
    "220.42": "220_42",
    "220.44": "220_44",
    "220.54": "220_54",
    "220.55": "220_55",
    "430.52": "430_52",
    "430.248": "430_248",
    "430.250": "430_250",
    "Chapter 9 Table 8": "chapter_9_table_8",
    "Chapter 9 Table 9": "chapter_9_table_9",
    "C values": "c_values",
}
"""The file of each table, by the number that `editions.article` starts from."""

_NOT_PRINTED_AS_TABLES = {"240.4(D)", "Chapter 9 Table 8", "Chapter 9 Table 9", "C values"}
_SHORT_NUMBERS = {
    "310.15(B)(1)": "310.15(B)(1)(1)",  # as 2020 prints it
    "240.6": "240.6(A)",
    "8": "Chapter 9 Table 8",
    "9": "Chapter 9 Table 9",
    "C VALUE": "C values",
    "C VALUES": "C values",
}
_DATA = Path(__file__).with_name("data")


class Figure(Struct, frozen=True):
    """A value that differs by edition. One that was not checked is used only with its note."""

    value: float
    note: Text | None = None


# Rows without names, for calculations


class Row(Struct, frozen=True):
    """One row: its cells, the editions that have it and those it was checked against."""

    cells: tuple[Any, ...]
    editions: tuple[int, ...]
    verified: tuple[int, ...]
    uncertain: tuple[str, ...] = ()
    note: Text | None = None


@cache
def load(name: str) -> dict[str, Any]:
    """Return the content of `data/<name>.json`."""
    content: dict[str, Any] = json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    return content


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Return all rows of a table, in order, of every edition."""
    table, read = load(name), []
    for row in table["rows"]:
        if isinstance(row, list):
            row = {"cells": row}
        editions = tuple(row.get("editions", EDITIONS))
        verified = tuple(
            year for year in row.get("verified", table["verified"]) if year in editions
        )
        note = _text(name, row["note"]) if "note" in row else None
        uncertain = tuple(row.get("uncertain", ()))
        read.append(Row(tuple(row["cells"]), editions, verified, uncertain, note))
    return tuple(read)


def cells(name: str, edition: Edition | None = None) -> Iterator[tuple[Any, ...]]:
    """Return the cells of the rows that an edition has; of all rows without one."""
    return (row.cells for row in rows(name) if edition is None or edition in row.editions)


def table_note(name: str, edition: Edition) -> Text | None:
    """Return what is known of a table that was not checked against an edition; None if it was.

    Args:
        name: Of its file in `data/`.
    """
    verified = tuple(load(name)["verified"])
    return None if edition in verified else _unchecked_note(name, verified, edition)


def row_note(name: str, row: Row, edition: Edition) -> Text | None:
    """Return the note on a row that was not checked against an edition; None if it was."""
    if edition in row.verified:
        return None
    return row.note or _unchecked_note(name, row.verified, edition)


def unverified_note(name: str) -> Text:
    """Return the note on the cells of a table that could not be checked."""
    return _text(name, "unverified")


def unchecked(keys: Iterable[str], edition: Edition) -> Text | None:
    """Return a warning that names the tables that were not checked against an edition; None where
    all were.

    Args:
        keys: Numbers of `FILES`.
    """
    unsure = [key for key in keys if edition not in load(FILES[key])["verified"]]
    if not unsure:
        return None
    listed = ", ".join(_label(key, edition) for key in dict.fromkeys(unsure))
    return TEXTS.text("nec.unchecked_tables", edition=edition, tables=listed)


def _text(name: str, key: str) -> Text:
    return TEXTS.text(f"nec.tables.{name}.{key}")


def _unchecked_note(name: str, verified: tuple[int, ...], edition: Edition) -> Text:
    if TEXTS.find("en", f"nec.tables.{name}.unverified"):
        return unverified_note(name)
    years = ", ".join(str(year) for year in verified)
    number = article(load(name)["table"], edition)
    return TEXTS.text("nec.unchecked_table", table=number, edition=edition, years=years)


# Rows with names, for people


class Column(Struct, frozen=True):
    """One column; `unit` is that of its numbers. `is_size` is set where it has sizes of
    conductors."""

    key: str
    name: Text
    unit: str | None = None
    is_size: bool = False


class TableRow(Struct, frozen=True):
    """One row by column key. Where it was not checked against the edition, `note` says so."""

    values: dict[str, Any]
    note: Text | None = None
    uncertain: tuple[str, ...] = ()
    """Columns whose cells alone were not checked."""


class Table(Struct, frozen=True):
    """A table as one edition has it.

    Attributes:
        key: Its number in `FILES`.
        number: Its number in the edition.
        rows: Of the edition, in order.
        note: The note on rows that were not checked against the edition; None if all were.
    """

    key: str
    number: str
    title: Text
    edition: Edition
    units: Text
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[Text, ...]
    sources: tuple[str, ...]
    note: Text | None

    @property
    def label(self) -> str:
        """`Table 310.16`, `240.4(D)`, `Chapter 9 Table 8`."""
        return _label(self.key, self.edition)

    def with_rows(self, rows: list[TableRow], columns: list[Column]) -> Table:
        """Return the table with these rows and columns alone, and with their note."""
        note = next((row.note for row in rows if row.note), None)
        return replace(self, rows=tuple(rows), columns=tuple(columns), note=note)


def table(number: str, edition: Edition = DEFAULT) -> Table:
    """Return the table of a number, in the numbering of any edition.

    Raises:
        NotFound: There is no such table here; the message lists those that are.
    """
    key = key_of(number)
    name = FILES[key]
    data = load(name)
    columns = tuple(
        Column(
            column["key"],
            _text(name, f"columns.{column['key']}"),
            column.get("unit"),
            column.get("isSize", column["key"] == "size"),
        )
        for column in data["columns"]
    )
    listed = []
    for row in rows(name):
        if edition in row.editions:
            note = row_note(name, row, edition)
            values = dict(zip((column.key for column in columns), row.cells, strict=True))
            if row.uncertain and note is None:
                listed.append(TableRow(values, unverified_note(name), row.uncertain))
            else:
                listed.append(TableRow(values, note))
    unsure = next((row.note for row in listed if row.note), None)
    notes = TEXTS.data("en", f"nec.tables.{name}.notes")
    return Table(
        key=key,
        number=article(key, edition),
        title=_text(name, "title"),
        edition=edition,
        units=_text(name, "units"),
        columns=columns,
        rows=tuple(listed),
        notes=tuple(_text(name, f"notes.{note}") for note in notes),
        sources=tuple(data["sources"]),
        note=unsure and (table_note(name, edition) or unsure),
    )


def _label(key: str, edition: Edition) -> str:
    number = article(key, edition)
    return number if key in _NOT_PRINTED_AS_TABLES else f"Table {number}"


def key_of(number: str) -> str:
    """Return the number in `FILES` of a table's number in any edition.

    Raises:
        NotFound: There is no such table here.
    """
    plain = " ".join(str(number).upper().split())
    if chapter := re.search(rf"(?:{pattern('nec.cues.chapter_9')})\s*([89])", plain, re.IGNORECASE):
        return f"Chapter 9 Table {chapter[1]}"
    before = rf"^(?:{pattern('nec.cues.before_number')})\s*(?:20\d\d\s+)?"
    while (shorter := re.sub(before, "", plain, flags=re.IGNORECASE)) != plain:
        plain = shorter
    plain = plain.replace(" (", "(").replace(") (", ")(")
    if plain.startswith("120."):
        plain = f"220{plain[3:]}"
    key = _numbers().get(plain.strip(" .,"))
    if key is None:
        listed = ", ".join(FILES)
        raise NotFound(
            TEXTS.text("errors.no_such_table", number=number, listed=listed), field="table"
        )
    return key


@cache
def _numbers() -> dict[str, str]:
    """Every number that a table is known by, in capitals, and its number in `FILES`."""
    known = {key.upper(): key for key in FILES}
    for numbers in MOVED:
        for key in FILES.keys() & set(numbers):
            known |= {each.upper(): key for each in numbers if each.upper() not in known}
    return known | _SHORT_NUMBERS
