"""The tables as they lie in `data/`: each file is read when it is first asked for, once.

A file holds `{table, title, units, verified, unverified?, columns, rows, notes, sources}`. A row is
a list of cells in the order of `columns`, or `{cells, editions?, verified?, uncertain?, note?}`
where it stands in some editions only, was checked against fewer (`note` says what is known), or
has single cells that were not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.results import Words
from rollcall.core.wording import isolated

_DATA = Path(__file__).with_name("data")
_LATIN = re.compile(r"[0-9]*[A-Za-z√Ω][^א-ת,:;\"]*[A-Za-z0-9²%)]|[0-9][^א-ת,:;\"]*[A-Za-z²)]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells, the editions it stands in and those it was checked against."""

    cells: tuple[Any, ...]
    editions: tuple[int, ...]
    verified: tuple[int, ...]
    uncertain: tuple[str, ...] = ()
    note: Words | None = None


@cache
def load(name: str) -> dict[str, Any]:
    """The content of `data/<name>.json`."""
    found: dict[str, Any] = json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    return found


@cache
def rows(name: str) -> tuple[Row, ...]:
    """All rows of a table, in order, of every edition."""
    return tuple(_rows(load(name)))


def cells(name: str, edition: Edition | None = None) -> Iterator[tuple[Any, ...]]:
    """The cells of the rows that stand in an edition; of all rows without one."""
    return (row.cells for row in rows(name) if edition is None or edition in row.editions)


def words(text: dict[str, str]) -> Words:
    """A stored text; what is Latin in the Hebrew one reads in its own direction."""
    return Words(en=text["en"], he=_LATIN.sub(_isolate, text["he"]))


def _isolate(match: re.Match[str]) -> str:
    run = match[0]
    # A bracket that the run did not open belongs to the sentence.
    tail = ")" if run.endswith(")") and run.count("(") < run.count(")") else ""
    return isolated(run.removesuffix(tail)) + tail


def _rows(table: dict[str, Any]) -> Iterator[Row]:
    verified = tuple(table["verified"])
    for row in table["rows"]:
        if isinstance(row, list):
            yield Row(tuple(row), EDITIONS, verified)
            continue
        editions = tuple(row.get("editions", EDITIONS))
        known = tuple(row.get("verified", verified))
        yield Row(
            tuple(row["cells"]),
            editions,
            tuple(edition for edition in known if edition in editions),
            tuple(row.get("uncertain", ())),
            words(row["note"]) if "note" in row else None,
        )
