"""A tool's parameters as the planner reads them, and the words that a tool is asked for with."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, wraps
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


class Parameter(Struct, frozen=True):
    """One property of an object schema, with other names that people have for it.

    Attributes:
        root: What it is about without its unit: a length in feet and one in metres are one thing.
        kind: Its JSON type.
        options: The values it accepts, where they are listed; an array's are its items'.
        units: The unit that its name ends in, or those that its description names.
        core: The stems that tell it from others: its name without units and words such as "number".
        called: What people write beside its value: its name, what it identifies, aliases.
        refers_to: What an id parameter identifies: "conversation" for conversationId or -Ids.
        identifies: Whether it says which thing is meant, by its id, its name or its number.
    """

    name: str
    schema: Schema
    required: bool
    label: str
    root: str
    description: str
    aliases: tuple[str, ...]
    kind: str
    options: tuple[Json, ...]
    units: tuple[Unit, ...]
    core: frozenset[str]
    called: tuple[str, ...]
    refers_to: str
    identifies: bool

    @property
    def may_be_empty(self) -> bool:
        """Whether its description says what an empty text stands for, such as all there is."""
        return self.kind == "string" and '""' in self.description

    @property
    def takes_words(self) -> bool:
        """Whether it needs words of the user's own, such as a message to send."""
        return self.required and self.means("content") and not self.refers_to

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
    properties = tool.parameters.get("properties") or {}
    labels, required = {spaced(name) for name in properties}, tool.parameters.get("required") or ()
    every = ((name, of) for name, of in properties.items() if isinstance(of, dict))
    return tuple(
        _parameter(name, of, name in required, tool.aliases.get(name, ()), labels)
        for name, of in every
    )


def _parameter(
    name: str, schema: Schema, required: bool, aliases: tuple[str, ...], labels: set[str]
) -> Parameter:
    # Of a union, the first branch that is not null.
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    schema = schema | next((each for each in branches if each.get("type") != "null"), {})
    kind = schema.get("type") or ("object" if "properties" in schema else "string")
    kind = next(each for each in kind if each != "null") if isinstance(kind, list) else str(kind)
    of = schema.get("items") or {} if kind == "array" else schema
    listed = (of["const"],) if "const" in of else of.get("enum", ())
    options = tuple(value for value in listed if value is not None)
    label, description = spaced(name), str(schema.get("description") or "")
    base, _, last = label.rpartition(" ")
    unit = unit_of(last) if base else None
    units = [unit] if unit else []
    are_numbers = all(str(each)[:1].isdigit() for each in options)
    if not unit and kind != "boolean" and (kind != "string" or are_numbers):
        said = (m[1] or m[2] for m in _UNIT_SAID.finditer(description))
        units = [u for word in said if word not in ("in", "a") and (u := unit_of(word))]
        units = [u for u in units if kind != "string" or u.dimension != "text"]
    stems = frozenset(words(base if unit else label))
    short = re.sub(r" (?:name|id|ids|number|description|text|type)$", "", label)
    is_id = last in ("id", "ids") and kind in ("string", "array")
    is_told = last in ("id", "ids", "name", "number") or {f"{base} id", f"{base} number"} & labels
    return Parameter(
        name,
        schema,
        required,
        label,
        root=base if base and (is_told or unit) else label,
        description=description,
        aliases=aliases,
        kind=kind,
        options=options,
        units=tuple(dict.fromkeys(units)),
        core=stems - wordset("generic") or stems,
        called=tuple(dict.fromkeys((label, short, *aliases))),
        refers_to=base if is_id else "",
        identifies=bool(is_id and base) or last in ("name", "number"),
    )


def shown_values(tool: ToolSpec, name: str) -> list[str]:
    """Return the values that a tool's examples have for a parameter."""
    given = [each.get("parameters") for each in tool.examples]
    return [str(each[name]) for each in given if isinstance(each, dict) and name in each]


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
    asked = {p.name for p in every if p.means("query") and not p.required}  # is a whole question
    shown = (t for p in every if p.name not in asked for t in shown_values(tool, p.name))
    values = {stem for each in shown for stem in terms(each)}
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
    keywords, and verbs of the same kind as its name's (`offline.words.verbs`)."""
    verbs = {words(each)[0] for each in (spaced(tool.name), *tool.keywords) if words(each)}
    kinds = [wordset(f"verbs.{kind}") for kind in wording("verbs")]
    own = words(spaced(tool.name))[:1]
    verbs = verbs.union(*(kind for kind in kinds if not kind.isdisjoint(own)))
    called = [words(each) for p in parameters(tool) for each in p.called]
    return frozenset(verbs.difference(*(each for each in called if len(each) == 1)))


@read_once
def searches(tool: ToolSpec) -> bool:
    """Tell whether a tool needs words to search for."""
    return any(each.required and each.means("query") for each in parameters(tool))


@read_once
def lists(tool: ToolSpec) -> bool:
    """Tell whether a tool lists things, so that its result can be looked through."""
    begins = {*words(tool.description)[:1], *words(spaced(tool.name))[:1]}
    is_limited = any(each.means("limit") for each in parameters(tool))
    is_open = not (tool.writes or any(each.required for each in parameters(tool)))
    return is_open and (is_limited or not begins.isdisjoint(wordset("listing")))
