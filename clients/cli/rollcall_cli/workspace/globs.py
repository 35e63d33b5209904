"""Patterns of paths: `*.py`, `src/**/*.ts`, `*.{js,jsx}`.

Matching takes time in proportion to pattern times path, whatever the pattern: one comes from a
model, others from a repository.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache

from rollcall_cli.workspace.errors import ToolError

MAX_CHARS = 200
MAX_ALTERNATIVES = 64


class Glob:
    """A pattern without `/` is for names in any directory, one with `/` for whole paths."""

    def __init__(self, pattern: str) -> None:
        """Read a pattern.

        Raises:
            ToolError: It is too long, or its braces have too many alternatives.
        """
        if len(pattern) > MAX_CHARS:
            raise ToolError(f"glob: {len(pattern)} characters; at most {MAX_CHARS} are accepted")
        self._patterns = [one.removeprefix("./") for one in _alternatives(pattern)]

    def matches(self, parts: tuple[str, ...]) -> bool:
        """Whether the path of a file, as parts below the root, is meant."""
        return any(
            matches(tuple(one.split("/")), parts) if "/" in one else fnmatchcase(parts[-1], one)
            for one in self._patterns
        )


@lru_cache(maxsize=4096)
def matches(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether parts of a path match parts of a pattern; `**` stands for any number of them."""
    reached = {0}  # how many parts of the path the pattern so far can stand for
    for one in pattern:
        if one == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], one)}
        if not reached:
            return False
    return len(parts) in reached


def _alternatives(pattern: str) -> list[str]:
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop()
        start = one.find("{")
        end = one.find("}", start)
        if start < 0 or end < 0:
            done.append(one)
        else:
            choices = one[start + 1 : end].split(",")
            waiting.extend(f"{one[:start]}{choice}{one[end + 1 :]}" for choice in choices)
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            raise ToolError(
                f"glob: {pattern}: more than {MAX_ALTERNATIVES} alternatives in its braces"
            )
    return done
