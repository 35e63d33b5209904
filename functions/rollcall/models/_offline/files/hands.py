"""Which of the offered tools list, read, search and change files, and run commands: told by what
they take, whatever they are called and whoever they are from."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import astuple

from rollcall.core.messages import Json
from rollcall.models._offline.lexicon import spaced
from rollcall.models._offline.plan import Call
from rollcall.models._offline.schema import Param, params
from rollcall.models.base import ToolSpec

_FEWEST = 3


class Hands(Struct, frozen=True):
    """The tool for each kind of work; None where none is offered."""

    lists: ToolSpec | None = None
    reads: ToolSpec | None = None
    searches: ToolSpec | None = None
    writes: ToolSpec | None = None
    edits: ToolSpec | None = None
    runs: ToolSpec | None = None

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return tuple(tool for tool in astuple(self) if tool)


def hands_of(tools: Sequence[ToolSpec]) -> Hands | None:
    """The file tools among the offered ones; None where they are too few to work with files."""
    found: dict[str, ToolSpec] = {}
    for tool in tools:
        if kind := _kind(tool):
            found.setdefault(kind, tool)
    return Hands(**found) if len(found) >= _FEWEST and "reads" in found else None


def _kind(tool: ToolSpec) -> str | None:
    takes = {param.label: param for param in params(tool)}
    needs = {label for label, param in takes.items() if param.required}
    if "command" in needs and "path" not in needs:
        return "runs"
    if "path" not in takes:
        return None
    if needs >= {"path", "old text", "new text"}:
        return "edits"
    if needs >= {"path", "content"}:
        return "writes" if tool.writes else None
    if tool.writes or needs - {"path", "query"}:
        return None
    if "query" in needs:
        return "searches"
    return "lists" if "depth" in takes or spaced(tool.name).startswith("list") else "reads"


def call(tool: ToolSpec, **given: Json) -> Call:
    """A call with arguments by their names as words, `old_text` for oldText; what the tool does
    not take, what is None, and what it takes anyway is left out."""
    values = {}
    for param in params(tool):
        value = given.get(param.label.replace(" ", "_"))
        if value is not None and value != param.schema.get("default"):
            values[param.name] = value
    return Call(tool.name, values)


def takes(tool: ToolSpec, name: str) -> bool:
    """Whether a tool has a parameter, by its name as words."""
    return _param(tool, name) is not None


def argument(tool: ToolSpec, arguments: dict[str, Json] | None, name: str) -> Json:
    """What a call was given for a parameter, by its name as words; its default without that."""
    param = _param(tool, name)
    return None if param is None else (arguments or {}).get(param.name, param.schema.get("default"))


def most(tool: ToolSpec, name: str) -> int | None:
    """The largest value that a tool takes for a number."""
    param = _param(tool, name)
    maximum = param.schema.get("maximum") if param else None
    return int(maximum) if maximum is not None else None


def _param(tool: ToolSpec, name: str) -> Param | None:
    return next((p for p in params(tool) if p.label.replace(" ", "_") == name), None)
