"""Errors of the tools, and the translation of the operating system's into them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager


class ToolError(Exception):
    """A tool call failed. The message says what was wrong, where, and what would be accepted.

    The model reads it, so it never has content of a refused file or the root's absolute path.
    """


class Stopped(ToolError):
    """The user stopped the tool."""


@contextmanager
def translate_os_errors(path: str) -> Iterator[None]:
    """Raise an `OSError` about `path` as a `ToolError`."""
    try:
        yield
    except OSError as error:
        raise ToolError(_words(path, error)) from error


def _words(path: str, error: OSError) -> str:
    match error.errno:
        case errno.ENOENT:
            return f"{path}: there is no such file or directory"
        case errno.ELOOP:
            return f"{path}: a symbolic link, and links are never followed"
        case errno.ENOTDIR:
            return f"{path}: a part of it is a file or a symbolic link, not a directory"
        case errno.EISDIR:
            return f"{path}: a directory, not a file"
        case errno.ENAMETOOLONG:
            return f"{path[:80]}…: the name is too long"
        case errno.ENXIO | errno.ENODEV:
            return f"{path}: not a regular file"
        case _:
            return f"{path}: {os.strerror(error.errno).lower() if error.errno else error}"
