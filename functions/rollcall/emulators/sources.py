"""The files of a functions folder, and which of them changed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_SKIPPED = {"venv", ".venv", "node_modules", "__pycache__"}
_READ = (".py", ".json", ".txt")


@dataclass(frozen=True)
class Change:
    """What became of a file."""

    path: Path
    kind: Literal["new", "changed", "gone"]


class Sources:
    """What a functions folder held when it was last looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = self._look()

    def changes(self) -> list[Change]:
        """What became of files since the last time, by path."""
        before, self._seen = self._seen, self._look()
        found = []
        for name in sorted(before.keys() | self._seen.keys()):
            if name not in before:
                found.append(Change(Path(name), "new"))
            elif name not in self._seen:
                found.append(Change(Path(name), "gone"))
            elif before[name] != self._seen[name]:
                found.append(Change(Path(name), "changed"))
        return found

    def _look(self) -> dict[str, tuple[int, int]]:
        """Size and time of each file."""
        found = {}
        for folder, folders, names in os.walk(self._folder):
            folders[:] = [each for each in folders if each not in _SKIPPED and each[0] != "."]
            for name in names:
                if name.endswith(_READ) or name.startswith(".env"):
                    path = f"{folder}/{name}"
                    try:
                        state = os.stat(path)  # noqa: PTH116  # of a thousand files, each second
                    except OSError:
                        continue  # it went just now
                    found[path] = (state.st_mtime_ns, state.st_size)
        return found
