"""Approval policies: when a write needs an approval and who decides it, as data of a capability or
an agent.

Patterns of paths and of commands name the calls that need no approval.

Path patterns: `docs/**` matches everything below a folder, `*` a name or a part of one. A path that
may not mean what it seems to matches no pattern, so it needs approval. Matching is by exact
characters and case. Wildcards match no name that begins with a dot and no guarded file, such as
`Makefile`; a pattern must spell these out. No pattern matches secrets, or files that a program runs
automatically.

Command patterns: the command's words; a final `*` allows more. A command that a shell could read as
anything but plain words matches no pattern. `*` stands for names, numbers and paths below the
command's folder, but for no options, assignments or paths out of the folder, which a program may
obey, and no guarded file. A command that prints files takes no `*`, and one that names a secret
always needs approval.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache, reduce
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rollcall.core.guarded_files import guarded_file, guarded_in_word, prints_contents
from rollcall.core.readable import marked
from rollcall.core.shapes import Role, Wire

PATTERN_CHARS = 500
PATH_CHARS = 1_000
MAX_PARTS = 50
_ANY = "**"
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names of devices on Windows, in every folder."""
_UNPLAIN = frozenset('\\:%~<>|"?\n\t')
"""Characters of drives, streams, escapes and short names, characters that Windows forbids in file
names, and line breaks."""


def matches_path(pattern: str, path: object) -> bool:
    """Tell whether a path, relative to the root folder, certainly matches a pattern."""
    parts = _parts(path) if isinstance(path, str) and "*" not in path else None
    if parts is None or not _reaches(pattern.split("/"), parts):
        return False
    guarded = guarded_file("/".join(parts))
    return guarded is None or (guarded.kind == "project" and "*" not in pattern)


def check_path_pattern(pattern: str) -> None:
    """Check a pattern of paths.

    Raises:
        ValueError: It is not a pattern of paths below the root.
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
    """Return the patterns that an approval of this path may cover, narrowest first: the file, then
    everything below its folder.

    No pattern if the path is not plain, or is guarded; only the file if it is in the root, or below
    a name that begins with a dot, where programs keep their configuration.
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
    """Return a path's names; None unless it is certainly a path below the root."""
    if len(path) > PATH_CHARS or path.startswith("/") or not _UNPLAIN.isdisjoint(path):
        return None
    if unicodedata.normalize("NFKC", path) != path or marked(path) != path:
        return None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    are_names = all(
        part == part.strip().rstrip(".") and not _DEVICES.fullmatch(part) for part in parts
    )
    return parts if 0 < len(parts) <= MAX_PARTS and are_names else None


def _is_hidden(part: str) -> bool:
    return part.startswith(".")


def _reaches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Tell whether the pattern's names match all of the path's, comparing each pair once."""

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
    """Tell whether a name matches a pattern of one name, whose only wildcard is `*`."""
    if "*" not in pattern:
        return pattern == name
    is_open = pattern.startswith("*")
    return not (is_open and _is_hidden(name)) and fnmatchcase(name, pattern.replace("[", "[[]"))


# ---- Commands ----

COMMAND_CHARS = 4_000
_PLAIN = re.compile(r"[\w \-./,:=@+'\"]+")
"""Characters that are no operator, expansion, wildcard, comment or escape in a Unix or Windows
shell."""
_MORE = re.compile(r"[\w.][\w\-.,/: ]*")
_OUTSIDE = re.compile(r"(^|/)\.\.(/|$)|^[A-Za-z]:|://")

_CHECKING_COMMANDS = (
    *("pytest", "python -m pytest", "python3 -m pytest"),
    *("python -m unittest", "python3 -m unittest", "ruff check", "mypy"),
    *("npm test", "jest", "vitest", "eslint", "cargo test", "cargo check", "cargo build"),
    *("go test", "go vet", "go build", "git status", "ls", "wc"),
)
"""Beginnings that an offered pattern may end with `*`: commands that check, test and list. All
others (shells, interpreters, commands that run other programs, delete, install or send) are offered
whole."""
_HARMLESS = frozenset(("-q", "-qq", "-v", "-vv", "-x", "--quiet", "--verbose"))


def matches_command(pattern: str, command: object) -> bool:
    """Tell whether a command certainly matches a pattern."""
    words = _words(command)
    wanted, has_more = _read_command(pattern)
    if not wanted or words[: len(wanted)] != wanted:
        return False
    more = words[len(wanted) :]
    if has_more:
        return not prints_contents(wanted) and all(map(_is_more, more))
    return not more and not any(map(_is_refused, wanted))


def check_command_pattern(pattern: str) -> None:
    """Check a pattern of commands.

    Raises:
        ValueError: It is not a pattern of commands.
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
    """Return the patterns that an approval of this command may cover, narrowest first: the command
    itself and, if it only checks or lists, the same with other names after it. No pattern if the
    command is not plain."""
    words = _words(command)
    if not words or any(map(_is_refused, words)):
        return ()
    patterns = [shlex.join(words)]
    for beginning in map(str.split, _CHECKING_COMMANDS):
        if words[: len(beginning)] == beginning:
            length = len(beginning)
            while length < len(words) and words[length] in _HARMLESS:
                length += 1
            if all(map(_is_more, words[length:])):
                patterns.append(f"{shlex.join(words[:length])} *")
            break
    return tuple(each for each in patterns if len(each) <= PATTERN_CHARS)


def _read_command(pattern: str) -> tuple[list[str], bool]:
    """Return a pattern's words, and whether more may follow; no words if it is not a pattern."""
    beginning = pattern.removesuffix(" *")
    return _words(beginning), beginning != pattern


def _words(command: object) -> list[str]:
    """Return a command's words; none if a shell might read it differently."""
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
    """Tell whether a word is a name, a number or an unguarded path that stays below the folder."""
    is_below = bool(_MORE.fullmatch(word)) and not _OUTSIDE.search(word)
    return is_below and guarded_in_word(word) is None


def _is_refused(word: str) -> bool:
    """Tell whether a word names a file that tools neither read nor write."""
    guarded = guarded_in_word(word)
    return guarded is not None and guarded.kind in ("secret", "repository")


_STRICTNESS = {"never": 0, "once_per_thread": 1, "outside": 2, "above": 3, "always": 4}
_MATCHES = {"path": matches_path, "command": matches_command}
_CHECK = {"path": check_path_pattern, "command": check_command_pattern}
_OFFER = {"path": patterns_of_path, "command": patterns_of_command}


class ApprovalPolicy(Wire):
    """When a write needs an approval, and who decides it.

    Attributes:
        ask: "always"; "never"; "above" a threshold of one argument; "outside" the patterns for one
            argument; "once_per_thread", where one approval covers the thread's later calls of the
            same capability.
        argument: For "above" the wire name of a number argument, such as "amountUsd"; for "outside"
            of a text argument, such as "path".
        threshold: For "above": the greatest value that needs no approval.
        matches: For "outside": what the argument is, "path" or "command".
        patterns: For "outside": what needs no approval, such as `docs/**` or `pytest *`. An
            approval may add patterns for its thread.
        decider_role: Four eyes: someone with this role or above decides, never the caller.
        expires_s: How long the approval can be decided, s.
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
        """Tell whether a call needs approval. It does if the argument cannot be compared.

        Args:
            allowed_before: This capability, unchanged since, was approved in this thread.
            remembered: Patterns that the user's own approvals in this thread cover.
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
        """Return the patterns that an approval of this call may cover in its thread, narrowest
        first. No pattern if somebody other than the caller decides."""
        if self.matches is None or self.argument is None or self.decider_role is not None:
            return ()
        return _OFFER[self.matches](arguments.get(self.argument))


def _stricter(one: ApprovalPolicy, other: ApprovalPolicy) -> ApprovalPolicy:
    """Return a policy that needs approval wherever one of the two does, regardless of deciders and
    times."""
    lax, strict = sorted((one, other), key=lambda policy: _STRICTNESS[policy.ask])
    if lax.ask == "never" or strict.ask == "always" or lax.ask == strict.ask == "once_per_thread":
        return strict
    if (lax.ask, lax.argument, lax.matches) != (strict.ask, strict.argument, strict.matches):
        return ApprovalPolicy()
    if strict.ask == "above":
        return min(lax, strict, key=lambda policy: policy.threshold or 0.0)
    shared = set(lax.patterns) & set(strict.patterns)
    return lax.model_copy(update={"patterns": tuple(sorted(shared))})


def combined(*policies: ApprovalPolicy | None) -> ApprovalPolicy:
    """Return one policy that needs approval wherever one of these does; without any, the default
    policy.

    Two policies with different conditions (above thresholds of different arguments, or above a
    threshold and once per thread) combine to "always". Only patterns that both have remain.
    """
    present = [policy for policy in policies if policy is not None]
    if not present:
        return ApprovalPolicy()
    strictest = reduce(_stricter, present)
    roles = [policy.decider_role for policy in present if policy.decider_role is not None]
    return strictest.model_copy(
        update={
            "decider_role": max(roles, key=lambda role: role.rank) if roles else None,
            "expires_s": min(policy.expires_s for policy in present),
        }
    )
