"""Arguments for a tool, out of what the user said and what earlier results named.

Nothing is invented: an argument is a stretch of the text, an accepted value that the text names,
or an id that a result gave. What the text does not say is left out, defaults included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.messages import Json
from rollcall.core.text import words
from rollcall.models._offline import numbers, options, texts
from rollcall.models._offline.entities import Entity, named_in, of_kind
from rollcall.models._offline.lexicon import spaced
from rollcall.models._offline.mentions import Mention, mentions
from rollcall.models._offline.named import (
    Names,
    called_by_name,
    described,
    has_sibling,
    numbered,
    without_echoes,
    without_names,
)
from rollcall.models._offline.people import asks_for_own, is_somebodys
from rollcall.models._offline.schema import Param, accepts, params, properties
from rollcall.models.base import ToolSpec

_JOINED = re.compile(
    r",\s*(?:(?:and|plus)\s+|ו(?:גם\s+)?(?=[א-ת]))?|\s+(?:and|plus|\+)\s+|\s+ו(?:גם\s+)?(?=[א-ת])",
    re.IGNORECASE,
)


class Source(Struct, frozen=True):
    """What arguments may be taken from."""

    text: str
    now_iso: str = ""
    entities: tuple[Entity, ...] = ()
    names: Names = field(default_factory=dict)


class Filled(Struct):
    """Arguments so far, and the required parameters that nothing was found for."""

    arguments: dict[str, Json] = field(default_factory=dict)
    missing: list[Param] = field(default_factory=list)


def fill(tool: ToolSpec, source: Source) -> Filled:
    """Fill a tool's parameters from a source."""
    wanted = params(tool)
    values = without_echoes(tool, wanted, _fill_all(tool, wanted, source), source.names)
    ordered = {param.name: values[param.name] for param in wanted if param.name in values}
    missing = [param for param in wanted if param.required and param.name not in ordered]
    return Filled(ordered, missing)


def _fill_all(tool: ToolSpec, wanted: tuple[Param, ...], source: Source) -> dict[str, Json]:
    values: dict[str, Json] = {}
    spare = list(mentions(source.text, source.now_iso))
    described_first = (_described, _mine, _texts, _objects)
    last = described_first if source.names else (*described_first[1:], _described)
    for step in (_named, _ids, _options, _flags, _several, _numbers, *last):
        for name, value in step(tool, wanted, source, spare, values).items():
            param = next(param for param in wanted if param.name == name)
            if accepts(param, value) and value != param.schema.get("default", object()):
                values[name] = value
    return values


def answer(param: Param, text: str, source: Source) -> Json | None:
    """Read a short answer to "which `param`?"; None where it is not one."""
    tool = ToolSpec("answer", "", {"properties": {param.name: param.schema}, "required": []})
    value = _fill_all(tool, (Param(param.name, param.schema, True),), source).get(param.name)
    if value is not None:
        return value
    plain = text.strip().rstrip(".!")
    if param.kind == "boolean":
        return options.yes_or_no(plain)
    if param.options:
        return None
    value = [plain] if param.kind == "array" else plain
    return value if plain and accepts(param, value) else None


Values = dict[str, Json]


def _named(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Things at hand that the text calls by name."""
    found = called_by_name(wanted, source.text, source.names)
    _claim(list(found.values()), spare)
    number, at = numbered(wanted, source.text, found, source.names)
    spare[:] = [mention for mention in spare if mention.start != at]
    return {**found, **number}


def _described(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Things at hand that the text has other words for."""
    return described(tool, wanted, source.text, source.names, values, spare)


def _ids(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Ids of things that the text calls by name or by id."""
    found: Values = {}
    for param in wanted:
        if not param.refers_to:
            continue
        known = of_kind(list(source.entities), param.refers_to)
        named = list(dict.fromkeys(entity.id for entity in named_in(source.text, known)))
        if named and param.kind == "array":
            found[param.name] = named
        elif len(named) == 1:
            found[param.name] = int(named[0]) if param.kind == "integer" else named[0]
    return found


def _options(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Listed values that the text names, outside the names of things: a panel called "Garage
    Subpanel" is no load of the kind "subpanel"."""
    found: Values = {}
    text = without_names(source.text, values, source.names)
    for param in wanted:
        if not param.options or param.name in values:
            continue
        named = options.named_options(param, text)
        _claim(named if param.kind == "array" else named[:1], spare)
        if param.kind == "array":
            if named:
                found[param.name] = named
        elif named:
            found[param.name] = named[0]
    return found


def _claim(options: list[Json], spare: list[Mention]) -> None:
    """Take the names and codes that only say an option ("Celsius") away from the others."""
    said = {
        w for option in options for text in (str(option), spaced(str(option))) for w in words(text)
    }
    kinds = ("name", "code")
    spare[:] = [m for m in spare if m.kind not in kinds or not set(words(m.text)) <= said]


def _flags(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Booleans that the text speaks of."""
    flags = [param for param in wanted if param.kind == "boolean"]
    found = {param.name: options.flag(param, source.text, tool) for param in flags}
    return {name: value for name, value in found.items() if value is not None}


def _numbers(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Numbers, each to the parameter whose name, description or unit it fits best."""
    open_ = [
        param
        for param in wanted
        if param.name not in values and not param.options and _is_numeric(param)
    ]
    return numbers.assign_numbers(tool, open_, source.text, spare)


def _is_numeric(param: Param) -> bool:
    of = param.items if param.kind == "array" else param
    return of is not None and of.kind in ("integer", "number")


def _several(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Lists of several objects, one for each number with a unit: "a 7.2 kW charger and a 4 kW
    sauna". Their numbers are theirs, and no parameter's beside them."""
    found: Values = {}
    for param in wanted:
        of = param.items if param.kind == "array" else None
        inner = properties(of.schema, of.schema) if of and of.kind == "object" else ()
        if param.name in values or not any(each.required for each in inner):
            continue
        items: list[Json] = []
        theirs: list[Mention] = []
        for piece, measured in _measured_pieces(source.text, spare):
            filled = _fill_all(tool, inner, replace(source, text=piece))
            if all(each.name in filled for each in inner if each.required):
                items.append(filled)
                told = filled.values()
                numeric = [each for each in inner if _is_numeric(each)]
                theirs += [
                    m for m in measured if any(numbers.in_unit(n, m) in told for n in numeric)
                ]
        if len(items) > 1:
            found[param.name] = items
            spare[:] = [mention for mention in spare if mention not in theirs]
    return found


def _measured_pieces(text: str, spare: list[Mention]) -> Iterator[tuple[str, list[Mention]]]:
    """The parts of a text with the numbers with units in each: cut at the last "and" or comma
    between two of them."""
    units = [mention for mention in spare if mention.kind == "number" and mention.unit]
    joins = [list(_JOINED.finditer(text, one.end, two.start)) for one, two in pairwise(units)]
    cuts = [found[-1] for found in joins if found]
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    for start, end in zip(starts, ends, strict=True):
        yield text[start:end], [each for each in units if start <= each.start < end]


def _mine(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """The user, for a parameter that takes "me", where a request asks for the user's own."""
    if not asks_for_own(source.text, tool.keywords) or is_somebodys(source.text):
        return {}
    return {
        param.name: "me"
        for param in wanted
        if param.kind == "string" and not param.options and '"me"' in param.description
    }


def _texts(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Free text: dates, addresses, names, ids and search words."""
    open_ = [
        param
        for param in wanted
        if param.name not in values
        and not param.options
        and not has_sibling(param, wanted, source.names)
        and (param.items if param.kind == "array" and param.items else param).kind == "string"
    ]
    return texts.assign_texts(tool, open_, source.text, spare)


def _objects(
    tool: ToolSpec, wanted: tuple[Param, ...], source: Source, spare: list[Mention], values: Values
) -> Values:
    """Objects, and lists of one object, whose own properties the text fills."""
    found: Values = {}
    for param in wanted:
        of = param.items if param.kind == "array" else param
        if of is None or of.kind != "object" or param.name in values:
            continue
        inner = properties(of.schema, of.schema)
        filled = _fill_all(tool, inner, source) if inner else {}
        if filled and all(p.name in filled for p in inner if p.required):
            found[param.name] = [filled] if param.kind == "array" else filled
    return found
