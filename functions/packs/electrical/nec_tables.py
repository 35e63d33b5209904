"""Look up a table of the NEC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from packs.electrical.nec import tables
from packs.electrical.nec.asked import Asked, is_three_phase_assumed, read
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.matching import matching
from packs.electrical.nec.sizes import parse_material, parse_size
from packs.electrical.nec.tables import Table, TableRow
from packs.electrical.nec.telling import answer, display, table_label
from packs.electrical.results import CalculationResult, CodeReference, Words, finish
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, NotFound
from rollcall.core.shapes import Wire
from rollcall.core.wording import isolated, say

T = TypeVar("T")


class TableColumn(Wire):
    """A column: its key in each row, its name, and the unit of its numbers."""

    key: str
    name: str
    unit: str | None = None


class NecTable(CalculationResult):
    """What lookup_nec_table returns.

    Attributes:
        table: The table's number in the edition asked for.
        units: What the cells are in.
        rows: By column key; `verified` says whether the row was checked against the edition, and
            `note` what is known where it was not.
        total_rows: How many the table has in this edition.
        verified: Whether all rows given were checked against the edition.
        sources: Where the figures were compared.
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


@capability(
    name={"en": "Look up an NEC table", "he": "חיפוש בטבלת NEC"},
    category="electrical",
    keywords=[
        "NEC table",
        "table 310.16",
        "table 250.122",
        "table 250.66",
        "table 220.55",
        "table 430.52",
        "ampacity",
        "ampacity of a conductor",
        "which equipment grounding conductor",
        "EGC size",
        "grounding electrode conductor size",
        "demand factor",
        "standard breaker sizes",
        "full-load current of a motor",
        "motor FLC",
        "conductor resistance",
        "temperature correction factor",
        "adjustment factor for bundling",
        "טבלה",
        "טבלת NEC",
        "העמסה מותרת של מוליך",
        "כושר הולכה",
        "איזה מוליך הארקה",
        "חתך מוליך הארקה",
        "מקדם ביקוש",
        "מפסק תקני",
        "זרם מנוע",
        "זרם עומס מלא",
        "התנגדות מוליך",
        "מקדם תיקון טמפרטורה",
        "GEC",
        "גודל מוליך הארקה",
        "מוליך הארקה למפסק",
        "GEC size",
        "size GEC",
        "what size GEC",
        "what size EGC",
        "אמפסיטי",
    ],
    examples=[
        {
            "userRequest": "What is the ampacity of 4 AWG aluminum at 75 °C?",
            "parameters": {
                "table": "310.16",
                "size": "4",
                "material": "aluminum",
                "temperatureRating": 75,
            },
        },
        {
            "userRequest": "Which EGC goes with a 100 A breaker?",
            "parameters": {"table": "250.122", "value": 100},
        },
        {
            "userRequest": "Table 250.66 for a 2/0 copper service",
            "parameters": {"table": "250.66", "size": "2/0", "material": "copper"},
        },
        {
            "userRequest": "Show Table 220.55 of the 2017 edition",
            "parameters": {"table": "220.55", "edition": 2017},
        },
        {
            "userRequest": "מה כושר ההולכה של AWG 4 אלומיניום ב-75 מעלות?",
            "parameters": {
                "table": "310.16",
                "size": "4",
                "material": "aluminum",
                "temperatureRating": 75,
            },
        },
        {
            "userRequest": "איזה מוליך הארקה נדרש למפסק של 100 אמפר?",
            "parameters": {"query": "מוליך הארקה למפסק של 100 אמפר"},
        },
    ],
    related=["search_nec"],
)
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
    key, asked = _read(table, query)
    asked = replace(
        asked,
        size=_parsed(parse_size, size, "size") or asked.size,
        material=_parsed(parse_material, material, "material") or asked.material,
        rating=temperature_rating or asked.rating,
        value=asked.value if value is None or _is_number_of(key, value) else value,
        row=row or asked.row,
    )
    if asked.value == asked.rating:
        asked = replace(asked, value=None)  # "at 75 °C" names the column and enters nothing
    whole = tables.table(key, edition or asked.edition or DEFAULT)
    part, unused = matching(whole, asked)
    rating = asked.value if part.key == "240.6(A)" and not asked.above else None
    warnings = [_unused(ctx.locale, part, name) for name in unused]
    if is_three_phase_assumed(" ".join(text for text in (table, query) if text), key):
        warnings.append(_THREE_PHASE.say(ctx.locale))
    result = _result(ctx.locale, part, len(whole.rows), warnings, rating)
    return finish(ctx, result, display(ctx.locale, part))


def _read(table: str | None, query: str | None) -> tuple[str, Asked]:
    """The table that is meant, and what the texts say beside it."""
    text = " ".join(part for part in (table, query) if part)
    key: str | None = None
    if table:
        try:
            key = tables.key_of(table)
        except NotFound:
            key = read(table).table
            if key is None:
                raise
    found = read(text, table=key)
    if found.table is None:
        raise InvalidArgument(
            f"name a table, such as 310.16; known: {', '.join(tables.FILES)}", field="table"
        )
    return found.table, found


def _is_number_of(table: str, value: float) -> bool:
    """Whether a number is only the table's own, as 250.66 in "table 250.66"."""
    return table.startswith(f"{value:g}") and not float(value).is_integer()


def _parsed(parse: Callable[[str], T], text: str | None, field: str) -> T | None:
    if text is None:
        return None
    try:
        return parse(text)
    except InvalidArgument as error:
        raise InvalidArgument(error.message, field=field) from error


def _result(
    locale: str, table: Table, total_rows: int, warnings: list[str], rating: float | None
) -> NecTable:
    if table.note:
        warnings = [*warnings, table.note.say(locale)]
    return NecTable(
        table=table.number,
        title=table.title.say(locale),
        edition=table.edition,
        units=table.units.say(locale),
        columns=[
            TableColumn(key=column.key, name=column.name.say(locale), unit=column.unit)
            for column in table.columns
        ],
        rows=[_row(locale, row) for row in table.rows],
        total_rows=total_rows,
        verified=table.verified,
        answer=answer(locale, table, amps=rating),
        notes=[note.say(locale) for note in table.notes],
        sources=list(table.sources),
        warnings=warnings,
        citations=[*_reference(locale, table)],
    )


def _row(locale: str, row: TableRow) -> dict[str, Any]:
    note = {"note": row.note.say(locale)} if row.note else {}
    return {**row.values, "verified": row.verified, **note}


def _reference(locale: str, table: Table) -> list[CodeReference]:
    if table.key == "C values":
        return []  # a manufacturer's table, not the NEC's
    article, _, chapter_9 = table.number.partition(" Table ")
    is_table = table.label.startswith("Table ")
    return [
        CodeReference(
            edition=table.edition,
            article=article,
            table=chapter_9 or (table.number if is_table else None),
            title=table.title.say(locale),
        )
    ]


def _unused(locale: str, table: Table, name: str) -> str:
    return say(
        locale,
        en="{table} is not entered by {name}; it was left aside.",
        he="{table} אינה מחולקת לפי {name}; הנתון לא שימש.",
        table=table_label(locale, table),
        name=isolated(name) if locale.startswith("he") else name,
    )


_THREE_PHASE = Words(
    en="No phase was named: taken as three-phase. One phase: Table 430.248.",
    he=f"לא נאמר כמה פאזות: נחשב תלת-פאזי. חד-פאזי: טבלה {isolated('430.248')}.",
)
