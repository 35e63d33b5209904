"""What can be found of a tool, and how much each of its words weighs.

A word weighs by the fields it stands in, a name more than a description, long fields damped, and
saturated (BM25F). A tool that needs many arguments weighs a little less: a message seldom says that
much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from rollcall.registry.wording import words

FULL = 255
"""What a word weighs at most."""

# How much a word counts by the field it stands in, and how far the field's length damps it.
_FIELDS = {
    "name": (2.5, 0.4),
    "keywords": (2.5, 0.4),
    "examples": (1.5, 0.5),
    "description": (1.0, 0.4),
    "parameters": (0.6, 0.5),
}
_SATURATION = 1.5
_DEMAND, _MOST_NEEDED = 0.07, 8


class Searchable(Struct, frozen=True):
    """What can be found of a tool.

    Attributes:
        names: Display names, of all languages.
        examples: What users say when they want it.
        parameters: Names, each with its description and allowed values.
        required: How many arguments a call must have.
    """

    id: str
    names: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    required: int = 0


def postings(tools: Sequence[Searchable]) -> dict[str, list[tuple[int, int]]]:
    """Return the tools that have each word, by place, with its weight in each, 1..FULL."""
    fields = [_field_words(tool) for tool in tools]
    averages = {name: _average([found[name].total() for found in fields]) for name in _FIELDS}
    found: dict[str, list[tuple[int, int]]] = {}
    for place, tool in enumerate(tools):
        demand = 1 + _DEMAND * min(tool.required, _MOST_NEEDED)
        for word, weight in _weights(fields[place], averages):
            found.setdefault(word, []).append((place, max(1, round(FULL * weight / demand))))
    return found


def _field_words(tool: Searchable) -> dict[str, Counter[str]]:
    texts = {
        "name": [tool.id, *tool.names],
        "keywords": tool.keywords,
        "examples": tool.examples,
        "description": [tool.description],
        "parameters": [part for parameter in tool.parameters for part in parameter],
    }
    return {name: Counter(words("\n".join(parts))) for name, parts in texts.items()}


def _average(lengths: Sequence[int]) -> float:
    """The mean length of a field where there is any."""
    filled = [length for length in lengths if length]
    return sum(filled) / len(filled) if filled else 1.0


def _weights(
    fields: dict[str, Counter[str]], averages: dict[str, float]
) -> Iterator[tuple[str, float]]:
    """Each word of a tool with its weight, 0..1."""
    weights: dict[str, float] = {}
    for name, (boost, damping) in _FIELDS.items():
        length = 1 - damping + damping * fields[name].total() / averages[name]
        for word, times in fields[name].items():
            weights[word] = weights.get(word, 0.0) + boost * times / length
    return ((word, weight / (weight + _SATURATION)) for word, weight in weights.items())
