"""What the offered tools need, with an example each, in the user's language: the part of the
prompt that follows the choice of tools.

The same tools in the same language give the same text, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rollcall.agent.fences import fenced_name
from rollcall.core.text import language
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.entries import Entry

TOKENS = 600
"""What the guidance of all tools may cost together, at four bytes a token."""
MAX_VALUES = 8
EXAMPLE_CHARS = 200
_WORDS = {
    "en": {"title": "The tools at hand:", "needs": "needs", "takes": "takes", "as in": "as in"},
    "he": {"title": "הכלים שברשותך:", "needs": "צריך", "takes": "מקבל", "as in": "לדוגמה"},
}


def guidance(entries: Sequence[Entry], locale: str) -> str:
    """The guidance of these tools; empty without any.

    What does not fit is left out: the examples first, the last tools' before the others'.
    """
    words = _WORDS.get(locale, _WORDS["en"])
    room = TOKENS * 4
    kept: list[tuple[Entry, str]] = []
    for entry in entries:
        line = _line(entry, locale, words)
        if (size := len(line.encode()) + 1) <= room:
            room -= size
            kept.append((entry, line))
    lines = []
    for entry, line in kept:
        example = _example(entry, locale)
        addition = f"; {words['as in']}: {example}" if example else ""
        if len(addition.encode()) > room:
            addition = ""
        room -= len(addition.encode())
        lines.append(line + addition)
    return "\n".join([words["title"], *lines]) if lines else ""


def spoken_of(entries: Sequence[Entry], locale: str, *, finds_more: bool) -> str:
    """What the agent could do, where no tool was chosen for the message: for who asks what it
    can. Empty without any."""
    if not entries:
        return ""
    names = [_name(entry, locale) for entry in entries]
    state = "No tool is at hand for this message."
    if finds_more:
        state = f"No tool was chosen for this message; {FIND_TOOLS} searches for what it needs."
    return f"{state} If the user asks what you can do, you help with: {', '.join(names)}."


def _name(entry: Entry, locale: str) -> str:
    name = entry.name(locale)
    return fenced_name(name) if entry.is_foreign else name


def _line(entry: Entry, locale: str, words: dict[str, str]) -> str:
    parts = [f"- {entry.id} ({_name(entry, locale)})"]
    if entry.is_foreign:  # its schema tells its arguments, as data
        return parts[0]
    schema = entry.spec.parameters
    required = set(schema.get("required", ()))
    arguments = list(_arguments(schema))
    for word, wanted in (("needs", True), ("takes", False)):
        told = [text for name, text in arguments if (name in required) is wanted]
        if told:
            parts.append(f"{words[word]} {', '.join(told)}")
    return "; ".join(parts)


def _arguments(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each argument by its name, with its values where it has few."""
    for name, item in schema.get("properties", {}).items():
        values = item.get("enum", [])
        listed = " | ".join(str(value) for value in values)
        yield name, f"{name} ({listed})" if 0 < len(values) <= MAX_VALUES else name


def _example(entry: Entry, locale: str) -> str:
    """What a user said and what it was called with; of others' tools nothing is repeated."""
    if entry.is_foreign:
        return ""
    examples = [each for each in entry.spec.examples if each.get("userRequest")]
    own = [each for each in examples if language(str(each["userRequest"])) == locale]
    for example in own or examples:
        arguments = json.dumps(example.get("parameters") or {}, ensure_ascii=False)
        text = f'"{example["userRequest"]}" → {arguments}'
        if len(text) <= EXAMPLE_CHARS:
            return text
    return ""
