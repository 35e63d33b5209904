"""The paths inside the root that tools refuse: secrets, startup files and repositories.

`guarded_files.json` lists them, each with its reason. A path there is a name (`.bashrc`, `*.pem`),
the end of a path (`.cargo/config.toml`) or, with a slash at its end, a folder anywhere with all
below it (`.git/`). What is of kind `project` (a `Makefile`) is read and written as any file: the
server asks about each change.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path
from typing import Any

from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.limits import Permission
from rollcall_cli.workspace.paths import fold

VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".jj", ".bzr"))
_REPOSITORY = ("HEAD", "objects", "refs")
"""The entries by which git recognizes a repository, whatever the folder's name."""
_WORDS = re.compile(r"[\s;|&<>()`$={}:,@]+")
_QUOTES = str.maketrans("", "", "'\"\\")
_MATCHES = 10_000
"""The most files that the wildcards of one word expand to."""


class Guard:
    """Decides which paths inside the root are refused."""

    def __init__(
        self, allowed: Collection[Permission] = (), own: Collection[tuple[str, ...]] = ()
    ) -> None:
        """Create a guard.

        Args:
            allowed: Refusals that the user lifts.
            own: Paths of this client's own files and folders, as parts below the root.
        """
        self._allowed = frozenset(allowed)
        self._own = tuple(tuple(fold(part) for part in path) for path in own)

    def check_read(self, path: str, parts: tuple[str, ...]) -> None:
        """Refuse to read secrets, repositories and this client's own files.

        Raises:
            ToolError: The path is one of these.
        """
        if reason := self.unreadable(parts):
            raise ToolError(f"{path}: {reason}")

    def check_write(self, path: str, parts: tuple[str, ...], root: int) -> None:
        """Refuse to write what may not be read, and startup files, which run by themselves.

        Args:
            root: The root, as an open directory, to recognize repositories by their content.
        Raises:
            ToolError: The path is one of these.
        """
        if (
            reason := self.unreadable(parts)
            or self._startup_reason(parts)
            or _in_repository(parts, root)
        ):
            raise ToolError(f"{path}: {reason}")

    def check_command(self, command: str, root: Path) -> None:
        """Refuse a command that names a file which may not be read, literally or by wildcards.

        Names that the shell assembles (`a=.e; cat ${a}nv`) are not detected: a person approves the
        command.

        Raises:
            ToolError: It names one.
        """
        for word in _WORDS.split(command.translate(_QUOTES)):
            for parts in _paths_in(word, root):
                if reason := self.unreadable(parts):
                    raise ToolError(f"command: {'/'.join(parts)}: {reason}")

    def unreadable(self, parts: tuple[str, ...]) -> str | None:
        """The reason why a path may not be read, or None."""
        names = tuple(fold(part) for part in parts)
        if any(names[: len(own)] == own for own in self._own):
            return "a file of this client itself"
        kind, reason = _find_guarded(names)
        if kind == "repository":
            return f"{reason}; it is not touched: use its command, such as git"
        if kind == "secret" and "secrets" not in self._allowed:
            return f"{reason}; the user can allow this by starting with --allow secrets"
        return None

    def allows_hard_links(self) -> bool:
        return "hard-links" in self._allowed

    def _startup_reason(self, parts: tuple[str, ...]) -> str | None:
        kind, reason = _find_guarded(tuple(fold(part) for part in parts))
        if kind != "startup" or "startup-files" in self._allowed:
            return None
        return f"{reason}; the user can allow this by starting with --allow startup-files"


class _Path:
    """One guarded path: the parts of a folder, or the last parts of a file's path."""

    def __init__(self, path: str, row: dict[str, Any]) -> None:
        self.parts = tuple(fold(part) for part in path.rstrip("/").split("/"))
        self.is_folder = path.endswith("/")
        self.kind, self.reason = row["kind"], row["reason"]

    def matches(self, names: tuple[str, ...]) -> bool:
        count = len(self.parts)
        starts = range(len(names) - count + 1) if self.is_folder else (len(names) - count,)
        return any(
            start >= 0 and all(map(_fits, self.parts, names[start : start + count]))
            for start in starts
        )


@cache
def _guarded_paths() -> tuple[tuple[_Path, ...], tuple[str, ...]]:
    """The guarded paths, and the file names that only look like secrets."""
    found = json.loads(Path(__file__).with_name("guarded_files.json").read_text("utf-8"))
    paths = tuple(_Path(path, row) for row in found["files"] for path in row["paths"])
    return paths, tuple(found["secretExceptions"])


@cache
def _last_parts() -> re.Pattern[str]:
    """A pattern for the last parts of all guarded paths, to pass quickly over all others."""
    paths, _ = _guarded_paths()
    return re.compile("|".join(sorted({translate(path.parts[-1]) for path in paths})))


@lru_cache(maxsize=8192)
def _may_be_guarded(name: str) -> bool:
    return _last_parts().match(name) is not None


def _find_guarded(names: tuple[str, ...]) -> tuple[str | None, str]:
    """The kind of a guarded path and its reason; no kind where it is not guarded."""
    if not any(map(_may_be_guarded, names)):
        return None, ""
    paths, exceptions = _guarded_paths()
    for path in paths:
        if path.matches(names):
            is_file = path.kind == "secret" and not path.is_folder
            if not (is_file and any(_fits(each, names[-1]) for each in exceptions)):
                return path.kind, path.reason
    return None, ""


def _fits(pattern: str, name: str) -> bool:
    return pattern == name or ("*" in pattern and fnmatchcase(name, pattern))


def _in_repository(parts: tuple[str, ...], root: int) -> str | None:
    """The reason not to write below a folder that git takes for a repository, or None."""
    for depth in range(len(parts)):
        folder = "/".join(parts[:depth]) or "."
        try:
            for name in _REPOSITORY:
                os.stat(f"{folder}/{name}", dir_fd=root, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            continue
        return f"{folder} is a git repository, whose configuration git obeys; it is not touched"
    return None


def _paths_in(word: str, root: Path) -> Iterator[tuple[str, ...]]:
    """The paths that a word of a command stands for, with wildcards expanded."""
    paths = [word]
    if has_magic(word):
        paths += islice(iglob(word, root_dir=root), _MATCHES)
    for path in paths:
        if parts := tuple(part for part in path.split("/") if part not in ("", ".")):
            yield parts
