"""The workspace's root as an open directory, and opening files and directories below it.

Each part of a path is opened from the directory before it (`dir_fd`), never through a symbolic
link (`O_NOFOLLOW`), and `..` is no valid part. So nothing outside can be reached, whatever is
swapped meanwhile: an open directory stays the same one.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rollcall_cli.workspace.errors import ToolError, translate_os_errors

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SIBLINGS = 10_000
"""The most names of a directory that are compared in search of another Unicode form."""


class Root:
    """The open root directory; to be closed."""

    def __init__(self, path: Path) -> None:
        """Open the root. A symbolic link is resolved once, now.

        Raises:
            ToolError: It is no directory, or this system cannot keep paths inside one.
        """
        if os.open not in os.supports_dir_fd or os.rename not in os.supports_dir_fd:
            raise ToolError(
                "this system cannot keep paths inside a folder; on Windows, use WSL for this"
            )
        try:
            resolved = path.resolve()
        except RuntimeError as error:  # until Python 3.13
            raise ToolError(f"{path}: symbolic links that lead in a circle") from error
        if resolved == Path(resolved.anchor):
            raise ToolError("the whole disk cannot be a workspace; choose a folder")
        self.path = resolved
        with translate_os_errors(str(path)):
            try:
                self.fd = os.open(resolved, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except NotADirectoryError as error:
                raise ToolError(f"{path}: not a folder; a workspace is one") from error

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @contextmanager
    def directory(self, parts: tuple[str, ...], *, create: bool = False) -> Iterator[int]:
        """Open a directory below the root.

        Args:
            create: Create missing directories.
        Raises:
            ToolError: A part is missing, a link, or no directory.
        """
        fd = os.dup(self.fd)
        try:
            for index, part in enumerate(parts):
                with translate_os_errors("/".join(parts[: index + 1])):
                    below = _enter(fd, part, create=create)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)


def open_file(directory: int, name: str, path: str, *, hard_links: bool) -> int:
    """Open a regular file of an open directory for reading.

    Args:
        path: What to call the file in an error.
        hard_links: Whether it may have other names.
    Raises:
        ToolError: It is not there, or anything but a regular file.
    """
    with translate_os_errors(path):
        # Opening a device can have effects, so check before opening, and again what was opened.
        _check(os.stat(name, dir_fd=directory, follow_symlinks=False), path, hard_links)
        fd = os.open(name, _FILE, dir_fd=directory)
    try:
        with translate_os_errors(path):
            _check(os.fstat(fd), path, hard_links)
    except BaseException:
        os.close(fd)
        raise
    return fd


def name_on_disk(directory: int, name: str) -> str:
    """The name on disk, which may differ from `name` in its Unicode form (NFC or NFD)."""
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return _same_text(directory, name) or name
    return name


def _enter(fd: int, part: str, *, create: bool) -> int:
    name = name_on_disk(fd, part)
    try:
        return os.open(name, _DIRECTORY, dir_fd=fd)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):  # another process created it
        os.mkdir(name, dir_fd=fd)
    return os.open(name, _DIRECTORY, dir_fd=fd)


def _same_text(directory: int, name: str) -> str | None:
    if name.isascii():
        return None
    text = unicodedata.normalize("NFC", name)
    found = []
    with os.scandir(directory) as entries:
        for count, entry in enumerate(entries):
            if count >= _SIBLINGS:
                return None
            if unicodedata.normalize("NFC", entry.name) == text:
                found.append(entry.name)
    return found[0] if len(found) == 1 else None


def _check(found: os.stat_result, path: str, hard_links: bool) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "link")
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, "directory")
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{path}: a device, pipe or socket, not a file")
    if found.st_nlink > 1 and not hard_links:
        raise ToolError(
            f"{path}: it has another name (a hard link), which may be outside the workspace; "
            "the user can allow this by starting with --allow hard-links"
        )
