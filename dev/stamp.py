"""Records what a folder was built from, so that it is built only once."""

from __future__ import annotations

import hashlib
from pathlib import Path


class Stamp:
    """A file inside `folder` with the digest of what the folder was built from."""

    def __init__(self, folder: Path, *made_from: Path | str) -> None:
        self._file = folder / ".made-from"
        self._digest = _digest(made_from)

    def is_current(self) -> bool:
        return self._file.is_file() and self._file.read_text() == self._digest

    def write(self) -> None:
        self._file.write_text(self._digest)


def _digest(parts: tuple[Path | str, ...]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()
