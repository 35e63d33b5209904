"""Guarded files, which no standing approval covers: secrets, and files that some program runs by
itself.

`guarded_files.json` lists them with a reason each (the texts `guarded_files.<reason>`); the clients
have copies of it. A path there is a name (`Makefile`, `*.pem`), the end of a path
(`.cargo/config.toml`) or, with a slash at its end, a folder at any depth with all its contents
(`.git/`). Its kind is one of

- `secret`, `repository`: tools neither read nor write it;
- `startup`: some program runs it automatically, so tools read but never write it;
- `project`: a build, a test run or a deployment runs it, so each change needs an approval.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rollcall.core.records import decode

FILE = Path(__file__).with_suffix(".json")
Kind = Literal["secret", "repository", "startup", "project"]
_SEPARATORS = re.compile(r"[:=,@]")


class GuardedPaths(Struct, frozen=True, dict=True):
    """Why paths are guarded: their kind, and the key of the reason's text."""

    kind: Kind
    reason: str
    paths: list[str]

    @cached_property
    def patterns(self) -> list[tuple[list[str], bool]]:
        """The names in each path, as they are compared, and whether it is a folder's."""
        return [(_folded(path.rstrip("/")).split("/"), path.endswith("/")) for path in self.paths]


class _List(Struct, rename="camel"):
    secret_exceptions: list[str]
    printing: list[str]
    printing_git: list[str]
    files: list[GuardedPaths]


def guarded_file(path: str) -> GuardedPaths | None:
    """Return why a path is guarded, None if it is not. It has `/` between names and may begin at
    any folder."""
    names = [_folded(name) for name in path.split("/") if name not in ("", ".")]
    for guarded in _list().files if names else ():
        for parts, is_folder in guarded.patterns:
            end = len(names) - len(parts)
            starts = range(end + 1) if is_folder else range(max(end, 0), end + 1)
            if not any(all(map(_fits, parts, names[start:])) for start in starts):
                continue
            is_secret = guarded.kind == "secret" and not is_folder
            if is_secret and any(_fits(name, names[-1]) for name in _list().secret_exceptions):
                continue
            return guarded
    return None


def guarded_in_word(word: str) -> GuardedPaths | None:
    """Return why a word of a command is guarded: a path, `rev:path`, `--option=path` or `@path`."""
    matches = (guarded_file(piece) for piece in (word, *_SEPARATORS.split(word)))
    return next((each for each in matches if each is not None), None)


def prints_contents(words: Sequence[str]) -> bool:
    """Tell whether a command prints the contents of files named by further arguments."""
    program = words[0].rsplit("/", 1)[-1]
    if program != "git":
        return program in _list().printing
    return len(words) == 1 or words[1].startswith("-") or words[1] in _list().printing_git


def _folded(name: str) -> str:
    """Return a name as the most lenient file system compares it: `.GIT` and `.ｇit` are `.git`."""
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


@cache
def _list() -> _List:
    return decode(FILE.read_bytes(), _List)


def _fits(pattern: str, name: str) -> bool:
    return pattern == name or ("*" in pattern and fnmatchcase(name, pattern))
