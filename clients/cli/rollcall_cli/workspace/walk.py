"""A breadth-first walk through directories, limited in time and number of entries."""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rollcall_cli.workspace import ignore_rules
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import Stopped, ToolError, translate_os_errors
from rollcall_cli.workspace.paths import printable

Kind = Literal["file", "directory", "link"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A directory entry. `size` is that of a file, in bytes."""

    parts: tuple[str, ...]
    kind: Kind
    size: int | None = None

    @property
    def path(self) -> str:
        return "/".join(map(printable, self.parts))


class Walk:
    """A walk through the directories below a path.

    `is_cut` becomes true when a limit ends it early.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._left = context.limits.scanned
        self._deadline = time.monotonic() + context.limits.walk_s
        self.is_cut = False

    def left_s(self) -> float:
        """The remaining time, s."""
        return self._deadline - time.monotonic()

    def entries(self, parts: tuple[str, ...], depth: int) -> Iterator[Entry]:
        """The entries below a directory, sorted by name, the nearest first.

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
                continue  # replaced or removed meanwhile, or unreadable: its own entry was yielded
            for entry in found:
                yield entry
                if entry.kind == "directory" and level < depth:
                    waiting.append((entry.parts, rules, level + 1))
            if self.is_cut:
                return

    def _read(
        self, base: tuple[str, ...], above: ignore_rules.Rules
    ) -> tuple[list[Entry], ignore_rules.Rules]:
        with self._context.root.directory(base) as fd, translate_os_errors("/".join(base) or "."):
            rules = ignore_rules.rules_in(fd, base, above)
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

    def _rules_above(self, parts: tuple[str, ...]) -> ignore_rules.Rules:
        """The rules of the directories above the requested one.

        Rules that exclude the requested directory itself do not count.
        """
        rules: ignore_rules.Rules = ()
        for end in range(len(parts)):
            with self._context.root.directory(parts[:end]) as fd:
                rules = ignore_rules.rules_in(fd, parts[:end], rules)
            if ignore_rules.is_ignored(rules, parts[: end + 1], is_directory=True):
                rules = ()
        return rules


def _entry(
    found: os.DirEntry[str], base: tuple[str, ...], rules: ignore_rules.Rules
) -> Entry | None:
    parts = (*base, found.name)
    try:
        status = found.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None  # gone meanwhile
    if ignore_rules.is_ignored(rules, parts, is_directory=stat.S_ISDIR(status.st_mode)):
        return None
    if stat.S_ISDIR(status.st_mode):
        return Entry(parts, "directory")
    if stat.S_ISLNK(status.st_mode):
        return Entry(parts, "link")
    return Entry(parts, "file", status.st_size) if stat.S_ISREG(status.st_mode) else None
