"""A tool's parameters as the planner reads them, and a check of values against them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.models._offline.lexicon import features, name_features, spaced
from rollcall.models.base import ToolSpec

Schema = dict[str, Any]


class Param(Struct, frozen=True, dict=True):
    """One property of an object schema."""

    name: str
    schema: Schema
    required: bool

    @cached_property
    def kind(self) -> str:
        """Its JSON type: string, integer, number, boolean, array or object."""
        declared = self.schema.get("type")
        if isinstance(declared, list):
            declared = next((item for item in declared if item != "null"), None)
        if declared is None:
            declared = "object" if "properties" in self.schema else "string"
        return str(declared)

    @cached_property
    def options(self) -> tuple[Json, ...]:
        """The values it accepts, where they are listed; an array's are its items'."""
        of = self.items.schema if self.kind == "array" and self.items else self.schema
        if "const" in of:
            return (of["const"],)
        return tuple(value for value in of.get("enum", ()) if value is not None)

    @cached_property
    def items(self) -> Param | None:
        """An array's items, as a parameter of the same name."""
        of = self.schema.get("items")
        return Param(self.name, flat(of, self.schema), self.required) if of else None

    @cached_property
    def description(self) -> str:
        return str(self.schema.get("description") or "")

    @cached_property
    def label(self) -> str:
        """Its name as words."""
        return spaced(self.name)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name_features(self.name)) or frozenset(self.label.split())

    @cached_property
    def about(self) -> frozenset[str]:
        return frozenset(features(self.description)) - self.names

    @cached_property
    def refers_to(self) -> str | None:
        """What an id parameter identifies: "conversation" for conversationId or -Ids."""
        words_ = self.label.split()
        if len(words_) > 1 and words_[-1] in ("id", "ids"):
            return " ".join(words_[:-1])
        return None


def params(tool: ToolSpec) -> tuple[Param, ...]:
    """Return a tool's parameters, in the order of its schema."""
    return properties(tool.parameters, tool.parameters)


def properties(schema: Schema, root: Schema) -> tuple[Param, ...]:
    """Return the properties of an object schema; `root` holds its `$defs`."""
    required = schema.get("required") or ()
    return tuple(
        Param(name, flat(of, root), name in required)
        for name, of in (schema.get("properties") or {}).items()
        if isinstance(of, dict)
    )


def flat(schema: Schema, root: Schema) -> Schema:
    """Follow `$ref` and the one branch of `anyOf` that is not null; keep `$defs` within reach."""
    definitions = root.get("$defs") or root.get("definitions") or {}
    seen = dict(schema)
    for _ in range(8):
        if "$ref" in seen:
            target = definitions.get(str(seen.pop("$ref")).rsplit("/", 1)[-1])
            seen = {**(target or {}), **seen}
            continue
        branches = seen.get("anyOf") or seen.get("oneOf") or seen.get("allOf")
        if not branches:
            break
        chosen: Schema = next((b for b in branches if b.get("type") != "null"), {})
        rest = {k: v for k, v in seen.items() if k not in ("anyOf", "oneOf", "allOf")}
        seen = {**chosen, **rest}
    return {**seen, "$defs": definitions} if definitions else seen


_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def accepts(param: Param, value: Json) -> bool:
    """Tell whether a value is valid for a parameter."""
    if not isinstance(value, _JSON_TYPES.get(param.kind, (object,))):
        return False
    if isinstance(value, bool) != (param.kind == "boolean"):
        return False
    if isinstance(value, list):
        return _accepts_list(param, value)
    if isinstance(value, dict):
        return accepts_all(properties(param.schema, param.schema), value)
    if param.options and value not in param.options:
        return False
    if isinstance(value, str):
        return _accepts_text(param, value)
    return not isinstance(value, int | float) or _in_range(param, value)


def accepts_all(wanted: tuple[Param, ...], values: dict[str, Json]) -> bool:
    """Tell whether an object has all it must have, and each of its values is valid."""
    return all(
        accepts(param, values[param.name]) if param.name in values else not param.required
        for param in wanted
    )


def _accepts_list(param: Param, value: list[Json]) -> bool:
    low, high = param.schema.get("minItems", 0), param.schema.get("maxItems", len(value))
    items = param.items
    return low <= len(value) <= high and (
        items is None or all(accepts(items, item) for item in value)
    )


def _accepts_text(param: Param, value: str) -> bool:
    schema = param.schema
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        return False
    pattern = schema.get("pattern")
    try:
        if pattern and not re.search(pattern, value):
            return False
    except re.error:
        return True
    shape = _FORMATS.get(str(schema.get("format")))
    return shape is None or shape.fullmatch(value) is not None


_FORMATS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "date-time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*"),
    "time": re.compile(r"\d\d:\d\d(:\d\d)?.*"),
    "email": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "uri": re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE),
}


def _in_range(param: Param, value: float) -> bool:
    schema = param.schema
    return (
        value >= schema.get("minimum", value)
        and value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
    )
