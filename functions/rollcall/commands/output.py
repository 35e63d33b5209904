"""Output of commands: lines, tables, JSON, times and names."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from unicodedata import category, east_asian_width

from msgspec import Struct
from msgspec.structs import asdict
from pydantic.alias_generators import to_camel

from rollcall.core.readable import marked
from rollcall.core.texts import isolated


def say(text: str) -> None:
    """Print a line that may contain others' words, which cannot move the cursor, hide text or
    change direction."""
    print(marked(text))


_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their titles, each column as wide as its longest cell. A cell that has
    right-to-left letters is isolated, so that a terminal does not move them into the next one."""
    lines = [titles, *([" ".join(marked(cell).split()) for cell in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            (isolated(cell) if _RIGHT_TO_LEFT.search(cell) else cell) + " " * (width - _width(cell))
            for cell, width in zip(line, widths, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _width(text: str) -> int:
    """How many columns of a terminal a text takes: none for marks on another character, two for a
    wide character such as an ideograph or an emoji."""
    marks = ("Mn", "Me", "Cf")
    return sum(
        1 + (east_asian_width(each) in ("W", "F")) for each in text if category(each) not in marks
    )


def print_json(value: Any) -> None:
    """Print one JSON value, for people and programs. Times are ISO 8601, and keys camelCase as in
    all that programs read; see `in_camel_case`. Characters that a terminal obeys or that the output
    cannot hold are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    text = "".join(
        each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text
    )
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, default=_plain)
    print(text)


def in_camel_case(record: Any) -> Any:
    """A struct as it stands in JSON, with those in it, or a list of them; anything else as it
    is."""
    if isinstance(record, list):
        return [in_camel_case(each) for each in record]
    if not isinstance(record, Struct):
        return record
    return {to_camel(name): in_camel_case(value) for name, value in asdict(record).items()}


def quantity(number: int, one: str, many: str) -> str:
    """A number with its noun: "1 agent", "2 agents"."""
    return f"{number:,} {one if number == 1 else many}"


def moment(value: Any) -> str:
    """A time in the document, for people; anything else as it is."""
    return f"{value:%Y-%m-%d %H:%M} UTC" if hasattr(value, "strftime") else str(value or "")


def named(names: Mapping[str, str]) -> str:
    """Return a name in every language, English first."""
    languages = sorted(names, key=lambda each: each != "en")
    return " · ".join(dict.fromkeys(names[each] for each in languages))


def short(value: Any) -> str:
    """As short JSON; words and lists of words by themselves."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, set | frozenset | tuple):
        return sorted(value)
    return str(value)
