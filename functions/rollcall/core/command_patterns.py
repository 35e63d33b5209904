"""Patterns of commands for approvals: the words of a command; a final `*` allows more words.

They say what needs no yes, so a command that a shell could read as anything but its plain words
matches nothing: it is asked about. The words that `*` allows are names, numbers and paths below the
folder the command runs in: no options, assignments or ways out of there, which a program may obey,
and no guarded file. A command that prints what stands in files takes no `*`, and one that names a
secret is always asked about.
"""

from __future__ import annotations

import re
import shlex
import unicodedata

from rollcall.core.guarded_files import guarded_in_word, prints_contents
from rollcall.core.readable import marked

PATTERN_CHARS = 500
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
    wanted, has_more = _read(pattern)
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
    wanted, has_more = _read(pattern)
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


def _read(pattern: str) -> tuple[list[str], bool]:
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
