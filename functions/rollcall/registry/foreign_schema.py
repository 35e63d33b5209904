"""JSON schemas that others wrote, for capabilities registered by a document.

A schema is a small program, so not everything in it is let near this process: nothing that is
fetched from elsewhere, nothing that refers to itself, no regular expression that may take for ever.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Any

MAX_CHARS = 30_000
MAX_DEPTH = 16
MAX_SOUND = 50_000
_sound: set[bytes] = set()
"""Digests of schemas that were found in order: checking one takes milliseconds, and a registry that
is compiled anew has thousands that did not change."""
_REFUSED = {
    "$ref": "write out what it refers to",
    "$dynamicRef": "write out what it refers to",
    "$recursiveRef": "write out what it refers to",
    "$id": "leave it out",
    "patternProperties": "use additionalProperties",
    "unevaluatedProperties": "use additionalProperties",
    "unevaluatedItems": "use items",
}
_OPEN = {"additionalProperties", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"}
"""Keywords that name arguments, or allow others, beside `properties`."""
_NAMING = ("properties", "$defs", "definitions", "dependentSchemas")
"""Keywords under which the keys are names."""
_VALUES = ("enum", "const", "default", "examples", "required", "dependentRequired")
"""Keywords under which there is no schema."""


def check_schema(schema: dict[str, Any]) -> None:
    """
    Raises:
        ValueError: It is no JSON schema, is larger or deeper than is taken, or uses what is not.
    """
    from jsonschema import Draft202012Validator, SchemaError

    text = json.dumps(schema)
    if len(text) > MAX_CHARS:
        raise ValueError(f"jsonSchema has more than {MAX_CHARS:,} characters")
    digest = sha256(text.encode()).digest()
    if digest in _sound:
        return
    for node in nodes(schema):
        for keyword, instead in _REFUSED.items():
            if keyword in node:
                raise ValueError(f"jsonSchema uses {keyword!r}, which is not taken: {instead}")
        if isinstance(pattern := node.get("pattern"), str):
            _matcher(pattern)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"jsonSchema is none: {error.message[:200]}") from None
    if len(_sound) >= MAX_SOUND:
        _sound.clear()
    _sound.add(digest)


def check_arguments(schema: dict[str, Any]) -> None:
    """
    Raises:
        ValueError: It is no object with an object for each argument, which is what providers take.
    """
    properties = schema.get("properties", {})
    is_object = schema.get("type") == "object" and isinstance(properties, dict)
    if not is_object or not all(isinstance(item, dict) for item in properties.values()):
        raise ValueError("jsonSchema describes no object of arguments, each with a schema")


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without room for arguments that it does not name, unless it says that there is.

    What it does not name nobody has described to whoever approves, and no policy looks at.
    """
    if schema.keys() & _OPEN:
        return schema
    return {**schema, "additionalProperties": False}


def errors(schema: dict[str, Any], value: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """What of `value` does not fit a checked schema: where, and what is wrong; nearest first."""
    found = _validator(json.dumps(schema, sort_keys=True)).iter_errors(value)
    places = ((tuple(each.absolute_path), str(each.message)) for each in found)
    return sorted(places, key=lambda each: len(each[0]))


def nodes(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema, itself included.

    Raises:
        ValueError: It is nested too deep.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"jsonSchema is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, list):
        for item in value:
            yield from nodes(item, depth)
    if not isinstance(value, dict):
        return
    yield value
    for key, item in value.items():
        if key in _NAMING and isinstance(item, dict):
            for inner in item.values():
                yield from nodes(inner, depth + 1)
        elif key not in _VALUES:
            yield from nodes(item, depth + 1)


@lru_cache(1_000)
def _matcher(pattern: str) -> Any:
    """A regular expression that takes linear time, whatever it is and whatever it reads.

    Raises:
        ValueError: It is none, or needs to look around or back.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        raise ValueError(f"jsonSchema has a pattern that is not taken: {pattern[:100]!r}") from None


@lru_cache(1_000)
def _validator(schema_text: str) -> Any:
    from jsonschema import Draft202012Validator, ValidationError, validators
    from referencing import Registry

    def pattern(validator: Any, wanted: str, value: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not _matcher(wanted).isinstance_python(value):
            yield ValidationError(f"{value[:100]!r} does not match {wanted[:100]!r}")

    keywords = {"pattern": pattern}
    linear = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]
    return linear(json.loads(schema_text), registry=Registry())  # which fetches nothing
