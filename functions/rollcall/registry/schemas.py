"""JSON schemas of capabilities that are registered by a document.

A schema is a small program, so this process accepts only safe ones: nothing that is fetched from
elsewhere, no recursion, no regular expression that may run forever. An accepted schema is
normalised to the one form that every provider accepts: references are inlined, unions and
intersections of objects become one object, annotations are dropped, and every argument gets a
description. Others are refused with a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

MAX_CHARS = 30_000
MAX_DEPTH = 16
MAX_VALID = 50_000
_valid: set[bytes] = set()
"""Digests of schemas that passed the checks: checking one takes milliseconds, and a new compilation
of the registry has thousands of unchanged ones."""
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
"""Keywords beside `properties` that name arguments or allow others."""
_NAMING = ("properties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose value maps names to schemas."""
_VALUES = ("enum", "const", "default", "examples", "required", "dependentRequired")
"""Keywords whose value holds no schemas."""


def check_schema(schema: dict[str, Any]) -> None:
    """Check a JSON schema.

    Raises:
        ValueError: It is not a JSON schema, is too large or too deep, or uses a refused keyword.
    """
    from jsonschema import Draft202012Validator, SchemaError

    text = json.dumps(schema)
    if len(text) > MAX_CHARS:
        raise ValueError(f"jsonSchema has more than {MAX_CHARS:,} characters")
    digest = sha256(text.encode()).digest()
    if digest in _valid:
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
        raise ValueError(f"jsonSchema is not a JSON schema: {error.message[:200]}") from None
    if len(_valid) >= MAX_VALID:
        _valid.clear()
    _valid.add(digest)


def check_arguments(schema: dict[str, Any]) -> None:
    """Check that a schema describes an object of arguments, as providers require.

    Raises:
        ValueError: It is not an object with a schema for each argument.
    """
    properties = schema.get("properties", {})
    is_object = schema.get("type") == "object" and isinstance(properties, dict)
    if not is_object or not all(isinstance(item, dict) for item in properties.values()):
        raise ValueError("jsonSchema describes no object of arguments, each with a schema")


def without_additional(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with additional arguments refused, unless it allows them.

    An unnamed argument has no description for the person who approves, and no policy checks it.
    """
    if schema.keys() & _OPEN:
        return schema
    return {**schema, "additionalProperties": False}


def errors(schema: dict[str, Any], value: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Return where and why `value` does not fit a checked schema, outermost places first."""
    problems = _validator(json.dumps(schema, sort_keys=True)).iter_errors(value)
    places = ((tuple(each.absolute_path), str(each.message)) for each in problems)
    return sorted(places, key=lambda each: len(each[0]))


def nodes(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield every schema inside a schema, itself included.

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
    """Return a validator for a regular expression, which takes linear time for any text.

    Raises:
        ValueError: It is not a regular expression, or needs lookaround or backreferences.
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
    return linear(json.loads(schema_text), registry=Registry())  # an empty one: fetches nothing


MAX_NODES = 2_000
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NOTES = {
    *("$schema", "$comment", "$anchor", "$dynamicAnchor", "title", "$defs", "definitions"),
    *("discriminator", "readOnly", "writeOnly", "nullable"),
}
_NOT_ON_TOP = ("enum", "not")
"""Keywords beside the arguments for which a provider refuses a whole request."""
_TYPES: dict[str, Any] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}

_Node = dict[str, Any]


def normalise(schema: Any) -> _Node:
    """Return the schema of an object of arguments in the form that models get and calls are
    checked by.

    Raises:
        ValueError: It is not a JSON schema of an object, is recursive, refers elsewhere, has names
            that providers refuse, or is too large or too deep.
    """
    if not isinstance(schema, dict):
        raise ValueError("jsonSchema is no object")
    try:
        text = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"jsonSchema is no JSON: {error}") from None
    if len(text) > MAX_CHARS:
        raise ValueError(f"jsonSchema has more than {MAX_CHARS:,} characters")
    plain = _Plain(schema).node(schema, (), 0)
    plain = _one_object(plain)
    if plain.get("type", "object") != "object":
        raise ValueError("jsonSchema must describe an object, since arguments are one")
    plain = {"type": "object", **plain}
    plain.setdefault("properties", {})
    for keyword in _NOT_ON_TOP:
        if keyword in plain:
            raise ValueError(f"jsonSchema has {keyword!r} beside its arguments, which is not taken")
    for node in nodes(plain):  # providers refuse a request if a required name has no schema
        known, required = node.get("properties"), node.get("required", [])
        if isinstance(known, dict) and _are_names(required):  # otherwise `check_schema` refuses it
            for name in required:
                if name not in known:
                    what = f"jsonSchema requires {name[:80]!r}, which its properties do not name"
                    raise ValueError(what)
    # An argument without a description gets its name in words.
    properties = {}
    for name, item in plain["properties"].items():
        text = item.get("description")
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
        described = {**item, "description": " ".join(words).capitalize() or name}
        properties[name] = item if isinstance(text, str) and text.strip() else described
    plain = {**plain, "properties": properties}
    check_schema(plain)
    return plain


def schema_of_parameters(parameters: Sequence[_Node]) -> _Node:
    """Return the JSON schema of a flat list of parameters: name, type, required, description, enum
    and default of each.

    Raises:
        ValueError: A parameter has no name, another's name, or an unknown type.
    """
    properties: _Node = {}
    required = []
    for number, parameter in enumerate(parameters):
        name, kind = parameter.get("name"), parameter.get("type", "string")
        if not isinstance(name, str) or not name:
            raise ValueError(f"parameters.{number} has no name")
        if name in properties:
            raise ValueError(f"parameters.{number} has the name {name[:80]!r} of another")
        if not isinstance(kind, str) or kind not in _TYPES:
            raise ValueError(
                f"parameters.{number} has the type {str(kind)[:40]!r}; "
                f"there are {', '.join(sorted(_TYPES))}"
            )
        if not isinstance(parameter.get("required") or False, bool):
            raise ValueError(f"parameters.{number} has a required that is neither true nor false")
        keys = ("description", "enum", "default")
        properties[name] = {
            "type": kind,
            **{key: parameter[key] for key in keys if parameter.get(key) not in (None, "", [])},
        }
        if parameter.get("required"):
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


class _Plain:
    """Inlines a schema's references, and drops annotations."""

    def __init__(self, root: _Node) -> None:
        self._root = root
        self._left = MAX_NODES

    def node(self, node: Any, path: tuple[str, ...], depth: int) -> _Node:
        """Return the plain form of one schema inside the schema.

        Args:
            path: The references that were followed to it.
        """
        if depth > MAX_DEPTH:
            raise ValueError(f"jsonSchema is nested deeper than {MAX_DEPTH} levels")
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"jsonSchema has more than {MAX_NODES:,} parts, each $ref written out")
        if node is True:
            return {}
        if not isinstance(node, dict):
            raise ValueError(f"jsonSchema has {str(node)[:40]!r} where a schema belongs")
        if "$ref" in node:
            return self._resolve_reference(node, path, depth)
        plain: _Node = {}
        for key, value in node.items():
            if key in _NOTES:
                continue
            if key == "required" and not _are_names(value):
                raise ValueError("jsonSchema has a required that is no list of names")
            if key == "properties":
                plain[key] = self._properties(value, path, depth)
            elif key in ("items", "additionalProperties", "not", "contains") and value is not False:
                plain[key] = self.node(value, path, depth + 1)
            elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
                if not isinstance(value, list) or not value:
                    raise ValueError(f"jsonSchema has an {key} that lists nothing")
                plain[key] = [self.node(each, path, depth + 1) for each in value]
            else:
                plain[key] = value
        if "required" in plain:
            # An argument that may be null becomes optional.
            properties = node.get("properties")
            items = properties if isinstance(properties, dict) else {}
            plain["required"] = [
                name for name in plain["required"] if not self._takes_null(items.get(name), 0)
            ]
        return _with_values(_without_unions(plain))

    def _takes_null(self, item: Any, depth: int) -> bool:
        if not isinstance(item, dict) or depth > MAX_DEPTH:
            return False
        if isinstance(item.get("$ref"), str):
            kind, _, name = item["$ref"].removeprefix("#/").partition("/")
            defined = self._root.get(kind)
            return isinstance(defined, dict) and self._takes_null(defined.get(name), depth + 1)
        kinds, values = item.get("type"), item.get("enum")
        options = [*_as_list(item.get("anyOf")), *_as_list(item.get("oneOf"))]
        return (
            (kinds == "null" or "null" in _as_list(kinds) or item.get("nullable") is True)
            or None in _as_list(values)
            or any(self._takes_null(option, depth + 1) for option in options)
        )

    def _resolve_reference(self, node: _Node, path: tuple[str, ...], depth: int) -> _Node:
        reference = node["$ref"]
        match = re.fullmatch(r"#/(\$defs|definitions)/([^/]+)", str(reference))
        subject = f"jsonSchema has a $ref to {str(reference)[:100]!r}"
        if match is None:
            raise ValueError(f"{subject}, which is not taken")
        if reference in path:
            raise ValueError(f"{subject}, which refers to itself")
        defined = self._root.get(match[1], {})
        name = match[2].replace("~1", "/").replace("~0", "~")
        if not isinstance(defined, dict) or name not in defined:
            raise ValueError(f"{subject}, which is not there")
        rest = {key: value for key, value in node.items() if key != "$ref"}
        target = defined[name]
        merged = {**target, **rest} if isinstance(target, dict) else target
        return self.node(merged, (*path, reference), depth + 1)

    def _properties(self, value: Any, path: tuple[str, ...], depth: int) -> _Node:
        if not isinstance(value, dict):
            raise ValueError("jsonSchema has properties that are no object")
        for name in value:
            if not _NAME.fullmatch(str(name)):
                raise ValueError(
                    f"jsonSchema has the argument {str(name)[:80]!r}; providers take 1 to 64 "
                    "letters, digits, dots, hyphens and underscores"
                )
        possible = {name: item for name, item in value.items() if item is not False}
        return {name: self.node(item, path, depth + 1) for name, item in possible.items()}


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _without_unions(node: _Node) -> _Node:
    """Return a schema with `type` lists and `oneOf` as `anyOf`, `const` as `enum`, null removed and
    `allOf` merged."""
    kinds = node.get("type")
    if isinstance(kinds, list):
        left = [kind for kind in kinds if kind != "null"]
        node = {key: value for key, value in node.items() if key != "type"}
        if len(left) == 1:
            node["type"] = left[0]
        elif left:
            node["anyOf"] = [{"type": kind} for kind in left]
    if "const" in node:
        node = {**node, "enum": [node["const"]]}
        del node["const"]
    if "oneOf" in node:
        if "anyOf" in node:
            raise ValueError("jsonSchema has an anyOf and a oneOf in one place, which is not taken")
        node = {**node, "anyOf": node["oneOf"]}
        del node["oneOf"]
    if "allOf" in node:
        parts = node["allOf"]
        rest = {key: value for key, value in node.items() if key != "allOf"}
        node = _merge([*parts, rest])
    options = node.get("anyOf")
    if options is not None:
        left = [option for option in options if option.get("type") != "null"]
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        if len(left) == 1:
            return _merge([left[0], rest])
        return {**rest, "anyOf": left} if left else rest
    return node


def _with_values(node: _Node) -> _Node:
    """Return a schema whose enum has only values of its type and no null, since an argument that
    may be null is optional. An array gets `items`: without it providers refuse a whole request."""
    if node.get("type") == "array":
        node = {"items": {}, **node}
    listed, kind = node.get("enum"), node.get("type")
    if not isinstance(listed, list):
        return node

    def is_of_type(value: Any) -> bool:
        if not isinstance(kind, str) or kind not in _TYPES:
            return True
        if isinstance(value, bool):
            return kind == "boolean"
        if kind == "integer" and isinstance(value, float):
            return value.is_integer()
        return isinstance(value, _TYPES[kind])

    left = list(filter(is_of_type, listed))
    left = [value for value in left if value is not None] or left
    if not left:
        what = f"no value of its type, {kind}" if listed else "no value"
        raise ValueError(f"jsonSchema has an enum with {what}")
    return {**node, "enum": left}


def _merge(parts: Iterable[_Node]) -> _Node:
    """Return one schema that is the intersection of several."""
    merged: _Node = {}
    for part in parts:
        for key, value in part.items():
            if key not in merged or merged[key] == value:
                merged[key] = value
            elif key == "items" and isinstance(value, dict) and isinstance(merged[key], dict):
                merged[key] = _merge([merged[key], value])
            elif key == "properties":
                both = merged[key].keys() & value.keys()
                same = {name: _merge([merged[key][name], value[name]]) for name in both}
                merged[key] = {**merged[key], **value, **same}
            elif key == "required":
                merged[key] = [*merged[key], *(name for name in value if name not in merged[key])]
            elif key in ("description", "default", "examples"):
                merged[key] = value
            else:
                raise ValueError(f"jsonSchema demands two things at once that differ in {key!r}")
    return merged


def _one_object(node: _Node) -> _Node:
    """Return a top-level union of objects as one object with the arguments of all: providers accept
    no union there. Arguments that all of them require stay required."""
    options = node.get("anyOf")
    if options is None:
        return node
    if any(option.get("type", "object") != "object" for option in options):
        raise ValueError("jsonSchema must describe an object, since arguments are one")
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    properties: _Node = dict(rest.get("properties", {}))
    for option in options:
        for name, item in option.get("properties", {}).items():
            properties[name] = _either(properties[name], item) if name in properties else item
    required = [
        name
        for name in options[0].get("required", ())
        if all(name in option.get("required", ()) for option in options)
    ]
    required += [name for name in rest.get("required", ()) if name not in required]
    return {**rest, "type": "object", "properties": properties, "required": required}


def _either(one: _Node, other: _Node) -> _Node:
    """Return the union of two schemas: their options side by side, or their enums in one list."""
    if one == other:
        return one
    if one.keys() == other.keys() == {"enum"}:
        return {
            "enum": [*one["enum"], *(each for each in other["enum"] if each not in one["enum"])]
        }
    known = one["anyOf"] if one.keys() == {"anyOf"} else [one]
    return {"anyOf": [*known, *([other] if other not in known else [])]}
