"""Makes the JSON schema that models get from a function's signature and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.alias_generators import to_camel
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from rollcall.core.definition import annotation_texts, one_line, unresolved, wrong

if TYPE_CHECKING:
    from docstring_parser import Docstring

MAX_SCHEMA_DEPTH = 12


class Arguments(BaseModel):
    """Base of the models made from signatures: camelCase on the wire, unknown fields refused."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        protected_namespaces=(),
        defer_build=True,  # a process knows many capabilities and validates the arguments of few
    )


def keywords(arguments: Arguments) -> dict[str, Any]:
    """Return validated arguments as the function's keyword arguments."""
    return {name: getattr(arguments, name) for name in type(arguments).model_fields}


def type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the evaluated annotations of a function, with their marks.

    Raises:
        DefinitionError: One is not defined.
    """
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:  # an annotation may be any expression
        raise unresolved(function, error) from error


def arguments_model(function: Callable[..., Any], hints: Mapping[str, Any]) -> type[Arguments]:
    """Make a pydantic model of the function's keyword-only parameters.

    Args:
        hints: Its `type_hints`.
    Raises:
        DefinitionError: A parameter has no type, or is neither the context nor keyword-only.
    """
    name = function.__name__
    fields: dict[str, Any] = {}
    first, *others = inspect.signature(function).parameters.values() or (None,)
    if first is None or first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        problem = "the first parameter is not the context"
        raise wrong(function, problem, f"Write `def {name}(ctx: ToolContext, *, ...)`")
    for parameter in others:
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name not in hints:
            hint = annotation_texts(function).get(parameter.name, "str")
            raise wrong(
                function,
                f"the parameter `{parameter}` is not keyword-only with a type",
                f"Write `def {name}(ctx: ToolContext, *, {parameter.name}: {hint})`",
                parameter=parameter.name,
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        info = FieldInfo.from_annotated_attribute(hints[parameter.name], default)
        fields[parameter.name] = (info.annotation, info)
    try:
        return create_model(f"{name}_arguments", __base__=Arguments, **fields)
    except (NameError, PydanticUserError) as error:  # pydantic refuses a parameter's name
        refused = next((each for each in fields if each in str(error)), None)
        cure = "Give the parameter another name"
        raise wrong(function, one_line(error), cure, parameter=refused) from error


def docstring(function: Callable[..., Any]) -> Docstring:
    """Parse the function's Google-style docstring.

    Raises:
        DefinitionError: A section cannot be read.
    """
    from docstring_parser import DocstringStyle, ParseError, parse

    try:
        return parse(inspect.getdoc(function) or "", style=DocstringStyle.GOOGLE)
    except ParseError as error:
        what = f"a section of the docstring cannot be read: {one_line(error)}"
        cure = "Write each argument below `Args:` as `    name: What it is.`"
        raise wrong(function, what, cure, text="Args:") from error


def description(parsed: Docstring) -> str:
    """Return the docstring's summary and body, without its sections."""
    parts = [parsed.short_description, parsed.long_description]
    return "\n".join(part.strip() for part in parts if part)


def described(parsed: Docstring) -> dict[str, str]:
    """Return the docstring's description of each parameter."""
    return {each.arg_name: each.description for each in parsed.params if each.description}


def json_schema(
    model: type[BaseModel], described: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the model's JSON schema in the form that providers accept: references inlined, no
    titles, optional fields without null.

    Args:
        described: Descriptions of fields by name, for fields that have none.
    Raises:
        TypeError: The types are recursive, or nest deeper than `MAX_SCHEMA_DEPTH`.
    """
    schema = model.model_json_schema(by_alias=True)
    schema.pop("description", None)  # the model's own docstring; the tool has its description
    plain: dict[str, Any] = _plain(schema, definitions=schema.pop("$defs", {}), depth=0)
    properties = plain.setdefault("properties", {})
    for name, text in (described or {}).items():
        info = model.model_fields.get(name)
        if info is not None and not info.description:
            properties[info.alias or name]["description"] = text
    return plain


def _plain(node: Any, *, definitions: dict[str, Any], depth: int) -> Any:
    """Return a schema without references, titles and nulls that only stand for a default.

    Raises:
        TypeError: It refers to itself, or is nested too deep.
    """
    if depth > MAX_SCHEMA_DEPTH:
        raise TypeError(f"it refers to itself, or nests deeper than {MAX_SCHEMA_DEPTH} levels")
    if isinstance(node, list):
        return [_plain(item, definitions=definitions, depth=depth) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        return _plain(node, definitions=definitions, depth=depth + 1)
    if options := node.get("anyOf"):
        # `X | None = None` is an argument that may be omitted, not one that may be null.
        left = [option for option in options if option != {"type": "null"}]
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        if rest.get("default", ...) is None:
            del rest["default"]
        node = {**left[0], **rest} if len(left) == 1 else {**rest, "anyOf": left}
        if "$ref" in node:
            return _plain(node, definitions=definitions, depth=depth + 1)
    plain = {}
    for key, value in node.items():
        if key == "properties":  # its keys are names, so one called "title" is not an annotation
            plain[key] = {
                name: _plain(item, definitions=definitions, depth=depth + 1)
                for name, item in value.items()
            }
        elif key not in {"title", "discriminator"}:
            plain[key] = _plain(value, definitions=definitions, depth=depth)
    return plain


def parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the registry's flat list of parameters: name, type, required, description, enum,
    default."""
    required = set(schema.get("required", ()))
    return [
        {
            "name": name,
            "type": "number" if item.get("type") == "integer" else str(item.get("type", "object")),
            "required": name in required,
            "description": item.get("description", ""),
            **{key: item[key] for key in ("enum", "default") if key in item},
        }
        for name, item in schema["properties"].items()
    ]
