"""Going through directories, nearest first, within bounds of time and number."""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rollcall_cli.workspace import ignoring
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import Stopped, ToolError, in_plain_words
from rollcall_cli.workspace.names import shown

Kind = Literal["file", "directory", "link"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a directory. `size` is a file's, in bytes."""

    parts: tuple[str, ...]
    kind: Kind
    size: int | None = None

    @property
    def path(self) -> str:
        return "/".join(map(shown, self.parts))


class Walk:
    """One way through the directories below a path.

    `is_cut` becomes true where a bound ended it early.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._left = context.limits.scanned
        self._deadline = time.monotonic() + context.limits.walk_s
        self.is_cut = False

    def left_s(self) -> float:
        """The time that is left, in seconds."""
        return self._deadline - time.monotonic()

    def entries(self, parts: tuple[str, ...], depth: int) -> Iterator[Entry]:
        """The entries below a directory, by name, those near to it first.

        Symbolic links are entries and not followed; devices, pipes and sockets are left out.

        Raises:
            ToolError: The directory cannot be opened.
        """
        waiting = deque([(parts, self._rules_above(parts), 1)])
        while waiting:
            base, above, level = waiting.popleft()
            try:
                found, rules = self._read(base, above)
            except Stopped:
                raise
            except ToolError:
                if base == parts:
                    raise
                continue  # swapped or removed meanwhile, or not ours to read: it was listed
            for entry in found:
                yield entry
                if entry.kind == "directory" and level < depth:
                    waiting.append((entry.parts, rules, level + 1))
            if self.is_cut:
                return

    def _read(
        self, base: tuple[str, ...], above: ignoring.Rules
    ) -> tuple[list[Entry], ignoring.Rules]:
        with self._context.root.directory(base) as fd, in_plain_words("/".join(base) or "."):
            rules = ignoring.rules_in(fd, base, above)
            found = []
            with os.scandir(fd) as entries:
                for entry in entries:
                    if not self._goes_on():
                        break
                    if one := _entry(entry, base, rules):
                        found.append(one)
        return sorted(found, key=lambda one: one.parts[-1]), rules

    def _goes_on(self) -> bool:
        self._context.check_stop()
        self._left -= 1
        self.is_cut = self.is_cut or self._left < 0 or self.left_s() < 0
        return not self.is_cut

    def _rules_above(self, parts: tuple[str, ...]) -> ignoring.Rules:
        """The rules of the directories above the one that was asked for.

        Where they leave that one out, it was asked for all the same, and they do not count.
        """
        rules: ignoring.Rules = ()
        for end in range(len(parts)):
            with self._context.root.directory(parts[:end]) as fd:
                rules = ignoring.rules_in(fd, parts[:end], rules)
            if ignoring.is_left_out(rules, parts[: end + 1], is_directory=True):
                rules = ()
        return rules


def _entry(found: os.DirEntry[str], base: tuple[str, ...], rules: ignoring.Rules) -> Entry | None:
    parts = (*base, found.name)
    try:
        status = found.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None  # gone meanwhile
    if ignoring.is_left_out(rules, parts, is_directory=stat.S_ISDIR(status.st_mode)):
        return None
    if stat.S_ISDIR(status.st_mode):
        return Entry(parts, "directory")
    if stat.S_ISLNK(status.st_mode):
        return Entry(parts, "link")
    return Entry(parts, "file", status.st_size) if stat.S_ISREG(status.st_mode) else None
