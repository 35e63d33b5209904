"""Writes the wire's shapes as TypeScript: python -m dev.wire_types

`clients/js/types/wire.d.ts` is made of `rollcall/core/wire.py` and never edited; a test says that
it is current.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import models_json_schema

from dev.paths import ROOT
from rollcall.commands.types import comment, type_of
from rollcall.core import wire

FILE = ROOT / "clients" / "js" / "types" / "wire.d.ts"
_HEAD = "// Made of functions/rollcall/core/wire.py by `make format`; do not edit.\n"
_REFERENCE = "#/$defs/"

Schema = dict[str, Any]


def main() -> int:
    FILE.write_text(render(), encoding="utf-8")
    print(f"{FILE.relative_to(ROOT)} is written.")
    return 0


def render() -> str:
    """The text of the file: an interface for each shape, a type for each list of words."""
    definitions = _definitions()
    sent = _with_references(definitions, [name for name in definitions if _is_sent(name)])
    declared = [
        _declaration(name, schema, is_sent=name in sent) for name, schema in definitions.items()
    ]
    return "\n".join([_HEAD, *declared])


def _definitions() -> dict[str, Schema]:
    """JSON schemas of all shapes of the wire, by name."""
    shapes = [
        each
        for each in vars(wire).values()
        if isinstance(each, type) and issubclass(each, wire.Wire) and each is not wire.Wire
    ]
    _, schema = models_json_schema([(each, "validation") for each in shapes], by_alias=True)
    found: dict[str, Schema] = schema["$defs"]
    return dict(sorted(found.items()))


def _is_sent(name: str) -> bool:
    """Whether clients send this shape; functions answer with the others."""
    return name.endswith(("Request", "Call"))


def _with_references(definitions: dict[str, Schema], names: list[str]) -> set[str]:
    """These shapes and those that they refer to."""
    reached: set[str] = set()
    while names:
        name = names.pop()
        if name not in reached:
            reached.add(name)
            text = json.dumps(definitions[name])
            names += [each for each in definitions if f'"{_REFERENCE}{each}"' in text]
    return reached


def _declaration(name: str, schema: Schema, *, is_sent: bool) -> str:
    described = comment(schema.get("description"))
    if schema["type"] != "object":
        return f"{described}export type {name} = {type_of(schema)};\n"
    required = schema.get("required", [])
    lines = []
    for key, given in schema["properties"].items():
        # What is answered lacks the fields that are not set, and no others.
        may_lack = key not in required and (is_sent or given.get("default", "") is None)
        lines.append(f"  {key}{'?' if may_lack else ''}: {type_of(given, no_null=may_lack)};\n")
    return f"{described}export interface {name} {{\n{''.join(lines)}}}\n"


if __name__ == "__main__":
    raise SystemExit(main())
