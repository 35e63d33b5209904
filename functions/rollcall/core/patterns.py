"""Patterns of paths and of commands for approvals. They say what needs no yes.

A path: `docs/**` for all below a folder, `*` for a name or a part of one. A path that could mean
another place than it seems to matches nothing: it is asked about. Compared are characters as they
are, capital and small apart. Wildcards do not reach what begins with a dot, nor a guarded file,
such as `Makefile`; a pattern names it. Secrets, and what a program runs unasked, no pattern
reaches.

A command: its words; a final `*` allows more. A command that a shell could read as anything but its
plain words matches nothing. The words that `*` allows are names, numbers and paths below the folder
the command runs in: no options, assignments or ways out of there, which a program may obey, and no
guarded file. A command that prints what stands in files takes no `*`, and one that names a secret
is always asked about.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence
from functools import cache

from rollcall.core.guarded_files import guarded_file, guarded_in_word, prints_contents
from rollcall.core.readable import marked

PATTERN_CHARS = 500
PATH_CHARS = 1_000
MOST_PARTS = 50
_ANY = "**"
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that mean a device on Windows, in every folder."""
_UNPLAIN = frozenset('\\:%~<>|"?\n\t')
"""A drive, a stream, an escape, a short name; what Windows has no file names of; line breaks."""


def matches_path(pattern: str, path: object) -> bool:
    """Tell whether a path from the folder's root matches a pattern beyond doubt."""
    parts = _parts(path) if isinstance(path, str) and "*" not in path else None
    if parts is None or not _reaches(pattern.split("/"), parts):
        return False
    guarded = guarded_file("/".join(parts))
    return guarded is None or (guarded.kind == "project" and "*" not in pattern)


def check_path_pattern(pattern: str) -> None:
    """
    Raises:
        ValueError: It is no pattern of paths below the root.
    """
    parts = _parts(pattern)
    if len(pattern) > PATTERN_CHARS or parts is None or "/".join(parts) != pattern:
        raise ValueError(
            f"{pattern[:100]!r} is no pattern of paths: write it from the root with /, as in "
            "docs/** or src/*.py, with * and ** alone as wildcards"
        )
    if any(_ANY in part and part != _ANY for part in parts):
        raise ValueError(f"the pattern {pattern[:100]!r}: ** stands by itself, as in docs/**")


def patterns_of_path(path: object) -> tuple[str, ...]:
    """Return the patterns that an approval of this path may stand for, narrowest first: the file,
    all below its folder.

    None where the path is not plain, or is guarded; the file alone where it lies in the root, or in
    what begins with a dot, where programs keep what they obey.
    """
    parts = _parts(path) if isinstance(path, str) and "*" not in path else None
    if parts is None or len("/".join(parts)) > PATTERN_CHARS - len(_ANY):
        return ()
    if guarded_file("/".join(parts)) is not None:
        return ()
    folder = parts[:-1]
    is_open = folder and not any(map(_is_hidden, parts))
    return ("/".join(parts), *(["/".join([*folder, _ANY])] if is_open else []))


def _parts(path: str) -> list[str] | None:
    """A path's names; None where it is not plainly one below the root."""
    if len(path) > PATH_CHARS or path.startswith("/") or not _UNPLAIN.isdisjoint(path):
        return None
    if unicodedata.normalize("NFKC", path) != path or marked(path) != path:
        return None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return parts if 0 < len(parts) <= MOST_PARTS and all(map(_is_name, parts)) else None


def _is_name(part: str) -> bool:
    return part == part.strip().rstrip(".") and not _DEVICES.fullmatch(part)


def _is_hidden(part: str) -> bool:
    return part.startswith(".")


def _reaches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the pattern's names lead through all of the path's, each pair looked at once."""

    @cache
    def leads(at: int, to: int) -> bool:
        if at == len(pattern):
            return to == len(parts)
        if pattern[at] != _ANY:
            return to < len(parts) and _fits(pattern[at], parts[to]) and leads(at + 1, to + 1)
        if at + 1 == len(pattern):
            return to < len(parts) and not any(map(_is_hidden, parts[to:]))
        is_longer = to < len(parts) and not _is_hidden(parts[to])
        return leads(at + 1, to) or (is_longer and leads(at, to + 1))

    return leads(0, 0)


def _fits(pattern: str, name: str) -> bool:
    """Whether a name is one of those a pattern of one name means."""
    first, *pieces = pattern.split("*")
    if not pieces:
        return pattern == name
    last = pieces.pop()
    if _is_hidden(name) and not first:
        return False
    at, end = len(first), len(name) - len(last)
    if not (name.startswith(first) and name.endswith(last) and at <= end):
        return False
    for piece in pieces:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


# ---- Commands ----

COMMAND_CHARS = 4_000
_PLAIN = re.compile(r"[\w \-./,:=@+'\"]+")
"""No operator, expansion, wildcard, comment or escape of a Unix shell or of Windows' is among
these."""
_MORE = re.compile(r"[\w.][\w\-.,/: ]*")
_OUTSIDE = re.compile(r"(^|/)\.\.(/|$)|^[A-Za-z]:|://")

_LOOKS_ON = (
    ("pytest",),
    ("python", "-m", "pytest"),
    ("python3", "-m", "pytest"),
    ("python", "-m", "unittest"),
    ("python3", "-m", "unittest"),
    ("ruff", "check"),
    ("mypy",),
    ("npm", "test"),
    ("jest",),
    ("vitest",),
    ("eslint",),
    ("cargo", "test"),
    ("cargo", "check"),
    ("cargo", "build"),
    ("go", "test"),
    ("go", "vet"),
    ("go", "build"),
    ("git", "status"),
    ("ls",),
    ("wc",),
)
"""Beginnings that may be followed by anything `*` allows: what checks, tests and looks. All others
(shells, interpreters, what runs other programs, deletes, installs, sends) are remembered whole."""
_HARMLESS = frozenset(("-q", "-qq", "-v", "-vv", "-x", "--quiet", "--verbose"))


def matches_command(pattern: str, command: object) -> bool:
    """Tell whether a command matches a pattern beyond doubt."""
    words = _words(command)
    wanted, has_more = _read_command(pattern)
    if not wanted or words[: len(wanted)] != wanted:
        return False
    more = words[len(wanted) :]
    if has_more:
        return not prints_contents(wanted) and all(map(_is_more, more))
    return not more and not any(map(_is_refused, wanted))


def check_command_pattern(pattern: str) -> None:
    """
    Raises:
        ValueError: It is no pattern of commands.
    """
    wanted, has_more = _read_command(pattern)
    if len(pattern) > PATTERN_CHARS or not wanted:
        raise ValueError(
            f"{pattern[:100]!r} is no pattern of commands: write plain words, as in "
            '"git diff" or "pytest -q *", with * alone as the last'
        )
    if has_more and prints_contents(wanted):
        raise ValueError(
            f"the pattern {pattern[:100]!r} lets {shlex.join(wanted)} print any file: write the "
            "whole command, without *"
        )


def patterns_of_command(command: object) -> tuple[str, ...]:
    """Return the patterns that an approval of this command may stand for, narrowest first: the
    command itself and, if it only checks or looks, the same with other names after it. Nothing if
    the command is not plain."""
    words = _words(command)
    if not words or any(map(_is_refused, words)):
        return ()
    found = [shlex.join(words)]
    for beginning in _LOOKS_ON:
        if tuple(words[: len(beginning)]) == beginning:
            kept = len(beginning)
            while kept < len(words) and words[kept] in _HARMLESS:
                kept += 1
            if all(map(_is_more, words[kept:])):
                found.append(f"{shlex.join(words[:kept])} *")
            break
    return tuple(each for each in found if len(each) <= PATTERN_CHARS)


def _read_command(pattern: str) -> tuple[list[str], bool]:
    """A pattern's words, and whether more may follow; no words where it is none."""
    beginning = pattern.removesuffix(" *")
    return _words(beginning), beginning != pattern


def _words(command: object) -> list[str]:
    """A command's words; none where a shell might read something else in it."""
    if not isinstance(command, str) or len(command) > COMMAND_CHARS:
        return []
    if not _PLAIN.fullmatch(command) or marked(command) != command:
        return []
    if unicodedata.normalize("NFKC", command) != command:
        return []
    try:
        words = shlex.split(command)
    except ValueError:  # a quotation that does not end
        return []
    if not words or not all(words) or "=" in words[0] or words[0].startswith("-"):
        return []
    return [] if any(word.startswith("=") for word in words) else words


def _is_more(word: str) -> bool:
    """Whether a word is a name, a number or a path that stays below and is not guarded."""
    is_below = bool(_MORE.fullmatch(word)) and not _OUTSIDE.search(word)
    return is_below and guarded_in_word(word) is None


def _is_refused(word: str) -> bool:
    """Whether a word names a file that a tool neither reads nor writes."""
    guarded = guarded_in_word(word)
    return guarded is not None and guarded.kind in ("secret", "repository")
