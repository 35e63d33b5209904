"""Glob patterns for paths: `*.py`, `src/**/*.ts`, `*.{js,jsx}`.

Matching takes time in proportion to the length of the pattern times that of the path, for every
pattern: they come from a model or from a repository.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache

from rollcall_cli.workspace.errors import ToolError

MAX_CHARS = 200
MAX_ALTERNATIVES = 64


class Glob:
    """A glob pattern: without `/` it matches names in any directory, with `/` whole paths."""

    def __init__(self, pattern: str) -> None:
        """Parse a pattern.

        Raises:
            ToolError: It is too long, or its braces have too many alternatives.
        """
        if len(pattern) > MAX_CHARS:
            raise ToolError(f"glob: {len(pattern)} characters; at most {MAX_CHARS} are accepted")
        self._patterns = [one.removeprefix("./") for one in _alternatives(pattern)]

    def matches(self, parts: tuple[str, ...]) -> bool:
        """Whether a file's path, as parts below the root, matches."""
        return any(
            matches(tuple(one.split("/")), parts) if "/" in one else fnmatchcase(parts[-1], one)
            for one in self._patterns
        )


@lru_cache(maxsize=4096)
def matches(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether the parts of a path match those of a pattern; `**` matches any number of parts."""
    reached = {0}  # the numbers of path parts that the pattern so far can match
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
