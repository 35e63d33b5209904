"""A tool's parameters as the planner reads them, and the words that a tool is asked for with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import terms, words
from rollcall.core.texts import TEXTS
from rollcall.models.base import ToolSpec
from rollcall.models.planner.mentions import Unit, unit_of, wording, wordset

Schema = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")

_IDENTIFIER = re.compile(r"[_.\-/$\s]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNIT_SAID = re.compile(r"(?:, |\bin |\()([A-Za-zµΩ°%$]{1,5})(?=[),.;:\s]|$)|([^\W\d_]{3,})")


def spaced(name: str) -> str:
    """Write an identifier as words: "maxResults" and "MAX_RESULTS" read "max results"."""
    name = name.lower() if "_" in name and name.isupper() else name
    parts = _IDENTIFIER.sub(" ", name).split()
    return " ".join(part if part[:2].isupper() else part.lower() for part in parts)


class Parameter(Struct, frozen=True, dict=True):
    """One property of an object schema, with other names that people have for it.

    Attributes:
        root: What it is about without its unit: a length in feet and one in metres are one thing.
    """

    name: str
    schema: Schema
    required: bool
    aliases: tuple[str, ...] = ()
    root: str = ""

    @cached_property
    def kind(self) -> str:
        """Its JSON type."""
        declared = self.schema.get("type")
        if isinstance(declared, list):
            declared = next((each for each in declared if each != "null"), None)
        return str(declared or ("object" if "properties" in self.schema else "string"))

    @cached_property
    def items(self) -> Schema:
        """The schema of an array's items."""
        return self.schema.get("items") or {}

    @cached_property
    def options(self) -> tuple[Json, ...]:
        """The values it accepts, where they are listed; an array's are its items'."""
        of = self.items if self.kind == "array" else self.schema
        listed = (of["const"],) if "const" in of else of.get("enum", ())
        return tuple(value for value in listed if value is not None)

    @cached_property
    def description(self) -> str:
        return str(self.schema.get("description") or "")

    @cached_property
    def label(self) -> str:
        return spaced(self.name)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The unit that its name ends in, or those that its description names."""
        _, _, last = self.label.rpartition(" ")
        if " " in self.label and (unit := unit_of(last)):
            return (unit,)
        are_numbers = all(str(each)[:1].isdigit() for each in self.options)
        if self.kind == "boolean" or (self.kind == "string" and not are_numbers):
            return ()
        said = (m[1] or m[2] for m in _UNIT_SAID.finditer(self.description))
        found = dict.fromkeys(u for w in said if w not in ("in", "a") and (u := unit_of(w)))
        return tuple(u for u in found if self.kind != "string" or u.dimension != "text")

    @cached_property
    def core(self) -> frozenset[str]:
        """The stems that tell it from others: its name without units and words such as "number"."""
        parts = self.label.split()
        named = parts[:-1] if len(parts) > 1 and unit_of(parts[-1]) else parts
        stems = frozenset(words(" ".join(named)))
        return stems - wordset("generic") or stems

    @cached_property
    def called(self) -> tuple[str, ...]:
        """What people write beside its value: its name, the name of what it identifies, aliases."""
        base = re.sub(r" (?:name|id|ids|number|description|text|type)$", "", self.label)
        return tuple(dict.fromkeys((self.label, base, *self.aliases)))

    @cached_property
    def refers_to(self) -> str:
        """What an id parameter identifies: "conversation" for conversationId or -Ids; or ""."""
        base, _, last = self.label.rpartition(" ")
        return base if last in ("id", "ids") and self.kind in ("string", "array") else ""

    @property
    def may_be_empty(self) -> bool:
        """Whether its description says what an empty text stands for, such as all there is."""
        return self.kind == "string" and '""' in self.description

    @property
    def identifies(self) -> bool:
        """Whether it says which thing is meant, by its id, its name or its number."""
        return bool(self.refers_to) or self.label.rpartition(" ")[2] in ("name", "number")

    def means(self, *roles: str) -> bool:
        """Tell whether its name has a word of a role in `offline.words.roles`, such as "person"."""
        return any(not wordset(f"roles.{each}").isdisjoint(self.label.split()) for each in roles)

    def accepts(self, value: Json) -> bool:
        """Tell whether a value is valid by its schema."""
        from jsonschema import Draft202012Validator

        try:
            return bool(Draft202012Validator(self.schema).is_valid(value))
        except re.error:  # a pattern of another language's regular expressions
            return True


def read_once(read: Callable[Concatenate[ToolSpec, P], T]) -> Callable[Concatenate[ToolSpec, P], T]:
    """Keep with a tool what a function reads of it, as `cached_property` does: every tool is read
    at each step."""

    @wraps(read)
    def kept(tool: ToolSpec, /, *args: P.args, **options: P.kwargs) -> T:
        key = f"{read.__qualname__} {options}"
        if key not in tool.__dict__:
            tool.__dict__[key] = read(tool, *args, **options)
        found: T = tool.__dict__[key]
        return found

    return kept


@read_once
def parameters(tool: ToolSpec) -> tuple[Parameter, ...]:
    """Return a tool's parameters, in the order of its schema."""
    schema = tool.parameters
    properties = schema.get("properties") or {}
    labels = {spaced(name) for name in properties}
    required = schema.get("required") or ()
    return tuple(
        Parameter(name, _merged(of), name in required, tool.aliases.get(name, ()), root)
        for name, of in properties.items()
        if isinstance(of, dict) and (root := _root(spaced(name), labels))
    )


def _root(label: str, labels: set[str]) -> str:
    base, _, last = label.rpartition(" ")
    is_told = last in ("id", "ids", "name", "number") or {f"{base} id", f"{base} number"} & labels
    return base if base and (is_told or unit_of(last)) else label


def _merged(schema: Schema) -> Schema:
    """Return a schema with the first branch of a union that is not null."""
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    chosen: Schema = next((each for each in branches if each.get("type") != "null"), {})
    return {**schema, **chosen} if chosen else schema


def arguments_shown(tool: ToolSpec) -> list[dict[str, Json]]:
    """Return the arguments of a tool's examples."""
    given = [each.get("parameters") for each in tool.examples]
    return [each for each in given if isinstance(each, dict)]


@read_once
def vocabulary(tool: ToolSpec, *, whole: bool = False) -> frozenset[str]:
    """Return the stems with which a message asks for a tool and says nothing else: without those of
    its examples' values.

    Args:
        whole: With all that the tool and its parameters are described by.
    """
    every = parameters(tool)
    labels = [spaced(tool.name), *(" ".join((p.label, *p.aliases)) for p in every)]
    said = [*tool.keywords, tool.description.partition(". ")[0]]
    if whole:
        said += [tool.description, *(p.description for p in every)]
        said += [str(each.get("userRequest", "")) for each in tool.examples]
    named = set(words(spaced(tool.name)))
    said += [other for label, other in _labels() if label <= named]
    values = {s for each in arguments_shown(tool) for text in _texts(each) for s in terms(text)}
    verbs = verbs_of(tool) if tool.writes else frozenset[str]()
    return frozenset((set(words(" ".join(said))) - values) | set(words(" ".join(labels))) | verbs)


@cache
def _labels() -> list[tuple[set[str], str]]:
    """Return the stems of each label's English words with what it is called in another language."""
    found = TEXTS.every("offline.words.labels")
    return [(set(words(name)), other) for each in found for name, other in each.items()]


@read_once
def verbs_of(tool: ToolSpec) -> frozenset[str]:
    """Return the stems of the verbs that ask for a write: the first words of its name and its
    keywords, and verbs of the same kind (`offline.words.verbs`)."""
    verbs = {words(each)[0] for each in (spaced(tool.name), *tool.keywords) if words(each)}
    kinds = [wordset(f"verbs.{kind}") for kind in wording("verbs")]
    verbs = verbs.union(*(kind for kind in kinds if not kind.isdisjoint(verbs)))
    called = [words(each) for p in parameters(tool) for each in p.called]
    return frozenset(verbs.difference(*(each for each in called if len(each) == 1)))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
