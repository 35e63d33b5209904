"""Approval policies: when a write needs approval and whose, as data of a capability or an agent.

Patterns of paths and of commands say what needs no approval.

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
from functools import cache, reduce
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rollcall.core.guarded_files import guarded_file, guarded_in_word, prints_contents
from rollcall.core.readable import marked
from rollcall.core.shapes import Role, Wire

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
    are_names = all(
        part == part.strip().rstrip(".") and not _DEVICES.fullmatch(part) for part in parts
    )
    return parts if 0 < len(parts) <= MOST_PARTS and are_names else None


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
    *("pytest", "python -m pytest", "python3 -m pytest"),
    *("python -m unittest", "python3 -m unittest", "ruff check", "mypy"),
    *("npm test", "jest", "vitest", "eslint", "cargo test", "cargo check", "cargo build"),
    *("go test", "go vet", "go build", "git status", "ls", "wc"),
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
    for beginning in map(str.split, _LOOKS_ON):
        if words[: len(beginning)] == beginning:
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


_STRICTNESS = {"never": 0, "once_per_thread": 1, "outside": 2, "above": 3, "always": 4}
_MATCHES = {"path": matches_path, "command": matches_command}
_CHECK = {"path": check_path_pattern, "command": check_command_pattern}
_OFFER = {"path": patterns_of_path, "command": patterns_of_command}


class ApprovalPolicy(Wire):
    """When a write needs approval, and whose.

    Attributes:
        ask: "always"; "never"; "above" a threshold of one argument; "outside" of patterns that one
            argument is compared with; "once_per_thread", where one yes stands for the thread's
            later calls of the same capability.
        argument: For "above" the wire name of a number among the arguments, as in "amountUsd"; for
            "outside" of a text, as in "path".
        threshold: For "above": the greatest value that needs no yes.
        matches: For "outside": what the argument is, "path" or "command".
        patterns: For "outside": what needs no yes, as in `docs/**` or `pytest *`. A yes may add
            to them for its thread.
        decider_role: Four eyes: someone of this role or above decides, and never the asker.
        expires_s: How long the question stands, s.
    """

    ask: Literal["always", "never", "above", "outside", "once_per_thread"] = "always"
    argument: str | None = None
    threshold: float | None = None
    matches: Literal["path", "command"] | None = None
    patterns: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    decider_role: Role | None = None
    expires_s: int = 24 * 3600

    @model_validator(mode="after")
    def _is_whole(self) -> ApprovalPolicy:
        if (self.ask == "above") != (self.threshold is not None):
            raise ValueError('"above", and nothing else, takes an argument and a threshold')
        if (self.ask == "outside") != (self.matches is not None):
            raise ValueError('"outside", and nothing else, takes an argument, matches and patterns')
        if (self.ask in ("above", "outside")) != (self.argument is not None):
            raise ValueError('"above" and "outside", and nothing else, take an argument')
        if self.matches is None and self.patterns:
            raise ValueError('patterns are for "outside"')
        for pattern in self.patterns:
            _CHECK[self.matches or "path"](pattern)
        if not 60 <= self.expires_s <= 30 * 24 * 3600:
            raise ValueError("expiresS must be 60 to 2592000")
        return self

    def asks(
        self,
        arguments: dict[str, Any],
        *,
        allowed_before: bool,
        remembered: Sequence[str] = (),
    ) -> bool:
        """Tell whether a call needs approval. An argument that cannot be compared needs it.

        Args:
            allowed_before: A person said yes to this capability in this thread, as it is now.
            remembered: Patterns that the user's own yes in this thread stands for.
        """
        if self.ask == "never":
            return False
        if self.ask == "once_per_thread":
            return not allowed_before
        if self.ask == "above" and self.argument is not None and self.threshold is not None:
            value = arguments.get(self.argument)
            if isinstance(value, bool) or not isinstance(value, int | float):
                return True
            return not value <= self.threshold  # NaN is neither above nor below
        if self.ask == "outside" and self.argument is not None and self.matches is not None:
            value, matches = arguments.get(self.argument), _MATCHES[self.matches]
            own = remembered if self.decider_role is None else ()
            return not any(matches(pattern, value) for pattern in (*self.patterns, *own))
        return True

    def offers(self, arguments: dict[str, Any]) -> tuple[str, ...]:
        """Return the patterns that an approval of this call may stand for in its thread, narrowest
        first. None if somebody other than the asker decides."""
        if self.matches is None or self.argument is None or self.decider_role is not None:
            return ()
        return _OFFER[self.matches](arguments.get(self.argument))


def _stricter(one: ApprovalPolicy, other: ApprovalPolicy) -> ApprovalPolicy:
    """What of the two asks at least where either does; deciders and times aside."""
    lax, strict = sorted((one, other), key=lambda policy: _STRICTNESS[policy.ask])
    if lax.ask == "never" or strict.ask == "always" or lax.ask == strict.ask == "once_per_thread":
        return strict
    if (lax.ask, lax.argument, lax.matches) != (strict.ask, strict.argument, strict.matches):
        return ApprovalPolicy()
    if strict.ask == "above":
        return min(lax, strict, key=lambda policy: policy.threshold or 0.0)
    shared = set(lax.patterns) & set(strict.patterns)
    return lax.model_copy(update={"patterns": tuple(sorted(shared))})


def combined(*given: ApprovalPolicy | None) -> ApprovalPolicy:
    """Return one policy that needs approval wherever one of these does; without any, always the
    user's.

    Two that ask at different occasions (above thresholds of different arguments, or above a
    threshold and once per thread) come to always. Of patterns, those count that both have.
    """
    policies = [policy for policy in given if policy is not None]
    if not policies:
        return ApprovalPolicy()
    strictest = reduce(_stricter, policies)
    roles = [policy.decider_role for policy in policies if policy.decider_role is not None]
    return strictest.model_copy(
        update={
            "decider_role": max(roles, key=list(Role).index) if roles else None,
            "expires_s": min(policy.expires_s for policy in policies),
        }
    )
