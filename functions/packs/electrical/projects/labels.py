"""Finds the equipment and places in a circuit's description, in the style of panel schedules, in
English and Hebrew, with abbreviations.

`equipment.json` has the kinds of equipment, how each is connected, and the order of the search; the
words are in the texts under `labels`. A word counts once: a "Microwave oven" is not an oven too.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from packs.electrical.projects.records import Area, Circuit, LoadType
from packs.electrical.wording import pattern
from rollcall.core.records import convert
from rollcall.core.text import HEBREW_PREFIXES

Connection = Literal["cord", "fixed", "either"]


class Equipment(Struct, frozen=True, rename="camel"):
    """A kind of equipment.

    Attributes:
        connection: By cord and plug, fixed, or not known from the kind.
        load_type: Its kind of load in a circuit's record.
        places: Where it is by default.
    """

    connection: Connection
    load_type: LoadType
    places: tuple[Area, ...] = ()


class Outlet(Struct, frozen=True):
    """An outlet of a circuit; `kind` is None where neither description nor record says it."""

    kind: str | None
    connection: Connection


@cache
def _catalog() -> Any:
    return json.loads((Path(__file__).parent / "equipment.json").read_text(encoding="utf-8"))


@cache
def equipment() -> dict[str, Equipment]:
    """The kinds of equipment, the more specific ones first."""
    return convert(_catalog()["equipment"], dict[str, Equipment])


GENERIC: frozenset[LoadType] = frozenset({"appliance", "equipment", "motor", "other"})
"""Kinds of load that do not identify the equipment."""
_RECEPTACLES: frozenset[LoadType] = frozenset({"receptacle", "small_appliance", "laundry"})
_LETTERS = re.compile(r"(?<![^\W\d_])([a-z])[/.]([a-z])\b\.?")
_MARKS = re.compile(r"[^\w'\"]+|_")


def equipment_in(description: str) -> tuple[str, ...]:
    """Return the kinds of equipment that a description names, the more specific ones first."""
    return _named(description, "equipment", tuple(equipment()))


def is_source(description: str) -> bool:
    """Return whether a description names a source of power: solar, a battery, a generator."""
    return "power_source" in equipment_in(description)


def places_in(description: str) -> tuple[Area, ...]:
    """Return the places that a description names."""
    return _named(description, "places", tuple(_catalog()["places"]))  # type: ignore[return-value]


@cache
def _named(description: str, group: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    text = description.casefold().translate(str.maketrans("\u05f4\u05f3\u2019", "\"''"))
    text = _MARKS.sub(" ", _LETTERS.sub(r"\1\2", text))
    named = []
    for kind in kinds:
        text, count = _words(f"labels.{group}.{kind}").subn(" / ", text)
        if count:
            named.append(kind)
    return tuple(named)


@cache
def _words(key: str) -> re.Pattern[str]:
    prefix = f"[{''.join(sorted(HEBREW_PREFIXES))}]{{0,2}}"
    return re.compile(rf"(?<![\w'\"]){prefix}(?:{pattern(key) or '(?!)'})(?![\w\"])")


def outlets_of(circuit: Circuit) -> tuple[Outlet, ...]:
    """Return the outlets of a circuit: what its description names, else its recorded kind of load;
    recorded receptacles in any case."""
    kinds = list(equipment_in(circuit.description))
    recorded = circuit.load_type
    if recorded in _RECEPTACLES | {"lighting"} or (recorded not in GENERIC and not kinds):
        kinds.append(recorded)
    known = equipment()
    (said, *_) = (*_named(circuit.description, "connections", ("fixed", "cord")), "")
    plugged = any(known[kind].load_type == "receptacle" for kind in kinds if kind in known)
    is_fixed = {"lighting", "fan"}.intersection(kinds) and not plugged
    connection = said or ("cord" if plugged else "")
    outlets = []
    for kind in dict.fromkeys(kinds):
        usual = known[kind].connection if kind in known else "either"
        if is_fixed and kind in ("laundry", "small_appliance"):
            usual = "either"  # "Laundry lights": where they are, or receptacles as well
        is_open = usual == "either" or (said and kind not in ("receptacle", "lighting"))
        outlets.append(Outlet(kind, connection if connection and is_open else usual))  # type: ignore[arg-type]
    return tuple(outlets) or (Outlet(None, "either"),)


def places_of(circuit: Circuit) -> tuple[Area, ...]:
    """Return the places of a circuit's outlets: as recorded, else by its description, else the
    usual ones of its equipment; none where these are not known."""
    if circuit.area is not None:
        return (circuit.area,)
    if places := places_in(circuit.description):
        return places
    known = equipment()
    kinds = (each.kind for each in outlets_of(circuit))
    implied = (place for kind in kinds if kind in known for place in known[kind].places)
    return tuple(dict.fromkeys(implied))
