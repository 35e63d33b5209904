"""Reads from a question which table it is about, and selects the table's rows and columns.

This is by rules, without a model: "ampacity of 4 AWG aluminum at 75" names its table by topic, and
its row by size, material, temperature, amperes or number. The patterns are in the pack's texts
under `nec.cues`, for each language.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.nec import tables
from packs.electrical.nec.conductors import (
    MATERIALS,
    RATINGS,
    Material,
    Rating,
    Size,
    circular_mils,
    parse_size,
)
from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.nec.loads import find_occupancy, parse_occupancy
from packs.electrical.nec.motors import parse_hp, rated_voltage
from packs.electrical.nec.tables import FILES, Column, Table, TableRow
from packs.electrical.wording import TEXTS, number, pattern
from rollcall.core.errors import InvalidArgument, NotFound

MOTOR_TABLES = ("430.248", "430.250")
OCCUPANCY_TABLES = ("220.12", "220.42")


class TableQuery(Struct, frozen=True):
    """The table, row and columns of a question; None where it does not say.

    Attributes:
        table: A number of `tables.FILES`.
        area: A conductor's metric area as it is written, such as "2.5 mm²", or its size where no
            conductor has it, such as "20 AWG".
        value: Amperes, horsepower, degrees Celsius or a count, whichever the table is entered by.
        row: The name of a row, such as "office" or "design_b".
        voltage: Of a motor, V.
        in_parallel: Whether conductors in parallel are meant.
        above: Whether the row above `value` is meant, not that of the value itself.
    """

    table: str | None = None
    size: Size | None = None
    area: str | None = None
    material: Material | None = None
    rating: Rating | None = None
    value: float | None = None
    row: str | None = None
    voltage: float | None = None
    edition: Edition | None = None
    in_parallel: bool = False
    above: bool = False
    to_rod: bool = False


# The question


def parse_query(text: str, *, table: str | None = None) -> TableQuery:
    """Read a question in any language.

    Args:
        table: The table, where it is known already.
    """
    size, no_size = _size(text)
    materials = [material for material in MATERIALS if _has(material, text)]
    material = materials[0] if len(materials) == 1 else None
    before, after = pattern("nec.cues.before_rating"), pattern("nec.cues.after_rating")
    written = rf"(?<![\d.])(60|75|90)\s*(?:{after})|(?:{before})(60|75|90)\b"
    match = re.search(written, text, re.IGNORECASE)
    degrees = int(match[1] or match[2]) if match else None
    rating = next((rating for rating in RATINGS if rating == degrees), None)
    key = table or _table(text)
    if key is None and size and (material or rating):
        key = "310.16"  # a conductor with no other topic asks for its ampacity
    unit = tables.load(FILES[key]).get("entry", {}).get("quantity") if key else None
    value = None
    if unit == "celsius":
        value = _ambient_c(text, rating)
    elif unit:
        value = _amount(text, unit)
    row = motor_kind(text) if key == "430.52" else None
    area = re.search(
        rf"(?<![\w./])\d+(?:\.\d+)?\s*(?:{pattern('nec.cues.mm2')})", text, re.IGNORECASE
    )
    return TableQuery(
        table=key,
        size=size,
        area=area[0] if area else no_size,
        material=material,
        rating=rating,
        value=value,
        row=find_occupancy(text) if key in OCCUPANCY_TABLES else row,
        voltage=_amount(text, "volts") if key in MOTOR_TABLES else None,
        edition=edition_in(text),
        in_parallel=_has("in_parallel", text),
        above=key == "240.6(A)" and _has("above", text),
        to_rod=_has("rod", text),
    )


def assumes_three_phase(text: str, table: str) -> bool:
    """Return whether a question is taken to be about a three-phase motor without saying so."""
    return table == "430.250" and not _has("any_phase", text)


def edition_in(text: str) -> Edition | None:
    """Return the one edition that a text names by its year."""
    years = {int(year) for year in re.findall(r"(?<![\d.,])20\d\d(?![\d.]*\d)", text)}
    return next((edition for edition in EDITIONS if years == {edition}), None)


def motor_kind(text: str) -> str | None:
    """Return the row of Table 430.52 that a text names."""
    plain = text.lower().replace("_", " ")
    kinds = TEXTS.data("en", "nec.cues.motors")
    return next((kind for kind in kinds if _has(f"motors.{kind}", plain)), None)


def _has(cue: str, text: str) -> bool:
    return re.search(pattern(f"nec.cues.{cue}"), text, re.IGNORECASE) is not None


def _table(text: str) -> str | None:
    """The table that a text names by its number, else by its topic, the first that fits."""
    chapter, table = pattern("nec.cues.chapter"), pattern("nec.cues.table")
    number = (
        rf"(?<![\d.])(?:\d{{3}}\.\d{{1,3}}(?:\s?\([A-Za-z0-9]{{1,3}}\))*"
        rf"|(?:{chapter})\s*9,?\s*(?:{table})?\s*[89]|(?:{table})\s*[89](?![\d.]))(?!\d)"
    )
    for match in re.finditer(number, text, re.IGNORECASE):
        try:
            return tables.key_of(match[0])
        except NotFound:
            continue
    keys = {name: key for key, name in FILES.items()}
    for name in TEXTS.data("en", "nec.cues.topics"):
        if _has(f"topics.{name}", text):
            is_one_phase = name == "430_250" and _has("one_phase", text)
            return "430.248" if is_one_phase else keys[name]
    return None


def _size(text: str) -> tuple[Size | None, str | None]:
    """The size that a text names; else the words for one that no conductor has."""
    no_size = None
    written = (
        r"(?<![\w./])(?:#|awg\s*#?|no\.?\s*)\s?(?P<a>\d{1,2}(?:/0)?|0{1,4})(?![\w./])"
        r"|(?<![\w./])(?P<b>\d{1,2}(?:/0)?|0{1,4})\s*-?\s*(?:awg|gauge)\b"
        r"|(?<![\w./])(?P<c>\d{3,4})\s*-?\s*(?:kcmil|mcm)\b|(?<![\w./])(?P<d>[1-4]/0)(?![\w/])"
        rf"|(?<![\w./])(?P<e>\d{{1,4}})\s+(?:{pattern('nec.cues.metal')})\b(?!\s+(?:cond|wire))"
    )
    for match in re.finditer(written, text, re.IGNORECASE):
        try:
            return parse_size(next(group for group in match.groups() if group)), None
        except InvalidArgument:
            if re.search("awg|kcmil|mcm", match[0], re.IGNORECASE):
                no_size = no_size or match[0]
    return None, no_size


def _ambient_c(text: str, rating: Rating | None) -> float | None:
    """The ambient temperature, °C, which is not the insulation's rating beside it."""
    degrees = [float(match[1]) for match in _degrees("celsius", text)]
    if rating in degrees:
        degrees.remove(rating)
    if degrees:
        return degrees[0]
    fahrenheit = next(iter(_degrees("fahrenheit", text)), None)
    return round((float(fahrenheit[1]) - 32) / 1.8, 1) if fahrenheit else None


def _degrees(scale: str, text: str) -> list[re.Match[str]]:
    unit = pattern(f"nec.cues.{scale}")
    written = rf"(?<![\w./])(-?\d+(?:\.\d+)?)\s*(?:{unit})(?!\w)"
    return list(re.finditer(written, text, re.IGNORECASE))


def _amount(text: str, unit: str) -> float | None:
    """The number before a unit: `1,200 A`, `7-1/2 hp`, `1/2 hp`."""
    written = r"(?<![\w./])(\d[\d,]*(?:\.\d+)?|\d+/\d+|\d+[- ]\d/\d)"
    units = pattern(f"nec.cues.units.{unit}")
    match = re.search(rf"{written}\s*-?\s*(?:{units})(?![\w])", text, re.IGNORECASE)
    if match is None:
        return None
    whole, _, part = match[1].replace(",", "").replace("-", " ").rpartition(" ")
    if "/" in part:
        above, below = part.split("/")
        return float(whole or 0) + float(above) / float(below) if float(below) else None
    return float(part)


# The rows and columns of a query

Rows = list[TableRow]


def select(table: Table, query: TableQuery) -> tuple[Table, tuple[str, ...]]:
    """Return the part of a table that a query is about, and the filters that do not apply to it.

    Raises:
        InvalidArgument: No row fits; the message names the range of the table.
    """
    rows, columns, unused = list(table.rows), list(table.columns), list[str]()
    row_filters: tuple[tuple[str, object, Callable[[Table, TableQuery, Rows], Rows | None]], ...]
    row_filters = (
        ("size", query.size, _by_size),
        ("value", query.value, _by_value),
        ("row", query.row, _by_row),
    )
    for name, value, filter_rows in row_filters:
        if value is None:
            continue
        fitting = filter_rows(table, query, rows)
        if fitting is None:
            unused.append(name)
        elif fitting:
            rows = fitting
        else:
            entry = table.columns[0]
            first, last = (row.values[entry.key] for row in (table.rows[0], table.rows[-1]))
            given = number(value) if isinstance(value, float | int) else value
            values = {"name": name, "given": given, "first": first, "last": last}
            no_row = TEXTS.text("errors.no_row", table=table.label, entry=entry.name, **values)
            raise InvalidArgument(no_row, field=name)
    for name, value, filter_columns in (
        ("material", query.material, _of_material),
        ("temperatureRating", query.rating, _of_rating),
        ("voltage", query.voltage, _of_voltage),
    ):
        if value is None:
            continue
        left = filter_columns(table, query, columns)
        if left is None:
            unused.append(name)
        else:
            columns = left
    part = table.with_rows([_only(row, columns) for row in rows], columns)
    entry, *others = part.columns
    figures = (row.values[column.key] for row in part.rows for column in others)
    if len(columns) < len(table.columns) and all(figure is None for figure in figures):
        named = ", ".join(str(row.values[entry.key]) for row in part.rows)
        no_figure = TEXTS.text(
            "errors.no_figure",
            table=part.label,
            entry=entry.name,
            named=named,
            columns=[column.name for column in others],
        )
        raise InvalidArgument(no_figure, field="size" if query.size else "value")
    return part, tuple(unused)


def has_sizes(table: Table) -> bool:
    """Return whether the table's rows are entered by the size of a conductor."""
    return table.key == "250.66" or any(column.key == "size" for column in table.columns)


def _only(row: TableRow, columns: list[Column]) -> TableRow:
    """The row with these columns alone."""
    values = {column.key: row.values[column.key] for column in columns}
    if row.uncertain and not values.keys() & set(row.uncertain):
        return TableRow(values)  # what was not checked is in columns that are left out
    return replace(row, values=values)


def _by_size(table: Table, query: TableQuery, rows: Rows) -> Rows | None:
    assert query.size is not None
    if table.key == "250.66":
        metals = [query.material] if query.material else MATERIALS
        fitting = [_service_row(rows, f"{metal}ServiceMax", query.size) for metal in metals]
        return [row for row in rows if row in fitting]
    if not has_sizes(table):
        return None
    metals = (query.material,) if query.material else MATERIALS
    return [
        row
        for row in rows
        if row.values["size"] == query.size and row.values.get("material", metals[0]) in metals
    ]


def _service_row(rows: Rows, column: str, size: Size) -> TableRow:
    """The first row of Table 250.66 whose service conductor is not below a size, else the last."""
    area = circular_mils(size)
    return next((row for row in rows[:-1] if area <= circular_mils(row.values[column])), rows[-1])


def _by_value(table: Table, query: TableQuery, rows: Rows) -> Rows | None:
    value, entry = query.value, tables.load(FILES[table.key]).get("entry", {})
    assert value is not None
    if column := entry.get("upTo"):
        return [row for row in rows if value <= row.values[column]][:1]
    if table.key == "240.6(A)":
        # The rating itself, of fuses alone too; else the next that breakers and fuses have.
        own = [row for row in rows if row.values["ratingAmps"] == value and not query.above]
        common = [row for row in rows if row.values["device"] == "breaker_or_fuse"]
        return own or [row for row in common if row.values["ratingAmps"] > value][:1]
    if counted := entry.get("range"):
        return [
            row
            for row in rows
            if row.values[f"{counted}Min"] <= value
            and (row.values[f"{counted}Max"] is None or value <= row.values[f"{counted}Max"])
        ]
    if table.key in MOTOR_TABLES:
        return [row for row in rows if parse_hp(row.values["horsepower"]) == parse_hp(value)]
    return None


def _by_row(table: Table, query: TableQuery, rows: Rows) -> Rows | None:
    assert query.row is not None
    if table.key in OCCUPANCY_TABLES:
        try:
            key = parse_occupancy(query.row)
        except InvalidArgument as error:
            raise InvalidArgument(error.text, field="row") from error
        named = [row for row in rows if row.values["occupancy"] == key]
        return named or [row for row in rows if row.values["occupancy"] == "other"]
    if table.key == "430.52":
        kind = motor_kind(query.row)
        return [row for row in rows if row.values["motor"] == kind]
    return None


def _of_material(table: Table, query: TableQuery, columns: list[Column]) -> list[Column] | None:
    other = "aluminum" if query.material == "copper" else "copper"
    if table.key == "250.66":
        # The material is the service's; the conductor to the electrode may be of either.
        return [column for column in columns if column.key != f"{other}ServiceMax"]
    if any(column.key == "material" for column in columns):
        return columns  # its rows are of one material each
    # "rAluminumSteel" is aluminum in steel; "rCopperAluminum" is copper in aluminum conduit.
    left = [
        column
        for column in columns
        if not column.key.removeprefix("r").removeprefix("z85").lower().startswith(other)
    ]
    return left if len(left) < len(columns) else None


def _of_rating(table: Table, query: TableQuery, columns: list[Column]) -> list[Column] | None:
    others = tuple(str(rating) for rating in RATINGS if rating != query.rating)
    left = [column for column in columns if not column.key.endswith(others)]
    return left if len(left) < len(columns) else None


def _of_voltage(table: Table, query: TableQuery, columns: list[Column]) -> list[Column] | None:
    if table.key not in MOTOR_TABLES or query.voltage is None:
        return None
    rated = rated_voltage(query.voltage, tuple(int(column.key[1:]) for column in columns[1:]))
    return [column for column in columns if column.key in ("horsepower", f"v{rated}")]
