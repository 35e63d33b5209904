"""The arguments of each tool, and their validation.

The server validates calls against its schemas. They are validated again here, because what runs on
this machine should not depend on a server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rollcall_cli.workspace.errors import ToolError

_CAPITAL = re.compile(r"[A-Z]")
_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Text:
    """A string. With `digest`, the 16 hexadecimal digits of a file's digest."""

    required: bool = False
    digest: bool = False

    def problem(self, value: object) -> str | None:
        if not isinstance(value, str):
            return "a text"
        if self.digest and not _DIGEST.fullmatch(value):
            return "the 16 hexadecimal digits that read_file gave as digest"
        return None


@dataclass(frozen=True, slots=True)
class Number:
    """An integer between `low` and `high`, inclusive."""

    low: int
    high: int
    required: bool = False

    def problem(self, value: object) -> str | None:
        if type(value) is int and self.low <= value <= self.high:
            return None
        return f"a whole number from {self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    required: bool = False

    def problem(self, value: object) -> str | None:
        return None if isinstance(value, bool) else "true or false"


TOOLS: dict[str, dict[str, Text | Number | Flag]] = {
    "list_directory": {"path": Text(), "depth": Number(1, 5)},
    "read_file": {
        "path": Text(required=True),
        "startLine": Number(1, 10**9),
        "endLine": Number(1, 10**9),
    },
    "search_files": {
        "query": Text(required=True),
        "path": Text(),
        "isRegex": Flag(),
        "caseSensitive": Flag(),
        "glob": Text(),
        "maxMatches": Number(1, 1000),
    },
    "write_file": {
        "path": Text(required=True),
        "content": Text(required=True),
        "digest": Text(digest=True),
    },
    "edit_file": {
        "path": Text(required=True),
        "oldText": Text(required=True),
        "newText": Text(required=True),
        "replaceAll": Flag(),
        "digest": Text(digest=True),
    },
    "run_command": {"command": Text(required=True), "timeoutS": Number(1, 600)},
}


def check_arguments(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Validate the arguments of a call and return them under the parameter names of its function.

    An optional argument that is null counts as left out.

    Raises:
        ToolError: There is no such tool, or an argument is missing, unknown or of another type.
    """
    if tool not in TOOLS:
        raise ToolError(f"no tool {tool!r} here; there are {', '.join(TOOLS)}")
    known = TOOLS[tool]
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given:
        if name not in known:
            raise ToolError(f"{tool}: no argument {name!r}; it takes {', '.join(known)}")
    for name, kind in known.items():
        if name not in given:
            if kind.required:
                raise ToolError(f"{tool}: {name} is missing")
            continue
        if problem := kind.problem(given[name]):
            raise ToolError(f"{tool}: {name} is {problem}, not {_short(given[name])}")
    return {_CAPITAL.sub(_lower, name): value for name, value in given.items()}


def _lower(found: re.Match[str]) -> str:
    return f"_{found.group().lower()}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
