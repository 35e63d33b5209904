"""Text files: their bytes on disk, and the text that a model reads and writes."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import Self

from rollcall_cli.workspace.errors import ToolError, translate_os_errors
from rollcall_cli.workspace.guard import Guard
from rollcall_cli.workspace.limits import MIB
from rollcall_cli.workspace.root import Root, name_on_disk, open_file

_BOM = b"\xef\xbb\xbf"
_CHUNK = 256 * 1024
DIGEST_CHARS = 16


@dataclass(frozen=True, slots=True)
class File:
    """A file's bytes, and its `os.fstat` from while it was open.

    `path` is the requested one, `name` the file's name on disk.
    """

    path: str
    name: str
    data: bytes
    status: os.stat_result

    @property
    def digest(self) -> str:
        return digest(self.data)

    @property
    def mode(self) -> int:
        return stat.S_IMODE(self.status.st_mode) & 0o777


@dataclass(frozen=True, slots=True)
class Form:
    """The encoding details of a text file: byte order mark and line endings."""

    bom: bool = False
    crlf: bool = False

    def text(self, data: bytes, path: str) -> str:
        """Decode a file's bytes, with "\\n" for the line endings of this form.

        Raises:
            ToolError: It is not UTF-8.
        """
        try:
            text = data.removeprefix(_BOM).decode()
        except UnicodeDecodeError as error:
            raise ToolError(
                f"{path}: not UTF-8 (byte {error.start}); only UTF-8 text is read and edited"
            ) from error
        return text.replace("\r\n", "\n") if self.crlf else text

    def data(self, text: str, path: str) -> bytes:
        """Encode a text in this form; "\\r\\n" in the text is kept.

        Raises:
            ToolError: It cannot be encoded as UTF-8 text.
        """
        if "\0" in text:
            raise ToolError(f"{path}: the content holds a NUL character; only text is written")
        if self.crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise ToolError(
                f"{path}: character {error.start} of the content is half of a pair; "
                "it cannot be written as UTF-8"
            ) from error
        return _BOM + data if self.bom and not data.startswith(_BOM) else data

    @classmethod
    def of(cls, file: File) -> Self:
        """The form of a file.

        Raises:
            ToolError: It holds no text.
        """
        if b"\0" in file.data:
            raise ToolError(f"{file.path}: a binary file; only text is read and edited")
        lines = file.data.count(b"\n")
        return cls(
            bom=file.data.startswith(_BOM),
            crlf=lines > 0 and file.data.count(b"\r\n") == lines,
        )


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGEST_CHARS]


def read(root: Root, guard: Guard, path: str, parts: tuple[str, ...], limit: int) -> File:
    """Read a whole file, by parts of its path below the root.

    Raises:
        ToolError: It may not be read, is no regular file, or is larger than `limit` bytes.
    """
    guard.check_read(path, parts)
    with root.directory(parts[:-1]) as directory:
        return read_in(directory, guard, path, parts[-1], limit)


def read_in(directory: int, guard: Guard, path: str, name: str, limit: int) -> File:
    """Read a whole file of an open directory. The caller has checked its name with `guard`.

    Raises:
        ToolError: It is no regular file, or larger than `limit` bytes.
    """
    with translate_os_errors(path):
        name = name_on_disk(directory, name)
    fd = open_file(directory, name, path, hard_links=guard.allows_hard_links())
    try:
        with translate_os_errors(path):
            status = os.fstat(fd)
            data = b"" if status.st_size > limit else _bytes(fd, limit + 1)
    finally:
        os.close(fd)
    if (size := max(status.st_size, len(data))) > limit:
        raise ToolError(
            f"{path}: {size:,} bytes; at most {limit // MIB or 1} MB is read here. "
            "run_command can show a part"
        )
    return File(path, name, data, status)


def _bytes(fd: int, limit: int) -> bytes:
    chunks = []
    left = limit
    while left > 0 and (chunk := os.read(fd, min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)
