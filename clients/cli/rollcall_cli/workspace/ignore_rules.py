"""What listings and searches skip: dependencies, caches, and what `.gitignore` excludes.

The common syntax of `.gitignore` is supported: names, paths, `*`, `?`, `[a-z]`, `**`, `!` and a `/`
at the end. Lines with a backslash are skipped.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from rollcall_cli.workspace.atomic_write import TEMPORARY
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.files import read_in
from rollcall_cli.workspace.globs import matches
from rollcall_cli.workspace.guard import VERSION_CONTROL, Guard

DIRECTORIES = frozenset(
    (
        "node_modules",
        "bower_components",
        "venv",
        ".venv",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".gradle",
        ".terraform",
        ".next",
        ".nuxt",
        ".dart_tool",
        ".cache",
    )
)
_FILE = ".gitignore"
_FILE_BYTES = 64 * 1024
_RULES = 1000


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a `.gitignore`, with the directory of that file."""

    base: tuple[str, ...]
    pattern: tuple[str, ...]
    only_directories: bool
    keeps: bool

    def applies_to(self, parts: tuple[str, ...], *, is_directory: bool) -> bool:
        if self.only_directories and not is_directory:
            return False
        return matches(self.pattern, parts[len(self.base) :])


Rules = tuple[Rule, ...]


def is_always_ignored(name: str) -> bool:
    """Whether a name is skipped even inside a directory that was requested by name."""
    return name in VERSION_CONTROL or (name.startswith(TEMPORARY) and name.endswith(".tmp"))


def is_ignored(rules: Rules, parts: tuple[str, ...], *, is_directory: bool) -> bool:
    """Whether an entry is skipped. The last rule that applies to it decides."""
    if is_always_ignored(parts[-1]) or (is_directory and parts[-1] in DIRECTORIES):
        return True
    for rule in reversed(rules):
        if rule.applies_to(parts, is_directory=is_directory):
            return not rule.keeps
    return False


def rules_in(directory: int, base: tuple[str, ...], above: Rules) -> Rules:
    """The rules in a directory: the inherited ones, then those of its own `.gitignore`."""
    try:
        os.stat(_FILE, dir_fd=directory, follow_symlinks=False)
        file = read_in(directory, Guard(), _FILE, _FILE, _FILE_BYTES)
    except (OSError, ToolError):
        return above  # missing or unreadable: it excludes nothing
    lines = file.data.decode("utf-8", "replace").splitlines()
    own = (_rule(line, base) for line in lines[: _RULES - len(above)])
    return above + tuple(rule for rule in own if rule)


def _rule(line: str, base: tuple[str, ...]) -> Rule | None:
    text = line.rstrip()
    if not text or text.startswith("#") or "\\" in text:
        return None
    keeps = text.startswith("!")
    text = text.removeprefix("!")
    only_directories = text.endswith("/")
    text = text.rstrip("/")
    is_anchored = "/" in text
    pattern = tuple(part for part in text.split("/") if part)
    if not pattern:
        return None
    return Rule(base, pattern if is_anchored else ("**", *pattern), only_directories, keeps)
