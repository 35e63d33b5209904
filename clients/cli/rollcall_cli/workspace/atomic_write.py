"""Atomic creation and replacement of files.

The content goes to a temporary file beside the target, is synced to disk, and only then gets the
target's name. Creating uses a link, which fails where the name has been taken meanwhile. Replacing
compares the file once more with what was read, just before the rename. Another program's write
between these two calls can still be lost, as with any editor.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator

from rollcall_cli.workspace.errors import ToolError, translate_os_errors
from rollcall_cli.workspace.files import File

TEMPORARY = ".rollcall-"
"""Prefix of temporary files. Listings skip them."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (PermissionError, NotImplementedError)


def create(directory: int, name: str, path: str, data: bytes) -> None:
    """Write a new file.

    Raises:
        ToolError: The name is taken, or the disk refuses.
    """
    with translate_os_errors(path), _temporary(directory, data, mode=None) as temporary:
        try:
            _link(directory, temporary, name)
        except FileExistsError as error:
            raise ToolError(
                f"{path}: it was created meanwhile; read it before writing it"
            ) from error
        os.fsync(directory)


def replace(directory: int, before: File, data: bytes) -> None:
    """Replace a file that has not changed since it was read, keeping its mode.

    Raises:
        ToolError: It has changed since, is read-only, or the disk refuses.
    """
    path, name = before.path, before.name
    if not before.mode & 0o222:
        raise ToolError(f"{path}: the file is read-only")
    with translate_os_errors(path), _temporary(directory, data, mode=before.mode) as temporary:
        if not _is_same(before.status, os.stat(name, dir_fd=directory, follow_symlinks=False)):
            raise ToolError(f"{path}: changed since it was read: read it again")
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)


@contextlib.contextmanager
def _temporary(directory: int, data: bytes, *, mode: int | None) -> Iterator[str]:
    """A temporary file with `data`; removed afterwards unless it was renamed."""
    name = f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
    fd = os.open(name, _NEW, 0o666 if mode is None else 0o600, dir_fd=directory)
    try:
        try:
            _write(fd, data)
            if mode is not None:
                os.fchmod(fd, mode)
            os.fsync(fd)
        finally:
            os.close(fd)
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=directory)


def _write(fd: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _link(directory: int, temporary: str, name: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except _NO_LINKS:
        # A file system without hard links. Taking the name first keeps others' files safe.
        os.close(os.open(name, _NEW, 0o666, dir_fd=directory))
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)


def _is_same(before: os.stat_result, now: os.stat_result) -> bool:
    """Whether a name still refers to the same, unchanged file."""
    return _identity(before) == _identity(now)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
