"""Files of an app, and a plan's changes of them; nothing is written before `write`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec import Struct

from rollcall.core.definition import decoded
from rollcall.core.errors import Problem


def newline_of(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def append_lines(text: str, lines: str) -> str:
    """Add lines at the end, with the line ends that the text has."""
    newline = newline_of(text)
    gap = "" if not text or text.endswith("\n") else newline
    return text + gap + lines.replace("\n", newline)


class Change(Struct, frozen=True):
    """A file before and after, by its path from the app's folder; None where there is none."""

    path: str
    old: bytes | None
    new: bytes | None


class Files:
    """The files of an app, with the changes that a plan collects."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._planned: dict[str, bytes | None] = {}

    def read(self, path: str) -> str | None:
        """A file's text with the changes so far; None where there is none.

        Raises:
            Problem: It is not in UTF-8.
        """
        content = self.read_bytes(path)
        return None if content is None else decoded(content, path)

    def read_bytes(self, path: str) -> bytes | None:
        """A file's content with the changes so far; None where there is none."""
        if path in self._planned:
            return self._planned[path]
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def is_folder(self, path: str) -> bool:
        return (self.root / path).is_dir()

    def exists(self, path: str) -> bool:
        return self.read_bytes(path) is not None

    def names(self, folder: str) -> list[str]:
        """The names in a folder, as it is on disk."""
        found = self.root / folder
        return sorted(each.name for each in found.iterdir()) if found.is_dir() else []

    def put(self, path: str, content: str | bytes) -> None:
        """Plan a file's new content."""
        self._planned[path] = content.encode() if isinstance(content, str) else content

    def remove(self, path: str) -> None:
        """Plan to delete a file."""
        self._planned[path] = None

    def changes(self) -> list[Change]:
        """What the plan makes different from what is on disk."""
        found = []
        for path, new in sorted(self._planned.items()):
            file = self.root / path
            old = file.read_bytes() if file.is_file() else None
            if old != new:
                found.append(Change(path, old, new))
        return found


def write(root: Path, changes: Sequence[Change]) -> None:
    """Make the changes, all or none: where one fails, those before it are taken back.

    Raises:
        Problem: A file cannot be written; nothing has changed then.
    """
    try:
        with ExitStack() as undo:
            temporary: dict[Path, Path] = {}
            for change in changes:
                file = (root / change.path).resolve()  # a link stays one; its target is written
                if change.new is None:
                    continue
                for folder in reversed([each for each in file.parents if not each.exists()]):
                    folder.mkdir()
                    undo.callback(_remove_folder, folder)
                temporary[file] = file.with_name(f".{file.name}.{os.getpid()}")
                undo.callback(temporary[file].unlink, missing_ok=True)
                if file.exists():  # nobody else may read it meanwhile, as the secrets of an .env
                    temporary[file].touch(mode=0o600)
                temporary[file].write_bytes(change.new)
                if file.exists():
                    shutil.copymode(file, temporary[file])
            for change in changes:
                file = (root / change.path).resolve()
                if change.new is None:
                    file.unlink()
                else:
                    temporary[file].replace(file)
                if change.old is None:
                    undo.callback(file.unlink)
                else:
                    undo.callback(file.write_bytes, change.old)
            undo.pop_all()  # all is written
    except OSError as error:
        raise Problem(
            f"{change.path} cannot be written: {error.strerror}.\nNothing was changed in {root}."
        ) from error


def _remove_folder(folder: Path) -> None:
    with suppress(OSError):  # somebody else put a file there meanwhile
        folder.rmdir()
