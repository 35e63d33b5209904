"""The capability `lookup_nec_table`: a figure in a table of the NEC, or the whole table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec.structs import replace
from pydantic import Field

from packs.electrical.nec import tables
from packs.electrical.nec.conductors import label, parse_material, parse_size
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.lookup import (
    MOTOR_TABLES,
    assumes_three_phase,
    has_sizes,
    motor_kind,
    parse_query,
    select,
)
from packs.electrical.nec.tables import Column, Table, TableRow
from packs.electrical.results import CalculationResult, CodeReference, finish
from packs.electrical.wording import TEXTS, invalid, number
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, NotFound
from rollcall.core.shapes import Display, Wire

T = TypeVar("T")
MAX_ROWS_IN_ANSWER = 4


class TableColumn(Wire):
    """A column: its key in each row, its name, and the unit of its numbers."""

    key: str
    name: str
    unit: str | None = None


class NecTable(CalculationResult):
    """The result of lookup_nec_table.

    Attributes:
        table: The table's number in the requested edition.
        units: The units of the cells.
        rows: By column key; `verified` says whether the row was checked against the edition, and
            `note` what is known where it was not.
        total_rows: The number of rows of the table in this edition.
        verified: Whether all returned rows were checked against the edition.
        sources: The sources of the figures.
    """

    table: str
    title: str
    edition: Edition
    units: str
    columns: list[TableColumn]
    rows: list[dict[str, Any]]
    total_rows: int
    verified: bool
    notes: list[str]
    sources: list[str]


@capability(related=["search_nec"])
def lookup_nec_table(
    ctx: ToolContext,
    *,
    table: Annotated[str, Field(max_length=200)] | None = None,
    edition: Edition | None = None,
    query: Annotated[str, Field(max_length=500)] | None = None,
    size: Annotated[str, Field(max_length=40)] | None = None,
    material: Annotated[str, Field(max_length=40)] | None = None,
    temperature_rating: Literal[60, 75, 90] | None = None,
    value: Annotated[float, Field(ge=0, le=1_000_000)] | None = None,
    row: Annotated[str, Field(max_length=100)] | None = None,
) -> NecTable:
    """Look up a figure in a table of the NEC, or show the whole table. There are ampacity (310.16),
    grounding (250.66, 250.122), demand (220.12, 220.42, 220.54, 220.55), motors (430.52, 430.248,
    430.250), standard ratings (240.6(A)), correction and adjustment (310.15), conductor properties
    (Chapter 9 Tables 8 and 9). For a figure alone, not for a calculation on a project.

    Args:
        table: The table's number in any edition, such as "310.16", "310.15(B)(16)", "Chapter 9
            Table 8". May be left out where `query` says what it is about.
        edition: The NEC's edition; without one, that of `query`, else 2023. What was not checked
            against it is marked so.
        query: The question in the user's words, such as "EGC for a 100 A breaker"; what the other
            arguments leave out is read from it.
        size: Conductor size, such as "12", "2/0" or "250 kcmil".
        material: Of the conductor, copper (Cu) or aluminum (Al).
        temperature_rating: Column of the table, °C.
        value: What the table is entered by: the overcurrent device's amperes (250.122, 240.6),
            ambient °C (310.15(B)), how many conductors (310.15(C)), dryers (220.54) or cooking
            appliances (220.55), horsepower (430.248, 430.250).
        row: A row by name: an occupancy such as "office", or a kind of motor such as "design B".

    Raises:
        NotFound: There is no such table here; the message lists those there are.
        InvalidArgument: Neither `table` nor `query` names a table, or it has no such row.
    """
    question = " ".join(text for text in (table, query) if text)
    request = parse_query(question, table=_key(table))
    key = request.table
    if key is None:
        raise invalid("table", "which_table", known=", ".join(tables.FILES))
    if value is not None and key.startswith(f"{value:g}") and not float(value).is_integer():
        value = None  # the table's own number, as 250.66 in "table 250.66"
    whole = tables.table(key, edition or request.edition or DEFAULT)
    if size is None and request.size is None and has_sizes(whole):
        size = request.area
    if key == "250.66" and request.in_parallel and size is None:
        raise invalid("size", "parallel_by_area")
    kind = motor_kind(f"{question} {row or ''}")
    if key in MOTOR_TABLES and kind in ("synchronous", "dc"):
        raise invalid("query" if row is None else "row", "no_motor_column", table=whole.number)
    request = replace(
        request,
        size=_parsed(parse_size, size, "size") or request.size,
        material=_parsed(parse_material, material, "material") or request.material,
        rating=temperature_rating or request.rating,
        value=request.value if value is None else value,
        row=row or request.row,
    )
    if request.value == request.rating:
        request = replace(request, value=None)  # "at 75 °C" names a column, not a row
    part, unused = select(whole, request)
    locale = ctx.locale
    warnings = _warnings(locale, part, unused, three_phase=assumes_three_phase(question, key))
    rods = TEXTS.say(locale, "nec.lookup.rod") if request.to_rod and key == "250.66" else ""
    rating = request.value if part.key == "240.6(A)" and not request.above else None
    result = NecTable(
        table=part.number,
        title=part.title.say(locale),
        edition=part.edition,
        units=part.units.say(locale),
        columns=[
            TableColumn(key=column.key, name=column.name.say(locale), unit=column.unit)
            for column in part.columns
        ],
        rows=[
            {**each.values, "verified": each.note is None}
            | ({"note": each.note.say(locale)} if each.note else {})
            for each in part.rows
        ],
        total_rows=len(whole.rows),
        verified=part.note is None,
        answer=" ".join(filter(None, (rods, _answer(locale, part, rating)))),
        notes=[note.say(locale) for note in part.notes],
        sources=list(part.sources),
        warnings=warnings,
        citations=_citations(locale, part),
    )
    return finish(ctx, result, _display(locale, part))


def _key(table: str | None) -> str | None:
    """The key of the table that the argument names, by number or in words; None without one."""
    if not table:
        return None
    try:
        return tables.key_of(table)
    except NotFound:
        key = parse_query(table).table
        if key is None:
            raise
        return key


def _parsed(parse: Callable[[str], T], text: str | None, field: str) -> T | None:
    if text is None:
        return None
    try:
        return parse(text)
    except InvalidArgument as error:
        raise InvalidArgument(error.text, field=field) from error


def _warnings(locale: str, table: Table, unused: Sequence[str], *, three_phase: bool) -> list[str]:
    """The arguments that the table has no use for, an assumed three-phase motor, and its note."""
    warnings = [
        TEXTS.say(
            locale,
            "nec.lookup.unused",
            table=_label(locale, table),
            name=TEXTS.say(locale, "nec.lookup.isolated", text=name),
        )
        for name in unused
    ]
    if three_phase:
        warnings.append(TEXTS.say(locale, "nec.lookup.three_phase"))
    if table.note:
        warnings.append(table.note.say(locale))
    return warnings


def _citations(locale: str, table: Table) -> tuple[CodeReference, ...]:
    if table.key == "C values":
        return ()  # a manufacturer's table, not the NEC's
    article, _, chapter_9 = table.number.partition(" Table ")
    is_table = table.label.startswith("Table ")
    reference = CodeReference(
        edition=table.edition,
        article=article,
        table=chapter_9 or (table.number if is_table else None),
        title=table.title.say(locale),
    )
    return (reference,)


def _answer(locale: str, table: Table, amps: float | None) -> str:
    """The rows, or their number where they are many, and a note on unverified ones.

    Args:
        amps: The rating to look up in Table 240.6(A): the answer says first whether it is standard.
    """
    if len(table.rows) <= MAX_ROWS_IN_ANSWER:
        rows = ". ".join(_row(locale, table, row) for row in table.rows)
    else:
        rows = TEXTS.say(locale, "nec.lookup.rows", rows=len(table.rows))
    place = _label(locale, table)
    if table.key != "C values":
        place = TEXTS.say(locale, "nec.lookup.place", edition=table.edition, table=place)
    if amps is not None:
        values = table.rows[0].values
        ratings = {"asked": f"{number(amps)} A", "next": f"{number(values['ratingAmps'])} A"}
        if values["ratingAmps"] != amps:
            rows = f"{TEXTS.say(locale, 'nec.lookup.next_standard', **ratings)}. {rows}"
        elif values["device"] == "fuse":
            rows = f"{TEXTS.say(locale, 'nec.lookup.fuse_rating', **ratings)}. {rows}"
    return f"{place}: {rows}." + (f" {table.note.say(locale)}" if table.note else "")


def _label(locale: str, table: Table) -> str:
    """`Table 310.16`, in the locale's language."""
    if table.label.startswith("Table "):
        return TEXTS.say(locale, "nec.lookup.table", number=table.number)
    return TEXTS.say(locale, "nec.lookup.isolated", text=table.label)


def _row(locale: str, table: Table, row: TableRow) -> str:
    """`Size: AWG 4; Aluminum, 75 °C: 65 A`."""
    parts = []
    for column in _shown_columns(locale, table):
        if row.values[column.key] is not None:
            cell = str(_cell(locale, column, row))
            text = f"{cell} {column.unit}" if column.unit else cell
            value = TEXTS.say(locale, "nec.lookup.isolated", text=text)
            parts.append(f"{column.name.say(locale)}: {value}")
    return "; ".join(parts)


def _display(locale: str, table: Table) -> Display:
    """The rows under the names of their columns, with a column for verified ones if not all are."""
    columns = {}
    for column in _shown_columns(locale, table):
        name = column.name.say(locale)
        columns[f"{name} ({column.unit})" if column.unit else name] = column
    rows = [
        {heading: _cell(locale, column, row) for heading, column in columns.items()}
        for row in table.rows
    ]
    headings = list(columns)
    if table.note:
        heading = TEXTS.say(locale, "nec.lookup.verified")
        headings.append(heading)
        for cells, row in zip(rows, table.rows, strict=True):
            cells[heading] = TEXTS.say(locale, f"nec.lookup.{'no' if row.note else 'yes'}")
    title = table.title.say(locale)
    if table.key != "C values":
        title = f"NEC {table.edition} {table.label}: {title}"
    return Display(type="table", title=title, columns=headings, rows=rows)


def _shown_columns(locale: str, table: Table) -> list[Column]:
    """The columns for people: names in their language instead of keys."""
    names = {column.key for column in table.columns} & {"nameEn", "nameHe"}
    if not names:
        return list(table.columns)
    hidden = {"occupancy", "motor"} | names - {TEXTS.say(locale, "nec.lookup.name_column")}
    return [column for column in table.columns if column.key not in hidden]


def _cell(locale: str, column: Column, row: TableRow) -> Any:
    """`65`, `AWG 4`, `250 kcmil`, `breaker or fuse`."""
    value = row.values[column.key]
    if value is None:
        return "—"
    if column.key == "device":
        return TEXTS.say(locale, f"nec.lookup.devices.{value}")
    if column.is_size:
        return label(value)
    return value
