"""`types`: the app's capabilities as TypeScript, for `rollcall.call()` of the JavaScript client.

The file declares a global interface `RollcallCapabilities`, with each capability's arguments and
result by its id. With it in a project, `call()` knows the ids, and checks what is sent and read.
"""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema

from rollcall.commands.app import find_app, require_app
from rollcall.commands.output import say
from rollcall.core.capability import Capability

Schema = Mapping[str, Any]

FILE = "rollcall.d.ts"
COMMAND = "python -m rollcall types"
_HEAD = f"// Made of the app's capabilities by `{COMMAND}`; do not edit.\n\n"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_REFERENCE = "#/$defs/"


def run(options: Namespace) -> int:
    """Write the file."""
    app = require_app(find_app())
    app.load_environment("", emulator=False, env=os.environ)
    app.check_definitions()
    file = Path(options.file) if options.file else app.root / FILE
    text = render(app.catalog.capabilities())
    is_current = file.is_file() and file.read_bytes() == text.encode()
    if not is_current:
        file.write_bytes(text.encode())
    say(f"{'unchanged' if is_current else 'written'}: {file}")
    return 0


def render(capabilities: Iterable[Capability]) -> str:
    """The text of the file: server capabilities by id, in alphabetical order."""
    body = ""
    for each in sorted(capabilities, key=lambda each: each.id):
        if each.mark.runs_on != "server":
            continue
        arguments: Schema = each.arguments.model_json_schema(by_alias=True)
        try:
            result = TypeAdapter(each.returns).json_schema(
                by_alias=True, mode="serialization", schema_generator=_AnswerSchema
            )
        except PydanticUserError as error:  # a type without a schema: any JSON
            say(f"{each.id}: the result has no schema, so it is `any`: {error.message}")
            result = {}
        body += f"{comment(each.description, indent='    ')}    {each.id}: {{\n"
        for name, schema in (("arguments", arguments), ("result", result)):
            shape = type_of(
                schema,
                definitions=schema.get("$defs", {}),
                indent="      ",
                is_answer=name == "result",
            )
            body += f"      {name}: {shape};\n"
        body += "    };\n"
    return (
        f"{_HEAD}declare global {{\n  interface RollcallCapabilities {{\n{body}  }}\n}}\n\n"
        "export {};\n"
    )


class _AnswerSchema(GenerateJsonSchema):
    """The schema of a value that is sent, with every field that has a default."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        if field["type"] == "typed-dict-field":
            return super().field_is_required(field, total)
        return "serialization_exclude_if" not in field


def type_of(
    schema: Schema,
    *,
    definitions: Schema | None = None,
    indent: str = "",
    is_answer: bool = False,
    no_null: bool = False,
    inside: tuple[str, ...] = (),
) -> str:
    """A JSON schema as a TypeScript type.

    Args:
        definitions: Shapes by name, to be written in the place of their name; None to name them.
        is_answer: Whether it comes from the server, so that a field that is null may be missing.
        no_null: Whether null is left out, since the field may be missing.
        inside: Shapes that this is a part of: one that holds itself is any JSON there.
    """

    def inner(part: Schema, **more: Any) -> str:
        given = {"definitions": definitions, "indent": indent, "inside": inside, **more}
        return type_of(part, is_answer=is_answer, **given)

    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(_REFERENCE)
        if definitions is None:
            return name
        return "any" if name in inside else inner(definitions[name], inside=(*inside, name))
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema.get("enum", [schema.get("const")]))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            branches = [each for each in schema[key] if not no_null or each.get("type") != "null"]
            return " | ".join(dict.fromkeys(inner(each) for each in branches))
    kind = schema.get("type")
    if kind == "array":
        item = inner(schema.get("items", {}))
        return f"({item})[]" if " | " in item else f"{item}[]"
    if kind == "object":
        if definitions is None or "properties" not in schema:
            values = schema.get("additionalProperties")
            return f"Record<string, {inner(values) if isinstance(values, dict) else 'any'}>"
        lines = []
        for name, given in schema["properties"].items():
            is_null = {"type": "null"} in given.get("anyOf", ()) or None in given.get("enum", ())
            may_lack = (is_answer and is_null) or name not in schema.get("required", ())
            found = inner(given, indent=f"{indent}  ", no_null=may_lack and not is_answer)
            key = name if name.isidentifier() else json.dumps(name)
            lines.append(f"{indent}  {key}{'?' if may_lack else ''}: {found};\n")
        return f"{{\n{''.join(lines)}{indent}}}"
    return "null" if kind == "null" else _PLAIN[kind] if kind else "any"


def comment(text: str | None, *, indent: str = "") -> str:
    """A text as a documentation comment; nothing for none."""
    if not text:
        return ""
    lines = text.replace("*/", "* /").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    stars = [f"{indent} * {line}".rstrip() for line in lines]
    return "\n".join([f"{indent}/**", *stars, f"{indent} */"]) + "\n"
