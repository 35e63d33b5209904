"""What a tool says when it will not or cannot do what was asked."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager


class ToolError(Exception):
    """A tool's failure in plain words: what was wrong, where, and what would be accepted.

    The words go to the model, so they never hold what a refused file contains or where the root
    is on this machine.
    """


class Stopped(ToolError):
    """The user stopped the tool."""


@contextmanager
def in_plain_words(path: str) -> Iterator[None]:
    """Turn the system's refusals about `path` into a `ToolError`."""
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
