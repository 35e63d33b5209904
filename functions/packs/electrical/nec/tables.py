"""Every table as rows with names, for look-ups, for people and for tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from packs.electrical.nec import stored
from packs.electrical.nec.editions import DEFAULT, MOVED, Edition, article
from packs.electrical.nec.figures import row_standing, standing
from packs.electrical.results import Words
from rollcall.core.errors import NotFound
from rollcall.core.wording import isolated

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
"""Where each table is stored, by the number that `editions.article` starts from."""

_PRINTED_AS_TABLES = FILES.keys() - {
    "240.4(D)",
    "Chapter 9 Table 8",
    "Chapter 9 Table 9",
    "C values",
}

_SHORT = {
    "310.15(B)(1)": "310.15(B)(1)(1)",  # as 2020 prints it
    "240.6": "240.6(A)",
    "8": "Chapter 9 Table 8",
    "9": "Chapter 9 Table 9",
    "C VALUE": "C values",
    "C VALUES": "C values",
}
_CHAPTER_9 = re.compile(r"(?:CHAPTER|CH\.?|פרק)\s*9,?\s*(?:TABLE|טבלה)?\s*([89])")
_WORD_BEFORE = re.compile(r"^(?:NEC|TABLE|TBL\.?|טבלה|SECTION|ARTICLE|§)\s*(?:20\d\d\s+)?")


@dataclass(frozen=True, slots=True)
class Column:
    """What stands in one column; `unit` is that of its numbers."""

    key: str
    name: Words
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row by column key. Not verified: checked against other editions only; `note` says."""

    values: dict[str, Any]
    verified: bool
    note: Words | None = None
    uncertain: tuple[str, ...] = ()
    """Columns whose cells alone were not checked."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as one edition has it.

    Attributes:
        key: The number that `FILES` has.
        number: Its number in the edition.
        rows: Of the edition, in order.
        verified: Whether every row was checked against the edition.
        note: What is known where not.
    """

    key: str
    number: str
    title: Words
    edition: Edition
    units: Words
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[Words, ...]
    sources: tuple[str, ...]
    verified: bool
    note: Words | None

    @property
    def label(self) -> str:
        """`Table 310.16`, `240.4(D)`, `Chapter 9 Table 8`."""
        return _label(self.key, self.edition)

    def with_rows(self, rows: list[TableRow], columns: list[Column]) -> Table:
        """The table with these rows and columns alone; its standing is theirs."""
        unsure = [row for row in rows if not row.verified]
        return replace(
            self,
            rows=tuple(rows),
            columns=tuple(columns),
            verified=not unsure,
            note=unsure[0].note if unsure else None,
        )


def table(number: str, edition: Edition = DEFAULT) -> Table:
    """The table of a number, in the numbering of any edition.

    Raises:
        NotFound: There is no such table here; the message lists those that are.
    """
    key = key_of(number)
    name = FILES[key]
    data = stored.load(name)
    rows = [row for row in stored.rows(name) if edition in row.editions]
    columns = tuple(
        Column(column["key"], Words(column["en"], column["he"]), column.get("unit"))
        for column in data["columns"]
    )
    listed = tuple(_row(name, columns, row, edition) for row in rows)
    unsure = next((row for row in listed if not row.verified), None)
    whole = standing(name, edition)
    return Table(
        key=key,
        number=article(key, edition),
        title=stored.words(data["title"]),
        edition=edition,
        units=stored.words(data["units"]),
        columns=columns,
        rows=listed,
        notes=tuple(stored.words(note) for note in data["notes"]),
        sources=tuple(data["sources"]),
        verified=unsure is None,
        note=(whole.note or unsure.note) if unsure else None,
    )


def unchecked(keys: Iterable[str], edition: Edition) -> Words | None:
    """What a calculation says of those of its tables that were not checked against an edition;
    None where all were.

    Args:
        keys: As `FILES` has them.
    """
    unsure = [key for key in keys if edition not in stored.load(FILES[key])["verified"]]
    if not unsure:
        return None
    listed = ", ".join(_label(key, edition) for key in dict.fromkeys(unsure))
    return Words(
        en=f"not checked against the {edition} edition: {listed}; the figures are those of an "
        "earlier one",
        he=f"לא נבדקו מול מהדורת {edition}: {isolated(listed)}; הערכים הם של מהדורה קודמת",
    )


def _label(key: str, edition: Edition) -> str:
    number = article(key, edition)
    return f"Table {number}" if key in _PRINTED_AS_TABLES else number


def key_of(number: str) -> str:
    """The number that `FILES` has for a table's number in any edition.

    Raises:
        NotFound: There is no such table here.
    """
    plain = " ".join(str(number).upper().split())
    if chapter := _CHAPTER_9.search(plain):
        return f"Chapter 9 Table {chapter[1]}"
    while (shorter := _WORD_BEFORE.sub("", plain)) != plain:
        plain = shorter
    plain = plain.replace(" (", "(").replace(") (", ")(")
    if plain.startswith("120."):
        plain = f"220{plain[3:]}"
    found = _numbers().get(plain.strip(" .,"))
    if found is None:
        listed = ", ".join(FILES)
        raise NotFound(f"there is no table {number!r} here; known: {listed}", field="table")
    return found


@cache
def _numbers() -> dict[str, str]:
    """Every number that a table is known by, in capitals, and its number in `FILES`."""
    known = {key.upper(): key for key in FILES}
    for numbers in MOVED:
        for key in FILES.keys() & set(numbers):
            known |= {each.upper(): key for each in numbers if each.upper() not in known}
    return known | _SHORT


def _row(name: str, columns: tuple[Column, ...], row: stored.Row, edition: Edition) -> TableRow:
    verified, note = row_standing(name, row, edition)
    values = {column.key: cell for column, cell in zip(columns, row.cells, strict=True)}
    if row.uncertain and verified:
        note = stored.words(stored.load(name)["unverified"])
        return TableRow(values, False, note, row.uncertain)
    return TableRow(values, verified, note)
