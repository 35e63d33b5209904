"""A table, or the part of it that is asked for, as people read it."""

from __future__ import annotations

from typing import Any

from packs.electrical.nec.sizes import label
from packs.electrical.nec.tables import Column, Table, TableRow
from packs.electrical.results import Words, number
from rollcall.core.shapes import Display
from rollcall.core.wording import isolated, say

_SIZES = {
    "250.122": ("copper", "aluminum"),
    "250.66": ("copperServiceMax", "aluminumServiceMax", "copper", "aluminum"),
}
"""Columns of conductor sizes, beside those called `size`."""

_DEVICES = {
    "breaker_or_fuse": Words(en="breaker or fuse", he="מפסק או נתיך"),
    "fuse": Words(en="fuse", he="נתיך"),
}
"""Those of Table 240.6(A)."""

_ROWS_TOLD = 4
"""A sentence has room for as many rows."""


def table_label(locale: str, table: Table) -> str:
    """`Table 310.16`, in the locale's language."""
    if not locale.startswith("he"):
        return table.label
    is_table = table.label.startswith("Table ")
    return f"טבלה {isolated(table.number)}" if is_table else isolated(table.label)


def answer(locale: str, table: Table, *, amps: float | None = None) -> str:
    """The few rows that are meant, or how many there are; and what is not verified.

    Args:
        amps: The rating that Table 240.6(A) was asked for: whether it is one is said first.
    """
    if len(table.rows) <= _ROWS_TOLD:
        said = ". ".join(_told(locale, table, row) for row in table.rows)
    else:
        said = say(
            locale,
            en="{title}, {rows} rows",
            he="{title}, {rows} שורות",
            title=table.title.say(locale),
            rows=str(len(table.rows)),
        )
    where = table_label(locale, table)
    if table.key != "C values":
        where = say(
            locale,
            en="NEC {edition} {table}",
            he="{table} במהדורת {edition}",
            edition=str(table.edition),
            table=where,
        )
    standard = None if amps is None else _of_standard(amps, table.rows[0].values)
    if standard is not None:
        said = f"{standard.say(locale)}. {said}"
    return f"{where}: {said}." + (f" {table.note.say(locale)}" if table.note else "")


def _of_standard(amps: float, found: dict[str, Any]) -> Words | None:
    """What the rating that was found does not say by itself of the one asked for."""
    asked = f"{number(amps)} A"
    if found["ratingAmps"] != amps:
        following = f"{number(found['ratingAmps'])} A"
        return Words(
            en=f"{asked} is no standard rating; the next is {following}",
            he=f"{isolated(asked)} אינו זרם נקוב תקני; הבא הוא {isolated(following)}",
        )
    if found["device"] == "fuse":
        return Words(
            en=f"{asked} is a standard rating of fuses, not of breakers",
            he=f"{isolated(asked)} הוא זרם נקוב תקני לנתיכים, ולא למפסקים",
        )
    return None


def _told(locale: str, table: Table, row: TableRow) -> str:
    return "; ".join(
        f"{column.name.say(locale)}: {_isolated(locale, cell(locale, table, column, row.values))}"
        for column in shown(locale, table)
        if row.values[column.key] is not None
    )


def display(locale: str, table: Table) -> Display:
    """The rows under the names of their columns; one more says which are verified, if not all."""
    columns = [(_heading(locale, column), column) for column in shown(locale, table)]
    rows = [
        {heading: _bare(locale, table, column, row.values) for heading, column in columns}
        for row in table.rows
    ]
    headings = [heading for heading, _ in columns]
    if not table.verified:
        heading = say(locale, en="Verified", he="אומת")
        yes, no = say(locale, en="yes", he="כן"), say(locale, en="no", he="לא")
        headings.append(heading)
        for cells, row in zip(rows, table.rows, strict=True):
            cells[heading] = yes if row.verified else no
    title = table.title.say(locale)
    if table.key != "C values":
        title = f"NEC {table.edition} {table.label}: {title}"
    return Display(type="table", title=title, columns=headings, rows=rows)


def shown(locale: str, table: Table) -> list[Column]:
    """The columns that a person reads: names in their language, and no keys beside them."""
    named = {column.key for column in table.columns} & {"nameEn", "nameHe"}
    hidden = {"occupancy", "motor", "nameEn" if locale.startswith("he") else "nameHe"}
    return [each for each in table.columns if not (named and each.key in hidden)]


def cell(locale: str, table: Table, column: Column, values: dict[str, Any]) -> str:
    """`65 A`, `AWG 4`, `250 kcmil`."""
    value = _bare(locale, table, column, values)
    return f"{value} {column.unit}" if column.unit else str(value)


def _bare(locale: str, table: Table, column: Column, values: dict[str, Any]) -> Any:
    value = values[column.key]
    if value is None:
        return "—"
    if column.key == "device":
        return _DEVICES[value].say(locale)
    if column.key == "size" or column.key in _SIZES.get(table.key, ()):
        return label(value)
    return value


def _heading(locale: str, column: Column) -> str:
    name = column.name.say(locale)
    return f"{name} ({column.unit})" if column.unit else name


def _isolated(locale: str, text: str) -> str:
    return isolated(text) if locale.startswith("he") else text
