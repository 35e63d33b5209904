"""A capability's arguments and examples, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollcall.commands.printing import short
from rollcall.commands.screen import Column, Screen

_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern")


def show_arguments(screen: Screen, schema: dict[str, Any]) -> None:
    properties = schema.get("properties", {})
    screen.title("Arguments")
    if not properties:
        screen.say("none", style="dim")
        return
    required = set(schema.get("required", ()))
    columns = [
        Column("Name", whole=True),
        Column("Type", whole=True),
        Column("Needed", whole=True),
        Column("Description"),
    ]
    rows = [
        (name, kind_of(item), "yes" if name in required else "", _description(item))
        for name, item in properties.items()
    ]
    screen.table(columns, rows)


def show_examples(screen: Screen, examples: Sequence[dict[str, Any]]) -> None:
    if examples:
        screen.title("Examples")
        rows = [
            (str(each.get("userRequest", "")), short(each.get("parameters"))) for each in examples
        ]
        screen.table([Column("Request"), Column("Arguments")], rows)


def kind_of(item: Any) -> str:
    """An argument's type in short, such as "string[]" or "number | string"."""
    if not isinstance(item, dict):
        return "any"  # as `true` says in a JSON schema
    if "anyOf" in item:
        kinds = dict.fromkeys(map(kind_of, item["anyOf"]))
        return " | ".join(kind for kind in kinds if kind != "null")
    kind = item.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(str(each) for each in kind if each != "null")
    if kind == "array":
        return f"{kind_of(item.get('items') or {})}[]"
    return str(kind)


def _description(item: dict[str, Any]) -> str:
    parts = [str(item.get("description", "")).strip()]
    if enum := item.get("enum"):
        parts.append(f"One of {', '.join(map(str, enum))}.")
    if limits := [f"{name} {item[name]}" for name in _LIMITS if name in item]:
        parts.append(f"({', '.join(limits)})")
    if item.get("default") not in (None, "", []):
        parts.append(f"Default: {short(item['default'])}.")
    return " ".join(filter(None, parts))
