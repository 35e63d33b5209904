"""The library's version, which names its content: 0.1.0+g1a2b3c4d.

The cloud's build keeps what it installed for as long as requirements.txt has the same bytes, so a
library that changed needs a version that did. The build backend runs this file by itself.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

RELEASE = "0.1.0"
_SUFFIXES = {".py", ".toml", ".json", ".rules", ".typed", ".html", ".js", ".ts", ".css", ".svg"}
"""What the library is made of; editors and systems leave other files beside it."""
_FOLDERS = ("functions/rollcall", "clients/web/dist")


def version() -> str:
    root = Path(__file__).resolve().parents[1]
    files = [
        root / "pyproject.toml",
        *(file for each in _FOLDERS for file in (root / each).rglob("*")),
    ]
    digest = hashlib.sha256()
    for file in sorted(each for each in files if each.is_file() and each.suffix in _SUFFIXES):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return f"{RELEASE}+g{digest.hexdigest()[:8]}"
