"""The rows and columns of a table that a question is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from packs.electrical.nec.asked import Asked, motor_kind
from packs.electrical.nec.motors import parse_hp, rated_voltage
from packs.electrical.nec.occupancies import parse_occupancy
from packs.electrical.nec.sizes import circular_mils
from packs.electrical.nec.tables import Column, Table, TableRow
from rollcall.core.errors import InvalidArgument

_AT_MOST = {"250.122": "ocpdMaxAmps", "310.15(B)(1)(1)": "ambientMaxC"}
_NUMBER_OF = {"310.15(C)(1)": "conductors", "220.54": "dryers", "220.55": "appliances"}
_MOTORS = ("430.248", "430.250")
_OCCUPANCIES = ("220.12", "220.42")

Rows = list[TableRow]


def matching(table: Table, asked: Asked) -> tuple[Table, tuple[str, ...]]:
    """The part of a table that is asked for, and which of the filters it has no use for.

    Raises:
        InvalidArgument: No row fits; the message names the range of the table.
    """
    rows, columns, unused = list(table.rows), list(table.columns), list[str]()
    steps: tuple[tuple[str, object, Callable[[Table, Asked, Rows], Rows | None]], ...] = (
        ("size", asked.size, _by_size),
        ("value", asked.value, _by_value),
        ("row", asked.row, _by_row),
    )
    for name, given, step in steps:
        if given is None:
            continue
        kept = step(table, asked, rows)
        if kept is None:
            unused.append(name)
        elif kept:
            rows = kept
        else:
            raise InvalidArgument(_no_row(table, name, given), field=name)
    for name, given, fits in (
        ("material", asked.material, _of_material),
        ("temperatureRating", asked.rating, _of_rating),
        ("voltage", asked.voltage, _of_voltage),
    ):
        if given is None:
            continue
        left = fits(table, asked, columns)
        if left is None:
            unused.append(name)
        else:
            columns = left
    part = table.with_rows([_only(row, columns) for row in rows], columns)
    if len(columns) < len(table.columns) and _is_empty(part):
        raise InvalidArgument(_no_figure(part), field="size" if asked.size else "value")
    return part, tuple(unused)


def _is_empty(part: Table) -> bool:
    """Whether nothing is left of the rows but what they are entered by."""
    entry = part.columns[0].key
    figures = (value for row in part.rows for key, value in row.values.items() if key != entry)
    return all(value is None for value in figures)


def _no_figure(part: Table) -> str:
    entry, *others = part.columns
    rows = ", ".join(str(row.values[entry.key]) for row in part.rows)
    names = ", ".join(column.name.en for column in others)
    return f"{part.label} has no figure for {entry.name.en.lower()} {rows} under {names}"


def _by_size(table: Table, asked: Asked, rows: Rows) -> Rows | None:
    assert asked.size is not None
    if table.key == "250.66":
        metals = [asked.material] if asked.material else ["copper", "aluminum"]
        fitting = [_service_row(rows, f"{metal}ServiceMax", asked.size) for metal in metals]
        return [row for row in rows if row in fitting]
    if not any(column.key == "size" for column in table.columns):
        return None
    of = (None, asked.material) if asked.material else (None, "copper", "aluminum")
    return [
        row for row in rows if row.values["size"] == asked.size and row.values.get("material") in of
    ]


def _service_row(rows: Rows, column: str, size: str) -> TableRow:
    area = circular_mils(size)
    for row in rows[:-1]:
        if area <= circular_mils(row.values[column]):
            return row
    return rows[-1]


def _by_value(table: Table, asked: Asked, rows: Rows) -> Rows | None:
    value = asked.value
    assert value is not None
    if column := _AT_MOST.get(table.key):
        return [row for row in rows if value <= row.values[column]][:1]
    if table.key == "240.6(A)":
        return _standard_rating(value, rows, above=asked.above)
    if of := _NUMBER_OF.get(table.key):
        return [
            row for row in rows if _within(value, row.values[f"{of}Min"], row.values[f"{of}Max"])
        ]
    if table.key in _MOTORS:
        return [row for row in rows if parse_hp(row.values["horsepower"]) == parse_hp(value)]
    return None


def _standard_rating(amps: float, rows: Rows, *, above: bool) -> Rows:
    """The rating itself, of fuses alone too; else the next that breakers and fuses have."""
    own = [row for row in rows if row.values["ratingAmps"] == amps and not above]
    common = [row for row in rows if row.values["device"] == "breaker_or_fuse"]
    return own or [row for row in common if row.values["ratingAmps"] > amps][:1]


def _within(value: float, low: float, high: float | None) -> bool:
    return low <= value and (high is None or value <= high)


def _by_row(table: Table, asked: Asked, rows: Rows) -> Rows | None:
    assert asked.row is not None
    if table.key in _OCCUPANCIES:
        key = parse_occupancy(asked.row)
        named = [row for row in rows if row.values["occupancy"] == key]
        others = [row for row in rows if row.values["occupancy"] == "other"]
        return named or others
    if table.key == "430.52":
        kind = motor_kind(asked.row)
        return [row for row in rows if row.values["motor"] == kind]
    return None


def _of_material(table: Table, asked: Asked, columns: list[Column]) -> list[Column] | None:
    if table.key == "250.66":
        # The material is the service's; the conductor to the electrode may be of either.
        other = "aluminumServiceMax" if asked.material == "copper" else "copperServiceMax"
        return [column for column in columns if column.key != other]
    if any(column.key == "material" for column in columns):
        return columns  # its rows are of one material each
    other = "aluminum" if asked.material == "copper" else "copper"
    kept = [column for column in columns if not _is_of(column, other)]
    return kept if len(kept) < len(columns) else None


def _is_of(column: Column, material: str) -> bool:
    # "rAluminumSteel" is aluminum in steel; "rCopperAluminum" is copper in aluminum conduit.
    key = column.key.removeprefix("r").removeprefix("z85").lower()
    return key.startswith(material)


def _of_rating(table: Table, asked: Asked, columns: list[Column]) -> list[Column] | None:
    others = tuple(str(rating) for rating in (60, 75, 90) if rating != asked.rating)
    kept = [column for column in columns if not column.key.endswith(others)]
    return kept if len(kept) < len(columns) else None


def _of_voltage(table: Table, asked: Asked, columns: list[Column]) -> list[Column] | None:
    if table.key not in _MOTORS or asked.voltage is None:
        return None
    known = tuple(int(column.key[1:]) for column in columns[1:])
    rated = rated_voltage(asked.voltage, known)
    return [column for column in columns if column.key in ("horsepower", f"v{rated}")]


def _only(row: TableRow, columns: list[Column]) -> TableRow:
    values = {column.key: row.values[column.key] for column in columns}
    if row.uncertain and not values.keys() & set(row.uncertain):
        return TableRow(values, True)  # what was not checked is in columns that are left out
    return replace(row, values=values)


def _no_row(table: Table, name: str, given: object) -> str:
    first, last = table.rows[0].values, table.rows[-1].values
    entry = table.columns[0].key
    return (
        f"{table.label} has no row for {name} "
        f"{given}; its rows go from {entry} {first[entry]} to {last[entry]}"
    )
